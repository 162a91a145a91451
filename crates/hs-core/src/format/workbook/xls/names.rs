//! Defined names that stand for one area of a sheet ([MS-XLS] 2.4.150 Lbl). Formulas of any other kind
//! are left out.

use super::records::{Records, plain_letters, short};
use crate::format::workbook::area::{Area, NamedArea};
use crate::format::workbook::sheets::SheetInfo;

/// The names of a workbook while its front is read.
#[derive(Debug, Default)]
pub struct Names {
    /// Books that formulas refer to: true for this one.
    books: Vec<bool>,
    /// References: book, first and last sheet.
    references: Vec<(u16, u16, u16)>,
    /// Each name with its reference and area.
    areas: Vec<(String, u16, Area)>,
}

impl Names {
    /// Takes a book that formulas refer to (SupBook).
    pub fn add_book(&mut self, data: &[u8]) {
        self.books.push(short(data, 2) == Some(0x0401));
    }

    /// Takes the references to sheets (ExternSheet).
    pub fn add_references<'a>(&mut self, records: &mut Records<'a>, data: &'a [u8]) {
        let mut data = records.whole(data);
        let count = data.short().unwrap_or_default();
        for _ in 0..count {
            let (Some(book), Some(first), Some(last)) = (data.short(), data.short(), data.short())
            else {
                return;
            };
            self.references.push((book, first, last));
        }
    }

    /// Takes a name.
    pub fn add(&mut self, data: &[u8]) {
        self.areas.extend(named(data));
    }

    /// The names whose areas are in one sheet of this workbook.
    pub fn areas(&self, sheets: &[(SheetInfo, usize)]) -> Vec<NamedArea> {
        let named = |(name, reference, area): &(String, u16, Area)| {
            let (book, first, last) = *self.references.get(usize::from(*reference))?;
            let own = self.books.get(usize::from(book)).is_some_and(|own| *own);
            let (sheet, _) = sheets.get(usize::from(first))?;
            (own && first == last).then(|| NamedArea {
                name: name.clone(),
                sheet: sheet.name.clone(),
                area: *area,
                table: false,
            })
        };
        self.areas.iter().filter_map(named).collect()
    }
}

/// A name that is neither hidden nor built in, whose formula is one reference to cells.
fn named(data: &[u8]) -> Option<(String, u16, Area)> {
    let flags = short(data, 0)?;
    if flags & 0x0021 != 0 {
        return None;
    }
    let count = usize::from(*data.get(3)?);
    let length = usize::from(short(data, 4)?);
    let wide = *data.get(14)?;
    let end = 15 + (count << (wide & 1));
    let name = plain_letters(data.get(15..end)?, wide);
    let formula = data.get(end..end + length)?;
    let at = |index: usize| short(formula, 1 + 2 * index);
    // Bit 14 and 15 of a column say whether it is relative.
    let column = |index: usize| at(index).map(|column| u32::from(column & 0x3fff));
    let row = |index: usize| at(index).map(u32::from);
    // PtgRef3d and PtgArea3d, each of three classes.
    let area = match (formula.first()?, formula.len()) {
        (0x3a | 0x5a | 0x7a, 7) => Area::of((row(1)?, column(2)?), (row(1)?, column(2)?)),
        (0x3b | 0x5b | 0x7b, 11) => Area::of((row(1)?, column(3)?), (row(2)?, column(4)?)),
        _ => None,
    };
    Some((name, at(0)?, area?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_for_an_area_is_read() {
        let mut names = Names::default();
        names.add_book(&[1, 0, 1, 4]);
        let references = [1, 0, 0, 0, 1, 0, 1, 0];
        names.add_references(&mut Records(&[]), &references);
        let mut data = vec![0, 0, 0, 2, 11, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, b'a', b'b'];
        data.extend([0x3b, 0, 0, 2, 0, 5, 0, 1, 0, 3, 0]);
        names.add(&data);
        // Built in, such as the print area.
        data[0] = 0x20;
        names.add(&data);
        // Cut off.
        names.add(&data[..20]);
        let sheet = |name: &str| {
            let info = SheetInfo {
                name: name.into(),
                hidden: false,
                instead: None,
            };
            (info, 0)
        };
        let found = names.areas(&[sheet("one"), sheet("two")]);
        let expected = NamedArea {
            name: "ab".into(),
            sheet: "two".into(),
            area: Area {
                first: (2, 1),
                last: (5, 3),
            },
            table: false,
        };
        assert_eq!(found, [expected]);
        assert!(names.areas(&[sheet("one")]).is_empty(), "no such sheet");
    }
}
