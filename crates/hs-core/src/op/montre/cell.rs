//! One value as a cell on a screen: short, on one line, and never to be taken for another value.
//!
//! A cell in quotes is text with escapes; a cell without quotes is exactly what it says.

use std::borrow::Cow;

use polars::prelude::AnyValue;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::op::look;
use crate::table::Kind;
use crate::text;

/// The value as a cell in a view: text that looks like something else is in quotes.
pub fn typed(value: &AnyValue<'_>, kind: Kind, width: usize) -> String {
    let text = match value {
        AnyValue::Null => return "null".to_owned(),
        AnyValue::String(text) => Cow::Borrowed(*text),
        AnyValue::StringOwned(text) => Cow::Borrowed(text.as_str()),
        // Escapes are only for text; hexadecimal, numbers and JSON have nothing to escape.
        other => return cut(&text::plain(other), width),
    };
    match kind {
        Kind::Mixed => cut(&text, width),
        _ if must_quote(&text) || looks_typed(&text) => quoted(&text, width),
        _ => cut(&text, width),
    }
}

/// The value as a cell where its type is told elsewhere: quotes only around text that would
/// otherwise not be seen, such as spaces at an end. Missing is the empty text.
pub fn plain(value: &AnyValue<'_>, width: usize) -> String {
    let text = match value {
        AnyValue::String(text) => Cow::Borrowed(*text),
        AnyValue::StringOwned(text) => Cow::Borrowed(text.as_str()),
        other => return cut(&text::plain(other), width),
    };
    name(&text, width)
}

/// A column name as a cell: quotes only where something would not be seen.
pub fn name(text: &str, width: usize) -> String {
    if must_quote(text) {
        quoted(text, width)
    } else {
        cut(text, width)
    }
}

/// `text` if it is at most `width` terminal cells wide, else its front and its length in characters.
pub fn cut(text: &str, width: usize) -> String {
    match front(text, width) {
        None => text.to_owned(),
        Some(front) => format!("{front}... {}", length(text)),
    }
}

fn quoted(text: &str, width: usize) -> String {
    match front(text, width) {
        None => format!("\"{}\"", escaped(text)),
        Some(front) => format!("\"{}...\" {}", escaped(front), length(text)),
    }
}

fn length(text: &str) -> String {
    format!(
        "({})",
        text::counted(text.chars().count() as u64, "character")
    )
}

/// The front of a text that is too wide; none when it is not.
fn front(text: &str, width: usize) -> Option<&str> {
    if text.len() <= width {
        return None;
    }
    // Marks without width can pile up on one letter; text of sane scripts stays below this.
    let most = width * 16;
    let mut used = 0;
    for (index, letter) in text.char_indices() {
        used += letter.width().unwrap_or(1);
        if used > width || index > most {
            return Some(&text[..index]);
        }
    }
    None
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '"' | '\\' => out.extend(['\\', letter]),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            letter if unseen(letter) => out.extend(letter.escape_unicode()),
            letter => out.push(letter),
        }
    }
    out
}

/// True for text that is not what it seems when it is shown as it is.
fn must_quote(text: &str) -> bool {
    text.is_empty()
        || text.starts_with('"')
        || text.starts_with(char::is_whitespace)
        || text.ends_with(char::is_whitespace)
        || text.chars().any(unseen)
}

/// True for text that could be taken for a value of another type.
fn looks_typed(text: &str) -> bool {
    let front = text.bytes().next().unwrap_or_default();
    // Only short texts look like numbers; a cheap look at the front spares most of the work.
    text.len() <= 64
        && (look::missing_word(text)
            || look::bool_word(text)
            || (front.is_ascii_digit() || b"+-.iIn".contains(&front))
                && (look::like_number(text) || look::like_date(text) || look::like_time(text)))
}

/// Control characters and characters without ink that change how their neighbours are shown:
/// zero-width spaces, line separators, direction marks, the byte order mark.
fn unseen(letter: char) -> bool {
    letter.is_control()
        || matches!(letter,
            '\u{ad}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}')
}

/// How many terminal cells a text takes.
pub fn width(text: &str) -> usize {
    text.width()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        typed(&AnyValue::String(text), Kind::Text, 20)
    }

    #[test]
    fn text_that_looks_like_another_type_is_in_quotes() {
        for text in [
            "00042",
            "1.5",
            "-7",
            "true",
            "NA",
            "",
            "null",
            "2026-01-31",
            "31/01/26",
            "08:30",
            "nan",
            "1,204",
            "Infinity",
        ] {
            assert_eq!(shown(text), format!("\"{text}\""));
        }
        for text in ["FR", "No 7", "a,b", "it's", "N", "back\\slash", "12 rue"] {
            assert_eq!(shown(text), text);
        }
    }

    #[test]
    fn nothing_is_invisible() {
        assert_eq!(shown("a "), "\"a \"");
        assert_eq!(shown("a\tb\n"), "\"a\\tb\\n\"");
        assert_eq!(shown("\u{1b}[31mred"), "\"\\u{1b}[31mred\"");
        assert_eq!(shown("a\u{202e}b"), "\"a\\u{202e}b\"");
        assert_eq!(shown("\"x\""), "\"\\\"x\\\"\"");
        assert_eq!(shown("null"), "\"null\"");
        assert_eq!(typed(&AnyValue::Null, Kind::Text, 20), "null");
    }

    #[test]
    fn long_text_is_cut_with_its_length() {
        let long = "x".repeat(1204);
        assert_eq!(
            shown(&long),
            format!("{}... (1,204 characters)", "x".repeat(20))
        );
        // Each of these letters is two cells wide.
        let wide = "東京都千代田区丸の内一丁目";
        assert_eq!(shown(wide), "東京都千代田区丸の内... (13 characters)");
        assert_eq!(shown("東京都"), "東京都");
        assert_eq!(
            shown(&format!("{} ", "y".repeat(30))),
            format!("\"{}...\" (31 characters)", "y".repeat(20))
        );
    }

    #[test]
    fn a_flood_of_marks_without_width_is_cut_too() {
        let flood = format!("a{}", "\u{301}".repeat(100_000));
        assert!(shown(&flood).len() < 500, "{}", shown(&flood).len());
    }
}
