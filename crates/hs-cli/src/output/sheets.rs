//! All sheets of a workbook as an answer: one below the other, each under its name.

use std::io::Write;
use std::path::Path;

use hs_core::format::json::write::infinities_note;
use hs_core::op::montre::{MontreOptions, montre};
use hs_core::op::sauve::{Data, SauveOptions, sauve};
use hs_core::value::write_json_text;
use hs_core::{Control, Error, ErrorKind, Face, Place, Sheets, Table};

use super::Output;
use crate::args::AnswerFormat;
use crate::exit::Failure;
use crate::render;

/// Sheets that a hint names.
const NAMED: usize = 5;

impl Output {
    /// Gives all sheets; in JSON as an object with the envelope of each sheet by its name.
    pub(super) fn give_sheets(
        &self,
        sheets: &Sheets,
        options: MontreOptions,
    ) -> Result<(), Failure> {
        let Some(format) = self.format else {
            return self.save_sheets(sheets);
        };
        if matches!(format, AnswerFormat::Csv | AnswerFormat::Jsonl) {
            let format = match format {
                AnswerFormat::Csv => "csv",
                _ => "jsonl",
            };
            let message = format!("expected one sheet for {format}, which holds one table");
            let json = "--format json gives them all";
            return Err(one_of(sheets, &message, &format!(", or {json}")).into());
        }
        self.say(sheets.account_for(Face::Shell))?;
        let lost = self.write(|out| {
            match format {
                AnswerFormat::Json => return json(out, sheets, &self.control),
                AnswerFormat::Md => {
                    for (index, sheet) in sheets.sheets.iter().enumerate() {
                        let gap = if index > 0 { "\n" } else { "" };
                        let name = sheet.name.replace(['\n', '\r'], " ");
                        writeln!(out, "{gap}## {name}\n")?;
                        render::markdown(out, &sheet.table)?;
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
            Ok(0)
        })?;
        self.say(infinities_note(lost).map(|note| note.text))
    }

    /// Saves all sheets in the format that the name of the output file asks for.
    fn save_sheets(&self, sheets: &Sheets) -> Result<(), Failure> {
        self.say(sheets.account_for(Face::Shell))?;
        let path = self.path.as_deref().unwrap_or(Path::new(""));
        let named = named(sheets);
        let options = SauveOptions::default();
        let saved = sauve(path, Data::Sheets(&named), &options, &self.control)?;
        self.say(saved.account(Face::Shell))
    }
}

/// The tables by the names of their sheets, as they are saved.
pub fn named(sheets: &Sheets) -> Vec<(String, &Table)> {
    let sheets = sheets.sheets.iter();
    sheets
        .map(|sheet| (sheet.name.clone(), &sheet.table))
        .collect()
}

/// `{"sheets":{"name":{"columns":...},...},"notes":[...]}`; gives how many infinities are null in it.
fn json(out: &mut (dyn Write + Send), sheets: &Sheets, control: &Control) -> Result<u64, Failure> {
    let mut lost = 0;
    let mut text = String::from("{\"sheets\":{");
    for (index, sheet) in sheets.sheets.iter().enumerate() {
        text.push_str(if index > 0 { "," } else { "\n" });
        write_json_text(&mut text, &sheet.name);
        write!(out, "{text}:")?;
        text.clear();
        let table = &sheet.table;
        let notes = table.notes.iter();
        let notes: Vec<String> = notes.map(|note| note.line("", Face::Shell)).collect();
        let told = render::json(out, table, table.height(), &notes, control)?;
        lost += told.and_then(|note| note.count).unwrap_or_default();
    }
    text.push_str("},\"notes\":[");
    for (index, note) in sheets.notes.iter().enumerate() {
        if index > 0 {
            text.push(',');
        }
        write_json_text(&mut text, &note.line("", Face::Shell));
    }
    writeln!(out, "{text}]}}")?;
    Ok(lost)
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
