//! Lines in; tables, notes and errors out, whatever the pieces.

use std::io::Write as _;

use proptest::prelude::*;

use super::*;
use crate::table::Kind;

fn load(text: impl AsRef<[u8]>) -> Result<Table> {
    let source = Source::bytes("a.jsonl", text.as_ref().to_vec())?;
    read(source, &ReadOptions::default(), &Control::default())
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
fn line_ends_blank_lines_and_byte_order_marks_do_no_harm() -> Result<()> {
    let table = load("\u{feff}{\"a\":1}\r\n\r\n  \n{\"a\":2,\"s\":\"x\\ny\"}\n{\"a\":3}")?;
    assert_eq!(cells(&table, 0), ["1", "2", "3"]);
    assert_eq!(cells(&table, 1), ["null", "\"x\\ny\"", "null"]);
    assert!(table.notes.is_empty());
    Ok(())
}

#[test]
fn bad_lines_are_skipped_told_and_leave_no_trace() -> Result<()> {
    let table = load(
        "{\"a\":1,\"l\":[1]}\n[1]\n{\"l\":[\"x\"],\"a\":\"x\",\"new\":1}}\n{\"a\":2}\nnull\n{\"a\":",
    )?;
    assert_eq!(table.width(), 2);
    assert_eq!(table.columns()[0].kind, Kind::Int);
    assert_eq!(cells(&table, 0), ["1", "2"]);
    assert_eq!(cells(&table, 1), ["[1]", "null"]);
    assert_eq!(table.notes.len(), 1);
    assert_eq!(
        table.notes[0].text,
        "skipped 4 bad lines (first: line 2, expected a JSON object, found \"[1\")"
    );
    assert_eq!(table.notes[0].topic, Topic::Rows);
    assert_eq!(table.notes[0].count, Some(4));
    assert_eq!(table.notes[0].place, Place::default().row(2));
    Ok(())
}

#[test]
fn a_file_without_any_record_is_an_error() {
    let error = load("[\n{\"a\":1}\n{\"a\":2},\n]\n".replace("}\n", "},\n")).expect_err("no jsonl");
    assert!(
        error
            .to_string()
            .starts_with("line 1: expected a JSON object")
    );
    assert!(error.to_string().contains("all 4 lines are bad"));
    assert!(load("\n \n").is_err());
}

#[test]
fn many_pieces_are_one_table_with_lines_counted_through() -> Result<()> {
    use std::fmt::Write as _;
    let mut text = String::new();
    let rows = 60_000;
    for row in 0..rows {
        match row {
            50_000 => text.push_str("{\"id\":oops}\n"),
            // A key and types that come late: no sample would see them.
            55_000 => {
                text.push_str("{\"id\":55000,\"late\":true,\"f\":0.5,\"name\":7,\"id\":55000}\n");
            }
            _ => drop(writeln!(
                text,
                "{{\"id\":{row},\"f\":{row},\"name\":\"name of row {row}\",\"tags\":[\"a\",\"{row}\"]}}"
            )),
        }
    }
    assert!(pieces(text.as_bytes(), PIECE).len() > 1);
    let table = load(&text)?;
    let names: Vec<&str> = table
        .columns()
        .iter()
        .map(|one| one.name.as_str())
        .collect();
    assert_eq!(names, ["id", "f", "name", "tags", "late"]);
    let kinds: Vec<Kind> = table.columns().iter().map(|one| one.kind).collect();
    assert_eq!(
        kinds,
        [Kind::Int, Kind::Float, Kind::Mixed, Kind::List, Kind::Bool]
    );
    assert_eq!(table.height(), rows - 1);
    let ids = cells(&table, 0);
    assert_eq!(
        (ids[49_999].as_str(), ids[50_000].as_str()),
        ("49999", "50001")
    );
    assert_eq!(cells(&table, 3)[59_998], "[\"a\",\"59999\"]");
    let told: Vec<&str> = table.notes.iter().map(|note| note.text.as_str()).collect();
    assert_eq!(
        told,
        [
            "skipped 1 bad line (first: line 50,001, expected a value, found \"oops\")",
            "1 repeated key, the last value is kept (first: \"id\" on line 55,001)",
            "column \"name\": text and int, kept as JSON text",
        ]
    );
    Ok(())
}

#[test]
fn the_repeated_value_of_a_key_leaves_no_trace() -> Result<()> {
    let table =
        load("{\"w\":[\"x\",1,\"y\"],\"v\":\"gone\",\"w\":[1],\"v\":2}\n{\"w\":[2],\"v\":3}")?;
    assert_eq!(cells(&table, 0), ["[1]", "[2]"]);
    assert_eq!(cells(&table, 1), ["2", "3"]);
    assert_eq!(table.columns()[1].kind, Kind::Int);
    let told: Vec<&str> = table.notes.iter().map(|note| note.text.as_str()).collect();
    assert_eq!(
        told,
        ["2 repeated keys, the last value is kept (first: \"w\" on line 1)"]
    );
    Ok(())
}

#[test]
fn escapes_and_numbers_of_every_form_are_read_exactly() -> Result<()> {
    let table = load(concat!(
        r#"{"t":"\u00e9\ud83d\ude00\"\\\/\b\f\n\r\t","n":-0,"f":-0.0,"b":18446744073709551615,"\u0061\"b":1}"#,
        "\n",
        r#"{"t":"twelve bytes and many more, é😀","n":1e2,"f":1E-2,"b":1,"a\"b":2}"#,
        "\n",
        r#"{"t":"","n":123456789012345678,"f":0.12345678901234567891,"b":0,"a\"b":3}"#,
    ))?;
    assert_eq!(
        cells(&table, 0),
        [
            r#""é😀\"\\/\u0008\u000c\n\r\t""#,
            r#""twelve bytes and many more, é😀""#,
            r#""""#
        ]
    );
    assert_eq!(cells(&table, 2), ["-0.0", "0.01", "0.12345678901234568"]);
    assert_eq!(cells(&table, 3), ["18446744073709551615", "1", "0"]);
    assert_eq!(cells(&table, 4), ["1", "2", "3"]);
    assert_eq!(table.columns()[4].name, "a\"b");
    let told: Vec<&str> = table.notes.iter().map(|note| note.text.as_str()).collect();
    assert_eq!(
        told,
        [
            "1 number of more digits than a float keeps rounded (first: line 3)",
            "column \"n\": int and float, and a float cannot hold 123456789012345678 exactly, \
             kept as JSON text",
        ]
    );
    Ok(())
}

#[test]
fn a_name_with_a_backslash_is_not_taken_for_an_escape() -> Result<()> {
    // The key of the first line is a backslash and a b, that of the second a backspace.
    let table = load("{\"\\\\b\":1}\n{\"\\b\":2}")?;
    let names: Vec<&str> = table
        .columns()
        .iter()
        .map(|one| one.name.as_str())
        .collect();
    assert_eq!(names, ["\\b", "\u{8}"]);
    assert_eq!(cells(&table, 0), ["1", "null"]);
    Ok(())
}

#[test]
fn no_part_of_what_is_wrong_is_taken_for_right() {
    for wrong in [
        "{\"a\":01}",
        "{\"a\":1.}",
        "{\"a\":.5}",
        "{\"a\":+1}",
        "{\"a\":-}",
        "{\"a\":1e}",
        "{\"a\":0x1}",
        "{\"a\":1,}",
        "{,\"a\":1}",
        "{\"a\" 1}",
        "{\"a\":1 \"b\":2}",
        "{\"a\":[1,]}",
        "{\"a\":[1 2]}",
        "{\"a\":\"\\x\"}",
        "{\"a\":\"\\u12g4\"}",
        "{\"a\":\"\\ud800\"}",
        "{\"a\":\"\\udc00\\ud800\"}",
        "{\"a\":\"\u{1}\"}",
        "{\"a\":\"x",
        "{\"a\":nul}",
        "{\"a\":nulls}",
        "{\"a\":truefalse}",
        "{a:1}",
        "{\"a\":1}{\"a\":2}",
        "{\"a\":1},",
        "{\"a\":{\"b\":1}",
        "{\"a\":1-1}",
        "{\"a\":--1}",
        "{\"a\":NaN}",
    ] {
        let table = load(format!("{{\"a\":null}}\n{wrong}\n")).expect("one line is right");
        assert_eq!(table.height(), 1, "{wrong}");
        assert_eq!(table.notes[0].count, Some(1), "{wrong}");
    }
}

fn read_in(text: &[u8], size: usize) -> Result<Table> {
    read_text(text, Vec::new(), size, &Control::default())
}

fn read_from_file(text: &[u8], size: usize) -> Result<Option<Table>> {
    let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
    file.write_all(text).expect("room for it");
    let source = Source::path(file.path())?;
    read_file(&source, size, &Control::default())
}

#[test]
fn a_note_names_the_same_types_whatever_the_pieces() -> Result<()> {
    let text = "{\"a\":1e400}\n{\"a\":1}\n{\"a\":{}}\n";
    for size in 1..=text.len() {
        let table = read_in(text.as_bytes(), size)?;
        let told: Vec<&str> = table.notes.iter().map(|note| note.text.as_str()).collect();
        assert_eq!(
            told,
            ["column \"a\": decimal and object, kept as JSON text"],
            "pieces of {size}"
        );
    }
    Ok(())
}

#[test]
fn a_stop_request_ends_the_reading() {
    let text = "{\"a\":1}\n".repeat(100);
    let control = Control::default();
    control.stop();
    let in_memory = read_text(text.as_bytes(), Vec::new(), 50, &control);
    let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
    file.write_all(text.as_bytes()).expect("room for it");
    let from_file = Source::path(file.path()).and_then(|source| read_file(&source, 50, &control));
    for stopped in [in_memory.err(), from_file.err()] {
        assert_eq!(
            stopped.map(|error| error.kind()),
            Some(ErrorKind::Interrupted)
        );
    }
}

#[test]
fn a_file_in_windows_keeps_its_byte_order_mark_out_and_utf16_goes_another_way() {
    let text = "\u{feff}{\"a\":1}\n{\"a\":2}\n{\"a\":3}";
    let table = read_from_file(text.as_bytes(), 8)
        .expect("right lines")
        .expect("a plain file");
    assert_eq!(table.columns()[0].name, "a");
    assert_eq!(cells(&table, 0), ["1", "2", "3"]);
    let wide: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert!(read_from_file(&wide, 8).expect("no fault").is_none());
}

/// What two readings of a text have to have in common: all of it.
fn same(left: &Result<Table>, right: &Result<Table>) -> std::result::Result<(), TestCaseError> {
    match (left, right) {
        (Ok(left), Ok(right)) => {
            prop_assert_eq!(left.columns(), right.columns());
            prop_assert_eq!(left.frame().dtypes(), right.frame().dtypes());
            prop_assert!(
                left.frame().equals_missing(right.frame()),
                "{} {}",
                left.frame(),
                right.frame()
            );
            let told = |table: &Table| -> Vec<String> {
                table.notes.iter().map(|note| format!("{note:?}")).collect()
            };
            prop_assert_eq!(told(left), told(right));
        }
        (left, right) => prop_assert_eq!(
            left.as_ref().err().map(ToString::to_string),
            right.as_ref().err().map(ToString::to_string)
        ),
    }
    Ok(())
}

/// JSON text of any value, with spaces where they may be.
fn any_value() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        any::<bool>().prop_map(|value| value.to_string()),
        any::<i16>().prop_map(|value| value.to_string()),
        any::<i64>().prop_map(|value| value.to_string()),
        (0..1000).prop_map(|value| format!("{}", f64::from(value) / 8.0)),
        any::<f64>()
            .prop_filter("JSON has only finite numbers", |value| value.is_finite())
            .prop_map(|value| format!("{value:e}")),
        "[a-z \u{e9}]{0,20}".prop_map(|value| format!("\"{value}\"")),
        any::<String>().prop_map(|value| crate::value::Value::Text(value).to_json()),
        Just("18446744073709551615".to_owned()),
        Just("0.12345678901234567890123".to_owned()),
        Just("\"\\ud83d\\ude00\\u0041\"".to_owned()),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4)
                .prop_map(|items| format!("[{}]", items.join(", "))),
            any_object(inner),
        ]
    })
}

fn any_object(value: impl Strategy<Value = String>) -> impl Strategy<Value = String> {
    prop::collection::vec(("[a-d]", value), 0..5).prop_map(|fields| {
        let fields: Vec<String> = fields
            .into_iter()
            .map(|(key, value)| format!("\"{key}\": {value}"))
            .collect();
        format!("{{{}}}", fields.join(","))
    })
}

fn any_line() -> impl Strategy<Value = String> {
    let wrong = [
        "",
        " \t",
        "null",
        "[1]",
        "{\"a\":",
        "{\"a\":1}}",
        "{\"a\":NaN}",
        "{\"c\":[\"x\",1],\"a\":oops}",
        "{\"n\":{\"late\":1},\"a\":\"x",
    ];
    prop_oneof![
        6 => any_object(any_value()),
        3 => (any::<i32>(), "[a-z]{0,20}").prop_map(|(a, b)| format!("{{\"a\":{a},\"b\":\"{b}\"}}")),
        1 => prop::sample::select(wrong.to_vec()).prop_map(str::to_owned),
    ]
}

fn any_text() -> impl Strategy<Value = String> {
    let ends = prop::sample::select(vec!["\n", "\r\n", "\n\n"]);
    prop::collection::vec((any_line(), ends), 1..12).prop_map(|lines| {
        lines
            .into_iter()
            .flat_map(|(line, end)| [line, end.to_owned()])
            .collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn borders_of_pieces_change_nothing(text in any_text(), size in 1usize..120) {
        let whole = read_in(text.as_bytes(), usize::MAX);
        same(&read_in(text.as_bytes(), size), &whole)?;
        if text.len() > 2 * size {
            let from_file = read_from_file(text.as_bytes(), size);
            same(&from_file.map(|table| table.expect("a plain file")), &whole)?;
        }
    }

    #[test]
    fn the_quick_way_reads_as_the_careful_one(text in any_text(), at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut bytes = text.into_bytes();
        // Broken in one place, and not always UTF-8 any more.
        let at = at.index(bytes.len());
        bytes[at] = byte;
        let quick = read_in(&bytes, usize::MAX);
        let careful = lines::read_carefully(&bytes).and_then(|piece| {
            let mut whole = Whole::new(usize::MAX);
            whole.push(piece)?;
            whole.finish(Vec::new())
        });
        same(&quick, &careful)?;
    }
}
