//! Whole columns as wanted types, from text and from other types.

use polars::prelude::{Column, DataFrame, DataType, NamedFrom, Series, TimeUnit};

use super::*;
use crate::text::plain;

fn table(kind: Kind, column: Column) -> Table {
    let height = column.len();
    let frame = DataFrame::new(height, vec![column]).expect("one column");
    let mut table = Table::new(frame);
    table.set_kind(0, kind);
    table
}

fn texts(values: &[Option<&str>]) -> Table {
    table(Kind::Text, Column::new("c".into(), values))
}

fn turned(table: Table, wanted: &str) -> Result<Table> {
    let types = Types::parse_columns([("c", wanted)])?;
    let row = |row: usize| Ok(Spot::Row(row as u64 + 1));
    conform(table, &types, &row, &Control::default())
}

/// The type and the values as text, missing ones as `-`.
fn values(table: &Table) -> (String, Vec<String>) {
    let column = &table.frame().columns()[0];
    let values = (0..table.height()).map(|row| {
        let value = column.get(row).expect("a row");
        if value.is_null() {
            "-".to_owned()
        } else {
            plain(&value)
        }
    });
    (column.dtype().to_string(), values.collect())
}

fn read(texts_: &[Option<&str>], wanted: &str) -> (String, Vec<String>) {
    values(&turned(texts(texts_), wanted).expect("all fit"))
}

fn owned(dtype: &str, values: &[&str]) -> (String, Vec<String>) {
    (
        dtype.to_owned(),
        values.iter().map(ToString::to_string).collect(),
    )
}

#[test]
fn texts_become_what_is_wanted() {
    let missing = [Some("NA"), None, Some("  ")];
    let with = |values: &[&'static str]| {
        let values = values.iter().map(|value| Some(*value));
        values.chain(missing).collect::<Vec<_>>()
    };
    assert_eq!(
        read(&with(&["007", " 8 "]), "int"),
        owned("i64", &["7", "8", "-", "-", "-"])
    );
    assert_eq!(
        read(&with(&["18446744073709551615"]), "int"),
        owned("u64", &["18446744073709551615", "-", "-", "-"])
    );
    assert_eq!(
        read(&with(&["1.299,99", "5"]), "float:1.234,56"),
        owned("f64", &["1299.99", "5.0", "-", "-", "-"])
    );
    assert_eq!(
        read(&with(&["Yes", "0"]), "bool"),
        owned("bool", &["true", "false", "-", "-", "-"])
    );
    assert_eq!(
        read(&with(&["03/04/2021"]), "date:%m/%d/%Y"),
        owned("date", &["2021-03-04", "-", "-", "-"])
    );
    assert_eq!(
        read(&with(&["2021-03-04", "2021-03-04T05:06:07.5"]), "datetime"),
        owned(
            "datetime[μs]",
            &[
                "2021-03-04 00:00:00",
                "2021-03-04 05:06:07.500",
                "-",
                "-",
                "-"
            ]
        )
    );
    assert_eq!(
        read(
            &[
                Some("2021-03-04T05:06:07+01:00"),
                Some("2021-03-04 05:06:07.000000001Z")
            ],
            "datetime"
        ),
        owned(
            "datetime[ns, UTC]",
            &[
                "2021-03-04 04:06:07+00:00",
                "2021-03-04 05:06:07.000000001+00:00"
            ]
        )
    );
    assert_eq!(
        read(&with(&["05:06"]), "time"),
        owned("time", &["05:06:00", "-", "-", "-"])
    );
    assert_eq!(
        read(&with(&["1.10", "-20"]), "decimal").1,
        ["1.10", "-20.00", "-", "-", "-"]
    );
}

#[test]
fn columns_without_values_have_the_wanted_type() {
    for word in super::wanted::WORDS {
        let nothing =
            Column::new_scalar("c".into(), polars::prelude::Scalar::null(DataType::Null), 3);
        let table = turned(table(Kind::Empty, nothing), word).expect("nothing to refuse");
        assert_eq!(table.columns()[0].kind.word(), word);
        assert_eq!(Kind::of(table.frame().columns()[0].dtype()).word(), word);
        assert_eq!(values(&table).1, ["-", "-", "-"]);
    }
}

#[test]
fn a_value_that_does_not_fit_is_named_and_counted() {
    let told = |values: &[Option<&str>], wanted: &str| {
        turned(texts(values), wanted)
            .expect_err("a misfit")
            .to_string()
    };
    assert_eq!(
        told(&[Some("1"), Some("abc"), Some("x")], "int"),
        "column \"c\": expected int, found \"abc\" in row 2 (2 values in all do not fit)\n\
         hint: look at its values as text: types={\"c\": \"text\"}"
    );
    assert!(told(&[Some("31/12/2026")], "date").ends_with("types={\"c\": \"date:%d/%m/%Y\"}"));
    // Signed and beyond the signed together, with and without offset, too far for nanoseconds.
    assert!(told(&[Some("-1"), Some("9223372036854775808")], "int").contains("found \"-1\""));
    assert!(
        told(
            &[Some("2021-03-04 05:06Z"), Some("2021-03-04 05:07")],
            "datetime"
        )
        .contains("found \"2021-03-04 05:07\" in row 2")
    );
    assert!(
        told(
            &[
                Some("2021-03-04 05:06:00.000000001"),
                Some("1500-03-04 05:07")
            ],
            "datetime"
        )
        .contains("found \"1500-03-04 05:07\"")
    );
    let long = "1".repeat(39);
    assert!(told(&[Some(&long)], "decimal").contains("38 digits"));
}

#[test]
fn what_is_rounded_or_read_as_missing_is_told() -> Result<()> {
    let table = turned(
        texts(&[Some("9007199254740993"), Some("NA"), Some("n/a")]),
        "float",
    )?;
    let notes: Vec<&str> = table.notes.iter().map(|note| note.text.as_str()).collect();
    assert_eq!(
        notes,
        [
            "column \"c\": 1 number of more digits than a float keeps rounded (first: row 1)",
            "words such as NA read as missing: \"c\" 2 (first: row 2)",
        ]
    );
    Ok(())
}

#[test]
fn other_types_go_through_their_exact_text() -> Result<()> {
    let floats = || {
        table(
            Kind::Float,
            Column::new("c".into(), [1.0, 0.1, 1e300, -0.0, 9e15]),
        )
    };
    let texts = turned(floats(), "text")?;
    assert_eq!(
        values(&texts).1,
        ["1", "0.1", "1e300", "-0.0", "9000000000000000"]
    );
    let whole = table(Kind::Float, Column::new("c".into(), [1.0, f64::NAN, 9e15]));
    assert_eq!(
        values(&turned(whole, "int")?).1,
        ["1", "-", "9000000000000000"]
    );
    assert!(turned(floats(), "int").is_err());
    let ints = || {
        table(
            Kind::Int,
            Column::new("c".into(), [1234, 9_007_199_254_740_993i64]),
        )
    };
    let noted = turned(ints(), "float:1.234,56")?;
    assert_eq!(values(&noted).1, ["1234.0", "9007199254740992.0"]);
    assert_eq!(noted.notes.len(), 1);
    assert!(turned(ints(), "date").is_err());
    let days = Series::new("c".into(), [0i32])
        .cast(&DataType::Date)
        .expect("days");
    let days = table(Kind::Date, days.into());
    assert_eq!(
        values(&turned(days, "datetime")?).1,
        ["1970-01-01 00:00:00"]
    );
    let moments = Series::new("c".into(), [86_400_000_000i64, 1])
        .cast(&DataType::Datetime(TimeUnit::Microseconds, None))
        .expect("moments");
    let moments = table(Kind::Datetime, moments.into());
    assert!(turned(moments, "date").is_err());
    Ok(())
}

#[test]
fn json_text_of_a_mixed_column_is_read_as_its_values() -> Result<()> {
    let json = ["1.5", "\"1.234,5\"", "\"a\\u0001\\n\\\"\\\\\"", "[1,2]"];
    let mixed = |rows: usize| table(Kind::Mixed, Column::new("c".into(), &json[..rows]));
    assert_eq!(
        values(&turned(mixed(4), "text")?).1,
        ["1.5", "1.234,5", "a\u{1}\n\"\\", "[1,2]"]
    );
    // The number is a number, whatever marks the texts have.
    assert_eq!(
        values(&turned(mixed(2), "float:1.234,56")?).1,
        ["1.5", "1234.5"]
    );
    Ok(())
}

#[test]
fn parts_of_a_column_stay_its_parts() -> Result<()> {
    let mut first = Series::new("c".into(), ["1", "2"]);
    first
        .append(&Series::new("c".into(), ["3", "x"]))
        .expect("both are text");
    let error = turned(table(Kind::Text, first.clone().into()), "int").expect_err("a misfit");
    assert!(error.to_string().contains("\"x\" in row 4"), "{error}");
    let bools = turned(table(Kind::Text, first.slice(0, 2).into()), "int")?;
    assert_eq!(values(&bools).1, ["1", "2"]);
    let many: Vec<String> = (0..200_000).map(|number| number.to_string()).collect();
    let many = turned(table(Kind::Text, Column::new("c".into(), many)), "int")?;
    assert_eq!(values(&many).1[199_999], "199999");
    Ok(())
}
