//! A zip archive as a stream: parts in pieces, sizes behind the part. It compresses nothing itself and
//! never goes back.
//!
//! Source: PKWARE's APPNOTE.TXT 6.3.10, sections named at the lines.

use std::io::Write;

use flate2::Crc;

use super::pack::{self, Packed};
use crate::error::{Error, ErrorKind, Result};

/// Sizes and offsets from here on stand in fields of 64 bits (4.4.8).
const LARGE: u64 = u32::MAX as u64;
/// 1980-01-01, the first day that there is (4.4.6): the bytes depend on no clock.
const DAY: u16 = 1 << 5 | 1;
/// Sizes follow the data (4.4.4, bit 3).
const SIZES_FOLLOW: u16 = 8;
const DEFLATED: u16 = 8;

/// A part that is written.
struct Entry {
    name: String,
    offset: u64,
    packed: u64,
    size: u64,
    crc: Crc,
    large: bool,
}

/// An archive while it is written.
pub struct Package<'a> {
    out: &'a mut (dyn Write + Send),
    written: u64,
    entries: Vec<Entry>,
}

impl<'a> Package<'a> {
    /// An archive without parts.
    pub fn new(out: &'a mut (dyn Write + Send)) -> Self {
        Self {
            out,
            written: 0,
            entries: Vec::new(),
        }
    }

    /// Writes a whole part.
    ///
    /// # Errors
    /// [`ErrorKind::Io`] when the output refuses.
    pub fn part(&mut self, name: &str, bytes: &[u8]) -> Result<()> {
        self.begin(name, false)?;
        self.write(&pack::pack(bytes)?)?;
        self.end()
    }

    /// Begins a part; `large` when it could unpack to 4 GiB or more.
    ///
    /// # Errors
    /// As [`Package::part`].
    pub fn begin(&mut self, name: &str, large: bool) -> Result<()> {
        let mut header = Fields::new(0x0403_4b50);
        header.u16(version(large)).u16(SIZES_FOLLOW).u16(DEFLATED);
        header.u16(0).u16(DAY).u32(0);
        // With 64-bit sizes behind the data, they stand as such here, too (4.5.3).
        let size = if large { u32::MAX } else { 0 };
        header.u32(size).u32(size);
        header
            .u16(name.len() as u16)
            .u16(if large { 20 } else { 0 });
        header.bytes(name.as_bytes());
        if large {
            header.u16(1).u16(16).u64(0).u64(0);
        }
        self.entries.push(Entry {
            name: name.to_owned(),
            offset: self.written,
            packed: 0,
            size: 0,
            crc: Crc::new(),
            large,
        });
        self.put(&header.0)
    }

    /// Writes a stretch of the part that was begun last.
    ///
    /// # Errors
    /// As [`Package::part`].
    pub fn write(&mut self, packed: &Packed) -> Result<()> {
        if let Some(entry) = self.entries.last_mut() {
            entry.packed += packed.bytes.len() as u64;
            entry.size += packed.size;
            entry.crc.combine(&packed.crc);
        }
        self.put(&packed.bytes)
    }

    /// Ends the part that was begun last.
    ///
    /// # Errors
    /// As [`Package::part`].
    pub fn end(&mut self) -> Result<()> {
        self.put(&pack::END)?;
        let Some(entry) = self.entries.last_mut() else {
            return Ok(());
        };
        entry.packed += pack::END.len() as u64;
        if !entry.large && entry.size.max(entry.packed) >= LARGE {
            let message = format!("{} grew beyond what was reckoned with", entry.name);
            return Err(Error::new(ErrorKind::Internal, message));
        }
        // 4.3.9: sizes of 64 bits when the part was begun with such.
        let mut sizes = Fields::new(0x0807_4b50);
        sizes.u32(entry.crc.sum());
        if entry.large {
            sizes.u64(entry.packed).u64(entry.size);
        } else {
            sizes.u32(entry.packed as u32).u32(entry.size as u32);
        }
        self.put(&sizes.0)
    }

    /// Writes the directory; nothing can follow.
    ///
    /// # Errors
    /// As [`Package::part`].
    pub fn finish(mut self) -> Result<()> {
        let start = self.written;
        for entry in std::mem::take(&mut self.entries) {
            self.put(&directory_entry(&entry).0)?;
            self.entries.push(entry);
        }
        let end = self.written;
        let count = self.entries.len() as u64;
        let large = end >= LARGE || count >= u64::from(u16::MAX);
        if large {
            // 4.3.14 and 4.3.15.
            let mut record = Fields::new(0x0606_4b50);
            record.u64(44).u16(version(true)).u16(version(true));
            record.u32(0).u32(0).u64(count).u64(count);
            record.u64(end - start).u64(start);
            record.u32(0x0706_4b50).u32(0).u64(end).u32(1);
            self.put(&record.0)?;
        }
        let short = |value: u64| {
            if large { u32::MAX } else { value as u32 }
        };
        let few = if large { u16::MAX } else { count as u16 };
        let mut last = Fields::new(0x0605_4b50);
        last.u16(0).u16(0).u16(few).u16(few);
        last.u32(short(end - start)).u32(short(start)).u16(0);
        self.put(&last.0)
    }

    fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.written += bytes.len() as u64;
        self.out.write_all(bytes).map_err(|error| {
            Error::new(ErrorKind::Io, format!("cannot write: {error}")).because(error)
        })
    }
}

/// 4.3.12.
fn directory_entry(entry: &Entry) -> Fields {
    let far = entry.offset >= LARGE;
    let large = entry.large || far;
    let short = |value: u64, large: bool| if large { u32::MAX } else { value as u32 };
    let mut fields = Fields::new(0x0201_4b50);
    fields.u16(version(large)).u16(version(large));
    fields.u16(SIZES_FOLLOW).u16(DEFLATED).u16(0).u16(DAY);
    fields.u32(entry.crc.sum());
    fields.u32(short(entry.packed, entry.large));
    fields.u32(short(entry.size, entry.large));
    fields.u16(entry.name.len() as u16);
    let extra = if entry.large { 16 } else { 0 } + if far { 8 } else { 0 };
    fields.u16(if extra > 0 { extra + 4 } else { 0 });
    fields.u16(0).u16(0).u16(0).u32(0);
    fields.u32(short(entry.offset, far));
    fields.bytes(entry.name.as_bytes());
    if extra > 0 {
        // 4.5.3: what is 0xFFFFFFFF above, in this order.
        fields.u16(1).u16(extra);
        if entry.large {
            fields.u64(entry.size).u64(entry.packed);
        }
        if far {
            fields.u64(entry.offset);
        }
    }
    fields
}

/// What a program must know to unpack it (4.4.3): deflate, or 64-bit fields.
fn version(large: bool) -> u16 {
    if large { 45 } else { 20 }
}

/// Fields in little-endian order behind a signature.
struct Fields(Vec<u8>);

impl Fields {
    fn new(signature: u32) -> Self {
        Self(signature.to_le_bytes().to_vec())
    }

    fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        self.0.extend_from_slice(bytes);
        self
    }

    fn u16(&mut self, value: u16) -> &mut Self {
        self.bytes(&value.to_le_bytes())
    }

    fn u32(&mut self, value: u32) -> &mut Self {
        self.bytes(&value.to_le_bytes())
    }

    fn u64(&mut self, value: u64) -> &mut Self {
        self.bytes(&value.to_le_bytes())
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Seek, SeekFrom};

    use super::*;

    fn read_back(mut archive: zip::ZipArchive<impl Read + Seek>) -> Vec<(String, String)> {
        (0..archive.len())
            .map(|index| {
                let mut part = archive.by_index(index).expect("a part");
                let mut text = String::new();
                part.read_to_string(&mut text).expect("whole and unharmed");
                (part.name().expect("a name").into_owned(), text)
            })
            .collect()
    }

    fn parts(package: &mut Package<'_>) {
        package.part("a.xml", b"<a/>").expect("written");
        package.begin("b.xml", true).expect("begun");
        for piece in ["<b>", "", "text", "</b>"] {
            let packed = pack::pack(piece.as_bytes()).expect("packed");
            package.write(&packed).expect("written");
        }
        package.end().expect("ended");
    }

    fn expected() -> Vec<(String, String)> {
        [("a.xml", "<a/>"), ("b.xml", "<b>text</b>")]
            .map(|(name, text)| (name.to_owned(), text.to_owned()))
            .to_vec()
    }

    #[test]
    fn other_readers_find_the_parts() {
        let mut bytes = Vec::new();
        let mut package = Package::new(&mut bytes);
        parts(&mut package);
        package.finish().expect("finished");
        let archive = zip::ZipArchive::new(std::io::Cursor::new(bytes)).expect("an archive");
        assert_eq!(read_back(archive), expected());
    }

    #[test]
    fn parts_beyond_4_gib_are_found() {
        // A hole of 5 GiB in front takes no room on the disk.
        let hole = 5 << 30;
        let mut file = tempfile::tempfile().expect("a file");
        file.seek(SeekFrom::Start(hole)).expect("a hole");
        let mut package = Package::new(&mut file);
        package.written = hole;
        parts(&mut package);
        package.finish().expect("finished");
        let archive = zip::ZipArchive::new(file).expect("an archive");
        assert_eq!(read_back(archive), expected());
    }
}
