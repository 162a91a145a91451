//! Whole reads of files as people have them: titles, odd quoting, ragged rows, odd line ends.

use super::tests::{from_file, ints, load, load_with, names, notes, texts};
use super::{CHUNK, FRONT, read_text};
use crate::control::Control;
use crate::error::ErrorKind;
use crate::format::ReadOptions;
use crate::note::Topic;

fn refused(text: &str) -> String {
    let error = load_with(text.as_bytes(), &ReadOptions::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Format);
    error.to_string()
}

fn without_header() -> ReadOptions {
    ReadOptions {
        header: Some(0),
        ..ReadOptions::default()
    }
}

#[test]
fn title_lines_are_passed_over_and_told() {
    let table = load("Report, x\n\"by, me\",\na,b,c\nx,1,2\ny,3,4\n");
    assert_eq!(names(&table), ["a", "b", "c"]);
    assert_eq!(ints(&table, 1), [Some(1), Some(3)]);
    let told =
        "skipped 2 title lines above the header (line 3): \"Report, x\"; header=0 reads every line";
    assert_eq!(notes(&table, Topic::Dialect), [told]);
    let table = load("\n# by me\n\na\tb\n1\t2\n");
    assert_eq!(names(&table), ["a", "b"]);
    let told =
        "skipped 1 comment line above the header (line 4): \"# by me\"; header=0 reads every line";
    assert_eq!(notes(&table, Topic::Dialect), ["delimiter: tab", told]);
    // A line that is named is the header, whatever stands below.
    let options = |line| ReadOptions {
        header: Some(line),
        ..ReadOptions::default()
    };
    let text = b"Report, x\na,b,c\nx,1,2\n";
    let error = load_with(text, &options(1)).unwrap_err();
    assert!(error.to_string().starts_with("line 2: expected 2 fields"));
    let table = load_with(text, &options(2)).unwrap();
    assert_eq!((names(&table), table.notes.len()), (vec!["a", "b", "c"], 0));
    assert_eq!(load_with(text, &options(0)).unwrap().height(), 3);
}

#[test]
fn titles_that_a_spreadsheet_padded_may_have_a_value() {
    let table = load(
        "Account;;;;\nIBAN:;DE89 3704;;;\n\nDay;Due;Text;Sum;Rest\n2026-02-01;2026-02-13;Rent;1;2\n2026-02-02;2026-02-14;Pay;3;4\n",
    );
    assert_eq!(names(&table), ["Day", "Due", "Text", "Sum", "Rest"]);
    assert_eq!(ints(&table, 3), [Some(1), Some(3)]);
}

#[test]
fn a_nul_in_a_name_is_an_error_with_its_line() {
    let message = refused("a\0b,c\nx,y\n");
    assert!(
        message.starts_with("line 1: expected names of columns, found a NUL byte in"),
        "{message}"
    );
    let table = load_with(b"a\0b,c\nx,y\n", &without_header()).unwrap();
    assert_eq!(texts(&table, 0), [Some("a\0b"), Some("x")]);
}

#[test]
fn whole_numbers_that_a_float_changes_are_told() {
    for (text, told) in [
        ("k\n9007199254740993.0\n1.5\n", 1),
        ("k\n9007199254740992.0\n1.5\n", 0),
        ("k\n-36028797018963969.00\n1.5\n", 1),
    ] {
        assert_eq!(notes(&load(text), Topic::Types).len(), told, "{text:?}");
    }
}

#[test]
fn rows_with_a_mark_of_comments_stay_rows() {
    let table = load("name,sum\n#VALUE!,1\n# note\nx,2\n");
    assert_eq!(
        texts(&table, 0),
        [Some("#VALUE!"), Some("# note"), Some("x")]
    );
    assert_eq!(ints(&table, 1), [Some(1), None, Some(2)]);
    let told = "1 row with fewer than 2 fields padded with missing (first: line 3)";
    assert_eq!(notes(&table, Topic::Rows), [told]);
}

#[cfg(unix)]
#[test]
fn titles_of_large_files_are_found_in_windows_too() {
    let mut text = String::from("Sales of the north\n\nid;name;sum\n");
    for row in 0..60_000 {
        text.push_str(&format!("{row};name {row};{row}.5\n"));
    }
    assert!(text.len() > 3 * FRONT);
    let table = from_file(text.as_bytes(), 10_000).expect("an ordinary file");
    assert_eq!((names(&table).len(), table.height()), (3, 60_000));
    assert_eq!(
        notes(&table, Topic::Dialect),
        notes(&load(&text), Topic::Dialect)
    );
    assert_eq!(notes(&table, Topic::Dialect).len(), 2);
}

#[test]
fn other_ways_of_quoting_count_when_they_put_all_in_order() {
    let spaced =
        load("\"Year\", \"Score\", \"Title\"\n1968,  86, \"Hi, Mom!\" \n1970, 17, \"x\"\n");
    assert_eq!(names(&spaced), ["Year", "Score", "Title"]);
    assert_eq!(texts(&spaced, 2), [Some("Hi, Mom!"), Some("x")]);
    assert_eq!(ints(&spaced, 1), [Some(86), Some(17)]);
    let told = "quotes: blanks around quoted fields left out";
    assert_eq!(notes(&spaced, Topic::Dialect), [told]);

    let single = load("id;text\n1;'a;b'\n2;'it''s\nhere'\n");
    assert_eq!(texts(&single, 1), [Some("a;b"), Some("it's\nhere")]);
    let told = ["quotes: single quotes (')", "delimiter: \";\""];
    assert_eq!(notes(&single, Topic::Dialect), told);

    let escaped = load("id,text\n1,\"a \\\"b\\\", c\"\n2,d\\,e\n3,\\N\n");
    assert_eq!(
        texts(&escaped, 1),
        [Some("a \"b\", c"), Some("d,e"), Some("\\N")]
    );
    let told = "quotes: a backslash before a quote, delimiter, line end or backslash left out";
    assert_eq!(notes(&escaped, Topic::Dialect), [told]);
}

#[test]
fn quotes_in_files_of_tabs_may_be_text() {
    let table = load("id\ttitle\n1\t\"\n2\t\"!\"\n3\t\"Heroes\" live\n4\tx\n");
    let titles = [
        Some("\""),
        Some("\"!\""),
        Some("\"Heroes\" live"),
        Some("x"),
    ];
    assert_eq!(texts(&table, 1), titles);
    let told = ["quotes: none, they are part of the text", "delimiter: tab"];
    assert_eq!(notes(&table, Topic::Dialect), told);
    // One that opens and never closes may as well be damage.
    assert!(refused("id\ttitle\n1\t\"a\n2\tb\n").starts_with("line 2: expected a closing quote"));
}

#[test]
fn what_the_book_reads_well_is_read_by_the_book() {
    let table = load("a, \"b\"\n1, \"x\"\n'2','y'\nC:\\,\\\"\n");
    assert_eq!(names(&table), ["a", " \"b\""]);
    assert_eq!(texts(&table, 0), [Some("1"), Some("'2'"), Some("C:\\")]);
    assert_eq!(
        texts(&table, 1),
        [Some(" \"x\""), Some("'y'"), Some("\\\"")]
    );
    assert!(table.notes.is_empty(), "{:?}", table.notes);
    // Neither way has all in order: the book's way says what is wrong.
    let error = refused("a,b\n1, \"x,y\"\n2\n");
    assert!(error.starts_with("line 2: expected 2 fields as in the header, found 3"));
}

#[test]
fn text_behind_a_closing_quote_is_told_in_the_header_as_well() {
    let table = load("\"a\"x,b\n1,\"2\"y\n3,4\n");
    assert_eq!(names(&table), ["\"a\"x", "b"]);
    let told = "2 fields with text behind a closing quote kept as written (first: line 1)";
    assert_eq!(notes(&table, Topic::Rows), [told]);
}

#[test]
fn long_rows_name_the_way_out_and_it_leads_out() {
    let text = "1,2\n3,4,5,6\n7\n8,9,\n";
    let hint = "header=0 reads all fields, without names";
    assert!(refused(text).contains(hint));
    let table = load_with(text.as_bytes(), &without_header()).unwrap();
    assert_eq!(table.height(), 4);
    assert_eq!(ints(&table, 0), [Some(1), Some(3), Some(7), Some(8)]);
    assert_eq!(ints(&table, 3), [None, Some(6), None, None]);
    let told = "3 rows with fewer than 4 fields padded with missing (first: line 1)";
    assert_eq!(notes(&table, Topic::Rows), [told]);
    // The first record is no measure of the delimiter either.
    let table = load_with(b"only\n1;2\n3;4\n", &without_header()).unwrap();
    assert_eq!((table.width(), table.height()), (2, 3));
}

#[test]
fn trailing_delimiters_and_blank_lines_are_no_fields() {
    let table = load("a;b\n1;2;\n3;4;\n   \n\t\n5;6;\n\x1a");
    assert_eq!(ints(&table, 1), [Some(2), Some(4), Some(6)]);
    assert_eq!(
        notes(&table, Topic::Rows),
        ["every row ends with an extra delimiter, ignored"]
    );
}

#[test]
fn every_line_end_gives_the_same_table() {
    let expected = load("a,b\n1,\"x\ny\"\n2,z\n");
    for end in ["\r\n", "\r", "\r\r\n"] {
        let text = format!("a,b{end}1,\"x\ny\"{end}{end}2,z{end}");
        let table = load(&text);
        assert!(table.frame().equals_missing(expected.frame()), "{end:?}");
    }
}

#[test]
fn wide_rows_and_long_fields_are_read_whole() {
    let width = 20_000;
    let line = |row: usize| {
        let fields: Vec<String> = (0..width)
            .map(|column| (column * row).to_string())
            .collect();
        fields.join(",")
    };
    let header: Vec<String> = (0..width).map(|column| format!("c{column}")).collect();
    let table = load(&format!("{}\n{}\n{}\n", header.join(","), line(1), line(2)));
    assert_eq!((table.width(), table.height()), (width, 2));
    assert_eq!(ints(&table, width - 1), [Some(19_999), Some(39_998)]);

    let long = "é\n,\"\"".repeat(CHUNK);
    let text = format!("k,blob,n\n1,\"{long}\",2\n3,x,4\n");
    for chunk in [1000, CHUNK] {
        let options = ReadOptions::default();
        let table = read_text(text.as_bytes(), &options, chunk, &Control::default()).unwrap();
        assert_eq!(texts(&table, 1)[0], Some("é\n,\"".repeat(CHUNK).as_str()));
        assert_eq!(ints(&table, 2), [Some(2), Some(4)]);
    }
}

#[test]
fn an_open_quote_is_an_error_at_its_line() {
    assert!(refused("a,b\n1,2\n3,\"4\n5,6\n").starts_with("line 3: expected a closing quote"));
    assert!(refused("a,\"b\n1,2\n").starts_with("line 1: expected a closing quote"));
    // Also behind the part that is looked at first.
    let text = format!("a,b\n{}x,\"y\n1,2\n", "1,2\n".repeat(FRONT / 4));
    let line = FRONT / 4 + 2;
    assert!(refused(&text).starts_with(&format!("line {line}: expected a closing quote")));
}

#[test]
fn amounts_stay_text_and_a_line_says_so() {
    let table = load("line,amount,margin,size\na,\"$1,250.50\",12.5%,5 kg\nb,($75.00),-3%,6 kg\n");
    assert_eq!(texts(&table, 1), [Some("$1,250.50"), Some("($75.00)")]);
    let told = "amounts such as \"$1,250.50\" stay text in \"amount\", \"margin\": without their mark they would be other numbers";
    assert_eq!(notes(&table, Topic::Types), [told]);
}
