//! Where the fields of a chunk are: a row-major table of marks, and the view of one column of it.
//!
//! It knows ragged records; it never looks at what a field means.

use super::records::{Delimiter, QUOTE, Sink};

/// How many things of a kind there were, and where the first was (byte in the text).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// How many.
    pub count: u64,
    /// Where the first was.
    pub first: usize,
}

impl Tally {
    fn add(&mut self, place: usize) {
        if self.count == 0 {
            self.first = place;
        }
        self.count += 1;
    }

    /// Adds the tally of a later chunk.
    pub fn join(&mut self, later: Self) {
        if self.count == 0 {
            *self = later;
        } else {
            self.count += later.count;
        }
    }
}

/// What was out of the ordinary in a chunk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Oddities {
    /// Records with fewer fields than the header.
    pub short: Tally,
    /// Records with more fields than the header, all of the extra ones empty.
    pub long: Tally,
    /// Fields with text behind the closing quote.
    pub stray: Tally,
    /// Blank lines before another record.
    pub blank: Tally,
    /// Blank lines behind the last record: at the end of the file they are nothing to tell.
    pub last_blank: Tally,
}

impl Oddities {
    /// Adds those of a later chunk of so many records.
    pub fn join(&mut self, later: Self, records: usize) {
        self.short.join(later.short);
        self.long.join(later.long);
        self.stray.join(later.stray);
        if records > 0 {
            self.end_blanks();
        }
        self.blank.join(later.blank);
        self.last_blank.join(later.last_blank);
    }

    /// Another record follows the blank lines.
    fn end_blanks(&mut self) {
        self.blank.join(std::mem::take(&mut self.last_blank));
    }
}

/// A record that cannot be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// It has more fields than the header, and the extra ones are not empty.
    Long {
        /// Where it starts.
        start: usize,
        /// Where it ends.
        end: usize,
        /// How many fields it has.
        fields: usize,
    },
    /// So many fields had to be padded that the result would be many times the file.
    Sparse {
        /// Where it starts.
        start: usize,
    },
}

/// The marks of a chunk. For a record of `width` fields there are `width + 1` marks: the start of
/// each field, and at last the end of the last one, as if a delimiter followed it. Marks count
/// from the start of the chunk.
#[derive(Debug)]
pub struct Index {
    marks: Vec<u32>,
    /// Where the text that is walked starts in the file.
    offset: usize,
    origin: usize,
    width: usize,
    delimiter: usize,
    /// Position of the current record's first mark.
    base: usize,
    /// How many fields may still be added to short records.
    pub padding: usize,
    /// What was out of the ordinary.
    pub oddities: Oddities,
    /// The record where the walk had to stop.
    pub refused: Option<Refused>,
}

impl Index {
    /// For records of `width` fields from `origin` on. `padding` bounds how many fields may be
    /// added to short records.
    pub fn new(origin: usize, width: usize, delimiter: Delimiter, padding: usize) -> Self {
        Self {
            marks: vec![0],
            offset: 0,
            origin,
            width,
            delimiter: delimiter.len(),
            base: 0,
            padding,
            oddities: Oddities::default(),
            refused: None,
        }
    }

    /// For a text that is a window of the file, from byte `offset` on. The marks go to `room`,
    /// whose memory is used again; see [`Index::into_room`].
    pub fn within(mut self, offset: usize, mut room: Vec<u32>) -> Self {
        room.clear();
        room.push(0);
        self.marks = room;
        self.offset = offset;
        self
    }

    /// The memory of the marks, for the next index.
    pub fn into_room(self) -> Vec<u32> {
        self.marks
    }

    /// Number of records.
    pub fn rows(&self) -> usize {
        self.base / (self.width + 1)
    }

    /// One column; `text` is what was walked.
    pub fn column<'a>(&'a self, text: &'a [u8], column: usize) -> Fields<'a> {
        Fields {
            text: text.get(self.origin..).unwrap_or_default(),
            marks: self.marks.get(..self.base).unwrap_or_default(),
            stride: self.width + 1,
            column,
            delimiter: self.delimiter,
        }
    }

    /// Where a record starts in the file.
    pub fn start_of(&self, row: usize) -> usize {
        let mark = self.marks.get(row * (self.width + 1)).copied();
        self.offset + self.origin + mark.unwrap_or_default() as usize
    }

    fn length(&self, field: usize) -> usize {
        let (start, end) = (
            self.marks[self.base + field],
            self.marks[self.base + field + 1],
        );
        (end - start) as usize - self.delimiter
    }

    /// Makes a record of another width fit, or gives false.
    #[cold]
    fn ragged(&mut self, start: usize, end: usize) -> bool {
        let fields = self.marks.len() - self.base - 1;
        if fields > self.width {
            if (self.width..fields).any(|field| self.length(field) > 0) {
                self.refused = Some(Refused::Long { start, end, fields });
                return false;
            }
            self.oddities.long.add(start);
            self.marks.truncate(self.base + self.width + 1);
            return true;
        }
        let missing = self.width - fields;
        if missing > self.padding {
            self.refused = Some(Refused::Sparse { start });
            return false;
        }
        self.padding -= missing;
        self.oddities.short.add(start);
        let mut mark = self.marks.last().copied().unwrap_or_default();
        for _ in 0..missing {
            mark = mark.saturating_add(self.delimiter as u32);
            self.marks.push(mark);
        }
        true
    }
}

impl Sink for Index {
    #[inline]
    fn field(&mut self, end: usize) {
        self.marks.push((end - self.origin + self.delimiter) as u32);
    }

    #[inline]
    fn record(&mut self, start: usize, end: usize, next: usize) -> bool {
        self.field(end);
        if self.marks.len() - self.base != self.width + 1 && !self.ragged(start, end) {
            return false;
        }
        self.base = self.marks.len();
        self.marks.push((next - self.origin) as u32);
        if self.oddities.last_blank.count > 0 {
            self.oddities.end_blanks();
        }
        true
    }

    fn blank(&mut self, start: usize, end: usize, next: usize) {
        if self.width == 1 && end > start {
            // Without other fields beside them the spaces are a value.
            self.record(start, end, next);
            return;
        }
        self.oddities.last_blank.add(start);
        self.marks.truncate(self.base);
        self.marks.push((next - self.origin) as u32);
    }

    fn stray(&mut self, start: usize) {
        self.oddities.stray.add(start);
    }
}

/// The fields of one column of a chunk, as they stand in the text.
#[derive(Clone, Copy)]
pub struct Fields<'a> {
    text: &'a [u8],
    marks: &'a [u32],
    stride: usize,
    column: usize,
    delimiter: usize,
}

impl<'a> Fields<'a> {
    /// Number of fields.
    pub fn rows(&self) -> usize {
        self.marks.len() / self.stride
    }

    /// The fields from top to bottom.
    #[inline]
    pub fn iter(self) -> impl Iterator<Item = &'a [u8]> {
        self.marks.chunks_exact(self.stride).map(move |record| {
            let start = record[self.column] as usize;
            let end = record[self.column + 1] as usize - self.delimiter;
            // Padded fields may lie behind the end of the text.
            self.text.get(start..end).unwrap_or_default()
        })
    }
}

/// What a field holds.
#[derive(Debug, PartialEq, Eq)]
pub enum Content<'a> {
    /// These bytes.
    Plain(&'a [u8]),
    /// These bytes, in which `""` stands for `"`.
    Escaped(&'a [u8]),
}

/// Takes the quotes off a field. A field with text behind its closing quote is kept as written.
#[inline]
pub fn content(field: &[u8]) -> Content<'_> {
    match field.first() {
        Some(&QUOTE) => quoted(field),
        _ => Content::Plain(field),
    }
}

fn quoted(field: &[u8]) -> Content<'_> {
    let inner = &field[1..];
    let mut escaped = false;
    let mut from = 0;
    while let Some(found) = memchr::memchr(QUOTE, &inner[from..]) {
        let at = from + found;
        if at + 1 == inner.len() {
            let bytes = &inner[..at];
            return if escaped {
                Content::Escaped(bytes)
            } else {
                Content::Plain(bytes)
            };
        }
        if inner[at + 1] != QUOTE {
            break;
        }
        escaped = true;
        from = at + 2;
    }
    Content::Plain(field)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::Control;
    use crate::format::delimited::records::{End, Range, walk};

    fn indexed(text: &str, width: usize, padding: usize) -> (Index, End) {
        let comma = Delimiter::of(',');
        let mut index = Index::new(0, width, comma, padding);
        let range = Range {
            start: 0,
            stop: usize::MAX,
            limit: usize::MAX,
        };
        let end = walk(
            text.as_bytes(),
            range,
            comma,
            &Control::default(),
            &mut index,
        )
        .unwrap();
        (index, end)
    }

    fn column(index: &Index, text: &str, column: usize) -> Vec<String> {
        let fields = index.column(text.as_bytes(), column);
        fields
            .iter()
            .map(|field| String::from_utf8(field.to_vec()).unwrap())
            .collect()
    }

    #[test]
    fn short_records_are_padded_and_empty_extra_fields_dropped() {
        let text = "1,2,3\n4\n\n5,6,7,,\n,8";
        let (index, _) = indexed(text, 3, 10);
        assert_eq!(index.rows(), 4);
        assert_eq!(column(&index, text, 0), ["1", "4", "5", ""]);
        assert_eq!(column(&index, text, 1), ["2", "", "6", "8"]);
        assert_eq!(column(&index, text, 2), ["3", "", "7", ""]);
        let odd = index.oddities;
        assert_eq!((odd.short.count, odd.short.first), (2, 6));
        assert_eq!((odd.long.count, odd.long.first), (1, 9));
        assert_eq!(odd.blank.count, 1);
    }

    #[test]
    fn a_line_of_spaces_is_a_value_only_in_one_column() {
        let (index, _) = indexed("1\n \n\n2", 1, 10);
        assert_eq!(column(&index, "1\n \n\n2", 0), ["1", " ", "2"]);
        let (index, _) = indexed("1,2\n  \n3,4\n", 2, 10);
        assert_eq!(column(&index, "1,2\n  \n3,4\n", 0), ["1", "3"]);
        assert_eq!(
            (index.oddities.short.count, index.oddities.blank.count),
            (0, 1)
        );
    }

    #[test]
    fn long_records_and_endless_padding_are_refused() {
        let (index, _) = indexed("1,2\n3,4,5\n", 2, 10);
        assert_eq!(
            index.refused,
            Some(Refused::Long {
                start: 4,
                end: 9,
                fields: 3
            })
        );
        let (index, _) = indexed("1\n2\n3\n", 5, 10);
        assert_eq!(index.refused, Some(Refused::Sparse { start: 4 }));
    }

    #[test]
    fn quotes_come_off_unless_text_follows_them() {
        assert_eq!(content(b"a\"b"), Content::Plain(b"a\"b"));
        assert_eq!(content(b"\"\""), Content::Plain(b""));
        assert_eq!(content(b"\"a,b\""), Content::Plain(b"a,b"));
        assert_eq!(content(b"\"a\"\"b\""), Content::Escaped(b"a\"\"b"));
        assert_eq!(content(b"\"\"\"\""), Content::Escaped(b"\"\""));
        assert_eq!(content(b"\"\"x"), Content::Plain(b"\"\"x"));
        assert_eq!(content(b"\"a\" "), Content::Plain(b"\"a\" "));
    }
}
