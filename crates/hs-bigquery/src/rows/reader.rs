//! A place in the JSON text of a reply, moved forward piece by piece. It allocates for escapes only, and
//! knows neither columns nor types.

use hs_core::error::quoted;
use hs_core::format::json::scan::{is_number, special, unit};
use hs_core::{Error, ErrorKind, Place, Result};

/// Lists and objects inside each other in what is passed over.
const DEPTH: usize = 512;

/// A reader of one reply, whose bytes are known to be UTF-8.
pub struct Reader<'t> {
    text: &'t str,
    at: usize,
    scratch: String,
}

/// A value that is no list and no object.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scalar<'r> {
    /// `null`.
    Null,
    /// A text in quotes, without its escapes.
    Text(&'r str),
    /// A number, `true` or `false`, as it is written. BigQuery puts them in quotes.
    Bare(&'r str),
}

impl<'t> Reader<'t> {
    /// At the begin of a reply.
    pub fn new(text: &'t str) -> Self {
        Self {
            text,
            at: 0,
            scratch: String::new(),
        }
    }

    /// The byte that comes next, from 0.
    pub fn at(&self) -> usize {
        self.at
    }

    /// The same reply from another byte on, one that [`Reader::at`] gave.
    pub fn from(&self, at: usize) -> Self {
        Self {
            at,
            ..Self::new(self.text)
        }
    }

    /// The text between two bytes that [`Reader::at`] gave.
    pub fn between(&self, start: usize, end: usize) -> &'t str {
        self.text.get(start..end).unwrap_or_default()
    }

    /// Goes into a list or object; false when there is nothing in it, and then behind it.
    #[inline]
    pub fn open(&mut self, open: u8, close: u8) -> Result<bool> {
        if self.next() != Some(open) {
            let expected = if open == b'[' { "a list" } else { "an object" };
            return Err(self.fault(expected));
        }
        self.at += 1;
        let more = self.next() != Some(close);
        self.at += usize::from(!more);
        Ok(more)
    }

    /// Goes behind the comma before another value (true), or behind the end of the list or object.
    #[inline]
    pub fn more(&mut self, close: u8) -> Result<bool> {
        match self.next() {
            Some(b',') => {
                self.at += 1;
                Ok(true)
            }
            Some(byte) if byte == close => {
                self.at += 1;
                Ok(false)
            }
            _ => Err(self.fault(if close == b']' {
                "`,` or `]`"
            } else {
                "`,` or `}`"
            })),
        }
    }

    /// The next key of an object, as its position among the known ones.
    pub fn key(&mut self, known: &[&str]) -> Result<Option<usize>> {
        self.next();
        let key = self.string("a key")?;
        let found = known.iter().position(|name| *name == key);
        self.colon()?;
        Ok(found)
    }

    /// As [`Reader::key`] where one key of one letter is known, written with its colon and quotes.
    #[inline]
    pub fn letter(&mut self, quoted: [u8; 4]) -> Result<bool> {
        if self.rest().first_chunk::<4>() == Some(&quoted) {
            self.at += 4;
            return Ok(true);
        }
        let name = char::from(quoted[1]);
        let mut letters = [0; 4];
        Ok(self.key(&[name.encode_utf8(&mut letters)])?.is_some())
    }

    fn colon(&mut self) -> Result<()> {
        if self.next() != Some(b':') {
            return Err(self.fault("`:`"));
        }
        self.at += 1;
        Ok(())
    }

    /// True, and behind it, for `null`.
    #[inline]
    pub fn null(&mut self) -> bool {
        let found = self.next() == Some(b'n') && self.rest().starts_with(b"null");
        self.at += if found { 4 } else { 0 };
        found
    }

    /// True when a text comes next.
    pub fn at_text(&mut self) -> bool {
        self.next() == Some(b'"')
    }

    /// The next value, which has to be no list and no object.
    #[inline]
    pub fn scalar(&mut self) -> Result<Scalar<'_>> {
        match self.next() {
            Some(b'"') => self.string("text").map(Scalar::Text),
            Some(b'n') if self.null() => Ok(Scalar::Null),
            Some(b't' | b'f' | b'-' | b'0'..=b'9') => self.bare().map(Scalar::Bare),
            _ => Err(self.fault("text or null")),
        }
    }

    /// Text, `None` for null; for the envelope, where numbers in quotes may stand without.
    pub fn words(&mut self) -> Result<Option<&str>> {
        Ok(match self.scalar()? {
            Scalar::Null => None,
            Scalar::Text(text) | Scalar::Bare(text) => Some(text),
        })
    }

    /// Passes over a value of any kind.
    pub fn skip(&mut self) -> Result<()> {
        self.skip_at(0)
    }

    fn skip_at(&mut self, depth: usize) -> Result<()> {
        let (open, close) = match self.next() {
            Some(b'{') => (b'{', b'}'),
            Some(b'[') => (b'[', b']'),
            _ => return self.scalar().map(drop),
        };
        if depth == DEPTH {
            let message = format!("expected at most {DEPTH} levels of nesting, found more");
            return Err(self.error(message));
        }
        let mut more = self.open(open, close)?;
        while more {
            if open == b'{' {
                self.key(&[])?;
            }
            self.skip_at(depth + 1)?;
            more = self.more(close)?;
        }
        Ok(())
    }

    /// Checks that nothing follows.
    pub fn end(&mut self) -> Result<()> {
        match self.next() {
            None => Ok(()),
            Some(_) => Err(self.fault("the end of the reply")),
        }
    }

    fn rest(&self) -> &'t [u8] {
        self.text.as_bytes().get(self.at..).unwrap_or_default()
    }

    /// The next byte that is no white space.
    #[inline]
    fn next(&mut self) -> Option<u8> {
        let bytes = self.text.as_bytes();
        loop {
            match *bytes.get(self.at)? {
                b' ' | b'\t' | b'\n' | b'\r' => self.at += 1,
                byte => return Some(byte),
            }
        }
    }

    fn bare(&mut self) -> Result<&'t str> {
        let rest = self.rest();
        let inside = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'+');
        let length = rest.iter().position(|byte| !inside(byte));
        let length = length.unwrap_or(rest.len());
        let word = self.text.get(self.at..self.at + length).unwrap_or_default();
        if !matches!(word, "true" | "false") && !is_number(word.as_bytes()) {
            return Err(self.fault("text or null"));
        }
        self.at += length;
        Ok(word)
    }

    /// The text in quotes that comes next.
    #[inline]
    fn string(&mut self, expected: &'static str) -> Result<&str> {
        if self.rest().first() != Some(&b'"') {
            return Err(self.fault(expected));
        }
        let start = self.at + 1;
        let Some(end) = special(self.text.as_bytes(), start) else {
            return Err(self.cut());
        };
        if self.text.as_bytes().get(end) == Some(&b'"') {
            self.at = end + 1;
            return Ok(self.text.get(start..end).unwrap_or_default());
        }
        self.escaped(start, end)
    }

    #[cold]
    fn escaped(&mut self, mut start: usize, mut end: usize) -> Result<&str> {
        let bytes = self.text.as_bytes();
        self.scratch.clear();
        loop {
            self.scratch
                .push_str(self.text.get(start..end).unwrap_or_default());
            self.at = end;
            match bytes.get(end) {
                Some(b'"') => {
                    self.at = end + 1;
                    return Ok(&self.scratch);
                }
                Some(b'\\') => {}
                _ => return Err(self.fault("an escape for a control character")),
            }
            start = end + 2;
            let letter = match bytes.get(end + 1) {
                Some(letter @ (b'"' | b'\\' | b'/')) => char::from(*letter),
                Some(b'b') => '\u{8}',
                Some(b'f') => '\u{c}',
                Some(b'n') => '\n',
                Some(b'r') => '\r',
                Some(b't') => '\t',
                Some(b'u') => {
                    let (letter, length) =
                        unicode(bytes, start).map_err(|expected| self.fault(expected))?;
                    start += length;
                    letter
                }
                _ => return Err(self.fault("an escape of JSON")),
            };
            self.scratch.push(letter);
            let Some(next) = special(bytes, start) else {
                return Err(self.cut());
            };
            end = next;
        }
    }

    #[cold]
    fn cut(&self) -> Error {
        let message = "expected the closing quote of a text, found the end of the reply";
        self.error(message.to_owned())
    }

    /// That something else stands here.
    #[cold]
    pub fn fault(&self, expected: &str) -> Error {
        const SHOWN: usize = 24;
        let rest = self.text.get(self.at..).unwrap_or_default();
        if rest.is_empty() {
            return self.error(format!("expected {expected}, found the end of the reply"));
        }
        let line = rest.lines().next().unwrap_or_default();
        let cut = line
            .char_indices()
            .nth(SHOWN)
            .map_or(line.len(), |(cut, _)| cut);
        let found = quoted(&line[..cut]);
        self.error(format!("expected {expected}, found {found}"))
    }

    #[cold]
    fn error(&self, message: String) -> Error {
        Error::new(ErrorKind::Format, message).at(Place::default().byte(self.at as u64))
    }
}

/// The letter of an escape of four hexadecimal digits, with the second one of a surrogate pair, and how
/// many bytes behind `\u` that takes.
fn unicode(bytes: &[u8], at: usize) -> std::result::Result<(char, usize), &'static str> {
    let first = unit(bytes, at).ok_or("four hexadecimal digits")?;
    let pair = "both halves of a surrogate pair (\\ud83d\\ude00)";
    if let Some(letter) = char::from_u32(u32::from(first)) {
        return Ok((letter, 4));
    }
    let second = bytes.get(at + 4..at + 6).filter(|two| *two == b"\\u");
    let second = second.and_then(|_| unit(bytes, at + 6)).ok_or(pair)?;
    let letter = char::decode_utf16([first, second]).next();
    letter
        .and_then(std::result::Result::ok)
        .map(|letter| (letter, 10))
        .ok_or(pair)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(json: &str) -> std::result::Result<String, String> {
        match Reader::new(json).scalar() {
            Ok(Scalar::Text(text)) => Ok(text.to_owned()),
            Ok(other) => Err(format!("{other:?}")),
            Err(error) => Err(error.to_string()),
        }
    }

    #[test]
    fn escapes_are_what_they_stand_for() {
        assert_eq!(
            text(r#" "plain text of more than eight""#).unwrap(),
            "plain text of more than eight"
        );
        assert_eq!(
            text(r#""a\"b\\c\/d\b\f\n\r\t""#).unwrap(),
            "a\"b\\c/d\u{8}\u{c}\n\r\t"
        );
        assert_eq!(text(r#""\u00e9 \ud83d\ude00 \u0000""#).unwrap(), "é 😀 \0");
        assert_eq!(text("\"\u{7f}é\u{2028}\"").unwrap(), "\u{7f}é\u{2028}");
    }

    #[test]
    fn half_a_surrogate_pair_is_no_text() {
        for json in [
            r#""\ud83d""#,
            r#""\ud83dx""#,
            r#""\ud83d\u0041""#,
            r#""\ude00""#,
        ] {
            let error = text(json).unwrap_err();
            assert!(error.contains("both halves of a surrogate pair"), "{error}");
        }
    }

    #[test]
    fn what_is_no_json_is_told_with_its_byte() {
        for (json, wanted) in [
            ("", "expected text or null, found the end of the reply"),
            ("<html>", "byte 0: expected text or null, found \"<html>\""),
            (
                "\"abc",
                "expected the closing quote of a text, found the end of the reply",
            ),
            (
                "\"a\nb\"",
                "byte 2: expected an escape for a control character, found \"\"",
            ),
            (
                r#""\x""#,
                "byte 1: expected an escape of JSON, found \"\\\\x\\\"\"",
            ),
            (r#""\u12g4""#, "expected four hexadecimal digits"),
            ("nul", "expected text or null, found \"nul\""),
            ("01", "expected text or null, found \"01\""),
            ("1.", "expected text or null, found \"1.\""),
            ("truely", "expected text or null, found \"truely\""),
        ] {
            let error = text(json).unwrap_err();
            assert!(error.contains(wanted), "{json}: {error}");
        }
    }

    #[test]
    fn anything_is_passed_over_but_not_without_limit() {
        let mut reader = Reader::new(r#" {"a":[1,-2.5e+3,{"b":null}],"c\u0041":{},"d":[]} , "#);
        reader.skip().unwrap();
        assert_eq!(reader.next(), Some(b','));
        let deep = "[".repeat(100_000);
        let error = Reader::new(&deep).skip().unwrap_err().to_string();
        assert!(
            error.contains("expected at most 512 levels of nesting"),
            "{error}"
        );
        for broken in ["[1 2]", "{\"a\" 1}", "{a:1}", "[1,]", "{,}", "[1"] {
            assert!(Reader::new(broken).skip().is_err(), "{broken}");
        }
    }

    #[test]
    fn the_end_of_a_text_is_found_wherever_it_is() {
        for length in 0..40 {
            for end in [b'"', b'\\', 0, 0x1f] {
                let mut bytes = "\u{80}é~ \u{7f}!#[]"
                    .bytes()
                    .cycle()
                    .take(length)
                    .collect::<Vec<_>>();
                assert_eq!(special(&bytes, 0), None);
                bytes.push(end);
                bytes.extend(b"\"tail of it\"");
                assert_eq!(special(&bytes, 0), Some(length));
            }
        }
    }
}
