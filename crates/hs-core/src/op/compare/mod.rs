//! compare: what differs between two tables whose rows are told apart by a key.
//!
//! Keys say which rows belong together; then each column of both is compared by value. Nothing depends on
//! the order of rows or columns.

mod account;
mod columns;
mod differ;
mod result;
mod texts;
mod tolerance;

use polars::prelude::{Column, DataType};
use rayon::prelude::*;

use crate::control::Control;
use crate::error::{Error, ErrorKind, Result};
use crate::note::{Note, Topic};
use crate::op::joins;
use crate::op::keyed::{self, Missing, NONE, Part};
use crate::op::montre::cell;
use crate::op::named;
use crate::op::rows::Rows;
use crate::op::taken::taken;
use crate::table::{ColumnInfo, Kind, Table};
use crate::text;
use columns::Columns;
use differ::{Marks, Pairs};
pub use tolerance::Tolerance;

/// How to compare.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CompareOptions {
    /// Numbers are the same when they differ by no more than this (plus what `rtol` allows).
    pub tol: Option<Tolerance>,
    /// The same, as a share of the value in b.
    pub rtol: Option<Tolerance>,
    /// Columns that are left out.
    pub ignore: Vec<String>,
    /// The columns to compare; all when `None`.
    pub only: Option<Vec<String>>,
}

/// What differs.
#[derive(Debug)]
pub struct Compared {
    /// A row for each row that differs or is only on one side: `state`, the keys, `changed` (names of the
    /// columns that differ), then `<column>_a` and `<column>_b` for each column with a difference. The
    /// first note is the account of the whole comparison.
    pub table: Table,
    /// False when both have the same rows and columns with the same values.
    pub differs: bool,
    /// The rows of a and of b that stand in the rows of the result.
    pub rows: [Rows; 2],
    /// How many rows only b has; they come last.
    pub only_b: usize,
    /// Positions of the keys in a and in b.
    pub keys: [Vec<usize>; 2],
    /// Positions in a and in b of the columns with a difference, in the order of the result.
    pub columns: Vec<[usize; 2]>,
}

/// Compares two tables row by row, by the columns `key`.
///
/// Values are the same when they are equal whatever their widths and units are (1 and 1.0, ms and us);
/// a missing value (null, NaN) equals a missing one and nothing else, in keys too. Text never equals a
/// number or a date.
///
/// # Errors
/// [`ErrorKind::Column`] for a column that is not there; [`ErrorKind::Argument`] for a key that several
/// rows of a table have, and for options that make no sense; [`ErrorKind::Type`] for keys or tolerances
/// whose columns have the wrong types; [`ErrorKind::Interrupted`] on a stop request.
pub fn compare(
    a: &Table,
    b: &Table,
    key: &[String],
    options: &CompareOptions,
    control: &Control,
) -> Result<Compared> {
    let keys = [positions(a, "a", key)?, positions(b, "b", key)?];
    let columns = Columns::of([a, b], &keys, options, control)?;
    let owned = [key_columns(a, &keys[0]), key_columns(b, &keys[1])];
    let parts = [parts(&owned[0]), parts(&owned[1])];
    refuse_types(&parts)?;
    let keyed = keyed::two(&parts[0], &parts[1], Missing::Value, control)?;
    refuse_duplicates(key, [a, b], &keys, &[&keyed.left, &keyed.right])?;
    let pairs = Pairs::of(&keyed);
    let marks: Vec<Differing> = columns
        .both
        .par_iter()
        .map(|column| {
            let sides = [
                a.compared(column.positions[0]),
                b.compared(column.positions[1]),
            ];
            let exactly = differ::differing(sides, &pairs, control)?;
            match &column.tolerance {
                Some(tolerance) => {
                    let beyond = tolerance.beyond(sides, &exactly, &pairs, control)?;
                    Ok(Differing {
                        marks: beyond,
                        exactly: Some(exactly),
                    })
                }
                None => Ok(Differing {
                    marks: exactly,
                    exactly: None,
                }),
            }
        })
        .collect::<Result<_>>()?;
    let only_b: Vec<u32> = (0u32..)
        .zip(&keyed.right.keys)
        .filter(|(_, key)| keyed.left.first[**key as usize] == NONE)
        .map(|(row, _)| row)
        .collect();
    let found = Found {
        pairs,
        marks,
        only_b,
    };
    let shown = |table, keys: &[usize]| keys.iter().map(|key| part(table, *key)).collect();
    let shown: [Vec<Part<'_>>; 2] = [shown(a, &keys[0]), shown(b, &keys[1])];
    let near = joins::near((&shown[0], &keyed.left), (&shown[1], &keyed.right), control)?;
    let mut compared = result::result([a, b], keys, &columns, &found, options, control)?;
    if let Some(text) = near {
        // Right behind the account, which counts these rows as being on one side only.
        let place = compared.table.notes.len().min(1);
        compared
            .table
            .notes
            .insert(place, Note::new(Topic::Result, text));
    }
    Ok(compared)
}

/// Where one column differs.
struct Differing {
    /// Rows of a that differ from theirs in b.
    marks: Marks,
    /// Those that differ at all, where a tolerance makes them more.
    exactly: Option<Marks>,
}

/// What was found, before it is put into words and a table.
struct Found {
    pairs: Pairs,
    /// For each column of both.
    marks: Vec<Differing>,
    /// Rows of b that a does not have, in order.
    only_b: Vec<u32>,
}

/// A column as it is shown and given; [`Table::compared`] is what is compared.
fn part(table: &Table, position: usize) -> Part<'_> {
    (
        &table.columns()[position],
        &table.frame().columns()[position],
    )
}

/// The columns of a key. One without a single value has no type that could differ from the other side's: an
/// empty frame, or a pandas category of nothing, which is stored as floats.
fn key_columns(table: &Table, positions: &[usize]) -> Vec<(ColumnInfo, Column)> {
    let column = |position: &usize| {
        let (info, column) = table.compared(*position);
        if !keyed::has_no_value(column) {
            return (info.clone(), column.clone());
        }
        let info = ColumnInfo {
            kind: Kind::Empty,
            ..info.clone()
        };
        let nothing = Column::full_null(column.name().clone(), column.len(), &DataType::Null);
        (info, nothing)
    };
    positions.iter().map(column).collect()
}

fn parts(columns: &[(ColumnInfo, Column)]) -> Vec<Part<'_>> {
    columns
        .iter()
        .map(|(info, column)| (info, column))
        .collect()
}

/// What a side is called in errors: its letter, and its file where it has one.
fn side_name(table: &Table, letter: &str) -> String {
    match table.origin.name.as_str() {
        "" => letter.to_owned(),
        name => format!("{letter} ({name})"),
    }
}

fn positions(table: &Table, letter: &str, key: &[String]) -> Result<Vec<usize>> {
    let infos = table.columns().iter();
    let names: Vec<&str> = infos.map(|info| info.name.as_str()).collect();
    named::columns(&names, key, "key").map_err(|error| error.in_source(&side_name(table, letter)))
}

/// Refuses keys whose values can never be equal.
fn refuse_types(parts: &[Vec<Part<'_>>; 2]) -> Result<()> {
    for (left, right) in parts[0].iter().zip(&parts[1]) {
        if keyed::comparable(*left, *right) {
            continue;
        }
        return Err(joins::type_clash(*left, *right));
    }
    Ok(())
}

/// Refuses a key that several rows of one side have: there is no telling which of them belongs to which.
fn refuse_duplicates(
    key: &[String],
    tables: [&Table; 2],
    keys: &[Vec<usize>; 2],
    sides: &[&keyed::Side; 2],
) -> Result<()> {
    const SHOWN: usize = 3;
    let mut told: Vec<String> = Vec::new();
    for (number, side) in sides.iter().enumerate() {
        let repeated = || (0..side.count.len()).filter(|key| side.count[*key] > 1);
        let count = repeated().count();
        if count == 0 {
            continue;
        }
        let shown: Vec<String> = repeated()
            .take(SHOWN)
            .map(|key| {
                let rows = text::counted(u64::from(side.count[key]), "row");
                Ok(format!(
                    "{} ({rows})",
                    shown(tables[number], &keys[number], side.first[key])?
                ))
            })
            .collect::<Result<_>>()?;
        told.push(format!(
            "{}: {} of {} {} more than one row: {}{}",
            side_name(tables[number], ["a", "b"][number]),
            text::counted(count as u64, "value"),
            key.join(", "),
            if count == 1 { "has" } else { "have" },
            shown.join(", "),
            if count > SHOWN { ", ..." } else { "" },
        ));
    }
    if told.is_empty() {
        return Ok(());
    }
    let message = format!(
        "expected a key that tells all rows apart, found {}",
        told.join("; ")
    );
    Err(Error::new(ErrorKind::Argument, message)
        .hint("name more columns in the key, or find out first why there are several"))
}

/// The key of a row, as an error shows it.
fn shown(table: &Table, keys: &[usize], row: u32) -> Result<String> {
    const WIDTH: usize = 40;
    let values: Vec<String> = keys
        .iter()
        .map(|key| {
            let part = part(table, *key);
            let value = taken(part, &[row])?;
            let value = value.get(0).unwrap_or_default();
            Ok(cell::typed(&value, part.0.kind, WIDTH))
        })
        .collect::<Result<_>>()?;
    Ok(match values.as_slice() {
        [value] => value.clone(),
        values => format!("({})", values.join(", ")),
    })
}

#[cfg(test)]
mod tests;
