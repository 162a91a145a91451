//! The cells of one OpenDocument sheet.

use std::io::{Read, Seek};

use quick_xml::events::{BytesStart, Event};

use super::CONTENT;
use super::content::{Xml, next, repeats, value};
use super::styles::Styles;
use crate::control::Control;
use crate::error::Result;
use crate::format::Format;
use crate::format::workbook::area::Area;
use crate::format::workbook::cells::{CellError, Cells, Content, Moment};
use crate::format::workbook::number_format::Shape;
use crate::format::workbook::open::broken;
use crate::format::workbook::serial::{DAY, parse_iso, parse_iso_duration};

/// More cells than this made by repetition are an attack, not a table.
const REPEATED: u64 = 20_000_000;

/// Reads all cells of a sheet, and which of them are merged.
///
/// # Errors
/// [`ErrorKind::Format`](crate::ErrorKind::Format) for broken XML or absurd repetitions.
pub fn cells(
    xml: &mut Xml<'_, impl Read + Seek>,
    sheet: &str,
    styles: &Styles,
    control: &Control,
) -> Result<(Cells, Vec<Area>)> {
    let mut cells = Cells::new(false);
    let mut merged = Vec::new();
    let mut buffer = Vec::new();
    let mut inside = false;
    let mut row = 0u32;
    let mut row_repeats = 1;
    let mut row_style = None;
    let mut line = Line::default();
    let mut column_styles: Vec<(u32, Option<String>)> = Vec::new();
    let mut repeated = 0;
    for count in 1u64.. {
        if count % 4096 == 0 {
            control.check()?;
        }
        match next(xml, &mut buffer)? {
            Event::Eof => break,
            Event::Start(element) => match element.name().as_ref() {
                "table:table" => {
                    inside = value(&element, "table:name").as_deref() == Some(sheet);
                }
                _ if !inside => {}
                "table:table-column" => column_styles.push((
                    repeats(&element, "table:number-columns-repeated"),
                    value(&element, "table:default-cell-style-name"),
                )),
                "table:table-row" => {
                    row_repeats = repeats(&element, "table:number-rows-repeated");
                    row_style = value(&element, "table:default-cell-style-name");
                    line = Line::default();
                }
                "table:table-cell" | "table:covered-table-cell" => {
                    let element = element.into_owned();
                    merged.extend(spanned(&element, row, line.next));
                    let text = text(xml, &element)?;
                    let style = value(&element, "table:style-name");
                    let style = style
                        .as_deref()
                        .or(row_style.as_deref())
                        .or_else(|| default_style(&column_styles, line.next));
                    let shape = styles.shape(style);
                    let content = content(&element, text, shape, &mut cells);
                    line.add(content, repeats(&element, "table:number-columns-repeated"));
                }
                _ => {}
            },
            Event::End(element) if inside => match element.name().as_ref() {
                "table:table" => break,
                "table:table-row" => {
                    repeated += line.cells().saturating_mul(u64::from(row_repeats));
                    if repeated > REPEATED && line.is_repeated(row_repeats) {
                        let message = format!("{CONTENT} repeats cells more than {REPEATED} times");
                        return Err(broken(Format::Ods, message));
                    }
                    line.push(&mut cells, row, row_repeats)?;
                    row = row.saturating_add(row_repeats);
                }
                _ => {}
            },
            _ => {}
        }
    }
    Ok((cells.finish(), merged))
}

/// The merged area that begins with a cell.
fn spanned(element: &BytesStart<'_>, row: u32, column: u32) -> Option<Area> {
    let rows = repeats(element, "table:number-rows-spanned").max(1);
    let columns = repeats(element, "table:number-columns-spanned").max(1);
    if (rows, columns) == (1, 1) {
        return None;
    }
    let last = (row.checked_add(rows - 1)?, column.checked_add(columns - 1)?);
    Area::of((row, column), last)
}

/// The style that a column gives to cells without one.
fn default_style(columns: &[(u32, Option<String>)], column: u32) -> Option<&str> {
    let mut end = 0u32;
    for (count, style) in columns {
        end = end.saturating_add(*count);
        if column < end {
            return style.as_deref();
        }
    }
    None
}

/// The cells of a row: first column, how many, content.
#[derive(Default)]
struct Line {
    runs: Vec<(u32, u32, Content)>,
    next: u32,
}

impl Line {
    fn add(&mut self, content: Option<Content>, repeats: u32) {
        if let Some(content) = content {
            self.runs.push((self.next, repeats, content));
        }
        self.next = self.next.saturating_add(repeats);
    }

    fn cells(&self) -> u64 {
        self.runs
            .iter()
            .map(|(_, repeats, _)| u64::from(*repeats))
            .sum()
    }

    fn is_repeated(&self, row_repeats: u32) -> bool {
        row_repeats > 1 || self.runs.iter().any(|(_, repeats, _)| *repeats > 1)
    }

    fn push(&self, cells: &mut Cells, row: u32, row_repeats: u32) -> Result<()> {
        if self.runs.is_empty() {
            return Ok(());
        }
        for row in row..row.saturating_add(row_repeats) {
            for (first, repeats, content) in &self.runs {
                for column in *first..first.saturating_add(*repeats) {
                    cells.push(row, column, *content)?;
                }
            }
        }
        Ok(())
    }
}

/// What a cell holds; `None` for a blank one.
fn content(
    element: &BytesStart<'_>,
    text: Option<String>,
    shape: Shape,
    cells: &mut Cells,
) -> Option<Content> {
    if value(element, "calcext:value-type").as_deref() == Some("error") {
        return Some(Content::Error(error(text.as_deref().unwrap_or_default())));
    }
    let kind = value(element, "office:value-type");
    let number = || value(element, "office:value")?.trim().parse::<f64>().ok();
    let known = match kind.as_deref() {
        Some("float" | "percentage" | "currency") => {
            number().map(|number| Content::Number(number, shape))
        }
        Some("boolean") => value(element, "office:boolean-value")
            .map(|flag| Content::Bool(flag.eq_ignore_ascii_case("true"))),
        Some("date") => value(element, "office:date-value")
            .and_then(|date| parse_iso(&date))
            .map(Content::Moment),
        Some("time") => value(element, "office:time-value")
            .and_then(|time| parse_iso_duration(&time))
            .map(|micros| {
                let of_day = shape != Shape::Duration && (0..DAY).contains(&micros);
                Content::Moment(if of_day {
                    Moment::Clock(micros)
                } else {
                    Moment::Length(micros)
                })
            }),
        Some("string") => value(element, "office:string-value").map(|text| cells.text(text)),
        None if text.is_none() => {
            let formula = value(element, "table:formula").is_some();
            return formula.then_some(Content::Formula);
        }
        _ => None,
    };
    // A value that is not given or not understood is what the cell shows.
    known.or_else(|| {
        (kind.is_some() || text.is_some()).then(|| cells.text(text.unwrap_or_default()))
    })
}

fn error(shown: &str) -> CellError {
    match shown.trim() {
        "#NULL!" => CellError::Null,
        "#DIV/0!" => CellError::Div0,
        "#REF!" => CellError::Ref,
        "#NAME?" => CellError::Name,
        "#NUM!" => CellError::Num,
        "#N/A" => CellError::NotAvailable,
        // Also LibreOffice's own numbers such as Err:502.
        _ => CellError::Value,
    }
}

/// The paragraphs of a cell, up to its end; `None` when it has none. Notes and drawings are no part of it.
fn text(xml: &mut Xml<'_, impl Read + Seek>, cell: &BytesStart<'_>) -> Result<Option<String>> {
    let mut out: Option<String> = None;
    let mut buffer = Vec::new();
    // How deep the reader is below the cell, in a note or drawing, in a paragraph.
    let (mut depth, mut skipped, mut paragraph) = (0u32, None, 0u32);
    loop {
        match next(xml, &mut buffer)? {
            Event::Eof => return Err(broken(Format::Ods, format!("{CONTENT} ends within a cell"))),
            Event::Start(element) => {
                depth += 1;
                let name = element.name();
                let name = name.as_ref();
                if name == "office:annotation" || name.starts_with("draw:") {
                    skipped = skipped.or(Some(depth));
                }
                if skipped.is_some() {
                    continue;
                }
                match name {
                    "text:p" | "text:h" => {
                        paragraph += 1;
                        match &mut out {
                            Some(text) => text.push('\n'),
                            None => out = Some(String::new()),
                        }
                    }
                    "text:s" => {
                        // A count beyond what a cell can hold is an attack.
                        let count = repeats(&element, "text:c").min(32_767);
                        let text = out.get_or_insert_default();
                        text.extend(std::iter::repeat_n(' ', count as usize));
                    }
                    "text:tab" => out.get_or_insert_default().push('\t'),
                    "text:line-break" => out.get_or_insert_default().push('\n'),
                    _ => {}
                }
            }
            Event::End(element) => {
                if depth == 0 && element.name() == cell.name() {
                    return Ok(out);
                }
                if matches!(element.name().as_ref(), "text:p" | "text:h") && skipped.is_none() {
                    paragraph = paragraph.saturating_sub(1);
                }
                if skipped == Some(depth) {
                    skipped = None;
                }
                depth = depth.saturating_sub(1);
            }
            Event::Text(text) if skipped.is_none() && paragraph > 0 => {
                out.get_or_insert_default().push_str(&text.xml10_content());
            }
            Event::CData(text) if skipped.is_none() && paragraph > 0 => {
                out.get_or_insert_default().push_str(&text.xml10_content());
            }
            Event::GeneralRef(entity) if skipped.is_none() && paragraph > 0 => {
                let letter = match entity.as_ref() {
                    "amp" => Some('&'),
                    "lt" => Some('<'),
                    "gt" => Some('>'),
                    "quot" => Some('"'),
                    "apos" => Some('\''),
                    _ => entity.resolve_char_ref().ok().flatten(),
                };
                out.get_or_insert_default()
                    .push(letter.unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            _ => {}
        }
    }
}
