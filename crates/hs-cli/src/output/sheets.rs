//! All sheets of a workbook as an answer: one below the other, each under its name.

use std::io::Write;

use hs_core::op::montre::{MontreOptions, montre};
use hs_core::value::write_json_text;
use hs_core::{Error, ErrorKind, Face, Place, Sheets};

use super::Output;
use crate::args::AnswerFormat;
use crate::exit::Failure;
use crate::render::{self, Lost};

/// Sheets that a hint names.
const NAMED: usize = 5;

impl Output {
    /// Gives all sheets; in JSON as an object with the envelope of each sheet by its name.
    pub(super) fn give_sheets(
        &self,
        sheets: &Sheets,
        options: MontreOptions,
    ) -> Result<(), Failure> {
        if matches!(self.format, AnswerFormat::Csv | AnswerFormat::Jsonl) {
            let format = match self.format {
                AnswerFormat::Csv => "csv",
                _ => "jsonl",
            };
            let message = format!("expected one sheet for {format}, which holds one table");
            let json = "--format json gives them all";
            return Err(one_of(sheets, &message, &format!(", or {json}")).into());
        }
        self.say(sheets.account_for(Face::Shell))?;
        let mut lost = Lost::default();
        self.write(|out| {
            match self.format {
                AnswerFormat::Json => json(out, sheets, &mut lost)?,
                AnswerFormat::Md => {
                    for (index, sheet) in sheets.sheets.iter().enumerate() {
                        let gap = if index > 0 { "\n" } else { "" };
                        let name = sheet.name.replace(['\n', '\r'], " ");
                        writeln!(out, "{gap}## {name}\n")?;
                        let frames = [sheet.table.frame().clone()];
                        render::markdown(out, sheet.table.columns(), &frames)?;
                    }
                }
                _ => {
                    for (index, sheet) in sheets.sheets.iter().enumerate() {
                        let gap = if index > 0 { "\n" } else { "" };
                        writeln!(out, "{gap}sheet {:?}", sheet.name)?;
                        let view = montre(&sheet.table, options);
                        let text = render::view(&view, self.screen.width, self.screen.colour);
                        out.write_all(text.as_bytes())?;
                    }
                }
            }
            Ok(())
        })?;
        self.say(lost.line())
    }
}

/// `{"sheets":{"name":{"columns":...},...},"notes":[...]}`.
fn json(out: &mut dyn Write, sheets: &Sheets, lost: &mut Lost) -> Result<(), Failure> {
    let mut text = String::from("{\"sheets\":{");
    for (index, sheet) in sheets.sheets.iter().enumerate() {
        text.push_str(if index > 0 { "," } else { "\n" });
        write_json_text(&mut text, &sheet.name);
        write!(out, "{text}:")?;
        text.clear();
        let notes = sheet.table.notes.iter();
        let notes: Vec<String> = notes.map(|note| note.line("", Face::Shell)).collect();
        let frames = [sheet.table.frame().clone()];
        *lost += render::json(out, &sheet.table, &frames, &notes)?;
    }
    text.push_str("},\"notes\":[");
    for (index, note) in sheets.notes.iter().enumerate() {
        if index > 0 {
            text.push(',');
        }
        write_json_text(&mut text, &note.line("", Face::Shell));
    }
    writeln!(out, "{text}]}}")?;
    Ok(())
}

/// The error for all sheets where only one will do; `more` is said behind the names in the hint.
pub fn one_of(sheets: &Sheets, message: &str, more: &str) -> Error {
    let names = sheets.sheets.iter().take(NAMED);
    let names: Vec<String> = names.map(|sheet| format!("{:?}", sheet.name)).collect();
    let others = match sheets.sheets.len().saturating_sub(NAMED) {
        0 => String::new(),
        others => format!(" and {others} more"),
    };
    let hint = format!("name one of {}{others} by --sheet{more}", names.join(", "));
    Error::new(ErrorKind::Sheet, message)
        .at(Place::source(&sheets.name))
        .hint(hint)
}
