//! The pieces that the columns of a chunk are built as: made, looked at again, built anew as another
//! type, joined. Decides no type of a column and says nothing to the user.

use std::sync::atomic::Ordering;

use rayon::prelude::*;

use super::build::{self, Piece, Values};
use super::choice::{Choice, Plan};
use super::chunks::{Body, Rooms};
use super::index::{Fields, Index};
use super::texts::TextLayout;
use super::types::{ColumnType, Seen};
use super::{TypedChunk, columns};
use crate::control::Control;
use crate::error::{Error, ErrorKind, Result};
use crate::table::{ColumnInfo, Kind};

/// Types and builds a chunk by itself.
pub fn type_pieces(
    body: &Body<'_>,
    index: &Index,
    text: &[u8],
    plan: &Plan,
    control: &Control,
) -> Result<Vec<(Seen, Piece)>> {
    let mut pieces = Vec::with_capacity(body.width);
    for (column, (hint, choice)) in plan.hints.iter().zip(&plan.choices).enumerate() {
        if column % 64 == 0 {
            control.check()?;
        }
        if *choice != Choice::Decide && !plan.evidence {
            let fields = index.column(text, column);
            pieces.push((Seen::NOTHING, chosen(fields, *choice, body.layout)));
            continue;
        }
        let known = ColumnType::of_code(hint.load(Ordering::Relaxed));
        let (seen, piece) = build::first_piece(index.column(text, column), known, body.layout);
        // Text by default (only "NA" so far) must not keep other chunks from being typed.
        let telling = match piece.kind {
            ColumnType::Empty => false,
            ColumnType::Text => seen.settles_text(),
            _ => known != Some(ColumnType::Text),
        };
        if telling && known != Some(piece.kind) {
            hint.store(piece.kind.code(), Ordering::Relaxed);
        }
        let piece = match choice {
            Choice::Decide => piece,
            _ => chosen(index.column(text, column), *choice, body.layout),
        };
        pieces.push((seen, piece));
    }
    Ok(pieces)
}

/// A piece of a column whose type is not decided by its values.
fn chosen(fields: Fields<'_>, choice: Choice, layout: TextLayout) -> Piece {
    if choice == Choice::Skip {
        return Piece {
            kind: ColumnType::Empty,
            rows: fields.rows(),
            values: Values::Missing,
            validity: None,
            exact: false,
        };
    }
    build::text(fields, choice.layout(layout)).1
}

/// What was seen in all chunks, for each column.
pub fn joined(chunks: &[TypedChunk], width: usize) -> Vec<Seen> {
    let mut seen = vec![Seen::NOTHING; width];
    for chunk in chunks {
        for (all, (part, _)) in seen.iter_mut().zip(&chunk.result) {
            *all |= *part;
        }
    }
    seen
}

/// Looks at pieces that nobody looked at because another chunk had settled their column as text,
/// where that chunk did not come back: its borders were wrong.
pub fn look_again(
    body: &Body<'_>,
    chunks: &mut [TypedChunk],
    plan: &Plan,
    seen: &[Seen],
    control: &Control,
) -> Result<()> {
    let rooms = Rooms::default();
    chunks.par_iter_mut().try_for_each(|chunk| {
        control.check()?;
        let (start, end) = (chunk.start, chunk.end);
        let parts = &mut chunk.result;
        let look = |index: &Index, text: &[u8]| {
            let parts = parts.iter_mut().zip(seen).zip(&plan.choices);
            for (column, ((part, all), choice)) in parts.enumerate() {
                if !part.0.has(Seen::UNLOOKED) || !all.is_unproven_text() {
                    continue;
                }
                control.check()?;
                let (seen, piece) =
                    build::first_piece(index.column(text, column), None, body.layout);
                part.0 = seen;
                if *choice == Choice::Decide {
                    part.1 = piece;
                }
            }
            Ok(())
        };
        rooms.with(|room| body.again(start, end, room, control, look))
    })
}

/// Builds the pieces again whose chunk had another type than the column as a whole.
pub fn second_pass(
    body: &Body<'_>,
    chunks: &mut [TypedChunk],
    kinds: &[ColumnType],
    control: &Control,
) -> Result<()> {
    let fits =
        |piece: &Piece, kind: ColumnType| piece.kind == kind || piece.kind == ColumnType::Empty;
    let rooms = Rooms::default();
    chunks.par_iter_mut().try_for_each(|chunk| {
        control.check()?;
        for ((_, piece), kind) in chunk.result.iter_mut().zip(kinds) {
            if !fits(piece, *kind) {
                build::turn(piece, *kind, body.layout);
            }
        }
        if chunk
            .result
            .iter()
            .zip(kinds)
            .all(|((_, piece), kind)| fits(piece, *kind))
        {
            return Ok(());
        }
        let (start, end) = (chunk.start, chunk.end);
        let pieces = &mut chunk.result;
        let rebuild = |index: &Index, text: &[u8]| {
            for (column, ((_, piece), kind)) in pieces.iter_mut().zip(kinds).enumerate() {
                if fits(piece, *kind) {
                    continue;
                }
                control.check()?;
                let built = build::build(index.column(text, column), *kind, body.layout);
                let (_, fresh) = built.ok_or_else(|| {
                    let message =
                        format!("column {} does not fit the type found for it", column + 1);
                    Error::new(ErrorKind::Internal, message)
                })?;
                *piece = fresh;
            }
            Ok(())
        };
        rooms.with(|room| body.again(start, end, room, control, rebuild))
    })
}

/// Joins the pieces, column by column.
pub fn join(
    chunks: Vec<TypedChunk>,
    names: &[String],
    kinds: &[ColumnType],
    layouts: &[TextLayout],
    control: &Control,
) -> Result<Vec<(ColumnInfo, polars::prelude::Column)>> {
    let mut pieces: Vec<Vec<Piece>> = names
        .iter()
        .map(|_| Vec::with_capacity(chunks.len()))
        .collect();
    for chunk in chunks {
        for (column, (_, piece)) in pieces.iter_mut().zip(chunk.result) {
            column.push(piece);
        }
    }
    pieces
        .into_par_iter()
        .zip(names)
        .zip(kinds)
        .zip(layouts)
        .map(|(((pieces, name), kind), layout)| {
            control.check()?;
            let column = columns::join(name, *kind, *layout, pieces)?;
            let info = ColumnInfo {
                name: name.clone(),
                kind: match kind {
                    // In whichever layout.
                    ColumnType::Text => Kind::Text,
                    _ => Kind::of(column.dtype()),
                },
            };
            Ok((info, column))
        })
        .collect()
}
