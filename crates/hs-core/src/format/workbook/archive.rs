//! Refuses zip archives that unpack to more than there is memory for: one text, tag or comment in a
//! part may be as long as the part, and a failed allocation would end the whole process. It unpacks
//! nothing.

use std::io::Cursor;

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
/// The same for xlsx, whose parts are never in memory as a whole: what their cells may take.
const CELLS: u64 = 2;

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
    }
    let copies = if format == Format::Xlsx {
        CELLS
    } else {
        COPIES
    };
    let most = usize::try_from(largest.saturating_mul(copies)).unwrap_or(usize::MAX);
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
