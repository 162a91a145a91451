//! How many rows repeat an earlier row, exactly: rows are compared by the numbers of their values,
//! never by a hash alone.

use super::group::Groups;
use crate::control::Control;
use crate::error::Result;
use crate::op::keyed::distinct;

/// The number of rows that are equal, in every column, to a row above them.
///
/// Each row is folded into one number, column by column: as the digits of a number whose bases are
/// the columns' counts of values. When the next digit would not fit into 64 bits, the rows so far
/// are renumbered by what they are; as soon as all of them differ, no row can be a duplicate.
///
/// # Errors
/// [`crate::ErrorKind::Interrupted`] on a stop request.
pub fn duplicate_rows(columns: &[&Groups], height: usize, control: &Control) -> Result<usize> {
    let mut columns: Vec<&Groups> = columns.to_vec();
    columns.sort_by_key(|groups| std::cmp::Reverse(groups.distinct()));
    let unique =
        |groups: &&Groups| groups.distinct() + usize::from(groups.missing() == 1) == height;
    if columns.is_empty() || columns.iter().any(unique) {
        return Ok(0);
    }
    let mut rows: Vec<u64> = vec![0; height];
    let mut used: u64 = 1;
    for groups in columns {
        control.check()?;
        let base = groups.distinct() as u64 + 1;
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
        for (row, key) in rows.iter_mut().zip(&groups.values.keys) {
            // A missing value, which has no number, is 0.
            *row = *row * base + u64::from(key.wrapping_add(1));
        }
    }
    Ok(height - distinct(rows, control)?.first.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::op::keyed::Side;

    /// A column of these values, 0 missing.
    fn column(values: Vec<u32>) -> Groups {
        let distinct = values.iter().max().copied().unwrap_or(0) as usize;
        Groups {
            values: Side {
                missing: values.iter().filter(|value| **value == 0).count() as u32,
                count: vec![0; distinct],
                keys: values
                    .into_iter()
                    .map(|value| value.wrapping_sub(1))
                    .collect(),
                ..Side::default()
            },
            ..Groups::default()
        }
    }

    fn count(columns: &[Groups], height: usize) -> usize {
        let columns: Vec<&Groups> = columns.iter().collect();
        duplicate_rows(&columns, height, &Control::default()).unwrap()
    }

    #[test]
    fn missing_equals_missing_and_only_whole_rows_count() {
        let columns = [column(vec![1, 0, 1, 0, 2]), column(vec![1, 0, 1, 0, 1])];
        assert_eq!(count(&columns, 5), 2);
        assert_eq!(count(&[], 5), 0);
        assert_eq!(count(&[column(vec![0, 0, 0])], 3), 2);
    }

    #[test]
    fn many_wide_columns_overflow_without_a_false_duplicate() {
        // 40 columns of 1000 values each: far past 64 bits. Rows differ only in the last column,
        // except for the last row, which repeats row 0.
        let height = 1001;
        let mut columns: Vec<Groups> = (0..40)
            .map(|_| column((0..height).map(|row| row / 2 % 500 + 1).collect()))
            .collect();
        columns.push(column((0..height).map(|row| row % 2 + 1).collect()));
        assert_eq!(count(&columns, height as usize), 1);
    }
}
