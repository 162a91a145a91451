//! Workbooks: xlsx, xlsm and xls on calamine, xlsb and ods by their own parts. It loads one sheet and
//! names the others.
//!
//! - [`open`]: which kind of workbook the bytes are, encrypted ones refused
//! - `archive`: zip archives that would not fit into memory refused
//! - [`sheets`]: the list of sheets, which one is meant, what to say about the others
//! - `xlsx`, `xlsb`, `xls`, `ods`: the cells of a sheet, one file or folder a format
//! - [`area`]: rectangles of cells, merged ones and those with a name
//! - [`cells`]: cells column by column, never as a rectangle
//! - [`number_format`], [`serial`]: what a number in a cell means
//! - [`layout`]: where the table is, blank edges left out; [`header`]: titles, header row, names
//! - [`family`], [`columns`]: one type for each column, decided on all its cells; [`shown`]: a cell as text
//! - [`account`]: what there is to say about the cells

mod account;
mod archive;
#[allow(dead_code, reason = "the reader of ranges and names comes next")]
mod area;
mod cells;
mod columns;
mod family;
mod header;
mod layout;
mod number_format;
mod ods;
mod open;
mod serial;
mod sheets;
mod shown;
mod xls;
mod xlsb;
mod xlsx;

#[cfg(test)]
mod tests;

use crate::control::Control;
use crate::error::{Place, Result};
use crate::format::{Format, ReadOptions};
use crate::source::Source;
use crate::table::Table;

/// Reads one sheet of a workbook: the chosen one, else the first visible one.
///
/// # Errors
/// [`ErrorKind::Sheet`](crate::ErrorKind::Sheet) for a sheet that is not there (lists them),
/// [`ErrorKind::Format`](crate::ErrorKind::Format) for an encrypted or broken file or an empty sheet.
pub fn read(
    format: Format,
    source: Source,
    options: &ReadOptions,
    control: &Control,
) -> Result<Table> {
    let mut book = open::open(format, source.read(control)?, control)?;
    let list = book.sheets();
    let chosen = sheets::choose(&list, &options.sheet)?;
    let name = &list[chosen].name;
    let mut table = book
        .cells(name, control)
        .and_then(|cells| {
            let layout = layout::layout(&cells, options.header)?;
            let layout = layout.ok_or_else(|| sheets::empty(&list))?;
            columns::table(&cells, &layout, &options.types, control)
        })
        .map_err(|error| error.at(Place::default().sheet(name)))?;
    table.origin.part = Some(format!("sheet {name:?}"));
    table
        .explanation
        .facts
        .push(("sheets", sheets::fact(&list, chosen)));
    let others = sheets::others(&list, chosen, |name| book.size(name));
    table.notes.extend(others);
    Ok(table)
}
