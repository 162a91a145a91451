//! Joins of small tables: which rows, what is said, what is refused.

use polars::prelude::{AnyValue, Column, DataType, IntoSeries, NamedFrom, Series, TimeUnit};

use super::{How, JoinsOptions, Validate, joins};
use crate::control::Control;
use crate::error::{Error, ErrorKind, Result};
use crate::fix::Face;
use crate::table::{ColumnInfo, Kind, Table};
use crate::text;

fn table(columns: Vec<(&str, Series)>) -> Table {
    let height = columns.first().map_or(0, |(_, series)| series.len());
    let columns = columns.into_iter().map(|(name, series)| {
        let info = ColumnInfo {
            name: name.into(),
            kind: Kind::of(series.dtype()),
        };
        (info, Column::from(series))
    });
    Table::from_columns(height, columns).unwrap()
}

fn ints(values: &[i64]) -> Series {
    Series::new("".into(), values)
}

fn texts(values: &[&str]) -> Series {
    Series::new("".into(), values)
}

fn how(how: How) -> JoinsOptions {
    JoinsOptions {
        how,
        ..JoinsOptions::default()
    }
}

fn checked(way: How, validate: Validate) -> JoinsOptions {
    JoinsOptions {
        validate: Some(validate),
        ..how(way)
    }
}

fn joined(a: &Table, b: &Table, options: &JoinsOptions) -> Result<Table> {
    joins(a, b, &[(0, 0)], options, &Control::default())
}

fn rows(table: &Table) -> Vec<String> {
    (0..table.height())
        .map(|row| {
            let value = |column: &Column| text::plain(&column.get(row).unwrap_or(AnyValue::Null));
            let values: Vec<String> = table.frame().columns().iter().map(value).collect();
            values.join("|")
        })
        .collect()
}

fn said(table: &Table) -> Vec<String> {
    table.account_for(Face::Python)
}

fn refused(result: Result<Table>) -> Error {
    result.expect_err("an error")
}

fn left() -> Table {
    table(vec![
        ("k", ints(&[3, 1, 2, 4])),
        ("v", texts(&["c", "a", "b", "d"])),
    ])
}

#[test]
fn each_way_keeps_its_rows_in_its_order() {
    let b = table(vec![
        ("k", ints(&[5, 2, 2, 3])),
        ("w", texts(&["p", "q", "r", "s"])),
    ]);
    let rows_of = |way| rows(&joined(&left(), &b, &checked(way, Validate::OneToMany)).unwrap());
    assert_eq!(
        rows_of(How::Left),
        ["3|c|s", "1|a|", "2|b|q", "2|b|r", "4|d|"]
    );
    assert_eq!(rows_of(How::Inner), ["3|c|s", "2|b|q", "2|b|r"]);
    assert_eq!(rows_of(How::Right), ["5||p", "2|b|q", "2|b|r", "3|c|s"]);
    assert_eq!(
        rows_of(How::Outer),
        ["3|c|s", "1|a|", "2|b|q", "2|b|r", "4|d|", "5||p"]
    );
    assert_eq!(rows_of(How::Semi), ["3|c", "2|b"]);
    assert_eq!(rows_of(How::Anti), ["1|a", "4|d"]);
}

#[test]
fn tables_without_rows_join() {
    let none = table(vec![("k", ints(&[])), ("w", texts(&[]))]);
    for way in How::ALL {
        for (a, b) in [(&left(), &none), (&none, &left()), (&none, &none)] {
            let result = joined(a, b, &how(way)).unwrap();
            let kept = match way {
                How::Left | How::Anti => a.height(),
                How::Right => b.height(),
                How::Outer => a.height() + b.height(),
                How::Inner | How::Semi => 0,
            };
            assert_eq!(result.height(), kept, "{way:?}");
        }
    }
}

#[test]
fn rows_that_multiply_are_refused_and_the_hint_is_what_passes() {
    let b = table(vec![("k", ints(&[2, 2, 3]))]);
    let error = refused(joined(&left(), &b, &how(How::Left)));
    assert_eq!(error.kind(), ErrorKind::Merge);
    assert_eq!(
        error.told(Face::Python),
        "expected at most one row of b for each row of a, found 1 key with more: k 2 (1 row of a, 2 of b); \
         4 rows of a would become 5\n\
         hint: validate=\"1:m\" if that is meant; else make the keys of b unique first"
    );
    assert!(error.told(Face::Shell).contains("hint: --validate 1:m if"));
    let result = joined(&left(), &b, &checked(How::Left, Validate::OneToMany)).unwrap();
    assert_eq!(result.height(), 5);
    // With repeats on both sides only m:m fits.
    let a = table(vec![("k", ints(&[1, 1, 1, 2]))]);
    let b = table(vec![("k", ints(&[1, 1, 2]))]);
    let error = refused(joined(&a, &b, &how(How::Inner)));
    assert!(error.to_string().contains("validate=\"m:m\""), "{error}");
    let result = joined(&a, &b, &checked(How::Inner, Validate::ManyToMany)).unwrap();
    assert_eq!(result.height(), 7);
    assert!(said(&result)[1].contains("rows of a multiplied: k 1 (3 rows of a, 2 of b)"));
}

#[test]
fn losses_do_not_hide_that_rows_multiply() {
    let b = table(vec![("k", ints(&[3, 3, 3]))]);
    let result = joined(&left(), &b, &how(How::Inner)).unwrap();
    assert_eq!(result.height(), 3);
    let said = said(&result);
    assert!(
        said[1].starts_with("rows of a multiplied: k 3 (1 row of a, 3 of b), hidden"),
        "{said:?}"
    );
}

#[test]
fn repeats_are_refused_on_the_sides_that_validate_names() {
    let once = table(vec![("k", ints(&[1, 2]))]);
    let twice = table(vec![("k", ints(&[7, 7, 1]))]);
    let passes = |a: &Table, b: &Table, validate| {
        let result = joined(a, b, &checked(How::Outer, validate));
        result
            .map_err(|error| assert_eq!(error.kind(), ErrorKind::Merge))
            .is_ok()
    };
    let passed = |a, b| Validate::ALL.map(|validate| passes(a, b, validate));
    assert_eq!(passed(&once, &once), [true, true, true, true]);
    assert_eq!(passed(&twice, &once), [false, false, true, true]);
    assert_eq!(passed(&once, &twice), [false, true, false, true]);
    assert_eq!(passed(&twice, &twice), [false, false, false, true]);
    let error = refused(joined(
        &twice,
        &once,
        &checked(How::Left, Validate::OneToOne),
    ));
    assert_eq!(
        error.to_string(),
        "validate=\"1:1\": expected each key once in a and in b, found 1 key that repeats: k 7 (2 rows of a, 0 of b)\n\
         hint: validate=\"m:1\" fits these keys; else make the keys of a unique first"
    );
}

#[test]
fn missing_keys_match_only_when_asked() {
    let column = || Series::new("".into(), [Some(1.0), None, Some(f64::NAN)]);
    let (a, b) = (table(vec![("k", column())]), table(vec![("k", column())]));
    let result = joined(&a, &b, &how(How::Inner)).unwrap();
    assert_eq!(result.height(), 1);
    let lines = said(&result);
    assert_eq!(
        lines[1],
        "missing keys match nothing: 2 rows of a, 2 of b (match_missing=True to match them)"
    );
    // They do not count as repeats either.
    assert!(joined(&a, &b, &checked(How::Outer, Validate::OneToOne)).is_ok());
    let options = JoinsOptions {
        match_missing: true,
        ..checked(How::Inner, Validate::ManyToMany)
    };
    assert_eq!(joined(&a, &b, &options).unwrap().height(), 5);
}

#[test]
fn keys_of_types_that_never_match_are_refused_with_both_types() {
    let numbers = table(vec![("id", ints(&[42, 7]))]);
    let codes = table(vec![("id", texts(&["00042", "8"]))]);
    let error = refused(joined(&numbers, &codes, &how(How::Left)));
    assert_eq!(error.kind(), ErrorKind::Type);
    assert_eq!(
        error.to_string(),
        "key \"id\": expected one type on both sides, found int in a and text in b\n\
         hint: as numbers 1 key would match, such as \"00042\" and 42: types={\"id\": \"int\"} when b is loaded, or \
         text on both sides"
    );
    let dates = table(vec![(
        "id",
        Series::new("".into(), [0i32])
            .cast(&DataType::Date)
            .unwrap(),
    )]);
    let error = refused(joined(&codes, &dates, &how(How::Left)));
    assert!(
        error.to_string().contains("found text in a and date in b"),
        "{error}"
    );
    let moment = |zone: Option<polars::prelude::TimeZone>| {
        let moments = ints(&[0]).i64().unwrap().clone();
        let moments = moments.into_datetime(TimeUnit::Microseconds, zone);
        table(vec![("id", moments.into_series())])
    };
    let zoned = moment(Some(polars::prelude::TimeZone::UTC));
    let error = refused(joined(&moment(None), &zoned, &how(How::Left)));
    assert!(
        error.to_string().contains("give both a zone, or neither"),
        "{error}"
    );
    // What has no value at all has no type that counts.
    let nothing = table(vec![("id", Series::new("".into(), [f64::NAN, f64::NAN]))]);
    assert_eq!(
        joined(&codes, &nothing, &how(How::Outer)).unwrap().height(),
        4
    );
}

#[test]
fn big_whole_numbers_never_go_through_float() {
    let a = table(vec![("k", ints(&[(1 << 53) + 1, 1 << 53]))]);
    let b = table(vec![("k", Series::new("".into(), [(1u64 << 53) as f64]))]);
    assert_eq!(
        rows(&joined(&a, &b, &how(How::Semi)).unwrap()),
        ["9007199254740992"]
    );
    let b = table(vec![(
        "k",
        Series::new("".into(), [u64::MAX, (1 << 53) + 1]),
    )]);
    assert_eq!(
        rows(&joined(&a, &b, &how(How::Semi)).unwrap()),
        ["9007199254740993"]
    );
}

#[test]
fn keys_that_nearly_match_are_told_and_not_matched() {
    let a = table(vec![("k", texts(&["a ", "B", "007", "42.0", "same"]))]);
    let b = table(vec![("k", texts(&["a", "b", "7", "42", "same"]))]);
    let result = joined(&a, &b, &how(How::Inner)).unwrap();
    assert_eq!(rows(&result), ["same"]);
    let said = said(&result);
    assert_eq!(
        said[1],
        "4 more keys of a would match: 1 after strip, such as \"a \" and \"a\"; 1 after case, such as \"B\" and \"b\"; \
         1 after zero-pad, such as \"007\" and \"7\"; 1 after text to number, such as \"42.0\" and \"42\""
    );
    assert_eq!(said[2], "only a: k \"a \", \"B\", \"007\" and 1 more key");
    assert_eq!(said[3], "only b: k \"a\", \"b\", \"7\" and 1 more key");
}

#[test]
fn the_texts_of_a_key_may_nearly_match_beside_other_columns_of_one_value() {
    let a = table(vec![
        ("id", ints(&[1, 2, 3])),
        ("code", texts(&["x ", "B", "z "])),
    ]);
    let b = table(vec![
        ("id", Series::new("".into(), [1.0, 2.0, 4.0])),
        ("code", texts(&["x", "b", "z"])),
    ]);
    let keys = [(0, 0), (1, 1)];
    let result = joins(&a, &b, &keys, &how(How::Left), &Control::default()).unwrap();
    assert_eq!(
        said(&result)[1],
        "2 more keys of a would match: 1 after strip, such as (1, \"x \") and (1.0, \"x\"); \
         1 after case, such as (2, \"B\") and (2.0, \"b\")"
    );
}

#[test]
fn the_headline_counts_rows_and_shares() {
    let b = table(vec![("k", ints(&[5, 2, 6]))]);
    let result = joined(&left(), &b, &how(How::Left)).unwrap();
    assert_eq!(
        said(&result)[0],
        "left join, 4 rows: 1 of 4 rows of a matched (25 %), 3 only a (75 %), 2 of 3 rows of b only b (66.7 %)"
    );
}

#[test]
fn an_outer_join_puts_the_keys_of_both_into_one_column_of_an_exact_type() {
    let a = table(vec![("k", ints(&[1, i64::MAX]))]);
    let b = table(vec![("k", Series::new("".into(), [2i32, 1]))]);
    let result = joined(&a, &b, &how(How::Outer)).unwrap();
    assert_eq!(rows(&result), ["1", "9223372036854775807", "2"]);
    let b = table(vec![("k", Series::new("".into(), [2.0, 1.0]))]);
    let result = joined(&a, &b, &how(How::Outer)).unwrap();
    assert_eq!(rows(&result), ["1", "9223372036854775807", "2"]);
    assert_eq!(result.columns()[0].kind, Kind::Int);
    let halves = table(vec![("k", Series::new("".into(), [2.5, 1.0]))]);
    let small = table(vec![("k", ints(&[1, 3]))]);
    let result = joined(&small, &halves, &how(How::Outer)).unwrap();
    assert_eq!(rows(&result), ["1.0", "3.0", "2.5"]);
    let error = refused(joined(&a, &halves, &how(How::Outer)));
    assert_eq!(error.kind(), ErrorKind::Type);
}

#[test]
fn keys_of_two_names_both_stay() {
    let b = table(vec![("key", ints(&[9, 2])), ("v", texts(&["x", "y"]))]);
    let result = joined(&left(), &b, &how(How::Outer)).unwrap();
    let names: Vec<&str> = result
        .columns()
        .iter()
        .map(|info| info.name.as_str())
        .collect();
    assert_eq!(names, ["k", "v_x", "key", "v_y"]);
    assert_eq!(
        rows(&result),
        ["3|c||", "1|a||", "2|b|2|y", "4|d||", "||9|x"]
    );
}

#[test]
fn a_key_of_two_columns_matches_in_both() {
    let a = table(vec![
        ("x", ints(&[1, 1, 2])),
        ("y", texts(&["p", "q", "p"])),
    ]);
    let b = table(vec![
        ("y", texts(&["q", "p"])),
        ("x", ints(&[1, 2])),
        ("z", ints(&[10, 20])),
    ]);
    let result = joins(
        &a,
        &b,
        &[(0, 1), (1, 0)],
        &how(How::Left),
        &Control::default(),
    )
    .unwrap();
    assert_eq!(rows(&result), ["1|p|", "1|q|10", "2|p|20"]);
    assert!(
        said(&result)[1].starts_with("only a: (x, y) (1, \"p\")"),
        "{:?}",
        said(&result)
    );
    let twice = joins(
        &a,
        &b,
        &[(0, 1), (0, 1)],
        &how(How::Left),
        &Control::default(),
    );
    assert_eq!(refused(twice).kind(), ErrorKind::Argument);
}

#[test]
fn a_result_beyond_all_tables_is_refused_before_it_is_built() {
    let same = table(vec![("k", Series::new("".into(), vec![7i8; 70_000]))]);
    let error = refused(joined(
        &same,
        &same,
        &checked(How::Inner, Validate::ManyToMany),
    ));
    assert_eq!(error.kind(), ErrorKind::Argument);
    assert!(error.to_string().contains("4,900,000,000"), "{error}");
}

#[test]
fn a_stop_request_stops() {
    let control = Control::default();
    control.stop();
    let result = joins(&left(), &left(), &[(0, 0)], &how(How::Left), &control);
    assert_eq!(refused(result).kind(), ErrorKind::Interrupted);
}
