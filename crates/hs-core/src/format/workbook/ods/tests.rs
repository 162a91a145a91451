//! Whole OpenDocument files, made from a few lines of XML.

use std::io::{Cursor, Write};

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::control::Control;
use crate::error::Result;
use crate::format::Format;
use crate::format::workbook::cells::{CellError, Cells, Content, Moment};
use crate::format::workbook::number_format::Shape;
use crate::format::workbook::open::{self, Book};
use crate::format::workbook::serial::DAY;

/// A file with these rows in the sheet `S`, and what stands behind the sheet.
fn file(rows: &str, behind: &str) -> Vec<u8> {
    let content = format!(
        "<office:document-content><office:automatic-styles>\
         <number:number-style style:name='N'><number:number number:decimal-places='0' \
         number:min-integer-digits='5'/></number:number-style>\
         <number:time-style style:name='L' number:truncate-on-overflow='false'/>\
         <style:style style:name='code' style:data-style-name='N'/>\
         <style:style style:name='length' style:data-style-name='L'/>\
         </office:automatic-styles><office:body><office:spreadsheet>\
         <table:table table:name='S'>{rows}</table:table>{behind}\
         </office:spreadsheet></office:body></office:document-content>"
    );
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (part, text) in [
        ("mimetype", "application/vnd.oasis.opendocument.spreadsheet"),
        ("content.xml", content.as_str()),
    ] {
        writer
            .start_file(part, SimpleFileOptions::default())
            .expect("a part");
        writer.write_all(text.as_bytes()).expect("written");
    }
    writer.finish().expect("an archive").into_inner()
}

fn book<'c>(rows: &str, behind: &str, control: &'c Control) -> Result<Box<dyn Book + 'c>> {
    open::open(Format::Ods, file(rows, behind), control)
}

fn cells(rows: &str) -> Result<Cells> {
    let control = Control::default();
    book(rows, "", &control)?.cells("S", &control)
}

/// The cells of the first row, texts as texts.
fn row(cells: &str) -> Vec<(u32, Result<Content, String>)> {
    let rows = format!("<table:table-row>{cells}</table:table-row>");
    let cells = self::cells(&rows).expect("a whole file");
    let mut all = Vec::new();
    for (column, of_column) in cells.columns() {
        for (_, content) in of_column.from(0) {
            let content = match content {
                Content::Text(number) => Err(cells.text_of(number).to_owned()),
                content => Ok(content),
            };
            all.push((column, content));
        }
    }
    all
}

fn one(cell: &str) -> Result<Content, String> {
    let [(0, content)] = &row(cell)[..] else {
        panic!("one cell in the first column");
    };
    content.clone()
}

#[test]
fn values_are_read_by_their_types() {
    let number = |value, shape| Ok(Content::Number(value, shape));
    let value = |attributes: &str| one(&format!("<table:table-cell {attributes}/>"));
    let plain = Shape::Plain;
    assert_eq!(
        value("office:value-type='float' office:value='1.5'"),
        number(1.5, plain)
    );
    assert_eq!(
        value("office:value-type='percentage' office:value='0.125'"),
        number(0.125, plain)
    );
    assert_eq!(
        value("office:value-type='currency' office:currency='EUR' office:value='9.95'"),
        number(9.95, plain)
    );
    assert_eq!(
        value("office:value-type='float' office:value='42' table:style-name='code'"),
        number(42.0, Shape::Padded(5))
    );
    assert_eq!(
        value("office:value-type='boolean' office:boolean-value='true'"),
        Ok(Content::Bool(true))
    );
    assert_eq!(
        value("office:value-type='date' office:date-value='1970-01-02T12:00:00'"),
        Ok(Content::Moment(Moment::Wall(DAY + DAY / 2)))
    );
    let time = "office:value-type='time' office:time-value='PT06H00M00S'";
    assert_eq!(value(time), Ok(Content::Moment(Moment::Clock(DAY / 4))));
    assert_eq!(
        value(&format!("{time} table:style-name='length'")),
        Ok(Content::Moment(Moment::Length(DAY / 4)))
    );
    assert_eq!(
        value("office:value-type='string' office:string-value='a'"),
        Err("a".to_owned())
    );
    assert_eq!(
        value("table:formula='of:=[.B1]*2'"),
        Ok(Content::Formula),
        "without a stored value"
    );
}

#[test]
fn texts_are_what_the_cell_shows_without_its_notes() {
    let text = |inside: &str| {
        one(&format!(
            "<table:table-cell office:value-type='string'>{inside}</table:table-cell>"
        ))
    };
    let shown = |text: &str| Err::<Content, String>(text.to_owned());
    assert_eq!(
        text("<office:annotation><text:p>note</text:p></office:annotation><text:p>a</text:p>"),
        shown("a")
    );
    assert_eq!(
        text("<text:p>a<text:s text:c='2'/>b<text:tab/>&amp;&#x41;</text:p><text:p>c</text:p>"),
        shown("a  b\t&A\nc")
    );
    assert_eq!(
        text("<text:p><text:span>rich</text:span> <text:a>link</text:a></text:p>"),
        shown("rich link")
    );
    assert_eq!(
        one(
            "<table:table-cell office:value-type='string' calcext:value-type='error'>\
             <text:p>#DIV/0!</text:p></table:table-cell>"
        ),
        Ok(Content::Error(CellError::Div0))
    );
}

#[test]
fn repeated_cells_and_rows_are_many() -> Result<()> {
    let found = row("<table:table-cell table:number-columns-repeated='3'/>\
         <table:table-cell office:value-type='boolean' office:boolean-value='true' \
         table:number-columns-repeated='2'/>\
         <table:covered-table-cell/>\
         <table:table-cell office:value-type='boolean' office:boolean-value='false'/>");
    let columns: Vec<u32> = found.iter().map(|(column, _)| *column).collect();
    assert_eq!(columns, [3, 4, 6]);
    let cells = cells(
        "<table:table-row table:number-rows-repeated='2'>\
         <table:table-cell office:value-type='float' office:value='1'/></table:table-row>\
         <table:table-row table:number-rows-repeated='1000'><table:table-cell/></table:table-row>\
         <table:table-row><table:table-cell office:value-type='float' office:value='2'/></table:table-row>\
         <table:table-row table:number-rows-repeated='1047573'>\
         <table:table-cell table:number-columns-repeated='16384'/></table:table-row>",
    )?;
    let rows: Vec<u32> = cells
        .columns()
        .flat_map(|(_, column)| column.from(0))
        .map(|(row, _)| row)
        .collect();
    assert_eq!(rows, [0, 1, 1002]);
    Ok(())
}

#[test]
fn a_file_that_repeats_values_without_end_is_refused() {
    let error = cells(
        "<table:table-row table:number-rows-repeated='1048576'>\
         <table:table-cell office:value-type='float' office:value='1' \
         table:number-columns-repeated='16384'/></table:table-row>",
    );
    let error = error.expect_err("17 billion cells").to_string();
    assert!(error.contains("repeats cells more than"), "{error}");
}

#[test]
fn merged_cells_and_names_are_told() -> Result<()> {
    let control = Control::default();
    let rows = "<table:table-row><table:table-cell/><table:table-cell office:value-type='string' \
                table:number-columns-spanned='2' table:number-rows-spanned='3'><text:p>a</text:p>\
                </table:table-cell><table:covered-table-cell/></table:table-row>";
    let behind = "<table:named-expressions><table:named-range table:name='N' \
                  table:cell-range-address='$S.$A$1:.$B$2'/><table:named-expression table:name='V' \
                  table:expression='0.19'/></table:named-expressions><table:database-ranges>\
                  <table:database-range table:name='T' table:target-range-address='S.B4:S.D8'/>\
                  <table:database-range table:name='__Anonymous_Sheet_DB__0' \
                  table:target-range-address='S.A1:S.B9'/></table:database-ranges>";
    let mut book = book(rows, behind, &control)?;
    let merged: Vec<String> = book.merged("S").iter().map(ToString::to_string).collect();
    assert_eq!(merged, ["B1:C3"]);
    let named: Vec<_> = book
        .named()
        .into_iter()
        .map(|named| (named.name, named.sheet, named.area.to_string(), named.table))
        .collect();
    let expected = |name: &str, area: &str, table| (name.into(), "S".into(), area.into(), table);
    assert_eq!(
        named,
        [expected("N", "A1:B2", false), expected("T", "B4:D8", true)]
    );
    Ok(())
}
