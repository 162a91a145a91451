//! The context as plain text, as a console shows cells: no control sequence gets to the terminal, and no more than 16 MiB.

use std::io::Write;

use super::database::{COLUMNS, Database, entry_of};
use super::entry::{Entry, What};
use super::error::{Error, Result};
use crate::output::Escapes;

/// Bytes that are shown at most: the newest.
const MOST: usize = 16 << 20;

/// Writes it; how many entries are shown.
pub fn write(
    database: &Database,
    out: &mut dyn Write,
    told: impl Fn(std::io::Error) -> Error,
) -> Result<u64> {
    let (first, left_out) = first_shown(database).map_err(|error| database.told(&error))?;
    if left_out > 0 {
        writeln!(
            out,
            "[{left_out} older ones are not shown; hs kernel export has them]\n"
        )
        .map_err(&told)?;
    }
    database.each(first, |entry| {
        out.write_all(shown(entry).as_bytes()).map_err(&told)
    })
}

/// The first row that is shown, and how many before it are not.
fn first_shown(database: &Database) -> rusqlite::Result<(i64, u64)> {
    let text = format!("SELECT id, {COLUMNS} FROM entry ORDER BY id DESC");
    let mut read = database.connection.prepare(&text)?;
    let mut rows = read.query([])?;
    let (mut bytes, mut first) = (0, 0);
    while let Some(row) = rows.next()? {
        let id: i64 = row.get(0)?;
        bytes += shown(&entry_of(row, 1)?).len();
        if bytes > MOST {
            let before = "SELECT count(*) FROM entry WHERE id <= ?1";
            let count: i64 = database
                .connection
                .query_row(before, [id], |row| row.get(0))?;
            return Ok((first.max(id + 1), count as u64));
        }
        first = id;
    }
    Ok((0, 0))
}

/// An entry as a console shows it.
fn shown(entry: &Entry) -> String {
    match &entry.what {
        What::Cell(cell) => {
            let number = cell
                .number
                .map_or_else(|| " ".to_owned(), |number| number.to_string());
            let prompt = format!("In [{number}]: ");
            let more = format!("{:>width$}", "...: ", width = prompt.len());
            let mut text = String::new();
            for (place, line) in plain(cell.code.trim_end()).split('\n').enumerate() {
                text += if place == 0 { &prompt } else { &more };
                text += line;
                text.push('\n');
            }
            text += &ended(&plain(&cell.output));
            if let (Some(ename), true) = (&cell.ename, cell.output.is_empty()) {
                let evalue = cell.evalue.as_deref().unwrap_or_default();
                text += &ended(&plain(&format!("{ename}: {evalue}")));
            }
            text.push('\n');
            text
        }
        What::Message(message) => {
            let text = plain(&format!("{}: {}", message.role, message.text));
            ended(&text) + "\n"
        }
    }
}

fn ended(text: &str) -> String {
    let end = if text.is_empty() || text.ends_with('\n') {
        ""
    } else {
        "\n"
    };
    format!("{text}{end}")
}

/// Without control sequences and characters.
fn plain(text: &str) -> String {
    let text = Escapes::default().strip(text);
    text.replace(['\r', '\u{8}'], "")
}

#[cfg(test)]
mod tests {
    use super::super::entry::{Cell, Message};
    use super::*;

    fn entry(what: What) -> Entry {
        Entry {
            session: "work".to_owned(),
            time: 0,
            what,
        }
    }

    #[test]
    fn cells_look_as_in_a_console() {
        let cell = Cell {
            code: "for x in y:\n    print(x)\n".to_owned(),
            output: "\u{1b}[31m1\u{1b}[0m\n2".to_owned(),
            number: Some(12),
            ..Cell::default()
        };
        assert_eq!(
            shown(&entry(What::Cell(cell))),
            "In [12]: for x in y:\n    ...:     print(x)\n1\n2\n\n"
        );
        let message = Message {
            role: "user".to_owned(),
            text: "hello\u{7}\r\nthere".to_owned(),
        };
        assert_eq!(
            shown(&entry(What::Message(message))),
            "user: hello\nthere\n\n"
        );
    }
}
