//! The jsonl reader: one JSON object a line. A line that is something else is skipped, counted and
//! told; nothing of it gets into the table.

use rayon::prelude::*;

use crate::builder::RecordsBuilder;
use crate::control::Control;
use crate::error::{Error, ErrorKind, Place, Result};
use crate::format::ReadOptions;
use crate::format::json::parse::{Parser, Step, Tally};
use crate::format::json::utf8;
use crate::note::{Note, Topic};
use crate::source::Source;
use crate::table::Table;
use crate::text;

/// Bytes that are parsed as one piece. A constant, so that a file gives the same table on every
/// machine.
const PIECE: usize = 1 << 20;
/// Pieces between two looks at the stop request.
const WAVE: usize = 16;

/// Reads one JSON object a line.
///
/// # Errors
/// [`ErrorKind::Format`] when no line is an object.
pub fn read(source: Source, _options: &ReadOptions, control: &Control) -> Result<Table> {
    let (bytes, encoding) = utf8(source.read(control)?)?;
    read_text(&bytes, encoding, control)
}

/// Reads UTF-8 text of one JSON object a line; `encoding` is what there is to say about it already.
///
/// # Errors
/// As [`read`].
pub(super) fn read_text(bytes: &[u8], encoding: Vec<Note>, control: &Control) -> Result<Table> {
    read_pieces(&pieces(bytes, PIECE), bytes, encoding, control)
}

/// Reads UTF-8 text in pieces of about `size` bytes. For tests and fuzzing: any size gives the same
/// table.
///
/// # Errors
/// As [`read`].
#[doc(hidden)]
pub fn read_in_pieces(bytes: &[u8], size: usize, control: &Control) -> Result<Table> {
    read_pieces(&pieces(bytes, size), bytes, Vec::new(), control)
}

fn read_pieces(
    pieces: &[&[u8]],
    bytes: &[u8],
    encoding: Vec<Note>,
    control: &Control,
) -> Result<Table> {
    let mut whole = Piece::default();
    let mut start = 0;
    for wave in pieces.chunks(WAVE) {
        control.check()?;
        let done: Vec<Result<Piece>> = wave
            .par_iter()
            .map(|piece| read_piece(piece, control))
            .collect();
        for (piece, text) in done.into_iter().zip(wave) {
            whole.append(piece?, start);
            start += text.len();
        }
    }
    if whole.records.is_empty() {
        return Err(no_records(&whole));
    }
    let mut table = whole.records.finish()?;
    let mut notes = Vec::new();
    if let Some(first) = whole.first_bad {
        let message = format!(
            "skipped {} (first: line {}, {})",
            text::counted(whole.bad, "bad line"),
            text::count(first.line),
            first.message
        );
        let place = Place::default().row(first.line);
        notes.push(Note::new(Topic::Rows, message).counted(whole.bad, place));
    }
    notes.extend(whole.tally.notes(bytes));
    notes.append(&mut table.notes);
    notes.extend(encoding);
    table.notes = notes;
    Ok(table)
}

fn no_records(whole: &Piece) -> Error {
    let Some(first) = &whole.first_bad else {
        return Error::new(
            ErrorKind::Format,
            "expected a JSON object on each line, found only blank lines",
        );
    };
    let message = match whole.bad {
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

/// The first line that is no JSON object.
#[derive(Debug)]
struct BadLine {
    line: u64,
    message: String,
}

/// What some lines in a row gave.
#[derive(Debug, Default)]
struct Piece {
    records: RecordsBuilder,
    lines: u64,
    bad: u64,
    first_bad: Option<BadLine>,
    tally: Tally,
}

impl Piece {
    /// Takes over the piece that follows; it begins at byte `start` of the file.
    fn append(&mut self, next: Self, start: usize) {
        self.records.append(next.records);
        if self.first_bad.is_none() {
            self.first_bad = next.first_bad.map(|bad| BadLine {
                line: bad.line + self.lines,
                ..bad
            });
        }
        self.bad += next.bad;
        self.lines += next.lines;
        self.tally.append(next.tally, start);
    }
}

/// The text cut at line ends into pieces of `size` bytes or a little more.
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

fn read_piece(text: &[u8], control: &Control) -> Result<Piece> {
    let mut bad = Vec::new();
    let mut piece = read_lines(text, &[], &mut bad, control)?;
    if !bad.is_empty() {
        // What a bad line held before its fault has left marks in the types of the columns, so the
        // piece is read again without it.
        let first_bad = piece.first_bad.take();
        let count = piece.bad;
        piece = read_lines(text, &bad, &mut Vec::new(), control)?;
        piece.first_bad = first_bad;
        piece.bad = count;
    }
    Ok(piece)
}

/// Reads the lines except those that are known to be bad, and adds the numbers (from 0) of those
/// that turn out to be.
fn read_lines(
    text: &[u8],
    known_bad: &[u64],
    found_bad: &mut Vec<u64>,
    control: &Control,
) -> Result<Piece> {
    let mut piece = Piece::default();
    let mut known_bad = known_bad.iter().peekable();
    let mut rest = text;
    control.check()?;
    while !rest.is_empty() {
        let start = text.len() - rest.len();
        let end = memchr::memchr(b'\n', rest).map_or(rest.len(), |at| at + 1);
        let (line, tail) = rest.split_at(end);
        rest = tail;
        let number = piece.lines;
        piece.lines += 1;
        let skip = known_bad.next_if(|bad| **bad == number).is_some();
        if skip || line.iter().all(|byte| b" \t\r\n".contains(byte)) {
            continue;
        }
        let mut parser = Parser::new(line, control);
        match parser.only_record(&mut piece.records) {
            Ok(()) => piece.tally.append(parser.tally, start),
            Err(Step::Stopped(error)) => return Err(error),
            Err(Step::Fault(fault)) => {
                piece.records.cancel();
                piece.bad += 1;
                found_bad.push(number);
                piece.first_bad.get_or_insert_with(|| BadLine {
                    line: number + 1,
                    message: fault.message(line),
                });
            }
        }
    }
    Ok(piece)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Kind;

    fn load(text: impl AsRef<[u8]>) -> Result<Table> {
        let source = Source::bytes("a.jsonl", text.as_ref().to_vec())?;
        read(source, &ReadOptions::default(), &Control::default())
    }

    fn cells(table: &Table, column: usize) -> Vec<String> {
        let column = &table.frame().columns()[column];
        (0..table.height())
            .map(|row| {
                let mut out = String::new();
                crate::text::write_json(&mut out, &column.get(row).expect("row exists"));
                out
            })
            .collect()
    }

    #[test]
    fn line_ends_blank_lines_and_byte_order_marks_do_no_harm() -> Result<()> {
        let table = load("\u{feff}{\"a\":1}\r\n\r\n  \n{\"a\":2,\"s\":\"x\\ny\"}\n{\"a\":3}")?;
        assert_eq!(cells(&table, 0), ["1", "2", "3"]);
        assert_eq!(cells(&table, 1), ["null", "\"x\\ny\"", "null"]);
        assert!(table.notes.is_empty());
        Ok(())
    }

    #[test]
    fn bad_lines_are_skipped_told_and_leave_no_trace() -> Result<()> {
        let table = load(
            "{\"a\":1,\"l\":[1]}\n[1]\n{\"l\":[\"x\"],\"a\":\"x\",\"new\":1}}\n{\"a\":2}\nnull\n{\"a\":",
        )?;
        assert_eq!(table.width(), 2);
        assert_eq!(table.columns()[0].kind, Kind::Int);
        assert_eq!(cells(&table, 0), ["1", "2"]);
        assert_eq!(cells(&table, 1), ["[1]", "null"]);
        assert_eq!(table.notes.len(), 1);
        assert_eq!(
            table.notes[0].text,
            "skipped 4 bad lines (first: line 2, expected a JSON object, found \"[1\")"
        );
        assert_eq!(table.notes[0].topic, Topic::Rows);
        assert_eq!(table.notes[0].count, Some(4));
        assert_eq!(table.notes[0].place, Place::default().row(2));
        Ok(())
    }

    #[test]
    fn a_file_without_any_record_is_an_error() {
        let error =
            load("[\n{\"a\":1}\n{\"a\":2},\n]\n".replace("}\n", "},\n")).expect_err("no jsonl");
        assert!(
            error
                .to_string()
                .starts_with("line 1: expected a JSON object")
        );
        assert!(error.to_string().contains("all 4 lines are bad"));
        assert!(load("\n \n").is_err());
    }

    #[test]
    fn notes_do_not_depend_on_pieces() -> Result<()> {
        let text = "{\"a\":1e400}\n{\"a\":1}\n{\"a\":{}}\n";
        for size in 1..=text.len() {
            let table = read_in_pieces(text.as_bytes(), size, &Control::default())?;
            let told: Vec<&str> = table.notes.iter().map(|note| note.text.as_str()).collect();
            assert_eq!(
                told,
                ["column \"a\": decimal and object, kept as JSON text"],
                "pieces of {size}"
            );
        }
        Ok(())
    }

    #[test]
    fn many_pieces_are_one_table_with_lines_counted_through() -> Result<()> {
        use std::fmt::Write as _;
        let mut text = String::new();
        let rows = 60_000;
        for row in 0..rows {
            match row {
                50_000 => text.push_str("{\"id\":oops}\n"),
                // A key and types that come late: no sample would see them.
                55_000 => {
                    text.push_str(
                        "{\"id\":55000,\"late\":true,\"f\":0.5,\"name\":7,\"id\":55000}\n",
                    );
                }
                _ => drop(writeln!(
                    text,
                    "{{\"id\":{row},\"f\":{row},\"name\":\"name of row {row}\",\"tags\":[\"a\",\"{row}\"]}}"
                )),
            }
        }
        assert!(pieces(text.as_bytes(), PIECE).len() > 3);
        let table = load(&text)?;
        let names: Vec<&str> = table
            .columns()
            .iter()
            .map(|one| one.name.as_str())
            .collect();
        assert_eq!(names, ["id", "f", "name", "tags", "late"]);
        let kinds: Vec<Kind> = table.columns().iter().map(|one| one.kind).collect();
        assert_eq!(
            kinds,
            [Kind::Int, Kind::Float, Kind::Mixed, Kind::List, Kind::Bool]
        );
        assert_eq!(table.height(), rows - 1);
        let ids = cells(&table, 0);
        assert_eq!(
            (ids[49_999].as_str(), ids[50_000].as_str()),
            ("49999", "50001")
        );
        assert_eq!(cells(&table, 3)[59_998], "[\"a\",\"59999\"]");
        let told: Vec<&str> = table.notes.iter().map(|note| note.text.as_str()).collect();
        assert_eq!(
            told,
            [
                "skipped 1 bad line (first: line 50,001, expected a value, found \"oops\")",
                "1 repeated key, the last value is kept (first: \"id\" on line 55,001)",
                "column \"name\": text and int, kept as JSON text",
            ]
        );
        Ok(())
    }
}
