//! Where the table lies in a sheet: titles above it, its header row, blank rows and columns around
//! it. It decides by what is in the cells, never by a declared size or by styles.
//!
//! Merged headers of several rows are not joined yet: only the row that looks like a header names
//! the columns.

use super::cells::{Cells, letters};
use super::header::{below_titles, name_columns, title_note};
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

/// Finds the table. `header` is the header's row from 1, 0 for none; without it the first row that
/// looks like a header is it. `None` when the sheet is empty.
///
/// # Errors
/// [`ErrorKind::Format`] when the sheet is so sparse that its table would not fit into memory,
/// [`ErrorKind::Argument`] when the header row is below all cells.
pub fn layout(cells: &Cells, header: Option<usize>) -> Result<Option<Layout>> {
    let filled = filled_rows(cells);
    let Some(top) = filled.iter().position(|count| *count > 0) else {
        return Ok(None);
    };
    let end = filled.len();
    let mut notes = Vec::new();
    let header = match header {
        Some(0) => None,
        Some(row) if row > end => {
            let message =
                format!("expected a header in row {row}, found the last cell in row {end}");
            return Err(Error::new(ErrorKind::Argument, message)
                .hint("the header is a row of the sheet, counted from 1; 0 is for no header"));
        }
        Some(row) => Some(row - 1),
        None => {
            let row = below_titles(cells, &filled, top);
            notes.extend(title_note(cells, top, row));
            Some(row)
        }
    };
    let first = header.map_or(top, |row| row + 1) as u32;
    let table_top = header.unwrap_or(top) as u32;
    let (used, blank) = used_columns(cells, table_top);
    if !blank.is_empty() {
        notes.push(blank_note(&blank));
    }
    let columns = name_columns(cells, header.map(|row| row as u32), used, &mut notes);
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
mod tests {
    use super::super::cells::Content;
    use super::super::number_format::Shape;
    use super::*;

    /// Cells from rows of words: numbers are numbers, `.` is a place without a cell, `""` an empty text.
    fn sheet(rows: &[&str]) -> Cells {
        let mut cells = Cells::new(false);
        for (row, words) in rows.iter().enumerate() {
            for (column, word) in words.split_whitespace().enumerate() {
                let content = match word {
                    "." => continue,
                    "\"\"" => cells.text(""),
                    word => match word.parse() {
                        Ok(number) => Content::Number(number, Shape::Plain),
                        Err(_) => cells.text(word),
                    },
                };
                cells
                    .push(row as u32, column as u32, content)
                    .expect("inside a sheet");
            }
        }
        cells.finish()
    }

    fn found(cells: &Cells, header: Option<usize>) -> Layout {
        let layout = layout(cells, header).expect("no error");
        layout.expect("a table")
    }

    fn names(layout: &Layout) -> Vec<&str> {
        layout
            .columns
            .iter()
            .map(|(_, name)| name.as_str())
            .collect()
    }

    #[test]
    fn blank_edges_are_no_part_of_the_table() {
        let cells = sheet(&[
            ". .",
            ". a b .",
            ". 1 2 \"\"",
            ". . .",
            ". 3 . .",
            ". \"\" .",
        ]);
        let layout = found(&cells, None);
        assert_eq!(names(&layout), ["a", "b"]);
        assert_eq!((layout.first, layout.height), (2, 3));
        assert_eq!(layout.position(2), Some(0));
        assert_eq!(layout.position(4), Some(2));
        assert_eq!(layout.position(5), None);
        assert!(layout.notes.is_empty());
    }

    #[test]
    fn a_title_is_skipped_and_told() {
        let layout = found(&sheet(&["Report", ".", "a b", "1 2"]), None);
        assert_eq!(names(&layout), ["a", "b"]);
        assert_eq!(
            layout.notes[0].text,
            "skipped 2 rows above the header in row 3 (A1 \"Report\")"
        );
    }

    #[test]
    fn a_lone_name_above_data_is_a_header_not_a_title() {
        let one = found(&sheet(&[". x", "a 1", "b 2"]), None);
        assert_eq!(names(&one), ["column_1", "x"]);
        assert_eq!(one.notes[0].text, "named 1 column: blank -> \"column_1\"");
        let single = found(&sheet(&["x", "1", "2"]), None);
        assert_eq!((names(&single), single.height), (vec!["x"], 2));
    }

    #[test]
    fn the_header_can_be_given() {
        let rows = ["a b", "c d", "1 2"];
        assert_eq!(names(&found(&sheet(&rows), Some(2))), ["c", "d"]);
        let none = found(&sheet(&rows), Some(0));
        assert_eq!(
            (names(&none), none.height),
            (vec!["column_1", "column_2"], 3)
        );
        let far = layout(&sheet(&rows), Some(9)).expect_err("below the cells");
        assert_eq!(far.kind(), ErrorKind::Argument);
    }

    #[test]
    fn names_are_unique_and_years_are_names() {
        let layout = found(&sheet(&["t", "a 2024 a", "1 2 3"]), None);
        assert_eq!(names(&layout), ["a", "2024", "a.1"]);
    }

    #[test]
    fn a_far_off_cell_costs_no_rectangle() {
        let mut cells = sheet(&["a b", "1 2"]);
        let far = Content::Bool(true);
        cells
            .push(super::super::cells::ROWS - 1, 16_383, far)
            .expect("the last cell");
        for column in 100..140 {
            cells.push(5, column, far).expect("inside a sheet");
        }
        let layout = found(&cells.finish(), None);
        assert_eq!((layout.height, layout.columns.len()), (3, 43));
        assert_eq!(layout.position(super::super::cells::ROWS - 1), Some(2));
        assert!(
            layout
                .notes
                .iter()
                .any(|note| note.text.contains("blank row"))
        );
    }

    #[test]
    fn an_empty_sheet_has_no_table() {
        assert!(layout(&sheet(&[]), None).expect("no error").is_none());
        assert!(layout(&sheet(&["\"\""]), None).expect("no error").is_none());
    }
}
