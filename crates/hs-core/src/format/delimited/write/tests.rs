//! What is written for each kind of value, and what is told.

use polars::prelude::{
    Column, DataFrame, DataType, Int64Chunked, IntoSeries, NamedFrom, NewChunkedArray, Series,
    TimeUnit, TimeZone,
};

use super::*;
use crate::error::ErrorKind;
use crate::fix::Face;
use crate::table::{ColumnInfo, Kind};

fn written(table: &Table) -> (String, Vec<String>) {
    let mut out = Vec::new();
    let notes = write(table, b',', &mut out, &Control::default()).unwrap();
    let notes = notes.iter().map(|note| note.told(Face::Python)).collect();
    (String::from_utf8(out).unwrap(), notes)
}

fn table(columns: Vec<Column>) -> Table {
    Table::new(DataFrame::new(columns[0].len(), columns).unwrap())
}

#[test]
fn what_would_read_back_as_something_else_is_written_otherwise() {
    let (text, notes) = written(&table(vec![
        Column::new("f|g".into(), [Some(1e16), Some(f64::NAN), Some(-0.0), None]),
        Column::new("t".into(), [Some("a;b"), Some("c\td"), Some(""), None]),
    ]));
    assert_eq!(text, "\"f|g\",t\n1.0e16,\"a;b\"\n,\"c\td\"\n-0.0,\"\"\n,\n");
    assert_eq!(
        notes,
        ["1 empty text in \"t\" loads as missing (first: row 3)"]
    );
}

#[test]
fn quotes_are_doubled_and_edges_kept() {
    let texts = [
        "say \"hi\"",
        " a",
        "b\t",
        "line\nbreak",
        "plain",
        "é,",
        "\"",
        "\r",
    ];
    let (text, _) = written(&table(vec![
        Column::new("a".into(), texts),
        Column::new("b".into(), texts),
    ]));
    let fields = [
        "\"say \"\"hi\"\"\"",
        "\" a\"",
        "\"b\t\"",
        "\"line\nbreak\"",
        "plain",
        "\"é,\"",
        "\"\"\"\"",
        "\"\r\"",
    ];
    let lines: Vec<String> = fields
        .iter()
        .map(|field| format!("{field},{field}\n"))
        .collect();
    assert_eq!(text, format!("a,b\n{}", lines.concat()));
}

#[test]
fn a_missing_value_that_stands_alone_is_a_row() {
    let (text, _) = written(&table(vec![Column::new("a".into(), [Some(1i64), None])]));
    assert_eq!(text, "a\n1\n\"\"\n");
}

#[test]
fn a_row_of_missing_values_is_no_blank_line() {
    let none = || Column::new("a".into(), [None::<i64>]);
    let mut out = Vec::new();
    let columns = vec![none(), none().with_name("b".into())];
    write(&table(columns), b'\t', &mut out, &Control::default()).unwrap();
    assert_eq!(out, b"a\tb\n\"\"\t\n");
}

#[test]
fn a_name_that_opens_another_format_is_quoted() {
    for name in ["PAR1", "BZh9", "\u{feff}id"] {
        let (text, _) = written(&table(vec![
            Column::new(name.into(), [1i64]),
            Column::new("b".into(), [1i64]),
        ]));
        assert_eq!(text, format!("\"{name}\",b\n1,1\n"));
    }
}

#[test]
fn text_that_looks_like_data_is_told_and_codes_are_not() {
    let (_, notes) = written(&table(vec![
        Column::new("id".into(), ["42", "7"]),
        Column::new("code".into(), ["00042", "7"]),
        Column::new("day".into(), ["2026-01-01", "2026-01-02"]),
        Column::new("flag".into(), ["true", "false"]),
        Column::new("place".into(), ["NA", "Paris"]),
        Column::new("note".into(), ["1", "x"]),
    ]));
    assert_eq!(
        notes,
        [
            "text that looks like data: \"id\" loads as int, \"day\" loads as date, \"flag\" loads as bool; \
             types={\"id\": \"text\"} keeps it text"
        ]
    );
}

#[test]
fn types_without_a_form_are_told() {
    let zone = TimeZone::opt_try_new(Some("Europe/Paris")).unwrap();
    let moments = Int64Chunked::from_slice("t".into(), &[0])
        .into_datetime(TimeUnit::Microseconds, zone)
        .into_series();
    let spans = Series::new("d".into(), [1_500_000i64])
        .cast(&DataType::Duration(TimeUnit::Microseconds))
        .unwrap();
    let list = Series::new("l".into(), [Series::new("".into(), ["a,b"])]);
    let mut table = table(vec![
        moments.into(),
        spans.into(),
        list.into(),
        Column::new("c".into(), ["x"]),
    ]);
    table.set_kind(3, Kind::Category);
    let (text, notes) = written(&table);
    assert_eq!(
        text,
        "t,d,l,c\n1970-01-01 00:00:00+00:00,00:00:01.500,\"[\"\"a,b\"\"]\",x\n"
    );
    assert_eq!(
        notes,
        [
            "loads as text: \"d\" (duration), \"l\" (list, as JSON), \"c\" (category)",
            "written in UTC: \"t\" (Europe/Paris)",
        ]
    );
}

#[test]
fn bytes_are_refused_before_anything_is_written() {
    let bytes: [Option<&[u8]>; 3] = [None, None, Some(b"\xff")];
    let inside = Series::new(
        "i".into(),
        [Series::new("".into(), [Some(b"x".as_slice())])],
    );
    for (column, row) in [(Column::new("b".into(), bytes), 3), (inside.into(), 1)] {
        let name = column.name().to_string();
        let mut out = Vec::new();
        let error = write(&table(vec![column]), b',', &mut out, &Control::default());
        let error = error.expect_err("bytes have no form");
        assert_eq!(error.kind(), ErrorKind::Type);
        assert_eq!(
            error.message(),
            format!("column {name:?}, row {row}: csv has no form for bytes")
        );
        assert!(out.is_empty());
    }
}

#[test]
fn pieces_follow_one_another_also_where_columns_are_in_parts() {
    let height = 200_000i64;
    let mut ints = Series::new("a".into(), (0..70_001).collect::<Vec<i64>>());
    ints.append(&Series::new(
        "a".into(),
        (70_001..height).collect::<Vec<i64>>(),
    ))
    .unwrap();
    let texts: Vec<String> = (0..height).map(|row| format!("row {row}")).collect();
    let info = |name: &str, kind| ColumnInfo {
        name: name.into(),
        kind,
    };
    let table = Table::from_columns(
        height as usize,
        [
            (info("a", Kind::Int), ints.into()),
            (info("b", Kind::Text), Column::new("b".into(), texts)),
        ],
    )
    .unwrap();
    let (text, _) = written(&table);
    let expected: Vec<String> = (0..height)
        .map(|row| format!("{row},row {row}\n"))
        .collect();
    assert!(text == format!("a,b\n{}", expected.concat()));
}

#[test]
fn values_at_the_end_of_what_csv_can_say_are_told() {
    let (_, notes) = written(&table(vec![
        Column::new("f".into(), [Some(f64::INFINITY), None]),
        Column::new("g".into(), [f64::INFINITY, 1.0]),
        Series::new("d".into(), [0i32, 2_932_897])
            .cast(&DataType::Date)
            .unwrap()
            .into(),
        Series::new("t".into(), [0i64, 253_402_300_799_000_000])
            .cast(&DataType::Datetime(TimeUnit::Microseconds, None))
            .unwrap()
            .into(),
    ]));
    assert_eq!(
        notes,
        [
            "loads as text: \"f\" (nothing but infinities), \"d\" (years beyond 9999); \
             types={\"f\": \"float\"} brings it back"
        ]
    );
}
