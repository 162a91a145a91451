//! xlsb workbooks, read record by record as [MS-XLSB] has them. It never builds the rectangle
//! around the cells.
//!
//! calamine is not used here: it gives no number formats for xlsb (zero-padded codes and times of
//! day would be lost), and it skips the short cell records that SheetJS writes and formula errors.

mod names;
mod parts;
mod records;
mod sheet;

use std::sync::Arc;

use zip::ZipArchive;

use super::area::{Area, NamedArea};
use super::cells::Cells;
use super::number_format::Shape;
use super::open::{Book, Input, broken, stopped_or};
use super::sheets::SheetInfo;
use super::texts::Texts;
use crate::control::Control;
use crate::error::{Error, Result};
use crate::format::Format;

/// An open xlsb workbook.
pub struct XlsbBook<'c> {
    archive: ZipArchive<Input<'c>>,
    sheets: Vec<(SheetInfo, String)>,
    shapes: Vec<Shape>,
    texts: Arc<Texts>,
    system_1904: bool,
    names: names::Names,
    /// The merged areas of the sheet that was read last: they stand behind its cells.
    merged: (String, Vec<Area>),
}

/// Opens the workbook.
///
/// # Errors
/// [`ErrorKind::Format`](crate::ErrorKind::Format) when it is broken.
pub fn open(input: Input<'_>) -> Result<XlsbBook<'_>> {
    let control = input.control;
    let opened = || {
        let mut archive = ZipArchive::new(input).map_err(|error| not_read("archive", error))?;
        let workbook = parts::workbook(&mut archive)?;
        let shapes = parts::styles(&mut archive)?;
        let texts = Arc::new(parts::texts(&mut archive)?);
        Ok(XlsbBook {
            archive,
            sheets: workbook.sheets,
            shapes,
            texts,
            system_1904: workbook.system_1904,
            names: workbook.names,
            merged: (String::new(), Vec::new()),
        })
    };
    opened().map_err(|error| stopped_or(control, error))
}

/// The error for a part that cannot be read.
fn not_read(part: &str, error: impl std::error::Error + Send + Sync + 'static) -> Error {
    broken(Format::Xlsb, format!("{part}: {error}")).because(error)
}

impl Book for XlsbBook<'_> {
    fn sheets(&self) -> Vec<SheetInfo> {
        self.sheets.iter().map(|(info, _)| info.clone()).collect()
    }

    fn cells(&mut self, sheet: &str, control: &Control) -> Result<Cells> {
        let part = self.part(sheet)?;
        let records = records::open(&mut self.archive, &part)?
            .ok_or_else(|| broken(Format::Xlsb, format!("there is no part {part}")))?;
        let cells = Cells::new(self.system_1904).sharing(Arc::clone(&self.texts));
        let read = sheet::cells(records, &self.shapes, cells, control);
        let (cells, merged) = read.map_err(|error| stopped_or(control, error))?;
        self.merged = (sheet.to_owned(), merged);
        Ok(cells)
    }

    fn size(&mut self, sheet: &str) -> Option<(u32, u32)> {
        let part = self.part(sheet).ok()?;
        let records = records::open(&mut self.archive, &part).ok()??;
        sheet::size(records)
    }

    fn merged(&mut self, sheet: &str) -> Vec<Area> {
        if self.merged.0 != sheet && self.cells(sheet, &Control::default()).is_err() {
            return Vec::new();
        }
        self.merged.1.clone()
    }

    fn named(&mut self) -> Vec<NamedArea> {
        let sheets = &self.sheets;
        let sheet = |number: u32| {
            let sheet = sheets.get(number as usize);
            sheet.map(|(info, _)| info.name.as_str())
        };
        let mut named = self.names.areas(sheet);
        for (info, part) in sheets {
            let tables = parts::tables(&mut self.archive, part).unwrap_or_default();
            named.extend(tables.into_iter().map(|(name, area)| NamedArea {
                name,
                sheet: info.name.clone(),
                area,
                table: true,
            }));
        }
        named
    }
}

impl XlsbBook<'_> {
    fn part(&self, sheet: &str) -> Result<String> {
        self.sheets
            .iter()
            .find(|(info, _)| info.name == sheet)
            .map(|(_, part)| part.clone())
            .ok_or_else(|| {
                broken(
                    Format::Xlsb,
                    format!("there is no part for sheet {sheet:?}"),
                )
            })
    }
}
