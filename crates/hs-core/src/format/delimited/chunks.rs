//! Splits a text into chunks of whole records and walks them in parallel.
//!
//! Where a chunk starts is guessed, then proven: a chunk counts only if the one before it ended
//! exactly where this one began, because the lexer's state at a record start is always the same.
//! Chunks that were guessed wrong are walked again. So the outcome never depends on the borders.

use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use super::file::FileText;
use super::index::{Index, Oddities, Refused};
use super::records::{Delimiter, End, QUOTE, Range, line_end, line_of, walk};
use super::texts::TextLayout;
use crate::control::Control;
use crate::error::{Error, ErrorKind, Place, Result, quoted};
use crate::fix::Fix;

/// How far a guess may run past the next chunk's start before it counts as wrong, and how far a
/// guess looks for a line end.
const SLACK: usize = 4 << 20;
/// A text whose first so many bytes have no quote is first taken for one without.
const PLAIN: usize = 1 << 20;
/// Marks are 32 bits wide; what is left is room for padding.
const LONGEST: usize = u32::MAX as usize - (1 << 20);

/// How many fields may be added to the short records of so many bytes, so that a wide header over
/// narrow records cannot fill the memory.
pub fn padding_of(bytes: usize) -> usize {
    bytes.saturating_mul(4).saturating_add(1 << 20)
}

/// A decoded text and how its records look.
#[derive(Clone, Copy)]
pub struct Body<'a> {
    /// The whole text, also the lines before the data; with a file only its front.
    pub text: &'a [u8],
    /// The file that holds the text, when it is not in memory.
    pub file: Option<&'a FileText<'a>>,
    /// Where the first data record starts.
    pub start: usize,
    /// The character between fields.
    pub delimiter: Delimiter,
    /// How many fields a record has.
    pub width: usize,
    /// How texts are to lie in memory.
    pub layout: TextLayout,
    /// How large a chunk should be, in bytes.
    pub chunk: usize,
}

/// A chunk that was walked.
pub struct Chunk<T> {
    /// Where its first record starts.
    pub start: usize,
    /// Where the next chunk starts.
    pub end: usize,
    /// Number of records.
    pub rows: usize,
    /// What was out of the ordinary.
    pub oddities: Oddities,
    /// What the work made of it.
    pub result: T,
}

/// Memory that the work on one chunk leaves for the next.
#[derive(Default)]
pub struct Room {
    /// For the window of a file.
    pub bytes: Vec<u8>,
    /// For the index.
    pub marks: Vec<u32>,
}

/// Rooms that the threads of a walk take turns with. What rayon makes for each of its jobs is made
/// anew far more often than there are threads, and its pages must be cleared each time.
#[derive(Default)]
pub struct Rooms(Mutex<Vec<Room>>);

impl Rooms {
    /// Works with a room that nobody else has meanwhile.
    pub fn with<R>(&self, work: impl FnOnce(&mut Room) -> R) -> R {
        let rooms = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = rooms().pop();
        let mut room = taken.unwrap_or_default();
        let result = work(&mut room);
        rooms().push(room);
        result
    }
}

struct Walked<T> {
    range: Range,
    end: End,
    refused: Option<Refused>,
    /// How many fields were added to short records.
    padded: usize,
    chunk: Chunk<T>,
}

impl<'a> Body<'a> {
    /// Walks everything; `work` is called for each chunk, in parallel, while it is warm. Now and
    /// then it is called for a chunk that does not come back, because its borders were wrong.
    ///
    /// # Errors
    /// [`ErrorKind::Format`] for the first record that cannot be taken or a quote that is never
    /// closed; a stop request.
    pub fn walk<T: Send>(
        &self,
        control: &Control,
        work: impl Fn(&Index, &[u8]) -> Result<T> + Sync,
    ) -> Result<Vec<Chunk<T>>> {
        let rest = self.text.get(self.start..).unwrap_or_default();
        if memchr::memchr(QUOTE, &rest[..rest.len().min(PLAIN)]).is_none()
            && let Some(chunks) =
                self.walk_from(&self.guess_starts(false, control)?, false, control, &work)?
        {
            return Ok(chunks);
        }
        let starts = self.guess_starts(true, control)?;
        let chunks = self.walk_from(&starts, true, control, &work)?;
        chunks.ok_or_else(|| Error::new(ErrorKind::Internal, "chunks that were not walked again"))
    }

    /// Walks from guessed starts. Where they are wrong, walks again, or gives up with `None`.
    fn walk_from<T: Send>(
        &self,
        starts: &[usize],
        again: bool,
        control: &Control,
        work: &(impl Fn(&Index, &[u8]) -> Result<T> + Sync),
    ) -> Result<Option<Vec<Chunk<T>>>> {
        let ranges: Vec<Range> = starts
            .iter()
            .zip(starts.iter().skip(1).chain([&self.text.len()]))
            .map(|(start, stop)| Range {
                start: *start,
                stop: *stop,
                limit: stop
                    .saturating_add(SLACK)
                    .min(start.saturating_add(LONGEST)),
            })
            .collect();
        let rooms = Rooms::default();
        let guessed: Vec<Walked<T>> = ranges
            .into_par_iter()
            .map(|range| {
                let padding = padding_of(range.stop.saturating_sub(range.start));
                rooms.with(|room| self.walk_range(range, padding, &mut room.marks, control, work))
            })
            .collect::<Result<_>>()?;
        let mut expected = self.start;
        let mut padding = padding_of(self.text.len().saturating_sub(self.start));
        let mut chunks = Vec::with_capacity(guessed.len());
        for walked in guessed {
            if walked.range.stop <= expected {
                continue;
            }
            let right = walked.range.start == expected && !matches!(walked.end, End::Limit(_));
            // One chunk may need more padding than its share, and all together more than there is.
            let sparse = matches!(walked.refused, Some(Refused::Sparse { .. }));
            let walked = if right && !sparse && walked.padded <= padding {
                walked
            } else if !right && !again {
                return Ok(None);
            } else {
                let range = Range {
                    start: expected,
                    stop: walked.range.stop,
                    limit: expected.saturating_add(LONGEST),
                };
                drop(walked);
                self.walk_range(range, padding, &mut Vec::new(), control, work)?
            };
            self.refuse(&walked)?;
            padding -= walked.padded;
            expected = walked.chunk.end;
            chunks.push(walked.chunk);
        }
        Ok(Some(chunks))
    }

    /// Walks a chunk that was walked before once more, for `work` on its index and text.
    ///
    /// # Errors
    /// A stop request; [`ErrorKind::Io`] when the file cannot be read again; those of the work.
    pub fn again<T>(
        &self,
        start: usize,
        end: usize,
        room: &mut Room,
        control: &Control,
        work: impl FnOnce(&Index, &[u8]) -> Result<T>,
    ) -> Result<T> {
        let (text, offset) = match self.file {
            None => (self.text, 0),
            Some(file) => (file.window(start, end, &mut room.bytes)?, start),
        };
        let range = Range {
            start: start - offset,
            stop: end - offset,
            limit: usize::MAX,
        };
        let (index, _) = self.scan(text, offset, range, usize::MAX, &mut room.marks, control)?;
        let result = work(&index, text);
        room.marks = index.into_room();
        result
    }

    /// The number, from 1, of the line that the byte at `position` is in.
    ///
    /// # Errors
    /// [`ErrorKind::Io`] when the file cannot be read again.
    pub fn line_of(&self, position: usize) -> Result<u64> {
        match self.file {
            None => Ok(line_of(self.text, position)),
            Some(file) => {
                let mut bytes = Vec::new();
                let text = file.window(0, position.saturating_add(2), &mut bytes)?;
                Ok(line_of(text, position))
            }
        }
    }

    /// Marks the fields of the range in `text`, which starts at `offset` in the file. `padding`
    /// bounds how many may be added to short records.
    ///
    /// # Errors
    /// A stop request.
    pub fn scan(
        &self,
        text: &[u8],
        offset: usize,
        range: Range,
        padding: usize,
        room: &mut Vec<u32>,
        control: &Control,
    ) -> Result<(Index, End)> {
        let mut index = Index::new(range.start, self.width, self.delimiter, padding)
            .within(offset, std::mem::take(room));
        let end = walk(text, range, self.delimiter, control, &mut index)?;
        Ok((index, end))
    }

    fn walk_range<T>(
        &self,
        range: Range,
        padding: usize,
        room: &mut Vec<u32>,
        control: &Control,
        work: impl Fn(&Index, &[u8]) -> Result<T>,
    ) -> Result<Walked<T>> {
        control.check()?;
        let (index, end) = self.scan(self.text, 0, range, padding, room, control)?;
        let result = work(&index, self.text)?;
        let (End::Record(next) | End::Unclosed(next) | End::Limit(next)) = end;
        let walked = Walked {
            range,
            end,
            refused: index.refused,
            padded: padding - index.padding,
            chunk: Chunk {
                start: range.start,
                end: next,
                rows: index.rows(),
                oddities: index.oddities,
                result,
            },
        };
        *room = index.into_room();
        control.advance((next - range.start) as u64);
        Ok(walked)
    }

    fn refuse<T>(&self, walked: &Walked<T>) -> Result<()> {
        let error = |start, message| {
            let place = Place::default().row(line_of(self.text, start));
            Err(Error::new(ErrorKind::Format, message).at(place))
        };
        let width = self.width;
        match walked.refused {
            Some(Refused::Long { start, end, fields }) => {
                let line = String::from_utf8_lossy(&self.text[start..end]);
                let message = format!(
                    "expected {width} fields as in the header, found {fields}: {}",
                    quoted(&line)
                );
                let fix = Fix::number("header", 0);
                let hint = format!(
                    "put the field that holds the delimiter in quotes, or name the right delimiter or header line; {fix} reads all fields, without names"
                );
                return error(start, message).map_err(|error| error.hint(hint).fix(fix));
            }
            Some(Refused::Sparse { start }) => {
                let message = format!(
                    "expected {width} fields as in the header, found far fewer in most lines"
                );
                return error(start, message)
                    .map_err(|error| error.hint("name the right delimiter or header line"));
            }
            None => {}
        }
        match walked.end {
            End::Record(_) => Ok(()),
            End::Unclosed(start) => {
                let line = &self.text[start..];
                let line = &line[..memchr::memchr2(b'\n', b'\r', line).unwrap_or(line.len())];
                let line = String::from_utf8_lossy(line);
                let message = format!(
                    "expected a closing quote for the one that opens here, found the end of the file: {}",
                    quoted(&line)
                );
                error(start, message).map_err(|error| {
                    error.hint("close the quote, or double it (\"\") where it is part of the text")
                })
            }
            End::Limit(start) => error(
                start,
                "expected the end of a record within 4 GiB".to_owned(),
            ),
        }
    }

    /// Where chunks may start: the first at the first record, the others behind the first line end
    /// that lies outside of quotes, if `quotes` are what RFC 4180 says, or are left out of account.
    fn guess_starts(&self, quotes: bool, control: &Control) -> Result<Vec<usize>> {
        let size = self.chunk.max(1);
        let rest = self.text.get(self.start..).unwrap_or_default();
        let counts: Vec<usize> = rest
            .par_chunks(size)
            .map(|part| {
                control.check()?;
                Ok(if quotes {
                    memchr::memchr_iter(QUOTE, part).count()
                } else {
                    0
                })
            })
            .collect::<Result<_>>()?;
        let mut starts = vec![self.start];
        let mut before = 0;
        for (number, count) in counts.iter().enumerate() {
            if number > 0 {
                let border = self.start + number * size;
                let window = &self.text[..self.text.len().min(border.saturating_add(SLACK))];
                let start = next_record(window, border, before % 2 == 1);
                if start < self.text.len() && starts.last().is_none_or(|last| *last < start) {
                    starts.push(start);
                }
            }
            before += count;
        }
        Ok(starts)
    }
}

/// Where the line behind the first line end at `border` or later starts, `inside` quotes or not at
/// first; the end of the window when there is none.
pub fn next_record(window: &[u8], border: usize, mut inside: bool) -> usize {
    let mut at = border;
    loop {
        let rest = &window[at..];
        let found = if inside {
            memchr::memchr(QUOTE, rest)
        } else {
            memchr::memchr3(QUOTE, b'\n', b'\r', rest)
        };
        let Some(found) = found else {
            return window.len();
        };
        at += found;
        if window[at] != QUOTE {
            return at + line_end(&window[at..]);
        }
        // A doubled quote closes and opens again: the same in the end.
        inside = !inside;
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn padding_is_bounded_for_the_whole_whatever_the_chunks() {
        let rows = |wide: usize, narrow: usize, chunk: usize| {
            let wide_row = format!("{}\n", ",".repeat(299)).repeat(wide);
            let text = wide_row + &"a\n".repeat(narrow);
            let body = Body {
                width: 300,
                ..body(&text, chunk)
            };
            let chunks = body.walk(&Control::default(), |_, _| Ok(()))?;
            Ok::<_, Error>(chunks.iter().map(|chunk| chunk.rows).sum::<usize>())
        };
        for chunk in [10, 1_000, 100_000, usize::MAX] {
            // The narrow records need 12 million fields, which the whole text has and no chunk of theirs.
            assert_eq!(rows(10_000, 40_000, chunk).unwrap(), 50_000);
            let error = rows(1_000, 40_000, chunk).unwrap_err().to_string();
            assert!(
                error.starts_with("line 9591: expected 300 fields"),
                "{error}"
            );
        }
    }

    fn body(text: &str, chunk: usize) -> Body<'_> {
        Body {
            text: text.as_bytes(),
            file: None,
            start: 0,
            delimiter: Delimiter::of(','),
            width: 2,
            layout: TextLayout::Views,
            chunk,
        }
    }

    fn fields(text: &str, chunk: usize) -> Result<Vec<(Vec<u8>, Vec<u8>)>> {
        let body = body(text, chunk);
        let chunks = body.walk(&Control::default(), |index, _| {
            let left = index.column(body.text, 0);
            let right = index.column(body.text, 1);
            Ok(left
                .iter()
                .map(<[u8]>::to_vec)
                .zip(right.iter().map(<[u8]>::to_vec))
                .collect::<Vec<_>>())
        })?;
        Ok(chunks.into_iter().flat_map(|chunk| chunk.result).collect())
    }

    #[test]
    fn borders_never_change_the_fields() {
        // No quote in the part that is looked at first, then one field of many lines.
        let late = format!(
            "{}x,\"{}\"\nlast,1\n",
            "aaaaaaa,1\n".repeat(150_000),
            "b,c\n".repeat(20_000)
        );
        let texts = [
            "a,\"x\r\ny\"\r\nbé,\"\"\"\n\"\r\n\"q\n\nq\",2\r\r\nd,\"\n\"\re,5",
            // Stray quotes put the parity wrong from the first line on.
            "5\" pipe,1\nb,2\n\"c\nd\",3\n4\" x,\"\n\"\nz,9\n\"\"é,1\nlast,1\n",
            "\n\n\na,b\n\n\nc,d\n\n",
            &late,
        ];
        for text in texts {
            let whole = fields(text, usize::MAX).unwrap();
            assert!(whole.len() >= 2);
            let sizes = if text.len() < 1000 {
                1..=text.len()
            } else {
                70_000..=70_002
            };
            for chunk in sizes {
                let same = fields(text, chunk).unwrap() == whole;
                assert!(same, "{} bytes in chunks of {chunk}", text.len());
            }
        }
    }

    #[test]
    fn the_first_bad_record_is_named_whatever_the_chunks() {
        let long = "1,2\n\"a\nb\",2\n3,4,5\n6,7,8\n";
        let open = "1,2\n3,\"4\n5,6\n";
        for chunk in 1..=long.len() {
            let error = fields(long, chunk).unwrap_err().to_string();
            assert!(
                error.starts_with("line 4: expected 2 fields as in the header, found 3: \"3,4,5\""),
                "{error}"
            );
            let error = fields(open, chunk).unwrap_err().to_string();
            assert!(
                error.starts_with("line 2: expected a closing quote"),
                "{error}"
            );
        }
    }

    #[test]
    fn a_stop_request_ends_the_walk() {
        let control = Control::default();
        control.stop();
        let stopped = body("1,2\n", 4).walk(&control, |_, _| Ok(())).err();
        assert_eq!(
            stopped.map(|error| error.kind()),
            Some(ErrorKind::Interrupted)
        );
    }
}
