//! xls workbooks (Excel 5 to 2003), read record by record as [MS-XLS] has them. It never builds the
//! rectangle around the cells.
//!
//! calamine is not used here: it gives no number formats for xls, reads all sheets as rectangles when it
//! opens the file, and refuses or panics on files of which other sheets are sound.

mod code_page;
mod compound;
mod globals;
mod names;
mod records;
mod sheet;

#[cfg(test)]
mod tests;

use super::area::{Area, NamedArea};
use super::cells::Cells;
use super::open::{Book, Input};
use super::sheets::SheetInfo;
use crate::control::Control;
use crate::error::{Error, ErrorKind, Result};
use globals::Globals;

/// An open xls workbook.
pub struct XlsBook {
    stream: Vec<u8>,
    globals: Globals,
}

/// Opens the workbook.
///
/// # Errors
/// [`ErrorKind::Format`] when it is encrypted or broken.
pub fn open(input: &Input<'_>) -> Result<XlsBook> {
    let control = input.control;
    control.check()?;
    let file = input.as_bytes();
    let stream = if file.starts_with(b"\x09\x08") {
        Some(file.to_vec())
    } else if let Some(stream) = compound::stream(file, "Workbook")? {
        // Files for both Excel 95 and 97 have both.
        Some(stream)
    } else {
        compound::stream(file, "Book")?
    };
    let Some(stream) = stream else {
        let message = "expected an xls workbook, found a file of another program without one";
        return Err(Error::new(ErrorKind::Format, message)
            .hint("open it in the program that wrote it and save it as xlsx"));
    };
    let globals = globals::globals(&stream, control)?;
    control.advance(file.len() as u64);
    Ok(XlsBook { stream, globals })
}

/// The error for a file that is not as it should be.
fn broken(what: &str) -> Error {
    let message = format!("expected a whole xls workbook: {what}");
    Error::new(ErrorKind::Format, message)
        .hint("fetch the file again, or open and save it in the program that wrote it")
}

impl Book for XlsBook {
    fn sheets(&self) -> Vec<SheetInfo> {
        let sheets = self.globals.sheets.iter();
        sheets.map(|(info, _)| info.clone()).collect()
    }

    fn cells(&mut self, sheet: &str, control: &Control) -> Result<Cells> {
        let start = self.start(sheet);
        let start = start.ok_or_else(|| broken("there is no such sheet"))?;
        sheet::cells(&self.stream, start, &self.globals, control)
    }

    fn size(&mut self, sheet: &str) -> Option<(u32, u32)> {
        sheet::size(&self.stream, self.start(sheet)?)
    }

    fn merged(&mut self, sheet: &str) -> Vec<Area> {
        let start = self.start(sheet);
        start.map_or_else(Vec::new, |start| sheet::merged(&self.stream, start))
    }

    fn named(&mut self) -> Vec<NamedArea> {
        self.globals.names.areas(&self.globals.sheets)
    }
}

impl XlsBook {
    /// Where the records of a sheet begin.
    fn start(&self, sheet: &str) -> Option<usize> {
        let mut sheets = self.globals.sheets.iter();
        sheets
            .find(|(info, _)| info.name == sheet)
            .map(|(_, start)| *start)
    }
}
