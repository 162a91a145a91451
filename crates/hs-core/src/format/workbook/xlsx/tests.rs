//! Small workbooks written here, part by part, as programs in the wild write them and as they break them.

use std::io::{Cursor, Write};

use proptest::prelude::*;
use proptest::sample::select;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::control::Control;
use crate::error::ErrorKind;
use crate::format::Format;
use crate::format::workbook::area::{Area, NamedArea};
use crate::format::workbook::cells::address;
use crate::format::workbook::open::open;
use crate::format::workbook::shown::shown;

const TYPES: &str = "<Types/>";
const BOOK: &str =
    "<workbook xmlns:r='r'><sheets><sheet name='S' r:id='rId1'/></sheets></workbook>";
const RELATED: &str = "<Relationships>\
    <Relationship Id='rId1' Type='http://x/worksheet' Target='worksheets/sheet1.xml'/>\
    </Relationships>";

/// A workbook of the parts; parts that every workbook needs are added where they are not given.
fn package(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let usual = [
        ("[Content_Types].xml", TYPES),
        ("xl/workbook.xml", BOOK),
        ("xl/_rels/workbook.xml.rels", RELATED),
    ];
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let mut add = |name: &str, content: &[u8]| {
        let options = SimpleFileOptions::default();
        writer.start_file(name, options).expect("a part");
        writer.write_all(content).expect("written");
    };
    for (name, content) in usual {
        if parts.iter().all(|(given, _)| *given != name) {
            add(name, content.as_bytes());
        }
    }
    for (name, content) in parts {
        if !content.is_empty() {
            add(name, content);
        }
    }
    writer.finish().expect("an archive").into_inner()
}

/// The cells of a sheet as `A1 value`, in the order of columns; or the error.
fn cells_of(bytes: &[u8], sheet: &str) -> Result<Vec<String>, String> {
    let control = Control::default();
    let mut book =
        open(Format::Xlsx, bytes.to_vec(), &control).map_err(|error| error.to_string())?;
    let cells = book
        .cells(sheet, &control)
        .map_err(|error| error.to_string())?;
    let mut all = Vec::new();
    for (column, of_column) in cells.columns() {
        for (row, content) in of_column.from(0) {
            let text = shown(content, &cells).unwrap_or_else(|| "no value".into());
            all.push(format!("{} {text}", address(row, column)));
        }
    }
    Ok(all)
}

/// The cells of sheet `S` whose rows are given, with other parts.
fn sheet_with(rows: &str, parts: &[(&str, &[u8])]) -> Result<Vec<String>, String> {
    let sheet = format!("<worksheet><sheetData>{rows}</sheetData></worksheet>");
    let mut all = vec![("xl/worksheets/sheet1.xml", sheet.as_bytes())];
    all.extend_from_slice(parts);
    cells_of(&package(&all), "S")
}

fn sheet(rows: &str) -> Vec<String> {
    sheet_with(rows, &[]).expect("a right sheet")
}

/// The error of a workbook with these parts, without the hint.
fn error(parts: &[(&str, &[u8])]) -> String {
    let error = cells_of(&package(parts), "S").expect_err("broken");
    error.lines().next().unwrap_or_default().to_owned()
}

#[test]
fn cells_and_rows_without_an_address_follow_the_one_before() {
    let rows = "<row><c><v>1</v></c><c/><c t='str'><v>x</v></c></row>\
                <row r='5'><c r='C5'><v>2</v></c><c><v>3</v></c></row>\
                <row><c><v>4</v></c></row><row/><row><c><v>5</v></c></row>";
    assert_eq!(
        sheet(rows),
        ["A1 1", "A6 4", "A8 5", "C1 x", "C5 2", "D5 3"]
    );
}

#[test]
fn the_two_ways_to_read_a_cell_agree() {
    // With an attribute that plain cells do not have each is read token by token.
    let plain = [
        ("", "<v>-1.25</v>"),
        ("", "<v>12345678901</v>"),
        ("", "<f>1+1</f><v>2</v>"),
        (" t=\"b\"", "<v>1</v>"),
        (" t=\"s\"", "<v>1</v>"),
        (" t=\"str\"", "<v> a_b </v>"),
        (" t=\"str\"", "<v></v>"),
        (" t=\"inlineStr\"", "<is><t>é</t></is>"),
        (
            " t=\"inlineStr\"",
            "<is><t xml:space=\"preserve\"> é\n</t></is>",
        ),
    ];
    let texts = (
        "xl/sharedStrings.xml",
        "<sst><si><t>0</t></si><si><t>one</t></si></sst>".as_bytes(),
    );
    let read = |extra: &str| {
        let cells: Vec<String> = plain
            .iter()
            .map(|(kind, inside)| format!("<c{kind}{extra}>{inside}</c>"))
            .collect();
        sheet_with(&format!("<row r=\"1\">{}</row>", cells.concat()), &[texts])
    };
    let quick = read("").expect("right");
    assert_eq!(quick.len(), plain.len());
    assert_eq!(Ok(quick), read(" cm=\"1\""));
}

#[test]
fn texts_are_what_excel_shows() {
    let texts = "<sst>\
        <si><t>a &lt; b &amp;amp;</t></si>\
        <si><t> \n trimmed </t></si>\
        <si><t xml:space='preserve'> kept </t></si>\
        <si><r><rPr><b/></rPr><t xml:space='preserve'>rich </t></r><r><t>text</t></r></si>\
        <si><t>東京</t><rPh sb='0' eb='2'><t>トウキョウ</t></rPh><phoneticPr fontId='1'/></si>\
        <si><t>_x0041__x005F_x000D_</t></si>\
        <si><t><![CDATA[<&>]]> and</t></si>\
        <si><t>1&#10;2\r\n3</t></si>\
        <si/><si><t/></si>\
        </sst>";
    let cell = |number| format!("<c t=\"s\"><v>{number}</v></c>");
    let rows: Vec<String> = (0..10)
        .map(|number| format!("<row>{}</row>", cell(number)))
        .collect();
    let rows = rows.concat();
    let read = sheet_with(&rows, &[("xl/sharedStrings.xml", texts.as_bytes())]);
    let expected = [
        "A1 a < b &amp;",
        "A2 trimmed",
        "A3  kept ",
        "A4 rich text",
        "A5 東京",
        "A6 A_x000D_",
        "A7 <&> and",
        "A8 1\n2\n3",
        "A9 ",
        "A10 ",
    ];
    assert_eq!(read, Ok(expected.map(str::to_owned).to_vec()));
    let inline = "<row><c t='inlineStr'><is><r><t>a</t></r><rPh><t>x</t></rPh><r><t>b</t></r></is></c>\
                  <c t='inlineStr'><v>c</v></c><c t='s'><v/></c></row>";
    assert_eq!(sheet(inline), ["A1 ab", "B1 c"]);
}

#[test]
fn formulas_without_a_value_are_told_apart_from_values() {
    let rows = "<row><c><f>A2</f></c><c><f>1</f><v></v></c><c><f>1</f><v>1</v></c>\
                <c t='str'><f>\"\"</f><v></v></c><c><f t='shared' si='0'/><v>7</v></c>\
                <c t='e'><f>1/0</f><v>#DIV/0!</v></c><c t='n'><f t='array' ref='G1'>1</f></c></row>";
    let expected = [
        "A1 no value",
        "B1 no value",
        "C1 1",
        "D1 ",
        "E1 7",
        "F1 #DIV/0!",
        "G1 no value",
    ];
    assert_eq!(sheet(rows), expected);
}

#[test]
fn number_formats_come_by_style() {
    let styles = "<styleSheet><numFmts><numFmt numFmtId='164' formatCode='00000'/>\
        <numFmt numFmtId='165' formatCode='General'/></numFmts>\
        <cellStyleXfs><xf numFmtId='22'/></cellStyleXfs>\
        <cellXfs><xf/><xf numFmtId='14'/><xf numFmtId='164'/><xf numFmtId='46'/><xf numFmtId='165'/></cellXfs>\
        <dxfs><dxf><numFmt numFmtId='164' formatCode='yyyy'/></dxf></dxfs></styleSheet>";
    let cells: Vec<String> = (0..6)
        .map(|style| format!("<c s=\"{style}\"><v>42</v></c>"))
        .collect();
    let rows = format!("<row>{}</row>", cells.concat());
    let read = sheet_with(&rows, &[("xl/styles.xml", styles.as_bytes())]);
    let expected = [
        "A1 42",
        "B1 1900-02-11",
        "C1 00042",
        "D1 42 days 00:00:00",
        "E1 42",
        "F1 42",
    ];
    assert_eq!(read, Ok(expected.map(str::to_owned).to_vec()));
    // Excel writes a second element of this name in an extension.
    let dated = BOOK
        .replace("<sheets>", "<workbookPr date1904='true'/><sheets>")
        .replace(
            "</workbook>",
            "<extLst><ext><x15:workbookPr/></ext></extLst></workbook>",
        );
    let parts = [
        ("xl/styles.xml", styles.as_bytes()),
        ("xl/workbook.xml", dated.as_bytes()),
    ];
    let read = sheet_with(
        "<row><c s='1'><v>0</v></c><c t='d'><v>2026-11-29</v></c></row>",
        &parts,
    );
    assert_eq!(
        read,
        Ok(vec!["A1 1904-01-01".into(), "B1 2026-11-29".into()])
    );
}

#[test]
fn namespaces_may_have_prefixes_and_be_strict() {
    let main = "xmlns:x='http://purl.oclc.org/ooxml/spreadsheetml/main'";
    let book = format!(
        "<?xml version='1.0'?><x:workbook {main} xmlns:rel='http://purl.oclc.org/ooxml/officeDocument/relationships'>\
         <x:sheets><x:sheet name='S' sheetId='1' rel:id='rId9'/></x:sheets></x:workbook>"
    );
    let kind = "http://purl.oclc.org/ooxml/officeDocument/relationships";
    let root = format!(
        "<Relationships><Relationship Id='a' Type='{kind}/officeDocument' Target='/book/main.xml'/></Relationships>"
    );
    let related = format!(
        "<Relationships><Relationship Id='rId9' Type='{kind}/worksheet' Target='s/one.xml'/>\
         <Relationship Id='rId8' Type='{kind}/sharedStrings' Target='../texts.xml'/></Relationships>"
    );
    let sheet = format!(
        "<x:worksheet {main}><x:sheetData><x:row r='2'><x:c r='B2' t='s'><x:v>0</x:v></x:c>\
         <x:c r='C2' t='d'><x:v>2026-11-29T12:00:00</x:v></x:c></x:row></x:sheetData></x:worksheet>"
    );
    let texts = format!("<x:sst {main}><x:si><x:t>strict</x:t></x:si></x:sst>");
    let bytes = package(&[
        ("xl/workbook.xml", b""),
        ("xl/_rels/workbook.xml.rels", b""),
        ("_rels/.rels", root.as_bytes()),
        ("book/main.xml", book.as_bytes()),
        ("book/_rels/main.xml.rels", related.as_bytes()),
        ("book/s/one.xml", sheet.as_bytes()),
        ("texts.xml", texts.as_bytes()),
    ]);
    let expected = vec!["B2 strict".to_owned(), "C2 2026-11-29 12:00:00".to_owned()];
    assert_eq!(cells_of(&bytes, "S"), Ok(expected));
}

#[test]
fn names_of_parts_differ_in_case_and_slashes() {
    let sheet = b"<worksheet><sheetData><row><c t='s'><v>0</v></c></row></sheetData></worksheet>";
    let texts = b"<sst><si><t>x</t></si></sst>";
    for (part, of_texts) in [
        ("xl\\worksheets\\sheet1.xml", "xl\\sharedStrings.xml"),
        ("XL/Worksheets/Sheet1.xml", "xl/SharedStrings.xml"),
        ("/xl/worksheets/sheet1.xml", "/xl/sharedStrings.xml"),
    ] {
        let bytes = package(&[(part, sheet), (of_texts, texts)]);
        assert_eq!(cells_of(&bytes, "S"), Ok(vec!["A1 x".to_owned()]), "{part}");
    }
}

#[test]
fn a_broken_sheet_does_not_hinder_the_others() {
    let book = BOOK.replace(
        "</sheets>",
        "<sheet name='broken' r:id='rId2'/><sheet name='chart' r:id='rId3'/><sheet name='lost' r:id='rId7'/>\
         <sheet name='macro' r:id='rId4' state='veryHidden'/></sheets>",
    );
    let more = "<Relationship Id='rId2' Type='http://x/worksheet' Target='worksheets/sheet2.xml'/>\
         <Relationship Id='rId3' Type='http://x/chartsheet' Target='chartsheets/sheet1.xml'/>\
         <Relationship Id='rId4' Type='http://y/xlMacrosheet' Target='macrosheets/sheet1.xml'/></Relationships>";
    let related = RELATED.replace("</Relationships>", more);
    let right = b"<worksheet><dimension ref='#REF!'/><sheetData><row><c><v>1</v></c></row></sheetData></worksheet>";
    let bytes = package(&[
        ("xl/workbook.xml", book.as_bytes()),
        ("xl/_rels/workbook.xml.rels", related.as_bytes()),
        ("xl/worksheets/sheet1.xml", right),
        (
            "xl/worksheets/sheet2.xml",
            b"<worksheet><sheetData><row></sheetData>",
        ),
        ("xl/chartsheets/sheet1.xml", b"<chartsheet/>"),
    ]);
    assert_eq!(cells_of(&bytes, "S"), Ok(vec!["A1 1".to_owned()]));
    let error = |sheet| cells_of(&bytes, sheet).expect_err("no cells");
    assert!(
        error("broken").contains("sheet2.xml has an end tag too many"),
        "{}",
        error("broken")
    );
    assert!(
        error("lost").contains("there is no part xl/worksheets/sheet4.xml"),
        "{}",
        error("lost")
    );
    assert!(
        error("chart").contains("sheet1.xml is a chartsheet"),
        "{}",
        error("chart")
    );
    let control = Control::default();
    let book = open(Format::Xlsx, bytes, &control).expect("a workbook");
    let kinds: Vec<_> = book
        .sheets()
        .into_iter()
        .map(|sheet| (sheet.instead, sheet.hidden))
        .collect();
    let expected = [
        (None, false),
        (None, false),
        (Some("chart"), false),
        (None, false),
        (Some("macros"), true),
    ];
    assert_eq!(kinds, expected);
}

#[test]
fn errors_name_the_part() {
    let expected = |what: &str| format!("expected a whole xlsx workbook: {what}");
    let sheet1 = "xl/worksheets/sheet1.xml";
    for (content, what) in [
        ("<!DOCTYPE a [<!ENTITY b 'c'>]><worksheet/>", "has a DTD"),
        (
            "<worksheet><sheetData><row><c r='1A'/></row></sheetData></worksheet>",
            "has a cell \"1A\"",
        ),
        (
            "<worksheet><sheetData><row r='0'/></sheetData></worksheet>",
            "has a row \"0\"",
        ),
        (
            "<worksheet><sheetData><row><c t='s'><v>x</v></c></row></sheetData></worksheet>",
            "has a cell A1 with text number \"x\"",
        ),
    ] {
        assert_eq!(
            error(&[(sheet1, content.as_bytes())]),
            expected(&format!("{sheet1} {what}"))
        );
    }
    let cut = error(&[(sheet1, b"<worksheet><sheetData><row><c")]);
    assert_eq!(cut, expected(&format!("{sheet1} is cut off at byte 27")));
    let latin = error(&[(sheet1, b"<worksheet>\xe9</worksheet>")]);
    assert_eq!(
        latin,
        expected(&format!("{sheet1} is not UTF-8 at byte 11"))
    );
    assert_eq!(
        error(&[]),
        expected("there is no part xl/worksheets/sheet1.xml")
    );
    assert_eq!(
        error(&[("xl/workbook.xml", b"")]),
        expected("there is no part xl/workbook.xml")
    );
    let shared =
        b"<worksheet><sheetData><row r='3'><c t='s'><v>2</v></c></row></sheetData></worksheet>";
    assert_eq!(
        error(&[(sheet1, shared)]),
        expected("there is no part xl/sharedStrings.xml")
    );
    let texts: &[u8] = b"<sst uniqueCount='99999999999'><si><t>a</t></si></sst>";
    assert_eq!(
        error(&[(sheet1, shared), ("xl/sharedStrings.xml", texts)]),
        expected("cell A3 has shared text number 2, there are 1")
    );
    // Nobody asks for the texts of a sheet without any.
    let plain = b"<worksheet><sheetData><row><c><v>2</v></c></row></sheetData></worksheet>";
    let broken: &[u8] = b"<sst><si>";
    let bytes = package(&[(sheet1, plain), ("xl/sharedStrings.xml", broken)]);
    assert_eq!(cells_of(&bytes, "S"), Ok(vec!["A1 2".to_owned()]));
    let error = error(&[(sheet1, shared), ("xl/sharedStrings.xml", broken)]);
    assert!(error.contains("xl/sharedStrings.xml is cut off"), "{error}");
}

#[test]
fn changed_bytes_are_found_by_the_checksum() {
    let rows: Vec<String> = (0..2000)
        .map(|row| format!("<row><c><v>{row}</v></c></row>"))
        .collect();
    let rows = rows.concat();
    let sheet = format!("<worksheet><sheetData>{rows}</sheetData></worksheet>");
    let options = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    let mut writer = ZipWriter::new(Cursor::new(package(&[])));
    for (name, content) in [
        ("[Content_Types].xml", TYPES),
        ("xl/workbook.xml", BOOK),
        ("xl/_rels/workbook.xml.rels", RELATED),
        ("xl/worksheets/sheet1.xml", &sheet),
    ] {
        writer.start_file(name, options).expect("a part");
        writer.write_all(content.as_bytes()).expect("written");
    }
    let mut bytes = writer.finish().expect("an archive").into_inner();
    assert_eq!(cells_of(&bytes, "S").map(|cells| cells.len()), Ok(2000));
    let at = memchr::memmem::find(&bytes, b"<v>1234</v>").expect("stored") + 3;
    bytes[at] = b'7';
    let error = cells_of(&bytes, "S").expect_err("another value");
    assert!(error.contains("xl/worksheets/sheet1.xml"), "{error}");
}

#[test]
fn merged_cells_names_and_tables_are_areas() {
    let book = BOOK.replace(
        "</workbook>",
        "<definedNames><definedName name='rates'>'S'!$B$2:$C$9</definedName>\
         <definedName name='_xlnm.Print_Area'>S!$A$1</definedName>\
         <definedName name='gone'>#REF!</definedName><definedName name='hid' hidden='1'>S!$A$1</definedName>\
         </definedNames></workbook>",
    );
    let sheet = b"<worksheet><sheetData><row r='3'/></sheetData><mergeCells count='2'><mergeCell ref='A1:B1'/>\
        <mergeCell ref='C1:C2'/><mergeCell ref='?'/></mergeCells><broken";
    let related = b"<Relationships><Relationship Id='rId1' Type='http://x/table' Target='../tables/table1.xml'/></Relationships>";
    let table = b"<table name='a' displayName='Sales' ref='A1:C5' totalsRowCount='1'><autoFilter ref='A1:C4'/></table>";
    let bytes = package(&[
        ("xl/workbook.xml", book.as_bytes()),
        ("xl/worksheets/sheet1.xml", sheet),
        ("xl/worksheets/_rels/sheet1.xml.rels", related),
        ("xl/tables/table1.xml", table),
    ]);
    let control = Control::default();
    let mut book = open(Format::Xlsx, bytes, &control).expect("a workbook");
    let area = |first, last| Area { first, last };
    assert_eq!(
        book.merged("S"),
        [area((0, 0), (0, 1)), area((0, 2), (1, 2))]
    );
    assert_eq!(book.merged("none"), []);
    let named = |name: &str, area, table| NamedArea {
        name: name.into(),
        sheet: "S".into(),
        area,
        table,
    };
    let expected = [
        named("Sales", area((0, 0), (3, 2)), true),
        named("rates", area((1, 1), (8, 2)), false),
    ];
    assert_eq!(book.named(), expected);
}

#[test]
fn sizes_are_those_that_the_front_declares() {
    for (front, size) in [
        ("<dimension ref='A1:C11'/>", Some((10, 3))),
        ("<dimension ref='A1'/>", None),
        ("<dimension ref='A1:XFD1048576'/>", None),
        ("<dimension ref='nonsense'/>", None),
        ("<dimension/>", None),
        ("", None),
    ] {
        let sheet = format!("<worksheet>{front}<sheetData/></worksheet>");
        let bytes = package(&[("xl/worksheets/sheet1.xml", sheet.as_bytes())]);
        let control = Control::default();
        let mut book = open(Format::Xlsx, bytes, &control).expect("a workbook");
        assert_eq!(book.size("S"), size, "{front}");
    }
}

#[test]
fn parts_may_be_utf_16() {
    let xml = "\u{feff}<worksheet><sheetData><row><c t=\"str\"><v>Köln</v></c></row></sheetData></worksheet>";
    let sheet: Vec<u8> = xml.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let bytes = package(&[("xl/worksheets/sheet1.xml", &sheet)]);
    assert_eq!(cells_of(&bytes, "S"), Ok(vec!["A1 Köln".to_owned()]));
}

#[test]
fn a_stop_request_stops_a_sheet_that_is_being_read() {
    let rows = "<row><c><v>1</v></c></row>".repeat(100_000);
    let sheet = format!("<worksheet><sheetData>{rows}</sheetData></worksheet>");
    let bytes = package(&[("xl/worksheets/sheet1.xml", sheet.as_bytes())]);
    let control = Control::default();
    let mut book = open(Format::Xlsx, bytes, &control).expect("a workbook");
    control.stop();
    let kind = book
        .cells("S", &control)
        .map_err(|error| error.kind())
        .err();
    assert_eq!(kind, Some(ErrorKind::Interrupted));
}

/// Pieces of cells, right and wrong ones.
const PIECES: &[&str] = &[
    "<c>",
    "<c r=\"B2\">",
    "<c r=\"C1\" s=\"1\" t=\"s\">",
    "<c t=\"str\">",
    "<c t=\"inlineStr\">",
    "<c t=\"b\">",
    "<c t=\"e\">",
    "<c t=\"n\">",
    "<c r=\"D2\"/>",
    "<c r=\"AAAA1\">",
    "<c r=\"E0\">",
    "</c>",
    "</c>",
    "</c>",
    "</c>",
    "<v>",
    "</v>",
    "<v>1</v>",
    "<v>-0.5e3</v>",
    "<v>x</v>",
    "<v></v>",
    "<v/>",
    "<v>0</v>",
    "<v> 1 </v>",
    "<v>a&amp;_x0041_\r\n</v>",
    "<v>_</v>",
    "<f>1</f>",
    "<f a=\"1\">1</f>",
    "<f/>",
    "<is>",
    "</is>",
    "<is><t>a</t></is>",
    "<is><t> a</t></is>",
    "<is><t xml:space=\"preserve\"> a </t></is>",
    "<is><t/></is>",
    "<is><r><t>a</t></r><r><t>b</t></r></is>",
    "</row><row>",
    "</row><row r=\"4\">",
    "1",
    "<!-- -->",
    "<![CDATA[2]]>",
    " ",
];

proptest! {
    #[test]
    fn plain_cells_are_what_their_tokens_say(pieces in proptest::collection::vec(select(PIECES), 0..24)) {
        let rows = format!("<row>{}</row>", pieces.concat());
        let texts = ("xl/sharedStrings.xml", "<sst><si><t>0</t></si><si><t>one</t></si></sst>".as_bytes());
        let quick = sheet_with(&rows, &[texts]);
        // With a prefix no cell is plain.
        let rows = rows.replace("<c", "<x:c").replace("</c", "</x:c");
        let careful = sheet_with(&rows, &[texts]);
        prop_assert_eq!(quick.is_err(), careful.is_err());
        if let (Ok(quick), Ok(careful)) = (quick, careful) {
            prop_assert_eq!(quick, careful);
        }
    }
}
