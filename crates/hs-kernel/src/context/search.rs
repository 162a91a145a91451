//! What fits a query: all of its words occur, in code, output, exception or message. Entries in which they stand as whole
//! words come first, then as the index ranks them, then the newest.

use rusqlite::{OptionalExtension, params};
use serde::Serialize;

use super::database::{COLUMNS, Database, entry_of, error_words};
use super::entry::{Entry, What};
use super::error::{Error, Kind, Result};
use super::fold::folded;
use super::query::{Query, has_short};
use super::snippet::{snippet, whole};

/// Entries that are looked at more closely: those that the index ranks highest.
const LOOKED_AT: usize = 200;
/// Bytes of a query: what is longer was pasted by mistake.
const LONGEST: usize = 4096;
/// Hits that are given when nobody says how many, and at most.
const USUAL: usize = 10;
const MOST: usize = 200;

/// What is searched for.
#[derive(Clone, Debug)]
pub struct Search {
    query: String,
    limit: usize,
}

impl Search {
    /// A query with the usual number of hits. No words find everything, the newest first.
    pub fn new(query: &str) -> Self {
        Self {
            query: query.to_owned(),
            limit: USUAL,
        }
    }

    /// With so many hits at most.
    #[must_use]
    pub fn with_limit(mut self, limit: usize) -> Self {
        self.limit = limit.clamp(1, MOST);
        self
    }
}

/// An entry that was found, and where it comes from.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Hit {
    /// `cell` or `message`.
    pub kind: &'static str,
    /// The line that fits best.
    pub snippet: String,
    /// What that is a line of: `code`, `output`, `error` or `text`.
    pub r#in: &'static str,
    /// The session.
    pub session: String,
    /// Seconds since 1970.
    pub time: f64,
    /// The number of the cell in its kernel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cell: Option<i64>,
    /// Which kernel of the session that was: numbers begin anew with each.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub generation: Option<i64>,
    /// How it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// The checkpoint of what it left.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checkpoint: Option<String>,
    /// Who says it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Found {
    /// The best of it.
    pub hits: Vec<Hit>,
    /// How much there is in all.
    pub of: u64,
}

/// An entry that fits, with its texts as they are compared.
struct Candidate {
    entry: Entry,
    whole: usize,
}

impl Database {
    /// Searches. Every text is a query.
    ///
    /// # Errors
    /// The query is too long, or the file cannot be read.
    pub fn search(&self, search: &Search) -> Result<Found> {
        if search.query.len() > LONGEST {
            let found = search.query.len();
            let text = format!("query: expected at most {LONGEST} bytes, found {found}");
            return Err(Error::new(Kind::Format, text));
        }
        let query = Query::parse(&search.query);
        let (mut candidates, of) = self.candidates(&query).map_err(|error| self.told(&error))?;
        // What stands whole first; else the order stays.
        candidates.sort_by_key(|candidate| std::cmp::Reverse(candidate.whole));
        candidates.truncate(search.limit);
        let hits = candidates
            .into_iter()
            .map(|candidate| hit(candidate.entry, query.words()));
        Ok(Found {
            hits: hits.collect(),
            of,
        })
    }

    fn candidates(&self, query: &Query) -> rusqlite::Result<(Vec<Candidate>, u64)> {
        let short: Vec<&str> = query.short().collect();
        let index = query.of_index();
        let (count, ids) = match &index {
            Some(_) => (
                "SELECT count(*) FROM found WHERE found MATCH ?1",
                "SELECT rowid FROM found WHERE found MATCH ?1 ORDER BY bm25(found, 4, 1, 4, 4), rowid DESC",
            ),
            None => (
                "SELECT count(*) FROM entry WHERE ?1 IS NULL",
                "SELECT id FROM entry WHERE ?1 IS NULL ORDER BY id DESC",
            ),
        };
        let mut read = self
            .connection
            .prepare(&format!("SELECT {COLUMNS} FROM entry WHERE id = ?1"))?;
        let mut ids = self.connection.prepare(ids)?;
        let mut rows = ids.query(params![index])?;
        let (mut candidates, mut of) = (Vec::new(), 0);
        while let Some(row) = rows.next()? {
            let id: i64 = row.get(0)?;
            let entry = read.query_row([id], |row| entry_of(row, 0)).optional()?;
            let Some(entry) = entry else { continue };
            let texts = texts(&entry);
            if !short
                .iter()
                .all(|word| texts.iter().any(|text| has_short(text, word)))
            {
                continue;
            }
            of += 1;
            if candidates.len() < LOOKED_AT {
                let whole = whole(&texts, query.words());
                candidates.push(Candidate { entry, whole });
            } else if short.is_empty() {
                // The index knows the rest.
                let all: i64 = self
                    .connection
                    .query_row(count, params![index], |row| row.get(0))?;
                of = all as u64;
                break;
            }
        }
        Ok((candidates, of))
    }
}

/// The texts of an entry as they are compared.
fn texts(entry: &Entry) -> Vec<String> {
    match &entry.what {
        What::Cell(cell) => vec![
            folded(&cell.code),
            folded(&error_words(cell)),
            folded(&cell.output),
        ],
        What::Message(message) => vec![folded(&message.text)],
    }
}

fn hit(entry: Entry, words: &[String]) -> Hit {
    let time = entry.time as f64 / 1000.0;
    let session = entry.session;
    match entry.what {
        What::Cell(cell) => {
            let error = error_words(&cell);
            let fields = [
                ("code", cell.code.as_str()),
                ("error", &error),
                ("output", &cell.output),
            ];
            let (place, snippet) = snippet(&fields, words);
            Hit {
                kind: "cell",
                snippet,
                r#in: place,
                session,
                time,
                cell: cell.number,
                generation: Some(cell.generation),
                status: Some(cell.status),
                checkpoint: cell.checkpoint,
                role: None,
            }
        }
        What::Message(message) => {
            let (place, snippet) = snippet(&[("text", &message.text)], words);
            Hit {
                kind: "message",
                snippet,
                r#in: place,
                session,
                time,
                cell: None,
                generation: None,
                status: None,
                checkpoint: None,
                role: Some(message.role),
            }
        }
    }
}
