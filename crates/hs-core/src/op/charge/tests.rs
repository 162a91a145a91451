//! Several files as one table, from files on the disk.

use std::path::PathBuf;

use polars::prelude::{
    DataType, IntoSeries, NamedFrom, PlSmallStr, Series, StructChunked, TimeUnit, TimeZone,
};

use super::common_type::{Typed, common, convert};
use super::*;
use crate::table::Kind;

struct Folder(tempfile::TempDir);

impl Folder {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        Self(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn list(&self, names: &[&str]) -> Result<Table> {
        let list = names.iter().map(|name| self.path(name)).collect();
        given(&Given::List(list), &ChargeOptions::default())
    }

    fn pattern(&self, pattern: &str, columns: &[&str]) -> Result<Table> {
        let columns = columns.iter().map(|name| (*name).to_owned()).collect();
        let options = ChargeOptions {
            columns: Some(columns).filter(|columns: &Vec<String>| !columns.is_empty()),
            ..ChargeOptions::default()
        };
        given(&Given::One(self.path(pattern)), &options)
    }

    /// What is said, with the folder's name left out.
    fn said(&self, text: &str) -> String {
        let folder = self.0.path().display().to_string();
        text.replace(&format!("{folder}/"), "")
    }

    fn account(&self, table: &Table) -> Vec<String> {
        table.account().iter().map(|line| self.said(line)).collect()
    }

    fn error(&self, names: &[&str]) -> String {
        let error = self.list(names).expect_err("an error");
        self.said(&error.to_string())
    }
}

fn given(given: &Given, options: &ChargeOptions) -> Result<Table> {
    match charge_files(given, options, &Control::default())? {
        Loaded::Table(table) => Ok(table),
        Loaded::Sheets(_) | Loaded::Value(_) => panic!("no table"),
    }
}

fn names(table: &Table) -> Vec<&str> {
    table
        .columns()
        .iter()
        .map(|info| info.name.as_str())
        .collect()
}

fn cells(table: &Table, name: &str) -> Vec<String> {
    let column = &table.frame().columns()[table.position(name).unwrap()];
    (0..table.height())
        .map(|row| {
            let mut out = String::new();
            crate::text::write_json(&mut out, &column.get(row).unwrap());
            out
        })
        .collect()
}

#[test]
fn columns_meet_by_name_and_each_row_knows_its_file() {
    let folder = Folder::new(&[
        ("m-2.csv", "id,code\n1,007\n2,008\n"),
        ("m-10.csv", "code,new,id\n009,x,3\n"),
        ("other.csv", "id\n9\n"),
    ]);
    let table = folder.pattern("m-*.csv", &[]).unwrap();
    assert_eq!(names(&table), ["id", "code", "new", "source"]);
    assert_eq!(cells(&table, "id"), ["1", "2", "3"]);
    assert_eq!(cells(&table, "code"), ["\"007\"", "\"008\"", "\"009\""]);
    assert_eq!(cells(&table, "new"), ["null", "null", "\"x\""]);
    let sources: Vec<String> = cells(&table, "source");
    let sources: Vec<String> = sources.iter().map(|name| folder.said(name)).collect();
    assert_eq!(sources, ["\"m-2.csv\"", "\"m-2.csv\"", "\"m-10.csv\""]);
    assert_eq!(
        folder.account(&table),
        [
            "m-*.csv: 3 rows x 4 columns, 2 files",
            "m-2.csv: no column \"new\": missing in its rows",
        ]
    );
}

#[test]
fn formats_and_compressions_may_differ() {
    let folder = Folder::new(&[
        ("a.jsonl", "{\"n\": 1, \"t\": \"x\"}\n"),
        ("b.csv", "n;t\n2;y\n"),
        ("c.json", "[{\"t\": null, \"n\": 3}]"),
    ]);
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut packed, b"n,t\n4,\n").unwrap();
    std::fs::write(folder.path("d.csv.gz"), packed.finish().unwrap()).unwrap();
    let table = folder.pattern("*", &[]).unwrap();
    assert_eq!(cells(&table, "n"), ["1", "2", "3", "4"]);
    assert_eq!(cells(&table, "t"), ["\"x\"", "\"y\"", "null", "null"]);
    assert_eq!(
        folder.account(&table)[1],
        "b.csv: delimiter: \";\"",
        "a note names its file"
    );
}

#[test]
fn a_code_never_meets_a_number() {
    let folder = Folder::new(&[
        ("a.csv", "zip\n00042\n"),
        ("b.csv", "zip\n42\n"),
        ("c.csv", "zip\n\n\"\"\n"),
    ]);
    assert_eq!(
        folder.error(&["a.csv", "b.csv"]),
        "b.csv, column \"zip\": expected text such as \"00042\" as in a.csv, found int\n\
         hint: give it one type in all files: types={\"zip\": \"text\"}"
    );
    assert_eq!(
        folder.error(&["c.csv", "b.csv", "a.csv"]),
        "a.csv, column \"zip\": expected int as in b.csv, found text such as \"00042\"\n\
         hint: give it one type in all files: types={\"zip\": \"text\"}"
    );
    let options = ChargeOptions {
        columns: Some(vec!["source".to_owned()]),
        ..ChargeOptions::default()
    };
    let list = Given::List(vec![folder.path("a.csv"), folder.path("b.csv")]);
    let table = given(&list, &options).unwrap();
    assert_eq!(table.width(), 1, "a column that nobody wants is no clash");
}

#[test]
fn whole_numbers_are_floats_only_when_they_stay_exact() {
    let folder = Folder::new(&[
        ("int.csv", "n\n3\n9007199254740992\n"),
        ("wide.csv", "n\n9007199254740993\n"),
        ("float.csv", "n\n0.5\n"),
        ("u64.csv", "n\n18446744073709551615\n"),
        ("negative.csv", "n\n-1\n"),
    ]);
    let table = folder.list(&["int.csv", "float.csv"]).unwrap();
    assert_eq!(cells(&table, "n"), ["3.0", "9007199254740992.0", "0.5"]);
    assert_eq!(
        folder.account(&table)[1],
        "2 files: column \"n\": float, whole numbers in \"int.csv\""
    );
    assert_eq!(
        folder.error(&["wide.csv", "float.csv"]),
        "wide.csv, column \"n\": expected float as in float.csv, found int that it does not hold exactly\n\
         hint: give it one type in all files: types={\"n\": \"text\"}"
    );
    let table = folder.list(&["wide.csv", "u64.csv"]).unwrap();
    assert_eq!(
        cells(&table, "n"),
        ["9007199254740993", "18446744073709551615"]
    );
    assert!(
        folder
            .error(&["u64.csv", "negative.csv"])
            .contains("found int")
    );
}

#[test]
fn days_and_points_in_time_are_not_mixed() {
    let folder = Folder::new(&[
        ("day.csv", "d\n2026-01-03\n"),
        ("time.csv", "d\n2026-01-03T04:05:06\n"),
        ("zoned.csv", "d\n2026-01-03T04:05:06Z\n"),
        ("nanos.csv", "d\n2026-01-03T04:05:06.123456789\n"),
        ("far.csv", "d\n1066-10-14T09:00:00\n"),
    ]);
    let error = folder.error(&["day.csv", "time.csv"]);
    assert_eq!(
        error,
        "time.csv, column \"d\": expected date as in day.csv, found datetime without zone\n\
         hint: give it one type in all files: types={\"d\": \"datetime\"}"
    );
    let error = folder.error(&["time.csv", "zoned.csv"]);
    assert!(error.contains("expected datetime without zone as in time.csv, found datetime in UTC"));
    let table = folder.list(&["time.csv", "nanos.csv"]).unwrap();
    assert_eq!(
        cells(&table, "d"),
        [
            "\"2026-01-03 04:05:06\"",
            "\"2026-01-03 04:05:06.123456789\""
        ]
    );
    let error = folder.error(&["nanos.csv", "far.csv"]);
    assert!(error.contains("far.csv, column \"d\""), "{error}");
}

#[test]
fn documents_and_empty_lists_are_refused() {
    let folder = Folder::new(&[("a.csv", "n\n1\n"), ("b.json", "{\"data\": [{\"n\": 2}]}")]);
    assert_eq!(
        folder.error(&["a.csv", "b.json"]),
        "b.json: expected a table in each file, found a document of another shape\n\
         hint: name the records in it: at=\"data\""
    );
    assert!(
        folder
            .error(&[])
            .starts_with("expected files, found an empty list")
    );
    assert!(
        folder
            .error(&["a.csv", "no.csv"])
            .starts_with("no.csv: no such file")
    );
}

#[test]
fn a_file_that_is_there_twice_is_told() {
    let folder = Folder::new(&[("a.csv", "n,source\n1,x\n")]);
    let table = folder.list(&["a.csv", "./a.csv"]).unwrap();
    assert_eq!(cells(&table, "n"), ["1", "1"]);
    assert_eq!(names(&table), ["n", "source", "source_"]);
    assert_eq!(
        folder.account(&table),
        [
            "2 files: 2 rows x 3 columns",
            "2 files: \"./a.csv\" is there twice, and so are its rows",
            "2 files: the files have a column \"source\": their names are in \"source_\"",
        ]
    );
}

#[test]
fn columns_are_those_of_all_files() {
    let folder = Folder::new(&[("a.csv", "x,y\n1,2\n"), ("b.csv", "z,y\n3,4\n")]);
    let table = folder.pattern("?.csv", &["z", "source", "x"]).unwrap();
    assert_eq!(names(&table), ["z", "source", "x"]);
    assert_eq!(cells(&table, "z"), ["null", "3"]);
    let error = folder.pattern("?.csv", &["yy"]).unwrap_err().to_string();
    assert!(
        folder.said(&error).starts_with("?.csv: no column \"yy\""),
        "{error}"
    );
}

#[test]
fn notes_of_many_files_stay_few_and_name_theirs() {
    let files: Vec<(String, String)> = (1..=9)
        .map(|number| {
            let bad = "{\n".repeat(number);
            (
                format!("{number}.jsonl"),
                format!("{bad}{{\"n\": {number}}}\n"),
            )
        })
        .collect();
    let mut files: Vec<(&str, &str)> = files
        .iter()
        .map(|(name, text)| (name.as_str(), text.as_str()))
        .collect();
    files.push(("10.csv", "n;m\n1;2\n"));
    files.push(("11.csv", "n;m\n1;2\n"));
    let folder = Folder::new(&files);
    let table = folder.pattern("*", &["n"]).unwrap();
    let account = folder.account(&table);
    assert_eq!(account.len(), 6);
    assert_eq!(account[0], "*: 11 rows x 1 column, 11 files");
    assert!(account[1].starts_with("1.jsonl: skipped 1 bad line (first: line 1"));
    assert_eq!(
        account[2], "10.csv: delimiter: \";\" (also in \"11.csv\")",
        "the first of each kind comes before the second of any"
    );
    assert!(account[3].starts_with("2.jsonl: skipped 2 bad lines"));
    assert_eq!(account[5], "*: and 6 more notes");
}

#[test]
fn parts_of_all_columns_have_the_same_lengths() {
    let rows = "123456,some text\n".repeat(60_000);
    let folder = Folder::new(&[
        ("a.csv", &format!("n,t\n{rows}")),
        ("b.csv", &format!("n,u\n{rows}")),
    ]);
    let table = folder.pattern("?.csv", &[]).unwrap();
    let lengths = |column: &polars::prelude::Column| {
        let series = column.as_materialized_series();
        series.chunk_lengths().collect::<Vec<_>>()
    };
    let first = lengths(&table.frame().columns()[0]);
    assert!(first.len() > 2, "{first:?}");
    for column in table.frame().columns() {
        assert_eq!(lengths(column), first, "{}", column.name());
    }
}

#[test]
fn texts_that_lie_flat_meet_those_that_do_not() {
    let folder = Folder::new(&[
        ("a.csv", "n,t\n1,007\n2,\n"),
        ("b.csv", "n\n3\n"),
        (
            "c.jsonl",
            "{\"t\": \"a text of more than twelve bytes\"}\n{\"t\": null}\n",
        ),
        ("d.csv", "t\n42\n"),
    ]);
    let flat = |files: &[&str]| {
        let options = ChargeOptions {
            read: ReadOptions {
                text: format::TextLayout::Flat,
                ..ReadOptions::default()
            },
            ..ChargeOptions::default()
        };
        let list = files.iter().map(|name| folder.path(name)).collect();
        given(&Given::List(list), &options)
    };
    let table = flat(&["a.csv", "b.csv", "c.jsonl"]).unwrap();
    let column = &table.frame().columns()[table.position("t").unwrap()];
    assert_eq!(table.columns()[1].kind, Kind::Text);
    let texts: Vec<Option<String>> = column
        .as_materialized_series()
        .binary_offset()
        .unwrap()
        .iter()
        .map(|text| text.map(|text| String::from_utf8(text.to_vec()).unwrap()))
        .collect();
    let some = |text: &str| Some(text.to_owned());
    let long = some("a text of more than twelve bytes");
    assert_eq!(texts, [some("007"), None, None, long, None]);
    let error = flat(&["a.csv", "d.csv"]).unwrap_err().to_string();
    assert!(error.contains("expected text such as \"007\""), "{error}");
}

fn together(left: &Series, right: &Series) -> Option<(Series, Series)> {
    let typed = |series: &Series| Typed {
        kind: Kind::of(series.dtype()),
        dtype: series.dtype().clone(),
    };
    let both = common(&typed(left), &typed(right))?;
    let other = common(&typed(right), &typed(left)).expect("the order does not matter");
    assert_eq!(both.kind, other.kind);
    let convert = |series| convert(series, &both.dtype).expect("a type that was found");
    Some((convert(left)?, convert(right)?))
}

fn series<T, P: ?Sized>(values: T) -> Series
where
    Series: NamedFrom<T, P>,
{
    Series::new("x".into(), values)
}

#[test]
fn widths_units_and_zones_meet() {
    let narrow = series([Some(1i64), None])
        .strict_cast(&DataType::Int8)
        .unwrap();
    let wide = series([1u64 << 31]).strict_cast(&DataType::UInt32).unwrap();
    let (narrow, wide) = together(&narrow, &wide).unwrap();
    assert_eq!(
        (narrow.dtype(), wide.dtype()),
        (&DataType::Int64, &DataType::Int64)
    );
    assert_eq!(narrow.null_count(), 1);

    let moments = |value: i64, unit, zone: Option<&'static str>| {
        let zone = TimeZone::opt_try_new(zone).unwrap();
        let values = series([value]);
        values
            .i64()
            .unwrap()
            .clone()
            .into_datetime(unit, zone)
            .into_series()
    };
    let (paris, utc) = (
        moments(1_500, TimeUnit::Milliseconds, Some("Europe/Paris")),
        moments(2_000_000_001, TimeUnit::Nanoseconds, Some("UTC")),
    );
    let (paris, _) = together(&paris, &utc).unwrap();
    assert_eq!(
        paris.dtype(),
        &DataType::Datetime(TimeUnit::Nanoseconds, Some(TimeZone::UTC))
    );
    assert_eq!(
        paris.to_physical_repr().i64().unwrap().get(0),
        Some(1_500_000_000)
    );
    let far = moments(i64::MAX / 1000, TimeUnit::Milliseconds, Some("UTC"));
    assert!(together(&far, &utc).is_none(), "beyond nanoseconds");
    assert!(together(&moments(0, TimeUnit::Milliseconds, None), &utc).is_none());

    let decimals = |value: i128, precision, scale| {
        let values = series([1i64])
            .strict_cast(&DataType::Decimal(38, 0))
            .unwrap();
        let values = values.to_physical_repr().i128().unwrap().clone();
        let values = polars::prelude::ChunkApply::apply_values(&values, |_| value);
        values.into_decimal(precision, scale).unwrap().into_series()
    };
    let (coarse, fine) = (decimals(125, 5, 1), decimals(33, 4, 2));
    let (coarse, fine) = together(&coarse, &fine).unwrap();
    assert_eq!(coarse.dtype(), fine.dtype());
    let text = |series: &Series| crate::text::plain(&series.get(0).unwrap());
    assert_eq!(
        (text(&coarse), text(&fine)),
        ("12.50".into(), "0.33".into())
    );
    assert!(together(&decimals(1, 38, 0), &decimals(1, 38, 2)).is_none());
}

#[test]
fn structs_and_lists_meet_field_by_field() {
    let object = |fields: &[Series]| {
        let rows = fields[0].len();
        StructChunked::from_series(PlSmallStr::from_static("x"), rows, fields.iter())
            .unwrap()
            .into_series()
    };
    let named = |name: &str, series: Series| series.with_name(name.into());
    let left = object(&[
        named("a", series([1i64, 2])),
        named("b", series(["x", "y"])),
    ]);
    let right = object(&[named("a", series([0.5])), named("c", series([true]))]);
    let (left, right) = together(&left, &right).unwrap();
    assert_eq!(left.dtype(), right.dtype());
    let json = |series: &Series, row| {
        let mut out = String::new();
        crate::text::write_json(&mut out, &series.get(row).unwrap());
        out
    };
    assert_eq!(json(&left, 1), "{\"a\":2.0,\"b\":\"y\",\"c\":null}");
    assert_eq!(json(&right, 0), "{\"a\":0.5,\"b\":null,\"c\":true}");

    let list = |items: Series| series([items]);
    let (left, right) = together(&list(series([1i64, 2])), &list(series([0.5]))).unwrap();
    assert_eq!(
        (json(&left, 0), json(&right, 0)),
        ("[1.0,2.0]".into(), "[0.5]".into())
    );
    let inexact = list(series([(1i64 << 53) + 1]));
    assert!(together(&inexact, &list(series([0.5]))).is_none());
    assert!(together(&list(series([1i64])), &list(series(["x"]))).is_none());
    assert!(together(&series([1i64]), &list(series([1i64]))).is_none());
}
