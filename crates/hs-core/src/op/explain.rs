//! explain: how a table was read, and why each of its columns has its type.
//!
//! It reports what the reader left in the table's explanation; it never looks at values again.

use polars::prelude::Column;

use crate::error::Result;
use crate::note::{Note, Topic};
use crate::table::{ColumnInfo, Kind, Table};
use crate::value::Value;

/// A table of one row a column: `column`, `type`, `why`. Its notes are what was loaded, the facts of
/// the file, and the notes of the load that say more than those.
///
/// # Errors
/// [`ErrorKind::Internal`](crate::ErrorKind::Internal) only.
pub fn explain(table: &Table) -> Result<Table> {
    let infos = table.columns();
    let names: Vec<&str> = infos.iter().map(|info| info.name.as_str()).collect();
    let types: Vec<&str> = infos.iter().map(|info| info.kind.word()).collect();
    let reasons: Vec<String> = (0..infos.len())
        .map(|position| why(table, position))
        .collect();
    let text = |name: &str, column: Column| {
        let name = name.to_owned();
        let kind = Kind::Text;
        (ColumnInfo { name, kind }, column)
    };
    let columns = [
        text("column", Column::new("column".into(), names)),
        text("type", Column::new("type".into(), types)),
        text("why", Column::new("why".into(), reasons)),
    ];
    let mut result = Table::from_columns(infos.len(), columns)?;
    result.origin = table.origin.clone();
    let of = |topic: Topic| {
        table
            .notes
            .iter()
            .filter(move |note| note.topic == topic)
            .cloned()
    };
    result.notes.extend(of(Topic::Loaded));
    let facts = table.explanation.facts.iter();
    result.notes.extend(facts.filter_map(|(name, fact)| {
        let topic = match *name {
            "dialect" => Topic::Dialect,
            "encoding" => Topic::Encoding,
            // The note about the other sheets says it.
            _ => return None,
        };
        Some(Note::new(topic, format!("{name}: {}", words(fact))))
    }));
    for topic in [Topic::Sheets, Topic::Rows, Topic::Names, Topic::Types] {
        result.notes.extend(of(topic));
    }
    Ok(result)
}

/// Why the column at `position` has its type.
pub fn why(table: &Table, position: usize) -> String {
    if let Some(reason) = table.explanation.reason(position) {
        return reason.to_owned();
    }
    let Some((info, column)) = table.iter().nth(position) else {
        return String::new();
    };
    let missing = column.null_count();
    let stored = match table.origin.format {
        Some(format) if ["parquet", "arrow"].contains(&format.name()) => {
            format!("stored as {}", column.dtype())
        }
        Some(_) => format!("as written: {}", values(info.kind)),
        None => values(info.kind).to_owned(),
    };
    match missing {
        0 => stored,
        missing if missing == column.len() => "no values".to_owned(),
        missing => format!("{stored}, {missing} missing"),
    }
}

/// What the values of a kind are called.
fn values(kind: Kind) -> &'static str {
    match kind {
        Kind::Int => "whole numbers",
        Kind::Float => "numbers, some with decimals",
        Kind::Bool => "true and false",
        Kind::Text => "strings",
        Kind::Date => "dates",
        Kind::Datetime => "datetimes",
        Kind::Time => "times of day",
        Kind::Duration => "durations",
        Kind::Decimal => "exact decimals",
        Kind::Bytes => "bytes",
        Kind::List => "lists",
        Kind::Struct => "objects",
        Kind::Category => "a fixed set of values",
        Kind::Mixed => "values of several kinds, kept as JSON text",
        Kind::Empty => "no values",
    }
}

/// A fact in words: `delimiter ";", line end LF`.
fn words(fact: &Value) -> String {
    match fact {
        // A name and what speaks for it.
        Value::Object(fields) if fields.first().is_some_and(|(name, _)| name == "name") => {
            let parts: Vec<String> = fields.iter().map(|(_, value)| words(value)).collect();
            match parts.split_first() {
                Some((name, rest)) => format!("{name} ({})", rest.join(", ")),
                None => String::new(),
            }
        }
        Value::Object(fields) => {
            let nothing = [Value::Null, Value::Int(0)];
            let known = fields.iter().filter(|(_, value)| !nothing.contains(value));
            let words = known.map(|(name, value)| {
                let name = name.replace('_', " ");
                format!("{name} {}", words(value))
            });
            words.collect::<Vec<_>>().join(", ")
        }
        Value::Text(text) if text.len() < 2 => format!("{text:?}"),
        Value::Text(text) => text.clone(),
        other => other.to_json(),
    }
}
