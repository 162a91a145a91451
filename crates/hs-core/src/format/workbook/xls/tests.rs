//! Whole xls files, made record by record.

use super::*;
use crate::format::Format;
use crate::format::workbook::cells::{CellError, Content};
use crate::format::workbook::number_format::Shape;

fn record(kind: u16, data: &[u8]) -> Vec<u8> {
    let mut record = kind.to_le_bytes().to_vec();
    record.extend((data.len() as u16).to_le_bytes());
    record.extend(data);
    record
}

/// A cell record: row, column, style, value.
fn cell(kind: u16, row: u16, column: u16, style: u16, value: &[u8]) -> Vec<u8> {
    let mut data = Vec::new();
    for number in [row, column, style] {
        data.extend(number.to_le_bytes());
    }
    data.extend(value);
    record(kind, &data)
}

/// A stream of Excel 97 with these records in front and one sheet of these cells; then the book.
fn book(front: &[Vec<u8>], cells: &[Vec<u8>]) -> Result<XlsBook> {
    stream_book(0x0600, &[2, 0, b'S', b'1'], front, cells)
}

fn stream_book(version: u16, name: &[u8], front: &[Vec<u8>], cells: &[Vec<u8>]) -> Result<XlsBook> {
    let begin = record(0x0809, &version.to_le_bytes());
    let end = record(0x000a, &[]);
    let front = front.concat();
    let start = begin.len() + front.len() + 4 + 6 + name.len() + end.len();
    let mut sheet = (start as u32).to_le_bytes().to_vec();
    sheet.extend([0, 0]);
    sheet.extend(name);
    let stream = [
        begin.clone(),
        front,
        record(0x0085, &sheet),
        end.clone(),
        begin,
        cells.concat(),
        end,
    ]
    .concat();
    let globals = globals::globals(&stream, &Control::default())?;
    Ok(XlsBook { stream, globals })
}

type Contents = (Vec<(u32, u32, Content)>, Vec<String>);

fn contents(mut book: XlsBook) -> Result<Contents> {
    let cells = book.cells("S1", &Control::default())?;
    let mut all = Vec::new();
    let mut texts = Vec::new();
    for (column, of_column) in cells.columns() {
        for (row, content) in of_column.from(0) {
            if let Content::Text(number) = content {
                texts.push(cells.text_of(number).to_owned());
            }
            all.push((row, column, content));
        }
    }
    Ok((all, texts))
}

#[test]
fn numbers_bools_and_errors_are_read_with_their_formats() -> Result<()> {
    let format = record(0x041e, &[164, 0, 3, 0, 0, b'0', b'0', b'0']);
    let styles = [
        record(0x00e0, &[0, 0, 0, 0]),
        record(0x00e0, &[0, 0, 164, 0]),
    ];
    let front = [vec![format], styles.to_vec()].concat();
    let half = 0.5f64.to_le_bytes();
    let cells = [
        cell(0x0203, 0, 0, 0, &half),
        // 7 as an integer, then 123.45 as 12345 hundredths.
        cell(0x027e, 1, 0, 1, &(7u32 << 2 | 2).to_le_bytes()),
        cell(0x027e, 2, 0, 0, &(12_345u32 << 2 | 3).to_le_bytes()),
        cell(0x0205, 3, 0, 0, &[1, 0]),
        cell(0x0205, 4, 0, 0, &[0x07, 1]),
        // A row of two numbers: -1, and 1.0 as the upper bits of a float.
        record(
            0x00bd,
            &[
                5, 0, 0, 0, 0, 0, 0xfe, 0xff, 0xff, 0xff, 1, 0, 0, 0, 0xf0, 0x3f, 1, 0,
            ],
        ),
    ];
    let (cells, _) = contents(book(&front, &cells)?)?;
    let expected = [
        (0, 0, Content::Number(0.5, Shape::Plain)),
        (1, 0, Content::Number(7.0, Shape::Padded(3))),
        (2, 0, Content::Number(123.45, Shape::Plain)),
        (3, 0, Content::Bool(true)),
        (4, 0, Content::Error(CellError::Div0)),
        (5, 0, Content::Number(-1.0, Shape::Plain)),
        (5, 1, Content::Number(1.0, Shape::Padded(3))),
    ];
    assert_eq!(cells, expected);
    Ok(())
}

#[test]
fn texts_are_shared_or_of_the_cell() -> Result<()> {
    // Declared are 9 texts, one is there.
    let shared = record(0x00fc, &[9, 0, 0, 0, 9, 0, 0, 0, 1, 0, 1, 0x71, 0x67]);
    let cells = [
        cell(0x00fd, 0, 0, 0, &[0, 0, 0, 0]),
        cell(0x0204, 1, 0, 0, &[2, 0, 0, b'a', 0xe9]),
        cell(0x0204, 2, 0, 0, &[1, 0, 1, 0, 0]),
    ];
    let (_, texts) = contents(book(std::slice::from_ref(&shared), &cells)?)?;
    assert_eq!(texts, ["東", "aé", "\0"]);
    let lost = contents(book(&[shared], &[cell(0x00fd, 4, 0, 0, &[1, 0, 0, 0])])?);
    let error = lost.expect_err("no such text").to_string();
    assert!(
        error.contains("line 5") && error.contains("a text that is not there"),
        "{error}"
    );
    Ok(())
}

#[test]
fn formulas_have_their_stored_results() -> Result<()> {
    let special = |kind: u8, value: u8| [kind, 0, value, 0, 0, 0, 0xff, 0xff, 0, 0];
    let never_calculated = [3, 0, 0, 0, 0, 0, 0xff, 0xff, 3, 0];
    let number = |number: f64, flags: u8| {
        let mut value = number.to_le_bytes().to_vec();
        value.extend([flags, 0]);
        value
    };
    let cells = [
        cell(0x0006, 0, 0, 0, &number(2.5, 0)),
        cell(0x0006, 1, 0, 0, &special(1, 1)),
        cell(0x0006, 2, 0, 0, &special(2, 0x2a)),
        cell(0x0006, 3, 0, 0, &special(3, 0)),
        cell(0x0006, 4, 0, 0, &special(0, 0)),
        // A shared formula may come between.
        record(0x04bc, &[0; 10]),
        record(0x0207, &[3, 0, 0, b'a', b'b']),
        record(0x003c, &[0, b'c']),
        // To be calculated when loaded, without a result; and a real 0.
        cell(0x0006, 5, 0, 0, &number(0.0, 2)),
        cell(0x0006, 6, 0, 0, &number(0.0, 1)),
        cell(0x0006, 7, 0, 0, &never_calculated),
        // A text without a formula.
        record(0x0207, &[1, 0, 0, b'x']),
    ];
    let (cells, texts) = contents(book(&[], &cells)?)?;
    assert_eq!(cells[0], (0, 0, Content::Number(2.5, Shape::Plain)));
    assert_eq!(cells[1], (1, 0, Content::Bool(true)));
    assert_eq!(cells[2], (2, 0, Content::Error(CellError::NotAvailable)));
    assert_eq!(texts, ["", "abc"]);
    assert_eq!(cells[5], (5, 0, Content::Formula));
    assert_eq!(cells[6], (6, 0, Content::Number(0.0, Shape::Plain)));
    assert_eq!(cells[7], (7, 0, Content::Formula));
    assert_eq!(cells.len(), 8);
    Ok(())
}

#[test]
fn charts_inside_of_a_sheet_are_no_part_of_it() -> Result<()> {
    let one = 1f64.to_le_bytes();
    let cells = [
        cell(0x0203, 0, 0, 0, &one),
        record(0x0809, &[0, 6]),
        cell(0x0203, 0, 5, 0, &one),
        record(0x000a, &[]),
        cell(0x0203, 1, 0, 0, &one),
        record(0x00e5, &[1, 0, 0, 0, 1, 0, 2, 0, 3, 0]),
    ];
    let mut book = book(&[], &cells)?;
    let merged = Area {
        first: (0, 2),
        last: (1, 3),
    };
    assert_eq!(book.merged("S1"), [merged]);
    let (cells, _) = contents(book)?;
    assert_eq!(cells.len(), 2);
    Ok(())
}

#[test]
fn texts_before_excel_97_are_in_the_code_page() -> Result<()> {
    let page = |number: u16| record(0x0042, &number.to_le_bytes());
    let label = cell(0x0204, 0, 0, 0, &[2, 0, 0xc4, 0xe0]);
    let name = [2, b'S', b'1'];
    let read = |number| stream_book(0x0500, &name, &[page(number)], std::slice::from_ref(&label));
    assert_eq!(contents(read(1251)?)?.1, ["Да"]);
    let unknown = contents(read(437)?).expect_err("a page that is not known");
    assert!(unknown.message().contains("code page 437"), "{unknown}");
    Ok(())
}

#[test]
fn a_bare_sheet_is_a_workbook() -> Result<()> {
    // As a well-known script for PHP writes it: version 0, a sheet, no list of sheets.
    let file = [
        record(0x0809, &[0, 0, 0x10, 0, 0, 0, 0, 0]),
        cell(0x0204, 0, 0, 0, b"\x02\0id"),
        cell(0x0203, 1, 0, 0, &7f64.to_le_bytes()),
        record(0x000a, &[]),
    ]
    .concat();
    let control = Control::default();
    let mut book = crate::format::workbook::open::open(Format::Xls, file, &control)?;
    assert_eq!(book.sheets()[0].name, "Sheet1");
    let cells = book.cells("Sheet1", &control)?;
    assert_eq!(cells.at(1, 0), Some(Content::Number(7.0, Shape::Plain)));
    Ok(())
}

#[test]
fn what_is_cut_off_or_locked_is_an_error() -> Result<()> {
    let said = |result: Result<XlsBook>| match result.and_then(contents) {
        Ok(_) => "read".to_owned(),
        Err(error) => error.message().to_owned(),
    };
    let locked = said(book(&[record(0x002f, &[0; 6])], &[]));
    assert_eq!(locked, "expected an open workbook, found an encrypted one");
    let cut = said(book(&[], &[cell(0x0203, 0, 0, 0, &[1, 2])]));
    assert!(cut.ends_with("a cell is cut off"), "{cut}");
    let mut whole = book(&[], &[cell(0x0203, 0, 0, 0, &1f64.to_le_bytes())])?;
    whole.stream.truncate(whole.stream.len() - 3);
    assert!(said(Ok(whole)).ends_with("the sheet is cut off"));
    let mut lost = book(&[], &[])?;
    lost.globals.sheets[0].1 = 1 << 30;
    assert!(said(Ok(lost)).ends_with("a sheet is not where it should be"));
    let no_end = globals::globals(&record(0x0809, &[0, 6]), &Control::default());
    assert!(no_end.is_err());
    Ok(())
}
