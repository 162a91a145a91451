//! The cells of one sheet, column by column: memory for cells that are there, never for the
//! rectangle around them. It knows no file format and no column type.

use std::collections::{BTreeMap, HashMap};

use super::area::Area;
use super::number_format::Shape;
use crate::error::{Error, ErrorKind, Place, Result};

/// Rows that a sheet can have in any of the formats.
pub const ROWS: u32 = 1_048_576;
/// Columns that a sheet can have in any of the formats.
pub const COLUMNS: u32 = 16_384;

/// A point or length of time that a file gives as text, in microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// A wall clock, since 1970-01-01T00:00:00.
    Wall(i64),
    /// A time of day, since midnight.
    Clock(i64),
    /// A length of time.
    Length(i64),
}

/// An error value of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellError {
    /// `#NULL!`
    Null,
    /// `#DIV/0!`
    Div0,
    /// `#VALUE!`
    Value,
    /// `#REF!`
    Ref,
    /// `#NAME?`
    Name,
    /// `#NUM!`
    Num,
    /// `#N/A`
    NotAvailable,
    /// `#GETTING_DATA`
    GettingData,
}

impl CellError {
    /// As the sheet shows it.
    pub fn text(self) -> &'static str {
        match self {
            Self::Null => "#NULL!",
            Self::Div0 => "#DIV/0!",
            Self::Value => "#VALUE!",
            Self::Ref => "#REF!",
            Self::Name => "#NAME?",
            Self::Num => "#NUM!",
            Self::NotAvailable => "#N/A",
            Self::GettingData => "#GETTING_DATA",
        }
    }
}

/// What is in a cell. 16 bytes: sheets have millions of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Content {
    /// Text, by its number in the sheet's texts.
    Text(u32),
    /// A number and what its format says it is.
    Number(f64, Shape),
    /// True or false.
    Bool(bool),
    /// A time that the file gives as ISO text.
    Moment(Moment),
    /// An error value.
    Error(CellError),
    /// A formula that the file has no value for.
    Formula,
}

/// The cells of one column in row order.
#[derive(Clone, Debug, Default)]
pub struct ColumnCells {
    rows: Vec<u32>,
    contents: Vec<Content>,
}

impl ColumnCells {
    /// The cells from row `first` (from 0) on: row and content.
    pub fn from(&self, first: u32) -> impl Iterator<Item = (u32, Content)> + Clone + '_ {
        let start = self.rows.partition_point(|row| *row < first);
        self.rows[start..]
            .iter()
            .copied()
            .zip(self.contents[start..].iter().copied())
    }

    /// The cell in a row (from 0).
    pub fn at(&self, row: u32) -> Option<Content> {
        let index = self.rows.binary_search(&row).ok()?;
        self.contents.get(index).copied()
    }
}

/// The cells of one sheet.
#[derive(Debug, Default)]
pub struct Cells {
    columns: BTreeMap<u32, ColumnCells>,
    texts: Vec<Box<str>>,
    /// Numbers of texts that many cells share, by where they lie in memory.
    shared: HashMap<(usize, usize), u32>,
    /// The workbook counts days from 1904.
    pub system_1904: bool,
    /// Cells that the file had twice; the later one counts.
    pub repeated: u64,
}

impl Cells {
    /// No cells yet.
    pub fn new(system_1904: bool) -> Self {
        Self {
            system_1904,
            ..Self::default()
        }
    }

    /// Adds a cell; row and column count from 0.
    ///
    /// # Errors
    /// [`ErrorKind::Format`] for a place outside of any sheet.
    pub fn push(&mut self, row: u32, column: u32, content: Content) -> Result<()> {
        if row >= ROWS || column >= COLUMNS {
            let message = format!(
                "expected a cell within {ROWS} rows and {COLUMNS} columns, found one in row {}, column {}",
                u64::from(row) + 1,
                u64::from(column) + 1
            );
            return Err(Error::new(ErrorKind::Format, message)
                .hint("the file is broken; open and save it again in the program that wrote it"));
        }
        let cells = self.columns.entry(column).or_default();
        cells.rows.push(row);
        cells.contents.push(content);
        Ok(())
    }

    /// Keeps a text and gives its content.
    pub fn text(&mut self, text: impl Into<Box<str>>) -> Content {
        let number = self.texts.len() as u32;
        self.texts.push(text.into());
        Content::Text(number)
    }

    /// Keeps a text that other cells may share. The caller keeps `text` where it is until all cells are in.
    pub fn shared_text(&mut self, text: &str) -> Content {
        let key = (text.as_ptr() as usize, text.len());
        let texts = &mut self.texts;
        let number = *self.shared.entry(key).or_insert_with(|| {
            texts.push(text.into());
            (texts.len() - 1) as u32
        });
        Content::Text(number)
    }

    /// Puts the cells of each column in row order; of cells with one place the last stays.
    #[must_use]
    pub fn finish(mut self) -> Self {
        self.shared = HashMap::new();
        for cells in self.columns.values_mut() {
            if cells.rows.is_sorted_by(|left, right| left < right) {
                continue;
            }
            let mut sorted: BTreeMap<u32, Content> = BTreeMap::new();
            for (row, content) in cells.rows.iter().zip(&cells.contents) {
                // A formula without a value is pushed last and must not hide a value.
                if *content == Content::Formula {
                    sorted.entry(*row).or_insert(*content);
                } else if sorted.insert(*row, *content).is_some() {
                    self.repeated += 1;
                }
            }
            (cells.rows, cells.contents) = sorted.into_iter().unzip();
        }
        self
    }

    /// The columns that have cells: position (from 0) and cells, in order.
    pub fn columns(&self) -> impl DoubleEndedIterator<Item = (u32, &ColumnCells)> {
        self.columns
            .iter()
            .map(|(position, cells)| (*position, cells))
    }

    /// The cell in a row and column (from 0).
    pub fn at(&self, row: u32, column: u32) -> Option<Content> {
        self.columns.get(&column)?.at(row)
    }

    /// Leaves out all cells that are not in the area.
    #[must_use]
    pub fn within(mut self, area: Area) -> Self {
        let (rows, columns) = (area.first.0..=area.last.0, area.first.1..=area.last.1);
        self.columns.retain(|column, _| columns.contains(column));
        for cells in self.columns.values_mut() {
            let end = cells.rows.partition_point(|row| row <= rows.end());
            cells.rows.truncate(end);
            cells.contents.truncate(end);
            let start = cells.rows.partition_point(|row| row < rows.start());
            cells.rows.drain(..start);
            cells.contents.drain(..start);
        }
        self.columns.retain(|_, cells| !cells.rows.is_empty());
        self
    }

    /// The smallest area that holds all cells that are not blank.
    pub fn area(&self) -> Option<Area> {
        let filled = |(column, cells): (u32, &ColumnCells)| {
            let mut rows = cells
                .from(0)
                .filter(|(_, content)| !self.is_blank(*content));
            let first = rows.next()?.0;
            let last = rows.last().map_or(first, |(row, _)| row);
            Some((first, column, last))
        };
        self.columns()
            .filter_map(filled)
            .fold(None, |area, (top, column, bottom)| {
                let Area { first, last } = area.unwrap_or(Area {
                    first: (top, column),
                    last: (bottom, column),
                });
                Some(Area {
                    first: (first.0.min(top), first.1),
                    last: (last.0.max(bottom), column),
                })
            })
    }

    /// The text of a content of this sheet.
    pub fn text_of(&self, number: u32) -> &str {
        self.texts.get(number as usize).map_or("", |text| text)
    }

    /// True for what looks like nothing: the empty text that formulas such as `=""` leave.
    pub fn is_blank(&self, content: Content) -> bool {
        matches!(content, Content::Text(number) if self.text_of(number).is_empty())
    }
}

/// The address of a cell as the sheet shows it, such as `C3`; row and column count from 0.
pub fn address(row: u32, column: u32) -> String {
    format!("{}{}", letters(column), u64::from(row) + 1)
}

/// The letters of a column, from 0.
pub fn letters(column: u32) -> String {
    let mut rest = u64::from(column) + 1;
    let mut reversed = Vec::new();
    while rest > 0 {
        rest -= 1;
        reversed.push(char::from(b'A' + (rest % 26) as u8));
        rest /= 26;
    }
    reversed.iter().rev().collect()
}

/// The place of a cell, for notes; row and column count from 0.
pub fn place(row: u32, column: u32) -> Place {
    Place::default()
        .row(u64::from(row) + 1)
        .column(letters(column))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_those_of_the_sheet() {
        assert_eq!(address(0, 0), "A1");
        assert_eq!(address(9, 25), "Z10");
        assert_eq!(address(0, 26), "AA1");
        assert_eq!(address(ROWS - 1, COLUMNS - 1), "XFD1048576");
    }

    #[test]
    fn the_later_of_two_cells_counts_and_is_told() -> Result<()> {
        let mut cells = Cells::new(false);
        for (row, flag) in [(3, true), (1, true), (3, false)] {
            cells.push(row, 0, Content::Bool(flag))?;
        }
        cells.push(1, 0, Content::Formula)?;
        let cells = cells.finish();
        let all: Vec<_> = cells
            .columns()
            .flat_map(|(_, cells)| cells.from(0))
            .collect();
        assert_eq!(all, [(1, Content::Bool(true)), (3, Content::Bool(false))]);
        assert_eq!(cells.repeated, 1);
        Ok(())
    }

    #[test]
    fn an_area_leaves_out_the_cells_around_it() -> Result<()> {
        let mut cells = Cells::new(false);
        for row in 0..5 {
            for column in 0..5 {
                cells.push(row, column, Content::Bool(true))?;
            }
        }
        let blank = cells.text("");
        cells.push(9, 9, blank)?;
        let cells = cells.finish();
        let whole = Area {
            first: (0, 0),
            last: (4, 4),
        };
        assert_eq!(cells.area(), Some(whole));
        let area = Area {
            first: (1, 2),
            last: (3, 9),
        };
        let cells = cells.within(area);
        let inside = Area {
            first: (1, 2),
            last: (3, 4),
        };
        assert_eq!(cells.area(), Some(inside));
        assert_eq!(cells.at(0, 2), None);
        assert_eq!(cells.at(1, 2), Some(Content::Bool(true)));
        assert_eq!(Cells::new(false).area(), None);
        Ok(())
    }

    #[test]
    fn a_cell_outside_of_any_sheet_is_refused() {
        let mut cells = Cells::new(false);
        assert!(cells.push(ROWS, 0, Content::Bool(true)).is_err());
        assert!(cells.push(0, COLUMNS, Content::Bool(true)).is_err());
    }
}
