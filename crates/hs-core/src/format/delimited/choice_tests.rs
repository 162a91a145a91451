//! Given types, wanted columns and the reasons of the others, from bytes to table.

use std::io::Write as _;

use super::{CHUNK, read, read_text};
use crate::control::Control;
use crate::error::{ErrorKind, Result};
use crate::format::{ReadOptions, Types, Wanted};
use crate::source::Source;
use crate::table::Table;
use crate::text::plain;

fn given(pairs: &[(&str, &str)]) -> ReadOptions {
    ReadOptions {
        types: Types::parse_columns(pairs.iter().copied()).unwrap(),
        ..ReadOptions::default()
    }
}

fn only(names: &[&str]) -> ReadOptions {
    ReadOptions {
        only: Some(names.iter().map(ToString::to_string).collect()),
        ..ReadOptions::default()
    }
}

fn load(text: &str, options: &ReadOptions) -> Result<Table> {
    read_text(text.as_bytes(), options, CHUNK, &Control::default())
}

fn values(table: &Table, name: &str) -> Vec<String> {
    let column = &table.frame().columns()[table.position(name).unwrap()];
    (0..table.height())
        .map(|row| plain(&column.get(row).unwrap()))
        .collect()
}

fn notes(table: &Table) -> Vec<&str> {
    table.notes.iter().map(|note| note.text.as_str()).collect()
}

#[test]
fn a_given_column_is_read_from_its_exact_text() {
    let text = "zip,n,s\n00042,1.50,NA\n7,2,\"\"\n10,\"a\"\"b\",x\n";
    let table = load(text, &given(&[("n", "text"), ("s", "text")])).unwrap();
    assert_eq!(values(&table, "n"), ["1.50", "2", "a\"b"]);
    assert_eq!(values(&table, "s"), ["NA", "", "x"]);
    assert!(table.frame().columns()[2].get(1).unwrap().is_null());
    let table = load(text, &given(&[("zip", "int")])).unwrap();
    assert_eq!(values(&table, "zip"), ["42", "7", "10"]);
    let all = ReadOptions {
        types: Types::All(Wanted::parse("text").unwrap()),
        ..ReadOptions::default()
    };
    let table = load("a,b\n1,\n", &all).unwrap();
    let words: Vec<&str> = table
        .columns()
        .iter()
        .map(|info| info.kind.word())
        .collect();
    assert_eq!(words, ["text", "text"]);
}

#[test]
fn a_misfit_names_its_line_whatever_the_chunks() {
    let text = "id,d\n1,\"2026-01-01\"\n\n2,\"2026-\n01-02\"\n3,soon\n4,later\n";
    for chunk in [1, 7, 20, CHUNK] {
        let options = given(&[("d", "date")]);
        let error = read_text(text.as_bytes(), &options, chunk, &Control::default());
        let error = error.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Format);
        let told = error.to_string();
        assert!(
            told.starts_with(
                "line 4, column \"d\": expected date, found \"2026-\\n01-02\" (3 values in all do not fit)"
            ),
            "{told}"
        );
    }
}

#[test]
fn a_file_that_is_read_by_windows_gives_the_same() {
    let mut text = String::from("id,v,d\n");
    for row in 0..400_000 {
        text.push_str(&format!("{row},x{row},03/04/2021\n"));
    }
    let end = text.len();
    text.push_str("400000,x,04/04/2021\n400001,y,13.04.2021\n");
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(text.as_bytes()).unwrap();
    let load = |options: &ReadOptions| {
        let source = Source::path(file.path()).unwrap();
        read(source, options, &Control::default())
    };
    let told = load(&given(&[("d", "date:%d/%m/%Y")]))
        .unwrap_err()
        .to_string();
    assert!(
        told.starts_with("line 400003, column \"d\": expected date:%d/%m/%Y"),
        "{told}"
    );
    let table = load(&ReadOptions::default()).unwrap();
    assert_eq!(table.explanation.reason(0), Some("400,002 whole numbers"));
    assert_eq!(
        table.explanation.reason(1),
        Some("text (first: line 2 \"x0\")")
    );
    let whole = super::read_text(
        text.as_bytes(),
        &ReadOptions::default(),
        CHUNK,
        &Control::default(),
    );
    assert_eq!(
        whole.unwrap().explanation.reasons,
        table.explanation.reasons
    );
    file.as_file().set_len(end as u64).unwrap();
    let table = load(&given(&[("d", "date:%d/%m/%Y")])).unwrap();
    assert_eq!(values(&table, "d")[399_999], "2021-04-03");
}

#[test]
fn columns_left_out_still_tell_the_habit_of_the_file() {
    let text = "Preis;Menge\n0,05;1.200\n1.299,99;3\n";
    let table = load(text, &only(&["Menge"])).unwrap();
    assert_eq!(table.width(), 1);
    assert_eq!(values(&table, "Menge"), ["1200", "3"]);
    let table = load(text, &given(&[("Preis", "text")])).unwrap();
    assert_eq!(values(&table, "Menge"), ["1200", "3"]);
    assert_eq!(values(&table, "Preis"), ["0,05", "1.299,99"]);
    let table = load("a,b\n00042,1\n", &only(&["b"])).unwrap();
    assert_eq!(
        (table.width(), values(&table, "b")),
        (1, vec!["1".to_owned()])
    );
    let error = load("amount,b\n1,1\n", &only(&["amuont"])).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Column);
    assert!(error.to_string().contains("did you mean \"amount\"?"));
}

#[test]
fn undecided_columns_name_the_type_that_would_decide() {
    let table = load(
        "a;d;c\n1;03/04/2021;1,234\n2;05/06/2021;5,678\n",
        &ReadOptions::default(),
    );
    let table = table.unwrap();
    assert_eq!(
        notes(&table)[1..],
        [
            "column \"d\" is text: no value proves its order of day and month; if the day comes \
             first: types={\"d\": \"date:%d/%m/%Y\"}",
            "column \"c\" is text: its commas may stand between thousands (types={\"c\": \
             \"int:1,234\"}) or before decimals (types={\"c\": \"float:0,5\"})",
        ]
    );
    let table = load("a,c\n1,\"0,5\"\n2,\"1,25\"\n", &ReadOptions::default()).unwrap();
    assert!(notes(&table)[0].ends_with("to read them: types={\"c\": \"float:0,5\"}"));
    for (column, wanted, expected) in [
        ("d", "date:%d/%m/%Y", ["2021-04-03", "2021-06-05"]),
        ("c", "int:1,234", ["1234", "5678"]),
        ("c", "float:0,5", ["1.234", "5.678"]),
    ] {
        let text = "a;d;c\n1;03/04/2021;1,234\n2;05/06/2021;5,678\n";
        let table = load(text, &given(&[(column, wanted)])).unwrap();
        assert_eq!(values(&table, column), expected, "{wanted}");
    }
}

#[test]
fn each_column_says_why_it_has_its_type() {
    let rules: &[(&[&str], &str)] = &[
        (&["1", "", "3"], "2 whole numbers, 1 missing"),
        (&["1", "0.5"], "2 numbers, some with decimals"),
        (
            &["1", "00042"],
            "codes: leading zeros (first: line 3 \"00042\")",
        ),
        (
            &["+33612345678"],
            "codes: a plus before many digits (first: line 2 \"+33612345678\")",
        ),
        (
            &["1", "20010e88"],
            "codes: an exponent without point or sign (first: line 3 \"20010e88\")",
        ),
        (
            &["1", "2", "abc"],
            "mixed: numbers and text (first text: line 4 \"abc\")",
        ),
        (
            &["1", "true"],
            "mixed: numbers and true/false (first: line 3 \"true\")",
        ),
        (&["abc", "1"], "text (first: line 2 \"abc\")"),
        (&["NA"], "words for missing and nothing else"),
        (
            &["1", "18446744073709551616"],
            "whole numbers beyond 64 bits (first: line 3 \"18446744073709551616\")",
        ),
        (&["2026-01-01", ""], "ISO dates, 1 missing"),
        (
            &["31/12/2026"],
            "day before month, as a day above 12 proves",
        ),
        (&["01/02/2026"], "days in an order that no value proves"),
        (&["", ""], "no values"),
    ];
    for (fields, reason) in rules {
        let mut text = String::from("c,other\n");
        for field in *fields {
            text.push_str(&format!("{field},1\n"));
        }
        for chunk in [1, CHUNK] {
            let table = read_text(
                text.as_bytes(),
                &ReadOptions::default(),
                chunk,
                &Control::default(),
            );
            let table = table.unwrap();
            assert_eq!(table.explanation.reason(0), Some(*reason), "{fields:?}");
        }
    }
    let table = load("Preis;Menge\n0,05;1.200\n", &ReadOptions::default()).unwrap();
    assert_eq!(
        table.explanation.reasons,
        [
            "decimal commas, the delimiter is \";\"",
            "points between thousands"
        ]
    );
}
