//! The file: rows in the order in which they came, and an index of their texts. It is never larger than its limit for long;
//! the oldest go. It knows no threads.

use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, OptionalExtension, Row, params};

use super::entry::{Cell, Client, Entry, Message, What};
use super::error::{Error, Kind, Result};
use super::place::private_file;

/// What the file is for, in its head: `hsct`.
const APPLICATION: i64 = 0x6873_6374;
/// The version of what follows.
const VERSION: i64 = 1;
/// How long another process that is at the file is waited for.
const PATIENCE: Duration = Duration::from_secs(5);

/// Trigrams, so that a part of a column's name finds it, as with any tool that searches code. The index has no texts of its
/// own: they stand in the rows.
const SCHEMA: &str = "
    CREATE TABLE entry (
        id INTEGER PRIMARY KEY,
        kind TEXT NOT NULL,
        session TEXT NOT NULL,
        time INTEGER NOT NULL,
        code TEXT, output TEXT, status TEXT, ename TEXT, evalue TEXT, number INTEGER, generation INTEGER,
        duration_ms INTEGER, checkpoint TEXT, run TEXT, client TEXT,
        role TEXT, text TEXT
    ) STRICT;
    CREATE INDEX entry_time ON entry (time);
    CREATE TABLE about (dropped INTEGER NOT NULL) STRICT;
    INSERT INTO about VALUES (0);
    CREATE VIRTUAL TABLE found USING fts5 (
        code, output, error, text, content='', contentless_delete=1, tokenize='trigram remove_diacritics 1'
    );";

/// The columns of a row, in the order in which they are read.
pub(super) const COLUMNS: &str = "kind, session, time, code, output, status, ename, evalue, number, generation, \
    duration_ms, checkpoint, run, client, role, text";

/// How much is kept.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Bytes that the file may have; over it the oldest rows go.
    pub limit: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self { limit: 256 << 20 }
    }
}

/// The database of a session.
///
/// ```
/// use hs_kernel::context::{Database, Entry, Message, Options, Search, What};
///
/// let folder = tempfile::tempdir().expect("a folder");
/// let (mut database, told) = Database::open(&folder.path().join("work.db"), Options::default())?;
/// assert_eq!(told, None);
/// let what = What::Message(Message { role: "user".into(), text: "load the orders".into() });
/// database.add(&Entry { session: "work".into(), time: 0, what })?;
/// let found = database.search(&Search::new("order"))?;
/// assert_eq!((found.of, found.hits[0].snippet.as_str()), (1, "load the orders"));
/// # Ok::<(), hs_kernel::context::Error>(())
/// ```
#[derive(Debug)]
pub struct Database {
    pub(super) connection: Connection,
    path: PathBuf,
    options: Options,
}

impl Database {
    /// Opens the file of a session, made if it is not there. One that cannot be used is put aside: the text says so.
    ///
    /// # Errors
    /// The file is not only this user's, or cannot be made.
    pub fn open(path: &Path, options: Options) -> Result<(Self, Option<String>)> {
        private_file(path)?;
        match Self::opened(path, options) {
            Ok(database) => Ok((database, None)),
            Err(error) if matches!(error.kind(), Kind::Damaged | Kind::Newer) => {
                let (database, told) = Self::anew(path, options, &error)?;
                Ok((database, Some(told)))
            }
            Err(error) => Err(error),
        }
    }

    /// Puts a file aside that cannot be used, and begins another; with a line that says so.
    pub(super) fn anew(path: &Path, options: Options, why: &Error) -> Result<(Self, String)> {
        let aside = put_aside(path, why.kind())?;
        let told = format!(
            "context: {why}; it is put aside as {}, and the context begins anew",
            aside.display()
        );
        Ok((Self::opened(path, options)?, told))
    }

    fn opened(path: &Path, options: Options) -> Result<Self> {
        let made = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            // The files that SQLite makes beside it get the same mode.
            .mode(0o600)
            .custom_flags(libc::O_NOFOLLOW)
            .open(path);
        made.map_err(|error| Error::system(path, error))?;
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let told = |error: rusqlite::Error| Error::sqlite(path, &error);
        let connection = Connection::open_with_flags(path, flags).map_err(told)?;
        prepare(&connection, path)?;
        Ok(Self {
            connection,
            path: path.to_owned(),
            options,
        })
    }

    /// Opens a file that another session may have, to read it only.
    ///
    /// # Errors
    /// It is not there, or cannot be used as it is.
    pub fn open_to_read(path: &Path) -> Result<Self> {
        private_file(path)?;
        let told = |error: rusqlite::Error| Error::sqlite(path, &error);
        // Not read-only to SQLite: a reader of a log that is being written writes down where it reads.
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags).map_err(told)?;
        connection.busy_timeout(PATIENCE).map_err(told)?;
        check(&connection, path)?;
        connection
            .pragma_update(None, "query_only", true)
            .map_err(told)?;
        Ok(Self {
            connection,
            path: path.to_owned(),
            options: Options::default(),
        })
    }

    pub(super) fn told(&self, error: &rusqlite::Error) -> Error {
        Error::sqlite(&self.path, error)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Adds what happened.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn add(&mut self, entry: &Entry) -> Result<()> {
        let path = self.path.clone();
        let told = |error: rusqlite::Error| Error::sqlite(&path, &error);
        let transaction = self.connection.transaction().map_err(told)?;
        insert(&transaction, entry).map_err(told)?;
        transaction.commit().map_err(told)?;
        self.keep_below_limit()
    }

    /// How many rows there are, and how many went because the file was full.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn count(&self) -> Result<(u64, u64)> {
        let numbers = "SELECT (SELECT count(*) FROM entry), dropped FROM about";
        let row = |row: &Row<'_>| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?));
        let found = self.connection.query_row(numbers, [], row);
        let (rows, dropped) = found.map_err(|error| self.told(&error))?;
        Ok((rows as u64, dropped as u64))
    }

    /// Bytes of the file that are in use.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn bytes(&self) -> Result<u64> {
        let of = |name: &str| {
            self.connection
                .pragma_query_value(None, name, |row| row.get::<_, i64>(0))
        };
        let bytes = (|| Ok((of("page_count")? - of("freelist_count")?) * of("page_size")?))();
        Ok(bytes.map_err(|error| self.told(&error))? as u64)
    }

    /// The oldest rows go until the file is below its limit by a tenth, so that this is rare.
    pub(super) fn keep_below_limit(&mut self) -> Result<()> {
        if self.bytes()? <= self.options.limit {
            return Ok(());
        }
        let aim = self.options.limit / 10 * 9;
        while self.bytes()? > aim {
            let (rows, _) = self.count()?;
            if rows <= 1 {
                break;
            }
            let done = self.drop_oldest(rows.div_ceil(8));
            done.map_err(|error| self.told(&error))?;
        }
        // What the file does not need goes back to the system, a page a row.
        let vacuum = || {
            let mut vacuum = self.connection.prepare("PRAGMA incremental_vacuum")?;
            let mut pages = vacuum.query([])?;
            while pages.next()?.is_some() {}
            Ok(())
        };
        vacuum().map_err(|error| self.told(&error))
    }

    fn drop_oldest(&mut self, rows: u64) -> rusqlite::Result<()> {
        let transaction = self.connection.transaction()?;
        let last: Option<i64> = transaction
            .query_row(
                "SELECT id FROM entry ORDER BY id LIMIT 1 OFFSET ?1",
                [rows as i64],
                |row| row.get(0),
            )
            .optional()?;
        let before = last.unwrap_or(i64::MAX);
        transaction.execute("DELETE FROM found WHERE rowid < ?1", [before])?;
        let gone = transaction.execute("DELETE FROM entry WHERE id < ?1", [before])?;
        transaction.execute("UPDATE about SET dropped = dropped + ?1", [gone as i64])?;
        // The index only marks what is gone until it is put in order.
        transaction.execute("INSERT INTO found (found) VALUES ('optimize')", [])?;
        transaction.commit()
    }
}

fn prepare(connection: &Connection, path: &Path) -> Result<()> {
    let told = |error: rusqlite::Error| Error::sqlite(path, &error);
    connection.busy_timeout(PATIENCE).map_err(told)?;
    let tables: i64 = connection
        .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
        .map_err(told)?;
    if tables == 0 {
        // It must be set before the first table is made.
        let made = format!(
            "PRAGMA auto_vacuum = incremental; PRAGMA journal_mode = wal; PRAGMA synchronous = normal;
            BEGIN; PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {VERSION}; {SCHEMA} COMMIT;"
        );
        return connection.execute_batch(&made).map_err(told);
    }
    check(connection, path)?;
    let set = "PRAGMA journal_mode = wal; PRAGMA synchronous = normal;";
    connection.execute_batch(set).map_err(told)
}

/// That it is a database of ours, of a version that is known, and that its tables can be read.
fn check(connection: &Connection, path: &Path) -> Result<()> {
    let told = |error: rusqlite::Error| Error::sqlite(path, &error);
    let number = |name: &str| {
        connection
            .pragma_query_value(None, name, |row| row.get::<_, i64>(0))
            .map_err(told)
    };
    let place = path.display();
    if number("application_id")? != APPLICATION {
        let text = format!("{place}: expected the context of a session, found another database");
        return Err(Error::new(Kind::Damaged, text));
    }
    let version = number("user_version")?;
    if version > VERSION {
        let text = format!(
            "{place}: a newer headstart wrote it (version {version}, this one knows {VERSION})"
        );
        return Err(Error::new(Kind::Newer, text));
    }
    let look = format!("SELECT {COLUMNS} FROM entry ORDER BY id DESC LIMIT 1");
    let entry = connection.query_row(&look, [], |_| Ok(())).optional();
    let found = connection
        .query_row(
            "SELECT rowid FROM found WHERE found MATCH '\"abc\"' LIMIT 1",
            [],
            |_| Ok(()),
        )
        .optional();
    let about = connection.query_row("SELECT dropped FROM about", [], |_| Ok(()));
    if let Err(error) = entry.and(found).and(about) {
        let text =
            format!("{place}: expected the context of a session, found a broken one: {error}");
        return Err(Error::new(Kind::Damaged, text));
    }
    Ok(())
}

/// Gives the file, and what SQLite keeps beside it, a name that is free.
fn put_aside(path: &Path, why: Kind) -> Result<PathBuf> {
    let word = if why == Kind::Newer {
        "newer"
    } else {
        "damaged"
    };
    let with = |ending: &str| {
        let mut name = path.as_os_str().to_owned();
        name.push(ending);
        PathBuf::from(name)
    };
    let mut number = 1;
    let aside = loop {
        let ending = match number {
            1 => format!(".{word}"),
            number => format!(".{word}-{number}"),
        };
        let aside = with(&ending);
        if aside.symlink_metadata().is_err() {
            break aside;
        }
        number += 1;
    };
    for beside in ["-wal", "-shm"] {
        let mut to = aside.as_os_str().to_owned();
        to.push(beside);
        // They are not there after an orderly end.
        let _ = std::fs::rename(with(beside), to);
    }
    std::fs::rename(path, &aside).map_err(|error| Error::system(path, error))?;
    Ok(aside)
}

/// Adds a row and its words; the caller has a transaction.
pub(super) fn insert(connection: &Connection, entry: &Entry) -> rusqlite::Result<()> {
    let mut row = connection.prepare(&format!(
        "INSERT INTO entry ({COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)"
    ))?;
    let mut words = connection.prepare(
        "INSERT INTO found (rowid, code, output, error, text) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?;
    let (session, time) = (&entry.session, entry.time);
    match &entry.what {
        What::Cell(cell) => {
            let run = cell.run.as_ref().map(ToString::to_string);
            let (client, nothing) = (cell.client.word(), None::<&str>);
            row.execute(params![
                "cell",
                session,
                time,
                cell.code,
                cell.output,
                cell.status,
                cell.ename,
                cell.evalue,
                cell.number,
                cell.generation,
                cell.duration_ms,
                cell.checkpoint,
                run,
                client,
                nothing,
                nothing,
            ])?;
            let error = error_words(cell);
            words.execute(params![
                connection.last_insert_rowid(),
                without_zeros(&cell.code),
                without_zeros(&cell.output),
                without_zeros(&error),
                "",
            ])?;
        }
        What::Message(message) => {
            let nothing = None::<&str>;
            row.execute(params![
                "message",
                session,
                time,
                nothing,
                nothing,
                nothing,
                nothing,
                nothing,
                nothing,
                nothing,
                nothing,
                nothing,
                nothing,
                nothing,
                message.role,
                message.text,
            ])?;
            let text = without_zeros(&message.text);
            words.execute(params![connection.last_insert_rowid(), "", "", "", text])?;
        }
    }
    Ok(())
}

/// What is found of an exception.
pub(super) fn error_words(cell: &Cell) -> String {
    match (&cell.ename, &cell.evalue) {
        (None, None) => String::new(),
        (ename, evalue) => {
            let of = |text: &Option<String>| text.clone().unwrap_or_default();
            format!("{}: {}", of(ename), of(evalue))
        }
    }
}

/// The tokenizer takes a zero for the end of a text.
fn without_zeros(text: &str) -> std::borrow::Cow<'_, str> {
    if text.contains('\0') {
        text.replace('\0', " ").into()
    } else {
        text.into()
    }
}

/// An entry, of a row with [`COLUMNS`] from this place on.
pub(super) fn entry_of(row: &Row<'_>, first: usize) -> rusqlite::Result<Entry> {
    let kind: String = row.get(first)?;
    let what = if kind == "cell" {
        let run: Option<String> = row.get(first + 12)?;
        let client: Option<String> = row.get(first + 13)?;
        What::Cell(Cell {
            code: row.get::<_, Option<String>>(first + 3)?.unwrap_or_default(),
            output: row.get::<_, Option<String>>(first + 4)?.unwrap_or_default(),
            status: row.get::<_, Option<String>>(first + 5)?.unwrap_or_default(),
            ename: row.get(first + 6)?,
            evalue: row.get(first + 7)?,
            number: row.get(first + 8)?,
            generation: row.get::<_, Option<i64>>(first + 9)?.unwrap_or_default(),
            duration_ms: row.get::<_, Option<i64>>(first + 10)?.unwrap_or_default(),
            checkpoint: row.get(first + 11)?,
            run: run.and_then(|run| serde_json::from_str(&run).ok()),
            client: client
                .and_then(|word| Client::of_word(&word))
                .unwrap_or_default(),
        })
    } else {
        What::Message(Message {
            role: row
                .get::<_, Option<String>>(first + 14)?
                .unwrap_or_default(),
            text: row
                .get::<_, Option<String>>(first + 15)?
                .unwrap_or_default(),
        })
    };
    Ok(Entry {
        session: row.get(first + 1)?,
        time: row.get(first + 2)?,
        what,
    })
}
