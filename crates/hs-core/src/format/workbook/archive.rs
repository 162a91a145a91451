//! Refuses zip archives that unpack to more than there is memory for: one text, tag or comment in a
//! part may be as long as the part, and a failed allocation would end the whole process. It unpacks
//! nothing but the front of the shared texts.

use std::io::{Cursor, Read};

use zip::ZipArchive;

use super::open::broken;
use crate::error::{Error, ErrorKind, Result};
use crate::format::Format;
use crate::text;

/// A part of so many bytes that is packed to less than one part in [`PACKED`] is a zip bomb: cells
/// are numbered, which keeps the parts of real workbooks far from it, also with equal values.
const LARGE: u64 = 512 << 20;
/// See [`LARGE`].
const PACKED: u64 = 500;
/// How often the longest part may be in memory: a buffer that grows, and a copy of it.
const COPIES: u64 = 3;

/// Checks the sizes that the archive declares; the zip crate stops at them when it unpacks.
///
/// # Errors
/// [`ErrorKind::Format`] for a zip bomb, [`ErrorKind::Io`] when there is not enough memory. A broken
/// archive is left to the reader of the format.
pub fn check(format: Format, bytes: &[u8]) -> Result<()> {
    let Ok(mut archive) = ZipArchive::new(Cursor::new(bytes)) else {
        return Ok(());
    };
    let mut largest = 0;
    for index in 0..archive.len() {
        let Ok(part) = archive.by_index_raw(index) else {
            continue;
        };
        let Some(name) = part.name().ok().filter(|name| is_read(name)) else {
            continue;
        };
        let name = name.into_owned();
        let size = part.size();
        largest = largest.max(size);
        if size > LARGE && size / PACKED > part.compressed_size() {
            let bytes = text::counted(size, "byte");
            return Err(broken(
                format,
                format!("{name} is a zip bomb, it unpacks to {bytes}"),
            ));
        }
        drop(part);
        if name.to_lowercase().ends_with("sharedstrings.xml") {
            let front = archive.by_index(index).ok().and_then(front);
            let count = front
                .as_deref()
                .and_then(declared_texts)
                .unwrap_or_default();
            // calamine reserves for as many texts as are declared; each takes some bytes.
            if count > size {
                let count = text::count(count);
                return Err(broken(format, format!("{name} declares {count} texts")));
            }
        }
    }
    let most = usize::try_from(largest.saturating_mul(COPIES)).unwrap_or(usize::MAX);
    Vec::<u8>::new().try_reserve_exact(most).map_err(|error| {
        Error::new(ErrorKind::Io, "the workbook does not fit into memory").because(error)
    })
}

/// True for the parts that are unpacked: pictures and other files inside are not.
fn is_read(name: &str) -> bool {
    let name = name.to_lowercase();
    [".xml", ".bin", ".rels"]
        .iter()
        .any(|end| name.ends_with(end))
}

fn front(part: impl Read) -> Option<Vec<u8>> {
    let mut front = Vec::new();
    part.take(64 * 1024).read_to_end(&mut front).ok()?;
    Some(front)
}

/// The number of texts that the `sst` element declares.
fn declared_texts(front: &[u8]) -> Option<u64> {
    const NAME: &[u8] = b"uniqueCount";
    let at = memchr::memmem::find(front, NAME)?;
    let value = front.get(at + NAME.len()..)?;
    let digits: Vec<u8> = value
        .iter()
        .skip_while(|byte| !byte.is_ascii_digit())
        .take_while(|byte| byte.is_ascii_digit())
        .copied()
        .collect();
    let digits = std::str::from_utf8(&digits).ok()?;
    Some(digits.parse().unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use zip::ZipWriter;
    use zip::write::SimpleFileOptions;

    use super::*;

    fn archive(part: &str, pieces: impl IntoIterator<Item = Vec<u8>>) -> Vec<u8> {
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        let options = SimpleFileOptions::default().large_file(true);
        writer.start_file(part, options).expect("a part");
        for piece in pieces {
            writer.write_all(&piece).expect("written");
        }
        writer.finish().expect("an archive").into_inner()
    }

    fn checked(part: &str, content: &str) -> Option<String> {
        let bytes = archive(part, [content.as_bytes().to_vec()]);
        check(Format::Xlsx, &bytes)
            .err()
            .map(|error| error.to_string())
    }

    #[test]
    fn more_texts_than_bytes_are_refused() {
        const PART: &str = "xl/sharedStrings.xml";
        let error = checked(
            PART,
            "<sst count='1' uniqueCount=\"4000000000\"><si/></sst>",
        );
        let error = error.expect("four billion");
        assert!(error.contains("declares 4,000,000,000 texts"), "{error}");
        let error = checked(PART, "<sst uniqueCount='99999999999999999999999'/>");
        assert!(error.is_some());
        assert_eq!(checked(PART, "<sst uniqueCount='3'><si/><si/></sst>"), None);
        assert_eq!(checked(PART, "<sst><si/></sst>"), None);
    }

    #[test]
    fn a_zip_bomb_is_named_before_it_is_unpacked() {
        let pieces = || (0..520).map(|_| vec![b' '; 1 << 20]);
        let bytes = archive("xl/worksheets/sheet1.xml", pieces());
        let error = check(Format::Xlsx, &bytes).expect_err("a bomb").to_string();
        assert!(error.contains("sheet1.xml is a zip bomb"), "{error}");
        let picture = archive("xl/media/white.bmp", pieces());
        assert!(check(Format::Xlsx, &picture).is_ok(), "nobody unpacks it");
        assert!(check(Format::Xlsx, b"PK\x03\x04").is_ok());
    }
}
