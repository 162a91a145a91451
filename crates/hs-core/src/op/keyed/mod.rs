//! Which rows have the same key: the values of one or more columns, of one table or of two, get numbers.
//!
//! What joins, compare, combien and decris stand on. Keys are compared by value, never by a hash alone, and no
//! value goes through another type that cannot hold it. Which values are equal is a function of the values alone
//! (`form`), not of the types that hold them. It builds no frame and decides nothing.

mod common;
mod counted;
mod digits;
mod family;
mod fixed;
pub mod form;
mod json;
mod number;
mod places;
mod scatter;
mod source;
mod text;
mod words;

pub(super) use common::{common, comparable, has_no_value, objects_hint, word, written};
pub(super) use counted::Counts;
pub(super) use family::Family;

use polars::prelude::{Column, Series};
use rayon::prelude::*;

use crate::control::Control;
use crate::error::{Error, ErrorKind, Result};
use crate::op::rows;
use crate::table::ColumnInfo;
use counted::Counted;
use number::{Numbered, Words};
use words::{Rows, numberable};

/// One column of a key.
pub type Part<'a> = (&'a ColumnInfo, &'a Column);

/// The number of a row without a key, and the row of a key that is not there.
pub const NONE: u32 = u32::MAX;

/// What a missing value (null, NaN) in a key is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// A value like any other, equal to itself.
    Value,
    /// No value: its row has no key.
    Never,
}

/// The keys of one table.
#[derive(Debug, Default)]
pub struct Side {
    /// For every row the number of its key, from 0; [`NONE`] when it has none.
    pub keys: Vec<u32>,
    /// For every key how many rows of this table have it.
    pub count: Vec<u32>,
    /// For every key the first row of this table that has it; [`NONE`] when none has.
    pub first: Vec<u32>,
    /// How many rows have a missing value in their key.
    pub missing: u32,
}

/// The keys of two tables under the same numbers, in the order in which they first appear, the left table first.
#[derive(Debug, Default)]
pub struct Keyed {
    /// The left table.
    pub left: Side,
    /// The right table.
    pub right: Side,
}

/// Numbers the keys of two tables, column by column of the same value whatever their widths and units are.
///
/// `-0.0` and `0.0` are one value, NaN is missing, nested and mixed values are the same when their forms are.
///
/// # Errors
/// [`ErrorKind::Interrupted`] on a stop request; [`ErrorKind::Argument`] for more rows than numbers;
/// [`ErrorKind::Internal`] for columns whose values are never equal: [`common`] says which are not.
pub fn two(
    left: &[Part<'_>],
    right: &[Part<'_>],
    missing: Missing,
    control: &Control,
) -> Result<Keyed> {
    let pairs = left.iter().zip(right).map(|(left, right)| {
        let pair = common(*left, *right, control)?;
        let (left, right) = pair.ok_or_else(|| {
            Error::new(
                ErrorKind::Internal,
                "keys of types that have no value in common",
            )
        })?;
        Ok(vec![left, right])
    });
    let columns = pairs.collect::<Result<Vec<Vec<Series>>>>()?;
    let (numbered, incomplete) = keys(&columns, missing, control)?;
    let middle = left.first().map_or(0, |(_, column)| column.len());
    let end = numbered.keys.len();
    Ok(Keyed {
        left: side(&numbered, 0..middle, &incomplete),
        right: side(&numbered, middle..end, &incomplete),
    })
}

/// Counts the rows of each combination of values; a missing value is one like any other.
///
/// # Errors
/// As [`two`].
pub(super) fn counts(parts: &[Part<'_>], control: &Control) -> Result<Counts> {
    let stored = parts.iter().map(|part| common::stored(*part, control));
    let stored: Vec<Series> = stored.collect::<Result<_>>()?;
    let columns = stored.iter().map(read).collect::<Result<Vec<_>>>()?;
    let height = stored.first().map_or(0, |column| column.len());
    numberable(height)?;
    if let [column] = &*columns
        && let Some(counts) = column.by_position(control)?
    {
        return Ok(counts);
    }
    if let Some(stretches) = counted::few(&columns, height, control)? {
        return together(&stored, &stretches, control);
    }
    if let [column] = &*columns {
        return column.by_parts(control);
    }
    let Some((last, others)) = stored.split_last() else {
        return Ok(Counts::default());
    };
    let others: Vec<Vec<Series>> = others.iter().map(|column| vec![column.clone()]).collect();
    let (others, _) = keys(&others, Missing::Value, control)?;
    let last = Rows::of(std::slice::from_ref(last)).numbered(Missing::Value, control)?;
    let pairs = counted::Column::of(pairs(&others, &last));
    match pairs.by_position(control)? {
        Some(counts) => Ok(counts),
        None => pairs.by_parts(control),
    }
}

/// For every row the number of its value, [`NONE`] for a missing one.
///
/// # Errors
/// As [`two`].
pub(super) fn numbers(part: Part<'_>, control: &Control) -> Result<Vec<u32>> {
    let stored = [common::stored(part, control)?];
    Ok(Rows::of(&stored).numbered(Missing::Never, control)?.keys)
}

fn read(stored: &Series) -> Result<Box<dyn Counted + '_>> {
    counted::of(stored).ok_or_else(|| words::stored_otherwise(stored.dtype()))
}

/// The groups of all rows from those of stretches of them, by what the first row of each holds.
fn together(stored: &[Series], stretches: &[Counts], control: &Control) -> Result<Counts> {
    let first = stretches.iter().flat_map(|groups| &groups.first);
    let first: Vec<u32> = first.copied().collect();
    let heads = stored.iter().map(|column| {
        let rows = rows::Rows::of(first.clone(), column.len());
        Ok(vec![rows::taken(column, rows.nullable().as_ref())?])
    });
    let heads: Vec<Vec<Series>> = heads.collect::<Result<_>>()?;
    let (numbered, _) = keys(&heads, Missing::Value, control)?;
    let ends = match &*heads {
        [head] => read(&head[0])?.ends(control)?,
        _ => None,
    };
    let row = |head: u32| first[head as usize];
    let mut groups = Counts {
        ends: ends.map(|(low, high)| (row(low), row(high))),
        first: numbered.first.iter().map(|head| row(*head)).collect(),
        count: vec![0; numbered.first.len()],
        missing: numbered.missing,
    };
    let count = stretches.iter().flat_map(|groups| &groups.count);
    for (key, count) in numbered.keys.iter().zip(count) {
        groups.count[*key as usize] += count;
    }
    Ok(groups)
}

/// How many of the rows differ, each given as one number.
///
/// # Errors
/// A stop request.
pub(super) fn distinct(rows: Vec<u64>, control: &Control) -> Result<Numbered> {
    let words = Words {
        values: rows,
        missing: Vec::new(),
    };
    number::numbered(&words, Missing::Never, control)
}

/// The numbers of the keys of all rows, one table's behind the other's, and the rows with a missing part
/// where those have a number too.
fn keys(
    columns: &[Vec<Series>],
    missing: Missing,
    control: &Control,
) -> Result<(Numbered, Vec<u32>)> {
    let mut keys: Option<Numbered> = None;
    let mut incomplete: Vec<u32> = Vec::new();
    for column in columns {
        let next = Rows::of(column).numbered(missing, control)?;
        if let Some(missing) = next.missing {
            let rows = next.keys.iter().zip(0u32..);
            incomplete.extend(rows.filter(|(key, _)| **key == missing).map(|(_, row)| row));
        }
        keys = Some(match keys {
            None => next,
            Some(keys) => number::numbered(&pairs(&keys, &next), Missing::Never, control)?,
        });
    }
    if columns.len() > 1 {
        incomplete.sort_unstable();
        incomplete.dedup();
    }
    Ok((keys.unwrap_or_default(), incomplete))
}

/// The pairs of the numbers of two columns, each as one word.
fn pairs(left: &Numbered, right: &Numbered) -> Words {
    // Numbers are below 2^32, so the product fits.
    let base = (right.first.len() as u64).max(1);
    let both = || left.keys.par_iter().zip(&right.keys);
    let values = both().map(|(left, right)| {
        let there = *left != NONE && *right != NONE;
        let pair = || u64::from(*left) * base + u64::from(*right);
        there.then(pair).unwrap_or_default()
    });
    let missing: Vec<bool> = both()
        .map(|(left, right)| *left == NONE || *right == NONE)
        .collect();
    let some = missing.par_iter().any(|missing| *missing);
    Words {
        values: values.collect(),
        missing: if some { missing } else { Vec::new() },
    }
}

fn side(numbered: &Numbered, rows: std::ops::Range<usize>, incomplete: &[u32]) -> Side {
    let start = rows.start as u32;
    let end = rows.end as u32;
    let keys = numbered.keys.get(rows).unwrap_or_default().to_vec();
    let distinct = numbered.first.len();
    let mut count = vec![0u32; distinct];
    let mut first = vec![NONE; distinct];
    let mut without = 0;
    for (row, key) in keys.iter().enumerate() {
        let Some(count) = count.get_mut(*key as usize) else {
            without += 1;
            continue;
        };
        *count += 1;
        if *count == 1 {
            first[*key as usize] = row as u32;
        }
    }
    let inside = incomplete.partition_point(|row| *row < end)
        - incomplete.partition_point(|row| *row < start);
    Side {
        keys,
        count,
        first,
        missing: without + inside as u32,
    }
}

#[cfg(test)]
mod tests;
