//! Every part of a workbook but the cells, made by rust_xlsxwriter: styles, theme, the list of sheets,
//! and of each sheet the frozen bold header, filter, widths and formats of columns. Cells are streamed
//! into it elsewhere, because the crate writes them one by one on one core.

use std::io::{Cursor, Read};

use rust_xlsxwriter::{Format, IgnoreError, Workbook, Worksheet, XlsxError};
use zip::ZipArchive;

use super::plan::{ColumnPlan, Look, SheetPlan};
use crate::error::{Error, ErrorKind, Result};
use crate::format::workbook::cells::{ROWS, address};

/// Facts about the document that are true whenever it is made: the crate would name Excel as the
/// maker, and the clock.
const MAKER: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n\
    <Properties xmlns=\"http://schemas.openxmlformats.org/officeDocument/2006/extended-properties\">\
    <Application>headstart</Application></Properties>";
const NO_TIMES: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n\
    <cp:coreProperties xmlns:cp=\"http://schemas.openxmlformats.org/package/2006/metadata/core-properties\"/>";
/// The part with the shared texts.
pub const TEXTS: &str = "xl/sharedStrings.xml";

/// A workbook without cells.
pub struct Skeleton {
    /// The parts that are whole: name and content, the list of types first.
    pub parts: Vec<(String, Vec<u8>)>,
    /// The sheets, in order.
    pub sheets: Vec<Frame>,
    /// The shared texts of the headers, as XML, and how many there are.
    pub texts: (Vec<u8>, u64),
}

/// A sheet without cells below its header.
pub struct Frame {
    /// Name of the part.
    pub part: String,
    /// Everything up to the row below the header.
    pub head: Vec<u8>,
    /// Everything behind the last row.
    pub tail: Vec<u8>,
    /// The style of each column's cells.
    pub styles: Vec<u32>,
}

/// Makes the skeleton of a workbook.
///
/// # Errors
/// [`ErrorKind::Internal`]: names and sizes were checked before.
pub fn build(plans: &[SheetPlan<'_>]) -> Result<Skeleton> {
    let bytes = workbook(plans).map_err(|error| failed(&error.to_string()))?;
    let mut archive =
        ZipArchive::new(Cursor::new(bytes)).map_err(|error| failed(&error.to_string()))?;
    let mut skeleton = Skeleton {
        parts: Vec::new(),
        sheets: Vec::new(),
        texts: (Vec::new(), 0),
    };
    for index in 0..archive.len() {
        let mut part = archive
            .by_index(index)
            .map_err(|error| failed(&error.to_string()))?;
        let name = part.name().map(std::borrow::Cow::into_owned);
        let name = name.map_err(|error| failed(&error.to_string()))?;
        let mut xml = String::new();
        part.read_to_string(&mut xml)
            .map_err(|error| failed(&error.to_string()))?;
        match name.as_str() {
            TEXTS => skeleton.texts = header_texts(&xml)?,
            "docProps/app.xml" => skeleton.parts.push((name, MAKER.into())),
            "docProps/core.xml" => skeleton.parts.push((name, NO_TIMES.into())),
            // Nothing is to be calculated, and Excel would ask whether to save the result.
            "xl/workbook.xml" => {
                let xml = xml.replace(" fullCalcOnLoad=\"1\"", "");
                skeleton.parts.push((name, xml.into()));
            }
            sheet if sheet.starts_with("xl/worksheets/sheet") => {
                let plan = plans.get(skeleton.sheets.len());
                let plan = plan.ok_or_else(|| failed("one sheet too many"))?;
                skeleton.sheets.push(frame(name, &xml, plan)?);
            }
            _ => skeleton.parts.push((name, xml.into())),
        }
    }
    Ok(skeleton)
}

fn failed(what: &str) -> Error {
    Error::new(
        ErrorKind::Internal,
        format!("the frame of the workbook failed: {what}"),
    )
}

fn workbook(plans: &[SheetPlan<'_>]) -> Result<Vec<u8>, XlsxError> {
    let bold = Format::new().set_bold();
    let mut workbook = Workbook::new();
    for plan in plans {
        let sheet = workbook.add_worksheet();
        sheet.set_name(plan.name)?;
        for (at, column) in (0..).zip(&plan.columns) {
            sheet.write_string_with_format(0, at, &column.name, &bold)?;
            sheet.set_column_width(at, column.width)?;
            if let Some(format) = format(column.look) {
                sheet.set_column_format(at, &format)?;
            }
        }
        ignore_numbers_as_text(sheet, &plan.columns)?;
        sheet.set_freeze_panes(1, 0)?;
        if let Some(last) = plan.columns.len().checked_sub(1)
            && plan.height > 0
        {
            sheet.autofilter(0, 0, plan.height as u32, last as u16)?;
        }
    }
    workbook.save_to_buffer()
}

/// Spares columns of codes the green corners that say "number stored as text".
fn ignore_numbers_as_text(
    sheet: &mut Worksheet,
    columns: &[ColumnPlan<'_>],
) -> Result<(), XlsxError> {
    let mut start = 0;
    for same in columns.chunk_by(|left, right| left.look == right.look) {
        let end = start + same.len() as u16;
        if same[0].look == Look::Text {
            let error = IgnoreError::NumberStoredAsText;
            sheet.ignore_error_range(0, start, ROWS - 1, end - 1, error)?;
        }
        start = end;
    }
    Ok(())
}

fn format(look: Look) -> Option<Format> {
    let format = Format::new();
    let clock = |fine| if fine { "hh:mm:ss.000" } else { "hh:mm:ss" };
    Some(match look {
        Look::General => return None,
        // Numbers of formats that every program knows: ECMA-376 part 1, 18.8.30.
        Look::Whole => format.set_num_format_index(1),
        Look::Text => format.set_num_format_index(49),
        Look::Date => format.set_num_format("yyyy-mm-dd"),
        Look::Datetime(fine) => format.set_num_format(format!("yyyy-mm-dd {}", clock(fine))),
        Look::Time(fine) => format.set_num_format(clock(fine)),
        Look::Duration(false) => format.set_num_format_index(46),
        Look::Duration(true) => format.set_num_format("[h]:mm:ss.000"),
        Look::Decimals(count) => {
            format.set_num_format(format!("0.{}", "0".repeat(usize::from(count))))
        }
    })
}

/// Cuts a sheet where its rows go, and puts its real size in.
fn frame(part: String, xml: &str, plan: &SheetPlan<'_>) -> Result<Frame> {
    const SIZE: &str = "<dimension ref=\"";
    let styles = styles(xml, plan.columns.len());
    let end = (xml.find("</sheetData>"))
        .or_else(|| xml.find("<sheetData/>"))
        .ok_or_else(|| failed("a sheet without rows"))?;
    let (head, tail) = xml.split_at(end);
    let tail = match tail.strip_prefix("<sheetData/>") {
        Some(tail) => format!("<sheetData></sheetData>{tail}"),
        None => tail.to_owned(),
    };
    let head = match head.split_once(SIZE) {
        Some((before, rest)) => {
            let rest = rest.split_once('"').map_or("", |(_, rest)| rest);
            let last = plan.columns.len().saturating_sub(1) as u32;
            let last = address(plan.height as u32, last);
            let size = if last == "A1" {
                last
            } else {
                format!("A1:{last}")
            };
            format!("{before}{SIZE}{size}\"{rest}")
        }
        None => head.to_owned(),
    };
    Ok(Frame {
        part,
        head: head.into(),
        tail: tail.into(),
        styles,
    })
}

/// The style of each column, from the `col` elements of a sheet.
fn styles(xml: &str, count: usize) -> Vec<u32> {
    let mut styles = vec![0; count];
    for element in xml.split("<col ").skip(1) {
        let element = element.split_once("/>").map_or("", |(element, _)| element);
        let number = |name: &str| -> Option<u32> {
            let (_, value) = element.split_once(&format!("{name}=\""))?;
            value.split_once('"')?.0.parse().ok()
        };
        if let (Some(first), Some(last), Some(style)) =
            (number("min"), number("max"), number("style"))
        {
            let columns = styles.iter_mut().take(last as usize);
            for column in columns.skip(first.saturating_sub(1) as usize) {
                *column = style;
            }
        }
    }
    styles
}

/// The texts of the headers: their elements, and how many.
fn header_texts(xml: &str) -> Result<(Vec<u8>, u64)> {
    let inside = xml
        .split_once("<sst ")
        .and_then(|(_, rest)| rest.split_once('>'))
        .and_then(|(_, rest)| rest.split_once("</sst>"))
        .ok_or_else(|| failed("shared texts without an end"))?;
    let count = inside.0.matches("<si>").count() as u64;
    Ok((inside.0.into(), count))
}
