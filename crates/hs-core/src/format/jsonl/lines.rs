//! Some lines in a row: the quick way through most of them, the careful way through the others.

use crate::builder::RecordsBuilder;
use crate::control::Control;
use crate::error::Result;
use crate::format::json::parse::{Parser, Step, Tally};
use crate::format::json::quick::Quick;

/// Longer lines go the careful way, which looks at the stop request.
const LONG: usize = 16 << 20;

/// The first line that is no JSON object.
#[derive(Debug)]
pub(super) struct BadLine {
    /// From 1, in the piece or the file.
    pub line: u64,
    pub message: String,
}

/// What some lines in a row gave.
#[derive(Debug, Default)]
pub(super) struct Piece {
    pub records: RecordsBuilder,
    pub lines: u64,
    pub bad: u64,
    pub first_bad: Option<BadLine>,
    /// By lines, from 0.
    pub tally: Tally,
}

/// Reads whole lines.
///
/// # Errors
/// A stop request.
pub(super) fn read_piece(text: &[u8], control: &Control) -> Result<Piece> {
    control.check()?;
    let checked = simdutf8::basic::from_utf8(text).ok();
    let mut odd = Vec::new();
    let mut piece = match checked {
        Some(text) => quick_lines(text, &mut odd),
        None => Piece::default(),
    };
    if checked.is_none() || !odd.is_empty() {
        // What an odd line held before the quick way gave up has left marks in the types of the
        // columns, so the piece is read again with the knowledge of all odd lines.
        piece = careful_lines(text, checked, &odd, control)?;
    }
    piece.records.shrink();
    Ok(piece)
}

/// Reads what it can, and notes the numbers, from 0, of the lines that it left out.
fn quick_lines(text: &str, odd: &mut Vec<u64>) -> Piece {
    let mut piece = Piece::default();
    let mut quick = Quick::new(text);
    for (start, line) in lines(text.as_bytes()) {
        let number = piece.lines;
        piece.lines += 1;
        if !is_blank(line) && !read_quickly(&mut quick, start, line, number, &mut piece) {
            odd.push(number);
        }
    }
    piece
}

/// Reads every line: the odd ones whole, before anything of them gets into a column.
fn careful_lines(
    text: &[u8],
    checked: Option<&str>,
    odd: &[u64],
    control: &Control,
) -> Result<Piece> {
    let mut piece = Piece::default();
    let mut quick = checked.map(Quick::new);
    let mut odd = odd.iter().peekable();
    for (start, line) in lines(text) {
        let number = piece.lines;
        piece.lines += 1;
        if is_blank(line) {
            continue;
        }
        let quick = quick
            .as_mut()
            .filter(|_| odd.next_if(|odd| **odd == number).is_none());
        if let Some(quick) = quick
            && read_quickly(quick, start, line, number, &mut piece)
        {
            continue;
        }
        let mut parser = Parser::new(line, control);
        match parser.only_object() {
            Ok(fields) => {
                piece.records.begin();
                for (key, value) in &fields {
                    piece.records.push(key, value);
                }
                piece.records.end();
                piece.tally.append(parser.tally.at(number as usize), 0);
            }
            Err(Step::Stopped(error)) => return Err(error),
            Err(Step::Fault(fault)) => {
                piece.bad += 1;
                piece.first_bad.get_or_insert_with(|| BadLine {
                    line: number + 1,
                    message: fault.message(line),
                });
            }
        }
    }
    Ok(piece)
}

/// Reads a line into the next record, or leaves the records as they were and says false.
#[inline]
fn read_quickly(
    quick: &mut Quick<'_>,
    start: usize,
    line: &[u8],
    number: u64,
    piece: &mut Piece,
) -> bool {
    if line.len() > LONG {
        return false;
    }
    piece.records.begin();
    let behind = quick
        .record(start, &mut piece.records)
        .and_then(|end| line.get(end - start..));
    if !behind.is_some_and(is_blank) {
        piece.records.cancel();
        quick.tally = Tally::default();
        return false;
    }
    piece.records.end();
    if quick.tally.rounded > 0 {
        let tally = std::mem::take(&mut quick.tally);
        piece.tally.append(tally.at(number as usize), 0);
    }
    true
}

/// Each line with its end, and the byte at which it begins.
fn lines(text: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let mut start = 0;
    std::iter::from_fn(move || {
        let rest = text.get(start..).filter(|rest| !rest.is_empty())?;
        let length = memchr::memchr(b'\n', rest).map_or(rest.len(), |at| at + 1);
        start += length;
        Some((start - length, &rest[..length]))
    })
}

fn is_blank(line: &[u8]) -> bool {
    line.iter().all(|byte| b" \t\r\n".contains(byte))
}

/// Reads whole lines without the quick way.
#[cfg(test)]
pub(super) fn read_carefully(text: &[u8]) -> Result<Piece> {
    careful_lines(text, None, &[], &Control::default())
}
