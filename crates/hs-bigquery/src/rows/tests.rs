//! Pages of results against what they have to become.

use hs_core::{Control, ErrorKind, Kind, Table, text};
use polars::prelude::{DataType, TimeUnit};

use super::{Page, Rows};

/// The table of these replies, or the error.
pub fn decoded(bodies: &[&str]) -> Result<Table, String> {
    let mut rows = Rows::new();
    for body in bodies {
        rows.page(body.as_bytes(), &Control::default())
            .map_err(|error| error.to_string())?;
    }
    rows.table().map_err(|error| error.to_string())
}

/// A complete reply with one column of this type (as the fields of the schema behind the name) and these cells.
fn column(kind: &str, cells: &[&str]) -> Result<Table, String> {
    let rows: Vec<String> = cells
        .iter()
        .map(|cell| format!(r#"{{"f":[{{"v":{cell}}}]}}"#))
        .collect();
    let body = format!(
        r#"{{"jobComplete":true,"schema":{{"fields":[{{"name":"x",{kind}}}]}},"rows":[{}]}}"#,
        rows.join(",")
    );
    decoded(&[&body])
}

fn of(kind: &str, cells: &[&str]) -> Result<Table, String> {
    column(&format!(r#""type":"{kind}","mode":"NULLABLE""#), cells)
}

/// The values of the first column as JSON.
pub fn values(table: &Table) -> Vec<String> {
    let column = &table.frame().columns()[0];
    let json = |row| {
        let mut out = String::new();
        text::write_json(&mut out, &column.get(row).unwrap());
        out
    };
    (0..table.height()).map(json).collect()
}

fn dtype(table: &Table) -> &DataType {
    table.frame().columns()[0].dtype()
}

fn notes(table: &Table) -> Vec<&str> {
    table.notes.iter().map(|note| note.text.as_str()).collect()
}

#[test]
fn every_plain_type_with_its_extremes_and_missing_values() {
    let micros = TimeUnit::Microseconds;
    let utc = DataType::Datetime(micros, Some(polars::prelude::TimeZone::UTC));
    for (kind, stored, cells, wanted) in [
        (
            "INTEGER",
            DataType::Int64,
            vec![
                "\"-9223372036854775808\"",
                "null",
                "\"9223372036854775807\"",
                "5",
            ],
            vec!["-9223372036854775808", "null", "9223372036854775807", "5"],
        ),
        (
            "float",
            DataType::Float64,
            vec!["\"1.5\"", "null", "\"-0.0\"", "2e3"],
            vec!["1.5", "null", "-0.0", "2000.0"],
        ),
        (
            "BOOL",
            DataType::Boolean,
            vec!["\"true\"", "\"f\"", "null", "true", "\"1\""],
            vec!["true", "false", "null", "true", "true"],
        ),
        (
            "STRING",
            DataType::String,
            vec![
                "\"\"",
                "null",
                "\"a\\u0000\\ud83d\\ude00\\\"\"",
                "\"longer than twelve bytes\"",
            ],
            vec![
                "\"\"",
                "null",
                "\"a\\u0000😀\\\"\"",
                "\"longer than twelve bytes\"",
            ],
        ),
        (
            "GEOGRAPHY",
            DataType::String,
            vec!["\"POINT(1 2)\""],
            vec!["\"POINT(1 2)\""],
        ),
        (
            "JSON",
            DataType::String,
            vec!["\"{\\\"a\\\":1.0}\"", "\"null\""],
            vec!["\"{\\\"a\\\":1.0}\"", "\"null\""],
        ),
        (
            "INTERVAL",
            DataType::String,
            vec!["\"1-2 3 4:5:6.789\""],
            vec!["\"1-2 3 4:5:6.789\""],
        ),
        (
            "BYTES",
            DataType::Binary,
            vec!["\"AP8=\"", "null", "\"\""],
            vec!["\"00ff\"", "null", "\"\""],
        ),
        (
            "DATE",
            DataType::Date,
            vec!["\"0001-01-01\"", "null", "\"9999-12-31\""],
            vec!["\"0001-01-01\"", "null", "\"9999-12-31\""],
        ),
        (
            "TIME",
            DataType::Time,
            vec!["\"23:59:59.999999\"", "null", "\"00:00:00\""],
            vec!["\"23:59:59.999999\"", "null", "\"00:00:00\""],
        ),
        (
            "DATETIME",
            DataType::Datetime(micros, None),
            vec![
                "\"0001-01-01T00:00:00\"",
                "null",
                "\"9999-12-31T23:59:59.999999\"",
            ],
            vec![
                "\"0001-01-01 00:00:00\"",
                "null",
                "\"9999-12-31 23:59:59.999999\"",
            ],
        ),
        (
            "TIMESTAMP",
            utc,
            vec![
                "\"1577934245123456\"",
                "null",
                "\"-1.9954383398377106E10\"",
                "\"253402300799.999999\"",
                "\"-62135596800000000\"",
            ],
            vec![
                "\"2020-01-02 03:04:05.123456+00:00\"",
                "null",
                "\"1337-09-02 11:43:21.622894+00:00\"",
                "\"9999-12-31 23:59:59.999999+00:00\"",
                "\"0001-01-01 00:00:00+00:00\"",
            ],
        ),
    ] {
        let table = of(kind, &cells).unwrap();
        assert_eq!(
            (dtype(&table), values(&table)),
            (&stored, wanted.into_iter().map(str::to_owned).collect()),
            "{kind}"
        );
        assert_eq!(table.notes, [], "{kind}");
        let empty = of(kind, &[]).unwrap();
        assert_eq!((dtype(&empty), empty.height()), (&stored, 0), "{kind}");
        let missing = of(kind, &["null", "null"]).unwrap();
        assert_eq!(
            (dtype(&missing), missing.frame().columns()[0].null_count()),
            (&stored, 2),
            "{kind}"
        );
    }
}

#[test]
fn floats_that_are_no_numbers() {
    let table = of("FLOAT64", &["\"NaN\"", "\"Infinity\"", "\"-Infinity\""]).unwrap();
    let floats: Vec<f64> = table.frame().columns()[0]
        .f64()
        .unwrap()
        .into_no_null_iter()
        .collect();
    assert!(floats[0].is_nan());
    assert_eq!(floats[1..], [f64::INFINITY, f64::NEG_INFINITY]);
}

#[test]
fn numerics_have_38_digits_and_nine_of_them_behind_the_point() {
    let digits = "99999999999999999999999999999.999999999";
    let cells = [
        format!("\"{digits}\""),
        "null".to_owned(),
        format!("\"-{digits}\""),
        "\"1.5\"".to_owned(),
    ];
    let cells: Vec<&str> = cells.iter().map(String::as_str).collect();
    let table = of("NUMERIC", &cells).unwrap();
    assert_eq!(*dtype(&table), DataType::Decimal(38, 9));
    let series = table.frame().columns()[0].as_materialized_series();
    let unscaled: Vec<Option<i128>> = series.decimal().unwrap().physical().iter().collect();
    let most = 10i128.pow(38) - 1;
    assert_eq!(
        unscaled,
        [Some(most), None, Some(-most), Some(1_500_000_000)]
    );
}

#[test]
fn bignumerics_are_decimals_where_38_digits_hold_them() {
    let table = of(
        "BIGNUMERIC",
        &[
            "\"1.25\"",
            "null",
            "\"-12345678901234567890123456789012345.5\"",
        ],
    )
    .unwrap();
    assert_eq!(*dtype(&table), DataType::Decimal(38, 2));
    let series = table.frame().columns()[0].as_materialized_series();
    let unscaled: Vec<Option<i128>> = series.decimal().unwrap().physical().iter().collect();
    assert_eq!(
        unscaled,
        [
            Some(125),
            None,
            Some(-1_234_567_890_123_456_789_012_345_678_901_234_550)
        ]
    );
    assert_eq!(table.notes, []);
    let none = of("BIGNUMERIC", &["null"]).unwrap();
    assert_eq!(*dtype(&none), DataType::Decimal(38, 0));
}

#[test]
fn bignumerics_beyond_38_digits_arrive_as_all_their_digits() {
    let largest = "578960446186580977117854925043439539266.34992332820282019728792003956564819967";
    let smallest = format!("-{largest}");
    // One digit too many at one scale, though each of the two fits alone.
    let apart = ["1234567890123456789012345678901234567", "0.25"];
    for texts in [[largest, smallest.as_str()], apart] {
        let cells = texts.map(|text| format!("\"{text}\""));
        let table = of("BIGNUMERIC", &[&cells[0], "null", &cells[1]]).unwrap();
        assert_eq!(*dtype(&table), DataType::String);
        assert_eq!(values(&table), [&cells[0], "null", &cells[1]]);
        assert_eq!(
            notes(&table),
            ["column \"x\": decimals beyond 38 digits, kept as text of their digits"]
        );
    }
}

#[test]
fn ranges_are_records_of_their_ends() {
    let range = |element: &str, cells: &[&str]| {
        column(
            &format!(r#""type":"RANGE","rangeElementType":{{"type":"{element}"}}"#),
            cells,
        )
        .unwrap()
    };
    let days = range(
        "DATE",
        &[
            "\"[2020-01-01, UNBOUNDED)\"",
            "null",
            "\"[UNBOUNDED, 2020-01-02)\"",
            "\"[UNBOUNDED, UNBOUNDED)\"",
        ],
    );
    let wanted = [
        r#"{"start":"2020-01-01","end":null}"#,
        "null",
        r#"{"start":null,"end":"2020-01-02"}"#,
        r#"{"start":null,"end":null}"#,
    ];
    assert_eq!(values(&days), wanted);
    assert_eq!(days.frame().columns()[0].null_count(), 1);
    let clocks = range(
        "DATETIME",
        &["\"[2020-01-01T00:00:00, 2020-01-02T03:04:05.678901)\""],
    );
    assert_eq!(
        values(&clocks),
        [r#"{"start":"2020-01-01 00:00:00","end":"2020-01-02 03:04:05.678901"}"#]
    );
    let instants = range("TIMESTAMP", &["\"[1577934245123456, UNBOUNDED)\""]);
    assert_eq!(
        values(&instants),
        [r#"{"start":"2020-01-02 03:04:05.123456+00:00","end":null}"#]
    );
}

#[test]
fn records_and_lists_inside_each_other() {
    let kind = r#""type":"RECORD","mode":"REPEATED","fields":[
        {"name":"b","type":"STRING"},
        {"name":"a","type":"STRUCT","mode":"NULLABLE","fields":[
            {"name":"list","type":"INT64","mode":"REPEATED"},{"name":"n","type":"NUMERIC"}]}]"#;
    let cells = [
        r#"[{"v":{"f":[{"v":"x"},{"v":{"f":[{"v":[{"v":"1"},{"v":"2"}]},{"v":"1.5"}]}}]}},
            {"v":{"f":[{"v":null},{"v":null}]}},{"v":null}]"#,
        "[]",
        r#"[{"v":{"f":[{"v":""},{"v":{"f":[{"v":[]},{"v":null}]}}]}}]"#,
        "null",
    ];
    let table = column(kind, &cells).unwrap();
    let wanted = [
        r#"[{"b":"x","a":{"list":[1,2],"n":1.500000000}},{"b":null,"a":null},null]"#,
        "[]",
        r#"[{"b":"","a":{"list":[],"n":null}}]"#,
        "null",
    ];
    assert_eq!(values(&table), wanted);
    assert_eq!(table.notes, []);
}

#[test]
fn fields_of_one_name_in_a_record_are_told_apart_and_told() {
    let kind =
        r#""type":"RECORD","fields":[{"name":"a","type":"INT64"},{"name":"a","type":"INT64"}]"#;
    let table = column(kind, &[r#"{"f":[{"v":"1"},{"v":"2"}]}"#]).unwrap();
    assert_eq!(values(&table), [r#"{"a":1,"a.1":2}"#]);
    let wanted =
        "column \"x.a\": the field is called \"a.1\", because names inside a record are unique";
    assert_eq!(notes(&table), [wanted]);
}

#[test]
fn columns_of_one_name_stay_in_order() {
    let body = r#"{"jobComplete":true,"schema":{"fields":[
        {"name":"z","type":"INT64"},{"name":"a","type":"STRING"},{"name":"z","type":"INT64"}]},
        "rows":[{"f":[{"v":"1"},{"v":"b"},{"v":"3"}]}]}"#;
    let table = decoded(&[body]).unwrap();
    let names: Vec<&str> = table
        .columns()
        .iter()
        .map(|info| info.name.as_str())
        .collect();
    assert_eq!(names, ["z", "a", "z"]);
    let kinds: Vec<Kind> = table.columns().iter().map(|info| info.kind).collect();
    assert_eq!(kinds, [Kind::Int, Kind::Text, Kind::Int]);
}

#[test]
fn unknown_types_are_text_with_one_note() {
    let body = r#"{"jobComplete":true,"schema":{"fields":[
        {"name":"a","type":"VECTOR"},{"name":"b","type":"vector","mode":"REPEATED"},
        {"name":"c","type":"STRUCT","fields":[{"name":"d","type":"POLYGON"}]}]},
        "rows":[{"f":[{"v":"x"},{"v":[{"v":"y"}]},{"v":{"f":[{"v":[1, {"p":"\u00e9"}]}]}}]},
                {"f":[{"v":null},{"v":[]},{"v":{"f":[{"v":true}]}}]}]}"#;
    let table = decoded(&[body]).unwrap();
    assert_eq!(values(&table), ["\"x\"", "null"]);
    let last = table.pick(&[2]).unwrap();
    assert_eq!(
        values(&last),
        [r#"{"d":"[1, {\"p\":\"\\u00e9\"}]"}"#, r#"{"d":"true"}"#]
    );
    let wanted = [
        "type \"POLYGON\" is not known, kept as text: column \"c.d\"",
        "type \"VECTOR\" is not known, kept as text: columns \"a\", \"b\"",
    ];
    assert_eq!(notes(&table), wanted);
}

#[test]
fn digits_below_a_microsecond_are_told() {
    let kind = r#""type":"TIMESTAMP","timestampPrecision":"12""#;
    let table = column(kind, &["\"1577934245123456\""]).unwrap();
    assert_eq!(
        notes(&table),
        ["column \"x\": of a precision below a microsecond, read in whole microseconds"]
    );
    let table = column(
        kind,
        &[
            "\"2020-01-02T03:04:05.123456000001Z\"",
            "\"2020-01-02T03:04:05.100000000000Z\"",
        ],
    )
    .unwrap();
    let wanted = [
        "\"2020-01-02 03:04:05.123456+00:00\"",
        "\"2020-01-02 03:04:05.100+00:00\"",
    ];
    assert_eq!(values(&table), wanted);
    assert_eq!(
        notes(&table),
        ["column \"x\": 1 value with digits below a microsecond, which are cut off"]
    );
}

#[test]
fn a_reply_says_what_it_says_in_any_order_of_keys() {
    let mut rows = Rows::new();
    let control = Control::default();
    let waiting = br#" {"kind":"bigquery#getQueryResultsResponse","etag":"e","jobReference":{"location":"US"},"jobComplete":false} "#;
    assert_eq!(rows.page(waiting, &control).unwrap(), Page::default());
    assert!(!rows.has_columns());
    let first = br#"{
      "rows": [ { "x": {"f":1}, "f" : [ { "x" : [1], "v" : "1" } ] } , {"f":[{"\u0076":null,"w":{}}],"y":[]} ],
      "totalRows": "3", "pageToken": "next", "errors": [{"v": [null, 1.5e3]}],
      "schema": {"fields": [{"type": "INTEGER", "name": "n"}]},
      "cacheHit": false, "totalBytesProcessed": "65935918", "jobComplete": true}"#;
    let wanted = Page {
        complete: true,
        token: Some("next".to_owned()),
        total_rows: Some(3),
        changed_rows: None,
        cache_hit: Some(false),
        processed: Some(65_935_918),
    };
    assert_eq!(rows.page(first, &control).unwrap(), wanted);
    assert_eq!(rows.height(), 2);
    // Without a schema, as some servers leave it out of later pages.
    let last = br#"{"jobComplete":true,"rows":[{"f":[{"v":"-7"}]}],"totalRows":3,"pageToken":""}"#;
    let page = rows.page(last, &control).unwrap();
    assert_eq!((page.token, page.total_rows), (None, Some(3)));
    assert_eq!(values(&rows.table().unwrap()), ["1", "null", "-7"]);
}

#[test]
fn statements_without_a_result_have_no_columns() {
    let mut rows = Rows::new();
    let control = Control::default();
    for body in [
        r#"{"jobComplete":true,"numDmlAffectedRows":"25","totalRows":"0"}"#,
        r#"{"jobComplete":true,"numDmlAffectedRows":"25","schema":{},"rows":[]}"#,
        r#"{"jobComplete":true,"numDmlAffectedRows":"25","schema":{"fields":[]}}"#,
    ] {
        let page = rows.page(body.as_bytes(), &control).unwrap();
        assert_eq!(page.changed_rows, Some(25));
        assert!(!rows.has_columns());
    }
    let table = rows.table().unwrap();
    assert_eq!((table.width(), table.height()), (0, 0));
}

#[test]
fn cells_that_are_not_what_their_type_says_are_errors_with_column_and_row() {
    for (kind, cell, wanted) in [
        (
            "INT64",
            "\"1.5\"",
            "a whole number of 64 bits, found \"1.5\"",
        ),
        (
            "INT64",
            "\"9223372036854775808\"",
            "a whole number of 64 bits",
        ),
        ("INT64", "[]", "text or null, found \"[]}]}]}\""),
        ("INT64", "{\"f\":[]}", "text or null"),
        ("FLOAT64", "\"1e999\"", "a number of FLOAT64"),
        ("BOOL", "\"yes\"", "true or false"),
        ("NUMERIC", "\"1.0000000001\"", "a NUMERIC"),
        ("BIGNUMERIC", "\"NaN\"", "a BIGNUMERIC"),
        ("STRING", "5", "text or null, found 5"),
        ("BYTES", "\"AP8\"", "bytes in base64"),
        ("DATE", "\"2020-02-30\"", "a day like 2020-01-31"),
        ("TIME", "\"24:00:00\"", "a time of day like"),
        ("DATETIME", "\"2020-01-01\"", "a wall clock like"),
        (
            "TIMESTAMP",
            "\"yesterday\"",
            "a point in time of the years 1 to 9999",
        ),
    ] {
        let error = of(kind, &["null", cell]).unwrap_err();
        assert!(error.starts_with("line 2, column \"x\""), "{kind}: {error}");
        assert!(
            error.contains(&format!("expected {wanted}")),
            "{kind}: {error}"
        );
    }
    let range = r#""type":"RANGE","rangeElementType":{"type":"DATE"}"#;
    for cell in [
        "\"2020-01-01\"",
        "\"[2020-01-01)\"",
        "\"[2020-01-01, x)\"",
        "\"(2020-01-01, UNBOUNDED)\"",
        "5",
    ] {
        let error = column(range, &[cell]).unwrap_err();
        assert!(error.starts_with("line 1, column \"x\""), "{cell}: {error}");
    }
    let nested = r#""type":"RECORD","fields":[{"name":"y","type":"INT64","mode":"REPEATED"}]"#;
    let error = column(nested, &[r#"{"f":[{"v":[{"v":"1"},{"v":"z"}]}]}"#]).unwrap_err();
    assert_eq!(
        error,
        "line 1, column \"x.y\": expected a whole number of 64 bits, found \"z\""
    );
    for cell in ["\"x\"", "5", "[{\"v\":\"1\"}]"] {
        assert!(
            column(nested, &[cell])
                .unwrap_err()
                .contains("expected an object"),
            "{cell}"
        );
    }
}

#[test]
fn rows_of_another_width_and_other_shapes_are_errors() {
    let two = r#""jobComplete":true,"schema":{"fields":[{"name":"a","type":"INT64"},{"name":"b","type":"INT64"}]}"#;
    for (rows, wanted) in [
        (
            r#"[{"f":[{"v":"1"}]}]"#,
            "line 1: expected 2 cells in the row, one for each column, found 1",
        ),
        (
            r#"[{"f":[{"v":"1"},{"v":"1"}]},{"f":[{"v":"1"},{"v":"1"},{"v":"1"}]}]"#,
            "line 2: expected 2 cells in the row, one for each column, found more",
        ),
        (
            r#"[{"f":[]}]"#,
            "line 1: expected 2 cells in the row, one for each column, found 0",
        ),
        (
            "[{}]",
            "line 1: expected a row with a list of cells \"f\", found none",
        ),
        (
            r#"[{"f":[{},{"v":"1"}]}]"#,
            "line 1, column \"a\": expected a cell with a value \"v\", found none",
        ),
        (
            r#"[{"f":[{"v":"1","v":"2"},{"v":"1"}]}]"#,
            "expected one value \"v\" in a cell",
        ),
        (
            r#"[{"f":[{"v":"1"},{"v":"1"}],"f":[]}]"#,
            "expected one list of cells \"f\" in a row",
        ),
        ("[null]", "expected an object, found \"null]}\""),
        ("{}", "expected a list"),
        (r#"[],"rows":[]"#, "expected every key once in a reply"),
    ] {
        let error = decoded(&[&format!("{{{two},\"rows\":{rows}}}")]).unwrap_err();
        assert!(error.contains(wanted), "{rows}: {error}");
    }
}

#[test]
fn replies_that_contradict_themselves_or_each_other_are_errors() {
    let one = r#"{"jobComplete":true,"schema":{"fields":[{"name":"a","type":"INT64"}]}}"#;
    for (bodies, wanted) in [
        (
            vec![
                one,
                r#"{"jobComplete":true,"schema":{"fields":[{"name":"a","type":"STRING"}]}}"#,
            ],
            "column \"a\": expected the columns of the pages before, found another column",
        ),
        (
            vec![one, r#"{"jobComplete":true,"schema":{"fields":[]}}"#],
            "expected the columns of the pages before, found another number of columns",
        ),
        (
            vec![r#"{"jobComplete":true,"rows":[{"f":[]}]}"#],
            "expected no rows where there are no columns",
        ),
        (
            vec![one, r#"{"jobComplete":false,"rows":[{"f":[{"v":"1"}]}]}"#],
            "expected no rows of a job that is not complete, found 1",
        ),
        (
            vec!["{}"],
            "expected a reply that says whether the job is complete",
        ),
        (
            vec![r#"{"jobComplete":true,"totalRows":"-1"}"#],
            "expected a count, found \"\\\"-1\\\"}\"",
        ),
        (
            vec![r#"{"jobComplete":"perhaps"}"#],
            "expected true or false",
        ),
        (
            vec![r#"{"jobComplete":true} x"#],
            "expected the end of the reply",
        ),
        (
            vec!["<html>"],
            "byte 0: expected an object, found \"<html>\"",
        ),
        (vec![""], "expected an object, found the end of the reply"),
        (
            vec![r#"{"jobComplete":true"#],
            "expected `,` or `}`, found the end of the reply",
        ),
    ] {
        let error = decoded(&bodies).unwrap_err();
        assert!(error.contains(wanted), "{bodies:?}: {error}");
    }
    let mut rows = Rows::new();
    let error = rows
        .page(
            b"{\"jobComplete\":true,\"x\":\"\xff\"}",
            &Control::default(),
        )
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "byte 25: expected a reply in UTF-8, found other bytes"
    );
    // Half a page is no table.
    assert_eq!(rows.table().unwrap_err().kind(), ErrorKind::Internal);
}

#[test]
fn a_stop_request_is_heard_inside_a_page() {
    let row = format!(r#"{{"f":[{{"v":"{}"}}]}}"#, "x".repeat(1000));
    let rows = vec![row; 1000].join(",");
    let body = format!(
        r#"{{"jobComplete":true,"schema":{{"fields":[{{"name":"a","type":"STRING"}}]}},"rows":[{rows}]}}"#
    );
    let control = Control::default();
    control.stop();
    let error = Rows::new().page(body.as_bytes(), &control).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Interrupted);
}
