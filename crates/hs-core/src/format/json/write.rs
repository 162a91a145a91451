//! The json writer: a table is a list of objects, an object a line; a value is indented.
//!
//! Whole numbers and decimals are exact, times are ISO 8601 text, NaN is null. Infinities are null,
//! too, for want of a number; they are counted and told. Nested values stay nested.

use std::io::Write;

use polars::prelude::{AnyValue, Column};
use polars_arrow::array::StaticArray;

use crate::control::Control;
use crate::error::Result;
use crate::format::Format;
use crate::format::rows::cells::{Cells, Piece};
use crate::format::rows::losses::{decimals, kinds, names, refuse_bytes};
use crate::format::rows::pieces;
use crate::note::{Note, Topic};
use crate::sink;
use crate::table::{Kind, Table, unique_names};
use crate::text;
use crate::value::write_json_text;

/// What stands before the first row, between two rows and behind the last one.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// Before the first row.
    pub start: &'static str,
    /// Between two rows.
    pub between: &'static str,
    /// Behind the last row.
    pub end: &'static str,
    /// Instead of all of it, where there is no row.
    pub empty: &'static str,
}

/// Writes a table as a list of objects.
///
/// # Errors
/// Before anything is written [`crate::ErrorKind::Type`] for bytes, with column and row; then what the
/// stream does not take, and a stop request.
pub fn write(table: &Table, out: &mut (dyn Write + Send), control: &Control) -> Result<Vec<Note>> {
    const LIST: Frame = Frame {
        start: "[\n",
        between: ",\n",
        end: "\n]\n",
        empty: "[]\n",
    };
    write_as(table, Format::Json, LIST, out, control)
}

/// As [`write()`] in another frame.
///
/// # Errors
/// As [`write()`].
pub fn write_as(
    table: &Table,
    format: Format,
    frame: Frame,
    out: &mut (dyn Write + Send),
    control: &Control,
) -> Result<Vec<Note>> {
    refuse_bytes(table, format)?;
    let infinities = write_rows(table, frame, out, control)?;
    let mut notes = Vec::new();
    notes.extend(infinities_note(infinities));
    notes.extend(decimals(table));
    notes.extend(kinds(table, untyped, typed));
    notes.extend(names(table, &unique_keys(table)));
    if table.height() == 0 && table.width() > 0 {
        let line = format!("no rows: {} has no place for column names", format.name());
        notes.push(Note::new(Topic::Names, line));
    }
    Ok(notes)
}

/// Kinds that JSON has no form for.
fn untyped(kind: Kind, _: &Column) -> Option<&'static str> {
    match kind {
        Kind::Date | Kind::Datetime | Kind::Time | Kind::Duration | Kind::Category => {
            Some(kind.word())
        }
        _ => None,
    }
}

/// Those of them that come back by wish.
fn typed(kind: Kind) -> Option<&'static str> {
    match kind {
        Kind::Date | Kind::Datetime | Kind::Time => Some(kind.word()),
        _ => None,
    }
}

/// What tells of infinities, if there are any.
pub fn infinities_note(count: u64) -> Option<Note> {
    let verb = if count == 1 { "is" } else { "are" };
    (count > 0).then(|| {
        let values = text::counted(count, "infinite value");
        let line = format!("{values} {verb} written as null: JSON has no infinity");
        Note {
            count: Some(count),
            ..Note::new(Topic::Types, line)
        }
    })
}

/// Writes the rows of a table as objects, and gives the number of infinities that became null.
/// Bytes are hexadecimal text.
///
/// # Errors
/// What the stream does not take, and a stop request.
pub fn write_rows(
    table: &Table,
    frame: Frame,
    out: &mut (dyn Write + Send),
    control: &Control,
) -> Result<u64> {
    let put = |out: &mut (dyn Write + Send), text: &str| {
        out.write_all(text.as_bytes()).map_err(sink::not_written)
    };
    if table.height() == 0 {
        put(out, frame.empty)?;
        return Ok(0);
    }
    // `"key":` of each column, with the comma before it.
    let keys: Vec<Vec<u8>> = keys(table)
        .into_iter()
        .enumerate()
        .map(|(index, key)| {
            let comma = if index > 0 { "," } else { "" };
            format!("{comma}{key}:").into_bytes()
        })
        .collect();
    put(out, frame.start)?;
    let lost = pieces::write(table, out, control, |pieces, start, length, room| {
        let columns = pieces
            .iter()
            .map(Piece::cells)
            .collect::<Result<Vec<_>>>()?;
        let mut lost = 0;
        for row in 0..length {
            if start + row > 0 {
                room.extend_from_slice(frame.between.as_bytes());
            }
            room.push(b'{');
            for (cells, key) in columns.iter().zip(&keys) {
                room.extend_from_slice(key);
                push(cells, row, room, &mut lost);
            }
            room.push(b'}');
        }
        Ok(lost)
    })?;
    put(out, frame.end)?;
    Ok(lost.into_iter().sum())
}

/// The keys of the objects as JSON; names that repeat are made unique.
pub fn keys(table: &Table) -> Vec<String> {
    let quoted = |name: &String| {
        let mut quoted = String::new();
        write_json_text(&mut quoted, name);
        quoted
    };
    unique_keys(table).iter().map(quoted).collect()
}

/// The names of the columns, those that repeat made unique. One name may be blank: so may a key.
fn unique_keys(table: &Table) -> Vec<String> {
    let names = || table.columns().iter().map(|info| info.name.as_str());
    let mut keys = unique_names(names());
    if let Some(blank) = names().position(str::is_empty) {
        keys[blank].clear();
    }
    keys
}

fn push(cells: &Cells<'_>, row: usize, out: &mut Vec<u8>, lost: &mut u64) {
    let written = match cells {
        Cells::Text(texts) => texts.get(row).map(|text| push_text(out, text)).is_some(),
        Cells::Json(texts) => texts
            .get(row)
            .map(|text| push_mixed(out, text, lost))
            .is_some(),
        Cells::F32(numbers) => {
            finite(numbers.get(row).map(f64::from), lost) && cells.push(row, out)
        }
        Cells::F64(numbers) => finite(numbers.get(row), lost) && cells.push(row, out),
        Cells::Date(_) | Cells::Moment(..) | Cells::Time(_) | Cells::Duration(..) => {
            out.push(b'"');
            let written = cells.push(row, out);
            if written {
                out.push(b'"');
            } else {
                out.pop();
            }
            written
        }
        Cells::Other(series) => match series.get(row) {
            Err(_) => false,
            Ok(value) => {
                let mut text = String::new();
                write_nested(&mut text, &value, lost);
                out.extend_from_slice(text.as_bytes());
                true
            }
        },
        plain => plain.push(row, out),
    };
    if !written {
        out.extend_from_slice(b"null");
    }
}

/// False for a number that is null in JSON; infinities are counted.
fn finite(number: Option<f64>, lost: &mut u64) -> bool {
    let infinite = number.is_some_and(f64::is_infinite);
    *lost += u64::from(infinite);
    !infinite
}

/// What a byte of a text needs: nothing, or an escape.
static ESCAPED: [bool; 256] = {
    let mut escaped = [false; 256];
    let mut byte = 0;
    while byte < 0x20 {
        escaped[byte] = true;
        byte += 1;
    }
    escaped[b'"' as usize] = true;
    escaped[b'\\' as usize] = true;
    escaped
};

fn push_text(out: &mut Vec<u8>, text: &str) {
    let bytes = text.as_bytes();
    let escapes = bytes
        .iter()
        .fold(false, |escapes, byte| escapes | ESCAPED[usize::from(*byte)]);
    if escapes {
        let mut quoted = String::with_capacity(text.len() + 16);
        write_json_text(&mut quoted, text);
        return out.extend_from_slice(quoted.as_bytes());
    }
    out.push(b'"');
    out.extend_from_slice(bytes);
    out.push(b'"');
}

/// A value of a mixed column is JSON text already, but for the words that JSON does not have.
fn push_mixed(out: &mut Vec<u8>, text: &str, lost: &mut u64) {
    if !text.contains(['N', 'I']) {
        return out.extend_from_slice(text.as_bytes());
    }
    let mut rest = text;
    let mut inside = false;
    while let Some(letter) = rest.chars().next() {
        let mut length = letter.len_utf8();
        let word = ["NaN", "Infinity", "-Infinity"]
            .into_iter()
            .find(|word| !inside && rest.starts_with(word));
        match (word, letter) {
            (Some(word), _) => {
                *lost += u64::from(word != "NaN");
                out.extend_from_slice(b"null");
                rest = &rest[word.len()..];
                continue;
            }
            (None, '"') => inside = !inside,
            (None, '\\') => length += rest[length..].chars().next().map_or(0, char::len_utf8),
            _ => {}
        }
        out.extend_from_slice(&rest.as_bytes()[..length]);
        rest = &rest[length..];
    }
}

fn write_nested(out: &mut String, value: &AnyValue<'_>, lost: &mut u64) {
    match value {
        AnyValue::Float32(float) if !float.is_finite() => {
            *lost += u64::from(float.is_infinite());
            out.push_str("null");
        }
        AnyValue::Float64(float) if !float.is_finite() => {
            *lost += u64::from(float.is_infinite());
            out.push_str("null");
        }
        AnyValue::List(items) | AnyValue::Array(items, _) => {
            out.push('[');
            for (index, item) in items.rechunk().iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_nested(out, &item, lost);
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
    lost: &mut u64,
) {
    out.push('{');
    for (index, (name, field)) in fields.enumerate() {
        if index > 0 {
            out.push(',');
        }
        write_json_text(out, name);
        out.push(':');
        write_nested(out, &field, lost);
    }
    out.push('}');
}

#[cfg(test)]
mod tests;
