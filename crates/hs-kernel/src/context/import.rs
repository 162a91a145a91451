//! Takes an export back. All of it or nothing; what is there already is not added a second time.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use rusqlite::params;

use super::database::{Database, insert};
use super::entry::{Entry, What};
use super::error::{Error, Kind, Result};
use super::export::TITLE;

/// Bytes of a line at most: an entry is far below.
const LONGEST: u64 = 64 << 20;

impl Database {
    /// Adds the entries of an export; how many were new.
    ///
    /// # Errors
    /// The file cannot be read, or a line of it is no entry: then nothing is added.
    pub fn import(&mut self, path: &Path) -> Result<u64> {
        if !path.is_absolute() {
            let text = format!("path: expected an absolute path, found {}", path.display());
            return Err(Error::new(Kind::Format, text));
        }
        let file = File::open(path).map_err(|error| Error::system(path, error))?;
        let own = self.path().to_owned();
        let told = |error: rusqlite::Error| Error::sqlite(&own, &error);
        let transaction = self.connection.transaction().map_err(told)?;
        let last: i64 = transaction
            .query_row("SELECT coalesce(max(id), 0) FROM entry", [], |row| {
                row.get(0)
            })
            .map_err(told)?;
        let mut lines = Lines::new(path, file);
        lines.title()?;
        let mut seen: HashMap<blake3::Hash, i64> = HashMap::new();
        let mut added = 0;
        while let Some(entry) = lines.next_entry()? {
            let entry = entry.bounded();
            // The second of two equal entries is new where there was one.
            let times = seen
                .entry(blake3::hash(entry.line().as_bytes()))
                .or_insert(0);
            *times += 1;
            if *times > equal(&transaction, &entry, last).map_err(told)? {
                insert(&transaction, &entry).map_err(told)?;
                added += 1;
            }
        }
        transaction.commit().map_err(told)?;
        self.keep_below_limit()?;
        Ok(added)
    }
}

/// How many entries up to a row are equal to this one.
fn equal(connection: &rusqlite::Connection, entry: &Entry, last: i64) -> rusqlite::Result<i64> {
    let same = "SELECT count(*) FROM entry WHERE id <= ?1 AND time = ?2 AND session = ?3 AND";
    match &entry.what {
        What::Cell(cell) => connection.query_row(
            &format!(
                "{same} kind = 'cell' AND code = ?4 AND output = ?5 AND status = ?6 AND ename IS ?7 AND evalue IS ?8 AND
                number IS ?9 AND generation = ?10 AND duration_ms = ?11 AND checkpoint IS ?12 AND run IS ?13 AND
                client = ?14"
            ),
            params![
                last, entry.time, entry.session, cell.code, cell.output, cell.status, cell.ename, cell.evalue,
                cell.number, cell.generation, cell.duration_ms, cell.checkpoint,
                cell.run.as_ref().map(ToString::to_string), cell.client.word(),
            ],
            |row| row.get(0),
        ),
        What::Message(message) => connection.query_row(
            &format!("{same} kind = 'message' AND role = ?4 AND text = ?5"),
            params![last, entry.time, entry.session, message.role, message.text],
            |row| row.get(0),
        ),
    }
}

/// The lines of an export.
struct Lines<'a> {
    path: &'a Path,
    from: BufReader<File>,
    line: Vec<u8>,
    number: u64,
}

impl<'a> Lines<'a> {
    fn new(path: &'a Path, file: File) -> Self {
        Self {
            path,
            from: BufReader::with_capacity(1 << 16, file),
            line: Vec::new(),
            number: 0,
        }
    }

    /// Reads the next line; false at the end.
    fn read(&mut self) -> Result<bool> {
        self.line.clear();
        self.number += 1;
        let count = (&mut self.from)
            .take(LONGEST)
            .read_until(b'\n', &mut self.line)
            .map_err(|error| Error::system(self.path, error))?;
        Ok(count > 0)
    }

    fn title(&mut self) -> Result<()> {
        #[derive(serde::Deserialize)]
        struct Title {
            headstart: String,
            version: u32,
        }
        self.read()?;
        match serde_json::from_slice::<Title>(&self.line) {
            Ok(title) if title.headstart == "context" && title.version == 1 => Ok(()),
            Ok(title) if title.headstart == "context" => Err(self.wrong(&format!(
                "expected version 1 of an export, found {}; update headstart",
                title.version
            ))),
            _ => Err(self.wrong(&format!("expected an export that begins with {TITLE}"))),
        }
    }

    fn next_entry(&mut self) -> Result<Option<Entry>> {
        while self.read()? {
            if !self.line.trim_ascii().is_empty() {
                return Entry::parse(&self.line)
                    .map(Some)
                    .map_err(|error| self.wrong(&error.to_string()));
            }
        }
        Ok(None)
    }

    fn wrong(&self, what: &str) -> Error {
        let place = self.path.display();
        Error::new(
            Kind::Format,
            format!("{place}: line {}: {what}", self.number),
        )
    }
}
