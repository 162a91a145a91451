//! A plain value as a json document: indented by two spaces, but a list of objects has an object a
//! line, as a table has.

use std::io::Write;

use crate::control::Control;
use crate::error::{Error, ErrorKind, Result};
use crate::format::json::write::infinities_note;
use crate::note::Note;
use crate::sink;
use crate::value::{Value, write_json_text};

/// How much is laid out before it is written.
const BLOCK: usize = 1 << 18;

/// Writes a value as a document.
///
/// # Errors
/// Before anything is written [`ErrorKind::Type`] for bytes, with where they are; then what the
/// stream does not take, and a stop request.
pub fn write(value: &Value, out: &mut (dyn Write + Send), control: &Control) -> Result<Vec<Note>> {
    refuse_bytes(value)?;
    let mut lost = 0;
    let mut text = String::new();
    match value {
        Value::List(records) if is_records(value) => {
            lines(records, ["[\n", ",\n", "\n]\n"], out, control, &mut lost)?;
        }
        value => {
            control.check()?;
            indented(value, 0, &mut text, &mut lost);
            text.push('\n');
            put(out, &mut text)?;
        }
    }
    Ok(infinities_note(lost).into_iter().collect())
}

/// Writes a list of objects, one a line.
///
/// # Errors
/// As [`write()`]; [`ErrorKind::Type`] for a list of something else.
pub fn write_lines(
    value: &Value,
    out: &mut (dyn Write + Send),
    control: &Control,
) -> Result<Vec<Note>> {
    refuse_bytes(value)?;
    let records = match value {
        Value::List(records) if is_records(value) => records,
        _ => {
            let message = "expected a frame or a list of dicts for jsonl, found another value";
            return Err(
                Error::new(ErrorKind::Type, message).hint("save it as json, which takes any value")
            );
        }
    };
    let mut lost = 0;
    lines(records, ["", "\n", "\n"], out, control, &mut lost)?;
    Ok(infinities_note(lost).into_iter().collect())
}

/// The document as text, and how many infinities became null in it.
pub fn document(value: &Value) -> (String, u64) {
    let (mut text, mut lost) = (String::new(), 0);
    indented(value, 0, &mut text, &mut lost);
    text.push('\n');
    (text, lost)
}

fn is_records(value: &Value) -> bool {
    match value {
        Value::List(items) => {
            !items.is_empty() && items.iter().all(|item| matches!(item, Value::Object(_)))
        }
        _ => false,
    }
}

fn lines(
    records: &[Value],
    [start, between, end]: [&str; 3],
    out: &mut (dyn Write + Send),
    control: &Control,
    lost: &mut u64,
) -> Result<()> {
    let mut text = String::from(start);
    for (index, record) in records.iter().enumerate() {
        if index > 0 {
            text.push_str(between);
        }
        compact(record, &mut text, lost);
        if text.len() > BLOCK {
            control.check()?;
            put(out, &mut text)?;
        }
    }
    text.push_str(end);
    put(out, &mut text)
}

fn put(out: &mut (dyn Write + Send), text: &mut String) -> Result<()> {
    out.write_all(text.as_bytes()).map_err(sink::not_written)?;
    text.clear();
    Ok(())
}

fn compact(value: &Value, out: &mut String, lost: &mut u64) {
    match value {
        Value::List(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                compact(item, out, lost);
            }
            out.push(']');
        }
        Value::Object(fields) => {
            out.push('{');
            for (index, (name, field)) in fields.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_json_text(out, name);
                out.push(':');
                compact(field, out, lost);
            }
            out.push('}');
        }
        scalar => push_scalar(scalar, out, lost),
    }
}

fn push_scalar(value: &Value, out: &mut String, lost: &mut u64) {
    match value {
        Value::Float(float) if !float.is_finite() => {
            *lost += u64::from(float.is_infinite());
            out.push_str("null");
        }
        scalar => scalar.write_json(out),
    }
}

fn indented(value: &Value, depth: usize, out: &mut String, lost: &mut u64) {
    let indent = |out: &mut String, depth: usize| {
        out.push('\n');
        out.extend(std::iter::repeat_n("  ", depth));
    };
    match value {
        Value::List(items) if !items.is_empty() => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                indent(out, depth + 1);
                indented(item, depth + 1, out, lost);
            }
            indent(out, depth);
            out.push(']');
        }
        Value::Object(fields) if !fields.is_empty() => {
            out.push('{');
            for (index, (name, field)) in fields.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                indent(out, depth + 1);
                write_json_text(out, name);
                out.push_str(": ");
                indented(field, depth + 1, out, lost);
            }
            indent(out, depth);
            out.push('}');
        }
        scalar => push_scalar(scalar, out, lost),
    }
}

/// Refuses bytes, which JSON has no form for, with the path to the first of them.
fn refuse_bytes(value: &Value) -> Result<()> {
    fn search(value: &Value, path: &mut Vec<String>) -> bool {
        match value {
            Value::Bytes(_) => true,
            Value::List(items) => items.iter().enumerate().any(|(index, item)| {
                path.push(index.to_string());
                let found = search(item, path);
                if !found {
                    path.pop();
                }
                found
            }),
            Value::Object(fields) => fields.iter().any(|(name, field)| {
                path.push(name.clone());
                let found = search(field, path);
                if !found {
                    path.pop();
                }
                found
            }),
            _ => false,
        }
    }
    let mut path = Vec::new();
    if !search(value, &mut path) {
        return Ok(());
    }
    let place = path.join(".");
    let message = format!("at {place:?}: JSON has no form for bytes");
    Err(Error::new(ErrorKind::Type, message).hint("decode them to text, or leave them out"))
}
