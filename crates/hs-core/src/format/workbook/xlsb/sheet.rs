//! The cells of one xlsb sheet.

use std::io::Read;

use super::broken;
use super::records::{Record, Records};
use crate::control::Control;
use crate::error::{Error, Result};
use crate::format::Format;
use crate::format::workbook::area::Area;
use crate::format::workbook::cells::{CellError, Cells, Content};
use crate::format::workbook::number_format::Shape;
use crate::format::workbook::sheets::declared_size;

/// How many records are read between two looks at the stop request.
const STEP: usize = 4096;

/// Adds all cells to those given, which know the shared texts, and finds the merged areas behind them.
///
/// # Errors
/// [`ErrorKind::Format`](crate::ErrorKind::Format) when the sheet is broken.
pub fn cells(
    mut records: Records<impl Read>,
    shapes: &[Shape],
    mut cells: Cells,
    control: &Control,
) -> Result<(Cells, Vec<Area>)> {
    let mut row = 0;
    // Column of the next short cell: one right of the cell before.
    let mut next_column = 0;
    for count in 1.. {
        if count % STEP == 0 {
            control.check()?;
        }
        let Some((kind, record)) = records.next()? else {
            break;
        };
        match kind {
            // BrtRowHdr
            0 => {
                row = record.int(0).ok_or_else(|| cut_off(row))?;
                next_column = 0;
            }
            // The cells: 8 bytes of column and style, then the value.
            1..=11 | 62 => {
                let column = record.int(0).ok_or_else(|| cut_off(row))?;
                next_column = column.saturating_add(1);
                let value = Value { record, at: 8 };
                if let Some(content) = value.content(kind, shapes, &mut cells, row)? {
                    cells.push(row, column, content)?;
                }
            }
            // The same without a column, as SheetJS writes them and Excel reads them.
            12..=18 => {
                let column = next_column;
                next_column = column.saturating_add(1);
                let value = Value { record, at: 4 };
                if let Some(content) = value.content(kind - 11, shapes, &mut cells, row)? {
                    cells.push(row, column, content)?;
                }
            }
            // BrtEndSheetData
            146 => break,
            _ => {}
        }
    }
    Ok((cells.finish(), merged(records)))
}

/// The merged areas, as far as the records can be read: they hold no values.
fn merged(mut records: Records<impl Read>) -> Vec<Area> {
    let mut areas = Vec::new();
    while let Ok(Some((kind, record))) = records.next() {
        match kind {
            // BrtMergeCell: first and last row, first and last column
            176 => {
                let at = |at: usize| record.int(at).unwrap_or(u32::MAX);
                areas.extend(Area::of((at(0), at(8)), (at(4), at(12))));
            }
            // BrtEndMergeCells
            178 => break,
            _ => {}
        }
    }
    areas
}

/// The declared size of a sheet.
pub fn size(mut records: Records<impl Read>) -> Option<(u32, u32)> {
    while let Some((kind, record)) = records.next().ok()? {
        match kind {
            // BrtWsDim: first and last row, first and last column
            148 => {
                return declared_size(Area {
                    first: (record.int(0)?, record.int(8)?),
                    last: (record.int(4)?, record.int(12)?),
                });
            }
            // BrtBeginSheetData
            145 => return None,
            _ => {}
        }
    }
    None
}

/// A cell record and where its value begins; the style is in the three bytes four before it.
struct Value<'a> {
    record: Record<'a>,
    at: usize,
}

impl Value<'_> {
    /// The content of a cell; `None` for a blank one.
    fn content(
        &self,
        kind: u16,
        shapes: &[Shape],
        cells: &mut Cells,
        row: u32,
    ) -> Result<Option<Content>> {
        let Self { record, at } = *self;
        let style = record.int(at - 4).unwrap_or(0) & 0x00ff_ffff;
        let shape = shapes.get(style as usize).copied().unwrap_or(Shape::Plain);
        let content = match kind {
            2 => record.rk(at).map(|number| Content::Number(number, shape)),
            3 | 11 => record
                .byte(at)
                .map(|code| Content::Error(CellError::of_code(code))),
            4 | 10 => record.byte(at).map(|flag| Content::Bool(flag != 0)),
            5 | 9 => record
                .float(at)
                .map(|number| Content::Number(number, shape)),
            6 | 8 => record.text(at).map(|(text, _)| cells.text(text)),
            7 => record.int(at).and_then(|number| cells.shared(number)),
            // A text with formatting runs behind it.
            62 => record.text(at + 1).map(|(text, _)| cells.text(text)),
            // 1, a blank cell with a style, or none of the kinds above.
            _ => return Ok(None),
        };
        content.map(Some).ok_or_else(|| cut_off(row))
    }
}

fn cut_off(row: u32) -> Error {
    broken(
        Format::Xlsb,
        format!("a cell in row {} is cut off", u64::from(row) + 1),
    )
}
