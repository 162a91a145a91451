//! Walks a plain UTF-8 file straight from the disk, window by window, so that the text as a whole
//! is never in memory.
//!
//! Only ordinary files go this way. Whatever is out of the ordinary (another encoding, ragged
//! records, quotes that mislead the guess of a border) is left to the way over the whole text, so
//! there is one place that judges it. Never maps files: one that is cut meanwhile would end the
//! process.

use std::fs::{File, Metadata};
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::chunks::{Body, Chunk, Room, Rooms, next_record, padding_of};
use super::index::{Index, Refused};
use super::records::{Delimiter, End, QUOTE, Range};
use crate::control::Control;
use crate::error::{Error, ErrorKind, Result};
use crate::source::Source;

/// A window reaches so far behind its chunk at first, then eight times as far, up to [`FARTHEST`].
const AHEAD: usize = 16 << 10;
const FARTHEST: usize = 8 << 20;
/// With more odd chunks than this it is the file, not the guesses.
const ODD: usize = 8;
/// How many bytes the lexer looks at behind a line end or a quote.
const LOOK: usize = 3;

/// A file that is read at any place.
pub struct FileText<'a> {
    file: &'a File,
    /// What it was like when it was opened.
    state: Metadata,
    /// Bytes of a byte order mark, which no position counts.
    pub skip: usize,
    /// Bytes behind them.
    pub length: usize,
}

impl<'a> FileText<'a> {
    /// The source as such a file, if it is one of at least `least` bytes.
    pub fn of(source: &'a Source, least: usize) -> Option<Self> {
        let file = source.plain_file()?;
        let state = file.metadata().ok()?;
        let length = usize::try_from(state.len()).ok()?;
        (length >= least).then_some(Self {
            file,
            state,
            skip: 0,
            length,
        })
    }

    /// The text from `start` to `stop` or its end, in `room`.
    ///
    /// # Errors
    /// [`ErrorKind::Io`] when the file does not give them (any more).
    pub fn window<'r>(&self, start: usize, stop: usize, room: &'r mut Vec<u8>) -> Result<&'r [u8]> {
        let length = stop.min(self.length).saturating_sub(start);
        if room.len() < length {
            let more = length - room.len();
            room.try_reserve_exact(more).map_err(|error| {
                Error::new(ErrorKind::Io, "the data does not fit into memory").because(error)
            })?;
            room.resize(length, 0);
        }
        let window = &mut room[..length];
        read_at(self.file, window, (self.skip + start) as u64).map_err(|error| {
            Error::new(ErrorKind::Io, format!("cannot read: {error}")).because(error)
        })?;
        Ok(window)
    }

    /// False when the file was written to since it was opened.
    pub fn unchanged(&self) -> bool {
        self.file.metadata().is_ok_and(|now| {
            now.len() == self.state.len() && now.modified().ok() == self.state.modified().ok()
        })
    }
}

#[cfg(unix)]
fn read_at(file: &File, window: &mut [u8], start: u64) -> std::io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, window, start)
}

#[cfg(not(unix))]
fn read_at(_: &File, _: &mut [u8], _: u64) -> std::io::Result<()> {
    Err(std::io::ErrorKind::Unsupported.into())
}

/// What became of a chunk.
enum Walked<T> {
    Chunk(Chunk<T>),
    /// No record starts in it.
    Empty,
    /// It is out of the ordinary, or its start was guessed wrong.
    Odd,
}

impl Body<'_> {
    /// As [`Body::walk`], from the file; `None` when the whole text has to be looked at.
    ///
    /// # Errors
    /// A stop request, and those of the work.
    pub fn walk_file<T: Send>(
        &self,
        file: &FileText<'_>,
        control: &Control,
        work: impl Fn(&Index, &[u8]) -> Result<T> + Sync,
    ) -> Result<Option<Vec<Chunk<T>>>> {
        let size = self.chunk.max(1);
        let count = (file.length - self.start).div_ceil(size);
        let odd = AtomicUsize::new(0);
        let rooms = Rooms::default();
        let walked: Vec<Walked<T>> = (0..count)
            .into_par_iter()
            .map(|number| {
                control.check()?;
                if odd.load(Ordering::Relaxed) > ODD {
                    return Ok(Walked::Odd);
                }
                let border = self.start + number * size;
                let known = number == 0;
                let walked = rooms.with(|room| {
                    self.walk_window(file, border, border + size, known, room, control, &work)
                })?;
                if matches!(walked, Walked::Odd) {
                    odd.fetch_add(if known { ODD + 1 } else { 1 }, Ordering::Relaxed);
                }
                Ok(walked)
            })
            .collect::<Result<_>>()?;
        if odd.into_inner() > ODD {
            return Ok(None);
        }
        let mut room = Room::default();
        let mut expected = self.start;
        let mut chunks = Vec::with_capacity(walked.len());
        for (number, walked) in walked.into_iter().enumerate() {
            let stop = self.start + (number + 1) * size;
            if expected > stop || expected == file.length {
                continue;
            }
            let right = match walked {
                Walked::Chunk(chunk) if chunk.start == expected => Walked::Chunk(chunk),
                _ => self.walk_window(file, expected, stop, true, &mut room, control, &work)?,
            };
            let Walked::Chunk(chunk) = right else {
                return Ok(None);
            };
            expected = chunk.end;
            chunks.push(chunk);
        }
        Ok((expected == file.length && file.unchanged()).then_some(chunks))
    }

    /// Walks the records that start behind the first line end at `border` or later (at `border`
    /// itself when it is `known` to be the start of one), up to the first that starts behind
    /// `next_border`.
    #[expect(
        clippy::too_many_arguments,
        reason = "all of one call, made in two places"
    )]
    fn walk_window<T>(
        &self,
        file: &FileText<'_>,
        border: usize,
        next_border: usize,
        known: bool,
        room: &mut Room,
        control: &Control,
        work: &impl Fn(&Index, &[u8]) -> Result<T>,
    ) -> Result<Walked<T>> {
        // The byte before the border helps to guess.
        let from = border - usize::from(!known);
        let mut ahead = AHEAD;
        while ahead <= FARTHEST {
            let to = (next_border + ahead).min(file.length);
            let Ok(window) = file.window(from, to, &mut room.bytes) else {
                return Ok(Walked::Odd);
            };
            ahead *= 8;
            let last = to == file.length;
            let start = if known {
                0
            } else {
                let inside = inside_quotes(window, 1, self.delimiter);
                next_record(window, 1, inside)
            };
            if from + start > next_border || start == window.len() && last {
                return Ok(Walked::Empty);
            }
            let range = Range {
                start,
                stop: if next_border < file.length {
                    next_border + 1 - from
                } else {
                    usize::MAX
                },
                limit: usize::MAX,
            };
            let (index, end) = self.scan(
                window,
                from,
                range,
                padding_of(window.len()),
                &mut room.marks,
                control,
            )?;
            let whole = match end {
                End::Record(next) => Some(next).filter(|next| last || next + LOOK <= window.len()),
                End::Unclosed(_) | End::Limit(_) if last => return Ok(Walked::Odd),
                End::Unclosed(_) | End::Limit(_) => None,
            };
            let odd = index.oddities;
            let ends = matches!(end, End::Record(next) if last && next == window.len());
            let blanks = odd.blank.count + if ends { 0 } else { odd.last_blank.count };
            let plain = odd.short.count + odd.long.count + odd.stray.count == 0
                && (self.width > 1 || blanks == 0);
            let Some(next) = whole else {
                if matches!(
                    index.refused,
                    Some(Refused::Long { .. } | Refused::Sparse { .. })
                ) {
                    return Ok(Walked::Odd);
                }
                room.marks = index.into_room();
                continue;
            };
            if index.refused.is_some()
                || !plain
                || simdutf8::basic::from_utf8(&window[start..next]).is_err()
            {
                return Ok(Walked::Odd);
            }
            let result = work(&index, window)?;
            let chunk = Chunk {
                start: from + start,
                end: from + next,
                rows: index.rows(),
                oddities: odd,
                result,
            };
            room.marks = index.into_room();
            control.advance((next - start) as u64);
            return Ok(Walked::Chunk(chunk));
        }
        Ok(Walked::Odd)
    }
}

/// Guesses whether `border` lies inside quotes, from the first quote behind it that can only open
/// or only close a field. A wrong guess is found out, because the chunks do not meet then.
fn inside_quotes(window: &[u8], border: usize, delimiter: Delimiter) -> bool {
    let mut odd = false;
    let mut at = border;
    while let Some(found) = memchr::memchr(QUOTE, &window[at..]) {
        at += found;
        let (before, behind) = (&window[..at], &window[at + 1..]);
        let opens = before.ends_with(delimiter.as_bytes())
            || matches!(before.last(), None | Some(b'\n' | b'\r'));
        let closes = behind.starts_with(delimiter.as_bytes())
            || matches!(behind.first(), None | Some(b'\n' | b'\r'));
        if opens != closes {
            return closes != odd;
        }
        if behind.first() == Some(&QUOTE) {
            // Doubled, inside a field: it may stand before a delimiter as well.
            at += 2;
        } else {
            odd = !odd;
            at += 1;
        }
    }
    false
}
