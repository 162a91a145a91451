//! The cells of one sheet, column by column: memory for cells that are there, never for the
//! rectangle around them. It knows no file format and no column type.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::Arc;

use super::area::Area;
pub use super::cell_error::CellError;
use super::number_format::Shape;
use super::texts::Texts;
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
    /// The row of the first cell.
    first: u32,
    /// The row of each cell; nothing while each cell is right below the one before.
    rows: Vec<u32>,
    contents: Vec<Content>,
}

impl ColumnCells {
    /// True when there is room for another cell, made where it is needed.
    #[inline]
    fn has_room(&mut self) -> bool {
        self.contents.len() < self.contents.capacity()
            || self.contents.try_reserve(1).is_ok()
                && (self.rows.is_empty() || self.rows.try_reserve(1).is_ok())
    }

    #[inline]
    fn push(&mut self, row: u32, content: Content) {
        let count = self.contents.len();
        if self.rows.is_empty() {
            if count == 0 {
                self.first = row;
            } else if u64::from(row) != u64::from(self.first) + count as u64 {
                self.rows.reserve(count + 1);
                self.rows.extend((self.first..).take(count));
                self.rows.push(row);
            }
        } else {
            self.rows.push(row);
        }
        self.contents.push(content);
    }

    /// The row of the cell with an index.
    #[inline]
    fn row(&self, index: usize) -> u32 {
        match self.rows.get(index) {
            Some(row) => *row,
            None => self.first + index as u32,
        }
    }

    /// The index of the first cell in this row or below it.
    fn index(&self, row: u32) -> usize {
        if self.rows.is_empty() {
            let above = row.saturating_sub(self.first) as usize;
            above.min(self.contents.len())
        } else {
            self.rows.partition_point(|other| *other < row)
        }
    }

    /// The cells from row `first` (from 0) on: row and content.
    pub fn from(&self, first: u32) -> impl Iterator<Item = (u32, Content)> + Clone + '_ {
        let start = self.index(first);
        let contents = self.contents[start..].iter();
        (start..)
            .zip(contents)
            .map(|(index, content)| (self.row(index), *content))
    }

    /// The cell in a row (from 0).
    pub fn at(&self, row: u32) -> Option<Content> {
        let index = if self.rows.is_empty() {
            row.checked_sub(self.first)? as usize
        } else {
            self.rows.binary_search(&row).ok()?
        };
        self.contents.get(index).copied()
    }

    /// Leaves out the cells in other rows than these.
    fn cut(&mut self, rows: &RangeInclusive<u32>) {
        let start = self.index(*rows.start());
        let end = self.index(rows.end().saturating_add(1));
        self.first = self.row(start);
        if !self.rows.is_empty() {
            self.rows.truncate(end);
            self.rows.drain(..start.min(end));
        }
        self.contents.truncate(end);
        self.contents.drain(..start.min(end));
    }

    /// Puts the cells in row order; of cells in one row the last stays. Says how many went.
    fn finish(&mut self) -> u64 {
        if self.rows.is_sorted_by(|left, right| left < right) {
            return 0;
        }
        let mut repeated = 0;
        let mut sorted: BTreeMap<u32, Content> = BTreeMap::new();
        for (row, content) in self.rows.iter().zip(&self.contents) {
            // A formula without a value must not hide a value.
            if *content == Content::Formula {
                sorted.entry(*row).or_insert(*content);
            } else if sorted.insert(*row, *content).is_some() {
                repeated += 1;
            }
        }
        (self.rows, self.contents) = sorted.into_iter().unzip();
        repeated
    }
}

/// The bit in the number of a text that is this sheet's own, not shared with other sheets.
const OWN: u32 = super::texts::MOST + 1;

/// The cells of one sheet.
#[derive(Debug, Default)]
pub struct Cells {
    /// Position (from 0) and cells of each column, in order once they are finished.
    columns: Vec<(u32, ColumnCells)>,
    /// For each position where in `columns` the column is, from 1; 0 for columns without cells.
    slots: Vec<u32>,
    /// Texts that sheets share, by the numbers that the file gives them.
    shared: Arc<Texts>,
    texts: Texts,
    /// A text that could not be kept.
    fault: Option<Error>,
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

    /// With the texts that [`Content::Text`] means where the number is that of a shared text.
    #[must_use]
    pub fn sharing(mut self, texts: Arc<Texts>) -> Self {
        self.shared = texts;
        self
    }

    /// Adds a cell; row and column count from 0.
    ///
    /// # Errors
    /// [`ErrorKind::Format`] for a place outside of any sheet, [`ErrorKind::Io`] when memory runs out.
    #[inline]
    pub fn push(&mut self, row: u32, column: u32, content: Content) -> Result<()> {
        if row >= ROWS || column >= COLUMNS || self.fault.is_some() {
            return Err(self.refused(row, column));
        }
        let slot = self.slots.get(column as usize).copied().unwrap_or(0);
        let cells = match self.columns.get_mut((slot as usize).wrapping_sub(1)) {
            Some((_, cells)) => cells,
            None => self.column(column),
        };
        if !cells.has_room() {
            return Err(Error::new(
                ErrorKind::Io,
                "the sheet does not fit into memory",
            ));
        }
        cells.push(row, content);
        Ok(())
    }

    /// A new column.
    #[cold]
    fn column(&mut self, position: u32) -> &mut ColumnCells {
        let index = position as usize;
        if self.slots.len() <= index {
            self.slots.resize(index + 1, 0);
        }
        self.slots[index] = self.columns.len() as u32 + 1;
        self.columns.push((position, ColumnCells::default()));
        let last = self.columns.len() - 1;
        &mut self.columns[last].1
    }

    #[cold]
    fn refused(&mut self, row: u32, column: u32) -> Error {
        if let Some(fault) = self.fault.take() {
            return fault;
        }
        let message = format!(
            "expected a cell within {ROWS} rows and {COLUMNS} columns, found one in row {}, column {}",
            u64::from(row) + 1,
            u64::from(column) + 1
        );
        Error::new(ErrorKind::Format, message)
            .hint("the file is broken; open and save it again in the program that wrote it")
    }

    /// Keeps a text and gives its content.
    pub fn text(&mut self, text: impl AsRef<str>) -> Content {
        match self.texts.push(text.as_ref()) {
            Ok(number) => Content::Text(number | OWN),
            Err(error) => {
                // The cell that is to hold it is pushed next, and refused.
                self.fault = Some(error);
                Content::Text(OWN)
            }
        }
    }

    /// The content of a cell with a shared text, by the text's number; `None` when there is no such text.
    pub fn shared(&self, number: u32) -> Option<Content> {
        let there = (number as usize) < self.shared.count();
        there.then_some(Content::Text(number))
    }

    /// Puts the cells of each column in row order; of cells with one place the last stays.
    #[must_use]
    pub fn finish(mut self) -> Self {
        self.columns.sort_unstable_by_key(|(position, _)| *position);
        for (_, cells) in &mut self.columns {
            self.repeated += cells.finish();
        }
        self.number_columns();
        self
    }

    /// Says anew where each column is.
    fn number_columns(&mut self) {
        self.slots.fill(0);
        for (slot, (position, _)) in (1..).zip(&self.columns) {
            self.slots[*position as usize] = slot;
        }
    }

    /// The columns that have cells: position (from 0) and cells, in order.
    pub fn columns(&self) -> impl DoubleEndedIterator<Item = (u32, &ColumnCells)> {
        self.columns
            .iter()
            .map(|(position, cells)| (*position, cells))
    }

    /// The cell in a row and column (from 0).
    pub fn at(&self, row: u32, column: u32) -> Option<Content> {
        let position = |(position, _): &(u32, ColumnCells)| *position;
        let index = self.columns.binary_search_by_key(&column, position).ok()?;
        self.columns.get(index)?.1.at(row)
    }

    /// Leaves out all cells that are not in the area.
    #[must_use]
    pub fn within(mut self, area: Area) -> Self {
        let (rows, columns) = (area.first.0..=area.last.0, area.first.1..=area.last.1);
        self.columns.retain_mut(|(position, cells)| {
            columns.contains(position) && {
                cells.cut(&rows);
                !cells.contents.is_empty()
            }
        });
        self.number_columns();
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
    #[inline]
    pub fn text_of(&self, number: u32) -> &str {
        match number & OWN {
            0 => self.shared.get(number),
            _ => self.texts.get(number & !OWN),
        }
    }

    /// True for what looks like nothing: the empty text that formulas such as `=""` leave.
    #[inline]
    pub fn is_blank(&self, content: Content) -> bool {
        match content {
            Content::Text(number) if number & OWN == 0 => self.shared.is_blank(number),
            Content::Text(number) => self.texts.is_blank(number & !OWN),
            _ => false,
        }
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
    fn cells_that_are_finished_take_more() -> Result<()> {
        let mut cells = Cells::new(false);
        for column in [7, 3] {
            cells.push(4, column, Content::Bool(true))?;
        }
        let mut cells = cells.finish();
        for (row, column) in [(5, 3), (2, 7), (0, 5)] {
            cells.push(row, column, Content::Bool(false))?;
        }
        let cells = cells.finish();
        let places: Vec<(u32, u32)> = cells
            .columns()
            .flat_map(|(column, cells)| cells.from(0).map(move |(row, _)| (row, column)))
            .collect();
        assert_eq!(places, [(4, 3), (5, 3), (0, 5), (2, 7), (4, 7)]);
        let area = Area {
            first: (0, 4),
            last: (3, 7),
        };
        let mut cells = cells.within(area);
        cells.push(3, 7, Content::Bool(true))?;
        assert_eq!(cells.at(3, 7), Some(Content::Bool(true)));
        assert_eq!((cells.at(4, 7), cells.columns().count()), (None, 2));
        Ok(())
    }

    #[test]
    fn a_cell_outside_of_any_sheet_is_refused() {
        let mut cells = Cells::new(false);
        assert!(cells.push(ROWS, 0, Content::Bool(true)).is_err());
        assert!(cells.push(0, COLUMNS, Content::Bool(true)).is_err());
    }
}
