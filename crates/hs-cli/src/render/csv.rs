//! Comma-separated values: UTF-8, LF, quotes as in RFC 4180. Missing is the empty field, and empty
//! text a pair of quotes, so that the two stay apart.

use std::io::{self, Write};

use hs_core::{ColumnInfo, text};
use polars::prelude::{AnyValue, DataFrame};

use super::rows::each_row;

/// Writes a header line and the rows of the frames.
///
/// # Errors
/// When the stream does not take it.
pub fn csv(out: &mut dyn Write, columns: &[ColumnInfo], frames: &[DataFrame]) -> io::Result<()> {
    let mut line = String::new();
    for (index, column) in columns.iter().enumerate() {
        push_field(&mut line, index, &column.name);
    }
    line.push('\n');
    out.write_all(line.as_bytes())?;
    let alone = columns.len() == 1;
    each_row(frames, |row| {
        line.clear();
        for (index, value) in row.iter().enumerate() {
            match value {
                // A line with nothing on it is no row to most readers.
                AnyValue::Null if alone => line.push_str("\"\""),
                AnyValue::Null if index > 0 => line.push(','),
                AnyValue::Null => {}
                AnyValue::String(text) => push_field(&mut line, index, text),
                other => push_field(&mut line, index, &text::plain(other)),
            }
        }
        line.push('\n');
        out.write_all(line.as_bytes())
    })
}

fn push_field(line: &mut String, index: usize, text: &str) {
    if index > 0 {
        line.push(',');
    }
    let edge = |letter: char| letter == ' ' || letter == '\t';
    let quote = text.is_empty()
        || text.contains([',', '"', '\n', '\r'])
        || text.starts_with(edge)
        || text.ends_with(edge);
    if !quote {
        return line.push_str(text);
    }
    line.push('"');
    for letter in text.chars() {
        if letter == '"' {
            line.push('"');
        }
        line.push(letter);
    }
    line.push('"');
}
