//! The joins that are refused: keys of types that never match, rows that would multiply unasked, keys that repeat
//! where they must not. Every error says what would have been right.

use std::collections::{HashMap, HashSet};

use polars::prelude::{AnyValue, Column, DataType, PlSmallStr, Series};

use super::counts::{Counts, keys};
use super::near::plain_number;
use super::options::{JoinsOptions, Validate};
use super::report::{counted, repeats};
use super::shown::{FEW, Shown, value};
use crate::error::{Error, ErrorKind, Result};
use crate::fix::Fix;
use crate::op::charge::Typed;
use crate::op::keyed::{self, Part};
use crate::table::{ColumnInfo, Kind};
use crate::text;

/// Rows that are looked at for values that would match in another type.
const LOOK: usize = 20_000;

/// Refuses keys whose types have no value in common. A column of nothing but missing values goes with any: pandas and
/// others give it a type that nobody chose; it becomes one without type.
///
/// # Errors
/// [`ErrorKind::Type`] that names both types.
pub fn other_types(
    left: &mut [Column],
    right: &mut [Column],
    infos: [&[&ColumnInfo]; 2],
) -> Result<()> {
    let infos = infos[0].iter().zip(infos[1]);
    for ((a, b), (info_a, info_b)) in left.iter_mut().zip(right).zip(infos) {
        if keyed::comparable((info_a, a), (info_b, b)) {
            continue;
        }
        let without = [&*a, &*b].map(|column| has_no_value(column.as_materialized_series()));
        if without == [false, false] {
            return Err(type_clash((info_a, a), (info_b, b)));
        }
        for (column, without) in [a, b].into_iter().zip(without) {
            if without {
                *column = Column::full_null(PlSmallStr::EMPTY, column.len(), &DataType::Null);
            }
        }
    }
    Ok(())
}

/// True for a column of some rows without a value in any.
pub fn has_no_value(series: &Series) -> bool {
    let missing = match series.dtype() {
        DataType::Float64 => series
            .f64()
            .is_ok_and(|values| values.iter().all(|value| value.is_none_or(f64::is_nan))),
        _ => series.null_count() == series.len(),
    };
    missing && !series.is_empty()
}

/// The error for two columns of a key that have no value in common, with the type that would give matches.
pub fn type_clash(a: Part<'_>, b: Part<'_>) -> Error {
    let words = |part: Part<'_>| {
        if let Some(word) = keyed::word(part) {
            return word.to_owned();
        }
        let dtype = part.1.dtype().clone();
        let kind = part.0.kind;
        Typed { kind, dtype }.words()
    };
    let names = match (&a.0.name, &b.0.name) {
        (one, other) if one == other => format!("key {one:?}"),
        (one, other) => format!("keys {one:?} and {other:?}"),
    };
    let message = format!(
        "{names}: expected one type on both sides, found {} in a and {} in b",
        words(a),
        words(b)
    );
    let error = Error::new(ErrorKind::Type, message);
    if let Some(hint) = keyed::objects_hint([a, b]) {
        return error.hint(hint);
    }
    let text = |part: Part<'_>| matches!(part.0.kind, Kind::Text | Kind::Category);
    let ((typed, _), (texts, side)) = match (text(a), text(b)) {
        (false, true) => ((a, "a"), (b, "b")),
        (true, false) => ((b, "b"), (a, "a")),
        _ => {
            let zone = [a, b].iter().all(|part| part.0.kind == Kind::Datetime);
            return error.hint(if zone {
                "give both a zone, or neither"
            } else {
                "convert one of the two first"
            });
        }
    };
    let as_type = typed.0.kind.word();
    let fix = Fix::types(&texts.0.name, as_type);
    let convert = format!("{fix} when {side} is loaded, or text on both sides");
    let number = matches!(typed.0.kind, Kind::Int | Kind::Float | Kind::Decimal);
    let hint = match number.then(|| as_numbers(typed, texts)).flatten() {
        Some((number, text, count)) => {
            let keys = if count == 1 {
                "1 key".to_owned()
            } else {
                format!("{count} keys")
            };
            format!("as numbers {keys} would match, such as {text} and {number}: {convert}")
        }
        None => convert,
    };
    error.hint(hint).fix(fix)
}

/// A number and a text that would be the same number, and how many texts there are that have one.
fn as_numbers(numbers: Part<'_>, texts: Part<'_>) -> Option<(String, String, usize)> {
    let values = |part: Part<'_>| -> Vec<Option<String>> {
        let rows = 0..part.1.len().min(LOOK);
        let value = |row| match part.1.get(row).unwrap_or(AnyValue::Null) {
            AnyValue::Null => None,
            value => plain_number(text::plain(&value).trim()),
        };
        rows.map(value).collect()
    };
    let known: Vec<Option<String>> = values(numbers);
    let places: HashMap<&str, usize> = known
        .iter()
        .enumerate()
        .rev()
        .filter_map(|(row, value)| value.as_deref().map(|value| (value, row)))
        .collect();
    let mut seen: HashSet<String> = HashSet::new();
    let mut example = None;
    for (row, text) in values(texts).into_iter().enumerate() {
        let Some(text) = text else { continue };
        let Some(there) = places.get(text.as_str()) else {
            continue;
        };
        if seen.insert(text) {
            example.get_or_insert((*there, row));
        }
    }
    let (number, text) = example?;
    Some((
        value(numbers, number as u32),
        value(texts, text as u32),
        seen.len(),
    ))
}

/// Refuses keys that repeat where they must not, and rows that would multiply unasked.
///
/// # Errors
/// [`ErrorKind::Merge`] that names keys, counts and what fits.
pub fn repeated(
    left: Shown<'_>,
    right: Shown<'_>,
    counts: &Counts,
    options: &JoinsOptions,
) -> Result<()> {
    let fits = Validate::of(counts.left_repeats == 0, counts.right_repeats == 0);
    let fix = Fix::text("validate", fits.word());
    let names = ("a", "b");
    let Some(wanted) = options.validate else {
        if !counts.grows(options.how) {
            return Ok(());
        }
        let all = counts.left_multiplied;
        let message = format!(
            "expected at most one row of b for each row of a, found {} with more: {}; {} of a would become {}",
            text::counted(all as u64, "key"),
            repeats(left, right, names, all),
            text::counted(counts.left_rows, "row"),
            text::count(counts.result(options.how))
        );
        let hint = format!("{fix} if that is meant; else make the keys of b unique first");
        return Err(Error::new(ErrorKind::Merge, message).hint(hint).fix(fix));
    };
    let once = wanted.once();
    let (in_a, in_b) = (
        once.0 && counts.left_repeats > 0,
        once.1 && counts.right_repeats > 0,
    );
    if !in_a && !in_b {
        return Ok(());
    }
    let said = Fix::text("validate", wanted.word());
    let breaks = |left: u32, right: u32| (in_a && left > 1) || (in_b && right > 1);
    let (a, b) = (&left.side.count, &right.side.count);
    let all = a.iter().zip(b).filter(|(a, b)| breaks(**a, **b)).count();
    let found = keys(left.side, right.side, FEW, breaks);
    let place = match once {
        (true, true) => "a and in b",
        (true, false) => "a",
        _ => "b",
    };
    let repeating = match (in_a, in_b) {
        (true, true) => "a and b",
        (true, false) => "a",
        _ => "b",
    };
    let verb = if all == 1 { "repeats" } else { "repeat" };
    let message = format!(
        "{said}: expected each key once in {place}, found {} that {verb}: {}",
        text::counted(all as u64, "key"),
        counted(left, right, names, &found, all)
    );
    let hint = format!("{fix} fits these keys; else make the keys of {repeating} unique first");
    let error = Error::new(ErrorKind::Merge, message).hint(hint);
    Err(error.fix(said).fix(fix))
}

/// Refuses keys that are not as many on both sides, or none.
///
/// # Errors
/// [`ErrorKind::Argument`].
pub fn other_keys([left, right]: [&[ColumnInfo]; 2]) -> Result<()> {
    if left.is_empty() || left.len() != right.len() {
        let message = format!(
            "key: expected as many columns on both sides, and at least one, found {} in a and {} in b",
            left.len(),
            right.len()
        );
        return Err(Error::new(ErrorKind::Argument, message));
    }
    let mut seen: HashSet<(&str, &str)> = HashSet::new();
    for (a, b) in left.iter().zip(right) {
        if !seen.insert((&a.name, &b.name)) {
            let message = format!("key: expected each column once, found {:?} twice", a.name);
            return Err(Error::new(ErrorKind::Argument, message));
        }
    }
    Ok(())
}
