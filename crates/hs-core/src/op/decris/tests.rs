//! decris on tables of every type; the expected values are worked out by hand.

use polars::prelude::*;

use super::*;

fn described(columns: Vec<Column>) -> Table {
    let height = columns.first().map_or(0, Column::len);
    let table = Table::new(DataFrame::new(height, columns).unwrap());
    decris(&table, &Control::default()).unwrap()
}

/// One row of the result as text: type, missing, distinct, top, min, max, note.
fn row(result: &Table, index: usize) -> String {
    let cells: Vec<String> = result.frame().columns()[1..]
        .iter()
        .map(|column| text::plain(&column.get(index).unwrap()))
        .collect();
    cells.join(" | ")
}

fn one(series: Series) -> String {
    row(&described(vec![series.into()]), 0)
}

#[test]
fn text_and_whole_numbers() {
    let text = Series::new("c".into(), [Some("FR"), None, Some("DE"), Some("FR")]);
    assert_eq!(one(text), "text | 0.25 | 2 | FR (2), DE (1) | DE | FR");
    let ints = Series::new("i".into(), [i64::MIN, 3, i64::MAX, 3]);
    assert_eq!(
        one(ints),
        "int | 0.0 | 3 | 3 (2), -9223372036854775808 (1), 9223372036854775807 (1) \
         | -9223372036854775808 | 9223372036854775807"
    );
    let big = Series::new("u".into(), [u64::MAX, 0]);
    assert_eq!(
        one(big),
        "int | 0.0 | 2 | 18446744073709551615 (1), 0 (1) | 0 | 18446744073709551615 | unique"
    );
}

#[test]
fn nan_is_missing_and_never_an_extreme() {
    let floats = Series::new("f".into(), [0.0, f64::NAN, -0.0, 2.5]);
    assert_eq!(
        one(floats),
        "float | 0.25 | 2 | 0.0 (2), 2.5 (1) | 0.0 | 2.5"
    );
    let nothing = Series::new("f".into(), [f64::NAN, f64::NAN]);
    assert_eq!(one(nothing), "empty | 1.0 | 0 |  |  | ");
    let single = Series::new("f".into(), [0.1f32, 0.1]);
    assert_eq!(
        one(single),
        "float | 0.0 | 1 | 0.1 (2) | 0.1 | 0.1 | constant"
    );
}

#[test]
fn every_stored_type_has_a_description() {
    let cast =
        |values: [i64; 2], dtype: DataType| Series::new("x".into(), values).cast(&dtype).unwrap();
    let second = 1_000_000;
    // Without polars' zone tables a cast drops the zone; readers set it as here.
    let utc = Int64Chunked::new("x".into(), [0, second])
        .into_datetime(TimeUnit::Microseconds, Some(TimeZone::UTC))
        .into_series();
    let wall = DataType::Datetime(TimeUnit::Milliseconds, None);
    let cases = [
        (cast([1, 2], DataType::Int8), "int | 1 | 2"),
        (cast([1, 2], DataType::UInt16), "int | 1 | 2"),
        (cast([2, 1], DataType::Int128), "int | 1 | 2"),
        (cast([1, 0], DataType::Boolean), "bool | false | true"),
        (
            cast([0, -1], DataType::Date),
            "date | 1969-12-31 | 1970-01-01",
        ),
        (
            utc,
            "datetime | 1970-01-01 00:00:00+00:00 | 1970-01-01 00:00:01+00:00",
        ),
        (
            cast([0, 1], wall),
            "datetime | 1970-01-01 00:00:00 | 1970-01-01 00:00:00.001",
        ),
        (
            cast([0, 3_600_000_000_000], DataType::Time),
            "time | 00:00:00 | 01:00:00",
        ),
        (
            cast([5 * second, 0], DataType::Duration(TimeUnit::Microseconds)),
            "duration | 00:00:00 | 00:00:05",
        ),
        (
            cast([10, 9], DataType::Decimal(10, 2)),
            "decimal | 9.00 | 10.00",
        ),
        (
            Series::new("x".into(), [b"\x00\xff".as_slice(), b"a"]),
            "bytes | 00ff | 61",
        ),
    ];
    for (series, expected) in cases {
        let shown = one(series);
        let parts: Vec<&str> = shown.split(" | ").collect();
        assert_eq!(
            format!("{} | {} | {}", parts[0], parts[4], parts[5]),
            expected
        );
        assert_eq!(
            (parts[1], parts[2], parts[6]),
            ("0.0", "2", "unique"),
            "{shown}"
        );
    }
    assert_eq!(
        one(Series::new_null("x".into(), 2)),
        "empty | 1.0 | 0 |  |  | "
    );
}

#[test]
fn nested_values_count_by_their_json_text() {
    let list = |values: &[i64]| Some(Series::new("".into(), values));
    let lists = Series::new("l".into(), [list(&[1, 2]), list(&[]), None, list(&[1, 2])]);
    assert_eq!(
        one(lists.clone()),
        "list | 0.25 | 2 | [1,2] (2), [] (1) |  | "
    );
    let array = lists
        .slice(0, 1)
        .cast(&DataType::Array(Box::new(DataType::Int64), 2))
        .unwrap();
    assert_eq!(one(array), "list | 0.0 | 1 | [1,2] (1) |  | ");
    let fields = [
        Series::new("a".into(), [Some(1i64), Some(1), None]),
        Series::new("b".into(), ["x", "x", "y"]),
    ];
    let objects = StructChunked::from_series("s".into(), 3, fields.iter()).unwrap();
    assert_eq!(
        one(objects.into_series()),
        "struct | 0.0 | 2 | {\"a\":1,\"b\":\"x\"} (2), {\"a\":null,\"b\":\"y\"} (1) |  | "
    );
}

#[test]
fn mixed_values_keep_number_and_text_apart() {
    let column = Column::new("m".into(), ["1", "\"1\"", "NaN", "1"]);
    let mut table = Table::new(DataFrame::new(4, vec![column]).unwrap());
    table.set_kind(0, Kind::Mixed);
    let result = decris(&table, &Control::default()).unwrap();
    assert_eq!(row(&result, 0), "mixed | 0.25 | 2 | 1 (2), \"1\" (1) |  | ");
}

#[test]
fn remarks_on_text() {
    let note = |values: &[&str]| {
        let shown = one(Series::new("t".into(), values));
        shown.split(" | ").nth(6).map(str::to_owned)
    };
    let is = |text: &str| Some(text.to_owned());
    assert_eq!(note(&["a", "b", "a"]), None);
    assert_eq!(note(&["00042", "10", "10"]), is("codes with leading zeros"));
    assert_eq!(note(&["1", "2.5", "n/a", "1"]), is("numbers as text"));
    assert_eq!(
        note(&["31/01/2026", "01/02/2026"]),
        is("unique, dates as text")
    );
    assert_eq!(note(&["a ", "b", "b"]), is("untrimmed"));
    assert_eq!(
        note(&[" 1", " 1"]),
        is("constant, numbers as text, untrimmed")
    );
    assert_eq!(note(&["NA", "NA"]), is("constant"));
}

#[test]
fn long_and_invisible_values_stay_readable_in_top() {
    let long = "x".repeat(5000);
    let shown = one(Series::new("t".into(), [long.as_str(), "", "a "]));
    let top = shown.split(" | ").nth(3).unwrap();
    assert_eq!(
        top,
        format!(
            "{}... (5,000 characters) (1), \"\" (1), \"a \" (1)",
            "x".repeat(40)
        )
    );
    assert_eq!(shown.split(" | ").nth(5), Some(long.as_str()));
}

#[test]
fn the_first_note_counts_rows_columns_and_duplicates() {
    let columns = |values: [i64; 4]| {
        vec![
            Column::new("a".into(), values),
            Column::new("b".into(), ["x"; 4]),
        ]
    };
    let text = |result: &Table| result.notes[0].text.clone();
    assert_eq!(
        text(&described(columns([1, 2, 1, 1]))),
        "4 rows x 2 columns, 2 duplicate rows"
    );
    assert_eq!(
        text(&described(columns([1, 2, 3, 4]))),
        "4 rows x 2 columns, no duplicate rows"
    );
    assert_eq!(
        text(&described(vec![])),
        "0 rows x 0 columns, no duplicate rows"
    );
}

#[test]
fn the_headline_keeps_what_was_loaded() {
    let info = ColumnInfo {
        name: "a".into(),
        kind: Kind::Int,
    };
    let column = Series::new("a".into(), [1_i64, 2]).into();
    let mut table = Table::from_columns(2, [(info, column)]).unwrap();
    let loaded = "2 rows x 1 column, the first of 9, sheet \"Jan\"";
    table.notes.push(Note::new(Topic::Loaded, loaded));
    let result = decris(&table, &Control::default()).unwrap();
    assert_eq!(result.notes[0].text, format!("{loaded}, no duplicate rows"));
}

#[test]
fn no_rows_no_columns_and_repeated_names_are_fine() {
    let none: [i64; 0] = [];
    assert_eq!(one(Series::new("x".into(), none)), "int | 0.0 | 0 |  |  | ");
    assert_eq!(described(vec![]).height(), 0);
    let info = ColumnInfo {
        name: "a".into(),
        kind: Kind::Int,
    };
    let pair = (0..2).map(|_| (info.clone(), Column::new("x".into(), [1i64])));
    let table = Table::from_columns(1, pair).unwrap();
    let result = decris(&table, &Control::default()).unwrap();
    let names = result.frame().columns()[0].str().unwrap();
    assert_eq!((names.get(0), names.get(1)), (Some("a"), Some("a")));
}

#[test]
fn a_stop_request_ends_it() {
    let control = Control::default();
    control.stop();
    let table = Table::new(DataFrame::new(1, vec![Column::new("a".into(), [1i64])]).unwrap());
    let error = decris(&table, &control).err().map(|error| error.kind());
    assert_eq!(error, Some(crate::ErrorKind::Interrupted));
}
