//! Whole workbooks: the fixtures in all formats against the csv file of the same rows, broken files, types.

use std::path::PathBuf;

use crate::control::Control;
use crate::error::{Error, ErrorKind, Result};
use crate::format::{self, Format, Loaded, ReadOptions, SheetChoice};
use crate::source::Source;
use crate::table::Table;
use crate::text::plain;

fn fixture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../fixtures")
        .join(name)
}

fn load(name: &str, sheet: SheetChoice) -> Result<Table> {
    let source = Source::path(fixture(name))?;
    let format = format::detect(&source)?;
    let options = ReadOptions {
        sheet,
        ..ReadOptions::default()
    };
    match format::read(format, source, &options, &Control::default())? {
        Loaded::Table(table) => Ok(table),
        _ => Err(Error::new(ErrorKind::Internal, "not a table")),
    }
}

/// The fields of a csv line; quotes only around whole fields.
fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut quoted = false;
    for letter in line.chars() {
        match letter {
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(String::new()),
            letter => fields.last_mut().expect("starts with one").push(letter),
        }
    }
    fields
}

#[test]
fn text_of_xls_is_unicode_whatever_code_page_the_file_names() -> Result<()> {
    let mut bytes = std::fs::read(fixture("orders.xls")).expect("a fixture");
    let right = load("orders.xls", SheetChoice::First)?;
    let page = memchr::memmem::find(&bytes, b"\x42\0\x02\0\xb0\x04").expect("a record CodePage");
    bytes[page + 4..page + 6].copy_from_slice(&1252_u16.to_le_bytes());
    let source = Source::bytes("orders.xls", bytes)?;
    let read = format::read(
        Format::Xls,
        source,
        &ReadOptions::default(),
        &Control::default(),
    )?;
    let Loaded::Table(table) = read else {
        return Err(Error::new(ErrorKind::Internal, "not a table"));
    };
    assert!(table.frame().equals_missing(right.frame()));
    Ok(())
}

#[test]
fn every_format_gives_the_rows_of_the_csv_file() -> Result<()> {
    let text = std::fs::read_to_string(fixture("orders.csv")).expect("a fixture");
    let lines: Vec<Vec<String>> = text.lines().map(fields).collect();
    for name in [
        "orders.xlsx",
        "orders.xlsm",
        "orders.xlsb",
        "orders.xls",
        "orders.ods",
    ] {
        let table = load(name, SheetChoice::Name("2026".into()))?;
        let kinds: Vec<&str> = table
            .columns()
            .iter()
            .map(|info| info.kind.word())
            .collect();
        assert_eq!(
            kinds,
            [
                "int", "text", "text", "text", "text", "date", "datetime", "int", "float", "bool"
            ],
            "{name}"
        );
        assert_eq!(table.height(), lines.len() - 1, "{name}");
        for (position, (info, column)) in table.iter().enumerate() {
            assert_eq!(info.name, lines[0][position], "{name}");
            for (row, line) in lines[1..].iter().enumerate() {
                let value = plain(&column.get(row).expect("within the table"));
                let expected = &line[position];
                let same = match info.kind.word() {
                    "float" => value.parse::<f64>() == expected.parse::<f64>(),
                    _ => value == *expected,
                };
                assert!(
                    same,
                    "{name}, row {row}, {}: {value} is not {expected}",
                    info.name
                );
            }
        }
        assert_eq!(table.origin.part.as_deref(), Some("sheet \"2026\""));
        let notes: Vec<&str> = table.notes.iter().map(|note| note.text.as_str()).collect();
        assert_eq!(
            notes,
            ["other sheets: \"2025\" (45 x 10), \"rates\" (3 x 2, hidden)"],
            "{name}"
        );
    }
    Ok(())
}

#[test]
fn the_first_visible_sheet_is_the_default_and_hidden_ones_can_be_read() -> Result<()> {
    for name in ["orders.xlsx", "orders.xlsb", "orders.xls", "orders.ods"] {
        assert_eq!(load(name, SheetChoice::First)?.height(), 45, "{name}");
        let rates = load(name, SheetChoice::Index(-1))?;
        assert_eq!((rates.height(), rates.width()), (3, 2), "{name}");
    }
    Ok(())
}

#[test]
fn every_format_tells_merged_cells_and_names() -> Result<()> {
    let control = Control::default();
    for (name, has_names) in [
        ("report.xlsx", true),
        ("report.xls", true),
        ("report.ods", true),
        ("report.xlsb", false),
    ] {
        let bytes = std::fs::read(fixture(name)).expect("a fixture");
        let source = Source::bytes(name, bytes)?;
        let format = format::detect(&source)?;
        let mut book = super::open::open(format, source.read(&control)?, &control)?;
        let mut merged: Vec<String> = book
            .merged("Sales")
            .iter()
            .map(ToString::to_string)
            .collect();
        merged.sort();
        assert_eq!(merged, ["A1:E1", "A3:A4", "B3:C3", "D3:E3"], "{name}");
        assert!(book.merged("Empty").is_empty(), "{name}");
        let rates = book
            .named()
            .into_iter()
            .find(|named| named.name == "Rates")
            .map(|named| (named.sheet, named.area.to_string()));
        let expected = ("Stock of it's shop".to_owned(), "G4:H7".to_owned());
        assert_eq!(rates, has_names.then_some(expected), "{name}");
    }
    Ok(())
}

#[test]
fn broken_and_encrypted_files_are_clear_errors() {
    let error = |name| {
        let error = load(name, SheetChoice::First).expect_err("a broken file");
        assert_eq!(error.kind(), ErrorKind::Format);
        error.to_string()
    };
    let encrypted = error("broken/encrypted.xlsx");
    assert!(encrypted.contains("found an encrypted one"), "{encrypted}");
    assert!(encrypted.contains("remove the password"), "{encrypted}");
    assert!(error("broken/truncated.xlsx").contains("expected a whole xlsx workbook"));
}

#[test]
fn changed_bytes_never_panic() {
    // Every 37th byte of the old binary formats set to a bad value; the zipped ones would only fail their checksums.
    let bytes = std::fs::read(fixture("orders.xls")).expect("a fixture");
    let control = Control::default();
    for at in (0..bytes.len()).step_by(37) {
        for value in [0x00, 0x7f, 0xff] {
            let mut changed = bytes.clone();
            changed[at] = value;
            let Ok(mut book) = super::open::open(Format::Xls, changed, &control) else {
                continue;
            };
            book.named();
            for sheet in book.sheets() {
                let _ = book.cells(&sheet.name, &control);
                book.merged(&sheet.name);
                book.size(&sheet.name);
            }
        }
    }
}

#[test]
fn a_stop_request_stops_the_reading() {
    let control = Control::default();
    control.stop();
    for name in ["orders.xlsx", "orders.xlsb", "orders.xls", "orders.ods"] {
        let bytes = std::fs::read(fixture(name)).expect("a fixture");
        let source = Source::bytes(name, bytes).expect("not empty");
        let format = format::detect(&source).expect("a workbook");
        let result = super::open::open(
            format,
            source.read(&Control::default()).expect("bytes"),
            &control,
        )
        .and_then(|mut book| book.cells("2025", &control));
        let kind = result.map_err(|error| error.kind()).err();
        assert_eq!(kind, Some(ErrorKind::Interrupted), "{name}");
    }
}
