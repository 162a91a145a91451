//! Cells of OpenDocument sheets. calamine parses all sheets when it opens the file (at most 100
//! million cells each) and gives values without their number formats: zero padding is not known here.

use calamine::{Ods, OdsError, Reader};

use super::cells::Cells;
use super::open::{Book, Input, broken, locked, stopped_or};
use super::sheets::SheetInfo;
use super::xls::{fill, size};
use crate::control::Control;
use crate::error::{Error, Result};
use crate::format::Format;

/// An open OpenDocument workbook.
pub struct OdsBook<'c>(Ods<Input<'c>>);

/// Opens the workbook.
///
/// # Errors
/// [`ErrorKind::Format`](crate::ErrorKind::Format) when it is encrypted or broken.
pub fn open(input: Input<'_>) -> Result<OdsBook<'_>> {
    let control = input.control;
    match Ods::new(input) {
        Ok(book) => Ok(OdsBook(book)),
        Err(error) => Err(stopped_or(control, converted(error))),
    }
}

fn converted(error: OdsError) -> Error {
    match error {
        OdsError::Password => locked(),
        error => broken(Format::Ods, &error).because(error),
    }
}

impl Book for OdsBook<'_> {
    fn sheets(&self) -> Vec<SheetInfo> {
        SheetInfo::list(self.0.sheets_metadata())
    }

    fn cells(&mut self, sheet: &str, control: &Control) -> Result<Cells> {
        let mut cells = Cells::new(false);
        let range = self.0.worksheet_range(sheet).map_err(converted)?;
        fill(&mut cells, &range, None, control)?;
        Ok(cells.finish())
    }

    fn size(&mut self, sheet: &str) -> Option<(u32, u32)> {
        self.0
            .worksheet_range(sheet)
            .ok()
            .and_then(|range| size(&range))
    }
}
