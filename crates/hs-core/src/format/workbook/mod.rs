//! Workbooks, each kind by its own parts. It loads one sheet, or a part of one, and names the others; or
//! all sheets.
//!
//! - [`open`]: which kind of workbook the bytes are, encrypted ones refused
//! - `archive`: zip archives that would not fit into memory refused
//! - [`sheets`]: the list of sheets, what to say about the others; `part`: which part is meant; `all`:
//!   all sheets
//! - `xlsx`, `xlsb`, `xls`, `ods`: the cells of a sheet, one file or folder a format
//! - [`area`]: rectangles of cells, merged ones and those with a name
//! - [`cells`]: cells column by column, never as a rectangle; [`texts`], [`cell_error`]: what is in them
//! - [`number_format`], [`serial`]: what a number in a cell means
//! - [`layout`]: where the table is, blank edges left out; [`header`]: titles, header rows; `names`:
//!   the names they give
//! - [`family`], [`typed`], [`columns`]: one type for each column, decided on all its cells; [`shown`]: a
//!   cell as text
//! - [`account`]: what there is to say about the cells
//! - [`write`](mod@write): tables as the sheets of a new xlsx workbook

mod account;
mod all;
mod archive;
mod area;
mod cell_error;
mod cells;
mod columns;
mod family;
mod header;
mod layout;
mod names;
mod number_format;
mod ods;
mod open;
mod part;
mod serial;
mod sheets;
mod shown;
mod texts;
mod typed;
mod write;
mod xls;
mod xlsb;
mod xlsx;

#[cfg(test)]
mod tests;

use open::Book;
use part::Part;
use sheets::SheetInfo;

use crate::control::Control;
use crate::error::{Error, ErrorKind, Place, Result};
use crate::format::{Format, Loaded, ReadOptions, SheetChoice};
use crate::source::Source;
use crate::table::Table;

pub use write::names::USUAL as USUAL_SHEET;
pub use write::write;

/// Reads the chosen part of a workbook, else its first visible sheet; or all sheets.
///
/// # Errors
/// [`ErrorKind::Sheet`] for a part that is not there (lists what there is),
/// [`ErrorKind::Format`] for an encrypted or broken file or an empty sheet.
pub fn read(
    format: Format,
    source: Source,
    options: &ReadOptions,
    control: &Control,
) -> Result<Loaded> {
    let mut book = open::open(format, source.read(control)?, control)?;
    let list = book.sheets();
    if options.sheet == SheetChoice::All {
        return all::read(&mut *book, &list, options, control).map(Loaded::Sheets);
    }
    let part = part::choose(&list, || book.named(), &options.sheet)?;
    let table = part_table(&mut *book, &list, &part, options, control)?;
    let mut table = table.ok_or_else(|| {
        let name = &list[part.sheet].name;
        sheets::empty(&list).at(Place::default().sheet(name))
    })?;
    let others = sheets::others(&list, part.sheet, |name| book.size(name));
    table.notes.extend(others);
    Ok(Loaded::Table(table))
}

/// What can be chosen of a workbook: its sheets with cells, then its tables and named areas. No sheet is read.
///
/// # Errors
/// [`ErrorKind::Format`] for an encrypted or broken file.
pub fn names(format: Format, source: Source, control: &Control) -> Result<Vec<String>> {
    let mut book = open::open(format, source.read(control)?, control)?;
    let sheets = book.sheets().into_iter();
    let sheets = sheets.filter(|sheet| sheet.instead.is_none());
    let mut names: Vec<String> = sheets.map(|sheet| sheet.name).collect();
    names.extend(book.named().into_iter().map(|named| named.name));
    Ok(names)
}

/// A part of a workbook as a table; `None` when there is not a cell in its sheet.
fn part_table(
    book: &mut dyn Book,
    list: &[SheetInfo],
    part: &Part,
    options: &ReadOptions,
    control: &Control,
) -> Result<Option<Table>> {
    let name = &list[part.sheet].name;
    let mut table = || {
        let mut cells = book.cells(name, control)?;
        if let Some(area) = part.area {
            let around = cells.area();
            cells = cells.within(area);
            if let (Some(around), None) = (around, cells.area()) {
                return Err(nothing_in(area, around));
            }
        }
        let header = layout::HeaderChoice::of(options.header, part.area.is_some());
        if let (Some(area), layout::HeaderChoice::Row(row)) = (part.area, header)
            && !(area.first.0..=area.last.0).contains(&row)
        {
            return Err(header_outside(area, row));
        }
        let merged = book.merged(name);
        match layout::layout(&cells, &merged, header)? {
            None => Ok(None),
            Some(layout) => {
                let (types, text) = (&options.types, options.text);
                columns::table(&cells, &layout, types, text, control).map(Some)
            }
        }
    };
    let table = table().map_err(|error| error.at(Place::default().sheet(name)))?;
    Ok(table.map(|mut table| {
        table.origin.part = Some(part.words.clone());
        let fact = ("sheets", sheets::fact(list, part.sheet));
        table.explanation.facts.push(fact);
        table
    }))
}

/// The error for a header row (from 0) that is not in the range.
fn header_outside(area: area::Area, row: u32) -> Error {
    let row = u64::from(row) + 1;
    let message = format!("expected a header inside of {area}, found row {row}");
    Error::new(ErrorKind::Argument, message)
        .hint("the header is a row of the sheet, counted from 1; 0 is for no header")
}

/// The error for a range without cells in a sheet that has some.
fn nothing_in(area: area::Area, around: area::Area) -> Error {
    let message = format!("expected cells in {area}, found none");
    Error::new(ErrorKind::Sheet, message).hint(format!("the cells of the sheet are in {around}"))
}
