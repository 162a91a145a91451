//! The records of one part: kind and bytes. It knows nothing of what they mean.

use std::io::{BufReader, Read, Seek};

use zip::ZipArchive;
use zip::read::ZipFile;

use super::not_read;
use crate::error::Result;
use crate::format::Format;

/// The records of a part, in order.
pub struct Records<R> {
    input: R,
    part: String,
    bytes: Vec<u8>,
}

/// Opens a part of the archive; `None` when there is no such part.
///
/// # Errors
/// [`ErrorKind::Format`](crate::ErrorKind::Format) when the archive is broken there.
pub fn open<'a, R: Read + Seek>(
    archive: &'a mut ZipArchive<R>,
    part: &str,
) -> Result<Option<Records<BufReader<ZipFile<'a, R>>>>> {
    let Some(name) = part_name(archive, part) else {
        return Ok(None);
    };
    let file = archive
        .by_name(&name)
        .map_err(|error| not_read(part, error))?;
    Ok(Some(Records::new(BufReader::new(file), part)))
}

/// The name that a part really has in the archive: some writers differ in case and slashes.
pub fn part_name<R: Read + Seek>(archive: &ZipArchive<R>, part: &str) -> Option<String> {
    let mut names = archive.file_names().filter_map(std::result::Result::ok);
    let alike = |name: &str| name.replace('\\', "/").eq_ignore_ascii_case(part);
    names
        .find(|name| alike(name))
        .map(std::borrow::Cow::into_owned)
}

impl<R: Read> Records<R> {
    /// Records from bytes; `part` is for errors.
    pub fn new(input: R, part: &str) -> Self {
        Self {
            input,
            part: part.to_owned(),
            bytes: Vec::new(),
        }
    }

    /// The next record: its kind and its bytes; `None` at the end.
    ///
    /// # Errors
    /// [`ErrorKind::Format`](crate::ErrorKind::Format) when the part ends within a record.
    pub fn next(&mut self) -> Result<Option<(u16, Record<'_>)>> {
        let failed = |error| not_read(&self.part, error);
        // [MS-XLSB] 2.1.4: kind in one or two bytes, size in one to four, seven bits each.
        let mut byte = [0u8];
        if self.input.read(&mut byte).map_err(failed)? == 0 {
            return Ok(None);
        }
        let mut kind = u16::from(byte[0]);
        if byte[0] & 0x80 != 0 {
            self.input.read_exact(&mut byte).map_err(failed)?;
            kind = kind & 0x7f | u16::from(byte[0] & 0x7f) << 7;
        }
        let mut size = 0u64;
        for shift in [0, 7, 14, 21] {
            self.input.read_exact(&mut byte).map_err(failed)?;
            size |= u64::from(byte[0] & 0x7f) << shift;
            if byte[0] & 0x80 == 0 {
                break;
            }
        }
        // Memory grows with the bytes that are really there, not with the size that the record claims.
        self.bytes.clear();
        let read = self.input.by_ref().take(size).read_to_end(&mut self.bytes);
        if (read.map_err(failed)? as u64) < size {
            return Err(super::broken(
                Format::Xlsb,
                format!("{} ends within a record", self.part),
            ));
        }
        Ok(Some((kind, Record(&self.bytes))))
    }
}

/// The bytes of a record; what lies behind its end reads as nothing.
#[derive(Clone, Copy)]
pub struct Record<'a>(pub &'a [u8]);

impl Record<'_> {
    fn array<const N: usize>(self, at: usize) -> Option<[u8; N]> {
        self.0.get(at..at.checked_add(N)?)?.try_into().ok()
    }

    /// An unsigned byte.
    pub fn byte(self, at: usize) -> Option<u8> {
        self.array::<1>(at).map(|[byte]| byte)
    }

    /// An unsigned 16-bit integer.
    pub fn short(self, at: usize) -> Option<u16> {
        self.array(at).map(u16::from_le_bytes)
    }

    /// An unsigned 32-bit integer.
    pub fn int(self, at: usize) -> Option<u32> {
        self.array(at).map(u32::from_le_bytes)
    }

    /// A float.
    pub fn float(self, at: usize) -> Option<f64> {
        self.array(at).map(f64::from_le_bytes)
    }

    /// A number in the short form: 30 bits of a float or of an integer, perhaps divided by 100.
    ///
    /// Source: [MS-XLSB] 2.5.122 RkNumber.
    pub fn rk(self, at: usize) -> Option<f64> {
        let bits = self.int(at)?;
        let value = if bits & 2 == 0 {
            f64::from_bits(u64::from(bits & !3) << 32)
        } else {
            f64::from(bits as i32 >> 2)
        };
        Some(if bits & 1 == 0 { value } else { value / 100.0 })
    }

    /// Text with its length in front, and where it ends.
    pub fn text(self, at: usize) -> Option<(String, usize)> {
        let length = usize::try_from(self.int(at)?).ok()?;
        // An XLNullableWideString without a string.
        if length == 0xffff_ffff {
            return Some((String::new(), at + 4));
        }
        let start = at + 4;
        let end = start.checked_add(length.checked_mul(2)?)?;
        let units = self
            .0
            .get(start..end)?
            .chunks_exact(2)
            .map(|pair| u16::from_le_bytes([pair[0], pair[1]]));
        let text = char::decode_utf16(units)
            .map(|letter| letter.unwrap_or(char::REPLACEMENT_CHARACTER))
            .collect();
        Some((text, end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_have_kinds_and_sizes_of_several_bytes() -> Result<()> {
        let mut bytes = vec![0x00, 0x02, 7, 8];
        bytes.extend([0x92, 0x01, 0x80, 0x01]);
        bytes.extend([5; 128]);
        let mut records = Records::new(bytes.as_slice(), "a part");
        let first = records
            .next()?
            .map(|(kind, record)| (kind, record.0.to_vec()));
        assert_eq!(first, Some((0, vec![7, 8])));
        let second = records.next()?.map(|(kind, record)| (kind, record.0.len()));
        assert_eq!(second, Some((146, 128)));
        assert!(records.next()?.is_none());
        Ok(())
    }

    #[test]
    fn a_size_beyond_the_end_is_an_error() {
        let mut records = Records::new([0x13, 0xff, 0xff, 0xff, 0x7f, 1].as_slice(), "a part");
        assert!(records.next().is_err());
    }

    #[test]
    fn short_numbers_are_exact() {
        let rk = |bits: u32| Record(&bits.to_le_bytes()).rk(0);
        assert_eq!(rk(46_023 << 2 | 2), Some(46_023.0));
        assert_eq!(rk(12_345 << 2 | 3), Some(123.45));
        assert_eq!(rk((-7i32 << 2 | 2) as u32), Some(-7.0));
        assert_eq!(rk(0x3ff0_0000), Some(1.0));
        assert_eq!(Record(&[1, 2]).rk(0), None);
    }
}
