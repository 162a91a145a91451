//! Other ways of quoting than RFC 4180: blanks around the quotes, single quotes, backslashes.
//!
//! Only asked for a text that the book's way does not read well. A way counts only when under it
//! the whole text is in order: every record has the same number of fields and nothing stands
//! behind a closing quote. Then the text is written anew in the book's way, so no other part of
//! the reader knows these. It never changes where lines start.

use super::index::{Content, content};
use super::records::line_end;
use super::types::{Seen, classify};
use crate::control::Control;
use crate::error::Result;

/// How often the stop request is looked at, in records.
const CHECK: usize = 1024;

/// A way of quoting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quoting {
    /// Blanks may stand before the opening and behind the closing quote.
    Spaced,
    /// A backslash stands before a quote, delimiter or line end that is part of the text.
    Backslash,
    /// The quote is `'`, blanks may stand around it, and no field starts with `"`.
    Single,
    /// Quotes are part of the text, as IANA has it for tab-separated values. Only with tabs, and
    /// when no program that quotes would have written this; see [`Tally`].
    Absent,
}

impl Quoting {
    /// In the order in which they are tried.
    pub const ALL: [Self; 4] = [Self::Spaced, Self::Backslash, Self::Single, Self::Absent];

    /// What is told about it.
    pub fn words(self) -> &'static str {
        match self {
            Self::Spaced => "quotes: blanks around quoted fields left out",
            Self::Backslash => {
                "quotes: a backslash before a quote, delimiter, line end or backslash left out"
            }
            Self::Single => "quotes: single quotes (')",
            Self::Absent => "quotes: none, they are part of the text",
        }
    }

    /// True when the text holds what this way is for.
    fn may_be(self, text: &[u8]) -> bool {
        let has = |needle: &[u8]| memchr::memmem::find(text, needle).is_some();
        match self {
            Self::Spaced => [&b" \""[..], b"\" ", b"\t\"", b"\"\t"].into_iter().any(has),
            Self::Backslash => has(b"\\"),
            Self::Single => has(b"'"),
            Self::Absent => has(b"\t\""),
        }
    }

    /// The quote, if there is one.
    pub fn quote(self) -> Option<u8> {
        match self {
            Self::Spaced | Self::Backslash => Some(b'"'),
            Self::Single => Some(b'\''),
            Self::Absent => None,
        }
    }
}

/// The text from `start` on in RFC 4180, with everything before as it is, if it is in order under
/// this way of quoting; `None` for one column as well unless `alone`, and when memory runs out.
///
/// # Errors
/// Only a stop request.
pub fn rewrite(
    text: &[u8],
    start: usize,
    delimiter: &[u8],
    quoting: Quoting,
    alone: bool,
    control: &Control,
) -> Result<Option<Vec<u8>>> {
    let apart = quoting.quote() != delimiter.first().copied();
    let fit = quoting != Quoting::Absent || delimiter == b"\t";
    if !apart || !fit || !quoting.may_be(&text[start..]) {
        return Ok(None);
    }
    // First without writing, since most texts turn out not to be in order.
    for dry in [true, false] {
        let mut writer = Writer {
            text,
            at: 0,
            delimiter,
            quoting,
            dry,
            out: Vec::new(),
            field: Vec::new(),
            column: 0,
            tallies: Vec::new(),
        };
        if writer.put(start).is_none() || !writer.is_in_order(alone, control)? {
            return Ok(None);
        }
        if !dry {
            return Ok(Some(writer.out));
        }
    }
    Ok(None)
}

struct Writer<'a> {
    text: &'a [u8],
    at: usize,
    delimiter: &'a [u8],
    quoting: Quoting,
    /// True when nothing is to be written.
    dry: bool,
    out: Vec<u8>,
    field: Vec<u8>,
    column: usize,
    /// One for each column, without quotes.
    tallies: Vec<Tally>,
}

/// How the fields of a column look.
#[derive(Clone, Copy, Default)]
struct Tally {
    /// Quoted by the book.
    whole: u64,
    /// Start with a quote that is not closed as it should be.
    broken: u64,
    /// Text without a quote in front.
    bare: u64,
}

impl Tally {
    /// True when quotes are part of the text: some are broken, and either most are, or so much text
    /// beside them has no quotes that nobody quoted all of it.
    fn is_text(tallies: &[Self]) -> bool {
        let sum = |part: fn(&Self) -> u64| tallies.iter().map(part).sum::<u64>();
        let (whole, broken) = (sum(|tally| tally.whole), sum(|tally| tally.broken));
        let beside = |tally: &Self| tally.bare * 4 >= tally.whole + tally.broken;
        broken >= 2 && (broken > whole || tallies.iter().all(beside))
    }
}

impl Writer<'_> {
    /// Writes all records; false when one is out of order or memory runs out.
    fn is_in_order(&mut self, alone: bool, control: &Control) -> Result<bool> {
        let (mut width, mut records) = (0, 0);
        while self.at < self.text.len() {
            if records % CHECK == 0 {
                control.check()?;
            }
            match self.blank_line() {
                Some(true) => continue,
                Some(false) => {}
                None => return Ok(false),
            }
            match self.record() {
                Some(fields) if records == 0 && (fields >= 2 || alone) => width = fields,
                Some(fields) if fields == width => {}
                _ => return Ok(false),
            }
            records += 1;
        }
        let quoted = self.quoting != Quoting::Absent || Tally::is_text(&self.tallies);
        Ok(records >= 2 && quoted)
    }

    fn rest(&self) -> &[u8] {
        &self.text[self.at..]
    }

    /// Passes over a line without fields.
    fn blank_line(&mut self) -> Option<bool> {
        let rest = self.rest();
        let end = memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
        let blank = rest[..end].trim_ascii().is_empty() && !self.divides(&rest[..end]);
        if blank {
            let next = (self.at + end + line_end(&rest[end..])).min(self.text.len());
            self.put(next)?;
        }
        Some(blank)
    }

    fn divides(&self, line: &[u8]) -> bool {
        memchr::memmem::find(line, self.delimiter).is_some()
    }

    /// True at a delimiter, a line end or the end of the text.
    fn ends(&self) -> bool {
        matches!(self.rest().first(), None | Some(b'\n' | b'\r')) || self.at_delimiter()
    }

    fn at_delimiter(&self) -> bool {
        self.rest().starts_with(self.delimiter)
    }

    fn skip_spaces(&mut self) {
        while matches!(self.rest().first(), Some(b' ' | b'\t')) && !self.at_delimiter() {
            self.at += 1;
        }
    }

    /// Writes a record and gives its number of fields; `None` when it is out of order.
    fn record(&mut self) -> Option<usize> {
        let mut fields = 0;
        loop {
            self.column = fields;
            self.write_field()?;
            fields += 1;
            if self.at_delimiter() {
                self.put(self.at + self.delimiter.len())?;
                continue;
            }
            let rest = self.rest();
            let length = line_end(rest).min(rest.len());
            self.put(self.at + length)?;
            return Some(fields);
        }
    }

    fn write_field(&mut self) -> Option<()> {
        let start = self.at;
        self.field.clear();
        let spaced = matches!(self.quoting, Quoting::Spaced | Quoting::Single);
        if spaced {
            self.skip_spaces();
        }
        let quote = self.quoting.quote();
        if let Some(quote) = quote.filter(|quote| self.rest().first() == Some(quote)) {
            self.at += 1;
            self.quoted(quote)?;
            if spaced {
                self.skip_spaces();
            }
            if !self.ends() {
                return None;
            }
            return self.put_quoted();
        }
        if self.quoting == Quoting::Single && self.rest().first() == Some(&b'"') {
            return None;
        }
        self.at = start;
        let mut special = self.plain()?;
        if self.quoting == Quoting::Absent {
            special = self.field.first() == Some(&b'"');
            self.tally();
        }
        if special {
            self.put_quoted()
        } else {
            self.at = start;
            self.put(start + self.field.len())
        }
    }

    /// Counts how the field looks.
    fn tally(&mut self) {
        if self.tallies.len() <= self.column {
            self.tallies.resize(self.column + 1, Tally::default());
        }
        let tally = &mut self.tallies[self.column];
        match content(&self.field) {
            _ if self.field.first() != Some(&b'"') => {
                tally.bare += u64::from(classify(&self.field).has(Seen::TEXT));
            }
            Content::Plain(bytes) if bytes.len() == self.field.len() => tally.broken += 1,
            _ => tally.whole += 1,
        }
    }

    /// Takes `length` bytes of the text as content; `None` when memory runs out.
    fn take(&mut self, length: usize) -> Option<()> {
        self.field.try_reserve(length).ok()?;
        self.field
            .extend_from_slice(&self.text[self.at..self.at + length]);
        self.at += length;
        Some(())
    }

    /// Takes the content up to the closing quote and passes over that.
    fn quoted(&mut self, quote: u8) -> Option<()> {
        loop {
            let found = memchr::memchr2(quote, b'\\', self.rest())?;
            self.take(found)?;
            if self.text[self.at] == b'\\' {
                if !self.escape()? {
                    self.take(1)?;
                }
                continue;
            }
            self.at += 1;
            if self.rest().first() != Some(&quote) {
                return Some(());
            }
            self.take(1)?;
        }
    }

    /// Takes the content up to the end of the field; true when it held an escape.
    fn plain(&mut self) -> Option<bool> {
        let mut escaped = false;
        let first = self.delimiter.first().copied();
        loop {
            let stop = |byte: &u8| matches!(byte, b'\n' | b'\r' | b'\\') || Some(*byte) == first;
            let length = self.rest().iter().position(stop);
            self.take(length.unwrap_or(self.rest().len()))?;
            if self.ends() {
                return Some(escaped);
            }
            if self.text[self.at] == b'\\' && self.escape()? {
                escaped = true;
            } else {
                self.take(1)?;
            }
        }
    }

    /// At a backslash: takes what it stands before, if that needs one.
    fn escape(&mut self) -> Option<bool> {
        if self.quoting != Quoting::Backslash {
            return Some(false);
        }
        let rest = &self.text[self.at + 1..];
        let length = match rest.first() {
            Some(b'"' | b'\\') => 1,
            Some(b'\n' | b'\r') => line_end(rest),
            _ if rest.starts_with(self.delimiter) => self.delimiter.len(),
            _ => return Some(false),
        };
        self.at += 1;
        self.take(length)?;
        Some(true)
    }

    /// Writes the content by the book.
    fn put_quoted(&mut self) -> Option<()> {
        if self.dry {
            return Some(());
        }
        self.out.try_reserve(2 * self.field.len() + 2).ok()?;
        self.out.push(b'"');
        for byte in &self.field {
            if *byte == b'"' {
                self.out.push(b'"');
            }
            self.out.push(*byte);
        }
        self.out.push(b'"');
        Some(())
    }

    /// Writes the text up to `end` as it stands, and goes there.
    fn put(&mut self, end: usize) -> Option<()> {
        if !self.dry {
            self.out.try_reserve(end - self.at).ok()?;
            self.out.extend_from_slice(&self.text[self.at..end]);
        }
        self.at = end;
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rewritten(text: &str, delimiter: &str, quoting: Quoting) -> Option<String> {
        let delimiter = delimiter.as_bytes();
        let control = Control::default();
        let out = rewrite(text.as_bytes(), 0, delimiter, quoting, false, &control).unwrap();
        out.map(|out| String::from_utf8(out).unwrap())
    }

    #[test]
    fn each_way_is_written_by_the_book() {
        let cases = [
            (
                "a, \"b\"\r\n1, \"x,\"\"y\"  \r\n\r\n 2 ,z\n",
                ",",
                Quoting::Spaced,
                "a,\"b\"\r\n1,\"x,\"\"y\"\r\n\r\n 2 ,z\n",
            ),
            (
                "a|\"t\\\"2\\\"\"\nb\\|c|C:\\x\\\\\nd\\\ne|\\N",
                "|",
                Quoting::Backslash,
                "a|\"t\"\"2\"\"\"\n\"b|c\"|\"C:\\x\\\"\n\"d\ne\"|\\N",
            ),
            (
                "'a, b',c\n 'it''s',5\" tall\n",
                ",",
                Quoting::Single,
                "\"a, b\",c\n\"it's\",5\" tall\n",
            ),
        ];
        for (text, delimiter, quoting, expected) in cases {
            assert_eq!(
                rewritten(text, delimiter, quoting).as_deref(),
                Some(expected)
            );
        }
    }

    #[test]
    fn quotes_are_text_where_tabs_divide_and_most_are_not_closed() {
        let text = "id\t\"Heroes\" live\n1\t\"\n2\t\"!\"\n";
        let written = "id\t\"\"\"Heroes\"\" live\"\n1\t\"\"\"\"\n2\t\"\"\"!\"\"\"\n";
        assert_eq!(
            rewritten(text, "\t", Quoting::Absent).as_deref(),
            Some(written)
        );
        assert_eq!(
            rewritten(&text.replace('\t', ","), ",", Quoting::Absent),
            None
        );
        // Text without quotes beside them: nobody quoted all, nor only what needs it.
        let some = "id\ttitle\n1\t\"\n2\t\"\"\"\n3\t\"a\"\n4\t\"b\"\n5\t\"c\"\n6\tx\n";
        assert!(rewritten(some, "\t", Quoting::Absent).is_some());
        let whole = "a\t\"b\"\n1\t\"2\"\n3\t\"4\" x\n5\t\"6\n";
        assert_eq!(rewritten(whole, "\t", Quoting::Absent), None);
    }

    #[test]
    fn a_text_that_is_not_in_order_is_left_alone() {
        for (text, quoting) in [
            // Another width, text behind a quote, an open quote, a single record, one column.
            ("a, \"b\"\n1, \"2\",3\n", Quoting::Spaced),
            ("a, \"b\" c\n1,2\n", Quoting::Spaced),
            ("a, \"b\n1,2\n", Quoting::Spaced),
            ("a, \"b,c\"", Quoting::Spaced),
            ("'a'\n'b'\n", Quoting::Single),
            // Both quotes open fields.
            ("a,b\n\"x,y\n1',2\"\n'z,',\"z\"\n", Quoting::Single),
            ("'t is,1\n'90s,2\n", Quoting::Single),
            ("a,b\\\"\n1,2,3\n", Quoting::Backslash),
        ] {
            assert_eq!(rewritten(text, ",", quoting), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_in_a_way_of_quoting_is_rewritten_by_the_book(
            rows in (2usize..4).prop_flat_map(|width| {
                let field = "[a-c,;'\"\\\\\n\r é]{0,5}";
                proptest::collection::vec(proptest::collection::vec(field, width), 2..8)
            }),
            way in 0usize..3,
        ) {
            let quoting = Quoting::ALL[way];
            let field = |text: &String| match quoting {
                Quoting::Spaced => format!(" \"{}\"  ", text.replace('"', "\"\"")),
                Quoting::Backslash => {
                    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
                }
                _ => format!("'{}'", text.replace('\'', "''")),
            };
            let book = |text: &String| format!("\"{}\"", text.replace('"', "\"\""));
            let written = |field: &dyn Fn(&String) -> String| -> String {
                let line = |row: &Vec<String>| row.iter().map(field).collect::<Vec<_>>().join(";");
                rows.iter().map(|row| line(row) + "\r\n").collect()
            };
            let odd = written(&field);
            let expected = quoting.may_be(odd.as_bytes()).then(|| written(&book));
            prop_assert_eq!(rewritten(&odd, ";", quoting), expected);
        }

        #[test]
        fn no_bytes_make_it_panic(text in "[a',;\"\\\\\t\n\r é]{0,40}", way in 0usize..4) {
            for delimiter in [",", "\t", "é"] {
                let control = Control::default();
                let bytes = (text.as_bytes(), delimiter.as_bytes());
                let out = rewrite(bytes.0, 0, bytes.1, Quoting::ALL[way], true, &control).unwrap();
                // Lines stay where they are; but an end that only a backslash parts is one without it.
                let lines = |text: &[u8]| super::super::records::line_of(text, text.len());
                let joined = text.replace("\r\\\n", "\r\n");
                if let Some(out) = out {
                    let most = lines(text.as_bytes());
                    prop_assert!((lines(joined.as_bytes())..=most).contains(&lines(&out)));
                }
            }
        }
    }
}
