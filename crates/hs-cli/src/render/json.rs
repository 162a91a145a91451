//! JSON: the envelope of an answer, around rows as the json writer writes them.

use std::io::Write;

use hs_core::format::json::write::{Frame, infinities_note, keys, write_rows};
use hs_core::value::write_json_text;
use hs_core::{Control, Note, Table, sink};

use crate::exit::Failure;

/// Writes `{"columns":[{"name","type"}],"rows":N,"data":[...],"notes":[...]}`, a row a line, and
/// gives what JSON could not carry.
///
/// `rows` counts the whole table; `data` has the rows of this one.
///
/// # Errors
/// When the stream does not take it, or on a stop request.
pub fn json(
    out: &mut (dyn Write + Send),
    table: &Table,
    rows: usize,
    notes: &[String],
    control: &Control,
) -> Result<Option<Note>, Failure> {
    const DATA: Frame = Frame {
        start: "\n",
        between: ",\n",
        end: "\n",
        empty: "",
    };
    let mut head = String::from("{\"columns\":[");
    for (index, (name, column)) in keys(table).iter().zip(table.columns()).enumerate() {
        if index > 0 {
            head.push(',');
        }
        head.push_str("{\"name\":");
        head.push_str(name);
        head.push_str(",\"type\":");
        write_json_text(&mut head, column.kind.word());
        head.push('}');
    }
    write!(out, "{head}],\"rows\":{rows},\"data\":[").map_err(sink::not_written)?;
    let lost = infinities_note(write_rows(table, DATA, out, control)?);
    let mut tail = String::from("],\"notes\":[");
    let told = lost.as_ref().map(|note| &note.text);
    for (index, note) in notes.iter().chain(told).enumerate() {
        if index > 0 {
            tail.push(',');
        }
        write_json_text(&mut tail, note);
    }
    writeln!(out, "{tail}]}}").map_err(sink::not_written)?;
    Ok(lost)
}
