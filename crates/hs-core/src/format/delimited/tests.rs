//! Whole reads, from bytes to table.

use polars::prelude::{AnyValue, DataType, TimeUnit};
use proptest::prelude::*;

use super::{CHUNK, TextLayout, read, read_text};
use crate::control::Control;
use crate::error::{ErrorKind, Result};
use crate::format::ReadOptions;
use crate::note::Topic;
use crate::source::Source;
use crate::table::{Kind, Table};

pub(super) fn load_with(text: &[u8], options: &ReadOptions) -> Result<Table> {
    read(
        Source::bytes("a.csv", text.to_vec())?,
        options,
        &Control::default(),
    )
}

pub(super) fn load(text: &str) -> Table {
    load_with(text.as_bytes(), &ReadOptions::default()).unwrap()
}

fn chunked(text: &str, chunk: usize) -> Result<Table> {
    read_text(
        text.as_bytes(),
        &ReadOptions::default(),
        chunk,
        &Control::default(),
    )
}

pub(super) fn names(table: &Table) -> Vec<&str> {
    table
        .columns()
        .iter()
        .map(|column| column.name.as_str())
        .collect()
}

pub(super) fn texts(table: &Table, column: usize) -> Vec<Option<&str>> {
    table.frame().columns()[column]
        .str()
        .unwrap()
        .iter()
        .collect()
}

pub(super) fn ints(table: &Table, column: usize) -> Vec<Option<i64>> {
    table.frame().columns()[column]
        .i64()
        .unwrap()
        .iter()
        .collect()
}

pub(super) fn notes(table: &Table, topic: Topic) -> Vec<&str> {
    let notes = table.notes.iter().filter(|note| note.topic == topic);
    notes.map(|note| note.text.as_str()).collect()
}

#[test]
fn a_code_in_the_last_row_of_many_keeps_the_column_text() {
    let rows = 1_000_000;
    let mut text = String::from("id,code\n");
    for row in 1..rows {
        text.push_str(&format!("{row},{}\n", row * 7));
    }
    text.push_str("1000000,00042\n");
    let table = load(&text);
    assert_eq!(table.height(), rows);
    let codes = texts(&table, 1);
    for (index, code) in codes.iter().enumerate().take(rows - 1) {
        assert_eq!(*code, Some(((index + 1) * 7).to_string().as_str()));
    }
    assert_eq!(codes[rows - 1], Some("00042"));
    assert_eq!(ints(&table, 0)[rows - 1], Some(1_000_000));
}

#[test]
fn each_type_has_its_column() {
    let table = load(
        "i,u,f,b,d,n,z,t,s,e\n\
         1,18446744073709551615,0.5,true,2026-01-31,2026-01-31T10:00:00.5,2026-01-31T10:00+02:00,10:00,x,\n\
         NA,0,-inf,FALSE,,,,,\"\",\n",
    );
    let micros = DataType::Datetime(TimeUnit::Microseconds, None);
    let dtypes: Vec<DataType> = table
        .frame()
        .columns()
        .iter()
        .map(|column| column.dtype().clone())
        .collect();
    assert_eq!(
        dtypes[..6],
        [
            DataType::Int64,
            DataType::UInt64,
            DataType::Float64,
            DataType::Boolean,
            DataType::Date,
            micros
        ]
    );
    assert_eq!(
        dtypes[7..],
        [DataType::Time, DataType::String, DataType::Null]
    );
    let value = |column: usize, row: usize| table.frame().columns()[column].get(row).unwrap();
    assert_eq!(value(0, 1), AnyValue::Null);
    assert_eq!(value(1, 0), AnyValue::UInt64(u64::MAX));
    assert_eq!(value(2, 1), AnyValue::Float64(f64::NEG_INFINITY));
    assert_eq!(value(3, 1), AnyValue::Boolean(false));
    assert_eq!(value(4, 0), AnyValue::Date(20_484));
    assert_eq!(
        value(5, 0),
        AnyValue::Datetime(1_769_853_600_500_000, TimeUnit::Microseconds, None)
    );
    assert!(
        matches!(value(6, 0), AnyValue::Datetime(1_769_846_400_000_000, TimeUnit::Microseconds, Some(zone)) if zone.as_str() == "UTC")
    );
    assert_eq!(value(7, 0), AnyValue::Time(36_000_000_000_000));
    assert_eq!(value(8, 1), AnyValue::Null);
    assert_eq!(table.columns()[9].kind, Kind::Empty);
    assert_eq!(
        notes(&table, Topic::Types),
        ["words such as NA read as missing: \"i\" 1 (first: line 3)"]
    );
}

#[test]
fn nanoseconds_in_one_row_reach_all_rows() {
    let early = "2026-01-31T10:00:00\n".repeat(20);
    let table = chunked(&format!("t\n{early}2026-01-31T10:00:00.000000001\n"), 64).unwrap();
    let column = &table.frame().columns()[0];
    assert_eq!(
        column.dtype(),
        &DataType::Datetime(TimeUnit::Nanoseconds, None)
    );
    let stamps: Vec<i64> = column
        .datetime()
        .unwrap()
        .physical()
        .iter()
        .flatten()
        .collect();
    assert_eq!(
        (stamps[0], stamps[20]),
        (1_769_853_600_000_000_000, 1_769_853_600_000_000_001)
    );
}

#[test]
fn what_a_note_counts_does_not_depend_on_chunks() {
    let mut text = String::from("a,b,c\n");
    for row in 0..200 {
        text.push_str(&format!(
            "{row},99999999999999999999999,0.123456789012345678{row}\n"
        ));
    }
    text.push_str("NA,1\n5\n");
    let whole = chunked(&text, usize::MAX).unwrap();
    assert_eq!(
        notes(&whole, Topic::Types),
        [
            "column \"b\" is text: whole numbers beyond 64 bits (first: line 2)",
            "column \"c\": 200 decimals of more digits than a float keeps rounded (first: line 2)",
            "words such as NA read as missing: \"a\" 1 (first: line 202)",
        ]
    );
    assert_eq!(
        notes(&whole, Topic::Rows),
        ["2 rows with fewer than 3 fields padded with missing (first: line 202)"]
    );
    for chunk in [1, 7, 100, 1000] {
        assert_eq!(chunked(&text, chunk).unwrap().notes, whole.notes);
    }
    let mixed = load("d\n2026-01-31\n2026-01-31T10:00\n");
    assert_eq!(
        notes(&mixed, Topic::Types),
        ["column \"d\" is text: it holds dates and datetimes"]
    );
}

#[test]
fn headers_are_made_whole_and_told() {
    let table = load("a,,a, \n1,2,3,4\n");
    assert_eq!(names(&table), ["a", "column_2", "a.1", "column_4"]);
    let told = "column 2 without name is \"column_2\", repeated \"a\" is \"a.1\", column 4 without name is \"column_4\"";
    assert_eq!(notes(&table, Topic::Names), [told]);
    let options = ReadOptions {
        header: Some(0),
        ..ReadOptions::default()
    };
    let table = load_with(b"1;x\n2;y\n", &options).unwrap();
    assert_eq!(
        (names(&table), table.height()),
        (vec!["column_1", "column_2"], 2)
    );
    assert!(notes(&table, Topic::Names).is_empty());
    let options = ReadOptions {
        header: Some(3),
        ..ReadOptions::default()
    };
    let table = load_with(b"Title, 2026\n\na;b\n1;2\n", &options).unwrap();
    assert_eq!((names(&table), table.height()), (vec!["a", "b"], 1));
}

#[test]
fn options_are_obeyed() {
    let delimiter = |character| ReadOptions {
        delimiter: Some(character),
        ..ReadOptions::default()
    };
    let table = load_with("a§b\n1§\"x§y\"\n".as_bytes(), &delimiter('§')).unwrap();
    assert_eq!(
        (ints(&table, 0), texts(&table, 1)),
        (vec![Some(1)], vec![Some("x§y")])
    );
    assert_eq!(notes(&table, Topic::Dialect), ["delimiter: \"§\""]);
    let error = load_with(b"a,b\n", &delimiter('"')).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Argument);
    let table = load("sep=;\r\na;b\r\n1;2\r\n");
    assert_eq!(names(&table), ["a", "b"]);
}

#[test]
fn a_delimiter_that_only_the_whole_file_shows_is_found() {
    // The front agrees on `,` as well as on `;`; only far behind does `,` fall apart.
    let mut text = String::from("a;b,c\n");
    while text.len() < super::FRONT + 1000 {
        text.push_str("1;2,3\n");
    }
    for _ in 0..200_000 {
        text.push_str("1;2,3,4\n");
    }
    let table = load(&text);
    assert_eq!(names(&table), ["a", "b,c"]);
}

#[test]
fn broken_files_are_refused_with_their_line() {
    let message = |text: &str| {
        let error = load_with(text.as_bytes(), &ReadOptions::default()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Format);
        error.to_string()
    };
    assert!(
        message("a,b\n1,2\n3,4,5\n6\n")
            .starts_with("line 3: expected 2 fields as in the header, found 3: \"3,4,5\"")
    );
    assert!(message("a,b\n1,\"2\n3,4\n").starts_with("line 2: expected a closing quote"));
    assert!(message("\n\r\n\n").contains("found only blank lines"));
    assert!(message("\u{feff}\n").contains("found only blank lines"));
    // A header of a million names over bare lines would need a million times their size.
    let wide = format!("{}\n{}", "a,".repeat(1_000_000), "1\n".repeat(50_000));
    let comma = ReadOptions {
        delimiter: Some(','),
        ..ReadOptions::default()
    };
    let error = load_with(wide.as_bytes(), &comma)
        .err()
        .map(|error| error.to_string());
    let error = error.unwrap_or_default();
    assert!(error.starts_with("line 3: expected 1000001 fields as in the header, found far fewer"));
}

#[test]
fn one_column_keeps_quoted_blanks_and_tells_skipped_lines() {
    let table = load("a\n1\n\n\"\"\n2\n\n");
    assert_eq!(ints(&table, 0), [Some(1), None, Some(2)]);
    assert_eq!(
        notes(&table, Topic::Rows),
        ["1 blank line skipped (first: line 3)"]
    );
}

#[test]
fn local_habits_are_read_when_the_whole_file_bears_them_out() {
    let text = "Artikel;Preis;Menge;Summe;Tag\n\
                Schraube;0,05;1.200;60,00;09/05/2022\n\
                Platte;1.299,99;3;3.899,97;05/09/2022\n\
                Kiste;12,50;10;125,00;31/12/2022\n";
    for chunk in [1, 30, usize::MAX] {
        let table = chunked(text, chunk).unwrap();
        let floats = |column: usize| -> Vec<f64> {
            let values = table.frame().columns()[column].f64().unwrap();
            values.iter().flatten().collect()
        };
        assert_eq!(floats(1), [0.05, 1299.99, 12.5]);
        assert_eq!(ints(&table, 2), [Some(1200), Some(3), Some(10)]);
        assert_eq!(floats(3), [60.0, 3899.97, 125.0]);
        let days = table.frame().columns()[4].date().unwrap();
        let days: Vec<i32> = days.physical().iter().flatten().collect();
        // 2022-05-09, 2022-09-05, 2022-12-31.
        assert_eq!(days, [19_121, 19_240, 19_357]);
        assert_eq!(
            notes(&table, Topic::Types),
            [
                "decimal commas read in \"Preis\", \"Summe\"",
                "marks between thousands read in \"Menge\"",
                "dates read as day, month, year in \"Tag\"",
            ]
        );
    }
    let table = load("id,d,n\n1,03/04/2021,\"1,204\"\n2,05/06/2021,950\n");
    assert_eq!(texts(&table, 1), [Some("03/04/2021"), Some("05/06/2021")]);
    assert_eq!(ints(&table, 2), [Some(1204), Some(950)]);
    let told = "column \"d\" is text: no value proves its order of day and month; if the day comes first: types={\"d\": \"date:%d/%m/%Y\"}";
    assert_eq!(notes(&table, Topic::Types)[1], told);
}

#[test]
fn columns_have_the_same_parts_also_where_all_is_missing() {
    let mut text = String::from("n,nothing,t\n");
    for row in 0..200_000 {
        text.push_str(&format!("{row},,text {row}\n"));
    }
    let table = load(&text);
    let columns = table.frame().columns();
    assert_eq!(table.columns()[1].kind, Kind::Empty);
    assert!(columns[0].i64().unwrap().chunks().len() > 1);
    assert!(!table.frame().should_rechunk());
    assert_eq!(columns[1].null_count(), 200_000);
}

#[test]
fn long_texts_are_in_few_buffers() {
    let mut text = String::from("n,t\n");
    for row in 0..30_000 {
        text.push_str(&format!("{row},\"a text of \"\"{row}\"\" that is long\"\n"));
    }
    assert!(text.len() > 4 * CHUNK);
    let table = load(&text);
    let column = table.frame().columns()[1].str().unwrap();
    let buffers: usize = column
        .downcast_iter()
        .map(|array| array.data_buffers().len())
        .sum();
    assert!((1..=text.len() / CHUNK + 1).contains(&buffers), "{buffers}");
    assert_eq!(column.get(29_999), Some("a text of \"29999\" that is long"));
}

/// The text of a table by RFC 4180, with every field quoted that needs it, or all.
#[test]
fn points_that_may_stand_between_thousands_are_told() {
    let table = load("Artikel;Menge\nA;1.200\nB;2.500\n");
    assert_eq!(table.columns()[1].kind, Kind::Float);
    assert_eq!(
        notes(&table, Topic::Types),
        [
            "column \"Menge\": points read as before decimals; if they stand between thousands: types={\"Menge\": \"int:1.234\"}"
        ]
    );
    assert!(notes(&load("a,b\nA,1.200\n"), Topic::Types).is_empty());
}

#[test]
fn flat_texts_are_the_same_texts() {
    let mut text = String::from("late,short,long,gaps\n");
    for row in 1..20_000 {
        let gap = if row % 3 == 0 {
            ""
        } else {
            "\"say \"\"é\"\"\""
        };
        text.push_str(&format!("{row},{row:05},customer number {row},{gap}\n"));
    }
    text.push_str("00042,,\"a\nb\",x\n");
    let flat = ReadOptions {
        text: TextLayout::Flat,
        ..ReadOptions::default()
    };
    for chunk in [64, 5000, CHUNK] {
        let views = chunked(&text, chunk).unwrap();
        let table = read_text(text.as_bytes(), &flat, chunk, &Control::default()).unwrap();
        assert_eq!(table.columns(), views.columns());
        for column in 0..4 {
            let bytes = &table.frame().columns()[column];
            let bytes = bytes.binary_offset().unwrap().iter();
            let found: Vec<_> = bytes
                .map(|text| text.map(|text| std::str::from_utf8(text).unwrap()))
                .collect();
            assert_eq!(found, texts(&views, column), "{chunk}");
        }
    }
}

fn written(rows: &[Vec<String>], line_end: &str, all: bool) -> String {
    let mut out = String::new();
    for row in rows {
        let fields: Vec<String> = row
            .iter()
            .map(|field| {
                if all || field.is_empty() || field.contains([',', '"', '\n', '\r']) {
                    format!("\"{}\"", field.replace('"', "\"\""))
                } else {
                    field.clone()
                }
            })
            .collect();
        out.push_str(&fields.join(","));
        out.push_str(line_end);
    }
    out
}

#[test]
fn a_chunk_that_was_guessed_wrong_leaves_no_trace_in_the_types() {
    // The stray quote makes chunks that start in the field of many lines take it for records, in
    // which the first column is text; they do not come back, but others had been told so.
    let mut text = String::from("n,t\n1,5\" pipe\n2,\"some\n");
    text.push_str(&"lines,of\n".repeat(40));
    text.push_str("text\"\n");
    for row in 3..60 {
        text.push_str(&format!("{row},x\n"));
    }
    let whole = chunked(&text, usize::MAX).unwrap();
    assert_eq!(whole.columns()[0].kind, Kind::Int);
    for chunk in 1..text.len() {
        let table = chunked(&text, chunk).unwrap();
        assert_eq!(table.columns(), whole.columns(), "chunks of {chunk}");
        assert!(table.frame().equals_missing(whole.frame()));
    }
}

#[test]
fn blank_lines_are_told_wherever_a_chunk_ends() {
    let text = "x\nb\n\n\nc\n\nd\n\n";
    for chunk in 1..=text.len() {
        let table = chunked(text, chunk).unwrap();
        let told = "3 blank lines skipped (first: line 3)";
        assert_eq!(notes(&table, Topic::Rows), [told], "chunks of {chunk}");
        assert_eq!(texts(&table, 0), [Some("b"), Some("c"), Some("d")]);
    }
}

proptest! {
    #[test]
    fn what_is_written_by_the_book_reads_back_in_any_chunks(
        rows in (1usize..5).prop_flat_map(|width| {
            let field = "[a-c\",;|\t\n\r é€😀0-9-]{0,6}";
            proptest::collection::vec(proptest::collection::vec(field, width), 0..12)
        }),
        line_end in proptest::sample::select(vec!["\n", "\r\n", "\r", "\r\r\n"]),
        all in any::<bool>(),
        chunk in 1usize..200,
    ) {
        let width = rows.first().map_or(1, Vec::len);
        // The x makes every column text, so that each value must come back byte for byte.
        let header: Vec<String> = (0..width).map(|column| format!("x{column}")).collect();
        let mut lines = vec![header.clone(), vec!["x".to_owned(); width]];
        lines.extend(rows.clone());
        let text = written(&lines, line_end, all);
        let options = ReadOptions { delimiter: Some(','), ..ReadOptions::default() };
        let table = read_text(text.as_bytes(), &options, chunk, &Control::default()).unwrap();
        prop_assert_eq!(names(&table), header);
        prop_assert_eq!(table.height(), rows.len() + 1);
        for column in 0..width {
            let found = texts(&table, column);
            for (row, found) in rows.iter().zip(&found[1..]) {
                prop_assert_eq!(found.unwrap_or(""), row[column].as_str());
            }
        }
    }

    #[test]
    fn typed_columns_read_back_in_any_chunks(
        rows in proptest::collection::vec((any::<Option<i64>>(), any::<Option<f64>>(), any::<Option<bool>>()), 1..40),
        chunk in 1usize..200,
    ) {
        let field = |text: Option<String>| text.unwrap_or_default();
        let mut text = String::from("i,f,b\n");
        for (int, float, flag) in &rows {
            // A plain 1e300 is a code by our rules, so floats are written with a point.
            let float = float.filter(|float| !float.is_nan()).map(|float| {
                let text = format!("{float:?}");
                match text.split_once('e') {
                    Some((front, back)) if !front.contains('.') => format!("{front}.0e{back}"),
                    _ => text,
                }
            });
            text.push_str(&format!("{},{},{}\n", field(int.map(|int| int.to_string())), field(float), field(flag.map(|flag| flag.to_string()))));
        }
        let table = chunked(&text, chunk).unwrap();
        for (row, (int, float, flag)) in rows.iter().enumerate() {
            let value = |column: usize| table.frame().columns()[column].get(row).unwrap();
            prop_assert_eq!(value(0), int.map_or(AnyValue::Null, AnyValue::Int64));
            let float = float.filter(|float| !float.is_nan());
            prop_assert_eq!(value(1), float.map_or(AnyValue::Null, AnyValue::Float64));
            prop_assert_eq!(value(2), flag.map_or(AnyValue::Null, AnyValue::Boolean));
        }
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 1..300), chunk in 1usize..64) {
        if let Ok(decoded) = super::encoding::decode(bytes, None, &Control::default()) {
            prop_assert!(std::str::from_utf8(decoded.text()).is_ok());
            let _ = read_text(decoded.text(), &ReadOptions::default(), chunk, &Control::default());
        }
    }
}

/// Reads the text from a file in windows of `chunk` bytes.
pub(super) fn from_file(text: &[u8], chunk: usize) -> Option<Table> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    std::fs::write(&path, text).unwrap();
    let source = Source::path(path).unwrap();
    super::read_file(&source, &ReadOptions::default(), chunk, &Control::default()).unwrap()
}

#[cfg(unix)]
#[test]
fn windows_of_a_file_give_what_the_whole_text_gives() {
    let line = |row: usize, end: &str| {
        let quoted = if row.is_multiple_of(50) {
            "\"a, \"\"b\"\"\nö\""
        } else {
            "plain, not".split(',').next().unwrap()
        };
        format!("{row},-{row},{quoted},{}.{row},köln{end}", row % 7)
    };
    for end in ["\n", "\r\n", "\r"] {
        let mut text = format!("id,less,note,size,city{end}");
        for row in 1..60_000 {
            text.push_str(&line(row, end));
        }
        // The last rows make other types of whole numbers: text and decimals; and one is missing.
        text.push_str(&format!("NA,00042,x,1.5,y{end}7,0.5,x,NA,y"));
        let whole = chunked(&text, usize::MAX).unwrap();
        let marked = [b"\xef\xbb\xbf", text.as_bytes()].concat();
        for (bytes, chunk) in [(text.as_bytes(), 5_000), (&marked, 40_001)] {
            let table = from_file(bytes, chunk).expect("an ordinary file");
            assert!(table.frame().equals_missing(whole.frame()), "{end:?}");
            assert_eq!(table.columns(), whole.columns());
            assert_eq!(
                notes(&table, Topic::Types),
                notes(&whole, Topic::Types),
                "{end:?}"
            );
            assert_eq!(texts(&table, 1)[59_999], Some("00042"));
            assert_eq!(texts(&table, 1)[0], Some("-1"));
        }
    }
}

#[cfg(unix)]
#[test]
fn files_out_of_the_ordinary_are_left_to_the_whole_text() {
    let text = "1,2,3,4,5\n".repeat(200_000);
    assert!(from_file(text.as_bytes(), 10_000).is_some());
    for tail in [
        &b"1,2\n"[..],
        b"1,2,3,4,5,6\n",
        b"1,2,3,4,\"5\" x\n",
        b"1,2,3,4,\"5\n",
        b"1,2,3,4,\xff\n",
        b"1,2,3,4,\xc3",
    ] {
        let bytes = [text.as_bytes(), tail].concat();
        assert!(from_file(&bytes, 10_000).is_none(), "{tail:?}");
    }
}

#[cfg(unix)]
proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn windows_of_a_damaged_file_give_what_the_whole_text_gives(
        damages in proptest::collection::vec(
            (
                any::<proptest::sample::Index>(),
                proptest::sample::select(vec![
                    "\"", "\"\"", "\n", "\n\n", "\r", ",", "00042", "é", "NA,", "x", ".", "..5",
                    ",\"a\nb\",", "\n7,\"a, \"\"b\"\"\n8,c,d\n\",0.5\n", "\n,,\n", "99999999999999999999",
                ]),
            ),
            0..5,
        ),
        chunk in 2_000usize..30_000,
        width in 1usize..4,
    ) {
        let names = ["n", "t", "f"];
        let mut text = format!("{}\n", names[..width].join(","));
        for row in 0..60_000 / width {
            let fields = [row.to_string(), format!("t{}", row % 9), format!("{}.25", row % 50)];
            text.push_str(&fields[..width].join(","));
            text.push('\n');
        }
        for (at, token) in damages {
            let at = at.index(text.len());
            if text.is_char_boundary(at) {
                text.insert_str(at, token);
            }
        }
        if let Some(table) = from_file(text.as_bytes(), chunk) {
            let whole = chunked(&text, usize::MAX).unwrap();
            prop_assert_eq!(table.columns(), whole.columns());
            prop_assert_eq!(&table.notes, &whole.notes);
            prop_assert!(table.frame().equals_missing(whole.frame()));
        }
    }
}
