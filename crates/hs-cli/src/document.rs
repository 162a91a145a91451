//! A document that is no table, as indented JSON.

use hs_core::format::record_paths;
use hs_core::op::montre::cell;
use hs_core::value::write_json_text;
use hs_core::{Error, ErrorKind, Place, Value, text};

use crate::render::Lost;

/// How wide a line of a shortened document may get.
const LINE: usize = 200;

/// The error for a document where only a table will do; names a table inside it if there is one.
pub fn not_a_table(name: &str, document: &Value) -> Error {
    let message = "expected a table, found a document of another shape";
    let error = Error::new(ErrorKind::Type, message).at(Place::source(name));
    match record_paths(document).first() {
        Some(path) => error.hint(format!("name the records in it: --at {path}")),
        None => error.hint("there are no records in it; hs montre shows what there is"),
    }
}

/// The document as JSON with an indent of two spaces; NaN and infinities are null and counted.
pub fn indented(value: &Value) -> (String, Lost) {
    let (mut out, mut lost) = (String::new(), Lost::default());
    write(&mut out, value, 0, &mut lost);
    out.push('\n');
    (out, lost)
}

fn write(out: &mut String, value: &Value, depth: usize, lost: &mut Lost) {
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
                write(out, item, depth + 1, lost);
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
                write(out, field, depth + 1, lost);
            }
            indent(out, depth);
            out.push('}');
        }
        Value::Float(float) if !float.is_finite() => {
            lost.count(*float);
            out.push_str("null");
        }
        scalar => scalar.write_json(out),
    }
}

/// The first and last lines of a text, within so many characters, with the lines between counted.
pub fn shortened(text: String, budget: usize) -> String {
    if text.len() <= budget {
        return text;
    }
    let lines: Vec<&str> = text.lines().collect();
    let (mut head, mut tail, mut used) = (0, 0, 0);
    // Two lines from the head for each one from the tail: documents say what they are in front.
    while head + tail < lines.len() {
        let from_head = head <= 2 * tail;
        let line = if from_head {
            lines[head]
        } else {
            lines[lines.len() - 1 - tail]
        };
        used += line.len().min(LINE + 30) + 1;
        if used > budget {
            break;
        }
        if from_head {
            head += 1;
        } else {
            tail += 1;
        }
    }
    let hidden = lines.len() - head - tail;
    let cut = |line: &&str| cell::cut(line, LINE);
    let mut shown: Vec<String> = lines[..head].iter().map(cut).collect();
    if hidden > 0 {
        shown.push(format!(
            "... {} hidden",
            text::counted(hidden as u64, "line")
        ));
    }
    shown.extend(lines[lines.len() - tail..].iter().map(cut));
    shown.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_documents_are_indented_and_infinities_counted() {
        let value = Value::Object(vec![
            (
                "a".into(),
                Value::List(vec![Value::Int(1), Value::Float(f64::INFINITY)]),
            ),
            ("b".into(), Value::List(vec![])),
        ]);
        let (text, lost) = indented(&value);
        assert_eq!(
            text,
            "{\n  \"a\": [\n    1,\n    null\n  ],\n  \"b\": []\n}\n"
        );
        assert_eq!(
            lost.line().as_deref(),
            Some("1 infinite value is written as null: JSON has no infinity")
        );
    }

    #[test]
    fn a_long_document_keeps_its_head_and_tail() {
        let items = (0..5000).map(Value::Int).collect();
        let (text, _) = indented(&Value::List(items));
        let short = shortened(text, 600);
        assert!(short.len() < 700);
        assert!(short.starts_with("[\n  0,\n  1,\n"));
        assert!(short.ends_with("  4999\n]\n"));
        assert!(short.contains("lines hidden"));
    }
}
