use polars::prelude::{BinaryOffsetChunked, DataFrame, IntoSeries, NamedFrom, Series};

use super::*;

fn table(columns: Vec<Series>) -> Table {
    let height = columns.first().map_or(0, |series| series.len());
    let columns = columns.into_iter().map(Into::into).collect();
    Table::new(DataFrame::new(height, columns).expect("columns of one height"))
}

fn compared_with(a: &Table, b: &Table, options: &CompareOptions) -> Result<Compared> {
    compare(a, b, &["id".to_owned()], options, &Control::default())
}

fn compared(a: &Table, b: &Table) -> Compared {
    compared_with(a, b, &CompareOptions::default()).expect("a comparison")
}

/// The rows of a result as the shell's csv would have them, missing as `-`.
fn lines(compared: &Compared) -> Vec<String> {
    let table = &compared.table;
    let names: Vec<&str> = table.columns().iter().map(|info| &*info.name).collect();
    let mut lines = vec![names.join(" ")];
    for row in 0..table.height() {
        let values = table.frame().columns().iter().map(|column| {
            let value = column.get(row).expect("a row");
            if value.is_null() {
                "-".to_owned()
            } else {
                text::plain(&value)
            }
        });
        lines.push(values.collect::<Vec<String>>().join(" "));
    }
    lines
}

fn told(compared: &Compared) -> Vec<&str> {
    compared
        .table
        .notes
        .iter()
        .map(|note| &*note.text)
        .collect()
}

fn ids(values: &[i64]) -> Series {
    Series::new("id".into(), values)
}

#[test]
fn rows_and_columns_may_come_in_any_order() {
    let a = table(vec![
        ids(&[4, 1, 3, 2]),
        Series::new("name".into(), ["d", "a", "c", "b"]),
        Series::new("amount".into(), [4.0, 1.0, 3.0, 2.0]),
    ]);
    let b = table(vec![
        Series::new("extra".into(), [0i64, 0, 0, 0]),
        Series::new("amount".into(), [5.0, 2.5, 1.0, 3.5]),
        Series::new("name".into(), ["e", "B", "a", "c"]),
        ids(&[5, 2, 1, 3]),
    ]);
    let found = compared(&a, &b);
    assert_eq!(
        lines(&found),
        [
            "state id changed name_a name_b amount_a amount_b",
            "only a 4 - d - 4.0 -",
            "changed 3 amount c c 3.0 3.5",
            "changed 2 name, amount b B 2.0 2.5",
            "only b 5 - - e - 5.0",
        ]
    );
    assert_eq!(
        told(&found),
        ["1 same, 2 changed (amount 2, name 1), 1 only a, 1 only b; columns only in b: extra"]
    );
    assert!(found.differs);
    assert_eq!(found.rows[0].signed(), Some(vec![0, 2, 3, -1]));
    assert_eq!(found.rows[1].signed(), Some(vec![-1, 3, 1, 0]));
    assert_eq!(found.columns, [[1, 2], [2, 1]]);
}

#[test]
fn what_is_the_same_is_said_and_gives_no_row() {
    let a = table(vec![
        ids(&[1, 2]),
        Series::new("x".into(), [Some(f64::NAN), None]),
    ]);
    let b = table(vec![
        Series::new("x".into(), [None, Some(f64::NAN)]),
        ids(&[2, 1]),
    ]);
    let found = compared(&a, &b);
    assert_eq!(lines(&found), ["state id changed"]);
    assert_eq!(told(&found), ["identical: 2 rows, 1 column compared"]);
    assert!(!found.differs);
    assert_eq!(lines(&compared(&a, &a)), ["state id changed"]);
}

#[test]
fn nothing_is_claimed_where_nothing_was_compared() {
    let a = table(vec![ids(&[1, 2]), Series::new("a".into(), [1i64, 1])]);
    let b = table(vec![ids(&[3, 4]), Series::new("b".into(), [1i64, 1])]);
    let found = compared(&a, &b);
    assert_eq!(
        told(&found),
        ["0 rows in common, 2 only a, 2 only b; columns only in a: a; columns only in b: b"]
    );
    let found = compared(&a.clone().slice(0, 0), &a.clone().slice(0, 0));
    assert_eq!(told(&found), ["no rows on either side, nothing to compare"]);
    assert!(!found.differs);
    let keys = table(vec![ids(&[1, 2])]);
    let found = compared(&a, &keys);
    assert_eq!(
        told(&found),
        ["2 in both, no other column of both to compare; columns only in a: a"]
    );
}

#[test]
fn null_is_not_zero_and_missing_keys_match() {
    let a = table(vec![
        Series::new("id".into(), [None, Some(1i64)]),
        Series::new("x".into(), [Some(0i64), Some(7)]),
    ]);
    let b = table(vec![
        Series::new("id".into(), [Some(1.0), Some(f64::NAN)]),
        Series::new("x".into(), [Some(7i64), None]),
    ]);
    let found = compared(&a, &b);
    assert_eq!(
        lines(&found),
        ["state id changed x_a x_b", "changed - x 0 -"]
    );
}

#[test]
fn types_that_differ_are_said_once() {
    let a = table(vec![
        ids(&[1, 2]),
        Series::new("f".into(), [5i64, 6]),
        Series::new("s".into(), [Some(5i64), None]),
    ]);
    let b = table(vec![
        ids(&[1, 2]),
        Series::new("f".into(), [5.0, 6.0]),
        Series::new("s".into(), [Some("5"), None]),
    ]);
    let found = compared(&a, &b);
    assert_eq!(
        lines(&found),
        ["state id changed s_a s_b", "changed 1 s 5 5"]
    );
    assert_eq!(
        told(&found),
        [
            "1 same, 1 changed (s 1)",
            "types differ: f (int in a, float in b), s (int in a, text in b, never equal)"
        ]
    );
}

#[test]
fn tolerances_are_for_numbers_only() {
    let a = table(vec![
        ids(&[1, 2, 3, 4]),
        Series::new("x".into(), [Some(0.100_000_1), Some(5.0), None, None]),
        Series::new("t".into(), ["0.1000001", "-", "5", "1"]),
    ]);
    let b = table(vec![
        ids(&[1, 2, 3, 4]),
        Series::new(
            "x".into(),
            [Some(0.100_000_2), Some(5.001), None, Some(0.0)],
        ),
        Series::new("t".into(), ["0.1000002", "-", "5", "1"]),
    ]);
    let within = |tol, rtol| CompareOptions {
        tol,
        rtol,
        ..CompareOptions::default()
    };
    let found = compared_with(&a, &b, &within(Some(Tolerance::All(1e-6)), None)).unwrap();
    assert_eq!(
        lines(&found)[1..],
        [
            "changed 1 t 0.1000001 0.1000002 0.1000001 0.1000002",
            "changed 2 x 5.0 5.001 - -",
            "changed 4 x - 0.0 1 1",
        ]
    );
    assert!(told(&found)[1].starts_with("tol not used for columns that hold no numbers: t"));
    let one = |name: &str, size| Some(Tolerance::Columns(vec![(name.to_owned(), size)]));
    let found = compared_with(&a, &b, &within(None, one("x", 1e-2))).unwrap();
    assert_eq!(found.table.height(), 2);
    let fault = |options| compared_with(&a, &b, &options).unwrap_err().to_string();
    assert!(fault(within(one("t", 1.0), None)).contains("found \"t\" of text"));
    assert!(fault(within(one("y", 1.0), None)).contains("tol: expected columns that are compared"));
    assert!(fault(within(Some(Tolerance::All(-1.0)), None)).contains("0 or more, found -1"));
    assert!(fault(within(None, Some(Tolerance::All(f64::NAN)))).contains("rtol: expected"));
}

#[test]
fn a_difference_within_the_tolerance_is_not_called_identical() {
    let a = table(vec![ids(&[1, 2]), Series::new("x".into(), [1i64 << 60, 3])]);
    let b = table(vec![
        ids(&[1, 2]),
        Series::new("x".into(), [(1i64 << 60) + 1, 3]),
    ]);
    let options = |size| CompareOptions {
        tol: Some(Tolerance::All(size)),
        ..CompareOptions::default()
    };
    let found = compared_with(&a, &b, &options(1.0)).unwrap();
    assert_eq!(
        told(&found),
        ["no difference: 2 rows (1 within the tolerance), 1 column compared"]
    );
    // As floats both were the same number.
    assert!(compared_with(&a, &b, &options(0.5)).unwrap().differs);
}

#[test]
fn a_key_of_several_rows_is_refused() {
    let a = table(vec![ids(&[1, 2, 2, 3, 3, 3])]);
    let b = table(vec![ids(&[1])]);
    let error = compare(
        &b,
        &a,
        &["id".into()],
        &CompareOptions::default(),
        &Control::default(),
    );
    assert_eq!(
        error.unwrap_err().message(),
        "expected a key that tells all rows apart, found b: 2 values of id have more than one row: \
         2 (2 rows), 3 (3 rows)"
    );
    let texts = table(vec![Series::new("id".into(), ["1"])]);
    let error = compared_with(&texts, &b, &CompareOptions::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Type);
    assert!(error.message().contains("found text in a and int in b"));
}

#[test]
fn keys_of_different_types_come_in_one_that_holds_both() {
    let a = table(vec![ids(&[1, (1 << 53) + 1])]);
    let floats = table(vec![Series::new("id".into(), [1.0, 2.0])]);
    let found = compared(&a, &floats);
    assert_eq!(found.table.columns()[1].kind, Kind::Int);
    let halves = table(vec![Series::new("id".into(), [1.0, 0.5])]);
    let found = compared(&a, &halves);
    assert_eq!(
        lines(&found)[1..],
        ["only a 9007199254740993 -", "only b 0.5 -"]
    );
}

#[test]
fn a_key_without_values_matches_a_key_of_any_type() {
    let nothing = table(vec![Series::new("id".into(), [None::<f64>])]);
    let texts = table(vec![Series::new("id".into(), ["a"])]);
    let found = compared(&nothing, &texts);
    assert_eq!(lines(&found)[1..], ["only a - -", "only b a -"]);
    let found = compared(&texts, &nothing.slice(0, 0));
    assert_eq!(lines(&found)[1..], ["only a a -"]);
}

#[test]
fn columns_are_left_out_by_name() {
    let a = table(vec![
        ids(&[1]),
        Series::new("x".into(), [1i64]),
        Series::new("y".into(), [1i64]),
    ]);
    let b = table(vec![
        ids(&[1]),
        Series::new("x".into(), [2i64]),
        Series::new("z".into(), [1i64]),
    ]);
    let options = |ignore: &[&str], only: Option<&[&str]>| CompareOptions {
        ignore: ignore.iter().map(ToString::to_string).collect(),
        only: only.map(|only| only.iter().map(ToString::to_string).collect()),
        ..CompareOptions::default()
    };
    let said = |options| told(&compared_with(&a, &b, &options).unwrap()).join("|");
    assert_eq!(
        said(options(&["x", "y"], None)),
        "1 in both, ignore leaves no column of both to compare; columns only in b: z"
    );
    assert_eq!(said(options(&[], Some(&["x"]))), "0 same, 1 changed (x 1)");
    let fault = |options| compared_with(&a, &b, &options).unwrap_err().to_string();
    assert!(
        fault(options(&["xx"], None))
            .starts_with("ignore: no column \"xx\" in a or b\nhint: the columns are")
    );
    assert!(fault(options(&["id"], None)).contains("besides the key"));
}

#[test]
fn own_names_give_way_to_keys_and_to_each_other() {
    let state = |x: i64| {
        table(vec![
            Series::new("state".into(), ["new"]),
            Series::new("x".into(), [x]),
        ])
    };
    let found = compare(
        &state(1),
        &state(2),
        &["state".into()],
        &CompareOptions::default(),
        &Control::default(),
    )
    .unwrap();
    assert_eq!(lines(&found)[0], "state_ state changed x_a x_b");
    assert!(told(&found)[1].contains("\"state_\""));
}

#[test]
fn texts_differ_in_any_form_and_order() {
    let words: Vec<Option<String>> = (0..1000)
        .map(|row| (row % 17 > 0).then(|| "x".repeat(row % 40)))
        .collect();
    let mut others = words.clone();
    others[500] = Some("another".into());
    others[17] = Some(String::new());
    others[999] = None;
    let rows: Vec<i64> = (0..1000).collect();
    let flat = |words: &[Option<String>]| {
        let bytes: polars_arrow::array::BinaryArray<i64> = words
            .iter()
            .map(Option::as_ref)
            .map(|word| word.map(String::as_bytes))
            .collect();
        let series = BinaryOffsetChunked::from_chunk_iter("t".into(), [bytes]).into_series();
        let mut made = table(vec![ids(&rows), series]);
        made.set_kind(1, Kind::Text);
        made
    };
    let views =
        |words: &[Option<String>]| table(vec![ids(&rows), Series::new("t".into(), words.to_vec())]);
    for a in [flat(&words), views(&words)] {
        for b in [flat(&others), views(&others)] {
            assert_eq!(compared(&a, &b).rows[0].signed(), Some(vec![17, 500, 999]));
            let turned = table(vec![
                b.frame().columns()[0].as_materialized_series().reverse(),
                b.frame().columns()[1]
                    .cast(&polars::prelude::DataType::Binary)
                    .unwrap()
                    .cast(&polars::prelude::DataType::String)
                    .unwrap()
                    .as_materialized_series()
                    .reverse(),
            ]);
            let found = compared(&a, &turned);
            assert_eq!(found.rows[0].signed(), Some(vec![17, 500, 999]));
            assert_eq!(
                lines(&found)[3],
                format!("changed 999 t {} -", "x".repeat(39))
            );
        }
    }
}
