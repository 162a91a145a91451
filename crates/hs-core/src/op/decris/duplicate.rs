//! How many rows repeat an earlier row, exactly: rows are compared by the numbers of their values,
//! never by a hash alone.

use std::cmp::Reverse;

use rayon::prelude::*;

use crate::control::Control;
use crate::error::Result;
use crate::op::keyed::{self, Part, distinct};

/// The values of a column.
#[derive(Clone, Copy, Debug)]
pub struct Values<'a> {
    /// The column.
    pub part: Part<'a>,
    /// How many distinct values it has, missing not counted.
    pub distinct: usize,
    /// How many of its rows are missing.
    pub missing: usize,
}

impl Values<'_> {
    /// True when no two rows have one value.
    fn differ(&self, height: usize) -> bool {
        self.distinct + usize::from(self.missing == 1) == height
    }

    /// True when all rows have one value.
    fn agree(&self) -> bool {
        self.distinct + usize::from(self.missing > 0) <= 1
    }
}

/// The number of rows that are equal, in every column, to a row above them.
///
/// Each row is folded into one number, column by column: as the digits of a number whose bases are
/// the columns' counts of values. Columns that say nothing are left out. When the next digit would not fit into 64 bits, the rows so far
/// are renumbered by what they are; as soon as all of them differ, no row can be a duplicate.
///
/// # Errors
/// [`crate::ErrorKind::Interrupted`] on a stop request.
pub fn duplicate_rows(
    mut columns: Vec<Values<'_>>,
    height: usize,
    control: &Control,
) -> Result<usize> {
    if columns.is_empty() || columns.iter().any(|column| column.differ(height)) {
        return Ok(0);
    }
    columns.retain(|column| !column.agree());
    columns.sort_by_key(|column| Reverse(column.distinct));
    let mut rows: Vec<u64> = vec![0; height];
    let mut used: u64 = 1;
    // The numbers of few columns at a time, since most tables need no more.
    for columns in columns.chunks(rayon::current_num_threads()) {
        let numbers = columns
            .par_iter()
            .map(|column| keyed::numbers(column.part, control));
        let numbers: Vec<Vec<u32>> = numbers.collect::<Result<_>>()?;
        for (column, numbers) in columns.iter().zip(numbers) {
            control.check()?;
            let base = column.distinct as u64 + 1;
            let fits = used.checked_mul(base);
            used = if let Some(product) = fits {
                product
            } else {
                let numbered = distinct(rows, control)?;
                let different = numbered.first.len();
                if different == height {
                    return Ok(0);
                }
                rows = numbered.keys.into_iter().map(u64::from).collect();
                // Both are at most 2^32, so the product fits.
                different as u64 * base
            };
            for (row, number) in rows.iter_mut().zip(numbers) {
                // A missing value, which has no number, is 0.
                *row = *row * base + u64::from(number.wrapping_add(1));
            }
        }
    }
    Ok(height.saturating_sub(distinct(rows, control)?.first.len()))
}

#[cfg(test)]
mod tests {
    use polars::prelude::{Column, NamedFrom, Series};

    use super::*;
    use crate::table::{ColumnInfo, Kind};

    fn count(columns: &[Vec<u32>], height: usize) -> usize {
        let info = ColumnInfo {
            name: "x".to_owned(),
            kind: Kind::Int,
        };
        let stored: Vec<Column> = columns
            .iter()
            .map(|values| {
                // 0 is missing.
                let values = values.iter().map(|value| (*value > 0).then_some(*value));
                Series::new("x".into(), values.collect::<Vec<_>>()).into()
            })
            .collect();
        let values = columns.iter().zip(&stored).map(|(values, column)| {
            let distinct: std::collections::HashSet<_> =
                values.iter().filter(|value| **value > 0).collect();
            Values {
                part: (&info, column),
                distinct: distinct.len(),
                missing: column.null_count(),
            }
        });
        duplicate_rows(values.collect(), height, &Control::default()).unwrap()
    }

    #[test]
    fn missing_equals_missing_and_only_whole_rows_count() {
        let columns = [vec![1, 0, 1, 0, 2], vec![1, 0, 1, 0, 1]];
        assert_eq!(count(&columns, 5), 2);
        assert_eq!(count(&[], 5), 0);
        assert_eq!(count(&[vec![0, 0, 0]], 3), 2);
        assert_eq!(count(&[vec![0, 5, 0], vec![1, 1, 1]], 3), 1);
    }

    #[test]
    fn many_wide_columns_overflow_without_a_false_duplicate() {
        // 40 columns of 500 values each: far past 64 bits. Rows differ only in the last column,
        // except for the last row, which repeats row 0.
        let height = 1001;
        let mut columns: Vec<Vec<u32>> = (0..40)
            .map(|_| (0..height).map(|row| row / 2 % 500 + 1).collect())
            .collect();
        columns.push((0..height).map(|row| row % 2 + 1).collect());
        assert_eq!(count(&columns, height as usize), 1);
    }
}
