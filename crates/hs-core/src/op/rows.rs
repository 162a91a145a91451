//! Rows of a table by their positions, as operations that pick rows give them: a frame may be in a library of its own,
//! where they are taken. Takes no rows; where all of them stay in their order it says so instead of listing them.

use polars::prelude::{IdxCa, NewChunkedArray, PlSmallStr, Series};
use rayon::prelude::*;

use crate::error::{Error, ErrorKind, Result};

/// The position of a row that the table has nothing for.
pub const NO_ROW: u32 = u32::MAX;
/// Rows that are looked at side by side.
const STEP: usize = 1 << 16;

/// Some rows of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rows {
    /// All rows as they are.
    All,
    /// These.
    These {
        /// Positions from 0; [`NO_ROW`] where the table has nothing.
        rows: Vec<u32>,
        /// Whether there are such.
        gaps: bool,
    },
}

impl Rows {
    /// The rows at these positions of a table of `height` rows.
    pub fn of(rows: Vec<u32>, height: usize) -> Self {
        let gaps = rows.par_chunks(STEP).any(|rows| rows.contains(&NO_ROW));
        let all = || rows.iter().zip(0u32..).all(|(row, place)| *row == place);
        if !gaps && rows.len() == height && all() {
            return Self::All;
        }
        Self::These { rows, gaps }
    }

    /// Some of these rows, `length` from `offset` on.
    #[must_use]
    pub fn slice(&self, offset: usize, length: usize) -> Self {
        match self {
            // Positions are below 2^32.
            Self::All => Self::These {
                rows: (offset as u32..(offset + length) as u32).collect(),
                gaps: false,
            },
            Self::These { rows, gaps } => {
                let rows = rows[offset..offset + length].to_vec();
                let gaps = *gaps && rows.contains(&NO_ROW);
                Self::These { rows, gaps }
            }
        }
    }

    /// The positions as numpy takes them: -1 where there is no row; `None` for all rows.
    pub fn signed(&self) -> Option<Vec<i64>> {
        let Self::These { rows, .. } = self else {
            return None;
        };
        // -1 as u32 is the position of no row.
        Some(
            rows.par_iter()
                .map(|row| i64::from(row.cast_signed()))
                .collect(),
        )
    }

    /// The positions as polars and Arrow take them: null where there is no row; `None` for all rows.
    pub fn nullable(&self) -> Option<IdxCa> {
        match self {
            Self::All => None,
            Self::These { rows, gaps: false } => Some(IdxCa::from_slice(PlSmallStr::EMPTY, rows)),
            Self::These { rows, gaps: true } => {
                let rows = rows.iter().map(|row| (*row != NO_ROW).then_some(*row));
                Some(IdxCa::from_iter_options(PlSmallStr::EMPTY, rows))
            }
        }
    }
}

/// The values of these rows, as [`Rows::nullable`] gives them; all as they are for `None`.
///
/// # Errors
/// [`ErrorKind::Internal`] for rows that the column does not have.
pub fn taken(series: &Series, rows: Option<&IdxCa>) -> Result<Series> {
    match rows {
        None => Ok(series.clone()),
        // polars does not take from nothing.
        Some(rows) if series.is_empty() => Ok(Series::full_null(
            series.name().clone(),
            rows.len(),
            series.dtype(),
        )),
        Some(rows) => series.take(rows).map_err(|error| {
            let message = "rows that the table does not have";
            Error::new(ErrorKind::Internal, message).because(error)
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use polars::prelude::NamedFrom;

    #[test]
    fn all_rows_in_order_are_not_listed() {
        assert_eq!(Rows::of(vec![0, 1, 2], 3), Rows::All);
        for (rows, height) in [(vec![0, 1], 3), (vec![0, 2, 1], 3), (vec![0, NO_ROW], 2)] {
            assert_ne!(Rows::of(rows, height), Rows::All);
        }
        let rows = Rows::of(vec![2, NO_ROW, 0], 3);
        assert_eq!(rows.signed(), Some(vec![2, -1, 0]));
        let nullable = rows.nullable().unwrap();
        assert_eq!(
            nullable.iter().collect::<Vec<_>>(),
            [Some(2), None, Some(0)]
        );
    }

    #[test]
    fn rows_of_nothing_are_missing() -> Result<()> {
        let none = IdxCa::from_iter_options(PlSmallStr::EMPTY, [None, None].into_iter());
        let empty = Series::new("x".into(), Vec::<i64>::new());
        assert_eq!(taken(&empty, Some(&none))?.null_count(), 2);
        let some = Series::new("x".into(), [7i64]);
        assert_eq!(taken(&some, Some(&none))?.null_count(), 2);
        Ok(())
    }
}
