//! One stream out of a compound file (OLE), as [MS-CFB] has them. It never trusts a size or a chain:
//! what is broken gives `None`.

const END: u32 = 0xffff_fffe;
const ENTRY: usize = 128;

/// The bytes of the stream called `name`.
pub fn stream(file: &[u8], name: &str) -> Option<Vec<u8>> {
    let compound = Compound::new(file)?;
    let directory = compound.chain(int(file, 48)?, None)?;
    let entries = || directory.chunks_exact(ENTRY);
    let root = entries().next()?;
    let entry = entries().find(|entry| entry_name(entry).eq_ignore_ascii_case(name))?;
    let start = int(entry, 116)?;
    let size = int(entry, 120)?;
    // Small streams lie in a stream of their own, cut into small sectors.
    if size >= int(file, 56)? {
        return compound.chain(start, Some(size as usize));
    }
    let small = compound.chain(int(root, 116)?, None)?;
    let table = ints(&compound.chain(int(file, 60)?, None)?);
    let length = 1usize.checked_shl(u32::from(short(file, 32)?))?;
    let sector = |number: u32| {
        let at = (number as usize).checked_mul(length)?;
        small.get(at..at.checked_add(length)?)
    };
    follow(start, &table, sector, Some(size as usize))
}

struct Compound<'a> {
    file: &'a [u8],
    sector: usize,
    table: Vec<u32>,
}

impl<'a> Compound<'a> {
    fn new(file: &'a [u8]) -> Option<Self> {
        let shift = short(file, 30).filter(|shift| (7..=16).contains(shift))?;
        let mut compound = Self {
            file,
            sector: 1 << shift,
            table: Vec::new(),
        };
        // The first 109 sectors of the table are named in the header, others in a chain of lists.
        let mut listed = ints(file.get(76..512)?);
        let mut next = int(file, 68)?;
        for _ in 0..=file.len() / compound.sector {
            let Some(list) = compound.at(next) else {
                break;
            };
            let mut list = ints(list);
            next = list.pop()?;
            listed.append(&mut list);
        }
        for number in listed {
            if let Some(sector) = compound.at(number) {
                compound.table.extend(ints(sector));
            }
        }
        Some(compound)
    }

    /// A sector; the header takes the place of one.
    fn at(&self, number: u32) -> Option<&'a [u8]> {
        let at = (number as usize).checked_add(1)?.checked_mul(self.sector)?;
        let end = at.checked_add(self.sector)?.min(self.file.len());
        self.file.get(at..end).filter(|sector| !sector.is_empty())
    }

    fn chain(&self, start: u32, size: Option<usize>) -> Option<Vec<u8>> {
        follow(start, &self.table, |number| self.at(number), size)
    }
}

/// The sectors of a chain, one after the other, cut at `size`.
fn follow<'a>(
    start: u32,
    table: &[u32],
    sector: impl Fn(u32) -> Option<&'a [u8]>,
    size: Option<usize>,
) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut next = start;
    // A chain that is longer than the table runs in a circle.
    for _ in 0..=table.len() {
        if next == END || size.is_some_and(|size| bytes.len() >= size) {
            bytes.truncate(size.unwrap_or(usize::MAX));
            return Some(bytes);
        }
        bytes.extend_from_slice(sector(next)?);
        next = *table.get(next as usize)?;
    }
    None
}

fn entry_name(entry: &[u8]) -> String {
    let length = short(entry, 64).map_or(0, usize::from).clamp(2, 64) - 2;
    let units = entry[..length]
        .chunks_exact(2)
        .map(|pair| u16::from_le_bytes([pair[0], pair[1]]));
    char::decode_utf16(units).filter_map(Result::ok).collect()
}

fn short(bytes: &[u8], at: usize) -> Option<u16> {
    let pair = bytes.get(at..at.checked_add(2)?)?;
    Some(u16::from_le_bytes(pair.try_into().ok()?))
}

fn int(bytes: &[u8], at: usize) -> Option<u32> {
    let four = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_le_bytes(four.try_into().ok()?))
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

    #[test]
    fn broken_files_give_nothing() {
        assert_eq!(stream(b"", "Workbook"), None);
        assert_eq!(stream(&[0; 600], "Workbook"), None);
        let mut circle = vec![0u8; 2048];
        circle[30] = 9;
        assert_eq!(
            stream(&circle, "Workbook"),
            None,
            "every sector leads to sector 0"
        );
    }
}
