//! The lexer: walks decoded text record by record, by the rules of RFC 4180 made lenient.
//!
//! It finds where fields and records end and nothing more: no value is unquoted, typed or copied
//! here. Its state at the start of a record is always the same, which is what lets chunks of a
//! file be walked apart (see `chunks`).

use wide::u8x16;

use crate::control::Control;
use crate::error::Result;

/// The quote character. Nothing else was seen in the wild often enough to guess it.
pub const QUOTE: u8 = b'"';
const BLOCK: usize = 64;
/// How many bytes are walked between two looks at the stop request.
const STEP: usize = 1 << 20;

/// The character between fields, as its UTF-8 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delimiter {
    bytes: [u8; 4],
    length: usize,
}

impl Delimiter {
    /// For files of one column: a byte that valid UTF-8 never contains.
    pub const NONE: Self = Self {
        bytes: [0xff; 4],
        length: 1,
    };

    /// The given character.
    pub fn of(character: char) -> Self {
        let mut bytes = [0; 4];
        let length = character.encode_utf8(&mut bytes).len();
        Self { bytes, length }
    }

    /// Its bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    /// Its length in bytes.
    pub fn len(&self) -> usize {
        self.length
    }

    /// The byte that the walk looks for: the last, because a field ends before the whole of it.
    fn last(&self) -> u8 {
        self.bytes[self.length - 1]
    }

    /// True when a delimiter's last byte is at `position`, and all of it lies behind `from`.
    fn ends_at(&self, text: &[u8], from: usize, position: usize) -> bool {
        let start = (position + 1).checked_sub(self.length);
        start.is_some_and(|start| {
            start >= from && text[start..=position] == self.bytes[..self.length]
        })
    }
}

/// What the walk tells. Positions are bytes from the start of the text.
pub trait Sink {
    /// A field that is not the last of its record ends at `end`.
    fn field(&mut self, end: usize);
    /// A record ends at `end`, with its last field; the next line starts at `next`.
    /// Gives false to stop there.
    fn record(&mut self, start: usize, end: usize, next: usize) -> bool;
    /// A line from `start` to `end` of nothing but spaces, if of anything.
    fn blank(&mut self, start: usize, end: usize, next: usize);
    /// The field that starts at `start` has text behind its closing quote.
    fn stray(&mut self, start: usize);
}

/// Where a walk ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// At the start of a record, or at the end of the text.
    Record(usize),
    /// At the end of the text, inside the quotes that opened here.
    Unclosed(usize),
    /// Past the limit, inside the record that starts here.
    Limit(usize),
}

/// Where to walk.
#[derive(Clone, Copy, Debug)]
pub struct Range {
    /// The start of a record.
    pub start: usize,
    /// Walk up to the first record that starts here or later.
    pub stop: usize,
    /// Give up when a record goes on past this.
    pub limit: usize,
}

/// Walks the records that start in the range.
///
/// Line ends are LF, CRLF, CR and CR CR LF (what two text-mode conversions make of a line end).
/// A quote opens a field only as its first byte; behind the closing quote the field goes on as
/// unquoted text.
///
/// # Errors
/// Only a stop request.
pub fn walk(
    text: &[u8],
    range: Range,
    delimiter: Delimiter,
    control: &Control,
    sink: &mut impl Sink,
) -> Result<End> {
    let last = delimiter.last();
    let single = delimiter.len() == 1;
    let mut record = range.start;
    let mut field = range.start;
    // Bytes before this one are done with: second half of `""`, LF of CRLF.
    let mut resume = range.start;
    let mut quoted = false;
    let mut block = range.start;
    let mut checked = range.start;
    while block < text.len() {
        if block - checked >= STEP {
            control.check()?;
            checked = block;
        }
        if block > range.limit {
            return Ok(End::Limit(record));
        }
        let masks = Masks::of(text, block, last);
        let mut events = if quoted {
            masks.quotes
        } else if masks.quotes | masks.returns == 0 && single && resume <= block {
            // Most blocks of most files: delimiters and line feeds only.
            let mut events = masks.delimiters | masks.feeds;
            while events != 0 {
                let bit = events.trailing_zeros();
                events &= events - 1;
                let position = block + bit as usize;
                if masks.feeds >> bit & 1 == 0 {
                    sink.field(position);
                    field = position + 1;
                    continue;
                }
                let next = position + 1;
                if field == record && is_blank(&text[record..position]) {
                    sink.blank(record, position, next);
                } else if !sink.record(record, position, next) {
                    return Ok(End::Record(next));
                }
                record = next;
                field = next;
                if record >= range.stop {
                    return Ok(End::Record(record));
                }
            }
            block += BLOCK;
            continue;
        } else {
            masks.all()
        };
        while events != 0 {
            let bit = events.trailing_zeros();
            events &= events - 1;
            let position = block + bit as usize;
            if position < resume {
                continue;
            }
            let byte = text[position];
            if quoted {
                if byte != QUOTE {
                    continue;
                }
                let follower = text.get(position + 1);
                if follower == Some(&QUOTE) {
                    resume = position + 2;
                    continue;
                }
                quoted = false;
                // Inside quotes only quotes were looked for; now everything counts again.
                events = masks.all() & (u64::MAX << bit) & !(1 << bit);
                let ended = match follower {
                    None | Some(b'\n' | b'\r') => true,
                    Some(_) => {
                        text[position + 1..].starts_with(&delimiter.bytes[..delimiter.length])
                    }
                };
                if !ended {
                    sink.stray(field);
                }
                continue;
            }
            if byte == last && (single || delimiter.ends_at(text, field, position)) {
                sink.field(position + 1 - delimiter.len());
                field = position + 1;
            } else if byte == QUOTE {
                quoted = position == field;
            } else if byte == b'\n' || byte == b'\r' {
                let next = position + line_end(&text[position..]);
                if field == record && is_blank(&text[record..position]) {
                    sink.blank(record, position, next);
                } else if !sink.record(record, position, next) {
                    return Ok(End::Record(next));
                }
                record = next;
                field = next;
                resume = next;
                if record >= range.stop {
                    return Ok(End::Record(record));
                }
            }
        }
        block += BLOCK;
    }
    if quoted {
        return Ok(End::Unclosed(field));
    }
    let rest = &text[record..];
    if !rest.is_empty() {
        // DOS editors end a file with a Control-Z of its own.
        if rest == b"\x1a" {
            sink.blank(record, record, text.len());
        } else if field == record && is_blank(rest) {
            sink.blank(record, text.len(), text.len());
        } else {
            sink.record(record, text.len(), text.len());
        }
    }
    Ok(End::Record(text.len()))
}

/// True for a line of nothing but spaces and tabs, if of anything.
#[inline]
fn is_blank(line: &[u8]) -> bool {
    match line.first() {
        None => true,
        Some(b' ' | b'\t') => line.iter().all(|byte| matches!(byte, b' ' | b'\t')),
        Some(_) => false,
    }
}

/// Length of the line end that `rest` starts with.
pub fn line_end(rest: &[u8]) -> usize {
    match rest {
        [b'\r', b'\r', b'\n', ..] => 3,
        [b'\r', b'\n', ..] => 2,
        _ => 1,
    }
}

/// The number, from 1, of the line that the byte at `position` is in.
pub fn line_of(text: &[u8], position: usize) -> u64 {
    let mut line = 1;
    let mut from = 0;
    while let Some(found) = memchr::memchr2(b'\n', b'\r', &text[from..position.min(text.len())]) {
        from += found + line_end(&text[from + found..]);
        if from > position {
            break;
        }
        line += 1;
        if from >= text.len() {
            break;
        }
    }
    line
}

/// Which bytes of a block of 64 are special: bit `i` stands for byte `i`.
struct Masks {
    delimiters: u64,
    feeds: u64,
    returns: u64,
    quotes: u64,
}

impl Masks {
    fn of(text: &[u8], start: usize, delimiter: u8) -> Self {
        let block: Option<&[u8; BLOCK]> = text
            .get(start..start + BLOCK)
            .and_then(|block| block.try_into().ok());
        match block {
            Some(block) => Self::of_block(block, delimiter),
            None => {
                let tail = &text[start..];
                let mut block = [0; BLOCK];
                block[..tail.len()].copy_from_slice(tail);
                let mut masks = Self::of_block(&block, delimiter);
                masks.delimiters &= (1 << tail.len()) - 1;
                masks
            }
        }
    }

    #[inline]
    fn of_block(block: &[u8; BLOCK], delimiter: u8) -> Self {
        let [delimiters, feeds, returns, quotes] =
            positions(block, [delimiter, b'\n', b'\r', QUOTE]);
        Self {
            delimiters,
            feeds,
            returns,
            quotes,
        }
    }

    fn all(&self) -> u64 {
        self.delimiters | self.feeds | self.returns | self.quotes
    }
}

/// Where each of the wanted bytes stands in the block, one bit per byte. `wide` knows the vector
/// instructions that every processor of a kind has.
#[inline]
fn positions(block: &[u8; BLOCK], wanted: [u8; 4]) -> [u64; 4] {
    let mut found = [0; 4];
    for (quarter, bytes) in block.as_chunks::<16>().0.iter().enumerate() {
        let bytes = u8x16::new(*bytes);
        for (found, wanted) in found.iter_mut().zip(wanted) {
            let equal = bytes.simd_eq(u8x16::splat(wanted));
            *found |= u64::from(equal.to_bitmask()) << (16 * quarter);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Texts {
        text: Vec<u8>,
        from: usize,
        width: usize,
        records: Vec<Vec<String>>,
        strays: usize,
        blanks: usize,
    }

    impl Texts {
        fn take(&mut self, end: usize) {
            let piece = String::from_utf8(self.text[self.from..end].to_vec()).unwrap();
            self.records.last_mut().unwrap().push(piece);
            self.from = end + self.width;
        }
    }

    impl Sink for Texts {
        fn field(&mut self, end: usize) {
            self.take(end);
        }
        fn record(&mut self, _: usize, end: usize, next: usize) -> bool {
            self.take(end);
            self.records.push(Vec::new());
            self.from = next;
            true
        }
        fn blank(&mut self, _: usize, _: usize, next: usize) {
            self.blanks += 1;
            self.from = next;
        }
        fn stray(&mut self, _: usize) {
            self.strays += 1;
        }
    }

    fn walked(text: &str, delimiter: char) -> (Texts, End) {
        let delimiter = Delimiter::of(delimiter);
        let mut sink = Texts {
            text: text.as_bytes().to_vec(),
            width: delimiter.len(),
            records: vec![Vec::new()],
            ..Texts::default()
        };
        let range = Range {
            start: 0,
            stop: usize::MAX,
            limit: usize::MAX,
        };
        let end = walk(
            text.as_bytes(),
            range,
            delimiter,
            &Control::default(),
            &mut sink,
        )
        .unwrap();
        sink.records.pop();
        (sink, end)
    }

    #[test]
    fn every_line_end_is_one_and_blank_lines_are_none() {
        let (sink, end) = walked("a,b\r\r\nc,d\r\n\r\ne,f\rg,h\n \t\ni,j", ',');
        let expected = [["a", "b"], ["c", "d"], ["e", "f"], ["g", "h"], ["i", "j"]];
        assert_eq!(sink.records, expected);
        assert_eq!((sink.blanks, end), (2, End::Record(27)));
    }

    #[test]
    fn quotes_hold_delimiters_and_lines_at_every_offset_of_a_block() {
        for pad in 0..140 {
            let lead = "x".repeat(pad);
            let text = format!("{lead},\"a,\"\"\r\n\",5\" tall\n\"\",\"b\"c,\"\n\"\n");
            let (sink, _) = walked(&text, ',');
            let expected = [
                [lead.as_str(), "\"a,\"\"\r\n\"", "5\" tall"],
                ["\"\"", "\"b\"c", "\"\n\""],
            ];
            assert_eq!(sink.records, expected, "{pad}");
            assert_eq!(sink.strays, 1);
        }
    }

    #[test]
    fn a_delimiter_of_several_bytes_is_found_whole() {
        // U+00A7 is C2 A7; U+00E7 (C3 A7) ends in the same byte.
        let (sink, _) = walked("a§ç§\"§\"\nç§§", '§');
        assert_eq!(sink.records, [["a", "ç", "\"§\""], ["ç", "", ""]]);
    }

    #[test]
    fn an_unclosed_quote_tells_where_it_opened() {
        let (_, end) = walked("a,b\n1,\"2\n3,4\n", ',');
        assert_eq!(end, End::Unclosed(6));
    }

    #[test]
    fn a_line_of_spaces_is_blank_unless_it_has_fields() {
        let (sink, _) = walked("a,b\n   \n ,\n\" \"\n  ", ',');
        assert_eq!(sink.records, [vec!["a", "b"], vec![" ", ""], vec!["\" \""]]);
        assert_eq!(sink.blanks, 2);
        let (sink, _) = walked("a\tb\n\t\n \n1\t2\n\x1a", '\t');
        assert_eq!(sink.records, [["a", "b"], ["", ""], ["1", "2"]]);
        assert_eq!(sink.blanks, 2);
    }

    #[test]
    fn lines_are_counted_as_editors_do() {
        let text = b"a\r\nb\rc\nd\r\r\ne";
        let lines: Vec<u64> = [0, 3, 5, 7, 11]
            .iter()
            .map(|at| line_of(text, *at))
            .collect();
        assert_eq!(lines, [1, 2, 3, 4, 5]);
    }
}
