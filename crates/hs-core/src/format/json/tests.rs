//! Whole documents in; tables, documents and errors out.

use proptest::prelude::*;

use super::*;
use crate::error::ErrorKind;
use crate::table::Kind;
use crate::value::Value;

fn load(text: impl AsRef<[u8]>, at: Option<&str>) -> Result<Loaded> {
    let options = ReadOptions {
        at: at.map(str::to_owned),
        ..ReadOptions::default()
    };
    let source = Source::bytes("a.json", text.as_ref().to_vec())?;
    read(source, &options, &Control::default())
}

fn table(text: impl AsRef<[u8]>) -> Table {
    match load(text, None) {
        Ok(Loaded::Table(table)) => table,
        other => panic!("expected a table, found {other:?}"),
    }
}

fn document(text: impl AsRef<[u8]>) -> Document {
    match load(text, None) {
        Ok(Loaded::Value(document)) => document,
        other => panic!("expected a document, found {other:?}"),
    }
}

fn error(text: impl AsRef<[u8]>) -> String {
    load(text, None).expect_err("no JSON").to_string()
}

fn cells(table: &Table, column: usize) -> Vec<String> {
    let column = &table.frame().columns()[column];
    (0..table.height())
        .map(|row| {
            let mut out = String::new();
            crate::text::write_json(&mut out, &column.get(row).expect("row exists"));
            out
        })
        .collect()
}

#[test]
fn a_list_of_objects_is_a_table() {
    let table = table(
        " [ {\"id\":1,\"x\":{}}\n, {\"id\":2,\"t\":[\"a\"],\"x\":{\"self\":\"/a\"}}, {\"t\":[]} ] ",
    );
    let names: Vec<&str> = table
        .columns()
        .iter()
        .map(|one| one.name.as_str())
        .collect();
    assert_eq!(names, ["id", "x", "t"]);
    assert_eq!(cells(&table, 0), ["1", "2", "null"]);
    assert_eq!(
        cells(&table, 1),
        ["{\"self\":null}", "{\"self\":\"/a\"}", "null"]
    );
    assert_eq!(cells(&table, 2), ["null", "[\"a\"]", "[]"]);
}

#[test]
fn anything_else_is_a_document() {
    for text in ["[]", "{}", "1", "\"a\"", "null", "[{\"a\":1},2]", "[[]]"] {
        assert_eq!(document(text).to_json(), text);
    }
    let nested = document("{\"data\":{\"items\":[{\"a\":1}]},\"n\":1}");
    assert_eq!(
        nested.notes[0].text,
        "lists of objects at data.items: at=\"data.items\""
    );
}

#[test]
fn numbers_are_exact_or_told() {
    let table = table(
        "[{\"big\":123456789012345678901234567890,\"u\":18446744073709551615,\"f\":0.1,\"huge\":1e400,\"long\":0.12345678901234567891},\
          {\"big\":5,\"u\":1,\"f\":2,\"huge\":1e-400,\"long\":-0}]",
    );
    assert_eq!(
        cells(&table, 0),
        ["\"123456789012345678901234567890\"", "\"5\""]
    );
    assert_eq!(cells(&table, 1), ["18446744073709551615", "1"]);
    assert_eq!(cells(&table, 2), ["0.1", "2.0"]);
    assert_eq!(cells(&table, 3), ["\"1e400\"", "\"1e-400\""]);
    let told: Vec<&str> = table.notes.iter().map(|note| note.text.as_str()).collect();
    assert_eq!(
        told,
        [
            "column \"big\": whole numbers beyond 64 bits, kept as text of their digits",
            "column \"huge\": decimals beyond 38 digits, kept as text of their digits",
            "1 number of more digits than a float keeps rounded (first: line 1)",
        ]
    );
}

#[test]
fn whole_numbers_that_a_float_changes_are_told() {
    let table = table("[{\"w\":9007199254740993.0},\n{\"w\":9007199254740992.0}]");
    let told: Vec<&str> = table.notes.iter().map(|note| note.text.as_str()).collect();
    assert_eq!(
        told,
        ["1 number of more digits than a float keeps rounded (first: line 1)"]
    );
}

#[test]
fn a_repeated_key_keeps_its_last_value_and_is_told_with_its_line() {
    let table = table("[{\"v\":10,\"v\":20,\"o\":{\"k\":1,\"k\":2}},\n{\"v\":30}]");
    assert_eq!(cells(&table, 0), ["20", "30"]);
    assert_eq!(cells(&table, 1), ["{\"k\":2}", "null"]);
    assert_eq!(
        table.notes[0].text,
        "2 repeated keys, the last value is kept (first: \"v\" on line 1)"
    );
    let document = document("{\"a\":1,\n\"b\":2,\n\"a\":3}");
    assert_eq!(document.to_json(), "{\"a\":3,\"b\":2}");
    assert_eq!(
        document.notes[0].text,
        "1 repeated key, the last value is kept (first: \"a\" on line 3)"
    );
}

#[test]
fn repeated_keys_are_found_in_long_objects_too() {
    let fields: Vec<String> = (0..100).map(|n| format!("\"k{}\":{n}", n % 50)).collect();
    let document = document(format!("{{{}}}", fields.join(",")));
    assert_eq!(document.notes[0].count, Some(50));
    assert_eq!(document.field("k49"), Some(&Value::Int(99)));
    assert_eq!(document.field("k0"), Some(&Value::Int(50)));
}

#[test]
fn what_is_no_json_is_an_error_with_line_and_fix() {
    assert_eq!(
        error("[{\"x\":1.5},\n{\"x\":NaN}]"),
        "line 2, byte 17: expected a value, found \"NaN\"\n\
         hint: JSON has no NaN and no Infinity: write null instead"
    );
    assert!(error("[-Infinity]").contains("found \"-Infinity\""));
    assert!(error("[1,]").contains("hint: remove the comma"));
    assert!(error("{'a':1}").contains("hint: JSON text is in double quotes"));
    assert!(error("{\"a\":1}{\"a\":2}").contains("extension .jsonl"));
    assert!(error(b"[\"caf\xe9\"]").contains("expected UTF-8 text, found byte 0xe9"));
    assert!(error("[\"\\ud800\"]").starts_with("line 1, byte 8: expected"));
    assert!(error("[01]").contains("expected"));
    assert!(error("[\"a\tb\"]").contains("control characters escaped"));
}

#[test]
fn hostile_nesting_is_an_error_not_a_crash() {
    for open in ["[", "{\"a\":", "[{\"a\":"] {
        let text = open.repeat(100_000);
        assert!(error(text).contains("expected at most 512 levels of nesting"));
    }
    let fine = format!("{}{}", "[".repeat(500), "]".repeat(500));
    assert_eq!(document(&fine).to_json(), fine);
    // A table with values that deep comes out as JSON text.
    let table = table(format!("[{{\"a\":{fine}}}]"));
    assert_eq!(table.columns()[0].kind, Kind::Mixed);
}

#[test]
fn byte_order_marks_and_utf16_are_read() {
    let text = "[{\"é\":\"ü\"}]";
    assert_eq!(table(format!("\u{feff}{text}")).columns()[0].name, "é");
    let little: Vec<u8> = format!("\u{feff}{text}")
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
    for (bytes, name) in [(little, "UTF-16LE"), (big, "UTF-16BE")] {
        let table = table(bytes);
        assert_eq!(cells(&table, 0), ["\"ü\""]);
        assert_eq!(table.notes[0].text, format!("read as {name}"));
    }
}

#[test]
fn one_object_a_line_is_read_under_the_name_json_too() {
    let lines = table("{\"a\":1}\n{\"a\":2}\nx\n");
    assert_eq!(cells(&lines, 0), ["1", "2"]);
    let told: Vec<&str> = lines.notes.iter().map(|note| note.text.as_str()).collect();
    assert_eq!(
        told,
        [
            "read as one JSON object a line",
            "skipped 1 bad line (first: line 3, expected a JSON object, found \"x\")"
        ]
    );
    assert!(error("{\"a\":1}\n}").starts_with("line 2, byte 8: expected the end"));
    assert!(error("{\"a\":\n1}\n{\"a\":2}").contains("line 3"));
}

#[test]
fn a_path_picks_the_records() {
    let text = "{\"data\":{\"items\":[{\"a\":1,\"a\":2}]}}";
    let Ok(Loaded::Table(table)) = load(text, Some("data.items")) else {
        panic!("expected a table");
    };
    assert_eq!(cells(&table, 0), ["2"]);
    assert!(table.notes[0].text.starts_with("1 repeated key"));
    let wrong = load(text, Some("data")).expect_err("an object");
    assert_eq!(wrong.kind(), ErrorKind::Argument);
}

#[test]
fn a_stop_request_ends_the_parsing() {
    let text = format!("[{}{{\"a\":1}}]", "{\"a\":[1,2]},".repeat(200_000));
    let control = Control::default();
    control.stop();
    let mut parser = Parser::new(text.as_bytes(), &control);
    let stopped = parser.records(&mut RecordsBuilder::new());
    assert!(matches!(stopped, Err(Step::Stopped(_))));
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(Value::Int),
        (1u64 << 63..=u64::MAX).prop_map(Value::UInt),
        any::<f64>()
            .prop_filter("JSON has only finite numbers", |float| float.is_finite())
            .prop_map(Value::Float),
        any::<String>().prop_map(Value::Text),
        "-?[1-9][0-9]{25}".prop_map(Value::BigInt),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::List),
            prop::collection::btree_map(any::<String>(), inner, 0..3)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn documents_read_back_as_written(value in any_json()) {
        let text = value.to_json();
        let mut parser = Parser::new(text.as_bytes(), CONTROL.get_or_init(Control::default));
        prop_assert_eq!(parser.document().ok(), Some(value));
        prop_assert_eq!(parser.tally.rounded, 0);
    }

    #[test]
    fn records_read_from_text_are_the_records_built_from_values(
        rows in prop::collection::vec(prop::collection::btree_map("[a-d]", any_json(), 0..4), 1..8),
    ) {
        let mut records = RecordsBuilder::new();
        let mut text = String::from("[");
        for row in &rows {
            records.begin();
            for (key, value) in row { records.push(key, value); }
            records.end();
            if text.len() > 1 { text.push(','); }
            Value::Object(row.clone().into_iter().collect()).write_json(&mut text);
        }
        text.push(']');
        let wanted = records.finish().expect("a table");
        let found = table(text);
        prop_assert_eq!(found.columns(), wanted.columns());
        prop_assert!(found.frame().equals_missing(wanted.frame()));
    }

    #[test]
    fn broken_text_never_panics(value in any_json(), at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut bytes = Value::List(vec![Value::Object(vec![("a".into(), value)])]).to_json().into_bytes();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        drop(load(&bytes, None));
        bytes.truncate(at.max(1));
        prop_assert!(load(&bytes, None).is_err() || at <= 1 && bytes[0].is_ascii_digit());
    }
}

static CONTROL: std::sync::OnceLock<Control> = std::sync::OnceLock::new();
