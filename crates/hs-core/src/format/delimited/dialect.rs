//! What the file's delimiter is, where its header is, and which names the columns get.
//!
//! Decides by consistency over records, never by one line. Knows no types.

use super::build::unescape;
use super::index::{Content, content};
use super::records::{Delimiter, End, QUOTE, Range, Sink, line_end, walk};
use crate::control::Control;
use crate::error::{Error, ErrorKind, Place, Result};
use crate::fix::Fix;

/// The delimiters that are looked for, the usual first.
const CANDIDATES: [char; 4] = [',', ';', '\t', '|'];

/// How the text of a file is cut into fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dialect {
    /// The delimiter; `None` when the file is one column.
    pub delimiter: Option<char>,
    /// True when a candidate stands in the text although it delimits nothing.
    pub doubtful: bool,
}

impl Dialect {
    /// The delimiter to walk with.
    pub fn bytes(self) -> Delimiter {
        self.delimiter.map_or(Delimiter::NONE, Delimiter::of)
    }

    /// The delimiter in words.
    pub fn words(self) -> String {
        match self.delimiter {
            None => "none, one column".to_owned(),
            Some('\t') => "tab".to_owned(),
            Some(character) => format!("{character:?}").replace('\'', "\""),
        }
    }
}

/// Refuses delimiters that cannot be one.
///
/// # Errors
/// [`ErrorKind::Argument`].
pub fn check_delimiter(delimiter: char) -> Result<()> {
    if matches!(delimiter, '"' | '\n' | '\r') {
        let message =
            format!("expected a delimiter, found {delimiter:?}, which is a quote or a line end");
        return Err(Error::new(ErrorKind::Argument, message).hint("one character such as \";\""));
    }
    Ok(())
}

/// Decides the delimiter from the records between `start` and `stop`.
///
/// A candidate must be in the first record and in at least half of the others; of those, the one
/// whose records agree best in their number of fields wins, then the one that gives more fields.
/// Nothing of the kind: the file is one column.
///
/// # Errors
/// Only a stop request.
pub fn detect(text: &[u8], start: usize, stop: usize, control: &Control) -> Result<Dialect> {
    Ok(detect_within(text, start, stop, control)?.0)
}

/// As [`detect`], and whether the decision stands whatever follows the text.
///
/// # Errors
/// Only a stop request.
pub fn detect_within(
    text: &[u8],
    start: usize,
    stop: usize,
    control: &Control,
) -> Result<(Dialect, bool)> {
    let mut best: Option<(bool, f64, usize, char)> = None;
    let mut doubtful = false;
    let mut sure = true;
    for candidate in CANDIDATES {
        if memchr::memchr(candidate as u8, text.get(start..).unwrap_or_default()).is_none() {
            continue;
        }
        let mut widths = Widths::default();
        let range = Range {
            start,
            stop,
            limit: usize::MAX,
        };
        let end = walk(text, range, Delimiter::of(candidate), control, &mut widths)?;
        sure &= matches!(end, End::Record(next) if next + 3 <= text.len());
        doubtful |= widths.divided > 0;
        if widths.first < 2 || widths.divided * 2 < widths.records {
            continue;
        }
        let closed = !matches!(end, End::Unclosed(_));
        let rank = (closed, widths.agreement(), widths.first, candidate);
        let better = best.is_none_or(|best| {
            (rank.0, rank.1, rank.2).partial_cmp(&(best.0, best.1, best.2))
                == Some(std::cmp::Ordering::Greater)
        });
        if better {
            best = Some(rank);
        }
    }
    let dialect = Dialect {
        delimiter: best.map(|best| best.3),
        doubtful: doubtful && best.is_none(),
    };
    Ok((dialect, sure))
}

/// How many fields records have.
#[derive(Default)]
struct Widths {
    current: usize,
    first: usize,
    records: usize,
    divided: usize,
    counts: std::collections::HashMap<usize, usize>,
}

impl Widths {
    fn agreement(&self) -> f64 {
        let most = self.counts.values().max().copied().unwrap_or_default();
        most as f64 / self.records.max(1) as f64
    }
}

impl Sink for Widths {
    fn field(&mut self, _: usize) {
        self.current += 1;
    }

    fn record(&mut self, _: usize, _: usize, _: usize) -> bool {
        let width = std::mem::take(&mut self.current) + 1;
        if self.records == 0 {
            self.first = width;
        }
        self.records += 1;
        self.divided += usize::from(width > 1);
        *self.counts.entry(width).or_default() += 1;
        true
    }

    fn blank(&mut self, _: usize, _: usize) {}

    fn stray(&mut self, _: usize) {}
}

/// Where line `line` (from 1) starts.
///
/// # Errors
/// [`ErrorKind::Argument`] when the file has fewer lines.
pub fn start_of_line(text: &[u8], line: usize, control: &Control) -> Result<usize> {
    let mut at = 0;
    for number in 1..line {
        if number % 4096 == 0 {
            control.check()?;
        }
        let rest = &text[at..];
        let found = memchr::memchr2(b'\n', b'\r', rest);
        let next = found.map(|found| at + found + line_end(&rest[found..]));
        match next.filter(|next| *next < text.len()) {
            Some(next) => at = next,
            None => {
                let message =
                    format!("expected the header in line {line}, found only {number} lines");
                let (fix, none) = (Fix::option("header"), Fix::number("header", 0));
                let hint = format!("leave out {fix}, or {none} when the file has none");
                let error = Error::new(ErrorKind::Argument, message).hint(hint);
                return Err(error.fix(none).fix(fix));
            }
        }
    }
    Ok(at)
}

/// The first record: its fields, and where the next line starts.
#[derive(Debug, PartialEq, Eq)]
pub struct First {
    /// The fields, without quotes.
    pub fields: Vec<String>,
    /// Where it starts, blank lines left out.
    pub start: usize,
    /// Where the line behind it starts.
    pub next: usize,
}

/// Reads the first record from `start` on; `None` when only blank lines follow.
///
/// # Errors
/// [`ErrorKind::Format`] when a quote in it is never closed; a stop request.
pub fn first_record(
    text: &[u8],
    start: usize,
    delimiter: Delimiter,
    control: &Control,
) -> Result<Option<First>> {
    let mut sink = One {
        ends: Vec::new(),
        found: None,
    };
    let range = Range {
        start,
        stop: usize::MAX,
        limit: usize::MAX,
    };
    let end = walk(text, range, delimiter, control, &mut sink)?;
    let Some((start, next)) = sink.found else {
        if let End::Unclosed(at) = end {
            let line = super::records::line_of(text, at);
            let message = "expected a closing quote for the one that opens in the header, found the end of the file";
            return Err(Error::new(ErrorKind::Format, message).at(Place::default().row(line)));
        }
        return Ok(None);
    };
    let mut from = start;
    let fields = sink.ends.iter().map(|end| {
        let field = &text[from..*end];
        from = end + delimiter.len();
        let mut unescaped = Vec::new();
        let bytes = match content(field) {
            Content::Plain(bytes) => bytes,
            Content::Escaped(bytes) => {
                unescape(bytes, &mut unescaped);
                &unescaped
            }
        };
        String::from_utf8_lossy(bytes).into_owned()
    });
    let fields = fields.collect();
    Ok(Some(First {
        fields,
        start,
        next,
    }))
}

struct One {
    ends: Vec<usize>,
    found: Option<(usize, usize)>,
}

impl Sink for One {
    fn field(&mut self, end: usize) {
        self.ends.push(end);
    }

    fn record(&mut self, start: usize, end: usize, next: usize) -> bool {
        self.ends.push(end);
        self.found = Some((start, next));
        false
    }

    fn blank(&mut self, _: usize, _: usize) {}

    fn stray(&mut self, _: usize) {}
}

/// The `sep=;` line with which Excel is told the delimiter: the delimiter, and where the rest starts.
pub fn separator_line(text: &[u8]) -> Option<(char, usize)> {
    let end = memchr::memchr2(b'\n', b'\r', text)?;
    let line = text.get(..end)?;
    let line = line
        .strip_prefix(&[QUOTE])
        .and_then(|line| line.strip_suffix(&[QUOTE]))
        .unwrap_or(line);
    let word = line.get(..4)?;
    if !word.eq_ignore_ascii_case(b"sep=") {
        return None;
    }
    let mut rest = std::str::from_utf8(line.get(4..)?).ok()?.chars();
    let delimiter = rest.next()?;
    let alone = rest.next().is_none() && check_delimiter(delimiter).is_ok();
    alone.then(|| (delimiter, end + line_end(&text[end..])))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn detected(text: &str) -> Option<char> {
        let text = text.as_bytes();
        detect(text, 0, text.len(), &Control::default())
            .unwrap()
            .delimiter
    }

    #[test]
    fn the_consistent_candidate_wins() {
        assert_eq!(detected("a,b\n1,2\n"), Some(','));
        assert_eq!(detected("Preis;Menge\n0,05;1.200\n1,5;3\n"), Some(';'));
        assert_eq!(detected("a\tb, c\n1\tx, y\n2\tz\n"), Some('\t'));
        assert_eq!(detected("a|b|c\n1|2;3|4,5\n"), Some('|'));
        assert_eq!(detected("a,b\n\"1;2\",3\n\"4;5\",6\n"), Some(','));
        assert_eq!(detected("a;b,c\n1;2,3\n4;5,6\n7;8,9;10\n"), Some(','));
        assert_eq!(detected("a,b\n1,2\n3,4,5\n6\n"), Some(','));
    }

    #[test]
    fn one_column_stays_one_column() {
        assert_eq!(detected("name\nalpha\nbeta;gamma\n"), None);
        assert_eq!(detected("name, first\nalpha\nbeta\ngamma\n"), None);
        assert_eq!(detected("only\n"), None);
    }

    #[test]
    fn the_first_record_may_span_lines() {
        let text = b"\n\"a\n\"\"b\"\"\",c,\n1,2,3\n";
        let first = first_record(text, 0, Delimiter::of(','), &Control::default()).unwrap();
        let fields = vec!["a\n\"b\"".to_owned(), "c".to_owned(), String::new()];
        assert_eq!(
            first,
            Some(First {
                fields,
                start: 1,
                next: 14
            })
        );
        let none = first_record(b"\n\r\n", 0, Delimiter::NONE, &Control::default()).unwrap();
        assert_eq!(none, None);
    }

    #[test]
    fn the_line_for_excel_is_known() {
        assert_eq!(separator_line(b"sep=;\r\na;b\n"), Some((';', 7)));
        assert_eq!(separator_line(b"sep=\na;b\n"), None);
        assert_eq!(separator_line(b"separate,b\n"), None);
    }

    #[test]
    fn lines_are_found_by_number() {
        let control = Control::default();
        assert_eq!(start_of_line(b"a\r\nb\rc\n", 3, &control).unwrap(), 5);
        assert!(start_of_line(b"a\r\nb\rc\n", 4, &control).is_err());
    }
}
