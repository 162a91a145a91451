//! Where tables lie, on small sheets: blank edges, titles, merged headers.

use super::super::cells::Content;
use super::super::number_format::Shape;
use super::*;

/// Cells from rows of words: numbers are numbers, `.` is a place without a cell, `""` an empty text.
fn sheet(rows: &[&str]) -> Cells {
    let mut cells = Cells::new(false);
    for (row, words) in rows.iter().enumerate() {
        for (column, word) in words.split_whitespace().enumerate() {
            let content = match word {
                "." => continue,
                "\"\"" => cells.text(""),
                word => match word.parse() {
                    Ok(number) => Content::Number(number, Shape::Plain),
                    Err(_) => cells.text(word),
                },
            };
            cells
                .push(row as u32, column as u32, content)
                .expect("inside a sheet");
        }
    }
    cells.finish()
}

fn found(cells: &Cells, header: Option<usize>) -> Layout {
    found_merged(cells, &[], header)
}

fn found_merged(cells: &Cells, merged: &[&str], header: Option<usize>) -> Layout {
    let merged: Vec<Area> = merged.iter().map(|text| area(text)).collect();
    let layout = layout(cells, &merged, HeaderChoice::of(header, false));
    layout.expect("no error").expect("a table")
}

fn area(text: &str) -> Area {
    let corner = |text: &str| {
        let mut letters = text.bytes();
        let column = letters.next().expect("a letter") - b'A';
        let row: u32 = text[1..].parse().expect("a row");
        (row - 1, u32::from(column))
    };
    let (first, last) = text.split_once(':').expect("two corners");
    Area {
        first: corner(first),
        last: corner(last),
    }
}

fn names(layout: &Layout) -> Vec<&str> {
    layout
        .columns
        .iter()
        .map(|(_, name)| name.as_str())
        .collect()
}

#[test]
fn blank_edges_are_no_part_of_the_table() {
    let cells = sheet(&[
        ". .",
        ". a b .",
        ". 1 2 \"\"",
        ". . .",
        ". 3 . .",
        ". \"\" .",
    ]);
    let layout = found(&cells, None);
    assert_eq!(names(&layout), ["a", "b"]);
    assert_eq!((layout.first, layout.height), (2, 3));
    assert_eq!(layout.position(2), Some(0));
    assert_eq!(layout.position(4), Some(2));
    assert_eq!(layout.position(5), None);
    assert!(layout.notes.is_empty());
}

#[test]
fn a_title_is_skipped_and_told() {
    let layout = found(&sheet(&["Report", ".", "a b", "1 2"]), None);
    assert_eq!(names(&layout), ["a", "b"]);
    assert_eq!(
        layout.notes[0].text,
        "skipped 2 rows above the header in row 3 (A1 \"Report\"); header=0 reads every row"
    );
}

#[test]
fn a_lone_name_above_data_is_a_header_not_a_title() {
    let one = found(&sheet(&[". x", "a 1", "b 2"]), None);
    assert_eq!(names(&one), ["column_1", "x"]);
    assert_eq!(one.notes[0].text, "named 1 column: blank -> \"column_1\"");
    let single = found(&sheet(&["x", "1", "2"]), None);
    assert_eq!((names(&single), single.height), (vec!["x"], 2));
}

#[test]
fn the_header_can_be_given() {
    let rows = ["a b", "c d", "1 2"];
    assert_eq!(names(&found(&sheet(&rows), Some(2))), ["c", "d"]);
    let none = found(&sheet(&rows), Some(0));
    assert_eq!(
        (names(&none), none.height),
        (vec!["column_1", "column_2"], 3)
    );
    let far = layout(&sheet(&rows), &[], HeaderChoice::Row(8)).expect_err("below the cells");
    assert_eq!(far.kind(), ErrorKind::Argument);
}

#[test]
fn names_are_unique_and_years_are_names() {
    let layout = found(&sheet(&["t", "a 2024 a", "1 2 3"]), None);
    assert_eq!(names(&layout), ["a", "2024", "a.1"]);
}

#[test]
fn a_far_off_cell_costs_no_rectangle() {
    let mut cells = sheet(&["a b", "1 2"]);
    let far = Content::Bool(true);
    cells
        .push(super::super::cells::ROWS - 1, 16_383, far)
        .expect("the last cell");
    for column in 100..140 {
        cells.push(5, column, far).expect("inside a sheet");
    }
    let layout = found(&cells.finish(), None);
    assert_eq!((layout.height, layout.columns.len()), (3, 43));
    assert_eq!(layout.position(super::super::cells::ROWS - 1), Some(2));
    assert!(
        layout
            .notes
            .iter()
            .any(|note| note.text.contains("blank row"))
    );
}

#[test]
fn an_empty_sheet_has_no_table() {
    let none = |rows: &[&str]| {
        let layout = layout(&sheet(rows), &[], HeaderChoice::Found);
        layout.expect("no error").is_none()
    };
    assert!(none(&[]));
    assert!(none(&["\"\""]));
}

/// The names and the rows of the header, from 1; then the first note.
fn header(rows: &[&str], merged: &[&str]) -> (Vec<String>, u32, String) {
    let layout = found_merged(&sheet(rows), merged, None);
    let names = names(&layout).into_iter().map(str::to_owned).collect();
    let note = layout.notes.first().map(|note| note.text.clone());
    (names, layout.first, note.unwrap_or_default())
}

#[test]
fn a_merged_header_of_two_rows_is_joined_and_told() {
    let (names, first, note) = header(&["Q1 . Total", "Jan Feb Sum", "1 2 3"], &["A1:B1"]);
    assert_eq!(names, ["Q1 Jan", "Q1 Feb", "Total Sum"]);
    assert_eq!(first, 2);
    assert_eq!(
        note,
        "joined the merged header of rows 1 to 2: \"Q1 Jan\", \"Q1 Feb\", \"Total Sum\""
    );
}

#[test]
fn cells_merged_downwards_belong_to_the_header() {
    let rows = [
        "name Q1 . Q2 .",
        ". Jan Feb Apr May",
        "a x y z w",
        "b x y z w",
    ];
    let merged = ["A1:A2", "B1:C1", "D1:E1"];
    let (names, first, _) = header(&rows, &merged);
    assert_eq!(names, ["name", "Q1 Jan", "Q1 Feb", "Q2 Apr", "Q2 May"]);
    assert_eq!(first, 2, "also above rows of texts");
    let (names, first, note) = header(&["a b", ". .", "1 2"], &["A1:A2", "B1:B2"]);
    assert_eq!((names, first), (vec!["a".into(), "b".into()], 2));
    assert_eq!(
        note,
        "joined the merged header of rows 1 to 2: \"a\", \"b\""
    );
}

#[test]
fn three_levels_are_joined() {
    let rows = [
        "deals JANUARY . . .",
        ". w1 . w2 .",
        ". on off on off",
        "a 1 2 3 4",
    ];
    let merged = ["A1:A3", "B1:E1", "B2:C2", "D2:E2"];
    let (names, first, _) = header(&rows, &merged);
    let expected = [
        "deals",
        "JANUARY w1 on",
        "JANUARY w1 off",
        "JANUARY w2 on",
        "JANUARY w2 off",
    ];
    assert_eq!(names, expected);
    assert_eq!(first, 3);
}

#[test]
fn a_group_of_its_own_above_the_header_is_joined() {
    let (names, first, _) = header(&[". Q1 .", "name Jan Feb", "a 1 2"], &["B1:C1"]);
    assert_eq!(names, ["name", "Q1 Jan", "Q1 Feb"]);
    assert_eq!(first, 2);
    // The same above a header of two rows.
    let rows = [
        ". JANUARY . . .",
        ". w1 . w2 .",
        "deal on off on off",
        "a 1 2 3 4",
    ];
    let (names, first, _) = header(&rows, &["B1:E1", "B2:C2", "D2:E2"]);
    assert_eq!(names[..3], ["deal", "JANUARY w1 on", "JANUARY w1 off"]);
    assert_eq!(first, 3);
    // The pandas way: no name above the index.
    let (names, _, _) = header(
        &[". foo . bar .", ". a b a b", "0 1 2 3 4"],
        &["B1:C1", "D1:E1"],
    );
    assert_eq!(names, ["column_1", "foo a", "foo b", "bar a", "bar b"]);
}

#[test]
fn a_merged_title_is_a_title() {
    let rows = ["Report . .", "name Jan Feb", "a 1 2"];
    for merged in ["A1:C1", "A1:B1"] {
        let (names, first, note) = header(&rows, &[merged]);
        assert_eq!(names, ["name", "Jan", "Feb"], "{merged}");
        assert_eq!(first, 2);
        assert!(
            note.starts_with("skipped 1 row above the header in row 2"),
            "{note}"
        );
    }
}

#[test]
fn data_below_a_merged_cell_is_data() {
    // Nothing says that the first row of texts is a part of the header.
    let (names, first, _) = header(&["name . city", "Ann Lee Oslo", "Bob Ray Rome"], &["A1:B1"]);
    assert_eq!(names, ["name", "column_2", "city"]);
    assert_eq!(first, 1);
    // A cell merged down beside a text that is a row of its own.
    let (names, first, _) = header(&["repo link .", "Rust . .", "Go x ."], &["B1:C2"]);
    assert_eq!((names, first), (vec!["repo".into(), "link".into()], 1));
    // Merged cells in the data.
    let (names, first, _) = header(&["a b c", "x . 1", ". y 2"], &["A2:A3", "B1:B2"]);
    assert_eq!(names, ["a", "b", "c"]);
    assert_eq!(first, 1);
}

#[test]
fn the_head_of_a_report_is_skipped() {
    // As in deaths.xlsx of readxl: a title, then notes, one of them merged.
    let rows = [
        "Lots . . . .",
        "simply . . . notes",
        "at the top . of",
        "or merging . . cells",
        "Name Job Age Kids Born",
        "Bowie singer 69 1 1947",
        "Berry singer 90 1 1926",
    ];
    let (names, first, note) = header(&rows, &["B4:D4"]);
    assert_eq!(names, ["Name", "Job", "Age", "Kids", "Born"]);
    assert_eq!(first, 5);
    assert!(
        note.starts_with("skipped 4 rows above the header in row 5"),
        "{note}"
    );
    // Names and values without a title, then a blank row.
    let rows = [
        "Period January",
        "Count 12",
        ".",
        "User Day Hours Breaks Login",
        "a b c d e",
    ];
    assert_eq!(header(&rows, &[]).1, 4);
}

#[test]
fn a_head_that_is_nearly_as_wide_ends_with_a_blank_row() {
    let rows = ["Sales . page1", ".", "name Jan Feb", "a 1 2", "b 3 4"];
    assert_eq!(header(&rows, &[]).1, 3);
    // Without other values below, nothing says that the first row is no header.
    let rows = ["Sales . page1", ".", "name Jan Feb", "a x y", "b z w"];
    assert_eq!(header(&rows, &[]).1, 1);
}

#[test]
fn months_as_days_name_columns() {
    let month = |day: f64| Content::Number(day, Shape::Date);
    let number = |value: f64| Content::Number(value, Shape::Plain);
    let build = |days: &[f64]| {
        let mut cells = sheet(&["Sales", "name"]);
        for (column, day) in (1..).zip(days) {
            cells.push(1, column, month(*day)).expect("inside a sheet");
            cells.push(2, column, number(*day)).expect("inside a sheet");
        }
        let name = cells.text("a");
        cells.push(2, 0, name).expect("inside a sheet");
        cells.finish()
    };
    let months = build(&[45_658.0, 45_689.0]);
    assert_eq!(
        names(&found(&months, None)),
        ["name", "2025-01-01", "2025-02-01"]
    );
    // A single day beside a name is the head of a report.
    assert_eq!(found(&build(&[45_658.0]), None).first, 1);
}

#[test]
fn what_is_no_head_of_a_report_is_kept() {
    // Headers with a name missing, above rows of texts and above numbers.
    for rows in [
        [". kind value", "first text none", "b text 5", "c text 6"],
        [". mean sd", "a 1 2", "b 3 4", "c d e"],
    ] {
        assert_eq!(header(&rows, &[]).1, 1, "{rows:?}");
    }
    // A list of one column and scattered notes, as in issue20.xls of xlrd.
    let rows = ["a", "b", "b", "b", ".", ". . . . x", "key . y"];
    assert_eq!(header(&rows, &[]).0, ["a", "column_2", "column_3"]);
    // A small table, then rows that look like the header of another.
    let rows = [
        "x y",
        "a 1",
        "b 2",
        "c 3",
        "d 4",
        "e 5",
        "f 6",
        ".",
        "p q r s t",
        "a b c d 1",
    ];
    assert_eq!(header(&rows, &[]).1, 1);
    // A footer of texts.
    let rows = ["x", "a", "b", ".", "see page seven"];
    assert_eq!(header(&rows, &[]).1, 1);
}

#[test]
fn a_given_header_is_that_row_alone() {
    let cells = sheet(&["Q1 . Total", "Jan Feb Sum", "1 2 3"]);
    let layout = found_merged(&cells, &["A1:B1"], Some(1));
    assert_eq!(names(&layout), ["Q1", "column_2", "Total"]);
    assert_eq!((layout.first, layout.height), (1, 2));
}

#[test]
fn a_range_begins_with_its_header() {
    let cells = sheet(&["Report", "a b", "1 2"]);
    let layout = layout(&cells, &[], HeaderChoice::First).expect("no error");
    assert_eq!(names(&layout.expect("a table")), ["Report", "column_2"]);
}
