//! What the value of a cell means by the cell's type. It reads no XML.

use super::text::unescape;
use crate::format::workbook::cells::{CellError, Content};
use crate::format::workbook::serial;

/// What a cell holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Found {
    /// No value, and no formula either.
    Nothing,
    /// A number, to be understood by the cell's format.
    Number(f64),
    /// The number of a shared text.
    Shared(u32),
    /// A text.
    Text(String),
    /// Anything else.
    Content(Content),
    /// Where the number of a shared text is expected.
    NoNumber(String),
}

/// What a cell of a type (`t`) with a value (`v`) and an inline text (`is`) holds. A value that does not
/// fit its type is kept as the text that it is.
///
/// Source: ECMA-376 part 1, 18.18.11 (ST_CellType).
pub fn value(kind: &str, value: Option<&str>, inline: Option<&str>, has_formula: bool) -> Found {
    if let Some(text) = inline {
        return Found::Text(text.to_owned());
    }
    let text = value.unwrap_or_default();
    let trimmed = text.trim_ascii();
    // A formula may give the empty text; of any other type the empty value is none.
    if value.is_none() || trimmed.is_empty() && kind != "str" {
        return if has_formula {
            Found::Content(Content::Formula)
        } else {
            Found::Nothing
        };
    }
    match kind {
        "s" => match trimmed.parse() {
            Ok(number) => Found::Shared(number),
            Err(_) => Found::NoNumber(text.to_owned()),
        },
        "b" if trimmed == "1" || trimmed.eq_ignore_ascii_case("true") => {
            Found::Content(Content::Bool(true))
        }
        "b" if trimmed == "0" || trimmed.eq_ignore_ascii_case("false") => {
            Found::Content(Content::Bool(false))
        }
        "e" => match CellError::parse(trimmed) {
            Some(error) => Found::Content(Content::Error(error)),
            None => as_text(text),
        },
        "d" => match serial::parse_iso(text) {
            Some(moment) => Found::Content(Content::Moment(moment)),
            None => as_text(text),
        },
        "str" | "inlineStr" | "b" => as_text(text),
        _ => match fast_float2::parse(trimmed) {
            Ok(number) => Found::Number(number),
            Err(_) => as_text(text),
        },
    }
}

fn as_text(text: &str) -> Found {
    let mut out = String::with_capacity(text.len());
    unescape(text, &mut out);
    Found::Text(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::workbook::cells::Moment;

    fn of(kind: &str, text: &str) -> Found {
        value(kind, Some(text), None, false)
    }

    fn text(text: &str) -> Found {
        Found::Text(text.to_owned())
    }

    #[test]
    fn types_say_what_values_are() {
        for (kind, raw, found) in [
            ("", " 1.5 ", Found::Number(1.5)),
            ("n", "1E+2", Found::Number(100.0)),
            ("s", " 7", Found::Shared(7)),
            ("b", "TRUE", Found::Content(Content::Bool(true))),
            ("b", "0", Found::Content(Content::Bool(false))),
            (
                "e",
                "#N/A",
                Found::Content(Content::Error(CellError::NotAvailable)),
            ),
            (
                "e",
                "#SPILL!",
                Found::Content(Content::Error(CellError::Spill)),
            ),
            (
                "d",
                "1970-01-01T00:00:01",
                Found::Content(Content::Moment(Moment::Wall(1_000_000))),
            ),
            ("str", " a_x000A_ ", text(" a\n ")),
            ("str", "", text("")),
        ] {
            assert_eq!(of(kind, raw), found, "{kind} {raw}");
        }
    }

    #[test]
    fn values_that_do_not_fit_their_type_are_kept_as_text() {
        for (kind, raw) in [
            ("", "abc"),
            ("n", "1,5"),
            ("b", "maybe"),
            ("e", "Err:502"),
            ("d", "yesterday"),
            ("inlineStr", "x"),
            ("other", "x"),
        ] {
            assert_eq!(of(kind, raw), text(raw), "{kind} {raw}");
        }
        // Any text might stand at the number that is meant.
        assert_eq!(of("s", "x"), Found::NoNumber("x".into()));
    }

    #[test]
    fn formulas_without_a_value_are_told_from_empty_texts() {
        let formula = |kind, text| value(kind, text, None, true);
        let valueless = Found::Content(Content::Formula);
        assert_eq!(formula("", None), valueless);
        assert_eq!(formula("n", Some("")), valueless);
        assert_eq!(formula("str", None), valueless);
        assert_eq!(formula("str", Some("")), text(""));
        assert_eq!(of("s", ""), Found::Nothing);
        assert_eq!(value("", None, None, false), Found::Nothing);
        assert_eq!(value("inlineStr", Some("1"), Some("a"), false), text("a"));
    }
}
