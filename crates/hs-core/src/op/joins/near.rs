//! Keys without a match that would match if spaces, case, leading zeros or the form of a number did not count. It is
//! told, never applied.

use std::borrow::Cow;

use polars::prelude::{DataType, PlHashMap, StringChunked};

use super::counts::keys;
use super::shown::quoted;
use crate::control::Control;
use crate::error::Result;
use crate::op::keyed::{Part, Side};
use crate::op::look;
use crate::table::Kind;
use crate::text;

/// Keys of each table that are looked at.
const LOOK: usize = 20_000;
/// Ways of matching that are named.
const WAYS: usize = 4;
/// Keys between two looks at the stop request.
const STEP: usize = 4096;

/// The line about keys that nearly match; none when there are none, or no texts in the keys.
///
/// # Errors
/// A stop request.
pub fn near(
    left: (&[Part<'_>], &Side),
    right: (&[Part<'_>], &Side),
    control: &Control,
) -> Result<Option<String>> {
    let lefts = keys(left.1, right.1, LOOK, |left, right| left > 0 && right == 0);
    let rights = keys(left.1, right.1, LOOK, |left, right| left == 0 && right > 0);
    if lefts.is_empty() || rights.is_empty() {
        return Ok(None);
    }
    let (Some(left_texts), Some(right_texts)) = (texts(left.0), texts(right.0)) else {
        return Ok(None);
    };
    let mut known: PlHashMap<String, u32> = PlHashMap::default();
    for (index, key) in rights.iter().enumerate() {
        if index.is_multiple_of(STEP) {
            control.check()?;
        }
        if let Some(values) = key_of(&right_texts, right.1, *key) {
            known.entry(plain_key(&values)).or_insert(*key);
        }
    }
    let mut ways: Vec<Way> = Vec::new();
    let mut all = 0;
    for (index, key) in lefts.iter().enumerate() {
        if index.is_multiple_of(STEP) {
            control.check()?;
        }
        let Some(values) = key_of(&left_texts, left.1, *key) else {
            continue;
        };
        let there = known.get(&plain_key(&values));
        let Some(others) = there.and_then(|there| key_of(&right_texts, right.1, *there)) else {
            continue;
        };
        all += 1;
        let words = differences(&values, &others);
        match ways.iter_mut().find(|way| way.words == words) {
            Some(way) => way.count += 1,
            None => ways.push(Way {
                words,
                count: 1,
                example: (shown(&values), shown(&others)),
            }),
        }
    }
    if all == 0 {
        return Ok(None);
    }
    ways.sort_by_key(|way| std::cmp::Reverse(way.count));
    let several = ways.len() > 1;
    let said: Vec<String> = ways
        .iter()
        .take(WAYS)
        .map(|way| {
            let count = if several {
                format!("{} ", text::count(way.count))
            } else {
                String::new()
            };
            let (a, b) = &way.example;
            format!(
                "{count}after {}, such as {a} and {b}",
                way.words.join(" and ")
            )
        })
        .collect();
    let at_least = if lefts.len() == LOOK || rights.len() == LOOK {
        "at least "
    } else {
        ""
    };
    let colon = if several { ": " } else { " " };
    Ok(Some(format!(
        "{at_least}{} of a would match{colon}{}",
        text::counted(all, "more key"),
        said.join("; ")
    )))
}

/// Keys that would match in the same way.
struct Way {
    words: Vec<&'static str>,
    count: u64,
    example: (String, String),
}

/// The columns of a key as texts; none when all of them are of other types, which match by value or not at all.
fn texts<'a>(parts: &[Part<'a>]) -> Option<Vec<Texts<'a>>> {
    let all: Vec<Texts<'a>> = parts.iter().map(|part| Texts::of(*part)).collect();
    let some = all.iter().any(|texts| !matches!(texts, Texts::Other(_)));
    some.then_some(all)
}

enum Texts<'a> {
    Text(&'a StringChunked),
    /// JSON text.
    Mixed(&'a StringChunked),
    Other(Part<'a>),
}

impl<'a> Texts<'a> {
    fn of(part: Part<'a>) -> Self {
        let series = part.1.as_materialized_series();
        match (series.dtype(), series.str()) {
            (DataType::String, Ok(texts)) if part.0.kind == Kind::Mixed => Self::Mixed(texts),
            (DataType::String, Ok(texts)) => Self::Text(texts),
            _ => Self::Other(part),
        }
    }

    fn get(&self, row: usize) -> Option<Cow<'a, str>> {
        match self {
            Self::Text(texts) | Self::Mixed(texts) => texts.get(row).map(Cow::Borrowed),
            Self::Other((_, column)) => {
                column.get(row).ok().map(|value| text::plain(&value).into())
            }
        }
    }
}

/// The values of a key with their columns; none when one of them is missing.
fn key_of<'a, 't>(
    texts: &'t [Texts<'a>],
    side: &Side,
    key: u32,
) -> Option<Vec<(&'t Texts<'a>, Cow<'a, str>)>> {
    let row = *side.first.get(key as usize)? as usize;
    texts
        .iter()
        .map(|texts| texts.get(row).map(|value| (texts, value)))
        .collect()
}

type Values<'a, 't> = [(&'t Texts<'a>, Cow<'a, str>)];

fn shown(values: &Values<'_, '_>) -> String {
    let value = |(texts, value): &(&Texts<'_>, Cow<'_, str>)| match texts {
        Texts::Text(_) => quoted(value),
        _ => value.to_string(),
    };
    let values: Vec<String> = values.iter().map(value).collect();
    match values.as_slice() {
        [one] => one.clone(),
        values => format!("({})", values.join(", ")),
    }
}

/// A key without what may not count in its texts.
fn plain_key(values: &Values<'_, '_>) -> String {
    let mut key = String::new();
    for (texts, value) in values {
        match texts {
            Texts::Other(_) => key.push_str(&same_value(value)),
            texts => key.push_str(&plain(unquoted(texts, value))),
        }
        key.push('\u{1f}');
    }
    key
}

/// The text of a number or a time, alike in all types that hold it: the key's other columns may match by value.
fn same_value(value: &str) -> Cow<'_, str> {
    match plain_number(value) {
        Some(number) => number.into(),
        None => value.strip_suffix(" 00:00:00").unwrap_or(value).into(),
    }
}

/// JSON text of a text without its quotes: `"1"` may be 1.
fn unquoted<'v>(texts: &Texts<'_>, value: &'v str) -> &'v str {
    let inside = || value.strip_prefix('"')?.strip_suffix('"');
    match texts {
        Texts::Mixed(_) => inside().unwrap_or(value),
        _ => value,
    }
}

fn plain(value: &str) -> Cow<'_, str> {
    let value = value.trim();
    if let Some(number) = plain_number(value) {
        return number.into();
    }
    if value
        .bytes()
        .all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase())
    {
        return value.into();
    }
    value.to_lowercase().into()
}

/// The digits of a number without what does not count: leading zeros, zeros after the point, a plus. None for what is no
/// number, or one with an exponent.
pub fn plain_number(value: &str) -> Option<String> {
    if !look::plain_number(value) || value.contains(['e', 'E']) {
        return None;
    }
    let (sign, digits) = match value.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", value.strip_prefix('+').unwrap_or(value)),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let (whole, fraction) = (
        whole.trim_start_matches('0'),
        fraction.trim_end_matches('0'),
    );
    Some(match (whole, fraction) {
        ("", "") => "0".to_owned(),
        (whole, "") => format!("{sign}{whole}"),
        ("", fraction) => format!("{sign}0.{fraction}"),
        (whole, fraction) => format!("{sign}{whole}.{fraction}"),
    })
}

/// What keeps two keys from matching, in words.
fn differences(left: &Values<'_, '_>, right: &Values<'_, '_>) -> Vec<&'static str> {
    let mut words: Vec<&'static str> = Vec::new();
    let mut say = |word: &'static str| {
        if !words.contains(&word) {
            words.push(word);
        }
    };
    for ((texts, left), (others, right)) in left.iter().zip(right) {
        // They are one value, or the keys would not be near.
        if let (Texts::Other(_), Texts::Other(_)) = (texts, others) {
            continue;
        }
        let (a, b) = (unquoted(texts, left), unquoted(others, right));
        if (a.len() == left.len()) != (b.len() == right.len()) && plain_number(a.trim()).is_some() {
            say("text to number");
        }
        let around = |text: &str| {
            let front = text.len() - text.trim_start().len();
            (
                text[..front].to_owned(),
                text[text.trim_end().len().max(front)..].to_owned(),
            )
        };
        if around(a) != around(b) {
            say("strip");
        }
        let (a, b) = (a.trim(), b.trim());
        if a == b {
            continue;
        }
        if plain_number(a).is_none() {
            say("case");
            continue;
        }
        let whole = |text: &str| text.split('.').next().unwrap_or_default().len();
        let fraction = |text: &str| text.len() - whole(text);
        let signed = |text: &str| text.starts_with('+');
        if fraction(a) != fraction(b) || signed(a) != signed(b) {
            say("text to number");
        } else {
            say("zero-pad");
        }
    }
    if words.is_empty() {
        // A date, an object: it has the text of the other key, and is none.
        words.push("conversion to text");
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_count_in_a_number() {
        for (text, number) in [
            ("00042", "42"),
            ("42.0", "42"),
            ("+42", "42"),
            ("-0042.50", "-42.5"),
            ("000", "0"),
            ("-0.0", "0"),
            (".5", "0.5"),
        ] {
            assert_eq!(plain_number(text).as_deref(), Some(number), "{text}");
        }
        for text in ["", "4a", "1e5", "1,204", "-", "1.2.3"] {
            assert_eq!(plain_number(text), None, "{text}");
        }
    }

    #[test]
    fn texts_differ_in_spaces_and_case() {
        assert_eq!(plain(" Köln\t"), plain("KÖLN"));
        assert_eq!(plain("a  b"), "a  b");
        assert_ne!(plain("a b"), plain("ab"));
    }
}
