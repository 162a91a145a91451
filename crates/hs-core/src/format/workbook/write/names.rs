//! The rules for the names of sheets, and the name that is closest to one that breaks them.
//!
//! Source: what Excel says when a sheet is renamed; ECMA-376 part 1, 18.2.19 sets no rule but length.

use std::collections::HashSet;

use crate::error::{Error, ErrorKind, Result, quoted};
use crate::fix::Fix;

/// Characters that a name can have at most, in the UTF-16 units in which Excel counts.
const LONGEST: usize = 31;
const FORBIDDEN: [char; 7] = ['[', ']', ':', '*', '?', '/', '\\'];
/// What a sheet without another name is called.
pub const USUAL: &str = "Sheet1";

/// Checks all names of a workbook.
///
/// # Errors
/// [`ErrorKind::Argument`] with a name that could be used instead.
pub fn check<'a>(names: impl Iterator<Item = &'a str> + Clone) -> Result<()> {
    let all: HashSet<String> = names.clone().map(str::to_lowercase).collect();
    let alone = names.clone().nth(1).is_none();
    let mut taken = HashSet::new();
    for name in names {
        let broken = broken_rule(name);
        let twice = !taken.insert(name.to_lowercase());
        let message = match broken {
            Some(message) => message,
            None if twice => {
                format!("expected sheets of different names (in any case), found {name:?} twice")
            }
            None => continue,
        };
        let mut clean = clean(name);
        if (twice || clean.to_lowercase() != name.to_lowercase())
            && all.contains(&clean.to_lowercase())
        {
            clean = numbered(&clean, &all);
        }
        let error = Error::new(ErrorKind::Argument, message);
        let fix = Fix::text("sheet", &clean);
        return Err(if alone {
            error.hint(fix.to_string()).fix(fix)
        } else {
            error.hint(format!("call it {clean:?}"))
        });
    }
    Ok(())
}

/// The rule that a name breaks by itself.
fn broken_rule(name: &str) -> Option<String> {
    let units = units(name);
    if name.trim().is_empty() {
        let found = quoted(name);
        return Some(format!("expected a name for the sheet, found {found}"));
    }
    if units > LONGEST {
        let found = quoted(name);
        return Some(format!(
            "expected a sheet name of at most {LONGEST} characters, found {found} of {units}"
        ));
    }
    if name.contains(FORBIDDEN) {
        return Some(format!(
            "expected a sheet name without [ ] : * ? / \\, found {name:?}"
        ));
    }
    if name.contains(is_unprintable) {
        return Some(format!(
            "expected a sheet name without control characters, found {name:?}"
        ));
    }
    if name.starts_with('\'') || name.ends_with('\'') {
        return Some(format!(
            "expected a sheet name without ' at its ends, found {name:?}"
        ));
    }
    // The name under which Excel keeps the changes of shared workbooks.
    name.eq_ignore_ascii_case("history")
        .then(|| format!("expected another sheet name than {name:?}, which Excel keeps for itself"))
}

/// XML has no such characters, or readers change them.
fn is_unprintable(character: char) -> bool {
    character.is_control() || matches!(character, '\u{fffe}' | '\u{ffff}')
}

fn units(text: &str) -> usize {
    text.encode_utf16().count()
}

/// The name with what is forbidden replaced or cut.
fn clean(name: &str) -> String {
    let allowed: String = name
        .chars()
        .map(|character| {
            if FORBIDDEN.contains(&character) || is_unprintable(character) {
                '_'
            } else {
                character
            }
        })
        .collect();
    let edge = |character: char| character == '\'' || character.is_whitespace();
    let short = cut(allowed.trim_matches(edge), LONGEST);
    match short.trim_end_matches(edge) {
        "" => USUAL.to_owned(),
        name if name.eq_ignore_ascii_case("history") => format!("{name}_"),
        name => name.to_owned(),
    }
}

/// The first `most` UTF-16 units of a text, without half a character.
fn cut(text: &str, most: usize) -> &str {
    let mut units = 0;
    let end = text.char_indices().find(|(_, character)| {
        units += character.len_utf16();
        units > most
    });
    end.map_or(text, |(end, _)| &text[..end])
}

/// The name with the first number behind it that makes it one of its own, as Excel names copies.
fn numbered(name: &str, taken: &HashSet<String>) -> String {
    (2..=taken.len() + 2)
        .map(|number| {
            let tail = format!(" ({number})");
            format!("{}{tail}", cut(name, LONGEST - tail.len()))
        })
        .find(|name| !taken.contains(&name.to_lowercase()))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(names: &[&str]) -> String {
        match check(names.iter().copied()) {
            Ok(()) => String::new(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn a_name_that_breaks_a_rule_comes_with_a_clean_one() {
        let cases = [
            (
                "",
                "expected a name for the sheet, found \"\"\nhint: sheet=\"Sheet1\"",
            ),
            (
                "Quarterly results of the year 2024",
                "expected a sheet name of at most 31 characters, found \"Quarterly results of the year 2024\" of 34\nhint: sheet=\"Quarterly results of the year 2\"",
            ),
            (
                "a/b",
                "expected a sheet name without [ ] : * ? / \\, found \"a/b\"\nhint: sheet=\"a_b\"",
            ),
            (
                "'q'",
                "expected a sheet name without ' at its ends, found \"'q'\"\nhint: sheet=\"q\"",
            ),
            (
                "History",
                "expected another sheet name than \"History\", which Excel keeps for itself\nhint: sheet=\"History_\"",
            ),
            (
                "a\nb",
                "expected a sheet name without control characters, found \"a\\nb\"\nhint: sheet=\"a_b\"",
            ),
        ];
        for (name, message) in cases {
            assert_eq!(said(&[name]), message);
        }
        assert!(said(&["[x]"]).contains("hint: sheet=\"_x_\""));
    }

    #[test]
    fn names_of_any_script_up_to_31_units_are_fine() {
        let longest = "x".repeat(31);
        for name in ["Größe & <Ümlaut> €", "東京", "it's", " a", longest.as_str()] {
            assert_eq!(said(&[name]), "", "{name}");
        }
        // Excel counts the halves of a character beyond the first 65,536.
        let faces = "😀".repeat(16);
        assert!(said(&[&faces]).contains("of 32\nhint: sheet=\"😀😀"));
        assert_eq!(said(&[&"😀".repeat(15)]), "");
    }

    #[test]
    fn names_differ_in_more_than_their_case() {
        assert_eq!(
            said(&["Jan", "jan (2)", "JAN"]),
            "expected sheets of different names (in any case), found \"JAN\" twice\nhint: call it \"JAN (3)\""
        );
        assert!(said(&["a_b", "a/b"]).ends_with("hint: call it \"a_b (2)\""));
    }
}
