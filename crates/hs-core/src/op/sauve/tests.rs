//! What names ask for, what is refused, and what is said.

use polars::prelude::{Column, DataFrame, DataType, NamedFrom, Series, TimeUnit};

use super::*;
use crate::fix::Face;
use crate::table::Kind;

fn table() -> Table {
    let columns = vec![
        Column::new("id".into(), [1i64, 2]),
        Column::new("name".into(), ["é", "b"]),
    ];
    Table::new(DataFrame::new(2, columns).unwrap())
}

fn saved(name: &str, data: Data<'_>, options: &SauveOptions) -> Result<(Vec<String>, String)> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    let saved = sauve(&path, data, options, &Control::default())?;
    let front = format!("{}/", folder.path().display());
    let lines = saved.account(Face::Python);
    let lines = lines.iter().map(|line| line.replace(&front, "")).collect();
    Ok((lines, std::fs::read_to_string(path).unwrap()))
}

#[test]
fn the_extension_says_the_format() {
    let found = |name: &str| {
        let target = Target::of(Path::new(name)).unwrap();
        (
            target.format,
            target.delimiter,
            target.compression.is_some(),
        )
    };
    assert_eq!(found("a.csv"), (Format::Csv, b',', false));
    assert_eq!(found("x.y/a.TSV.GZ"), (Format::Csv, b'\t', true));
    assert_eq!(found("a.ndjson.zst"), (Format::Jsonl, b',', true));
    assert_eq!(found("a.xlsx").0, Format::Xlsx);
    for (name, message, hint) in [
        ("a", "found none", "the extension says the format"),
        (".csv", "found none", "the extension says the format"),
        ("a.xls", "found .xls", "saved as .xlsx"),
        ("a.txt", "found .txt", ".tsv (tabs)"),
        (
            "a.parquet.gz",
            "expected no packing around parquet, found .gz",
            "leave out .gz",
        ),
        (
            "a.csv.xz",
            "expected .gz or .zst for packed text, found .xz",
            "only read",
        ),
        ("a.gz", "found none", "the extension says the format"),
    ] {
        let error = Target::of(Path::new(name)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Argument);
        assert!(error.message().contains(message), "{error}");
        assert!(error.hint_text().unwrap().contains(hint), "{error}");
    }
}

#[test]
fn a_table_in_each_text_format() {
    let table = table();
    let text = |name| saved(name, Data::Table(&table), &SauveOptions::default()).unwrap();
    let (lines, csv) = text("a.csv");
    assert_eq!(csv, "id,name\n1,é\n2,b\n");
    assert_eq!(lines, ["a.csv: 2 rows x 2 columns, 17 bytes"]);
    assert_eq!(text("a.tsv").1, "id\tname\n1\té\n2\tb\n");
    assert_eq!(
        text("a.json").1,
        "[\n{\"id\":1,\"name\":\"é\"},\n{\"id\":2,\"name\":\"b\"}\n]\n"
    );
    assert_eq!(
        text("a.jsonl").1,
        "{\"id\":1,\"name\":\"é\"}\n{\"id\":2,\"name\":\"b\"}\n"
    );
}

#[test]
fn what_a_format_has_no_place_for_is_refused() {
    let table = table();
    let sheets = [("Jan".to_owned(), &table)];
    let value = Value::List(vec![Value::Int(1)]);
    let named = SauveOptions {
        sheet: Some("Jan".into()),
        ..SauveOptions::default()
    };
    let none = SauveOptions::default();
    for (name, data, options, message) in [
        (
            "a.csv",
            Data::Sheets(&sheets),
            &none,
            "expected one table for a csv file, found several",
        ),
        (
            "a.tsv",
            Data::Value(&value),
            &none,
            "expected a table for a tsv file, found a document that is none",
        ),
        (
            "a.jsonl",
            Data::Value(&value),
            &none,
            "expected a frame or a list of dicts for jsonl, found another value",
        ),
        (
            "a.json",
            Data::Table(&table),
            &named,
            "sheet means nothing for a json file",
        ),
        (
            "a.xlsx",
            Data::Sheets(&sheets),
            &named,
            "the sheets have names already",
        ),
    ] {
        let error = saved(name, data, options).unwrap_err();
        assert_eq!(error.message(), message);
        assert!(
            error
                .place()
                .source
                .as_ref()
                .is_some_and(|source| source.ends_with(name))
        );
    }
}

#[test]
fn values_are_indented_and_records_stand_in_lines() {
    let object = |fields: Vec<(&str, Value)>| {
        Value::Object(
            fields
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value))
                .collect(),
        )
    };
    let record = object(vec![
        ("a", Value::Int(1)),
        ("b", Value::List(vec![Value::Null])),
    ]);
    let document = object(vec![
        ("rows", Value::List(vec![record.clone()])),
        ("far", Value::Float(f64::INFINITY)),
        ("none", Value::List(vec![])),
    ]);
    let none = SauveOptions::default();
    let (lines, text) = saved("a.json", Data::Value(&document), &none).unwrap();
    assert_eq!(
        text,
        "{\n  \"rows\": [\n    {\n      \"a\": 1,\n      \"b\": [\n        null\n      ]\n    }\n  ],\n  \
         \"far\": null,\n  \"none\": []\n}\n"
    );
    assert_eq!(
        lines,
        [
            format!("a.json: {} bytes", text.len()),
            "a.json: 1 infinite value is written as null: JSON has no infinity".to_owned()
        ]
    );
    let records = Value::List(vec![record.clone(), record]);
    assert_eq!(
        saved("a.json", Data::Value(&records), &none).unwrap().1,
        "[\n{\"a\":1,\"b\":[null]},\n{\"a\":1,\"b\":[null]}\n]\n"
    );
    assert_eq!(
        saved("a.jsonl", Data::Value(&records), &none).unwrap().1,
        "{\"a\":1,\"b\":[null]}\n{\"a\":1,\"b\":[null]}\n"
    );
    let bytes = object(vec![(
        "a",
        Value::List(vec![Value::Null, Value::Bytes(vec![1])]),
    )]);
    let error = saved("a.json", Data::Value(&bytes), &none).unwrap_err();
    assert_eq!(error.message(), "at \"a.1\": JSON has no form for bytes");
}

#[test]
fn midnights_are_days_unless_one_of_them_is_none() {
    const DAY: i64 = 86_400_000;
    let moments = |values: &[Option<i64>]| {
        Series::new("t".into(), values)
            .cast(&DataType::Datetime(TimeUnit::Milliseconds, None))
            .unwrap()
    };
    let columns = [
        moments(&[Some(DAY), None]),
        moments(&[Some(DAY), Some(-3 * DAY)]),
        moments(&[Some(DAY), Some(1)]),
        moments(&[None, None]),
    ];
    let kinds = columns.map(|series| {
        let table = Table::new(DataFrame::new(2, vec![series.into()]).unwrap());
        let table = days(&table).unwrap();
        (
            table.columns()[0].kind,
            table.frame().dtypes()[0] == DataType::Date,
        )
    });
    let (day, moment) = ((Kind::Date, true), (Kind::Datetime, false));
    assert_eq!(kinds, [day, day, moment, moment]);
}
