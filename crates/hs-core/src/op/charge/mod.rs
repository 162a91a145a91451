//! charge: load a file, whatever its format, and say in a line what was done; several files are
//! stacked.
//!
//! Together with saving this is where operations and formats meet; no other operation knows formats.

mod common_type;
mod files;
mod folder;
pub mod front;
mod keys;
mod notes;
mod sheets;
mod stack;

#[cfg(test)]
mod tests;

pub(in crate::op) use common_type::{Typed, common, convert};
pub use files::{Given, charge_files};

use crate::control::Control;
use crate::error::{Error, ErrorKind, Place, Result};
use crate::fix::Fix;
use crate::format::{self, Loaded, ReadOptions, Types};
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
    refuse_repeated_columns(options)?;
    control.start_input(source.name(), 1, 1);
    let name = source.name().to_owned();
    let read = ReadOptions {
        only: options.columns.clone(),
        rows: rows_read(options, options.rows),
        ..options.read.clone()
    };
    match load(source, &read, control)? {
        Loaded::Table(table) => {
            // A reader that leaves columns out has looked at the names of all.
            if options.columns.is_none() || table.origin.format != Some(format::Format::Csv) {
                check_types(&table, options)?;
            }
            chosen(table, options, None).map(Loaded::Table)
        }
        Loaded::Sheets(sheets) => sheets::chosen_of_each(sheets, options).map(Loaded::Sheets),
        document @ Loaded::Value(_) => {
            refuse_table_options(&name, options)?;
            Ok(document)
        }
    }
}

/// How many rows a reader has to read: all where a wanted type is to be proven on all of them.
fn rows_read(options: &ChargeOptions, rows: Option<usize>) -> Option<usize> {
    rows.filter(|_| options.read.types == Types::Decided)
}

/// Refuses types for columns that are not there.
fn check_types(table: &Table, options: &ChargeOptions) -> Result<()> {
    if options.read.some_lack {
        return Ok(());
    }
    let names = table.columns().iter().map(|column| column.name.as_str());
    let known = options.read.types.check(names);
    known.map_err(|error| error.at(Place::source(&table.origin.name)))
}

/// The whole of a source.
fn load(source: Source, options: &ReadOptions, control: &Control) -> Result<Loaded> {
    let format = format::detect(&source)?;
    refuse_foreign_options(format, source.name(), options)?;
    format::read(format, source, options, control)
}

/// The columns and rows that are wanted, and the note of what was loaded, which ends with `last`.
fn chosen(mut table: Table, options: &ChargeOptions, last: Option<&str>) -> Result<Table> {
    let height = table.height() + table.left_out;
    if let Some(columns) = &options.columns {
        let mut columns = columns.clone();
        if options.read.some_lack {
            columns.retain(|column| table.position(column).is_ok());
        }
        table = table.select(&columns)?;
    }
    let mut line = String::new();
    if let Some(rows) = options.rows.filter(|rows| *rows < height) {
        table = table.slice(0, rows);
        line = format!(", the first of {}", text::count(height as u64));
    }
    for part in table.origin.part.as_deref().into_iter().chain(last) {
        line += &format!(", {part}");
    }
    let rows = text::counted(table.height() as u64, "row");
    let columns = text::counted(table.width() as u64, "column");
    line = format!("{rows} x {columns}{line}");
    table.notes.insert(0, Note::new(Topic::Loaded, line));
    Ok(table)
}

/// A document that is no table has no columns and rows.
fn refuse_table_options(name: &str, options: &ChargeOptions) -> Result<()> {
    let given = [
        ("types", options.read.types != Types::Decided),
        ("columns", options.columns.is_some()),
        ("rows", options.rows.is_some()),
    ];
    let Some((option, _)) = given.into_iter().find(|(_, given)| *given) else {
        return Ok(());
    };
    let message = format!("{option} means nothing for a document that is no table");
    let (option, at) = (Fix::option(option), Fix::option("at"));
    let hint = format!("leave out {option}, or name the records in it by {at}");
    let error = Error::new(ErrorKind::Argument, message).at(Place::source(name));
    Err(error.hint(hint).fix(option).fix(at))
}

/// A column that is asked for twice would be there twice, under one name.
fn refuse_repeated_columns(options: &ChargeOptions) -> Result<()> {
    let mut seen = std::collections::HashSet::new();
    let columns = options.columns.iter().flatten();
    match columns.into_iter().find(|column| !seen.insert(*column)) {
        None => Ok(()),
        Some(column) => {
            let message = format!("columns: {column:?} is named twice");
            Err(Error::new(ErrorKind::Argument, message).hint("name each column once"))
        }
    }
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
        .at(Place::source(name))
        .hint(format!("leave out {}", Fix::option(option)))
        .fix(Fix::option(option))),
    }
}
