//! What the files hold, by their XML and by our own reader.

use std::collections::BTreeMap;
use std::io::{Cursor, Read};

use polars::prelude::{
    AnyValue, Column, DataType, IntoColumn, NamedFrom, NewChunkedArray, Series, TimeUnit, TimeZone,
};

use super::write;
use crate::control::Control;
use crate::error::{Error, ErrorKind, Result};
use crate::format::{Format, Loaded, ReadOptions, SheetChoice};
use crate::source::Source;
use crate::table::{ColumnInfo, Kind, Table};
use crate::text::plain;

fn table(columns: Vec<(&str, Kind, Column)>) -> Table {
    let height = columns.first().map_or(0, |(_, _, column)| column.len());
    let columns = columns.into_iter().map(|(name, kind, column)| {
        let name = name.to_owned();
        (ColumnInfo { name, kind }, column)
    });
    Table::from_columns(height, columns).expect("columns of one height")
}

fn column<T, P: ?Sized>(name: &'static str, values: T) -> (&'static str, Kind, Column)
where
    Series: NamedFrom<T, P>,
{
    let series = Series::new(name.into(), values);
    (name, Kind::of(series.dtype()), series.into_column())
}

fn cast(
    (name, _, column): (&'static str, Kind, Column),
    dtype: &DataType,
) -> (&'static str, Kind, Column) {
    let column = column.cast(dtype).expect("a cast that fits");
    (name, Kind::of(dtype), column)
}

fn zoned(micros: &[Option<i64>]) -> (&'static str, Kind, Column) {
    let numbers = polars::prelude::Int64Chunked::from_slice_options("t".into(), micros)
        .into_datetime(TimeUnit::Microseconds, Some(TimeZone::UTC));
    ("t", Kind::Datetime, numbers.into_column())
}

fn written(sheets: &[(String, &Table)]) -> Result<(Vec<u8>, Vec<String>)> {
    let mut out = Vec::new();
    let notes = write(sheets, &mut out, &Control::default())?;
    Ok((out, notes.into_iter().map(|note| note.text).collect()))
}

fn one(table: &Table) -> (Vec<u8>, Vec<String>) {
    written(&[("Sheet1".to_owned(), table)]).expect("written")
}

fn refused(table: &Table) -> Error {
    let mut out = Vec::new();
    let sheets = [("Sheet1".to_owned(), table)];
    let error = write(&sheets, &mut out, &Control::default()).expect_err("refused");
    assert!(out.is_empty(), "something was written before");
    error
}

fn parts(bytes: &[u8]) -> BTreeMap<String, String> {
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).expect("an archive");
    (0..archive.len())
        .map(|index| {
            let mut part = archive.by_index(index).expect("a part");
            let mut text = String::new();
            part.read_to_string(&mut text).expect("text");
            (part.name().expect("a name").into_owned(), text)
        })
        .collect()
}

fn sheet(bytes: &[u8]) -> String {
    parts(bytes)["xl/worksheets/sheet1.xml"].clone()
}

fn read(bytes: &[u8], sheet: SheetChoice) -> Table {
    let source = Source::bytes("x.xlsx", bytes.to_vec()).expect("bytes");
    let options = ReadOptions {
        sheet,
        ..ReadOptions::default()
    };
    match crate::format::read(Format::Xlsx, source, &options, &Control::default()) {
        Ok(Loaded::Table(table)) => table,
        other => panic!("no table: {other:?}"),
    }
}

/// Names, kinds and values as text of what is read back.
fn back(bytes: &[u8]) -> Vec<(String, &'static str, Vec<String>)> {
    let table = read(bytes, SheetChoice::First);
    let value = |value: AnyValue<'_>| match value {
        AnyValue::Null => "-".to_owned(),
        value => plain(&value),
    };
    table
        .iter()
        .map(|(info, column)| {
            let get = |row| value(column.get(row).expect("a row"));
            let values = (0..table.height()).map(get).collect();
            (info.name.clone(), info.kind.word(), values)
        })
        .collect()
}

fn only(bytes: &[u8]) -> (&'static str, Vec<String>) {
    let mut columns = back(bytes);
    let (_, kind, values) = columns.remove(0);
    (kind, values)
}

#[test]
fn the_header_is_bold_frozen_and_filtered_and_columns_are_as_wide_as_their_values() {
    let table = table(vec![
        column("n", &[1i64, 2]),
        column("a long name of a column", &["x", "y"]),
        column("t", &["a text that is longer than its header", ""]),
        column("w", &["w".repeat(500), String::new()]),
    ]);
    let (bytes, notes) = one(&table);
    assert!(notes.is_empty(), "{notes:?}");
    let parts = parts(&bytes);
    let sheet = &parts["xl/worksheets/sheet1.xml"];
    assert!(sheet.contains("<dimension ref=\"A1:D3\"/>"), "{sheet}");
    assert!(sheet.contains(
        "<pane ySplit=\"1\" topLeftCell=\"A2\" activePane=\"bottomLeft\" state=\"frozen\"/>"
    ));
    assert!(sheet.contains("<autoFilter ref=\"A1:D3\"/>"));
    assert!(sheet.contains("<c r=\"A1\" s=\"1\" t=\"s\"><v>0</v></c>"));
    assert!(parts["xl/styles.xml"].contains("<b/>"));
    let widths: Vec<f64> = sheet
        .split("width=\"")
        .skip(1)
        .filter_map(|rest| rest.split_once('"')?.0.parse().ok())
        .collect();
    assert_eq!(widths.len(), 4);
    // A digit has 7 pixels, the arrow of the filter 17, the edges 5.
    let pixels = |column: usize| widths[column] * 7.0 - 5.0;
    assert!(pixels(0) >= 7.0 + 17.0 && pixels(0) < 60.0, "{widths:?}");
    assert!(
        pixels(1) >= 23.0 * 6.0 + 17.0 && pixels(1) < 23.0 * 9.0,
        "{widths:?}"
    );
    assert!(
        pixels(2) >= 37.0 * 5.5 && pixels(2) < 37.0 * 8.0,
        "{widths:?}"
    );
    assert!((60.0..61.0).contains(&widths[3]), "{widths:?}");
}

#[test]
fn nothing_in_the_file_is_a_lie_or_depends_on_the_clock() {
    let table = table(vec![column("a", &[1i64])]);
    let (bytes, _) = one(&table);
    let again = one(&table).0;
    assert_eq!(bytes, again);
    let all: String = parts(&bytes).into_values().collect();
    assert!(all.contains("<Application>headstart</Application>"));
    assert!(!all.contains("Microsoft Excel") && !all.contains("dcterms:created"));
    assert!(!all.contains("fullCalcOnLoad"));
}

#[test]
fn text_stays_text_whatever_it_looks_like() {
    let looks = [
        "=1+1",
        "+1",
        "-2",
        "@SUM(A1)",
        "=HYPERLINK(\"http://localhost/\",\"x\")",
        "======",
        "\t=1",
        "00042",
        " x ",
        "a\r\nb",
        "_x0041_",
        "a\u{1}b",
        "<&>",
        "",
        "None",
        "1E5",
        "\u{fffe}",
        "é東😀",
    ];
    let table = table(vec![
        column("s", &looks),
        column("n", (0..looks.len() as i64).collect::<Vec<_>>()),
    ]);
    let (bytes, notes) = one(&table);
    assert!(notes.is_empty(), "{notes:?}");
    let all: String = parts(&bytes).into_values().collect();
    assert!(!all.contains("<f>"));
    assert!(all.contains("numFmtId=\"49\""), "the format of text");
    assert!(all.contains("<ignoredError sqref=\"A1:A1048576\" numberStoredAsText=\"1\"/>"));
    assert!(all.contains("<t xml:space=\"preserve\"> x </t>"));
    let (kind, values) = only(&bytes);
    assert_eq!(kind, "text");
    assert_eq!(values, looks);
}

#[test]
fn plain_words_keep_the_general_format() {
    let (bytes, _) = one(&table(vec![column("s", &["Paris", "Oslo", "Paris"])]));
    let parts = parts(&bytes);
    assert!(!parts["xl/styles.xml"].contains("numFmtId=\"49\""));
    assert!(!parts["xl/worksheets/sheet1.xml"].contains("ignoredError"));
    let texts = &parts["xl/sharedStrings.xml"];
    assert!(texts.contains("count=\"4\" uniqueCount=\"3\""), "{texts}");
    assert!(texts.ends_with("<si><t>s</t></si><si><t>Paris</t></si><si><t>Oslo</t></si></sst>"));
}

#[test]
fn numbers_are_exact_and_what_no_cell_holds_is_empty() {
    let floats = [
        Some(1.5),
        Some(f64::NAN),
        Some(f64::INFINITY),
        Some(f64::NEG_INFINITY),
        None,
        Some(0.1),
        Some(1e308),
        Some(-5e-324),
        Some(1.0 / 3.0),
    ];
    let (bytes, notes) = one(&table(vec![column("x", &floats)]));
    assert_eq!(
        notes,
        ["2 infinite numbers in column \"x\": saved as empty cells (first: row 3, inf)"]
    );
    let sheet = sheet(&bytes);
    assert!(!sheet.contains("NaN") && !sheet.contains("inf"));
    let (kind, values) = only(&bytes);
    assert_eq!(kind, "float");
    let expected = [
        "1.5",
        "-",
        "-",
        "-",
        "-",
        "0.1",
        "1e308",
        "-5e-324",
        "0.3333333333333333",
    ];
    assert_eq!(values, expected);
}

#[test]
fn floats_of_single_precision_keep_their_own_digits() {
    let (bytes, _) = one(&table(vec![column(
        "x",
        &[0.1f32, f32::MAX, f32::INFINITY, 2.5],
    )]));
    assert_eq!(only(&bytes).1, ["0.1", "3.4028235e38", "-", "2.5"]);
}

#[test]
fn ints_beyond_15_digits_make_their_column_text() {
    let ids = [1_234_567_890_123_456_789, 42, 999_999_999_999_999, i64::MIN];
    let (bytes, notes) = one(&table(vec![
        column("id", &ids),
        column(
            "fits",
            &[999_999_999_999_999i64, -999_999_999_999_999, 0, 1],
        ),
        column("u", &[u64::MAX, 0, 1, 2]),
        column("small", &[-128i8, 127, 0, 1]),
    ]));
    assert_eq!(
        notes,
        [
            "3 whole numbers of more than 15 digits in columns \"id\", \"u\": saved as text, which keeps every digit (first: row 1, 1234567890123456789)"
        ]
    );
    let columns = back(&bytes);
    let expected = [
        (
            "text",
            vec![
                "1234567890123456789",
                "42",
                "999999999999999",
                "-9223372036854775808",
            ],
        ),
        ("int", vec!["999999999999999", "-999999999999999", "0", "1"]),
        ("text", vec!["18446744073709551615", "0", "1", "2"]),
        ("int", vec!["-128", "127", "0", "1"]),
    ];
    for ((_, kind, values), expected) in columns.iter().zip(expected) {
        assert_eq!(
            (*kind, values.iter().map(String::as_str).collect()),
            expected
        );
    }
    // Excel would show 15 digits as 1E+15.
    assert!(sheet(&bytes).contains("<c r=\"B2\" s=\"3\"><v>999999999999999</v></c>"));
    assert!(parts(&bytes)["xl/styles.xml"].contains("<xf numFmtId=\"1\""));
}

#[test]
fn days_and_times_have_their_formats() {
    let micros = |days: i64, clock: i64| days * 86_400_000_000 + clock;
    let unit = TimeUnit::Microseconds;
    let table = table(vec![
        cast(
            column("d", &[Some(20_000i32), None, Some(-25_508)]),
            &DataType::Date,
        ),
        cast(
            column(
                "t",
                &[
                    micros(20_000, 1),
                    micros(0, 36_000_000_000),
                    micros(-1, 500_000),
                ],
            ),
            &DataType::Datetime(unit, None),
        ),
        cast(
            column("c", &[0i64, 36_000_000_000_000, 86_399_999_000_000]),
            &DataType::Time,
        ),
        cast(
            column("l", &[90_061_000_000i64, 0, -1_500_000]),
            &DataType::Duration(unit),
        ),
    ]);
    let (bytes, notes) = one(&table);
    assert_eq!(
        notes,
        [
            "1 time finer than Excel's serial numbers in column \"t\": off by some microseconds (first: row 1, 2024-10-04 00:00:00.000001)",
            "1 negative duration in column \"l\": saved, but Excel shows #### in place of it (first: row 3, -00:00:01.500)",
        ]
    );
    let styles = &parts(&bytes)["xl/styles.xml"];
    for format in [
        "yyyy-mm-dd",
        "yyyy-mm-dd hh:mm:ss.000",
        "hh:mm:ss.000",
        "[h]:mm:ss.000",
    ] {
        assert!(
            styles.contains(&format!("formatCode=\"{format}\"")),
            "{format}"
        );
    }
    let columns = back(&bytes);
    let found: Vec<(&str, Vec<&str>)> = columns
        .iter()
        .map(|(_, kind, values)| (*kind, values.iter().map(String::as_str).collect()))
        .collect();
    let expected = [
        ("date", vec!["2024-10-04", "-", "1900-03-01"]),
        (
            "datetime",
            vec![
                "2024-10-04 00:00:00",
                "1970-01-01 10:00:00",
                "1969-12-31 00:00:00.500",
            ],
        ),
        ("time", vec!["00:00:00", "10:00:00", "23:59:59.999"]),
        (
            "duration",
            vec!["1 day 01:01:01", "00:00:00", "-00:00:01.500"],
        ),
    ];
    assert_eq!(found, expected);
}

#[test]
fn what_excel_has_no_day_for_is_iso_text() {
    let table = table(vec![
        cast(
            column("d", &[Some(20_000i32), Some(-25_509), None]),
            &DataType::Date,
        ),
        cast(
            column(
                "t",
                &[i64::MAX / 2, 86_400_000_000, -62_135_596_800_000_000],
            ),
            &DataType::Datetime(TimeUnit::Microseconds, None),
        ),
    ]);
    let (bytes, notes) = one(&table);
    assert_eq!(notes.len(), 1, "{notes:?}");
    assert!(notes[0].starts_with(
        "3 dates outside 1900-03-01 to 9999-12-31 in columns \"d\", \"t\": saved as ISO text (first: row 2, 1900-02-28)"
    ));
    let columns = back(&bytes);
    assert_eq!(columns[0].1, "text");
    assert_eq!(columns[0].2, ["2024-10-04", "1900-02-28", "-"]);
    assert_eq!(columns[1].2[1..], ["1970-01-02", "0001-01-01 00:00:00"]);
    // A column that is text for readers anyway loses no digit.
    let nanos = cast(
        column("t", &[1_000_000_123i64, 1_000_000_000, i64::MIN / 2]),
        &DataType::Datetime(TimeUnit::Nanoseconds, None),
    );
    let (fine, notes) = one(&self::table(vec![nanos]));
    assert_eq!(notes.len(), 1, "{notes:?}");
    let values = only(&fine).1;
    assert_eq!(values[0], "1970-01-01 00:00:01.000000123");
    assert_eq!(values[1], "1970-01-01 00:00:01");
    // The day that Excel knows is still a number.
    assert!(sheet(&bytes).contains("<v>45569</v>"));
}

#[test]
fn instants_are_iso_text_with_offset() {
    let (bytes, notes) = one(&table(vec![zoned(&[Some(0), None, Some(1_500_000)])]));
    assert_eq!(
        notes,
        [
            "2 datetimes with a zone in column \"t\": saved as ISO text with offset (first: row 1, 1970-01-01 00:00:00+00:00)"
        ]
    );
    assert_eq!(
        only(&bytes).1,
        [
            "1970-01-01 00:00:00+00:00",
            "-",
            "1970-01-01 00:00:01.500+00:00"
        ]
    );
}

#[test]
fn nanoseconds_are_cut_and_told() {
    let nanos = cast(
        column("t", &[1_000_000_123i64, 1_000_000_000, 2_000_000]),
        &DataType::Datetime(TimeUnit::Nanoseconds, None),
    );
    let (bytes, notes) = one(&table(vec![nanos]));
    assert_eq!(
        notes,
        [
            "1 time finer than a microsecond in column \"t\": cut to microseconds (first: row 1, 1970-01-01 00:00:01.000000123)"
        ]
    );
    assert_eq!(only(&bytes).1[1], "1970-01-01 00:00:01");
}

#[test]
fn decimals_are_numbers_while_a_float_holds_them() {
    let decimal = DataType::Decimal(38, 2);
    let table = table(vec![
        cast(column("price", &["12.30", "-0.05", "1000.00"]), &decimal),
        cast(
            column("long", &["1.00", "99999999999999999.99", "2.50"]),
            &decimal,
        ),
    ]);
    let (bytes, notes) = one(&table);
    assert_eq!(
        notes,
        [
            "1 decimal of more than 15 digits in column \"long\": saved as text, which keeps every digit (first: row 2, 99999999999999999.99)"
        ]
    );
    assert!(
        parts(&bytes)["xl/styles.xml"].contains("numFmtId=\"2\"")
            || parts(&bytes)["xl/styles.xml"].contains("formatCode=\"0.00\"")
    );
    let columns = back(&bytes);
    assert_eq!(columns[0].2, ["12.3", "-0.05", "1000.0"]);
    assert_eq!(columns[1].2, ["1.00", "99999999999999999.99", "2.50"]);
}

#[test]
fn mixed_values_are_cells_of_their_kinds_and_nested_ones_json_text() {
    let json = [
        "1",
        "\"1\"",
        "true",
        "null",
        "[1,2]",
        "0.5",
        "NaN",
        "12345678901234567890",
        "\"a\\\"b\"",
    ];
    let mut mixed = table(vec![column("m", &json)]);
    mixed.set_kind(0, Kind::Mixed);
    let (bytes, notes) = one(&mixed);
    assert_eq!(
        notes,
        [
            "1 whole number of more than 15 digits in column \"m\": saved as text, which keeps every digit (first: row 8, 12345678901234567890)"
        ]
    );
    let sheet = sheet(&bytes);
    assert!(sheet.contains("<c r=\"A2\"><v>1</v></c>"), "{sheet}");
    assert!(sheet.contains("<c r=\"A3\" t=\"s\">"));
    assert!(sheet.contains("<c r=\"A4\" t=\"b\"><v>1</v></c>"));
    let expected = [
        "1",
        "1",
        "true",
        "-",
        "[1,2]",
        "0.5",
        "-",
        "12345678901234567890",
        "a\"b",
    ];
    assert_eq!(only(&bytes).1, expected);

    let lists = Series::new(
        "l".into(),
        &[
            Series::new("".into(), &[1i64, 2]),
            Series::new("".into(), &[3i64]),
        ],
    );
    let (bytes, notes) = one(&table(vec![("l", Kind::List, lists.into_column())]));
    assert_eq!(
        notes,
        ["2 nested values in column \"l\": saved as JSON text (first: row 1)"]
    );
    assert_eq!(only(&bytes).1, ["[1,2]", "[3]"]);
}

#[test]
fn long_texts_are_refused_with_their_place() {
    let fits = [
        "x".repeat(32_767),
        "row\r\n".repeat(6553),
        "😀".repeat(16_383),
    ];
    let table_of = |texts: &[String]| table(vec![column("s", texts)]);
    let (bytes, _) = one(&table_of(&fits));
    assert_eq!(only(&bytes).1, fits);
    let error = refused(&table_of(&["ok".to_owned(), "x".repeat(32_768)]));
    assert_eq!(error.kind(), ErrorKind::Argument);
    assert_eq!(
        error.to_string(),
        "sheet \"Sheet1\", row 2, column \"s\": expected at most 32,767 characters, which is all that a cell holds, found 32,768\nhint: cut the text or leave the column out, or save as csv or parquet"
    );
    assert!(
        refused(&table_of(&["row\r\n".repeat(6554)]))
            .message()
            .ends_with("found 32,770")
    );
    assert!(
        refused(&table_of(&["😀".repeat(16_384)]))
            .message()
            .ends_with("found 32,768")
    );
    let name = "n".repeat(40_000);
    let wide = Series::new("s".into(), &[1i64]).into_column();
    let error = refused(&table(vec![(name.as_str(), Kind::Int, wide)]));
    assert!(error.message().ends_with("found 40,000"), "{error}");
    // A list is refused by its JSON text.
    let list = Series::new(
        "l".into(),
        &[Series::new("".into(), &vec![100_000i64; 5000])],
    );
    let error = refused(&table(vec![("l", Kind::List, list.into_column())]));
    assert!(error.message().ends_with("found 35,001"), "{error}");
}

#[test]
fn bytes_are_refused_with_their_place() {
    let bytes: [Option<&[u8]>; 3] = [None, None, Some(b"\0")];
    let column_of = |values: &[Option<&[u8]>]| {
        let series = Series::new("b".into(), values);
        table(vec![("b", Kind::Bytes, series.into_column())])
    };
    let error = refused(&column_of(&bytes));
    assert_eq!(error.kind(), ErrorKind::Type);
    assert!(error.to_string().starts_with(
        "sheet \"Sheet1\", row 3, column \"b\": expected a value that a cell can hold, found bytes"
    ));
    let (bytes, _) = one(&column_of(&bytes[..2]));
    assert!(!sheet(&bytes).contains("<row r=\"2\""));
}

#[test]
fn tables_beyond_a_sheet_are_refused() {
    let rows = |count: i64| {
        let numbers = Series::new("i".into(), (0..count).collect::<Vec<_>>());
        table(vec![("i", Kind::Int, numbers.into_column())])
    };
    let error = refused(&rows(1_048_576));
    assert_eq!(
        error.to_string(),
        "sheet \"Sheet1\": expected at most 1,048,576 rows, a header and 1,048,575 rows of data, found 1,048,576 rows of data\nhint: save as csv or parquet, or divide the data among several sheets"
    );
    let (bytes, _) = one(&rows(1_048_575));
    let sheet = sheet(&bytes);
    assert!(sheet.contains("<c r=\"A1048576\"><v>1048574</v></c></row></sheetData>"));
    assert!(!sheet.contains("r=\"1048577\""));
    let wide = |count: usize| {
        let numbers = || Series::new("i".into(), &[7i64]).into_column();
        let info = |at: usize| ColumnInfo {
            name: format!("c{at}"),
            kind: Kind::Int,
        };
        Table::from_columns(1, (0..count).map(|at| (info(at), numbers()))).expect("one height")
    };
    let error = refused(&wide(16_385));
    assert!(
        error
            .message()
            .starts_with("expected at most 16,384 columns, found 16,385")
    );
    let (bytes, _) = one(&wide(16_384));
    assert!(self::sheet(&bytes).contains("<c r=\"XFD2\"><v>7</v></c>"));
}

#[test]
fn pieces_of_rows_and_texts_fit_together() {
    // Several pieces, with texts that differ (stored each) and gaps, in frames of other chunks.
    let rows = 20_000;
    let texts: Vec<Option<String>> = (0..rows)
        .map(|row| (row % 7 != 0).then(|| format!("text {row}")))
        .collect();
    let words: Vec<Option<&str>> = (0..rows)
        .map(|row| ["a", "b", "c"].get(row % 4).copied())
        .collect();
    let numbers: Vec<Option<i64>> = (0..rows as i64)
        .map(|row| (row % 3 != 0).then_some(row))
        .collect();
    let long: Vec<i64> = (0..rows as i64).map(|row| i64::MAX - row).collect();
    let whole = table(vec![
        column("t", &texts),
        column("w", &words),
        column("n", &numbers),
        column("l", &long),
    ]);
    let (bytes, _) = one(&whole);
    let read = read(&bytes, SheetChoice::First);
    assert_eq!(read.height(), rows);
    let get = |at: usize, row: usize| plain(&read.frame().columns()[at].get(row).expect("a row"));
    for row in 0..rows {
        assert_eq!(get(0, row), texts[row].clone().unwrap_or_default());
        assert_eq!(get(1, row), words[row].unwrap_or_default());
        assert_eq!(
            get(2, row),
            numbers[row].map(|n| n.to_string()).unwrap_or_default()
        );
        assert_eq!(get(3, row), long[row].to_string());
    }
    let mut frame = whole.frame().slice(0, 6001);
    frame
        .vstack_mut(&whole.frame().slice(6001, rows))
        .expect("the same columns");
    assert!(frame.columns()[0].as_materialized_series().n_chunks() > 1);
    assert_eq!(one(&Table::new(frame)).0, bytes, "chunks change nothing");
}

#[test]
fn several_sheets_share_their_texts() {
    let first = table(vec![column("a", &["x", "y"])]);
    let second = table(vec![column("a", &["y", "z"]), column("n", &[1i64, 2])]);
    let sheets = [
        ("Jan & <Feb>".to_owned(), &first),
        ("2".to_owned(), &second),
    ];
    let (bytes, notes) = written(&sheets).expect("written");
    assert!(notes.is_empty());
    let values = |sheet| {
        let table = read(&bytes, sheet);
        (0..2)
            .map(|row| plain(&table.frame().columns()[0].get(row).expect("a row")))
            .collect::<Vec<_>>()
    };
    assert_eq!(values(SheetChoice::Name("Jan & <Feb>".into())), ["x", "y"]);
    assert_eq!(values(SheetChoice::Index(1)), ["y", "z"]);
}

#[test]
fn tables_without_rows_or_names_are_fine() {
    let (bytes, _) = one(&table(vec![column("a", Vec::<i64>::new())]));
    let columns = back(&bytes);
    assert_eq!((columns[0].0.as_str(), columns[0].2.len()), ("a", 0));
    let (bytes, _) = one(&table(Vec::new()));
    assert!(sheet(&bytes).contains("<sheetData></sheetData>"));
    let unnamed = table(vec![
        column("", &["x", "y"]),
        column("b", &["x", "y"]),
        column("b", &["x", "y"]),
    ]);
    let (bytes, notes) = one(&unnamed);
    assert_eq!(notes, ["named 1 column without a name: \"column_1\""]);
    let names: Vec<String> = back(&bytes).into_iter().map(|(name, ..)| name).collect();
    assert_eq!(names, ["column_1", "b", "b.1"]);
}

#[test]
fn blank_rows_at_the_end_are_told() {
    let rows = [Some(1i64), None, Some(3), None, None];
    let texts = ["a", "", "", "", ""];
    let (bytes, notes) = one(&table(vec![column("n", &rows), column("t", &texts)]));
    assert_eq!(
        notes,
        ["2 blank rows at the end: readers of workbooks leave such rows out"]
    );
    assert_eq!(only(&bytes).1, ["1", "-", "3"]);
}

#[test]
fn a_stop_request_and_a_full_disk_end_the_work() {
    let table = table(vec![column("a", (0..100_000i64).collect::<Vec<_>>())]);
    let sheets = [("Sheet1".to_owned(), &table)];
    let control = Control::default();
    control.stop();
    let error = write(&sheets, &mut Vec::new(), &control).expect_err("stopped");
    assert_eq!(error.kind(), ErrorKind::Interrupted);
    let mut room = [0u8; 5000];
    let mut full = &mut room[..];
    let error = write(&sheets, &mut full, &Control::default()).expect_err("no room");
    assert_eq!(error.kind(), ErrorKind::Io);
}
