//! Which kind of workbook the bytes really are, and the one interface to all kinds. Encrypted files
//! are refused here; cells are read elsewhere.

use std::fmt::Display;
use std::io::{self, Cursor, Read, Seek, SeekFrom};

use bytes::Bytes;

use super::area::{Area, NamedArea};
use super::cells::Cells;
use super::sheets::SheetInfo;
use super::{archive, ods, xls, xlsb, xlsx};
use crate::control::Control;
use crate::error::{Error, ErrorKind, Result, quoted};
use crate::format::Format;

/// A workbook of any kind.
pub trait Book {
    /// The sheets in the order of the tabs.
    fn sheets(&self) -> Vec<SheetInfo>;

    /// The cells of a sheet.
    ///
    /// # Errors
    /// [`ErrorKind::Format`] when the sheet is broken.
    fn cells(&mut self, sheet: &str, control: &Control) -> Result<Cells>;

    /// Rows and columns of a sheet where the file says so up front; no sheet is read for it.
    fn size(&mut self, sheet: &str) -> Option<(u32, u32)>;

    /// The merged cells of a sheet, where the format tells them. Nothing when they cannot be read:
    /// they hold no values.
    fn merged(&mut self, _sheet: &str) -> Vec<Area> {
        Vec::new()
    }

    /// The tables and the defined names that mean one area, where the format tells them.
    fn named(&mut self) -> Vec<NamedArea> {
        Vec::new()
    }
}

/// Opens the workbook.
///
/// # Errors
/// [`ErrorKind::Format`] when it is encrypted or broken.
pub fn open<'c>(
    format: Format,
    bytes: Vec<u8>,
    control: &'c Control,
) -> Result<Box<dyn Book + 'c>> {
    let kind = kind(format, &bytes)?;
    if kind != Format::Xls {
        archive::check(kind, &bytes)?;
    }
    control.start("parsing", bytes.len() as u64);
    let input = Input {
        bytes: Cursor::new(bytes.into()),
        control,
    };
    Ok(match kind {
        Format::Xlsb => Box::new(xlsb::open(input)?),
        Format::Xls => Box::new(xls::open(&input)?),
        Format::Ods => Box::new(ods::open(input)?),
        _ => Box::new(xlsx::open(input)?),
    })
}

/// The kind of workbook by its container. The extension is often wrong, and the container knows.
fn kind(format: Format, bytes: &[u8]) -> Result<Format> {
    let has = |needle: &[u8]| memchr::memmem::find(bytes, needle).is_some();
    if bytes.starts_with(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1") {
        // [MS-OFFCRYPTO] 2.3.4: an encrypted workbook is a stream of this name in a compound file.
        let encrypted: Vec<u8> = "EncryptedPackage"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        if has(&encrypted) {
            return Err(locked());
        }
        return Ok(Format::Xls);
    }
    if !bytes.starts_with(b"PK") {
        // BOF of Excel 5 and later: a stream without the file around it.
        if format == Format::Xls && !bytes.starts_with(b"\x09\x08") {
            let message = "expected an Excel 97-2003 workbook, found a bare sheet of Excel 2 to 4";
            return Err(Error::new(ErrorKind::Format, message)
                .hint("open it in LibreOffice or Excel and save it as xlsx"));
        }
        return Ok(format);
    }
    // The directory at the end of every zip archive begins so (APPNOTE 4.3.16).
    if !has(b"PK\x05\x06") {
        let message = format!(
            "expected a whole {} workbook, found the front of one",
            format.name()
        );
        return Err(Error::new(ErrorKind::Format, message)
            .hint("the file is cut off: fetch it again, or take another copy"));
    }
    // Names of parts stand uncompressed in the archive, in front of each part and in its directory.
    if !has(b"[Content_Types].xml") && !has(b"META-INF/manifest.xml") && !has(b"mimetype") {
        let what = first_part(bytes).map_or_else(String::new, |name| format!(" with {name}"));
        let message = format!("expected a workbook, found a zip archive{what}");
        return Err(Error::new(ErrorKind::Format, message)
            .hint("unpack the archive and load the file in it"));
    }
    Ok(if has(b"xl/workbook.bin") {
        Format::Xlsb
    } else if has(b"opendocument.spreadsheet") || has(b"META-INF/manifest.xml") {
        Format::Ods
    } else if format == Format::Xls || has(b"xl/workbook.xml") {
        Format::Xlsx
    } else {
        format
    })
}

/// The name of the first file in a zip archive, quoted (APPNOTE 4.3.7: its length at byte 26).
fn first_part(bytes: &[u8]) -> Option<String> {
    let length = bytes.get(26..28)?.try_into().map(u16::from_le_bytes).ok()?;
    let name = bytes.get(30..30 + usize::from(length))?;
    (!name.is_empty()).then(|| quoted(&String::from_utf8_lossy(name)))
}

/// The error for a workbook with a password.
pub fn locked() -> Error {
    Error::new(
        ErrorKind::Format,
        "expected an open workbook, found an encrypted one",
    )
    .hint(
        "open it in Excel, remove the password (File > Info > Protect Workbook) and save it again",
    )
}

/// The error for a workbook that cannot be read.
pub fn broken(format: Format, error: impl Display) -> Error {
    let message = format!("expected a whole {} workbook: {error}", format.name());
    Error::new(ErrorKind::Format, message)
        .hint("fetch the file again, or open and save it in the program that wrote it")
}

/// The error of a stop request if there is one, else the given one: [`Input`] turns a stop request
/// into an input error, which others wrap in their own.
pub fn stopped_or(control: &Control, error: Error) -> Error {
    control.check().err().unwrap_or(error)
}

/// The bytes of a workbook; reading from them heeds a stop request, also deep inside the unpacking.
/// A clone shares them.
#[derive(Clone)]
pub struct Input<'c> {
    bytes: Cursor<Bytes>,
    /// Where a stop request comes from.
    pub control: &'c Control,
}

impl Input<'_> {
    /// All bytes.
    pub fn as_bytes(&self) -> &[u8] {
        self.bytes.get_ref()
    }
}

impl Read for Input<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.control
            .check()
            .map_err(|error| io::Error::other(error.to_string()))?;
        let count = self.bytes.read(buffer)?;
        self.control.advance(count as u64);
        Ok(count)
    }
}

impl Seek for Input<'_> {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        self.bytes.seek(position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_container_beats_the_extension() {
        let kind = |format, bytes: &[u8]| kind(format, bytes).ok();
        let zip = |part: &[u8]| {
            let front: &[u8] = b"PK\x03\x04.[Content_Types].xml.";
            [front, part, b"PK\x05\x06"].concat()
        };
        assert_eq!(
            kind(Format::Xls, &zip(b"xl/workbook.xml")),
            Some(Format::Xlsx)
        );
        assert_eq!(
            kind(Format::Xlsx, &zip(b"xl/workbook.bin")),
            Some(Format::Xlsb)
        );
        let compound = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1........";
        assert_eq!(kind(Format::Xlsx, compound), Some(Format::Xls));
    }

    #[test]
    fn zip_archives_that_are_no_workbook_are_named() {
        let message = |bytes: &[u8]| {
            let error = kind(Format::Xlsx, bytes).unwrap_err();
            error.message().to_owned()
        };
        assert_eq!(
            message(b"PK\x03\x04.[Content_Types].xml.xl/workbook.xml"),
            "expected a whole xlsx workbook, found the front of one"
        );
        let mut archive = b"PK\x03\x04".to_vec();
        archive.resize(26, 0);
        archive.extend(b"\x05\0\0\0a.csv....PK\x05\x06");
        assert_eq!(
            message(&archive),
            "expected a workbook, found a zip archive with \"a.csv\""
        );
        assert_eq!(
            message(b"PK\x05\x06"),
            "expected a workbook, found a zip archive"
        );
    }
}
