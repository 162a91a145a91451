//! The json reader: a list of objects is a table, anything else a document.
//!
//! It never guesses: what RFC 8259 does not allow is an error with its line.

pub(super) mod fault;
pub(super) mod number;
pub(super) mod parse;
pub(super) mod quick;
pub mod scan;
pub mod value;
pub mod write;

#[cfg(test)]
mod tests;

use crate::builder::{RecordsBuilder, RecordsParts};
use crate::control::Control;
use crate::error::{Error, ErrorKind, Place, Result};
use crate::format::document::table_at;
use crate::format::{Document, Loaded, ReadOptions, jsonl};
use crate::note::{Note, Topic};
use crate::source::Source;
use crate::table::Table;

use fault::line_of;
use parse::{Parser, Step, Tally};
use quick::Quick;

/// Reads one JSON document.
///
/// # Errors
/// [`ErrorKind::Format`] with the line for anything that is not JSON, [`ErrorKind::Argument`] when
/// `options.at` names no list of objects.
pub fn read(source: Source, options: &ReadOptions, control: &Control) -> Result<Loaded> {
    let bytes = source.read(control)?;
    let (bytes, mut notes) = utf8(bytes)?;
    if options.at.is_none()
        && let Some(records) = read_records(&bytes, control)?
    {
        let (records, more) = records;
        let mut table = records.finish()?;
        table.notes.extend(more);
        table.notes.extend(notes);
        return Ok(Loaded::Table(table));
    }
    control.start("parsing", bytes.len() as u64);
    let mut parser = Parser::new(&bytes, control);
    let value = match parser.document() {
        Ok(value) => value,
        Err(Step::Fault(fault)) if options.at.is_none() && fault.is_second_object(&bytes) => {
            return lines(&bytes, notes, control)?
                .map(Loaded::Table)
                .ok_or_else(|| fault.into_error(&bytes));
        }
        Err(step) => return Err(step.into_error(&bytes)),
    };
    notes.splice(0..0, parser.tally.notes(|index| line_of(&bytes, index)));
    match &options.at {
        Some(path) => table_at(&value, path, notes).map(Loaded::Table),
        None => Ok(Loaded::Value(Document::new(value, notes))),
    }
}

/// One object a line, as many programs write into files called `.json`; `None` unless at least two
/// lines are objects.
fn lines(bytes: &[u8], encoding: Vec<Note>, control: &Control) -> Result<Option<Table>> {
    match jsonl::read_text(bytes, encoding, jsonl::PIECE, control) {
        Ok(mut table) if table.height() > 1 => {
            let note = Note::new(Topic::Dialect, "read as one JSON object a line");
            table.notes.insert(0, note);
            Ok(Some(table))
        }
        Err(error) if error.kind() == ErrorKind::Interrupted => Err(error),
        _ => Ok(None),
    }
}

/// The records of a list of objects; `None` when the document is something else.
fn read_records(bytes: &[u8], control: &Control) -> Result<Option<(RecordsParts, Vec<Note>)>> {
    control.start("parsing", bytes.len() as u64);
    let notes = |tally: Tally| tally.notes(|index| line_of(bytes, index));
    if let Ok(text) = simdutf8::basic::from_utf8(bytes) {
        let mut quick = Quick::new(text);
        let mut parts = RecordsParts::default();
        if quick.list(&mut parts, control)? {
            return Ok(Some((parts, notes(quick.tally))));
        }
        control.start("parsing", bytes.len() as u64);
    }
    let mut parser = Parser::new(bytes, control);
    let mut records = RecordsBuilder::new();
    match parser.records(&mut records) {
        Ok(true) => {
            let mut parts = RecordsParts::default();
            parts.push(records)?;
            Ok(Some((parts, notes(parser.tally))))
        }
        Ok(false) => Ok(None),
        Err(step) => Err(step.into_error(bytes)),
    }
}

/// The text as UTF-8 without byte order mark; UTF-16 is turned into it, and told.
///
/// RFC 8259 allows only UTF-8 between systems, but Windows programs write UTF-16.
pub(super) fn utf8(mut bytes: Vec<u8>) -> Result<(Vec<u8>, Vec<Note>)> {
    if bytes.starts_with(b"\xef\xbb\xbf") {
        bytes.drain(..3);
        return Ok((bytes, Vec::new()));
    }
    let Some(encoding) = wide_encoding(&bytes) else {
        return Ok((bytes, Vec::new()));
    };
    let (text, broken) = encoding.decode_with_bom_removal(&bytes);
    if broken {
        return Err(Error::new(
            ErrorKind::Format,
            format!(
                "expected {} text, found bytes that are none",
                encoding.name()
            ),
        )
        .at(Place::default())
        .hint("write the file again as UTF-8"));
    }
    let note = Note::new(Topic::Encoding, format!("read as {}", encoding.name()));
    Ok((text.into_owned().into_bytes(), vec![note]))
}

/// UTF-16, by its mark or by how JSON begins: with two ASCII characters, or one and the end
/// (RFC 4627, section 3).
pub(super) fn wide_encoding(head: &[u8]) -> Option<&'static encoding_rs::Encoding> {
    match head {
        [0xff, 0xfe, ..] => Some(encoding_rs::UTF_16LE),
        [0xfe, 0xff, ..] => Some(encoding_rs::UTF_16BE),
        [first, 0, ..] if *first != 0 => Some(encoding_rs::UTF_16LE),
        [0, second, ..] if *second != 0 => Some(encoding_rs::UTF_16BE),
        _ => None,
    }
}
