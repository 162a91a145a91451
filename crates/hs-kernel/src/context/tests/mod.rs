//! The context as a session uses it: what is found, what comes back from an export, and what happens to files that are
//! damaged, foreign or full.

mod exporting;
mod files;
mod searching;
mod working;

use std::path::Path;

use super::{Cell, Database, Entry, Message, Options, What};

/// A cell of the session `work`, at a second of its own.
fn cell(number: i64, code: &str, output: &str) -> Entry {
    Entry {
        session: "work".to_owned(),
        time: 1_796_000_000_123 + number * 1000,
        what: What::Cell(Cell {
            code: code.to_owned(),
            output: output.to_owned(),
            status: "ok".to_owned(),
            number: Some(number),
            generation: 1,
            duration_ms: 4,
            ..Cell::default()
        }),
    }
}

fn message(role: &str, text: &str) -> Entry {
    Entry {
        session: "work".to_owned(),
        time: 1_796_000_000_000,
        what: What::Message(Message {
            role: role.to_owned(),
            text: text.to_owned(),
        }),
    }
}

fn open(path: &Path) -> Database {
    let (database, told) = Database::open(path, Options::default()).expect("opened");
    assert_eq!(told, None);
    database
}

/// A database with these entries.
fn filled(path: &Path, entries: &[Entry]) -> Database {
    let mut database = open(path);
    for entry in entries {
        database.add(entry).expect("added");
    }
    database
}

/// All entries, in their order.
fn all(database: &Database) -> Vec<Entry> {
    let mut entries = Vec::new();
    let each = database.each(0, |entry| {
        entries.push(entry.clone());
        Ok(())
    });
    each.expect("read");
    entries
}
