//! What a join says of its rows: how many matched, which did not, and why that may be.

use super::counts::{Counts, keys};
use super::options::{How, JoinsOptions};
use super::shown::{FEW, Shown, share};
use crate::fix::Fix;
use crate::note::{Note, Topic};
use crate::text;

/// The lines, the most important first.
pub fn notes(
    left: Shown<'_>,
    right: Shown<'_>,
    counts: &Counts,
    options: &JoinsOptions,
    near: Option<String>,
) -> Vec<Note> {
    let mut notes = vec![headline(counts, options.how)];
    notes.extend(multiplied(left, right, counts, options.how));
    notes.extend(near.map(|text| Note::new(Topic::Result, text)));
    notes.extend(missing(left, right, options));
    notes.extend(only("a", left, right, counts.only_left()));
    notes.extend(only("b", right, left, counts.only_right()));
    notes
}

fn headline(counts: &Counts, how: How) -> Note {
    let matched = counts.left_matched;
    let of = |part: u64, whole: u64| match whole {
        0 => String::new(),
        whole => format!(" ({})", share(part, whole)),
    };
    let text = format!(
        "{} join, {}: {} of {} of a matched{}, {} only a{}, {} of {} of b only b{}",
        how.word(),
        text::counted(counts.result(how), "row"),
        text::count(matched),
        text::counted(counts.left_rows, "row"),
        of(matched, counts.left_rows),
        text::count(counts.only_left()),
        of(counts.only_left(), counts.left_rows),
        text::count(counts.only_right()),
        text::counted(counts.right_rows, "row"),
        of(counts.only_right(), counts.right_rows),
    );
    let mut note = Note::new(Topic::Result, text);
    note.count = Some(matched);
    note
}

/// Rows that stand more than once in the result; in an inner join losses may hide it.
fn multiplied(left: Shown<'_>, right: Shown<'_>, counts: &Counts, how: How) -> Option<Note> {
    let (base, other, names, all) = match how {
        How::Semi | How::Anti => return None,
        How::Right => (right, left, ("b", "a"), counts.right_multiplied),
        _ => (left, right, ("a", "b"), counts.left_multiplied),
    };
    if all == 0 {
        return None;
    }
    let hidden = how == How::Inner && !counts.grows(how);
    let shown = repeats(base, other, names, all);
    let tail = if hidden {
        ", hidden in the count by rows without a match"
    } else {
        ""
    };
    let text = format!("rows of {} multiplied: {shown}{tail}", names.0);
    let mut note = Note::new(Topic::Rows, text);
    note.count = Some(all as u64);
    Some(note)
}

/// Keys with their counts on both sides: `id 7 (1 row of a, 3 of b)`, those that give most rows first.
pub fn repeats(base: Shown<'_>, other: Shown<'_>, names: (&str, &str), all: usize) -> String {
    let mut found = keys(base.side, other.side, usize::MAX, |base, other| {
        base > 0 && other > 1
    });
    let grown = |key: &u32| {
        let key = *key as usize;
        u64::from(base.side.count[key]) * u64::from(other.side.count[key] - 1)
    };
    found.sort_by_key(|key| std::cmp::Reverse(grown(key)));
    found.truncate(FEW);
    counted(base, other, names, &found, all)
}

/// Keys with their counts on both sides.
pub fn counted(
    base: Shown<'_>,
    other: Shown<'_>,
    names: (&str, &str),
    keys: &[u32],
    all: usize,
) -> String {
    let shown: Vec<String> = keys
        .iter()
        .map(|key| {
            let there = |side: &[u32]| side.get(*key as usize).copied().unwrap_or(0);
            let rows = there(&base.side.count);
            let value = if rows > 0 {
                base.key(*key)
            } else {
                other.key(*key)
            };
            format!(
                "{value} ({} of {}, {} of {})",
                text::counted(u64::from(rows), "row"),
                names.0,
                text::count(u64::from(there(&other.side.count))),
                names.1
            )
        })
        .collect();
    let more = super::shown::more(all, keys.len());
    format!("{} {}{more}", base.name(), shown.join(", "))
}

fn missing(left: Shown<'_>, right: Shown<'_>, options: &JoinsOptions) -> Option<Note> {
    let (a, b) = (left.side.missing, right.side.missing);
    if a == 0 && b == 0 {
        return None;
    }
    let counts = format!(
        "{} of a, {} of b",
        text::counted(u64::from(a), "row"),
        text::count(u64::from(b))
    );
    let mut note = if options.match_missing {
        Note::new(
            Topic::Rows,
            format!("missing keys match each other: {counts}"),
        )
    } else {
        let fix = Fix::on("match_missing");
        let text = format!("missing keys match nothing: {counts} ({fix} to match them)");
        Note::new(Topic::Rows, text).fix(fix)
    };
    note.count = Some(u64::from(a) + u64::from(b));
    Some(note)
}

/// Keys of one table that the other does not have.
fn only(name: &str, base: Shown<'_>, other: Shown<'_>, rows: u64) -> Option<Note> {
    let counts = base.side.count.iter().zip(&other.side.count);
    let all = counts
        .filter(|(base, other)| **base > 0 && **other == 0)
        .count();
    if all == 0 {
        return None;
    }
    let found = keys(base.side, other.side, FEW, |base, other| {
        base > 0 && other == 0
    });
    let text = format!("only {name}: {}", base.list(&found, all));
    let mut note = Note::new(Topic::Rows, text);
    note.count = Some(rows);
    Some(note)
}
