//! Cells of xlsb sheets, streamed. calamine tells dates from numbers but not the number format
//! itself: times of day are told by their values, and zero padding is not known here.

use calamine::{DataRef, Reader, Xlsb, XlsbError};

use super::cells::Cells;
use super::number_format::Shape;
use super::open::{Book, Input, broken, locked, stopped_or};
use super::sheets::{SheetInfo, declared_size};
use super::xlsx;
use crate::control::Control;
use crate::error::{Error, Result};
use crate::format::Format;

/// How many cells are read between two looks at the stop request.
const STEP: usize = 4096;

/// An open xlsb workbook.
pub struct XlsbBook<'c>(Xlsb<Input<'c>>);

/// Opens the workbook.
///
/// # Errors
/// [`ErrorKind::Format`](crate::ErrorKind::Format) when it is encrypted or broken.
pub fn open(input: Input<'_>) -> Result<XlsbBook<'_>> {
    let control = input.control;
    match Xlsb::new(input) {
        Ok(book) => Ok(XlsbBook(book)),
        Err(error) => Err(stopped_or(control, converted(error))),
    }
}

fn converted(error: XlsbError) -> Error {
    match error {
        XlsbError::Password => locked(),
        error => broken(Format::Xlsb, &error).because(error),
    }
}

impl Book for XlsbBook<'_> {
    fn sheets(&self) -> Vec<SheetInfo> {
        SheetInfo::list(self.0.sheets_metadata())
    }

    fn cells(&mut self, sheet: &str, control: &Control) -> Result<Cells> {
        let mut cells = Cells::new(self.0.has_1904_epoch());
        let failed = |error| stopped_or(control, converted(error));
        let mut reader = self.0.worksheet_cells_reader(sheet).map_err(failed)?;
        for count in 1.. {
            if count % STEP == 0 {
                control.check()?;
            }
            let Some(cell) = reader.next_cell().map_err(failed)? else {
                break;
            };
            let (row, column) = cell.get_position();
            let value = cell.get_value();
            let content = match value {
                DataRef::Empty => continue,
                DataRef::DateTime(moment) if moment.is_duration() => {
                    xlsx::content(value, Shape::Duration, &mut cells)
                }
                DataRef::DateTime(_) => xlsx::content(value, Shape::Date, &mut cells),
                _ => xlsx::content(value, Shape::Plain, &mut cells),
            };
            cells.push(row, column, content)?;
        }
        Ok(cells.finish())
    }

    fn size(&mut self, sheet: &str) -> Option<(u32, u32)> {
        let reader = self.0.worksheet_cells_reader(sheet).ok()?;
        declared_size(reader.dimensions())
    }
}
