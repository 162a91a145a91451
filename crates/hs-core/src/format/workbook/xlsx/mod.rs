//! xlsx and xlsm workbooks, transitional and strict, read by our own code: calamine unpacks and
//! parses on one core, keeps every text on its own, and needs a second walk to find formulas.
//!
//! - `package`: parts and relationships; `feed`: a part as windows of text; `token`, `text`: XML
//! - `workbook`, `styles`, `shared`: the parts beside the sheets
//! - `sheet`, `value`: cells; `plain`: cells in the form that nearly all programs write

mod feed;
mod package;
mod plain;
mod shared;
mod sheet;
mod styles;
mod text;
mod token;
mod value;
mod workbook;

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::Arc;
use std::thread;

use package::{Package, no_part};
use sheet::Sheet;
use workbook::Workbook;

use super::area::{Area, NamedArea};
use super::cells::{Cells, address};
use super::number_format::Shape;
use super::open::{Book, Input, broken, stopped_or};
use super::sheets::{SheetInfo, declared_size};
use super::texts::Texts;
use crate::control::Control;
use crate::error::Result;
use crate::format::Format;

/// An open xlsx workbook.
pub struct XlsxBook<'c> {
    package: Package<'c>,
    workbook: Workbook,
    shapes: Vec<Shape>,
    /// The shared texts, once a sheet was read.
    texts: Option<Arc<Texts>>,
    /// Merged cells of the sheets that were read.
    merged: HashMap<String, Vec<Area>>,
}

/// Opens the workbook.
///
/// # Errors
/// [`ErrorKind::Format`](crate::ErrorKind::Format) when it is broken.
pub fn open(input: Input<'_>) -> Result<XlsxBook<'_>> {
    let control = input.control;
    let opened = || {
        let package = Package::open(input)?;
        let workbook = workbook::workbook(&package)?;
        let shapes = styles::styles(&package, &workbook.styles)?;
        Ok(XlsxBook {
            package,
            workbook,
            shapes,
            texts: None,
            merged: HashMap::new(),
        })
    };
    opened().map_err(|error| stopped_or(control, error))
}

impl Book for XlsxBook<'_> {
    fn sheets(&self) -> Vec<SheetInfo> {
        let sheets = self.workbook.sheets.iter();
        sheets.map(|sheet| sheet.info.clone()).collect()
    }

    fn cells(&mut self, sheet: &str, control: &Control) -> Result<Cells> {
        self.read(sheet).map_err(|error| stopped_or(control, error))
    }

    fn size(&mut self, sheet: &str) -> Option<(u32, u32)> {
        let part = self.part(sheet).ok()?;
        let area = sheet::declared(&self.package, part)?;
        declared_size(area)
    }

    fn merged(&mut self, sheet: &str) -> Vec<Area> {
        if !self.merged.contains_key(sheet) {
            // Broken sheets have none.
            let _ = self.read(sheet);
        }
        self.merged.get(sheet).cloned().unwrap_or_default()
    }

    fn named(&mut self) -> Vec<NamedArea> {
        let mut named = Vec::new();
        for sheet in &self.workbook.sheets {
            // A table that cannot be read is not to hide the others.
            named.extend(workbook::tables(&self.package, sheet).unwrap_or_default());
        }
        named.extend(self.workbook.names.iter().cloned());
        named
    }
}

impl XlsxBook<'_> {
    /// The part of a sheet.
    fn part(&self, sheet: &str) -> Result<&str> {
        let mut sheets = self.workbook.sheets.iter();
        let found = sheets.find(|known| known.info.name == sheet);
        found.map(|found| found.part.as_str()).ok_or_else(|| {
            broken(
                Format::Xlsx,
                format!("there is no part for sheet {sheet:?}"),
            )
        })
    }

    fn read(&mut self, name: &str) -> Result<Cells> {
        let part = self.part(name)?;
        let read = || sheet::read(&self.package, part, &self.shapes, self.workbook.system_1904);
        let (texts, sheet) = match &self.texts {
            Some(texts) => (Ok(Some(Arc::clone(texts))), read()),
            None => side_by_side(
                || Ok(shared::texts(&self.package, &self.workbook.texts)?.map(Arc::new)),
                read,
            ),
        };
        let Sheet {
            cells,
            merged,
            highest,
        } = sheet?;
        self.merged.insert(name.to_owned(), merged);
        let Some((highest, place)) = highest else {
            return Ok(cells.finish());
        };
        let texts = texts?.ok_or_else(|| no_part(&self.workbook.texts))?;
        if highest as usize >= texts.count() {
            let address = address(place.0, place.1);
            return Err(broken(
                Format::Xlsx,
                format!(
                    "cell {address} has shared text number {highest}, there are {}",
                    crate::text::count(texts.count() as u64)
                ),
            ));
        }
        self.texts = Some(Arc::clone(&texts));
        Ok(cells.sharing(texts).finish())
    }
}

/// Both results; the first is made by another thread where the system gives one.
fn side_by_side<A: Send, B>(first: impl Fn() -> A + Sync, second: impl FnOnce() -> B) -> (A, B) {
    thread::scope(|scope| {
        let running = thread::Builder::new().spawn_scoped(scope, &first);
        let second = second();
        let first = match running.map(thread::ScopedJoinHandle::join) {
            Ok(Ok(first)) => first,
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            Err(_) => first(),
        };
        (first, second)
    })
}
