//! The number formats of the number cells of a sheet, from the records of the workbook stream. It
//! reads no values: those come from calamine, which does not hand out formats.

use std::collections::HashMap;

use super::compound;
use super::guard::Demand;
use crate::error::Result;
use crate::format::workbook::number_format::{self, Shape};

/// The number formats of a workbook.
pub struct Formats {
    stream: Vec<u8>,
    /// The shape of each cell style.
    styles: Vec<Shape>,
    /// Where the records of each sheet begin.
    sheets: Vec<usize>,
    /// True since Excel 97 (BIFF8).
    wide: bool,
}

/// The shapes of number cells by row and column (from 0); those that are not there are plain.
pub type Shapes = HashMap<(u16, u16), Shape>;

impl Formats {
    /// Finds the formats; `None` when the file is too broken or too old to say.
    pub fn of(file: &[u8]) -> Option<Self> {
        let stream =
            compound::stream(file, "Workbook").or_else(|| compound::stream(file, "Book"))?;
        let mut own: HashMap<u16, Shape> = HashMap::new();
        let mut styles: Vec<u16> = Vec::new();
        let mut sheets = Vec::new();
        let mut wide = true;
        for (kind, data) in Records(&stream) {
            match kind {
                // BOF: version 0x0600 is BIFF8, with wide strings.
                0x0809 => wide = short(data, 0)? >= 0x0600,
                // Format
                0x041e => {
                    let id = short(data, 0)?;
                    own.insert(id, number_format::shape(&code(data, wide)));
                }
                // XF: font, format
                0x00e0 => styles.push(short(data, 2)?),
                // BoundSheet8: where it begins
                0x0085 => {
                    let at = data.get(..4)?.try_into().ok()?;
                    sheets.push(usize::try_from(u32::from_le_bytes(at)).ok()?);
                }
                // EOF
                0x000a => break,
                _ => {}
            }
        }
        let built_in = |id: u16| number_format::built_in(u32::from(id));
        let styles = styles
            .into_iter()
            .map(|id| own.get(&id).copied().unwrap_or_else(|| built_in(id)))
            .collect();
        Some(Self {
            stream,
            styles,
            sheets,
            wide,
        })
    }

    /// True when all text is Unicode, whatever code page the file names.
    pub fn is_wide(&self) -> bool {
        self.wide
    }

    /// # Errors
    /// [`ErrorKind::Format`](crate::ErrorKind::Format) when calamine would not survive a sheet.
    pub fn check(&self) -> Result<()> {
        let mut demand = Demand::default();
        for start in &self.sheets {
            demand.add(Records(self.stream.get(*start..).unwrap_or_default()))?;
        }
        Ok(())
    }

    /// The shapes of the number cells of the sheet at a position.
    pub fn shapes(&self, sheet: usize) -> Option<Shapes> {
        let stream = self.stream.get(*self.sheets.get(sheet)?..)?;
        let mut shapes = Shapes::new();
        let mut depth = 0;
        for (kind, data) in Records(stream) {
            match kind {
                // BOF and EOF: charts inside a sheet have their own records.
                0x0809 => depth += 1,
                0x000a if depth <= 1 => break,
                0x000a => depth -= 1,
                _ if depth > 1 => {}
                // Number, RK, Formula: row, column, style
                0x0203 | 0x027e | 0x0006 => {
                    let (row, column, style) = (short(data, 0)?, short(data, 2)?, short(data, 4)?);
                    self.add(&mut shapes, row, column, style);
                }
                // MulRk: row, first column, then style and number of each, last column
                0x00bd => {
                    let (row, first) = (short(data, 0)?, short(data, 2)?);
                    let cells = data
                        .get(4..data.len().saturating_sub(2))
                        .unwrap_or_default();
                    for (column, cell) in (first..).zip(cells.chunks_exact(6)) {
                        self.add(&mut shapes, row, column, short(cell, 0)?);
                    }
                }
                _ => {}
            }
        }
        Some(shapes)
    }

    fn add(&self, shapes: &mut Shapes, row: u16, column: u16, style: u16) {
        match self.styles.get(usize::from(style)) {
            None | Some(Shape::Plain) => {}
            Some(shape) => drop(shapes.insert((row, column), *shape)),
        }
    }
}

/// The code of a Format record: wide strings since BIFF8, before that a byte a letter.
fn code(data: &[u8], wide: bool) -> String {
    let narrow = |bytes: &[u8]| bytes.iter().map(|byte| char::from(*byte)).collect();
    if !wide {
        return narrow(data.get(3..).unwrap_or_default());
    }
    let bytes = data.get(5..).unwrap_or_default();
    if data.get(4).is_some_and(|flags| flags & 1 == 0) {
        return narrow(bytes);
    }
    let units = bytes
        .chunks_exact(2)
        .map(|pair| u16::from_le_bytes([pair[0], pair[1]]));
    char::decode_utf16(units).filter_map(Result::ok).collect()
}

/// Records of a stream: kind and data. It ends where the stream breaks off.
pub struct Records<'a>(pub &'a [u8]);

impl<'a> Iterator for Records<'a> {
    type Item = (u16, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let kind = short(self.0, 0)?;
        let end = 4 + usize::from(short(self.0, 2)?);
        let data = self.0.get(4..end)?;
        self.0 = &self.0[end..];
        Some((kind, data))
    }
}

/// An unsigned 16-bit integer.
pub fn short(bytes: &[u8], at: usize) -> Option<u16> {
    let pair = bytes.get(at..at.checked_add(2)?)?;
    Some(u16::from_le_bytes(pair.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_narrow_or_wide() {
        assert_eq!(code(&[164, 0, 5, 0, 0, b'0', b'0', b'0'], true), "000");
        assert_eq!(code(&[164, 0, 1, 0, 1, 0x74, 0x5e], true), "年");
        assert_eq!(code(&[164, 0, 2, b'h', b'h'], false), "hh");
    }

    #[test]
    fn styles_of_cells_in_a_row_are_found() {
        let record = |kind: u16, data: &[u8]| {
            let mut record = kind.to_le_bytes().to_vec();
            record.extend((data.len() as u16).to_le_bytes());
            record.extend(data);
            record
        };
        let mut stream = record(0x0809, &[0, 6]);
        // Row 3, columns 1 and 2 with styles 0 and 1.
        stream.extend(record(
            0x00bd,
            &[3, 0, 1, 0, 0, 0, 9, 9, 9, 9, 1, 0, 9, 9, 9, 9, 2, 0],
        ));
        stream.extend(record(0x0203, &[4, 0, 5, 0, 1, 0]));
        stream.extend(record(0x000a, &[]));
        let formats = Formats {
            stream,
            styles: vec![Shape::Plain, Shape::Padded(5)],
            sheets: vec![0],
            wide: true,
        };
        let shapes = formats.shapes(0).expect("a whole sheet");
        assert_eq!(
            shapes,
            Shapes::from([((3, 2), Shape::Padded(5)), ((4, 5), Shape::Padded(5))])
        );
    }
}
