//! Defined names of one area, and tables, of an xlsb workbook. Formulas of any other kind are left out.

use super::records::Record;
use crate::format::workbook::area::{Area, NamedArea};

/// The names of a workbook while its part is read.
#[derive(Debug, Default)]
pub struct Names {
    /// Books that formulas refer to: true for this one.
    books: Vec<bool>,
    /// References: book, first and last sheet.
    references: Vec<(u32, u32, u32)>,
    /// Each name with its reference and area.
    areas: Vec<(String, u16, Area)>,
}

impl Names {
    /// Looks at a record of the workbook.
    pub fn add(&mut self, kind: u16, record: Record<'_>) {
        match kind {
            // BrtName
            39 => self.areas.extend(named(record)),
            // BrtSupBookSrc, BrtSupSelf, BrtSupSame, BrtSupAddin
            355 | 357 | 358 | 667 => self.books.push(kind == 357),
            // BrtExternSheet: how many, then book, first and last sheet of each
            362 => {
                let count = record.int(0).unwrap_or_default() as usize;
                for at in (0..count).map(|index| 4 + 12 * index) {
                    let (Some(book), Some(first), Some(last)) =
                        (record.int(at), record.int(at + 4), record.int(at + 8))
                    else {
                        return;
                    };
                    self.references.push((book, first, last));
                }
            }
            _ => {}
        }
    }

    /// The names whose areas are in one sheet of this workbook.
    pub fn areas<'a>(&self, sheet: impl Fn(u32) -> Option<&'a str>) -> Vec<NamedArea> {
        let named = |(name, reference, area): &(String, u16, Area)| {
            let (book, first, last) = *self.references.get(usize::from(*reference))?;
            let own = self.books.get(book as usize).is_some_and(|own| *own);
            let sheet = sheet(first).filter(|_| own && first == last)?;
            Some(NamedArea {
                name: name.clone(),
                sheet: sheet.to_owned(),
                area: *area,
                table: false,
            })
        };
        self.areas.iter().filter_map(named).collect()
    }
}

/// A name that is neither hidden nor built in, whose formula is one reference to cells.
///
/// Source: [MS-XLSB] 2.4.712 BrtName, 2.5.98.97 PtgRef3d, 2.5.98.19 PtgArea3d.
fn named(record: Record<'_>) -> Option<(String, u16, Area)> {
    if record.int(0)? & 0x21 != 0 {
        return None;
    }
    let (name, end) = record.text(9)?;
    let length = record.int(end)?;
    let at = end + 4;
    let reference = record.short(at + 1)?;
    // Bit 14 and 15 of a column say whether it is relative.
    let column = |at: usize| record.short(at).map(|column| u32::from(column & 0x3fff));
    let area = match (record.byte(at)?, length) {
        (0x3a | 0x5a | 0x7a, 9) => {
            let cell = (record.int(at + 3)?, column(at + 7)?);
            (cell, cell)
        }
        (0x3b | 0x5b | 0x7b, 15) => (
            (record.int(at + 3)?, column(at + 11)?),
            (record.int(at + 7)?, column(at + 13)?),
        ),
        _ => return None,
    };
    Some((name, reference, Area::of(area.0, area.1)?))
}

/// The name and the area of a table; its row of totals is no part of it.
///
/// Source: [MS-XLSB] 2.4.81 BrtBeginList.
pub fn table(record: Record<'_>) -> Option<(String, Area)> {
    let totals = record.int(28)?;
    let bottom = record.int(4)?.checked_sub(totals)?;
    let area = Area::of((record.int(0)?, record.int(8)?), (bottom, record.int(12)?))?;
    let (name, end) = record.text(64)?;
    let (shown, _) = record.text(end)?;
    Some((if shown.is_empty() { name } else { shown }, area))
}
