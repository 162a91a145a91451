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

/// True when a chain that calamine follows to its end runs in a circle: it would follow it until
/// the memory ends, or for ever. `names` are the streams that it reads.
pub fn runs_in_circles(file: &[u8], names: &[&str]) -> bool {
    let Some(compound) = Compound::new(file) else {
        return false;
    };
    let circle =
        |start: Option<u32>, size: u64| start.is_some_and(|start| compound.is_circle(start, size));
    let small = int(file, 64).map_or(0, |count| u64::from(count) * compound.sector as u64);
    let start = int(file, 48);
    if circle(start, u64::MAX) || circle(int(file, 60), small) {
        return true;
    }
    let directory = start.and_then(|start| compound.chain(start, None));
    let directory = directory.unwrap_or_default();
    directory
        .chunks_exact(ENTRY)
        .enumerate()
        .any(|(index, entry)| {
            let name = entry_name(entry);
            let read = index == 0 || names.iter().any(|known| name.eq_ignore_ascii_case(known));
            // Only version 4 has sizes beyond 32 bits; what stands there in version 3 is no size.
            let high = if short(file, 26) == Some(4) {
                int(entry, 124)
            } else {
                None
            };
            let size = u64::from(high.unwrap_or_default()) << 32
                | u64::from(int(entry, 120).unwrap_or_default());
            read && circle(int(entry, 116), size)
        })
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

    /// A chain that does not end before it is longer than the table or has `size` bytes.
    fn is_circle(&self, start: u32, size: u64) -> bool {
        let mut next = start;
        let mut bytes = 0u64;
        for _ in 0..=self.table.len() {
            if next == END || bytes >= size {
                return false;
            }
            bytes += self.at(next).map_or(0, |sector| sector.len() as u64);
            let Some(number) = self.table.get(next as usize) else {
                return false;
            };
            next = *number;
        }
        true
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
        assert!(runs_in_circles(&circle, &[]));
        let mut line = circle.clone();
        line[512..516].copy_from_slice(&END.to_le_bytes());
        assert!(!runs_in_circles(&line, &[]), "sector 0 is the end");
        assert!(!runs_in_circles(b"", &[]));
    }
}
