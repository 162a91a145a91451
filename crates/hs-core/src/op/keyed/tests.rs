use polars::prelude::{
    AnyValue, Column, DataType, Int64Chunked, IntoSeries, NamedFrom, Series, TimeUnit, TimeZone,
};

use super::*;
use crate::table::Kind;

/// A column and its info.
fn column(series: Series) -> (ColumnInfo, Column) {
    let kind = Kind::of(series.dtype());
    let name = "k".to_owned();
    (ColumnInfo { name, kind }, series.into())
}

fn mixed(texts: &[&str]) -> (ColumnInfo, Column) {
    let (mut info, column) = column(Series::new("k".into(), texts));
    info.kind = Kind::Mixed;
    (info, column)
}

fn part(column: &(ColumnInfo, Column)) -> Part<'_> {
    (&column.0, &column.1)
}

fn numbers(left: &(ColumnInfo, Column), right: &(ColumnInfo, Column)) -> (Vec<u32>, Vec<u32>) {
    let control = Control::default();
    let keyed = two(&[part(left)], &[part(right)], Missing::Value, &control).expect("in common");
    (keyed.left.keys, keyed.right.keys)
}

/// The keys of one table.
fn one(parts: &[Part<'_>], missing: Missing, control: &Control) -> Result<Side> {
    two(parts, parts, missing, control).map(|keyed| keyed.left)
}

#[test]
fn numbers_follow_the_first_appearance_left_before_right() {
    let left = column(Series::new(
        "k".into(),
        ["b", "a", "b", "a long text that no view holds"],
    ));
    let right = column(Series::new(
        "k".into(),
        ["c", "a long text that no view holds", "a", "c"],
    ));
    let control = Control::default();
    let keyed = two(&[part(&left)], &[part(&right)], Missing::Never, &control).expect("texts");
    assert_eq!(keyed.left.keys, [0, 1, 0, 2]);
    assert_eq!(keyed.right.keys, [3, 2, 1, 3]);
    assert_eq!(keyed.left.count, [2, 1, 1, 0]);
    assert_eq!(keyed.right.count, [0, 1, 1, 2]);
    assert_eq!(keyed.left.first, [0, 1, 3, NONE]);
    assert_eq!(keyed.right.first, [NONE, 2, 1, 0]);
}

#[test]
fn a_missing_value_is_a_value_or_no_key() {
    let left = column(Series::new("k".into(), [Some(1.5), None, Some(f64::NAN)]));
    let right = column(Series::new("k".into(), [None, Some(1.5)]));
    assert_eq!(numbers(&left, &right), (vec![0, 1, 1], vec![1, 0]));
    let control = Control::default();
    let keyed = two(&[part(&left)], &[part(&right)], Missing::Never, &control).expect("floats");
    assert_eq!(keyed.left.keys, [0, NONE, NONE]);
    assert_eq!((keyed.left.missing, keyed.right.missing), (2, 1));
    assert_eq!(keyed.left.count, [1]);
    let keyed = two(&[part(&left)], &[part(&right)], Missing::Value, &control).expect("floats");
    assert_eq!((keyed.left.missing, keyed.right.missing), (2, 1));
    assert_eq!(keyed.left.count, [1, 2]);
}

#[test]
fn keys_of_two_columns_are_pairs() {
    let first = column(Series::new(
        "a".into(),
        [Some(1i64), Some(1), None, Some(1), None],
    ));
    let second = column(Series::new("b".into(), ["x", "y", "x", "x", "x"]));
    let control = Control::default();
    let parts = [part(&first), part(&second)];
    let side = one(&parts, Missing::Value, &control).expect("keys");
    assert_eq!(side.keys, [0, 1, 2, 0, 2]);
    assert_eq!(side.missing, 2);
    let side = one(&parts, Missing::Never, &control).expect("keys");
    assert_eq!(side.keys, [0, 1, NONE, 0, NONE]);
    assert_eq!((side.missing, side.count), (2, vec![2, 1]));
    let none = one(&[], Missing::Value, &control).expect("no keys");
    assert!(none.keys.is_empty() && none.count.is_empty());
}

#[test]
fn values_are_equal_across_types_when_they_are_the_same() {
    let ints = column(Series::new("k".into(), [1i32, 9, -3]));
    let large = column(Series::new("k".into(), [9_007_199_254_740_993i64, 1, 9]));
    assert_eq!(numbers(&ints, &large), (vec![0, 1, 2], vec![3, 0, 1]));
    let unsigned = column(Series::new("k".into(), [u64::MAX, 9, 1]));
    assert_eq!(numbers(&large, &unsigned).1, [3, 2, 1]);
    let floats = column(Series::new("k".into(), [9_007_199_254_740_992.0, 1.0, 9.5]));
    assert_eq!(numbers(&large, &floats).1, [3, 1, 4]);
    let decimals = Series::new("k".into(), [100i128, 950, 5]);
    let decimals = decimals.into_decimal(10, 2).expect("decimals");
    let decimals = column(decimals);
    assert_eq!(numbers(&floats, &decimals).1, [1, 2, 3]);
    assert_eq!(numbers(&ints, &decimals).1, [0, 3, 4]);
}

#[test]
fn times_are_equal_across_units() {
    let days = column(
        Series::new("k".into(), [19_000i32, 0])
            .cast(&DataType::Date)
            .expect("days"),
    );
    let moments = |unit, factor: i64, zone: Option<TimeZone>| {
        let values = Int64Chunked::new("k".into(), [19_000 * 86_400_000 * factor, factor]);
        column(values.into_datetime(unit, zone).into_series())
    };
    let millis = moments(TimeUnit::Milliseconds, 1, None);
    let micros = moments(TimeUnit::Microseconds, 1000, None);
    assert_eq!(numbers(&millis, &micros), (vec![0, 1], vec![0, 1]));
    assert_eq!(numbers(&days, &micros), (vec![0, 1], vec![0, 2]));
    let instants = moments(TimeUnit::Microseconds, 1000, Some(TimeZone::UTC));
    let control = Control::default();
    assert!(
        common(part(&instants), part(&micros), &control)
            .expect("asked")
            .is_none()
    );
}

#[test]
fn texts_never_equal_numbers_but_mixed_values_may() {
    let texts = column(Series::new("k".into(), ["1", "x"]));
    let ints = column(Series::new("k".into(), [1i64, 2]));
    let control = Control::default();
    assert!(
        common(part(&texts), part(&ints), &control)
            .expect("asked")
            .is_none()
    );
    let both = mixed(&["1.0", "\"1\"", "null", "\"x\"", "1"]);
    assert_eq!(numbers(&both, &ints).0, [0, 1, 2, 3, 0]);
    assert_eq!(numbers(&both, &ints).1, [0, 4]);
    assert_eq!(numbers(&both, &texts).1, [1, 3]);
    let nothing = column(Series::full_null("k".into(), 2, &DataType::Null));
    assert_eq!(numbers(&ints, &nothing), (vec![0, 1], vec![2, 2]));
    assert_eq!(numbers(&nothing, &texts), (vec![0, 0], vec![1, 2]));
    assert_eq!(numbers(&nothing, &nothing), (vec![0, 0], vec![0, 0]));
}

#[test]
fn near_and_far_numbers_in_many_stretches_are_numbered_alike() {
    let rows = 300_000i64;
    let near: Vec<Option<i64>> = (0..rows)
        .map(|row| (row % 1000 > 0).then_some(row * 7919 % 1013))
        .collect();
    let far: Vec<Option<i64>> = near
        .iter()
        .map(|value| value.map(|value| value << 40))
        .collect();
    let texts: Vec<Option<String>> = near
        .iter()
        .map(|value| value.map(|value| format!("{value:07}")))
        .collect();
    let control = Control::default();
    let mut expected: Vec<u32> = Vec::new();
    let mut seen: Vec<Option<i64>> = Vec::new();
    for value in &near {
        let known = seen.iter().position(|known| known == value);
        expected.push(known.unwrap_or(seen.len()) as u32);
        if known.is_none() {
            seen.push(*value);
        }
    }
    for series in [
        Series::new("k".into(), near),
        Series::new("k".into(), far),
        Series::new("k".into(), texts),
    ] {
        let column = column(series);
        let side = one(&[part(&column)], Missing::Value, &control).expect("keys");
        assert_eq!(side.keys, expected);
        assert_eq!(side.missing, 300);
        assert_eq!(side.count.iter().sum::<u32>(), rows as u32);
    }
}

#[test]
fn nested_values_are_the_same_by_their_json_text() {
    let lists = |values: &[&[i64]]| {
        let items: Vec<Series> = values
            .iter()
            .map(|items| Series::new("".into(), *items))
            .collect();
        column(Series::new("k".into(), items))
    };
    let (left, right) = (lists(&[&[1, 2], &[]]), lists(&[&[], &[2, 1], &[1, 2]]));
    assert_eq!(numbers(&left, &right).1, [1, 2, 0]);
    assert!(matches!(left.1.get(0), Ok(AnyValue::List(_))));
}

/// A first row and a count, or two rows.
type Pair = (u32, u32);

/// The groups of a column and the rows of its ends, as a plain walk finds them.
fn walked(texts: &[Option<String>]) -> (Vec<Pair>, Option<Pair>, Option<Pair>) {
    let mut groups: Vec<Pair> = Vec::new();
    let mut known = std::collections::HashMap::new();
    for (row, text) in texts.iter().enumerate() {
        let group = *known.entry(text).or_insert_with(|| {
            groups.push((row as u32, 0));
            groups.len() - 1
        });
        groups[group].1 += 1;
    }
    let missing = known.get(&None).map(|group| groups[*group]);
    let there = known
        .iter()
        .filter_map(|(text, group)| Some((text.as_ref()?, groups[*group].0)));
    let low = there.clone().min().map(|(_, row)| row);
    let high = there.max().map(|(_, row)| row);
    (groups, missing, low.zip(high))
}

#[test]
fn counts_are_those_of_a_plain_walk() {
    let control = Control::default();
    // Lengths around what values of each size hold, few and many different, with gaps and without, in parts.
    for (length, distinct, gaps) in [
        (3, 900, true),
        (7, 9_000, false),
        (8, 9_000, true),
        (15, 20_000, true),
        (16, 20, true),
        (31, 30_000, false),
        (32, 30_000, true),
        (60, 5, false),
    ] {
        let text = |row: usize| {
            let number = row * 7_919 % 104_729 % distinct;
            let text = format!("{number:x>width$}", width = length - number % 3);
            (!gaps || !row.is_multiple_of(11)).then_some(text)
        };
        let texts: Vec<Option<String>> = (0..80_000).map(text).collect();
        let (mut expected, missing, ends) = walked(&texts);
        expected.sort_unstable();
        let mut whole = Series::new("k".into(), &texts[..30_000]);
        whole
            .append(&Series::new("k".into(), &texts[30_000..]))
            .expect("texts");
        assert_eq!(whole.n_chunks(), 2);
        let bytes = whole.cast(&DataType::Binary).expect("bytes");
        let flat = bytes.cast(&DataType::BinaryOffset).expect("flat bytes");
        for series in [whole, bytes, flat] {
            let column = column(series);
            let found = counts(&[part(&column)], &control).expect("counts");
            assert_eq!(found.ends, ends, "{length}");
            let group = |at: usize| (found.first[at], found.count[at]);
            assert_eq!(
                found.missing.map(|at| group(at as usize)),
                missing,
                "{length}"
            );
            let mut found: Vec<_> = (0..found.first.len()).map(group).collect();
            found.sort_unstable();
            assert_eq!(found, expected, "{length}");
        }
    }
}

#[test]
fn the_ends_of_numbers_are_those_of_their_values() {
    let control = Control::default();
    let ends = |series: Series| {
        let column = column(series);
        counts(&[part(&column)], &control).expect("counts").ends
    };
    let whole =
        |spread: i64| (0..90_000i64).map(move |row| (row * 7_919 % 10_007 - 5_000) * spread);
    let at = |value: i64| whole(1).position(|other| other == value).expect("there") as u32;
    let expected = Some((at(-5_000), at(5_006)));
    for spread in [1, 1 << 40] {
        let values: Vec<i64> = whole(spread).collect();
        let floats: Vec<f64> = values.iter().map(|value| *value as f64 / 3.0).collect();
        let wide: Vec<i128> = values
            .iter()
            .map(|value| i128::from(*value) << 60)
            .collect();
        assert_eq!(ends(Series::new("k".into(), values)), expected);
        assert_eq!(ends(Series::new("k".into(), floats)), expected);
        let wide = polars::prelude::Int128Chunked::from_vec("k".into(), wide);
        assert_eq!(ends(wide.into_series()), expected);
    }
    assert_eq!(ends(Series::new("k".into(), [None::<i64>, None])), None);
    assert_eq!(ends(Series::new("k".into(), [f64::NAN])), None);
    assert_eq!(
        ends(Series::new("k".into(), [u64::MAX, 0, u64::MAX])),
        Some((1, 0))
    );
    assert_eq!(ends(Series::new("k".into(), [true, false])), Some((1, 0)));
}
