//! Delimited text: csv, tsv and their kin, typed over whole columns.
//!
//! The way of the bytes: [`encoding`] makes UTF-8 of them; [`dialect`] decides the delimiter and
//! reads the header, which a [`preamble`] may stand above; a text that cannot be read so may have
//! another way of [`quoting`]; [`chunks`] walks the records in parallel with the lexer of [`records`], which
//! marks fields in an [`index`]; each chunk is typed ([`types`], [`scalar`]) and built ([`build`], [`pieces`])
//! while it is warm; the types are joined over all chunks (with [`local`] habits decided), pieces
//! of another type are built again, and [`columns`] joins the pieces. [`account`] says what was done,
//! [`why`] why each column has its type. What is wanted of a column ([`choice`]) may be its text, for a
//! type that the user gives, or nothing.

mod account;
mod amounts;
mod build;
mod choice;
pub(super) mod chunks;
mod columns;
mod dialect;
mod encoding;
pub(super) mod file;
mod index;
mod lines;
mod local;
mod pieces;
mod preamble;
mod quoting;
mod records;
// Also read by the step that turns columns into wanted types.
pub(super) mod scalar;
mod texts;
mod types;
mod why;
mod widths;
mod word;
pub mod write;

#[cfg(test)]
mod choice_tests;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod wild_tests;

use crate::control::Control;
use crate::error::{Error, ErrorKind, Place, Result, quoted};
use crate::fix::Fix;
use crate::format::ReadOptions;
use crate::format::conform::{Spot, conform};
use crate::note::{Note, Topic};
use crate::source::Source;
use crate::table::{Table, unique_names};
use build::Piece;
use choice::{Choice, Plan};
use chunks::{Body, Chunk};
use dialect::{Dialect, Found, Question};
use file::FileText;
use lines::Lines;
use pieces::{join, joined, look_again, second_pass, type_pieces};
use quoting::Quoting;
pub use texts::TextLayout;
use types::{ColumnType, Seen};

/// A chunk with what was seen in each of its columns, and the columns.
type TypedChunk = Chunk<Vec<(Seen, Piece)>>;

/// A chunk and its index fit into the cache of a core.
const CHUNK: usize = 256 << 10;
/// Chunks of large files are larger, so that their columns have some 100 parts, up to this.
const LARGE_CHUNK: usize = 2 << 20;
const PARTS: usize = 128;
/// The delimiter is decided on so many bytes first, and on all if the file does not bear it out.
const FRONT: usize = 256 << 10;
/// How far the record that crosses the end of the front may reach before the whole text is read.
const MARGIN: usize = 256 << 10;

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
    if let Some(table) = read_file(&source, options, CHUNK, control)? {
        return Ok(table);
    }
    let bytes = source.read(control)?;
    let marked = encoding_rs::Encoding::for_bom(&bytes).is_some();
    let decoded = encoding::decode(bytes, options.encoding.as_deref(), control)?;
    let mut table = read_text(decoded.text(), options, CHUNK, control)?;
    let given = options.encoding.is_some();
    why::encoding_fact(&mut table.explanation, decoded.encoding, given, marked);
    if decoded.encoding != encoding_rs::UTF_8 {
        let line = format!("encoding: {}", decoded.encoding.name());
        table.notes.insert(0, Note::new(Topic::Encoding, line));
    }
    Ok(table)
}

/// Reads text in chunks of about `chunk` bytes. For tests and fuzzing: any size gives the same table.
///
/// # Errors
/// As [`read`].
#[doc(hidden)]
pub fn read_in_chunks(
    text: &str,
    options: &ReadOptions,
    chunk: usize,
    control: &Control,
) -> Result<Table> {
    read_text(text.as_bytes(), options, chunk, control)
}

/// Reads a large ordinary file window by window; `None` when the whole text is needed.
fn read_file(
    source: &Source,
    options: &ReadOptions,
    chunk: usize,
    control: &Control,
) -> Result<Option<Table>> {
    let Some(mut file) = FileText::of(source, chunk.saturating_mul(8)) else {
        return Ok(None);
    };
    let mut front = Vec::new();
    let Ok(text) = file.window(0, FRONT + MARGIN, &mut front) else {
        return Ok(None);
    };
    let Some(skip) = encoding::utf8_start(text, file.length, options.encoding.as_deref()) else {
        return Ok(None);
    };
    file.skip = skip;
    file.length -= skip;
    let text = match simdutf8::compat::from_utf8(&text[skip..]) {
        Ok(_) => &text[skip..],
        // A character that is cut at the end.
        Err(error) if error.error_len().is_none() => &text[skip..skip + error.valid_up_to()],
        Err(_) => return Ok(None),
    };
    let found = question(text, options, control).and_then(|question| {
        let found = dialect::detect(text, question, question.start + FRONT, control)?;
        Ok((question, found))
    });
    let (question, found) = match found {
        Ok(found) => found,
        Err(error) if error.kind() == ErrorKind::Interrupted => return Err(error),
        Err(_) => return Ok(None),
    };
    if !found.sure || question.start + FRONT > text.len() {
        return Ok(None);
    }
    let dialect = found.dialect;
    let header = match header(text, &found, options, control) {
        Ok(header) => header,
        Err(error) if error.kind() == ErrorKind::Interrupted => return Err(error),
        Err(_) => return Ok(None),
    };
    if header.next + 3 > text.len() {
        return Ok(None);
    }
    let body = Body {
        file: Some(&file),
        ..body(text, file.length, &header, dialect, options, chunk)
    };
    let plan = plan(&header, dialect, options)?;
    control.start("loading", file.length as u64);
    let chunks = body.walk_file(&file, control, |index, text| {
        type_pieces(&body, index, text, &plan, control)
    })?;
    let Some(chunks) = chunks else {
        return Ok(None);
    };
    let mut table = finish(&body, &header, &found, &plan, chunks, options, control)?;
    let given = options.encoding.is_some();
    let utf8 = encoding_rs::UTF_8;
    why::encoding_fact(&mut table.explanation, utf8, given, file.skip > 0);
    Ok(Some(table))
}

/// What options and the first line of the file itself say about where to look.
fn question(text: &[u8], options: &ReadOptions, control: &Control) -> Result<Question> {
    let start = match options.header {
        Some(line) if line > 1 => dialect::start_of_line(text, line, control)?,
        _ => 0,
    };
    let mut question = Question {
        delimiter: options.delimiter,
        titles: options.header.is_none(),
        unnamed: options.header == Some(0),
        ..Question::at(start)
    };
    if question.delimiter.is_none()
        && options.header.is_none()
        && let Some((delimiter, next)) = dialect::separator_line(text)
    {
        question.delimiter = Some(delimiter);
        question.start = next;
    }
    Ok(question)
}

/// Reads decoded text in chunks of about `chunk` bytes; any size gives the same table.
fn read_text(text: &[u8], options: &ReadOptions, chunk: usize, control: &Control) -> Result<Table> {
    let question = question(text, options, control)?;
    let front = question.start.saturating_add(FRONT).min(text.len());
    let mut found = dialect::detect(text, question, front, control)?;
    let mut table = read_as(text, &found, options, chunk, control);
    if !borne_out(&table) && front < text.len() {
        let second = dialect::detect(text, question, text.len(), control)?;
        if (second.dialect, second.header) != (found.dialect, found.header) {
            found = second;
            table = read_as(text, &found, options, chunk, control);
        }
    }
    if borne_out(&table) {
        return table;
    }
    let otherwise = read_otherwise(text, question, &found, options, chunk, control)?;
    otherwise.map_or(table, Ok)
}

/// True when every record was as the header says.
fn borne_out(table: &Result<Table>) -> bool {
    match table {
        Ok(table) => !table.notes.iter().any(|note| note.topic == Topic::Rows),
        Err(error) => error.kind() != ErrorKind::Format,
    }
}

/// Reads a text that the usual way does not read well in another way of quoting, if one has it all
/// in order.
fn read_otherwise(
    text: &[u8],
    question: Question,
    found: &Found,
    options: &ReadOptions,
    chunk: usize,
    control: &Control,
) -> Result<Option<Table>> {
    let known = found.dialect.delimiter;
    let mut delimiters: Vec<char> = known.into_iter().collect();
    if question.delimiter.is_none() {
        let others = dialect::CANDIDATES.iter();
        delimiters.extend(others.filter(|other| Some(**other) != known));
    }
    for quoting in Quoting::ALL {
        for delimiter in &delimiters {
            let bytes = delimiter.to_string();
            // One column of quoted text has its say only where nothing divides it.
            let alone = known.is_none();
            let (start, bytes) = (found.header, bytes.as_bytes());
            let text = quoting::rewrite(text, start, bytes, quoting, alone, control)?;
            let Some(text) = text else {
                continue;
            };
            let question = Question {
                delimiter: Some(*delimiter),
                ..question
            };
            let found = dialect::detect(&text, question, text.len(), control)?;
            let table = read_as(&text, &found, options, chunk, control);
            if borne_out(&table) {
                let mut table = table?;
                let note = Note::new(Topic::Dialect, quoting.words());
                table.notes.insert(0, note);
                why::quote_fact(&mut table.explanation, quoting.quote().map(char::from));
                return Ok(Some(table));
            }
        }
    }
    Ok(None)
}

fn read_as<'a>(
    text: &'a [u8],
    found: &Found,
    options: &ReadOptions,
    chunk: usize,
    control: &Control,
) -> Result<Table> {
    let mut header = header(text, found, options, control)?;
    let walk = |header: &Header| -> Result<(Body<'a>, Plan, Vec<TypedChunk>)> {
        let body = body(text, text.len(), header, found.dialect, options, chunk);
        let plan = plan(header, found.dialect, options)?;
        control.start("parsing", text.len() as u64);
        let chunks = body.walk(control, |index, text| {
            type_pieces(&body, index, text, &plan, control)
        })?;
        Ok((body, plan, chunks))
    };
    let walked = walk(&header);
    let (body, plan, chunks) = match walked {
        Err(error) if options.header == Some(0) && error.kind() == ErrorKind::Format => {
            // Without a header it is the longest record that says how many columns there are.
            let delimiter = found.dialect.bytes();
            let width = widths::widest(text, header.next, delimiter, control)?;
            if width <= header.written.len() {
                return Err(error);
            }
            header.written.resize(width, String::new());
            walk(&header)?
        }
        walked => walked?,
    };
    finish(&body, &header, found, &plan, chunks, options, control)
}

/// The names of the columns, and where they were found.
struct Header {
    /// As they are written.
    written: Vec<String>,
    /// Where the first record starts, be it a header or not.
    start: usize,
    /// Where the data starts.
    next: usize,
    /// Names that are kept with their quotes, since text stands behind the closing one.
    strays: u64,
}

fn header(text: &[u8], found: &Found, options: &ReadOptions, control: &Control) -> Result<Header> {
    let delimiter = found.dialect.bytes();
    let Some(first) = dialect::first_record(text, found.header, delimiter, control)? else {
        return Err(Error::new(
            ErrorKind::Format,
            "expected data, found only blank lines",
        ));
    };
    let named = options.header != Some(0);
    // A name of spaces shows as no name.
    let name = |name: String| {
        if named && !name.trim().is_empty() {
            name
        } else {
            String::new()
        }
    };
    let written: Vec<String> = first.fields.into_iter().map(name).collect();
    if let Some(binary) = written.iter().find(|name| name.contains('\0')) {
        // No frame library has such names; a file with one is hardly text.
        let message = format!(
            "expected names of columns, found a NUL byte in {}",
            quoted(binary)
        );
        let (header, encoding) = (Fix::number("header", 0), Fix::option("encoding"));
        let hint = format!(
            "is it a text file? {encoding} names its encoding, {header} reads it without names"
        );
        let line = records::line_of(text, first.start);
        return Err(Error::new(ErrorKind::Format, message)
            .at(Place::default().row(line))
            .hint(hint)
            .fix(encoding)
            .fix(header));
    }
    Ok(Header {
        written,
        start: first.start,
        strays: if named { first.strays } else { 0 },
        next: if named { first.next } else { first.start },
    })
}

/// What is walked: `text`, or a file of `size` bytes of which `text` is the front.
fn body<'a>(
    text: &'a [u8],
    size: usize,
    header: &Header,
    dialect: Dialect,
    options: &ReadOptions,
    chunk: usize,
) -> Body<'a> {
    let width = header.written.len();
    Body {
        text,
        file: None,
        start: header.next,
        delimiter: dialect.bytes(),
        width,
        layout: options.text,
        // Columns of a few rows a chunk would cost more than their values.
        chunk: chunk.max(if chunk == CHUNK {
            let fair = (size / PARTS).min(LARGE_CHUNK);
            (width * 4096).min(64 << 20).max(fair)
        } else {
            1
        }),
    }
}

/// Joins what was seen in the chunks, decides the types and makes the table.
fn finish(
    body: &Body<'_>,
    header: &Header,
    found: &Found,
    plan: &Plan,
    mut chunks: Vec<TypedChunk>,
    options: &ReadOptions,
    control: &Control,
) -> Result<Table> {
    let Header { written, start, .. } = header;
    let (text, width) = (body.text, body.width);
    let names = unique_names(written.iter().map(String::as_str));
    let mut oddities = index::Oddities::default();
    oddities.stray.count = header.strays;
    oddities.stray.first = header.start;
    for chunk in &chunks {
        oddities.join(chunk.oddities, chunk.rows);
    }
    let mut seen = joined(&chunks, width);
    if seen.iter().any(|seen| seen.is_unproven_text()) {
        look_again(body, &mut chunks, plan, &seen, control)?;
        seen = joined(&chunks, width);
    }
    let mut habit = local::Habit {
        comma_free: found.dialect.delimiter != Some(','),
        decimal_comma: false,
    };
    let resolve = |seen: &[Seen], habit| {
        seen.iter()
            .map(|seen| local::resolve(*seen, habit))
            .collect::<Vec<_>>()
    };
    let mut kinds: Vec<ColumnType> = resolve(&seen, habit);
    if kinds.contains(&ColumnType::CommaFloat) {
        habit.decimal_comma = true;
        kinds = resolve(&seen, habit);
    }
    plan.choose(&mut kinds);
    plan.untold(&mut seen);
    let mut notes: Vec<Note> = Vec::new();
    notes.extend(account::dialect(found.dialect));
    notes.extend(account::preamble(text, found.preamble));
    if options.header != Some(0) {
        notes.extend(account::names(
            written,
            &names,
            records::line_of(text, *start),
        ));
    }
    let rows: usize = chunks.iter().map(|chunk| chunk.rows).sum();
    notes.extend(account::rows(text, &oddities, rows, width));
    notes.extend(account::local(&names, &seen, &kinds, habit));
    notes.extend(account::types(
        body, &chunks, &names, &seen, &kinds, control,
    )?);
    second_pass(body, &mut chunks, &kinds, control)?;
    notes.extend(account::amounts(&chunks, &names, &seen, &kinds));
    let lines = Lines::of(body, &chunks);
    let layouts = plan.layouts(body.layout);
    let settling = why::settling(&chunks, width);
    let columns = join(chunks, &names, &kinds, &layouts, control)?;
    let mut table = Table::from_columns(rows, columns)?;
    table.notes = notes;
    let decided = why::Decided {
        plan,
        seen: &seen,
        kinds: &kinds,
        settling: &settling,
        habit,
        dialect: found.dialect,
    };
    table.explanation.reasons = decided.reasons(&table, &lines, control)?;
    let header = (options.header != Some(0)).then_some(*start);
    let fact = decided.dialect_fact(text, header);
    table.explanation.facts.push(("dialect", fact));
    if options.only.is_some() {
        let wanted = names.iter().zip(&plan.choices);
        let wanted = wanted.filter(|(_, choice)| **choice != Choice::Skip);
        let wanted: Vec<String> = wanted.map(|(name, _)| name.clone()).collect();
        table = table.select(&wanted)?;
    }
    let line = |row| lines.line(row, control).map(Spot::Line);
    conform(table, &options.types, &line, control)
}

/// What is wanted of each column.
fn plan(header: &Header, dialect: Dialect, options: &ReadOptions) -> Result<Plan> {
    let names = unique_names(header.written.iter().map(String::as_str));
    Plan::new(&names, dialect.delimiter != Some(','), options)
}
