//! What the file's delimiter is, where its header is, and which names the columns get.
//!
//! Decides by consistency over records, never by one line. Knows no types.

use super::build::unescape;
use super::index::{Content, content};
use super::preamble::{self, Lead, Preamble};
use super::records::{Delimiter, End, QUOTE, Range, Sink, line_end, walk};
use super::types::{Seen, classify};
use super::widths::Widths;
use crate::control::Control;
use crate::error::{Error, ErrorKind, Place, Result};
use crate::fix::Fix;

/// The delimiters that are looked for, the usual first.
pub const CANDIDATES: [char; 4] = [',', ';', '\t', '|'];

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

/// Where to look, and what is known already.
#[derive(Clone, Copy, Debug)]
pub struct Question {
    /// Where the first record starts.
    pub start: usize,
    /// The delimiter that an option or the file itself names.
    pub delimiter: Option<char>,
    /// True when the first record, or one behind title lines, holds the names; the place is not
    /// known from an option.
    pub titles: bool,
    /// True when there is no header.
    pub unnamed: bool,
}

impl Question {
    /// About an ordinary file from `start` on.
    pub fn at(start: usize) -> Self {
        Self {
            start,
            delimiter: None,
            titles: true,
            unnamed: false,
        }
    }
}

/// What a text turned out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// How it is cut into fields.
    pub dialect: Dialect,
    /// Where the header is, or blank lines before it.
    pub header: usize,
    /// What stands above it.
    pub preamble: Option<Preamble>,
    /// True when this stands whatever follows the text that was looked at.
    pub sure: bool,
}

/// Decides the delimiter from the records that start before `stop`, and what of them is the header.
///
/// A candidate must be in the first record and in at least half of the others, or, behind title
/// lines, in nearly all; of those, the one whose records agree best in their number of fields
/// wins, then the one without title lines, then with more typed fields, then with more fields.
/// Nothing of the kind: the file is one column.
///
/// # Errors
/// Only a stop request.
pub fn detect(text: &[u8], question: Question, stop: usize, control: &Control) -> Result<Found> {
    let start = question.start;
    let candidates = question
        .delimiter
        .map_or(CANDIDATES.to_vec(), |known| vec![known]);
    let mut fit: Vec<Candidate> = Vec::new();
    let (mut doubtful, mut sure) = (false, true);
    for character in candidates {
        let delimiter = Delimiter::of(character);
        let rest = text.get(start..).unwrap_or_default();
        if memchr::memmem::find(rest, delimiter.as_bytes()).is_none() {
            continue;
        }
        let mut widths = Widths::default();
        let range = Range {
            start,
            stop,
            limit: usize::MAX,
        };
        let end = walk(text, range, delimiter, control, &mut widths)?;
        sure &= matches!(end, End::Record(next) if next + 3 <= text.len());
        if let (End::Unclosed(_), 0) = (end, widths.records) {
            // The first record never ends: that is what has to be said, by the header.
            widths.record(start, text.len(), text.len());
        }
        doubtful |= widths.divided > 0;
        let mut preamble = None;
        if question.titles {
            let width = widths.usual();
            preamble = preamble::find(text, &widths.leads, width, delimiter, control)?;
        }
        let behind =
            preamble.and_then(|preamble| Some((preamble, widths.agreement_behind(&preamble)?)));
        let candidate = Candidate {
            character,
            closed: !matches!(end, End::Unclosed(_)),
            agreement: behind.map_or_else(|| widths.agreement(), |(_, agreement)| agreement),
            width: match behind {
                Some((preamble, _)) => preamble.width,
                None if question.unnamed => widths.usual(),
                None => widths.first,
            },
            preamble: behind.map(|(preamble, _)| preamble),
            leads: std::mem::take(&mut widths.leads),
        };
        let divides = candidate.preamble.is_some() || widths.divided * 2 >= widths.records;
        if question.delimiter.is_some() || candidate.width >= 2 && divides {
            fit.push(candidate);
        }
    }
    let best = best(text, fit, control)?;
    let preamble = best.as_ref().and_then(|best| best.preamble);
    let character = best.map(|best| best.character);
    Ok(Found {
        dialect: Dialect {
            delimiter: question.delimiter.or(character),
            doubtful: doubtful && character.is_none(),
        },
        header: preamble.map_or(start, |preamble| preamble.header),
        preamble,
        sure: sure || question.delimiter.is_some() && preamble.is_none(),
    })
}

/// A delimiter under which the text may be a table.
struct Candidate {
    character: char,
    /// No quote stays open.
    closed: bool,
    /// The share of records with the same number of fields.
    agreement: f64,
    width: usize,
    preamble: Option<Preamble>,
    leads: Vec<Lead>,
}

type Rank = (bool, f64, bool, usize, f64, usize);

/// The candidate whose records agree best, then without title lines, then with more typed fields
/// in number and share, then with more fields.
fn best(text: &[u8], fit: Vec<Candidate>, control: &Control) -> Result<Option<Candidate>> {
    let alone = fit.len() < 2;
    let mut best: Option<(Rank, Candidate)> = None;
    for candidate in fit {
        let (typed, share) = if alone {
            (0, 0.0)
        } else {
            typed_fields(text, &candidate, control)?
        };
        let rank = (
            candidate.closed,
            candidate.agreement,
            candidate.preamble.is_none(),
            typed,
            share,
            candidate.width,
        );
        let better = best
            .as_ref()
            .is_none_or(|(best, _)| rank.partial_cmp(best) == Some(std::cmp::Ordering::Greater));
        if better {
            best = Some((rank, candidate));
        }
    }
    Ok(best.map(|(_, candidate)| candidate))
}

/// How many fields below the names, in the first records, are numbers, dates or the like, and what
/// share of all that is. A wrong delimiter leaves text around them: `1;2,5` has none under the
/// comma.
fn typed_fields(text: &[u8], candidate: &Candidate, control: &Control) -> Result<(usize, f64)> {
    /// So many records are enough to tell, and the same for each candidate.
    const RECORDS: usize = 16;
    let (mut fields, mut typed) = (0_usize, 0_usize);
    let skipped = candidate.preamble.map_or(0, |preamble| preamble.records);
    let leads = candidate.leads.iter().skip(skipped + 1);
    for lead in leads.take(RECORDS) {
        let delimiter = Delimiter::of(candidate.character);
        let first = first_record(&text[..lead.next], lead.start, delimiter, control)?;
        for field in first.iter().flat_map(|first| &first.fields) {
            let seen = classify(field.as_bytes());
            fields += usize::from(seen != Seen::EMPTY);
            typed += usize::from(!seen.has(Seen::TEXT | Seen::WORD | Seen::EMPTY));
        }
    }
    Ok((typed, typed as f64 / fields.max(1) as f64))
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
    /// Fields with text behind the closing quote, which are kept as written.
    pub strays: u64,
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
        strays: 0,
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
            let error = Error::new(ErrorKind::Format, message).at(Place::default().row(line));
            let hint = "close the quote, or double it (\"\") where it is part of the text";
            return Err(error.hint(hint));
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
        strays: sink.strays,
    }))
}

struct One {
    ends: Vec<usize>,
    found: Option<(usize, usize)>,
    strays: u64,
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

    fn blank(&mut self, _: usize, _: usize, _: usize) {}

    fn stray(&mut self, _: usize) {
        self.strays += 1;
    }
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
        let found = detect(text, Question::at(0), text.len(), &Control::default());
        found.unwrap().dialect.delimiter
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
        // Both agree; under the comma no field is a number.
        assert_eq!(detected("Preis, netto;Menge\n1,5;2\n0,5;3\n"), Some(';'));
        assert_eq!(detected("d|a,b,c\n2026-01-01|x,y,z\n"), Some('|'));
        assert_eq!(detected("7\ta,1,2\n8\tb,3,4\n9\tc,5,6\n"), Some(','));
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
                next: 14,
                strays: 0
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
