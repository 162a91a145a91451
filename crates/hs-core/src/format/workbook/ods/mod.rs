//! OpenDocument spreadsheets, streamed from `content.xml`. It never builds the rectangle around the
//! cells: repeated blank cells and rows cost nothing.
//!
//! calamine is not used here: it gives no number styles (zero-padded codes would lose their zeros, a
//! time of day could not be told from a duration), parses all sheets to give one, and keeps them as rectangles.

mod areas;
mod content;
mod sheet;
mod styles;

#[cfg(test)]
mod tests;

use zip::ZipArchive;

use super::area::{Area, NamedArea};
use super::cells::Cells;
use super::open::{Book, Input, broken, locked, stopped_or};
use super::sheets::SheetInfo;
use crate::control::Control;
use crate::error::{Error, Result};
use crate::format::Format;

/// The part with the sheets.
const CONTENT: &str = "content.xml";

/// An open OpenDocument workbook.
pub struct OdsBook<'c> {
    archive: ZipArchive<Input<'c>>,
    content: content::Content,
    /// The merged areas of the sheet that was read last.
    merged: (String, Vec<Area>),
}

/// Opens the workbook.
///
/// # Errors
/// [`ErrorKind::Format`](crate::ErrorKind::Format) when it is encrypted or broken.
pub fn open(input: Input<'_>) -> Result<OdsBook<'_>> {
    let control = input.control;
    let opened = || {
        let mut archive = ZipArchive::new(input).map_err(|error| not_read("archive", error))?;
        if content::is_encrypted(&mut archive)? {
            return Err(locked());
        }
        let content = content::content(&mut archive, control)?;
        Ok(OdsBook {
            archive,
            content,
            merged: (String::new(), Vec::new()),
        })
    };
    opened().map_err(|error| stopped_or(control, error))
}

/// The error for a part that cannot be read.
fn not_read(part: &str, error: impl std::error::Error + Send + Sync + 'static) -> Error {
    broken(Format::Ods, format!("{part}: {error}")).because(error)
}

impl Book for OdsBook<'_> {
    fn sheets(&self) -> Vec<SheetInfo> {
        let sheets = self.content.sheets.iter();
        sheets.map(|sheet| sheet.info.clone()).collect()
    }

    fn cells(&mut self, sheet: &str, control: &Control) -> Result<Cells> {
        let styles = &self.content.styles;
        let mut xml = content::reader(&mut self.archive, CONTENT)?;
        let read = sheet::cells(&mut xml, sheet, styles, control);
        let (cells, merged) = read.map_err(|error| stopped_or(control, error))?;
        self.merged = (sheet.to_owned(), merged);
        Ok(cells)
    }

    fn size(&mut self, sheet: &str) -> Option<(u32, u32)> {
        let sheets = &self.content.sheets;
        sheets.iter().find(|known| known.info.name == sheet)?.size
    }

    fn merged(&mut self, sheet: &str) -> Vec<Area> {
        if self.merged.0 != sheet && self.cells(sheet, &Control::default()).is_err() {
            return Vec::new();
        }
        self.merged.1.clone()
    }

    fn named(&mut self) -> Vec<NamedArea> {
        self.content.named.clone()
    }
}
