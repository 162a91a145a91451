//! What a text format does not carry: bytes (refused), names that repeat, types that it has no form
//! for. Each is told in one line that names the columns.

use polars::prelude::{AnyValue, Column, DataType};

use crate::error::{Error, ErrorKind, Result};
use crate::fix::Fix;
use crate::format::Format;
use crate::note::{Note, Topic};
use crate::table::{Kind, Table};

/// Columns that a line names at most.
const NAMED: usize = 4;

/// Refuses bytes, also inside lists and structs: text formats have no form for them.
///
/// # Errors
/// [`ErrorKind::Type`] with column and row (from 1) of the first bytes.
pub fn refuse_bytes(table: &Table, format: Format) -> Result<()> {
    for (info, column) in table
        .iter()
        .filter(|(_, column)| holds_bytes(column.dtype()))
    {
        let Some(row) = first_bytes(column) else {
            continue;
        };
        let message = format!(
            "column {:?}, row {}: {} has no form for bytes",
            info.name,
            row + 1,
            format.name()
        );
        return Err(Error::new(ErrorKind::Type, message).hint(
            "decode them to text, leave the column out, or save as parquet, which keeps bytes",
        ));
    }
    Ok(())
}

/// True for a type of bytes, and for lists and structs of such types.
pub fn holds_bytes(dtype: &DataType) -> bool {
    match dtype {
        DataType::Binary | DataType::BinaryOffset => true,
        DataType::List(inner) | DataType::Array(inner, _) => holds_bytes(inner),
        DataType::Struct(fields) => fields.iter().any(|field| holds_bytes(field.dtype())),
        _ => false,
    }
}

fn first_bytes(column: &Column) -> Option<usize> {
    let series = column.as_materialized_series();
    series.rechunk().iter().position(|value| has_bytes(&value))
}

/// True for bytes, and for lists and structs with bytes in them.
pub fn has_bytes(value: &AnyValue<'_>) -> bool {
    match value {
        AnyValue::Binary(_) | AnyValue::BinaryOwned(_) => true,
        AnyValue::List(items) | AnyValue::Array(items, _) => {
            items.rechunk().iter().any(|item| has_bytes(&item))
        }
        AnyValue::Struct(..) => value._iter_struct_av().any(|item| has_bytes(&item)),
        AnyValue::StructOwned(owned) => owned.0.iter().any(has_bytes),
        _ => false,
    }
}

/// Names that are others in the file or after loading it, and the names that they are then.
pub fn names(table: &Table, fresh: &[String]) -> Option<Note> {
    let changed: Vec<String> = table
        .columns()
        .iter()
        .zip(fresh)
        .filter(|(info, fresh)| info.name != **fresh)
        .map(|(info, fresh)| format!("{:?} as {fresh:?}", info.name))
        .collect();
    let count = changed.len() as u64;
    (count > 0).then(|| {
        let text = format!("column names that are blank or repeat: {}", some(&changed));
        Note {
            count: Some(count),
            ..Note::new(Topic::Names, text)
        }
    })
}

/// Columns whose kind does not come back, by what `lost` says of it, in one line; `typed` says
/// which of them come back by the option `types`, and as what.
pub fn kinds(
    table: &Table,
    lost: impl Fn(Kind, &Column) -> Option<&'static str>,
    typed: impl Fn(Kind) -> Option<&'static str>,
) -> Option<Note> {
    let columns: Vec<(&str, Kind, &str)> = table
        .iter()
        .filter(|(_, column)| column.null_count() < column.len())
        .filter_map(|(info, column)| {
            let words = lost(info.kind, column)?;
            Some((info.name.as_str(), info.kind, words))
        })
        .collect();
    if columns.is_empty() {
        return None;
    }
    let shown: Vec<String> = columns
        .iter()
        .map(|(name, _, words)| format!("{name:?} ({words})"))
        .collect();
    let mut text = format!("loads as text: {}", some(&shown));
    let mut fixes = Vec::new();
    let typed = |(name, kind, _): &(&str, Kind, &str)| Some(Fix::types(name, typed(*kind)?));
    if let Some(fix) = columns.iter().find_map(typed) {
        text += &format!("; {fix} brings it back");
        fixes.push(fix);
    }
    Some(Note {
        count: Some(columns.len() as u64),
        fixes,
        ..Note::new(Topic::Types, text)
    })
}

/// Decimals that come back as floats.
pub fn decimals(table: &Table) -> Option<Note> {
    let columns: Vec<&str> = table
        .iter()
        .filter(|(info, column)| info.kind == Kind::Decimal && column.null_count() < column.len())
        .map(|(info, _)| info.name.as_str())
        .collect();
    let fix = Fix::types(columns.first()?, "decimal");
    let text = format!(
        "decimals load as float: {}; {fix} keeps them exact",
        quoted(&columns)
    );
    Some(Note::new(Topic::Types, text).fix(fix))
}

/// Zones other than UTC: their instants are written in UTC.
pub fn zones(table: &Table) -> Option<Note> {
    let columns: Vec<String> = table
        .iter()
        .filter_map(|(info, column)| match column.dtype() {
            DataType::Datetime(_, Some(zone)) if !is_utc(zone.as_str()) => {
                Some(format!("{:?} ({zone})", info.name))
            }
            _ => None,
        })
        .collect();
    (!columns.is_empty())
        .then(|| Note::new(Topic::Types, format!("written in UTC: {}", some(&columns))))
}

fn is_utc(zone: &str) -> bool {
    matches!(zone, "UTC" | "Etc/UTC" | "+00:00" | "Z")
}

/// Names in quotes, the first few of them.
pub fn quoted(names: &[&str]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("{name:?}")).collect();
    some(&names)
}

/// The first few of them, and how many more there are.
pub fn some(words: &[String]) -> String {
    let shown = words[..words.len().min(NAMED)].join(", ");
    match words.len().saturating_sub(NAMED) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
