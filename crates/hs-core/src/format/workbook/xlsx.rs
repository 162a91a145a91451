//! Cells of xlsx and xlsm sheets, streamed, with the number format of each. It never builds the
//! rectangle around the cells.

use calamine::{DataRef, Reader, Xlsx, XlsxError};

use super::area::{Area, NamedArea};
use super::cells::{Cells, Content};
use super::number_format::{self, Shape};
use super::open::{Book, Input, broken, cell_error, locked, stopped_or};
use super::serial;
use super::sheets::{SheetInfo, declared_size};
use crate::control::Control;
use crate::error::{Error, Result};
use crate::format::Format;

/// How many cells are read between two looks at the stop request.
const STEP: usize = 4096;

/// An open xlsx workbook.
pub struct XlsxBook<'c>(Xlsx<Input<'c>>);

/// Opens the workbook.
///
/// # Errors
/// [`ErrorKind::Format`](crate::ErrorKind::Format) when it is encrypted or broken.
pub fn open(input: Input<'_>) -> Result<XlsxBook<'_>> {
    let control = input.control;
    match Xlsx::new(input) {
        Ok(book) => Ok(XlsxBook(book)),
        Err(error) => Err(stopped_or(control, converted(error))),
    }
}

fn converted(error: XlsxError) -> Error {
    match error {
        XlsxError::Password => locked(),
        error => broken(Format::Xlsx, &error).because(error),
    }
}

impl Book for XlsxBook<'_> {
    fn sheets(&self) -> Vec<SheetInfo> {
        SheetInfo::list(self.0.sheets_metadata())
    }

    fn cells(&mut self, sheet: &str, control: &Control) -> Result<Cells> {
        let mut cells = Cells::new(self.0.has_1904_epoch());
        let valueless = self
            .values(sheet, &mut cells, control)
            .map_err(|error| stopped_or(control, error))?;
        if valueless > 0 {
            self.formulas(sheet, valueless, &mut cells, control)
                .map_err(|error| stopped_or(control, error))?;
        }
        Ok(cells.finish())
    }

    fn size(&mut self, sheet: &str) -> Option<(u32, u32)> {
        let reader = self.0.worksheet_cells_reader(sheet).ok()?;
        declared_size(reader.dimensions())
    }

    fn merged(&mut self, sheet: &str) -> Vec<Area> {
        let areas = self.0.merge_cells_by_sheet_name(sheet).unwrap_or_default();
        let areas = areas.into_iter().map(|area| Area {
            first: area.start,
            last: area.end,
        });
        areas.collect()
    }

    fn named(&mut self) -> Vec<NamedArea> {
        let names = self.0.defined_names().iter();
        let named = names.filter_map(|(name, formula)| {
            let (sheet, area) = Area::parse_with_sheet(formula)?;
            (!name.starts_with("_xlnm")).then(|| NamedArea {
                name: name.clone(),
                sheet,
                area,
                table: false,
            })
        });
        named.collect()
    }
}

impl XlsxBook<'_> {
    /// Reads the values; says how many cells are there without one.
    fn values(&mut self, sheet: &str, cells: &mut Cells, control: &Control) -> Result<u64> {
        let mut reader = self.0.worksheet_cells_reader(sheet).map_err(converted)?;
        let shapes: Vec<Shape> = reader.styles().iter().map(shape_of_style).collect();
        let mut valueless = 0;
        for count in 1.. {
            if count % STEP == 0 {
                control.check()?;
            }
            let Some((cell, style)) = reader.next_cell_with_style_id().map_err(converted)? else {
                break;
            };
            let (row, column) = cell.get_position();
            let shape = shapes.get(style).copied().unwrap_or(Shape::Plain);
            let content = match cell.get_value() {
                DataRef::Empty => {
                    valueless += 1;
                    continue;
                }
                value => content(value, shape, cells),
            };
            cells.push(row, column, content)?;
        }
        Ok(valueless)
    }

    /// Finds the formulas among the cells without a value: a second walk over the sheet, because
    /// calamine gives either styles or formulas. It ends with the last cell without a value.
    fn formulas(
        &mut self,
        sheet: &str,
        mut valueless: u64,
        cells: &mut Cells,
        control: &Control,
    ) -> Result<()> {
        let mut reader = self.0.worksheet_cells_reader(sheet).map_err(converted)?;
        for count in 1.. {
            if count % STEP == 0 {
                control.check()?;
            }
            let Some(cell) = reader
                .next_cell_with_formula_metadata()
                .map_err(converted)?
            else {
                break;
            };
            if cell.value != DataRef::Empty {
                continue;
            }
            if cell.formula.is_some() {
                let (row, column) = cell.pos;
                cells.push(row, column, Content::Formula)?;
            }
            valueless -= 1;
            if valueless == 0 {
                break;
            }
        }
        Ok(())
    }
}

fn shape_of_style(style: &calamine::Style) -> Shape {
    let Some(format) = &style.number_format else {
        return Shape::Plain;
    };
    match number_format::shape(&format.format_code) {
        // Built-in formats that calamine has no code for come as "General" with their number.
        Shape::Plain if format.format_code == "General" => format
            .format_id
            .map_or(Shape::Plain, number_format::built_in),
        shape => shape,
    }
}

/// A streamed value as content; `shape` is what its number format says.
pub fn content(value: &DataRef<'_>, shape: Shape, cells: &mut Cells) -> Content {
    match value {
        DataRef::Int(number) => Content::Number(*number as f64, shape),
        DataRef::Float(number) => Content::Number(*number, shape),
        DataRef::DateTime(moment) => Content::Number(moment.as_f64(), shape),
        DataRef::String(text) => cells.text(text.as_str()),
        DataRef::SharedString(text) => cells.shared_text(text),
        DataRef::Bool(flag) => Content::Bool(*flag),
        DataRef::Error(error) => Content::Error(cell_error(error)),
        DataRef::DateTimeIso(text) => match serial::parse_iso(text) {
            Some(moment) => Content::Moment(moment),
            None => cells.text(text.as_str()),
        },
        DataRef::DurationIso(text) => match serial::parse_iso_duration(text) {
            Some(micros) => Content::Moment(super::cells::Moment::Length(micros)),
            None => cells.text(text.as_str()),
        },
        // The caller leaves out empty cells.
        DataRef::Empty => Content::Formula,
    }
}
