//! The jsonl writer: an object a line, in the forms of the json writer.

use std::io::Write;

use crate::control::Control;
use crate::error::Result;
use crate::format::Format;
use crate::format::json::write::{Frame, write_as};
use crate::note::Note;
use crate::table::Table;

/// What stands around the rows of a file of lines.
pub const LINES: Frame = Frame {
    start: "",
    between: "\n",
    end: "\n",
    empty: "",
};

/// Writes a table, one object a line.
///
/// # Errors
/// As [`crate::format::json::write::write`].
pub fn write(table: &Table, out: &mut (dyn Write + Send), control: &Control) -> Result<Vec<Note>> {
    write_as(table, Format::Jsonl, LINES, out, control)
}
