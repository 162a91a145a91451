//! The walk over columns of text and those that are decided cell by cell: lengths, widths, which texts
//! are stored once. It stores no text of its own.

use polars::prelude::{DataType, Series};

use super::account::{Seen, Told};
use super::loose::{Cell, Loose};
use super::measure::Width;
use super::plan::{Found, How, Look, Texts, Walk};
use super::words::Words;
use crate::error::{Error, ErrorKind, Result};

/// A column of text.
pub fn texts<'a>(walk: &Walk<'a, '_>) -> Result<Found<'a>> {
    let values: &'a Series = walk.values;
    let texts = values
        .str()
        .map_err(|error| Error::new(ErrorKind::Internal, "text that is none").because(error))?;
    let mut width = Width::default();
    let mut words = Some(Words::new());
    let mut changed = false;
    let (mut uses, mut bytes) = (0, 0);
    for (row, text) in texts.iter().enumerate() {
        walk.check(row)?;
        let Some(text) = text else { continue };
        walk.check_length(row, text)?;
        uses += 1;
        bytes += text.len() as u64;
        width.add(text);
        changed = changed || is_changed_by_editing(text);
        if words.as_mut().is_some_and(|words| !words.add(text)) {
            words = None;
        }
    }
    let texts = match words {
        Some(words) => {
            bytes = words.texts().iter().map(|text| text.len() as u64).sum();
            Texts::Once(words)
        }
        None => each(walk, |part| part.len() - part.null_count()),
    };
    let look = if changed { Look::Text } else { Look::General };
    Ok(Found {
        how: How::Text,
        look,
        width,
        texts,
        uses,
        bytes,
        seen: Seen::default(),
    })
}

/// A column that is decided cell by cell.
pub fn loose<'a>(walk: &Walk<'a, '_>, loose: Loose) -> Result<Found<'a>> {
    let mut found = Found::plain(
        How::Loose(loose),
        Look::General,
        Width::default(),
        Seen::default(),
    );
    let zoned = matches!(walk.values.dtype(), DataType::Datetime(_, Some(_)));
    let mut before = Vec::new();
    for start in (0..walk.values.len()).step_by(walk.step) {
        before.push(found.uses);
        let part = walk.values.slice(start as i64, walk.step);
        loose.each(&part, walk.control, |row, cell| {
            let row = start + row;
            match cell {
                Cell::Missing => {}
                Cell::Infinite => found.seen.add(Told::Infinite, row, String::new),
                Cell::Number(digits) => found.width.add(digits),
                Cell::Bool(_) => found.width.add("FALSE"),
                Cell::Text(written) | Cell::Digits(written) => {
                    walk.check_length(row, written)?;
                    found.uses += 1;
                    found.bytes += written.len() as u64;
                    found.width.add(written);
                    if matches!(cell, Cell::Digits(_)) {
                        found.seen.add(Told::LongInt, row, || written.to_owned());
                    } else if zoned {
                        found.seen.add(Told::Zoned, row, || written.to_owned());
                    } else if loose == Loose::Json {
                        found.seen.add(Told::Nested, row, String::new);
                    }
                }
            }
            Ok(())
        })?;
    }
    if found.uses > 0 {
        found.texts = Texts::Each {
            before,
            count: found.uses,
        };
    }
    Ok(found)
}

/// One text for each cell that has one; `count` gives how many a piece has.
fn each<'a>(walk: &Walk<'_, '_>, count: impl Fn(&Series) -> usize) -> Texts<'a> {
    let mut all = 0;
    let before = (0..walk.values.len())
        .step_by(walk.step)
        .map(|start| {
            let before = all;
            all += count(&walk.values.slice(start as i64, walk.step)) as u64;
            before
        })
        .collect();
    Texts::Each { before, count: all }
}

/// True for a text that Excel takes for a number, a formula, a date or a bool when its cell is
/// edited, unless the format of the cell is text: `00042`, `=1+1`, `2026-01-31`, `TRUE`, `SEPT2`.
fn is_changed_by_editing(text: &str) -> bool {
    const MONTHS: [&str; 12] = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ];
    let trimmed = text.trim_start();
    let Some(first) = trimmed.as_bytes().first() else {
        return false;
    };
    if !first.is_ascii_alphabetic() {
        return first.is_ascii() || trimmed.starts_with(['€', '£', '¥']);
    }
    let is = |word: &str| trimmed.eq_ignore_ascii_case(word);
    let month = || {
        let start = trimmed.get(..3).unwrap_or_default().to_ascii_lowercase();
        MONTHS.contains(&start.as_str()) && trimmed.bytes().any(|byte| byte.is_ascii_digit())
    };
    is("true") || is("false") || month()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_editing_would_change_are_known() {
        for text in [
            "00042",
            "=1+1",
            "+33",
            "-2",
            "@SUM(A1)",
            " 7",
            "2026-01-31",
            "12:30",
            "1/2",
            ".5",
            "(3)",
            "$5",
            "€ 5",
            "'x",
            "TRUE",
            "false",
            "Jan 5",
            "SEPT2",
            "MARCH1",
            "50 %",
            "#N/A",
        ] {
            assert!(is_changed_by_editing(text), "{text:?}");
        }
        for text in [
            "",
            " ",
            "Paris",
            "January",
            "a1",
            "true story",
            "Ångström 5",
            "東京",
            "e5",
        ] {
            assert!(!is_changed_by_editing(text), "{text:?}");
        }
    }
}
