//! One stream out of a compound file (OLE), as [MS-CFB] has them. It never trusts a size or a chain.

use super::broken;
use super::records::{int, short, utf16};
use crate::error::{Error, Result};

const END: u32 = 0xffff_fffe;
/// Numbers from here on are no sectors.
const NO_SECTOR: u32 = 0xffff_fffa;
const ENTRY: usize = 128;

/// The bytes of the stream called `name`; `None` when there is none.
///
/// # Errors
/// [`ErrorKind::Format`](crate::ErrorKind::Format) when the file is cut off or its sectors run in a circle.
pub fn stream(file: &[u8], name: &str) -> Result<Option<Vec<u8>>> {
    let header = |at: usize| int(file, at).ok_or_else(cut_off);
    let compound = Compound::new(file)?;
    let directory = compound.chain(header(48)?, None)?;
    let entries = || directory.chunks_exact(ENTRY);
    let named = |entry: &&[u8]| entry_name(entry).eq_ignore_ascii_case(name);
    let Some(entry) = entries().find(named) else {
        return Ok(None);
    };
    let field = |entry: &[u8], at: usize| int(entry, at).unwrap_or_default();
    let (start, size) = (field(entry, 116), field(entry, 120));
    // Small streams lie in a stream of their own, cut into small sectors.
    if size >= header(56)? {
        return compound.chain(start, Some(size as usize)).map(Some);
    }
    let root = entries().next().unwrap_or_default();
    let small = compound.chain(field(root, 116), None)?;
    let table = ints(&compound.chain(header(60)?, None)?);
    let length = short(file, 32).and_then(|shift| 1usize.checked_shl(u32::from(shift)));
    let length = length.filter(|length| *length <= compound.sector);
    let length = length.ok_or_else(|| broken("its sectors have an impossible size"))?;
    let sector = |number: u32| {
        let at = (number as usize).checked_mul(length)?;
        let end = at.checked_add(length)?.min(small.len());
        small.get(at..end).filter(|sector| !sector.is_empty())
    };
    let most = small.len() / length + 1;
    follow(start, &table, most, sector, Some(size as usize)).map(Some)
}

fn cut_off() -> Error {
    broken("the file is cut off")
}

struct Compound<'a> {
    file: &'a [u8],
    sector: usize,
    table: Vec<u32>,
}

impl<'a> Compound<'a> {
    fn new(file: &'a [u8]) -> Result<Self> {
        let shift = short(file, 30).filter(|shift| (7..=16).contains(shift));
        let shift = shift.ok_or_else(|| broken("its sectors have an impossible size"))?;
        let mut compound = Self {
            file,
            sector: 1 << shift,
            table: Vec::new(),
        };
        // The first 109 sectors of the table are named in the header, others in a chain of lists.
        let mut listed = ints(file.get(76..512).ok_or_else(cut_off)?);
        let mut next = int(file, 68).unwrap_or(END);
        for _ in 0..=compound.sectors() {
            if next >= NO_SECTOR {
                break;
            }
            let mut list = ints(compound.at(next).ok_or_else(cut_off)?);
            next = list.pop().unwrap_or(END);
            listed.append(&mut list);
        }
        for number in listed.into_iter().filter(|number| *number < NO_SECTOR) {
            // Each sector holds a part of the table once, whatever the lists say.
            if compound.table.len() > file.len() {
                return Err(circle());
            }
            let sector = compound.at(number).ok_or_else(cut_off)?;
            compound.table.extend(ints(sector));
        }
        Ok(compound)
    }

    /// So many sectors the file can have.
    fn sectors(&self) -> usize {
        self.file.len() / self.sector + 1
    }

    /// A sector; the header takes the place of one.
    fn at(&self, number: u32) -> Option<&'a [u8]> {
        let at = (number as usize).checked_add(1)?.checked_mul(self.sector)?;
        let end = at.checked_add(self.sector)?.min(self.file.len());
        self.file.get(at..end).filter(|sector| !sector.is_empty())
    }

    fn chain(&self, start: u32, size: Option<usize>) -> Result<Vec<u8>> {
        let sector = |number| self.at(number);
        follow(start, &self.table, self.sectors(), sector, size)
    }
}

fn circle() -> Error {
    broken("its sectors run in a circle")
}

/// The sectors of a chain, one after the other, cut at `size`; at most so many.
fn follow<'a>(
    start: u32,
    table: &[u32],
    most: usize,
    sector: impl Fn(u32) -> Option<&'a [u8]>,
    size: Option<usize>,
) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut next = start;
    for _ in 0..=most {
        if next == END || size.is_some_and(|size| bytes.len() >= size) {
            bytes.truncate(size.unwrap_or(usize::MAX));
            return Ok(bytes);
        }
        bytes.extend_from_slice(sector(next).ok_or_else(cut_off)?);
        next = *table.get(next as usize).ok_or_else(cut_off)?;
    }
    Err(circle())
}

fn entry_name(entry: &[u8]) -> String {
    let length = short(entry, 64).map_or(0, usize::from).clamp(2, 64) - 2;
    let units = entry[..length].chunks_exact(2);
    utf16(units.map(|pair| u16::from_le_bytes([pair[0], pair[1]])))
}

fn ints(bytes: &[u8]) -> Vec<u32> {
    bytes
        .chunks_exact(4)
        .map(|four| u32::from_le_bytes([four[0], four[1], four[2], four[3]]))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(file: &[u8]) -> String {
        let error = stream(file, "Workbook").expect_err("a broken file");
        error.message().to_owned()
    }

    #[test]
    fn broken_files_are_errors() {
        assert!(said(b"").ends_with("impossible size"));
        assert!(said(&[0; 600]).ends_with("impossible size"));
        let mut circle = vec![0u8; 2048];
        circle[30] = 9;
        assert!(
            said(&circle).ends_with("run in a circle"),
            "every sector leads to sector 0"
        );
        let mut cut = circle;
        cut[76] = 200;
        assert!(said(&cut).ends_with("cut off"), "a sector behind the end");
    }
}
