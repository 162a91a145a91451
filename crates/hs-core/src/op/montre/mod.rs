//! montre: a short, honest view of a table: head, tail, types, and what is hidden.
//!
//! A view is data; how it is laid out on a screen is not decided here.

pub mod cell;

use std::ops::Range;

use crate::table::{Kind, Table};

/// How wide a cell may get, in terminal cells; longer text is cut and its length told.
const CELL_WIDTH: usize = 48;
/// Rows that a view has at most, whatever is asked for: more than any screen shows.
const MOST_ROWS: usize = 4000;

/// How much to show.
#[derive(Clone, Copy, Debug)]
pub struct MontreOptions {
    /// Rows to show, half from the head and half from the tail.
    pub n: usize,
}

impl Default for MontreOptions {
    fn default() -> Self {
        Self { n: 40 }
    }
}

impl MontreOptions {
    /// Positions (from 0) of the rows of a table that are not shown; empty, at the end, when all are.
    pub fn hidden(self, height: usize) -> Range<usize> {
        if self.n >= height {
            return height..height;
        }
        self.n.div_ceil(2)..height - self.n / 2
    }
}

/// What there is to show of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// Rows of the whole table.
    pub rows: usize,
    /// Memory that the table takes, in bytes (estimated from its buffers).
    pub bytes: usize,
    /// True when it takes more, nobody knows how much.
    pub more: bool,
    /// The columns, all of them.
    pub fields: Vec<Field>,
    /// Positions (from 0) of the rows shown, in order: the head, then the tail.
    pub shown: Vec<usize>,
    /// Positions of the rows between head and tail that are not shown; empty when all are.
    pub hidden: Range<usize>,
}

/// One column of a view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// The name, as a cell.
    pub name: String,
    /// What the column holds, in the words of [`Kind::word`].
    pub word: &'static str,
    /// True for numbers, which line up on the right.
    pub number: bool,
    /// One cell for each row shown.
    pub cells: Vec<Cell>,
}

/// One value of a view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// The text to show: one line, cut if long; in quotes when it could be taken for another value.
    pub text: String,
    /// True when the value is missing (the text is then `null`, or `nan` for a float).
    pub missing: bool,
}

impl View {
    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.fields.len()
    }

    /// The same view with at most `n` rows.
    #[must_use]
    pub fn shrunk(&self, n: usize) -> Self {
        if n >= self.shown.len() {
            return self.clone();
        }
        let head = n.div_ceil(2);
        let tail = self.shown.len() - n / 2;
        let keep = |index: &usize| *index < head || *index >= tail;
        let pick = |field: &Field| Field {
            cells: (0..field.cells.len())
                .filter(keep)
                .map(|index| field.cells[index].clone())
                .collect(),
            ..field.clone()
        };
        let shown = (0..self.shown.len())
            .filter(keep)
            .map(|index| self.shown[index]);
        Self {
            fields: self.fields.iter().map(pick).collect(),
            shown: shown.collect(),
            hidden: head..self.rows - n / 2,
            ..*self
        }
    }
}

/// A table of which only the first and last rows are at hand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Whole {
    /// Rows of all of it.
    pub rows: usize,
    /// Memory of all of it, in bytes.
    pub bytes: usize,
    /// True when it takes more, nobody knows how much.
    pub more: bool,
    /// Columns of whose other rows not even the type is known.
    pub unknown: Vec<usize>,
}

/// The view of a table: its first and last rows.
pub fn montre(table: &Table, options: MontreOptions) -> View {
    let height = table.height();
    let n = options.n.min(MOST_ROWS);
    let hidden = MontreOptions { n }.hidden(height);
    let shown: Vec<usize> = (0..hidden.start).chain(hidden.end..height).collect();
    View {
        rows: height,
        bytes: table.frame().estimated_size(),
        more: false,
        fields: fields(table, &shown),
        hidden,
        shown,
    }
}

/// The view of a table of which `ends` has the first and last rows, one more of the first when their
/// number is odd.
pub fn montre_ends(ends: &Table, whole: &Whole) -> View {
    let height = ends.height();
    let hidden = MontreOptions { n: height }.hidden(whole.rows);
    let rows: Vec<usize> = (0..height).collect();
    let mut fields = fields(ends, &rows);
    for place in &whole.unknown {
        if let Some(field) = fields.get_mut(*place) {
            field.word = "object";
        }
    }
    View {
        rows: whole.rows,
        bytes: whole.bytes,
        more: whole.more,
        fields,
        shown: (0..hidden.start).chain(hidden.end..whole.rows).collect(),
        hidden,
    }
}

/// The columns, with the cells of these rows.
fn fields(table: &Table, rows: &[usize]) -> Vec<Field> {
    let fields = table.iter().map(|(info, column)| {
        let cells = rows.iter().map(|row| {
            let value = column.get(*row).unwrap_or_default();
            Cell {
                missing: value.is_null() || value.is_nan(),
                text: cell::typed(&value, info.kind, CELL_WIDTH),
            }
        });
        Field {
            name: cell::name(&info.name, CELL_WIDTH),
            word: info.kind.word(),
            number: matches!(info.kind, Kind::Int | Kind::Float | Kind::Decimal),
            cells: cells.collect(),
        }
    });
    fields.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use polars::prelude::{Column, DataFrame};

    fn table(height: i64) -> Table {
        let numbers: Vec<i64> = (0..height).collect();
        let frame = DataFrame::new(height as usize, vec![Column::new("x".into(), numbers)]);
        Table::new(frame.unwrap())
    }

    fn rows(view: &View) -> (Vec<&str>, Range<usize>) {
        let cells = view.fields[0].cells.iter();
        (
            cells.map(|cell| cell.text.as_str()).collect(),
            view.hidden.clone(),
        )
    }

    #[test]
    fn head_and_tail_and_the_range_between() {
        let view = montre(&table(100), MontreOptions { n: 5 });
        assert_eq!(rows(&view), (vec!["0", "1", "2", "98", "99"], 3..98));
        assert_eq!(view.shown, [0, 1, 2, 98, 99]);
        let less = view.shrunk(2);
        assert_eq!(rows(&less), (vec!["0", "99"], 1..99));
        assert_eq!(rows(&view.shrunk(0)), (vec![], 0..100));
    }

    #[test]
    fn ends_of_a_long_table_are_shown_as_those_of_all_of_it() {
        let long = table(100);
        let ends = [long.clone().slice(0, 3), long.clone().slice(98, 2)];
        let rows = ends[0].frame().vstack(ends[1].frame()).unwrap();
        let whole = Whole {
            rows: 100,
            bytes: long.frame().estimated_size(),
            more: false,
            unknown: vec![],
        };
        let view = montre_ends(&Table::new(rows), &whole);
        assert_eq!(view, montre(&long, MontreOptions { n: 5 }));
        let unknown = Whole {
            unknown: vec![0, 7],
            ..whole
        };
        assert_eq!(montre_ends(&table(5), &unknown).fields[0].word, "object");
    }

    #[test]
    fn nothing_is_hidden_when_all_fits() {
        let view = montre(&table(5), MontreOptions { n: 5 });
        assert!(view.hidden.is_empty());
        assert_eq!(rows(&view).0.len(), 5);
        assert_eq!(montre(&table(0), MontreOptions::default()).shown.len(), 0);
        assert_eq!(montre(&table(3), MontreOptions { n: 0 }).hidden, 0..3);
    }
}
