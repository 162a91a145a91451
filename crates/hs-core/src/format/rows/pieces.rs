//! Pieces of a table that are laid out side by side and written in their order. Knows no format.

use std::io::Write;

use rayon::prelude::*;

use super::cells::Piece;
use crate::control::Control;
use crate::error::Result;
use crate::sink;
use crate::table::Table;

/// Values in a piece: so few that what is written is still warm when it goes out, and a stop
/// request is seen soon.
const VALUES: usize = 1 << 16;
/// Rows in a piece at least, so that a piece of a wide table is worth its start.
const LEAST: usize = 16;

/// Lays the rows of a table out, piece by piece, and writes them in order; while one wave of pieces
/// is written, the next one is laid out.
///
/// `lay` appends the rows of the pieces (one for each column); it is told the number of the first of
/// them and how many there are. What it gives for each piece comes back in order.
///
/// # Errors
/// Those of `lay` and of the stream, and a stop request.
pub fn write<T: Send>(
    table: &Table,
    out: &mut (dyn Write + Send),
    control: &Control,
    lay: impl Fn(&[Piece], usize, usize, &mut Vec<u8>) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let height = table.height();
    let rows = (VALUES / table.width().max(1)).max(LEAST);
    let starts: Vec<usize> = (0..height).step_by(rows).collect();
    let wave = rayon::current_num_threads() * 2;
    let mut told = Vec::with_capacity(starts.len());
    // Two waves of rooms, used again and again.
    let mut ready: Vec<Vec<u8>> = Vec::new();
    let mut spare: Vec<Vec<u8>> = Vec::new();
    let mut waves = starts.chunks(wave);
    loop {
        let next = waves.next().unwrap_or_default();
        spare.resize_with(next.len(), Vec::new);
        let (written, laid) = rayon::join(
            || put(&ready, out, control),
            || {
                next.par_iter()
                    .zip(&mut spare)
                    .map(|(start, room)| {
                        control.check()?;
                        let length = rows.min(height - start);
                        room.clear();
                        let pieces: Vec<Piece> = table
                            .iter()
                            .map(|(info, column)| Piece::of(info, column, *start, length))
                            .collect();
                        lay(&pieces, *start, length, room)
                    })
                    .collect::<Result<Vec<T>>>()
            },
        );
        written?;
        told.extend(laid?);
        if next.is_empty() {
            return Ok(told);
        }
        std::mem::swap(&mut ready, &mut spare);
    }
}

fn put(rooms: &[Vec<u8>], out: &mut (dyn Write + Send), control: &Control) -> Result<()> {
    for room in rooms {
        control.check()?;
        out.write_all(room).map_err(sink::not_written)?;
    }
    Ok(())
}
