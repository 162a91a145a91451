//! charge: load a file, whatever its format, and say in a line what was done; several files are
//! stacked.
//!
//! Together with saving this is where operations and formats meet; no other operation knows formats.

mod common_type;
mod files;
mod notes;
mod stack;

#[cfg(test)]
mod tests;

pub use files::{Given, charge_files};

use crate::control::Control;
use crate::error::{Error, ErrorKind, Result};
use crate::format::{self, Loaded, ReadOptions};
use crate::note::{Note, Topic};
use crate::source::Source;
use crate::table::Table;
use crate::text;

/// What to load of a file.
#[derive(Clone, Debug, Default)]
pub struct ChargeOptions {
    /// How to read the file.
    pub read: ReadOptions,
    /// Only these columns, in this order.
    pub columns: Option<Vec<String>>,
    /// Only the first so many rows.
    pub rows: Option<usize>,
}

/// Loads a source. The first note of a table says what was loaded: rows, columns, sheet.
///
/// # Errors
/// One error that says what is wrong, where, and how to mend it; see [`ErrorKind`].
pub fn charge(source: Source, options: &ChargeOptions, control: &Control) -> Result<Loaded> {
    control.start_input(source.name(), 1, 1);
    match load(source, &options.read, control)? {
        Loaded::Table(table) => chosen(table, options, None).map(Loaded::Table),
        document @ Loaded::Value(_) => Ok(document),
    }
}

/// The whole of a source.
fn load(source: Source, options: &ReadOptions, control: &Control) -> Result<Loaded> {
    let format = format::detect(&source)?;
    refuse_foreign_options(format, source.name(), options)?;
    format::read(format, source, options, control)
}

/// The columns and rows that are wanted, and the note of what was loaded, which ends with `last`.
fn chosen(mut table: Table, options: &ChargeOptions, last: Option<String>) -> Result<Table> {
    let height = table.height();
    if let Some(columns) = &options.columns {
        table = table.select(columns)?;
    }
    let mut line = String::new();
    if let Some(rows) = options.rows.filter(|rows| *rows < height) {
        table = table.slice(0, rows);
        line = format!(", the first of {}", text::count(height as u64));
    }
    for part in table.origin.part.iter().chain(&last) {
        line += &format!(", {part}");
    }
    let rows = text::counted(table.height() as u64, "row");
    let columns = text::counted(table.width() as u64, "column");
    line = format!("{rows} x {columns}{line}");
    table.notes.insert(0, Note::new(Topic::Loaded, line));
    Ok(table)
}

/// An option that the format does not know would be ignored silently; say so instead.
fn refuse_foreign_options(format: format::Format, name: &str, options: &ReadOptions) -> Result<()> {
    use format::{Format, SheetChoice};
    let document = matches!(format, Format::Json | Format::Toml);
    let text = format == Format::Csv;
    let unknown = [
        (
            "sheet",
            options.sheet != SheetChoice::First && !format.is_workbook(),
        ),
        ("at", options.at.is_some() && !document),
        ("encoding", options.encoding.is_some() && !text),
        ("delimiter", options.delimiter.is_some() && !text),
        (
            "header",
            options.header.is_some() && !text && !format.is_workbook(),
        ),
    ];
    match unknown.iter().find(|(_, wrong)| *wrong) {
        None => Ok(()),
        Some((option, _)) => Err(Error::new(
            ErrorKind::Argument,
            format!("{option} means nothing for a {} file", format.name()),
        )
        .at(crate::error::Place::source(name))
        .hint(format!("leave out the option {option}"))),
    }
}
