//! JSON: the envelope of an answer, and one object a line.
//!
//! Whole numbers are exact, dates are ISO text, NaN is null. Infinities are null, too, for want of a
//! number; they are counted so that it can be told.

use std::io::{self, Write};

use hs_core::table::unique_names;
use hs_core::value::write_json_text;
use hs_core::{ColumnInfo, Kind, Table, text};
use polars::prelude::{AnyValue, DataFrame};

use super::rows::each_row;

/// What JSON could not carry.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Lost {
    infinities: u64,
}

impl std::ops::AddAssign for Lost {
    fn add_assign(&mut self, other: Self) {
        self.infinities += other.infinities;
    }
}

impl Lost {
    /// Takes note of a float that became null.
    pub fn count(&mut self, float: f64) {
        self.infinities += u64::from(float.is_infinite());
    }

    /// The line that tells it, if there is something to tell.
    pub fn line(&self) -> Option<String> {
        let verb = if self.infinities == 1 { "is" } else { "are" };
        (self.infinities > 0).then(|| {
            let values = text::counted(self.infinities, "infinite value");
            format!("{values} {verb} written as null: JSON has no infinity")
        })
    }
}

/// Writes `{"columns":[{"name","type"}],"rows":N,"data":[...],"notes":[...]}`, a row a line.
///
/// `rows` counts the whole table; `data` has the rows of the frames.
///
/// # Errors
/// When the stream does not take it.
pub fn json(
    out: &mut dyn Write,
    table: &Table,
    frames: &[DataFrame],
    notes: &[String],
) -> io::Result<Lost> {
    let mut head = String::from("{\"columns\":[");
    for (index, (name, column)) in keys(table.columns()).zip(table.columns()).enumerate() {
        if index > 0 {
            head.push(',');
        }
        head.push_str("{\"name\":");
        head.push_str(&name);
        head.push_str(",\"type\":");
        write_json_text(&mut head, column.kind.word());
        head.push('}');
    }
    write!(out, "{head}],\"rows\":{},\"data\":[", table.height())?;
    let mut separator = "\n";
    let lost = write_rows(table.columns(), frames, |row| {
        write!(out, "{separator}{row}")?;
        separator = ",\n";
        Ok(())
    })?;
    let mut tail = String::from(if separator == "\n" { "]" } else { "\n]" });
    tail.push_str(",\"notes\":[");
    for (index, note) in notes.iter().chain(&lost.line()).enumerate() {
        if index > 0 {
            tail.push(',');
        }
        write_json_text(&mut tail, note);
    }
    writeln!(out, "{tail}]}}")?;
    Ok(lost)
}

/// Writes one object a row.
///
/// # Errors
/// When the stream does not take it.
pub fn jsonl(
    out: &mut dyn Write,
    columns: &[ColumnInfo],
    frames: &[DataFrame],
) -> io::Result<Lost> {
    write_rows(columns, frames, |row| writeln!(out, "{row}"))
}

/// The keys of the row objects, quoted; names that repeat are made unique.
fn keys(columns: &[ColumnInfo]) -> impl Iterator<Item = String> {
    let names = unique_names(columns.iter().map(|column| column.name.as_str()));
    names.into_iter().map(|name| {
        let mut quoted = String::new();
        write_json_text(&mut quoted, &name);
        quoted
    })
}

fn write_rows(
    columns: &[ColumnInfo],
    frames: &[DataFrame],
    mut work: impl FnMut(&str) -> io::Result<()>,
) -> io::Result<Lost> {
    let keys: Vec<String> = keys(columns).collect();
    let mut lost = Lost::default();
    let mut object = String::new();
    each_row(frames, |row| {
        object.clear();
        object.push('{');
        for (index, (value, column)) in row.iter().zip(columns).enumerate() {
            if index > 0 {
                object.push(',');
            }
            object.push_str(&keys[index]);
            object.push(':');
            match value {
                AnyValue::String(text) if column.kind == Kind::Mixed => {
                    write_mixed(&mut object, text, &mut lost);
                }
                value => write_value(&mut object, value, &mut lost),
            }
        }
        object.push('}');
        work(&object)
    })?;
    Ok(lost)
}

fn write_value(out: &mut String, value: &AnyValue<'_>, lost: &mut Lost) {
    match value {
        AnyValue::Float32(float) if !float.is_finite() => {
            lost.count(f64::from(*float));
            out.push_str("null");
        }
        AnyValue::Float64(float) if !float.is_finite() => {
            lost.count(*float);
            out.push_str("null");
        }
        AnyValue::List(items) | AnyValue::Array(items, _) => {
            out.push('[');
            for (index, item) in items.rechunk().iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_value(out, &item, lost);
            }
            out.push(']');
        }
        AnyValue::Struct(_, _, fields) => {
            let names = fields.iter().map(|field| field.name().as_str());
            write_object(out, names.zip(value._iter_struct_av()), lost);
        }
        AnyValue::StructOwned(owned) => {
            let (values, fields) = owned.as_ref();
            let names = fields.iter().map(|field| field.name().as_str());
            write_object(out, names.zip(values.iter().cloned()), lost);
        }
        scalar => text::write_json(out, scalar),
    }
}

fn write_object<'a>(
    out: &mut String,
    fields: impl Iterator<Item = (&'a str, AnyValue<'a>)>,
    lost: &mut Lost,
) {
    out.push('{');
    for (index, (name, field)) in fields.enumerate() {
        if index > 0 {
            out.push(',');
        }
        write_json_text(out, name);
        out.push(':');
        write_value(out, &field, lost);
    }
    out.push('}');
}

/// A value of a mixed column is JSON text already, but for the words that JSON does not have.
fn write_mixed(out: &mut String, text: &str, lost: &mut Lost) {
    match text {
        "NaN" => out.push_str("null"),
        "Infinity" | "-Infinity" => {
            lost.count(f64::INFINITY);
            out.push_str("null");
        }
        text if serde_json::from_str::<serde_json::Value>(text).is_ok() => out.push_str(text),
        text => write_json_text(out, text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use polars::prelude::*;

    fn lines(table: &Table) -> (String, Lost) {
        let mut out = Vec::new();
        let lost = jsonl(&mut out, table.columns(), &[table.frame().clone()]).unwrap();
        (String::from_utf8(out).unwrap(), lost)
    }

    #[test]
    fn values_are_exact_and_what_json_lacks_is_counted() {
        let list = Series::new("".into(), [f64::INFINITY, 0.1]);
        let frame = DataFrame::new(
            1,
            vec![
                Column::new("u".into(), [u64::MAX]),
                Column::new("f".into(), [f64::NAN]),
                Column::new("g".into(), [f64::NEG_INFINITY]),
                Column::new("l".into(), [list]),
                Column::new("s".into(), ["é\"\n"]),
                Series::new("d".into(), [0i32])
                    .cast(&DataType::Date)
                    .unwrap()
                    .into(),
            ],
        );
        let (text, lost) = lines(&Table::new(frame.unwrap()));
        assert_eq!(
            text,
            "{\"u\":18446744073709551615,\"f\":null,\"g\":null,\"l\":[null,0.1],\
             \"s\":\"é\\\"\\n\",\"d\":\"1970-01-01\"}\n"
        );
        assert_eq!(lost, Lost { infinities: 2 });
    }

    #[test]
    fn mixed_values_are_json_and_repeated_names_become_unique() {
        let mixed = Column::new("x".into(), ["1", "\"1\"", "NaN", "not json"]);
        let info = |kind| ColumnInfo {
            name: "a".into(),
            kind,
        };
        let plain = Column::new("y".into(), ["1", "2", "3", "4"]);
        let pairs = [(info(Kind::Mixed), mixed), (info(Kind::Text), plain)];
        let (text, _) = lines(&Table::from_columns(4, pairs).unwrap());
        assert_eq!(
            text,
            "{\"a\":1,\"a.1\":\"1\"}\n{\"a\":\"1\",\"a.1\":\"2\"}\n\
             {\"a\":null,\"a.1\":\"3\"}\n{\"a\":\"not json\",\"a.1\":\"4\"}\n"
        );
    }
}
