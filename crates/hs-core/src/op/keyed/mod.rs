//! Which rows have the same key: the values of one or more columns, of one table or of two, get numbers.
//!
//! What joins, compare, combien and decris stand on. Keys are compared by value, never by a hash alone, and no
//! value goes through another type that cannot hold it. It builds no frame and decides nothing.

mod common;
mod digits;
mod number;
mod pieces;
mod text;

pub(super) use common::common;

use polars::prelude::{Column, Series};

use crate::control::Control;
use crate::error::{Error, ErrorKind, Result};
use crate::table::ColumnInfo;
use number::{Numbered, combined, numbered};

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
/// `-0.0` and `0.0` are one value, NaN is missing, nested and mixed values are the same when their JSON text is.
///
/// # Errors
/// [`ErrorKind::Interrupted`] on a stop request; [`ErrorKind::Argument`] for more rows than numbers.
pub fn one(parts: &[Part<'_>], missing: Missing, control: &Control) -> Result<Side> {
    let stored = parts
        .iter()
        .map(|part| Ok(vec![common::stored(*part, control)?]));
    let columns = stored.collect::<Result<Vec<Vec<Series>>>>()?;
    let height = parts.first().map_or(0, |(_, column)| column.len());
    let (numbered, incomplete) = keys(&columns, missing, height, control)?;
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
    let height = |parts: &[Part<'_>]| parts.first().map_or(0, |(_, column)| column.len());
    let (middle, end) = (height(left), height(left) + height(right));
    let (numbered, incomplete) = keys(&columns, missing, end, control)?;
    Ok(Keyed {
        left: side(&numbered, 0..middle, &incomplete),
        right: side(&numbered, middle..end, &incomplete),
    })
}

/// Numbers the values of one column.
pub(super) fn values(part: Part<'_>, control: &Control) -> Result<(Side, Option<(u32, u32)>)> {
    let stored = [common::stored(part, control)?];
    let height = part.1.len();
    let numbered = numbered(&stored, Missing::Never, height, control)?;
    let side = side(&numbered, 0..height, &[]);
    Ok((side, numbered.extremes))
}

/// The numbers of the keys of all rows, one table's behind the other's, and the rows with a missing part
/// where those have a number too.
fn keys(
    columns: &[Vec<Series>],
    missing: Missing,
    height: usize,
    control: &Control,
) -> Result<(Numbered, Vec<u32>)> {
    let mut all = Vec::with_capacity(columns.len());
    let mut incomplete: Vec<u32> = Vec::new();
    for column in columns {
        let numbered = numbered(column, missing, height, control)?;
        if let Some(missing) = numbered.missing {
            let rows = numbered.keys.iter().zip(0u32..);
            incomplete.extend(rows.filter(|(key, _)| **key == missing).map(|(_, row)| row));
        }
        all.push(numbered);
    }
    if columns.len() > 1 {
        incomplete.sort_unstable();
        incomplete.dedup();
    }
    let mut all = all.into_iter();
    let Some(mut keys) = all.next() else {
        return Ok((Numbered::default(), incomplete));
    };
    for next in all {
        keys = combined(&keys, &next, control)?;
    }
    Ok((keys, incomplete))
}

fn side(numbered: &Numbered, rows: std::ops::Range<usize>, incomplete: &[u32]) -> Side {
    let start = rows.start as u32;
    let end = rows.end as u32;
    let keys = numbered.keys.get(rows).unwrap_or_default().to_vec();
    let distinct = numbered.distinct as usize;
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
