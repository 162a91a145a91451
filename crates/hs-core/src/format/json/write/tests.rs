//! What is written for each kind of value, and what is told.

use polars::prelude::{AnyValue, Column, DataFrame, DataType, NamedFrom, Series, TimeUnit};

use super::*;
use crate::fix::Face;
use crate::format::jsonl;
use crate::table::ColumnInfo;

fn lines(table: &Table) -> (String, Vec<String>) {
    let mut out = Vec::new();
    let notes = jsonl::write::write(table, &mut out, &Control::default()).unwrap();
    let notes = notes.iter().map(|note| note.told(Face::Python)).collect();
    (String::from_utf8(out).unwrap(), notes)
}

#[test]
fn values_are_exact_and_what_json_lacks_is_told() {
    let list = Series::new("".into(), [f64::INFINITY, 0.1]);
    let cast = |series: Series, dtype| series.cast(&dtype).unwrap().into();
    let micros = DataType::Datetime(TimeUnit::Microseconds, None);
    let frame = DataFrame::new(
        1,
        vec![
            Column::new("u".into(), [u64::MAX]),
            Column::new("f".into(), [f64::NAN]),
            Column::new("g".into(), [f64::NEG_INFINITY]),
            Column::new("l".into(), [list]),
            Column::new("s".into(), ["é\"\n"]),
            cast(Series::new("d".into(), [0i32]), DataType::Date),
            cast(Series::new("t".into(), [1_500_000i64]), micros),
            Series::from_any_values("p".into(), &[AnyValue::Decimal(110, 20, 2)], true)
                .unwrap()
                .into(),
        ],
    );
    let (text, notes) = lines(&Table::new(frame.unwrap()));
    assert_eq!(
        text,
        "{\"u\":18446744073709551615,\"f\":null,\"g\":null,\"l\":[null,0.1],\"s\":\"é\\\"\\n\",\
         \"d\":\"1970-01-01\",\"t\":\"1970-01-01 00:00:01.500\",\"p\":1.10}\n"
    );
    assert_eq!(
        notes,
        [
            "2 infinite values are written as null: JSON has no infinity",
            "decimals load as float: \"p\"; types={\"p\": \"decimal\"} keeps them exact",
            "loads as text: \"d\" (date), \"t\" (datetime); types={\"d\": \"date\"} brings it back",
        ]
    );
}

#[test]
fn mixed_values_are_json_and_repeated_names_become_unique() {
    let texts = [
        "1",
        "\"1\"",
        "NaN",
        "[{\"NaN\":NaN},\"Infinity\",-Infinity]",
    ];
    let info = |name: &str, kind| ColumnInfo {
        name: name.into(),
        kind,
    };
    let plain = Column::new("y".into(), ["1", "2", "3", "4"]);
    let blank = Column::new("z".into(), [1i64, 2, 3, 4]);
    let pairs = [
        (info("a", Kind::Mixed), Column::new("x".into(), texts)),
        (info("a", Kind::Text), plain),
        (info("", Kind::Int), blank),
    ];
    let (text, notes) = lines(&Table::from_columns(4, pairs).unwrap());
    assert_eq!(
        text,
        "{\"a\":1,\"a.1\":\"1\",\"\":1}\n{\"a\":\"1\",\"a.1\":\"2\",\"\":2}\n\
         {\"a\":null,\"a.1\":\"3\",\"\":3}\n\
         {\"a\":[{\"NaN\":null},\"Infinity\",null],\"a.1\":\"4\",\"\":4}\n"
    );
    assert_eq!(
        notes,
        [
            "1 infinite value is written as null: JSON has no infinity",
            "column names that are blank or repeat: \"a\" as \"a.1\"",
        ]
    );
}
