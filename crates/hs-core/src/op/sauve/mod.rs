//! sauve: save a table, several as the sheets of a workbook, or a plain value, in the format that
//! the name of the file asks for; the file is whole or as it was.
//!
//! Together with loading this is where operations and formats meet; no other operation knows formats.

mod days;
mod saved;
mod target;

#[cfg(test)]
mod tests;

use std::io::Write;
use std::path::Path;

pub use days::days;
pub use saved::Saved;
pub use target::Target;

use crate::control::Control;
use crate::error::{Error, ErrorKind, Place, Result};
use crate::fix::Fix;
use crate::format::{Format, arrow, delimited, json, jsonl, parquet, workbook};
use crate::note::Note;
use crate::sink::{self, SinkOptions};
use crate::table::Table;
use crate::value::Value;

/// How to save.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SauveOptions {
    /// Name of the sheet in a workbook; `Sheet1` when there is none.
    pub sheet: Option<String>,
    /// Whether a file that is there is replaced; else it is an error.
    pub overwrite: bool,
}

impl Default for SauveOptions {
    fn default() -> Self {
        Self {
            sheet: None,
            overwrite: true,
        }
    }
}

/// What is saved.
#[derive(Clone, Copy, Debug)]
pub enum Data<'a> {
    /// A table.
    Table(&'a Table),
    /// The sheets of a workbook, by name.
    Sheets(&'a [(String, &'a Table)]),
    /// A plain value.
    Value(&'a Value),
}

/// Saves data under a path, whose extension says the format: csv, tsv, json, jsonl, parquet, arrow
/// or xlsx; the text formats also packed (`.gz`, `.zst`).
///
/// # Errors
/// [`ErrorKind::Argument`] for an extension that is none of them, and for a sheet that the format
/// does not have; [`ErrorKind::Type`] for data that the format does not hold; and all of
/// [`sink::save`]. A file that was there is then as it was.
pub fn sauve(
    path: &Path,
    data: Data<'_>,
    options: &SauveOptions,
    control: &Control,
) -> Result<Saved> {
    let name = path.display().to_string();
    let place = |error: Error| error.at(Place::source(name.clone()));
    let target = Target::of(path)?;
    refuse(&target, data, options).map_err(place)?;
    control.start_input(&name, 1, 1);
    control.start("saving", 0);
    let how = SinkOptions {
        overwrite: options.overwrite,
        compression: target.compression,
    };
    let work = |out: &mut (dyn Write + Send)| {
        let sheet = options.sheet.as_deref();
        write(&target, data, sheet, out, control).map_err(place)
    };
    let (notes, bytes) = sink::save(path, how, control, work)?;
    let size =
        |name: Option<&String>, table: &Table| (name.cloned(), table.height(), table.width());
    let tables = match data {
        Data::Table(table) => vec![size(None, table)],
        Data::Sheets(sheets) => sheets
            .iter()
            .map(|(name, table)| size(Some(name), table))
            .collect(),
        Data::Value(_) => Vec::new(),
    };
    Ok(Saved {
        name,
        tables,
        bytes,
        notes,
    })
}

/// Refuses what the format has no place for.
fn refuse(target: &Target, data: Data<'_>, options: &SauveOptions) -> Result<()> {
    let format = target.format;
    let word = target.word;
    match data {
        Data::Sheets(_) if !format.is_workbook() => {
            let message = format!("expected one table for a {word} file, found several");
            return Err(Error::new(ErrorKind::Type, message)
                .hint("save them as the sheets of an .xlsx file, or each in a file of its own"));
        }
        Data::Sheets([]) => {
            let message = "expected at least one table, found none";
            return Err(Error::new(ErrorKind::Type, message));
        }
        Data::Value(_) if !matches!(format, Format::Json | Format::Jsonl) => {
            let message =
                format!("expected a table for a {word} file, found a document that is none");
            return Err(
                Error::new(ErrorKind::Type, message).hint("save it as json, which takes any value")
            );
        }
        _ => {}
    }
    if options.sheet.is_some() && (!format.is_workbook() || matches!(data, Data::Sheets(_))) {
        let fix = Fix::option("sheet");
        let message = match data {
            Data::Sheets(_) => "the sheets have names already".to_owned(),
            _ => format!("sheet means nothing for a {word} file"),
        };
        return Err(Error::new(ErrorKind::Argument, message)
            .hint(format!("leave out {fix}"))
            .fix(fix));
    }
    Ok(())
}

/// Writes data in the format of the target. Each writer checks its limits before the first byte.
fn write(
    target: &Target,
    data: Data<'_>,
    sheet: Option<&str>,
    out: &mut (dyn Write + Send),
    control: &Control,
) -> Result<Vec<Note>> {
    match (target.format, data) {
        (Format::Csv, Data::Table(table)) => {
            delimited::write::write(table, target.delimiter, out, control)
        }
        (Format::Json, Data::Table(table)) => json::write::write(table, out, control),
        (Format::Json, Data::Value(value)) => json::value::write(value, out, control),
        (Format::Jsonl, Data::Table(table)) => jsonl::write::write(table, out, control),
        (Format::Jsonl, Data::Value(value)) => json::value::write_lines(value, out, control),
        (Format::Xlsx, Data::Sheets(sheets)) => workbook::write(sheets, out, control),
        (Format::Xlsx, Data::Table(table)) => {
            let name = sheet.unwrap_or(workbook::USUAL_SHEET);
            workbook::write(&[(name.to_owned(), table)], out, control)
        }
        (Format::Parquet, Data::Table(table)) => parquet::write(table, out, control),
        (Format::Arrow, Data::Table(table)) => arrow::write(table, out, control),
        _ => {
            // Refused before.
            let message = format!("such data is not saved as {}", target.word);
            Err(Error::new(ErrorKind::Internal, message))
        }
    }
}
