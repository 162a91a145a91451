//! Delimited text: csv, tsv and their kin, typed over whole columns.
//!
//! The way of the bytes: [`encoding`] makes UTF-8 of them; [`dialect`] decides the delimiter and
//! reads the header; [`chunks`] walks the records in parallel with the lexer of [`records`], which
//! marks fields in an [`index`]; each chunk is typed ([`types`], [`scalar`]) and built ([`build`])
//! while it is warm; the types are joined over all chunks (with [`local`] habits decided), pieces
//! of another type are built again, and [`columns`] joins the pieces. [`account`] says what was done.

mod account;
mod build;
mod chunks;
mod columns;
mod dialect;
mod encoding;
mod index;
mod local;
mod records;
mod scalar;
mod types;

#[cfg(test)]
mod tests;

use std::sync::atomic::{AtomicU8, Ordering};

use rayon::prelude::*;

use crate::control::Control;
use crate::error::{Error, ErrorKind, Result};
use crate::format::ReadOptions;
use crate::note::{Note, Topic};
use crate::source::Source;
use crate::table::{ColumnInfo, Kind, Table, unique_names};
use build::Piece;
use chunks::{Body, Chunk};
use dialect::Dialect;
use types::{ColumnType, Seen};

/// A chunk and its index fit into the cache of a core.
const CHUNK: usize = 256 << 10;
/// The delimiter is decided on so many bytes first, and on all if the file does not bear it out.
const FRONT: usize = 1 << 20;

/// Reads the source.
///
/// # Errors
/// [`ErrorKind::Format`] with the line for records that do not fit the header and for quotes that
/// are never closed, with the byte for broken encodings; [`ErrorKind::Argument`] for options that
/// make no sense.
pub fn read(source: Source, options: &ReadOptions, control: &Control) -> Result<Table> {
    if let Some(delimiter) = options.delimiter {
        dialect::check_delimiter(delimiter)?;
    }
    let bytes = source.read(control)?;
    let decoded = encoding::decode(bytes, options.encoding.as_deref(), control)?;
    let mut table = read_text(decoded.text(), options, CHUNK, control)?;
    if decoded.encoding != encoding_rs::UTF_8 {
        let line = format!("encoding: {}", decoded.encoding.name());
        table.notes.insert(0, Note::new(Topic::Encoding, line));
    }
    Ok(table)
}

/// Reads decoded text in chunks of about `chunk` bytes; any size gives the same table.
fn read_text(text: &[u8], options: &ReadOptions, chunk: usize, control: &Control) -> Result<Table> {
    let mut start = match options.header {
        Some(line) if line > 1 => dialect::start_of_line(text, line, control)?,
        _ => 0,
    };
    let mut given = options.delimiter;
    if given.is_none()
        && options.header.is_none()
        && let Some((delimiter, next)) = dialect::separator_line(text)
    {
        given = Some(delimiter);
        start = next;
    }
    if let Some(delimiter) = given {
        let dialect = Dialect {
            delimiter: Some(delimiter),
            doubtful: false,
        };
        return read_as(text, start, dialect, options, chunk, control);
    }
    let front = start.saturating_add(FRONT).min(text.len());
    let dialect = dialect::detect(text, start, front, control)?;
    let table = read_as(text, start, dialect, options, chunk, control);
    let borne_out = match &table {
        Ok(table) => !table.notes.iter().any(|note| note.topic == Topic::Rows),
        Err(error) => error.kind() != ErrorKind::Format,
    };
    if borne_out || front == text.len() {
        return table;
    }
    let second = dialect::detect(text, start, text.len(), control)?;
    if second.delimiter == dialect.delimiter {
        return table;
    }
    read_as(text, start, second, options, chunk, control)
}

fn read_as(
    text: &[u8],
    start: usize,
    dialect: Dialect,
    options: &ReadOptions,
    chunk: usize,
    control: &Control,
) -> Result<Table> {
    let delimiter = dialect.bytes();
    let Some(first) = dialect::first_record(text, start, delimiter, control)? else {
        return Err(Error::new(
            ErrorKind::Format,
            "expected data, found only blank lines",
        ));
    };
    let width = first.fields.len();
    let (written, start) = if options.header == Some(0) {
        (vec![String::new(); width], first.start)
    } else {
        (first.fields, first.next)
    };
    // A name of spaces shows as no name.
    let written: Vec<String> = written
        .into_iter()
        .map(|name| {
            if name.trim().is_empty() {
                String::new()
            } else {
                name
            }
        })
        .collect();
    let names = unique_names(written.iter().map(String::as_str));
    let body = Body {
        text,
        start,
        delimiter,
        width,
        // Columns of a few rows a chunk would cost more than their values.
        chunk: chunk.max(if chunk == CHUNK {
            (width * 4096).min(64 << 20)
        } else {
            1
        }),
    };
    let mut chunks = first_pass(&body, control)?;
    let mut seen = vec![Seen::NOTHING; width];
    let mut oddities = index::Oddities::default();
    for chunk in &chunks {
        oddities.join(chunk.oddities);
        for (all, (part, _)) in seen.iter_mut().zip(&chunk.result) {
            *all |= *part;
        }
    }
    let mut habit = local::Habit {
        comma_free: dialect.delimiter != Some(','),
        decimal_comma: false,
    };
    let resolve = |habit| {
        seen.iter()
            .map(|seen| local::resolve(*seen, habit))
            .collect::<Vec<_>>()
    };
    let mut kinds: Vec<ColumnType> = resolve(habit);
    if kinds.contains(&ColumnType::CommaFloat) {
        habit.decimal_comma = true;
        kinds = resolve(habit);
    }
    let mut notes: Vec<Note> = Vec::new();
    notes.extend(account::dialect(dialect));
    if options.header != Some(0) {
        notes.extend(account::names(
            &written,
            &names,
            records::line_of(text, first.start),
        ));
    }
    let rows: usize = chunks.iter().map(|chunk| chunk.rows).sum();
    notes.extend(account::rows(text, &oddities, rows, width));
    notes.extend(account::local(&names, &seen, &kinds, habit));
    notes.extend(account::types(
        &body, &chunks, &names, &seen, &kinds, control,
    )?);
    second_pass(&body, &mut chunks, &kinds, control)?;
    let columns = join(chunks, &names, &kinds, control)?;
    let mut table = Table::from_columns(rows, columns)?;
    table.notes = notes;
    Ok(table)
}

/// Types and builds each chunk by itself.
fn first_pass(body: &Body<'_>, control: &Control) -> Result<Vec<Chunk<Vec<(Seen, Piece)>>>> {
    let hints: Vec<AtomicU8> = (0..body.width).map(|_| AtomicU8::new(u8::MAX)).collect();
    body.walk(control, |index| {
        let mut pieces = Vec::with_capacity(body.width);
        for (column, hint) in hints.iter().enumerate() {
            if column % 64 == 0 {
                control.check()?;
            }
            let known = ColumnType::of_code(hint.load(Ordering::Relaxed));
            let (seen, piece) = build::first_piece(index.column(body.text, column), known);
            // Text by default (only "NA" so far) must not keep other chunks from being typed.
            let telling = match piece.kind {
                ColumnType::Empty => false,
                ColumnType::Text => seen.settles_text(),
                _ => known != Some(ColumnType::Text),
            };
            if telling && known != Some(piece.kind) {
                hint.store(piece.kind.code(), Ordering::Relaxed);
            }
            pieces.push((seen, piece));
        }
        Ok(pieces)
    })
}

/// Builds the pieces again whose chunk had another type than the column as a whole.
fn second_pass(
    body: &Body<'_>,
    chunks: &mut [Chunk<Vec<(Seen, Piece)>>],
    kinds: &[ColumnType],
    control: &Control,
) -> Result<()> {
    chunks.par_iter_mut().try_for_each(|chunk| {
        let fits =
            |piece: &Piece, kind: ColumnType| piece.kind == kind || piece.kind == ColumnType::Empty;
        if chunk
            .result
            .iter()
            .zip(kinds)
            .all(|((_, piece), kind)| fits(piece, *kind))
        {
            return Ok(());
        }
        let index = body.index(chunk, control)?;
        for (column, ((_, piece), kind)) in chunk.result.iter_mut().zip(kinds).enumerate() {
            if fits(piece, *kind) {
                continue;
            }
            control.check()?;
            let built = build::build(index.column(body.text, column), *kind);
            let (_, fresh) = built.ok_or_else(|| {
                let message = format!("column {} does not fit the type found for it", column + 1);
                Error::new(ErrorKind::Internal, message)
            })?;
            *piece = fresh;
        }
        Ok(())
    })
}

/// Joins the pieces, column by column.
fn join(
    chunks: Vec<Chunk<Vec<(Seen, Piece)>>>,
    names: &[String],
    kinds: &[ColumnType],
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
        .map(|((pieces, name), kind)| {
            control.check()?;
            let column = columns::join(name, *kind, pieces)?;
            let info = ColumnInfo {
                name: name.clone(),
                kind: Kind::of(column.dtype()),
            };
            Ok((info, column))
        })
        .collect()
}
