//! Which rows have the same key: the values of one or more columns, of one table or of two, get numbers.
//!
//! What joins, compare, combien and decris stand on. Keys are compared by value, never by a hash alone, and no
//! value goes through another type that cannot hold it. Which values are equal is a function of the values alone
//! (`form`), not of the types that hold them. It builds no frame and decides nothing.

mod common;
mod digits;
mod family;
pub mod form;
mod json;
mod number;
mod text;
mod words;

pub(super) use common::{common, comparable, has_no_value, objects_hint, word, written};
pub(super) use family::Family;

use polars::prelude::{Column, Series};
use rayon::prelude::*;

use crate::control::Control;
use crate::error::{Error, ErrorKind, Result};
use crate::table::ColumnInfo;
use number::{Numbered, Words};
use words::Rows;

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

/// Numbers the keys of a table.
///
/// `-0.0` and `0.0` are one value, NaN is missing, nested and mixed values are the same when their forms are.
///
/// # Errors
/// [`ErrorKind::Interrupted`] on a stop request; [`ErrorKind::Argument`] for more rows than numbers.
pub fn one(parts: &[Part<'_>], missing: Missing, control: &Control) -> Result<Side> {
    let stored = parts
        .iter()
        .map(|part| Ok(vec![common::stored(*part, control)?]));
    let columns = stored.collect::<Result<Vec<Vec<Series>>>>()?;
    let (numbered, incomplete) = keys(&columns, missing, control)?;
    let height = numbered.keys.len();
    Ok(side(&numbered, 0..height, &incomplete))
}

/// Numbers the keys of two tables, column by column of the same value whatever their widths and units are.
///
/// # Errors
/// As [`one`]; [`ErrorKind::Internal`] for columns whose values are never equal: [`common`] says which are not.
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

/// Numbers the values of one column, missing ones not; and the rows of the smallest and the largest value.
///
/// # Errors
/// As [`one`].
pub(super) fn values(part: Part<'_>, control: &Control) -> Result<(Side, Option<(u32, u32)>)> {
    let stored = [common::stored(part, control)?];
    let rows = Rows::of(&stored);
    let numbered = rows.numbered(Missing::Never, control)?;
    let extremes = rows.extremes(&numbered, control)?;
    let height = numbered.keys.len();
    Ok((side(&numbered, 0..height, &[]), extremes))
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
            Some(keys) => pairs(&keys, &next, control)?,
        });
    }
    if columns.len() > 1 {
        incomplete.sort_unstable();
        incomplete.dedup();
    }
    Ok((keys.unwrap_or_default(), incomplete))
}

/// Numbers the pairs of numbers of two columns.
fn pairs(left: &Numbered, right: &Numbered, control: &Control) -> Result<Numbered> {
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
    let words = Words {
        values: values.collect(),
        missing: if some { missing } else { Vec::new() },
    };
    number::numbered(&words, Missing::Never, control)
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
