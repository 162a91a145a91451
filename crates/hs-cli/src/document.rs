//! A document that is no table: what is said of it, and its front and end.

use hs_core::format::record_paths;
use hs_core::op::montre::cell;
use hs_core::{Error, ErrorKind, Place, Value, text};

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
    use hs_core::format::json::value::document;

    #[test]
    fn a_long_document_keeps_its_head_and_tail() {
        let items = (0..5000).map(Value::Int).collect();
        let (text, _) = document(&Value::List(items));
        let short = shortened(text, 600);
        assert!(short.len() < 700);
        assert!(short.starts_with("[\n  0,\n  1,\n"));
        assert!(short.ends_with("  4999\n]\n"));
        assert!(short.contains("lines hidden"));
    }
}
