//! Which format a source has: by content first, by extension second, else a clear error.

use crate::error::{Error, ErrorKind, Place, Result};
use crate::format::Format;
use crate::source::Source;

/// Things that are not data, by magic bytes, so that the error can name them.
const FOREIGN: [(&[u8], &str); 12] = [
    (b"\x89PNG\r\n\x1a\n", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF8", "a GIF picture"),
    (b"%PDF-", "a PDF document"),
    (b"\x7fELF", "a program"),
    (b"SQLite format 3\0", "a SQLite database"),
    (b"Rar!", "a RAR archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"\x89HDF\r\n\x1a\n", "an HDF5 file"),
    (b"ORC", "an ORC file"),
    (b"Obj\x01", "an Avro file"),
    (b"\x80\x04\x95", "a Python pickle"),
];

/// The format of a source.
///
/// # Errors
/// [`ErrorKind::Format`] when the content is something else (a picture, an archive, a web page),
/// or when neither content nor extension tells.
pub fn detect(source: &Source) -> Result<Format> {
    let head = source.head();
    let extension = source.extension();
    let by_name = extension.as_deref().and_then(Format::of_extension);
    let refuse = |found: &str| {
        let error = Error::new(ErrorKind::Format, format!("expected data, found {found}"))
            .at(Place::source(source.name()));
        Err(error.hint(
            "headstart reads csv, json, jsonl, toml, parquet, arrow, xlsx, xlsb, xls and ods",
        ))
    };
    if let Some(format) = by_magic(head, by_name) {
        return Ok(format);
    }
    // ORC's magic is three letters that a csv header may begin with, too.
    let foreign = FOREIGN.iter().find(|(magic, _)| head.starts_with(magic));
    if let Some((_, found)) = foreign.filter(|(magic, _)| *magic != b"ORC" || head.contains(&0)) {
        return refuse(found);
    }
    match by_name {
        // Read as csv, all of it would be the header.
        Some(Format::Csv) if is_list_of_objects(head) => Ok(Format::Json),
        Some(Format::Csv | Format::Json) if text_kind(head) == Some("a web page") => {
            refuse("a web page")
        }
        Some(Format::Csv) if is_noise(head) => refuse("bytes of no known format"),
        Some(text @ (Format::Csv | Format::Json | Format::Jsonl | Format::Toml)) => Ok(text),
        Some(binary) => {
            let what = text_kind(head).unwrap_or("something else");
            let message = format!("expected {} by the name, found {what}", binary.name());
            Err(Error::new(ErrorKind::Format, message)
                .at(Place::source(source.name()))
                .hint("give it the extension of what it really is, such as .csv"))
        }
        None => match text_kind(head) {
            Some("a web page") => refuse("a web page"),
            Some("JSON") => Ok(json_or_lines(head)),
            Some(_) => Ok(Format::Csv),
            None => refuse("bytes of no known format"),
        },
    }
}

fn by_magic(head: &[u8], by_name: Option<Format>) -> Option<Format> {
    if head.starts_with(b"PAR1") || head.starts_with(b"PARE") {
        return Some(Format::Parquet);
    }
    if head.starts_with(b"ARROW1") || head.starts_with(b"\xff\xff\xff\xff") && !is_utf16(head) {
        return Some(Format::Arrow);
    }
    if head.starts_with(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1") {
        // Old binary workbooks and encrypted new ones share this container; their reader tells them apart.
        return Some(
            by_name
                .filter(|format| format.is_workbook())
                .unwrap_or(Format::Xls),
        );
    }
    if head.starts_with(b"PK\x03\x04") || head.starts_with(b"PK\x05\x06") {
        return Some(zip_format(head, by_name));
    }
    // A worksheet stream of Excel 2 to 5 without the container: BOF records 0009, 0209, 0409, 0809.
    let bare = matches!(head, [0x09, 0x00 | 0x02 | 0x04 | 0x08, low, 0, ..] if *low <= 0x10);
    bare.then_some(Format::Xls)
}

/// The kind of workbook in a zip archive: by the part names near the front, else by extension.
fn zip_format(head: &[u8], by_name: Option<Format>) -> Format {
    let has = |needle: &[u8]| memchr::memmem::find(head, needle).is_some();
    if has(b"opendocument.spreadsheet") {
        Format::Ods
    } else if has(b"xl/workbook.bin") || has(b"xl/worksheets/sheet1.bin") {
        Format::Xlsb
    } else {
        by_name
            .filter(|format| format.is_workbook())
            .unwrap_or(Format::Xlsx)
    }
}

fn is_utf16(head: &[u8]) -> bool {
    head.starts_with(b"\xff\xfe") || head.starts_with(b"\xfe\xff")
}

/// How many control characters there are that text does not hold; zero bytes are not counted.
fn controls(head: &[u8]) -> usize {
    head.iter()
        .filter(|byte| **byte < 0x20 && !matches!(**byte, b'\t' | b'\n' | b'\r' | 0x0c | 0x1b | 0))
        .count()
}

/// True for bytes that no encoding makes text of. A name that says text is believed further than
/// no name: one in ten random bytes is a control character, of text not one in twenty.
fn is_noise(head: &[u8]) -> bool {
    let zeros = memchr::memchr_iter(0, head).count();
    let utf16 = is_utf16(head) || zeros * 4 > head.len();
    head.len() >= 64 && !utf16 && controls(head) * 20 > head.len()
}

/// What kind of text this is, or `None` when it is not text.
fn text_kind(head: &[u8]) -> Option<&'static str> {
    let controls = controls(head);
    let zeros = memchr::memchr_iter(0, head).count();
    let utf16 = is_utf16(head) || zeros * 4 > head.len();
    if controls * 50 > head.len() || zeros * 50 > head.len() && !utf16 {
        return None;
    }
    let text = head
        .strip_prefix(b"\xef\xbb\xbf")
        .unwrap_or(head)
        .trim_ascii_start();
    let front = text[..text.len().min(200)].to_ascii_lowercase();
    if front.starts_with(b"<!doctype html") || front.starts_with(b"<html") {
        return Some("a web page");
    }
    Some(if text.starts_with(b"{") || text.starts_with(b"[") {
        "JSON"
    } else {
        "text"
    })
}

/// True when the text begins as `[{"key":`, which no header of delimited text does.
fn is_list_of_objects(head: &[u8]) -> bool {
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let behind_key = [b"[", b"{", b"\""]
        .into_iter()
        .try_fold(text, |rest, sign| {
            rest.trim_ascii_start().strip_prefix(sign)
        })
        .and_then(|key| key.get(memchr::memchr(b'"', key)? + 1..));
    behind_key.is_some_and(|rest| rest.trim_ascii_start().starts_with(b":"))
}

/// JSON lines when the first line is a whole object and more follows.
fn json_or_lines(head: &[u8]) -> Format {
    let text = head
        .strip_prefix(b"\xef\xbb\xbf")
        .unwrap_or(head)
        .trim_ascii_start();
    let Some(end) = memchr::memchr(b'\n', text) else {
        return Format::Json;
    };
    let (first, rest) = text.split_at(end);
    let whole = first.starts_with(b"{") && first.trim_ascii_end().ends_with(b"}");
    if whole && !rest.trim_ascii().is_empty() {
        Format::Jsonl
    } else {
        Format::Json
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(name: &str, bytes: &[u8]) -> Result<Format> {
        detect(&Source::bytes(name, bytes.to_vec())?)
    }

    #[test]
    fn content_beats_the_extension() {
        assert_eq!(found("a.csv", b"PAR1....").ok(), Some(Format::Parquet));
        assert_eq!(
            found("a", b"{\"a\":1}\n{\"a\":2}\n").ok(),
            Some(Format::Jsonl)
        );
        assert_eq!(found("a", b"[\n{\"a\":1}]").ok(), Some(Format::Json));
        assert_eq!(found("-", b"a,b\n1,2\n").ok(), Some(Format::Csv));
    }

    #[test]
    fn a_list_of_objects_is_json_under_any_text_extension() {
        let csv = |bytes| found("a.csv", bytes).ok();
        assert_eq!(csv(b"[{\"a\":1,\"b\":2}]"), Some(Format::Json));
        assert_eq!(csv(b"\xef\xbb\xbf[\n { \"a\" : 1 }]"), Some(Format::Json));
        assert_eq!(csv(b"[{\"a\",b\n1,2\n"), Some(Format::Csv));
        assert_eq!(csv(b"[{"), Some(Format::Csv));
        assert_eq!(csv(b"{\"a\": 1}\n{\"a\": 2}"), Some(Format::Csv));
    }

    #[test]
    fn what_is_no_data_is_named() {
        let png = found("a.csv", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR").expect_err("a picture");
        assert!(
            png.to_string()
                .contains("expected data, found a PNG picture"),
            "{png}"
        );
        let page = found("a.xls", b"<html><table>").expect_err("a page");
        assert!(
            page.to_string()
                .contains("expected xls by the name, found a web page")
        );
        assert!(found("a.bin", &[1, 2, 3, 4, 5, 6, 7, 8]).is_err());
        let noise: Vec<u8> = (0..5000u32)
            .map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8)
            .collect();
        let error = found("noise.csv", &noise).expect_err("noise");
        assert!(error.to_string().contains("bytes of no known format"));
        let page = found("a.csv", b"<!DOCTYPE html>\n<p>Sign in").expect_err("a page");
        assert!(page.to_string().contains("found a web page"), "{page}");
    }

    #[test]
    fn a_csv_header_may_begin_like_a_magic_word() {
        assert_eq!(found("a.csv", b"ORCHARD,b\n1,2\n").ok(), Some(Format::Csv));
    }
}
