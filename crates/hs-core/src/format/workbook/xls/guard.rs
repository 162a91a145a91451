//! Refuses sheets for which calamine would ask for more memory than there is: it reserves what a
//! sheet declares and builds the rectangle around the cells, for all sheets at once. A failed
//! allocation would end the whole process.

use super::formats::{Records, short};
use crate::error::{Error, ErrorKind, Place, Result};

/// Places of a full sheet: 65,536 rows and 256 columns.
const SHEET: u64 = 65_536 * 256;
/// A rectangle with more places than this for each cell is sparse.
const SPARSE: u64 = 20;

/// What the sheets of a workbook ask for.
#[derive(Debug, Default)]
pub struct Demand {
    places: u64,
    cells: u64,
}

impl Demand {
    /// Adds a sheet by its records.
    ///
    /// # Errors
    /// [`ErrorKind::Format`] when it declares or has cells outside of a sheet, or when all sheets so
    /// far are sparse beyond reason.
    pub fn add(&mut self, sheet: Records<'_>) -> Result<()> {
        let mut depth = 0;
        let mut area: Option<Area> = None;
        for (kind, data) in sheet {
            match kind {
                // BOF and EOF: charts inside a sheet have their own records.
                0x0809 => depth += 1,
                0x000a if depth <= 1 => break,
                0x000a => depth -= 1,
                _ if depth > 1 => {}
                0x0200 if declared(data) > SHEET => {
                    return Err(broken("it declares more cells than a sheet can have"));
                }
                // Number, Label, BoolErr, RK, RString, LabelSst, Formula, MulRk
                0x0203 | 0x0204 | 0x0205 | 0x027e | 0x00d6 | 0x00fd | 0x0006 | 0x00bd => {
                    let (Some(row), Some(first)) = (short(data, 0), short(data, 2)) else {
                        continue;
                    };
                    let last = match kind {
                        0x00bd => short(data, data.len().saturating_sub(2)).unwrap_or(first),
                        _ => first,
                    };
                    if last > 255 || last < first {
                        let at = Place::default().row(u64::from(row) + 1);
                        return Err(broken("it has a cell beyond column IV").at(at));
                    }
                    self.cells += u64::from(last - first) + 1;
                    area = Some(Area::with(area, row, first, last));
                }
                _ => {}
            }
        }
        self.places += area.map_or(0, Area::places);
        if self.places > SHEET && self.places / SPARSE > self.cells {
            let error = broken("its cells are too far apart");
            return Err(error.hint("save it as xlsx, or delete the stray cells"));
        }
        Ok(())
    }
}

/// The places that a Dimensions record declares: first and last row, first and last column.
fn declared(data: &[u8]) -> u64 {
    let int = |at: usize| {
        let four = data.get(at..at + 4).and_then(|four| four.try_into().ok());
        four.map(u32::from_le_bytes)
    };
    let wide = data.len() >= 14;
    let rows = if wide {
        int(0).zip(int(4))
    } else {
        let small = |at| short(data, at).map(u32::from);
        small(0).zip(small(2))
    };
    let at = if wide { 8 } else { 4 };
    let columns = short(data, at).zip(short(data, at + 2));
    let (Some((top, bottom)), Some((left, right))) = (rows, columns) else {
        return 0;
    };
    if bottom == 0 || right == 0 {
        return 0;
    }
    // As calamine has it, a first column that cannot be is 0; rows that run backwards wrap around.
    let left = if left > 255 || right < left { 0 } else { left };
    let rows = u64::from(bottom.wrapping_sub(top));
    rows.saturating_mul(u64::from(right.wrapping_sub(left)))
}

fn broken(what: &str) -> Error {
    let message = format!("expected a whole xls workbook, found a broken sheet: {what}");
    Error::new(ErrorKind::Format, message).hint("open and save it in the program that wrote it")
}

/// The rectangle around cells.
#[derive(Clone, Copy, Debug)]
struct Area {
    rows: (u16, u16),
    columns: (u16, u16),
}

impl Area {
    fn with(area: Option<Self>, row: u16, first: u16, last: u16) -> Self {
        let Some(Self { rows, columns }) = area else {
            return Self {
                rows: (row, row),
                columns: (first, last),
            };
        };
        Self {
            rows: (rows.0.min(row), rows.1.max(row)),
            columns: (columns.0.min(first), columns.1.max(last)),
        }
    }

    fn places(self) -> u64 {
        let span = |(low, high): (u16, u16)| u64::from(high - low) + 1;
        span(self.rows) * span(self.columns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(kind: u16, data: &[u8]) -> Vec<u8> {
        let mut record = kind.to_le_bytes().to_vec();
        record.extend((data.len() as u16).to_le_bytes());
        record.extend(data);
        record
    }

    fn add(records: &[Vec<u8>]) -> Result<()> {
        let stream = records.concat();
        Demand::default().add(Records(&stream))
    }

    #[test]
    fn an_ordinary_sheet_is_fine() {
        let size = record(0x0200, &[0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 4, 0, 0, 0]);
        let cell = record(0x0203, &[8, 0, 3, 0, 0, 0]);
        assert!(add(&[record(0x0809, &[0, 6]), size, cell]).is_ok());
    }

    #[test]
    fn absurd_sizes_and_places_are_refused() {
        let size = record(0x0200, &[9, 0, 0, 0, 1, 0, 0, 0, 0, 0, 4, 0, 0, 0]);
        assert!(add(&[size]).is_err(), "rows run backwards");
        let far = record(0x0203, &[0, 0, 0, 200, 0, 0]);
        assert!(add(&[far]).is_err(), "column 51200");
    }
}
