//! Where the table lies in a sheet: titles above it, its header row, blank rows and columns around
//! it. It decides by what is in the cells, never by a declared size or by styles.

use super::area::Area;
use super::cells::{Cells, letters};
use super::header::{Head, HeaderRows};
use super::names::{name_columns, title_note};
use crate::error::{Error, ErrorKind, Place, Result};
use crate::note::{Note, Topic};
use crate::text;

/// Below so many cells in the rectangle nobody minds blank ones.
const SMALL: u64 = 20_000_000;
/// A rectangle with more places than this for each cell is sparse.
const SPARSE: u64 = 100;

/// The rows of a table.
#[derive(Debug, PartialEq, Eq)]
enum Rows {
    /// All from `first` (from 0) on.
    From(u32),
    /// Only these.
    Listed(Vec<u32>),
}

/// A table's place in its sheet.
#[derive(Debug)]
pub struct Layout {
    rows: Rows,
    /// First row below the header, from 0.
    pub first: u32,
    /// Rows of the table.
    pub height: usize,
    /// Columns of the table: position in the sheet (from 0) and unique name.
    pub columns: Vec<(u32, String)>,
    /// What there is to say about it.
    pub notes: Vec<Note>,
}

impl Layout {
    /// The table's row (from 0) that holds a row of the sheet.
    pub fn position(&self, row: u32) -> Option<usize> {
        match &self.rows {
            Rows::From(first) => row.checked_sub(*first).map(|index| index as usize),
            Rows::Listed(rows) => rows.binary_search(&row).ok(),
        }
        .filter(|index| *index < self.height)
    }
}

/// Where the header is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeaderChoice {
    /// In the first row that looks like one, perhaps below titles.
    Found,
    /// In the first row: the user said where the table begins.
    First,
    /// In this row, from 0.
    Row(u32),
    /// There is none.
    None,
}

impl HeaderChoice {
    /// From the option of the user: a row from 1, 0 for none. Without it the header is looked for,
    /// or, in a range, expected in its first row.
    pub fn of(given: Option<usize>, in_range: bool) -> Self {
        match given {
            None if in_range => Self::First,
            None => Self::Found,
            Some(0) => Self::None,
            Some(row) => Self::Row(u32::try_from(row - 1).unwrap_or(u32::MAX)),
        }
    }
}

/// Finds the table; `merged` are the merged areas of the sheet. `None` when the sheet is empty.
///
/// # Errors
/// [`ErrorKind::Format`] when the sheet is so sparse that its table would not fit into memory,
/// [`ErrorKind::Argument`] when the header row is below all cells.
pub fn layout(cells: &Cells, merged: &[Area], header: HeaderChoice) -> Result<Option<Layout>> {
    let filled = filled_rows(cells);
    let Some(top) = filled.iter().position(|count| *count > 0) else {
        return Ok(None);
    };
    let end = filled.len();
    let mut notes = Vec::new();
    let head = Head::new(cells, &filled, merged, top);
    let header = match header {
        HeaderChoice::None => None,
        HeaderChoice::Row(row) if row as usize >= end => {
            let message = format!(
                "expected a header in row {}, found the last cell in row {end}",
                u64::from(row) + 1
            );
            return Err(Error::new(ErrorKind::Argument, message)
                .hint("the header is a row of the sheet, counted from 1; 0 is for no header"));
        }
        HeaderChoice::Row(row) => Some(HeaderRows::single(row)),
        HeaderChoice::First => Some(head.block(top as u32)),
        HeaderChoice::Found => {
            let found = head.find();
            notes.extend(title_note(&head, found));
            Some(found)
        }
    };
    let first = header.map_or(top as u32, |header| header.last + 1);
    let table_top = header.map_or(top as u32, |header| header.first);
    let (used, blank) = used_columns(cells, table_top);
    if !blank.is_empty() {
        notes.push(blank_note(&blank));
    }
    let columns = name_columns(&head, header, used, &mut notes);
    let (rows, height) = rows(cells, &filled, first, columns.len(), &mut notes)?;
    if cells.repeated > 0 {
        let cells_twice = text::counted(cells.repeated, "cell");
        let line = format!("{cells_twice} twice in the file, the later value counts");
        notes.push(Note::new(Topic::Rows, line).counted(cells.repeated, Place::default()));
    }
    Ok(Some(Layout {
        rows,
        first,
        height,
        columns,
        notes,
    }))
}

/// How many cells with something in them each row has, up to the last such row.
fn filled_rows(cells: &Cells) -> Vec<u32> {
    let mut filled: Vec<u32> = Vec::new();
    for (_, column) in cells.columns() {
        for (row, content) in column.from(0) {
            if cells.is_blank(content) {
                continue;
            }
            let row = row as usize;
            if filled.len() <= row {
                filled.resize(row + 1, 0);
            }
            filled[row] += 1;
        }
    }
    filled
}

/// The columns that have something from row `top` on, and the blank ones between them.
fn used_columns(cells: &Cells, top: u32) -> (Vec<u32>, Vec<u32>) {
    let used: Vec<u32> = cells
        .columns()
        .filter(|(_, column)| {
            column
                .from(top)
                .any(|(_, content)| !cells.is_blank(content))
        })
        .map(|(position, _)| position)
        .collect();
    let blank = used
        .windows(2)
        .flat_map(|pair| pair[0] + 1..pair[1])
        .collect();
    (used, blank)
}

fn blank_note(blank: &[u32]) -> Note {
    const SHOWN: usize = 5;
    let shown: Vec<String> = blank
        .iter()
        .take(SHOWN)
        .map(|column| letters(*column))
        .collect();
    let more = if blank.len() > SHOWN { ", ..." } else { "" };
    let columns = text::counted(blank.len() as u64, "blank column");
    let line = format!(
        "left out {columns} inside the table ({}{more})",
        shown.join(", ")
    );
    Note::new(Topic::Names, line).counted(blank.len() as u64, Place::default().column(&shown[0]))
}

/// The rows of the table. Blank rows inside stay rows, except in a sheet so sparse that its blank
/// places would take the memory (a stray value in the last row of the sheet).
fn rows(
    cells: &Cells,
    filled: &[u32],
    first: u32,
    width: usize,
    notes: &mut Vec<Note>,
) -> Result<(Rows, usize)> {
    let below = filled.get(first as usize..).unwrap_or_default();
    let count: u64 = below.iter().map(|count| u64::from(*count)).sum();
    let sparse = |height: usize| {
        let places = height as u64 * width as u64;
        places > SMALL && places / SPARSE > count
    };
    if !sparse(below.len()) {
        return Ok((Rows::From(first), below.len()));
    }
    let listed: Vec<u32> = (first..)
        .zip(below)
        .filter(|(_, count)| **count > 0)
        .map(|(row, _)| row)
        .collect();
    if sparse(listed.len()) {
        let message = format!(
            "expected a table, found {} spread over {} rows and {} columns",
            text::counted(count, "cell"),
            text::count(listed.len() as u64),
            text::count(width as u64)
        );
        let last = cells
            .columns()
            .next_back()
            .map_or(0, |(position, _)| position);
        return Err(Error::new(ErrorKind::Format, message)
            .at(Place::default().column(letters(last)))
            .hint("delete the stray cells, or save the part you need as a sheet of its own"));
    }
    let blank = (below.len() - listed.len()) as u64;
    let line = format!(
        "left out {} between far-off cells",
        text::counted(blank, "blank row")
    );
    notes.push(Note::new(Topic::Rows, line).counted(blank, Place::default()));
    let height = listed.len();
    Ok((Rows::Listed(listed), height))
}

#[cfg(test)]
#[path = "layout_tests.rs"]
mod tests;
