//! The cells of one xls sheet, record by record as [MS-XLS] has them. It never builds the rectangle
//! around the cells.

use std::sync::Arc;

use super::broken;
use super::globals::Globals;
use super::records::{Data, Records, int, short};
use crate::control::Control;
use crate::error::{Error, Place, Result};
use crate::format::workbook::area::Area;
use crate::format::workbook::cells::{CellError, Cells, Content};
use crate::format::workbook::number_format::Shape;
use crate::format::workbook::sheets::declared_size;

/// How many records are read between two looks at the stop request.
const STEP: usize = 4096;

/// The records of a sheet, without those of charts inside of it.
struct SheetRecords<'a> {
    records: Records<'a>,
    depth: u32,
    /// The end of the sheet was seen.
    whole: bool,
}

impl<'a> SheetRecords<'a> {
    fn new(stream: &'a [u8], start: usize) -> Result<Self> {
        let records = Records(stream.get(start..).unwrap_or_default());
        // BOF
        if records
            .clone()
            .next()
            .is_none_or(|(kind, _)| kind != 0x0809)
        {
            return Err(broken("a sheet is not where it should be"));
        }
        Ok(Self {
            records,
            depth: 0,
            whole: false,
        })
    }
}

impl<'a> Iterator for SheetRecords<'a> {
    type Item = (u16, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let (kind, data) = self.records.next()?;
            match kind {
                // BOF and EOF
                0x0809 => self.depth += 1,
                0x000a if self.depth <= 1 => {
                    self.whole = true;
                    return None;
                }
                0x000a => self.depth -= 1,
                _ if self.depth > 1 => {}
                _ => return Some((kind, data)),
            }
        }
    }
}

/// Reads all cells of the sheet that begins at `start`.
///
/// # Errors
/// [`ErrorKind::Format`](crate::ErrorKind::Format) when the sheet is broken or cut off.
pub fn cells(stream: &[u8], start: usize, globals: &Globals, control: &Control) -> Result<Cells> {
    let mut reader = Reader {
        cells: Cells::new(globals.system_1904).sharing(Arc::clone(&globals.texts)),
        globals,
        formula: None,
    };
    let mut records = SheetRecords::new(stream, start)?;
    for count in 0usize.. {
        if count % STEP == 0 {
            control.check()?;
        }
        let Some((kind, data)) = records.next() else {
            break;
        };
        let row = short(data, 0).unwrap_or_default();
        let read = match kind {
            // Label and RString have texts of their own, String is the result of a formula.
            0x0204 | 0x00d6 | 0x0207 => {
                let data = records.records.whole(data);
                reader.text(kind, data)?
            }
            0x00bd => reader.numbers(data)?,
            0x0203 | 0x027e | 0x00fd | 0x0205 | 0x0006 => reader.cell(kind, data)?,
            _ => continue,
        };
        if read.is_none() {
            let at = Place::default().row(u64::from(row) + 1);
            return Err(broken("a cell is cut off").at(at));
        }
    }
    if !records.whole {
        return Err(broken("the sheet is cut off"));
    }
    Ok(reader.cells.finish())
}

/// The merged areas of the sheet.
pub fn merged(stream: &[u8], start: usize) -> Vec<Area> {
    let mut areas = Vec::new();
    let Ok(records) = SheetRecords::new(stream, start) else {
        return areas;
    };
    // MergeCells: how many, then first and last row, first and last column of each.
    for (_, data) in records.filter(|(kind, _)| *kind == 0x00e5) {
        for area in data.get(2..).unwrap_or_default().chunks_exact(8) {
            let at = |index: usize| u32::from(u16::from_le_bytes([area[index], area[index + 1]]));
            areas.extend(Area::of((at(0), at(4)), (at(2), at(6))));
        }
    }
    areas
}

/// Rows below the first and columns as the sheet declares them.
pub fn size(stream: &[u8], start: usize) -> Option<(u32, u32)> {
    let mut records = SheetRecords::new(stream, start).ok()?;
    // Dimensions: first row, row behind the last, first column, column behind the last.
    let (_, data) = records.find(|(kind, _)| *kind == 0x0200)?;
    let small = |at: usize| short(data, at).map(u32::from);
    let (top, bottom, left, right) = if data.len() >= 14 {
        (int(data, 0)?, int(data, 4)?, small(8)?, small(10)?)
    } else {
        (small(0)?, small(2)?, small(4)?, small(6)?)
    };
    declared_size(Area {
        first: (top, left),
        last: (bottom.checked_sub(1)?, right.checked_sub(1)?),
    })
}

/// What a formula record holds.
enum Outcome {
    Value(Content),
    TextFollows,
    CutOff,
}

struct Reader<'a> {
    cells: Cells,
    globals: &'a Globals,
    /// The formula whose result is the text that comes next: row and column.
    formula: Option<(u32, u32)>,
}

impl Reader<'_> {
    /// A cell with a text; `None` when it is cut off.
    fn text(&mut self, kind: u16, mut data: Data<'_>) -> Result<Option<()>> {
        let place = if kind == 0x0207 {
            // A text of no formula, as some writers leave it, belongs to no cell.
            let Some(place) = self.formula.take() else {
                return Ok(Some(()));
            };
            place
        } else {
            let (Some(row), Some(column), Some(_)) = (data.short(), data.short(), data.short())
            else {
                return Ok(None);
            };
            (u32::from(row), u32::from(column))
        };
        let Some(text) = data.text(self.globals.page) else {
            return Ok(None);
        };
        let text = text.map_err(|page| unknown_page(page.0, place.0))?;
        let content = self.cells.text(text);
        self.cells.push(place.0, place.1, content)?;
        Ok(Some(()))
    }

    /// A row of numbers in the short form (MulRk): style and number of each.
    fn numbers(&mut self, data: &[u8]) -> Result<Option<()>> {
        let (Some(row), Some(first)) = (short(data, 0), short(data, 2)) else {
            return Ok(None);
        };
        let Some(cells) = data.get(4..data.len().saturating_sub(2)) else {
            return Ok(None);
        };
        for (column, cell) in (u32::from(first)..).zip(cells.chunks_exact(6)) {
            let (Some(style), Some(bits)) = (short(cell, 0), int(cell, 2)) else {
                return Ok(None);
            };
            let content = Content::Number(short_number(bits), self.shape(style));
            self.cells.push(u32::from(row), column, content)?;
        }
        Ok(Some(()))
    }

    /// A cell of row, column, style and a value.
    fn cell(&mut self, kind: u16, data: &[u8]) -> Result<Option<()>> {
        let (Some(row), Some(column), Some(style)) =
            (short(data, 0), short(data, 2), short(data, 4))
        else {
            return Ok(None);
        };
        let (row, column) = (u32::from(row), u32::from(column));
        let shape = self.shape(style);
        let content = match kind {
            // Number, RK
            0x0203 => float(data, 6).map(|number| Content::Number(number, shape)),
            0x027e => int(data, 6).map(|bits| Content::Number(short_number(bits), shape)),
            // LabelSst: a number beyond the shared texts is a text that was lost.
            0x00fd => {
                let Some(number) = int(data, 6) else {
                    return Ok(None);
                };
                let Some(content) = self.cells.shared(number) else {
                    let at = Place::default().row(u64::from(row) + 1);
                    return Err(broken("a cell has a text that is not there").at(at));
                };
                Some(content)
            }
            // BoolErr
            0x0205 => data
                .get(6)
                .zip(data.get(7))
                .map(|(value, error)| match error {
                    0 => Content::Bool(*value != 0),
                    _ => Content::Error(CellError::of_code(*value)),
                }),
            _ => match self.result(data, shape, (row, column)) {
                Outcome::Value(content) => Some(content),
                // The text comes in a record of its own.
                Outcome::TextFollows => return Ok(Some(())),
                Outcome::CutOff => None,
            },
        };
        let Some(content) = content else {
            return Ok(None);
        };
        self.cells.push(row, column, content)?;
        Ok(Some(()))
    }

    /// The stored result of a formula.
    ///
    /// Source: [MS-XLS] 2.5.133 FormulaValue.
    fn result(&mut self, data: &[u8], shape: Shape, place: (u32, u32)) -> Outcome {
        self.formula = None;
        let (Some(value), Some(number)) = (data.get(6..14), float(data, 6)) else {
            return Outcome::CutOff;
        };
        // Spreadsheet::WriteExcel and its heirs store 0 or an empty text and ask for the result when the
        // file is opened. A real 0 of theirs cannot be told from it: better missing and told.
        let stale = short(data, 14).is_some_and(|flags| flags & 2 != 0);
        if value[6..] != [0xff, 0xff] {
            return Outcome::Value(if stale && number == 0.0 {
                Content::Formula
            } else {
                Content::Number(number, shape)
            });
        }
        Outcome::Value(match value[0] {
            0 => {
                self.formula = Some(place);
                return Outcome::TextFollows;
            }
            1 => Content::Bool(value[2] != 0),
            2 => Content::Error(CellError::of_code(value[2])),
            3 if stale => Content::Formula,
            // An empty text.
            _ => self.cells.text(""),
        })
    }

    fn shape(&self, style: u16) -> Shape {
        let shape = self.globals.shapes.get(usize::from(style));
        shape.copied().unwrap_or(Shape::Plain)
    }
}

fn float(data: &[u8], at: usize) -> Option<f64> {
    let eight = data.get(at..at.checked_add(8)?)?;
    Some(f64::from_le_bytes(eight.try_into().ok()?))
}

/// A number in the short form: 30 bits of a float or of an integer, perhaps divided by 100.
///
/// Source: [MS-XLS] 2.5.217 RkNumber.
fn short_number(bits: u32) -> f64 {
    let value = if bits & 2 == 0 {
        f64::from_bits(u64::from(bits & !3) << 32)
    } else {
        f64::from(bits as i32 >> 2)
    };
    if bits & 1 == 0 { value } else { value / 100.0 }
}

fn unknown_page(page: u16, row: u32) -> Error {
    let what = format!("its texts are in code page {page}, which is not known here");
    broken(&what)
        .at(Place::default().row(u64::from(row) + 1))
        .hint("open it in Excel or LibreOffice and save it as xlsx")
}
