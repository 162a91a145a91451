//! The writer of delimited text: UTF-8, LF, quotes as in RFC 4180. Missing (also NaN) is the empty
//! field, and empty text a pair of quotes, so that the two stay apart in the file.

mod field;
mod losses;

#[cfg(test)]
mod tests;

use std::io::Write;

use crate::control::Control;
use crate::error::Result;
use crate::format::rows::cells::{Cells, Piece};
use crate::format::rows::pieces;
use crate::note::Note;
use crate::sink;
use crate::table::Table;

/// Writes a table: a header line, then a line for each row.
///
/// # Errors
/// Before anything is written [`crate::ErrorKind::Type`] for bytes, with column and row; then what
/// the stream does not take, and a stop request.
pub fn write(
    table: &Table,
    delimiter: u8,
    out: &mut (dyn Write + Send),
    control: &Control,
) -> Result<Vec<Note>> {
    losses::refuse(table)?;
    let empty = lines(table, delimiter, out, control)?;
    losses::notes(table, delimiter, &empty, control)
}

/// As [`write()`], without a word on what the text does not carry: an answer is read, not loaded.
///
/// # Errors
/// As [`write()`], but bytes are written as hexadecimal digits.
pub fn write_answer(
    table: &Table,
    delimiter: u8,
    out: &mut (dyn Write + Send),
    control: &Control,
) -> Result<()> {
    lines(table, delimiter, out, control).map(drop)
}

/// Empty texts of a column, in the order of the columns: how many, and the row of the first.
type Empty = Vec<(u64, usize)>;

fn lines(
    table: &Table,
    delimiter: u8,
    out: &mut (dyn Write + Send),
    control: &Control,
) -> Result<Empty> {
    let mut header = Vec::new();
    for (index, info) in table.columns().iter().enumerate() {
        if index > 0 {
            header.push(delimiter);
        }
        field::push_name(&mut header, &info.name, index == 0);
    }
    header.push(b'\n');
    out.write_all(&header).map_err(sink::not_written)?;
    // A line with nothing on it but blanks is no row to most readers.
    let blank = table.width() == 1 || delimiter == b'\t';
    let pieces = pieces::write(table, out, control, |pieces, start, length, room| {
        let columns = pieces
            .iter()
            .map(Piece::cells)
            .collect::<Result<Vec<_>>>()?;
        let mut empty = vec![(0, 0); columns.len()];
        for row in 0..length {
            let front = room.len();
            let mut filled = false;
            for (index, cells) in columns.iter().enumerate() {
                if index > 0 {
                    room.push(delimiter);
                }
                let written = match cells {
                    Cells::Text(texts) => match texts.get(row) {
                        None => false,
                        Some("") => {
                            if empty[index].0 == 0 {
                                empty[index].1 = start + row;
                            }
                            empty[index].0 += 1;
                            room.extend_from_slice(b"\"\"");
                            true
                        }
                        Some(text) => {
                            field::push(room, text.as_bytes());
                            true
                        }
                    },
                    Cells::Json(_) | Cells::Other(_) => {
                        let at = room.len();
                        let written = cells.push(row, room);
                        field::quote_from(room, at);
                        written
                    }
                    plain => plain.push(row, room),
                };
                filled |= written;
            }
            if !filled && blank {
                room.splice(front..front, *b"\"\"");
            }
            room.push(b'\n');
        }
        Ok(empty)
    })?;
    let mut all: Empty = vec![(0, 0); table.width()];
    for piece in pieces {
        for (sum, (count, first)) in all.iter_mut().zip(piece) {
            if sum.0 == 0 {
                sum.1 = first;
            }
            sum.0 += count;
        }
    }
    Ok(all)
}
