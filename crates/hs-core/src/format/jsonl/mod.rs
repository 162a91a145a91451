//! The jsonl reader: one JSON object a line. A line that is something else is skipped, counted and
//! told; nothing of it gets into the table.
//!
//! The text is cut into pieces at line ends, large files window by window, so that the text as a whole
//! is never in memory. Each piece is read on its own ([`lines`]); what was seen is joined over all of
//! them, so where the pieces end changes nothing.

mod lines;
#[cfg(test)]
mod tests;
pub mod write;

use rayon::prelude::*;

use crate::builder::RecordsParts;
use crate::control::Control;
use crate::error::{Error, ErrorKind, Place, Result};
use crate::format::ReadOptions;
use crate::format::delimited::chunks::Rooms;
use crate::format::delimited::file::FileText;
use crate::format::json::parse::Tally;
use crate::format::json::{utf8, wide_encoding};
use crate::note::{Note, Topic};
use crate::source::Source;
use crate::table::Table;
use crate::text;

use lines::{BadLine, Piece, read_piece};

/// Bytes that are read as one piece. A constant, so that a file gives the same table on every
/// machine.
pub(super) const PIECE: usize = 2 << 20;
/// Pieces of fewer records than they would have at so many bytes each are put together.
const ROW: usize = 512;
/// Pieces between two looks at the keys so far.
const WAVE: usize = 64;
/// A window reaches so far behind its piece at first, then eight times as far.
const AHEAD: usize = 16 << 10;

/// Reads one JSON object a line.
///
/// # Errors
/// [`ErrorKind::Format`] when no line is an object.
pub fn read(source: Source, _options: &ReadOptions, control: &Control) -> Result<Table> {
    if let Some(table) = read_file(&source, PIECE, control)? {
        return Ok(table);
    }
    let (bytes, encoding) = utf8(source.read(control)?)?;
    read_text(&bytes, encoding, PIECE, control)
}

/// Reads UTF-8 text in pieces of about `size` bytes. For tests and fuzzing: any size gives the same
/// table.
///
/// # Errors
/// As [`read`].
#[doc(hidden)]
pub fn read_in_pieces(bytes: &[u8], size: usize, control: &Control) -> Result<Table> {
    read_text(bytes, Vec::new(), size, control)
}

/// Reads UTF-8 text of one JSON object a line in pieces of about `size` bytes; `encoding` is what
/// there is to say about it already.
///
/// # Errors
/// As [`read`].
pub(super) fn read_text(
    bytes: &[u8],
    encoding: Vec<Note>,
    size: usize,
    control: &Control,
) -> Result<Table> {
    let mut whole = Whole::new(size);
    let pieces = pieces(bytes, size);
    control.start("parsing", bytes.len() as u64);
    for wave in pieces.chunks(WAVE) {
        control.check()?;
        let done: Vec<Result<Piece>> = wave
            .par_iter()
            .map(|piece| {
                let read = read_piece(piece, control)?;
                control.advance(piece.len() as u64);
                Ok(read)
            })
            .collect();
        for piece in done {
            whole.push(piece?)?;
        }
    }
    whole.finish(encoding)
}

/// As [`read_text`], from a plain large file; `None` when it is something else, or was written to
/// meanwhile.
fn read_file(source: &Source, size: usize, control: &Control) -> Result<Option<Table>> {
    let Some(mut file) = FileText::of(source, size.saturating_mul(2)) else {
        return Ok(None);
    };
    if wide_encoding(source.head()).is_some() {
        return Ok(None);
    }
    if source.head().starts_with(b"\xef\xbb\xbf") {
        file.skip = 3;
        file.length -= 3;
    }
    control.start("parsing", file.length as u64);
    let mut whole = Whole::new(size);
    let rooms = Rooms::default();
    let borders: Vec<usize> = (0..file.length).step_by(size.max(1)).collect();
    for wave in borders.chunks(WAVE) {
        let done: Vec<Result<Piece>> = wave
            .par_iter()
            .map(|border| {
                control.check()?;
                let end = file.length.min(border + size);
                let piece = rooms.with(|room| {
                    read_piece(window(&file, *border, end, &mut room.bytes)?, control)
                })?;
                control.advance((end - border) as u64);
                Ok(piece)
            })
            .collect();
        for piece in done {
            whole.push(piece?)?;
        }
    }
    if !file.unchanged() {
        return Ok(None);
    }
    whole.finish(Vec::new()).map(Some)
}

/// The lines of a file that begin between two of its bytes.
fn window<'r>(
    file: &FileText<'_>,
    border: usize,
    end: usize,
    room: &'r mut Vec<u8>,
) -> Result<&'r [u8]> {
    // The byte before the border tells whether a line begins there.
    let from = border.saturating_sub(1);
    let mut ahead = AHEAD;
    loop {
        let to = file.length.min(end.saturating_add(ahead));
        let bytes = file.window(from, to, room)?;
        let own = &bytes[..end - from];
        let start = match memchr::memchr(b'\n', own) {
            _ if border == 0 => 0,
            Some(found) if found + 1 < own.len() => found + 1,
            _ => return Ok(&[]),
        };
        let last = end - from - 1;
        let stop = match memchr::memchr(b'\n', &bytes[last..]) {
            Some(found) => last + found + 1,
            None if to == file.length => bytes.len(),
            None => {
                ahead = ahead.saturating_mul(8);
                continue;
            }
        };
        return Ok(&room[start..stop]);
    }
}

/// The text cut at line ends.
fn pieces(text: &[u8], size: usize) -> Vec<&[u8]> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while rest.len() > size {
        let end = memchr::memchr(b'\n', &rest[size..]).map_or(rest.len(), |at| size + at + 1);
        let (piece, tail) = rest.split_at(end);
        pieces.push(piece);
        rest = tail;
    }
    if !rest.is_empty() {
        pieces.push(rest);
    }
    pieces
}

/// What all pieces gave.
#[derive(Debug)]
struct Whole {
    records: RecordsParts,
    lines: u64,
    bad: u64,
    first_bad: Option<BadLine>,
    tally: Tally,
}

impl Whole {
    fn new(size: usize) -> Self {
        Self {
            records: RecordsParts::new(size / ROW),
            lines: 0,
            bad: 0,
            first_bad: None,
            tally: Tally::default(),
        }
    }

    /// Takes over the piece that follows.
    fn push(&mut self, next: Piece) -> Result<()> {
        self.records.push(next.records)?;
        if self.first_bad.is_none() {
            self.first_bad = next.first_bad.map(|bad| BadLine {
                line: bad.line + self.lines,
                ..bad
            });
        }
        self.bad += next.bad;
        self.tally.append(next.tally, self.lines as usize);
        self.lines += next.lines;
        Ok(())
    }

    fn finish(self, encoding: Vec<Note>) -> Result<Table> {
        if self.records.is_empty() {
            return Err(self.no_records());
        }
        let mut notes = Vec::new();
        if let Some(first) = &self.first_bad {
            let message = format!(
                "skipped {} (first: line {}, {})",
                text::counted(self.bad, "bad line"),
                text::count(first.line),
                first.message
            );
            let place = Place::default().row(first.line);
            notes.push(Note::new(Topic::Rows, message).counted(self.bad, place));
        }
        notes.extend(self.tally.notes(|line| line as u64 + 1));
        let mut table = self.records.finish()?;
        notes.append(&mut table.notes);
        notes.extend(encoding);
        table.notes = notes;
        Ok(table)
    }

    fn no_records(&self) -> Error {
        let Some(first) = &self.first_bad else {
            return Error::new(
                ErrorKind::Format,
                "expected a JSON object on each line, found only blank lines",
            );
        };
        let message = match self.bad {
            1 => first.message.clone(),
            bad => format!(
                "{}; all {} are bad",
                first.message,
                text::counted(bad, "line")
            ),
        };
        let error = Error::new(ErrorKind::Format, message).at(Place::default().row(first.line));
        error.hint("if the file is one JSON document, give it the extension .json")
    }
}
