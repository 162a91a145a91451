//! The columns that folders are named after: `year=2024/month=01/part-0.parquet` holds the rows of a
//! year and a month, as Hive, Spark, pyarrow, polars and duckdb write them.
//!
//! Types follow the rules for codes: whole numbers when none has a leading zero, ISO days, else text.

use std::collections::BTreeMap;
use std::path::PathBuf;

use polars::prelude::{AnyValue, Column, DataType, IntoSeries, NamedFrom, PlSmallStr, Series};

use super::common_type::{in_parts, unexpected};
use crate::control::Control;
use crate::error::{Place, Result};
use crate::format::{Spot, Types, Wanted, in_wanted_types};
use crate::note::{Note, Topic};
use crate::source;
use crate::table::{ColumnInfo, Kind, Table};

/// A key with its value for each file.
struct Key {
    name: String,
    written: Vec<Option<String>>,
}

/// Adds the keys of the files' folders as columns, and says when one of them needs another name.
///
/// # Errors
/// [`crate::ErrorKind::Format`] for a key that does not fit the type that the user wants; a stop request.
pub fn add(
    tables: &mut [Table],
    files: &[PathBuf],
    types: &Types,
    columns: Option<&[String]>,
    control: &Control,
) -> Result<Vec<Note>> {
    let mut notes = Vec::new();
    for key in of_files(files) {
        control.check()?;
        let (kind, values) = key.typed(types, control)?;
        let clash = !tables
            .iter()
            .enumerate()
            .all(|(file, table)| key.agrees(file, table));
        let mut name = key.name.clone();
        while clash && tables.iter().any(|table| has(table, &name)) {
            name.push('_');
        }
        if clash {
            let text = format!(
                "the files have a column {:?} with other values: those of the folders are in {name:?}",
                key.name
            );
            notes
                .push(Note::new(Topic::Names, text).counted(1, Place::default().column(&key.name)));
        }
        if columns.is_some_and(|columns| !columns.contains(&name)) {
            continue;
        }
        for (file, table) in tables.iter_mut().enumerate() {
            if !has(table, &name) {
                let value = values.get(file).map_err(unexpected)?;
                add_constant(table, &name, kind, &value, values.dtype())?;
            }
        }
    }
    Ok(notes)
}

fn has(table: &Table, name: &str) -> bool {
    table.columns().iter().any(|info| info.name == name)
}

/// All keys, in the order in which they are first seen.
fn of_files(files: &[PathBuf]) -> Vec<Key> {
    let mut keys: Vec<Key> = Vec::new();
    for (file, path) in files.iter().enumerate() {
        for (name, value) in source::keys(path) {
            let known = match keys.iter().position(|key| key.name == name) {
                Some(known) => known,
                None => {
                    let written = vec![None; files.len()];
                    keys.push(Key { name, written });
                    keys.len() - 1
                }
            };
            keys[known].written[file] = value;
        }
    }
    keys
}

impl Key {
    /// The values, one for each file, in the type that they have together or that the user wants.
    fn typed(&self, types: &Types, control: &Control) -> Result<(Kind, Series)> {
        let texts = Series::new(PlSmallStr::EMPTY, &self.written);
        if self.written.iter().all(Option::is_none) && types.of(&self.name).is_none() {
            let none = Series::full_null(PlSmallStr::EMPTY, texts.len(), &DataType::Null);
            return Ok((Kind::Empty, none));
        }
        let turned = |wanted: Wanted| {
            let info = ColumnInfo {
                name: self.name.clone(),
                kind: Kind::Text,
            };
            let table = Table::from_columns(texts.len(), [(info, texts.clone().into())])?;
            let types = Types::Columns(BTreeMap::from([(self.name.clone(), wanted)]));
            let spot = |row: usize| Ok(Spot::Row(row as u64 + 1));
            let table = in_wanted_types(table, &types, &spot, control)?;
            let series = table.frame().columns()[0].as_materialized_series().clone();
            Ok((table.columns()[0].kind, series))
        };
        if let Some(wanted) = types.of(&self.name) {
            return turned(wanted.clone());
        }
        let all = |fits: fn(&str) -> bool| self.written.iter().flatten().all(|text| fits(text));
        let decided = match () {
            () if all(is_int) => Some("int"),
            () if all(is_day) => Some("date"),
            () => None,
        };
        // What only looks like a day, or does not fit 64 bits, stays text.
        let decided = decided.and_then(|word| turned(Wanted::parse(word).ok()?).ok());
        Ok(decided.unwrap_or((Kind::Text, texts)))
    }

    /// True when the file has no column of the name, or one with nothing but this value.
    fn agrees(&self, file: usize, table: &Table) -> bool {
        let mut columns = table.iter().filter(|(info, _)| info.name == self.name);
        let Some((_, column)) = columns.next() else {
            return true;
        };
        let series = column.as_materialized_series();
        let Some(wanted) = &self.written[file] else {
            return series.null_count() == series.len();
        };
        let number: Option<i128> = wanted.parse().ok();
        series.iter().all(|value| match value {
            AnyValue::String(text) => text == wanted,
            AnyValue::BinaryOwned(bytes) => bytes == wanted.as_bytes(),
            AnyValue::Binary(bytes) => bytes == wanted.as_bytes(),
            AnyValue::Date(_) => value.to_string() == *wanted,
            value if value.is_integer() => value.extract::<i128>() == number && number.is_some(),
            _ => false,
        })
    }
}

/// Digits without a zero in front.
fn is_int(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let plain = digits.bytes().all(|digit| digit.is_ascii_digit());
    plain && !digits.is_empty() && (digits == "0" || !digits.starts_with('0')) && text != "-0"
}

fn is_day(text: &str) -> bool {
    text.len() == 10
        && text.bytes().enumerate().all(|(place, letter)| match place {
            4 | 7 => letter == b'-',
            _ => letter.is_ascii_digit(),
        })
}

/// Adds a column of one value, in parts as the table has them.
fn add_constant(
    table: &mut Table,
    name: &str,
    kind: Kind,
    value: &AnyValue<'_>,
    dtype: &DataType,
) -> Result<()> {
    let first = table.frame().columns().first();
    let parts: Vec<usize> = match first {
        Some(column) => column.as_materialized_series().chunk_lengths().collect(),
        None => vec![table.height()],
    };
    let one = Series::from_any_values_and_dtype(
        PlSmallStr::EMPTY,
        std::slice::from_ref(value),
        dtype,
        true,
    );
    let one = one.map_err(unexpected)?;
    let series = in_parts(parts, |rows| one.new_from_index(0, rows).into_series())?;
    let info = ColumnInfo {
        name: name.to_owned(),
        kind,
    };
    let columns: Vec<(ColumnInfo, Column)> = table
        .iter()
        .map(|(info, column)| (info.clone(), column.clone()))
        .chain([(info, series.into())])
        .collect();
    let mut wider = Table::from_columns(table.height(), columns)?;
    wider.origin = std::mem::take(&mut table.origin);
    wider.notes = std::mem::take(&mut table.notes);
    wider.explanation = std::mem::take(&mut table.explanation);
    wider.left_out = table.left_out;
    *table = wider;
    Ok(())
}
