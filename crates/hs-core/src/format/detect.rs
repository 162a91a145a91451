//! Which format a source has: by content first, by extension second, else a clear error.

use crate::error::{Error, ErrorKind, Place, Result};
use crate::format::{Format, toml};
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
    if head.is_empty() {
        // A document without a line is a whole one in TOML, and only there.
        if by_name == Some(Format::Toml) {
            return Ok(Format::Toml);
        }
        let inside = if source.is_packed() { " inside" } else { "" };
        let message = format!("expected data, found an empty file{inside}");
        return Err(Error::new(ErrorKind::Format, message)
            .at(Place::source(source.name()))
            .hint("write or fetch the file again; a table without rows has at least a header"));
    }
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
        // A list over several lines, or one line that is all there is.
        Some(Format::Jsonl) if is_list_of_objects(head) && !is_closed_line(head) => {
            Ok(Format::Json)
        }
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
            Some(_) if is_toml(head) && toml::is_document(head) => Ok(Format::Toml),
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
    Some(
        if text.starts_with(b"{")
            || text.starts_with(b"[") && !(is_toml(head) && toml::is_document(head))
        {
            "JSON"
        } else {
            "text"
        },
    )
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

/// True when the first line ends a list and more lines follow.
fn is_closed_line(head: &[u8]) -> bool {
    let Some(end) = memchr::memchr(b'\n', head) else {
        return false;
    };
    let (first, rest) = head.split_at(end);
    first.trim_ascii_end().ends_with(b"]") && !rest.trim_ascii().is_empty()
}

/// True when a text without a name is clearly TOML: each line until the first key with a value is blank,
/// a comment or the name of a table in brackets, and that value is one that stands so in TOML only.
fn is_toml(head: &[u8]) -> bool {
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    // A line that is cut off is not looked at.
    let whole = match memchr::memrchr(b'\n', text) {
        Some(end) => &text[..end],
        None => text,
    };
    let mut table = false;
    for line in whole.split(|byte| *byte == b'\n') {
        let line = line.trim_ascii();
        if line.is_empty() || line.starts_with(b"#") {
            continue;
        }
        if let Some(name) = table_name(line) {
            if !name {
                return false;
            }
            table = true;
            continue;
        }
        let Some(sign) = memchr::memchr(b'=', line) else {
            return false;
        };
        let (key, value) = (line[..sign].trim_ascii(), line[sign + 1..].trim_ascii());
        return is_key(key) && (is_toml_value(value) || table && !value.is_empty());
    }
    table
}

/// Whether a line in brackets names a table; `None` for another line.
fn table_name(line: &[u8]) -> Option<bool> {
    let name = line.strip_prefix(b"[")?;
    let name = &name[..memchr::memchr(b'#', name).unwrap_or(name.len())];
    let name = name.trim_ascii_end().strip_suffix(b"]");
    let name = name.map(|name| match name.strip_prefix(b"[") {
        Some(array) => array.strip_suffix(b"]").unwrap_or_default(),
        None => name,
    });
    // A list of JSON has values in its brackets: a number alone could be either.
    let word = |name: &[u8]| is_key(name) && name.iter().any(u8::is_ascii_alphabetic);
    Some(
        name.is_some_and(|name| {
            word(name) && name != b"true" && name != b"false" && name != b"null"
        }),
    )
}

/// A key, bare or with dots.
fn is_key(key: &[u8]) -> bool {
    let inside = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-.".contains(byte);
    !key.is_empty() && key.iter().all(inside)
}

/// A value in quotes or brackets, a bool, or a number with nothing behind it but a comment.
fn is_toml_value(value: &[u8]) -> bool {
    let bare = &value[..memchr::memchr(b'#', value).unwrap_or(value.len())];
    let bare = bare.trim_ascii_end();
    match bare.first() {
        Some(quote @ (b'"' | b'\'')) => {
            let triple = bare.len() > 2 && bare[1] == *quote && bare[2] == *quote;
            triple || bare.len() > 1 && bare.last() == Some(quote) || value.last() == Some(quote)
        }
        Some(b'[') => !bare.contains(&b'=') || bare.contains(&b'{'),
        Some(b'{') => bare.last() == Some(&b'}'),
        Some(b'0'..=b'9' | b'+' | b'-') => bare
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || b"+-_.:".contains(byte)),
        _ => bare == b"true" || bare == b"false",
    }
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
        let lines = |bytes| found("a.jsonl", bytes).ok();
        assert_eq!(lines(b"[{\"a\":1},{\"a\":2}]\n"), Some(Format::Json));
        assert_eq!(lines(b"[{\"a\":1},\n{\"a\":2}]"), Some(Format::Json));
        assert_eq!(lines(b"[{\"a\":1}]\n{\"a\":2}"), Some(Format::Jsonl));
        assert_eq!(lines(b"[1]\n{\"a\":2}"), Some(Format::Jsonl));
    }

    #[test]
    fn toml_without_a_name_is_recognised_where_it_is_clear() {
        let named = |text: &str| found("-", text.as_bytes()).ok();
        for toml in [
            "title = \"a, b\"\n",
            "# settings\n\n[server]\nport = 80 # as ever\n",
            "[[items]]\nid = 1\n",
            "a.b-c = [1, 2]\n",
            "when = 1979-05-27T07:32:00Z\n",
            "[empty]\n",
            "point = { x = 1, y = 2 }\n",
            "name = '''\nfirst, second\n'''\n",
        ] {
            assert_eq!(named(toml), Some(Format::Toml), "{toml}");
        }
        for csv in [
            "a,b\n1,2\n",
            "formula\n=1+1\n",
            "a = b, c = d\n1,2\n",
            "x = 1, y = 2\n",
            "key = value\n",
            "A=1\nB=some words\n",
            "# comment\na;b\n1;2\n",
        ] {
            assert_eq!(named(csv), Some(Format::Csv), "{csv}");
        }
        for json in [
            "[1, 2]\n",
            "[true]\n",
            "[\n{\"a\": 1}\n]",
            "[\"a\"]\n",
            "[]\n",
            "[[1], [2]]\n",
        ] {
            assert_eq!(named(json), Some(Format::Json), "{json}");
        }
    }

    #[test]
    fn an_empty_file_is_a_document_in_toml_only() {
        assert_eq!(found("a.toml", b"").ok(), Some(Format::Toml));
        let error = found("a.csv", b"").expect_err("an empty file");
        assert!(
            error
                .to_string()
                .starts_with("a.csv: expected data, found an empty file")
        );
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
