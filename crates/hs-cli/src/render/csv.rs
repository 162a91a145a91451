//! Comma-separated values: UTF-8, LF, quotes as in RFC 4180. Missing (also NaN) is the empty field,
//! and empty text a pair of quotes, so that the two stay apart.

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
                AnyValue::Float64(float) if float.is_nan() => push_missing(&mut line, index, alone),
                AnyValue::Float32(float) if float.is_nan() => push_missing(&mut line, index, alone),
                AnyValue::Null => push_missing(&mut line, index, alone),
                AnyValue::String(text) => push_field(&mut line, index, text),
                AnyValue::Float64(_) | AnyValue::Float32(_) => {
                    push_field(&mut line, index, &with_point(text::plain(value)));
                }
                other => push_field(&mut line, index, &text::plain(other)),
            }
        }
        line.push('\n');
        out.write_all(line.as_bytes())
    })
}

fn push_missing(line: &mut String, index: usize, alone: bool) {
    if alone {
        // A line with nothing on it is no row to most readers.
        line.push_str("\"\"");
    } else if index > 0 {
        line.push(',');
    }
}

/// `1e16` is a code to our own reader, `1.0e16` a number.
fn with_point(mut float: String) -> String {
    if let Some(at) = float.find('e').filter(|_| !float.contains('.')) {
        float.insert_str(at, ".0");
    }
    float
}

fn push_field(line: &mut String, index: usize, text: &str) {
    if index > 0 {
        line.push(',');
    }
    let edge = |letter: char| letter == ' ' || letter == '\t';
    // What another file has for its delimiter is quoted, too, lest a reader take it for ours.
    let quote = text.is_empty()
        || text.contains([',', ';', '\t', '|', '"', '\n', '\r'])
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

#[cfg(test)]
mod tests {
    use super::*;
    use hs_core::Table;
    use polars::prelude::Column;

    #[test]
    fn what_would_read_back_as_something_else_is_written_otherwise() {
        let floats = [Some(1e16), Some(f64::NAN), Some(-0.0), None];
        let texts = [Some("a;b"), Some("c\td"), Some(""), None];
        let columns = vec![
            Column::new("f|g".into(), floats),
            Column::new("t".into(), texts),
        ];
        let frame = DataFrame::new(4, columns).unwrap();
        let table = Table::new(frame.clone());
        let mut out = Vec::new();
        csv(&mut out, table.columns(), &[frame]).unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "\"f|g\",t\n1.0e16,\"a;b\"\n,\"c\td\"\n-0.0,\"\"\n,\n"
        );
    }
}
