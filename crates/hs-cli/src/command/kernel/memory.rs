//! What a session remembers, wherever that is: the session is asked when it lives, else its file is read.

use std::io::ErrorKind as Io;

use hs_core::{Error, ErrorKind};
use hs_kernel::Client;
use hs_kernel::context::{self, Database, Kind, Options, durable, named};
use serde_json::{Value, json};

use super::find::{absent, ask, gone};
use crate::exit::Failure;

/// A session that lives, or the file of one that was released.
pub enum Memory {
    /// It lives.
    Live(Client),
    /// Only its file is there.
    Released(Box<Database>),
}

/// That of a session.
///
/// # Errors
/// There is neither, or it cannot be read.
pub fn memory(session: &str) -> Result<Memory, Failure> {
    match connected(session)? {
        Some(client) => Ok(Memory::Live(client)),
        None => match named(session).and_then(|path| Database::open_to_read(&path)) {
            Ok(database) => Ok(Memory::Released(Box::new(database))),
            Err(error) if error.kind() == Kind::Missing => Err(absent(session)),
            Err(error) => Err(failure(&error)),
        },
    }
}

/// The same to be written to. No session of its name may begin meanwhile.
///
/// # Errors
/// As [`memory`].
pub fn imported(session: &str, request: Value) -> Result<u64, Failure> {
    if let Some(mut client) = connected(session)? {
        let answer = ask(&mut client, session, request)?;
        return Ok(answer["rows"].as_u64().unwrap_or_default());
    }
    match named(session) {
        Ok(_) => {}
        Err(error) if error.kind() == Kind::Missing => return Err(absent(session)),
        Err(error) => return Err(failure(&error)),
    }
    let path = request["path"].as_str().unwrap_or_default();
    let who = format!("hs kernel import (process {})", std::process::id());
    let work = || {
        let held = durable(session, &who)?;
        let (mut database, _) = Database::open(held.path(), Options::default())?;
        database.import(path.as_ref())
    };
    work().map_err(|error| failure(&error))
}

fn connected(session: &str) -> Result<Option<Client>, Failure> {
    match Client::connect(session) {
        Ok(client) => Ok(Some(client)),
        Err(error) if matches!(error.kind(), Io::NotFound | Io::ConnectionRefused) => Ok(None),
        Err(error) => Err(gone(session, &error.to_string())),
    }
}

impl Memory {
    /// Searches; the answer is as the protocol has it.
    ///
    /// # Errors
    /// The session or the file says what is wrong.
    pub fn search(&mut self, session: &str, query: &str, limit: usize) -> Result<Value, Failure> {
        match self {
            Self::Live(client) => {
                let request = json!({"type": "search", "query": query, "limit": limit});
                ask(client, session, request)
            }
            Self::Released(database) => {
                let search = context::Search::new(query).with_limit(limit);
                let found = database.search(&search).map_err(|error| failure(&error))?;
                Ok(json!(found))
            }
        }
    }

    /// Writes all of it into a file; how many entries there were.
    ///
    /// # Errors
    /// The file is there already, or cannot be written.
    pub fn export(
        &mut self,
        session: &str,
        (format, path): (&str, &std::path::Path),
        overwrite: bool,
    ) -> Result<u64, Failure> {
        match self {
            Self::Live(client) => {
                let request = json!({"type": "export", "format": format, "path": path, "overwrite": overwrite});
                let answer = ask(client, session, request)?;
                Ok(answer["rows"].as_u64().unwrap_or_default())
            }
            Self::Released(database) => {
                let format = match format {
                    "markdown" => context::Format::Markdown,
                    "text" => context::Format::Text,
                    _ => context::Format::Jsonl,
                };
                let written = database.export(format, path, overwrite);
                written.map_err(|error| failure(&error))
            }
        }
    }
}

/// A fault of a file that is read here.
fn failure(error: &context::Error) -> Failure {
    let kind = match error.kind() {
        Kind::Missing => ErrorKind::Missing,
        Kind::Exists => ErrorKind::Exists,
        Kind::Format => ErrorKind::Format,
        Kind::Busy => ErrorKind::Service,
        Kind::Damaged | Kind::Newer | Kind::Refused | Kind::System => ErrorKind::Io,
    };
    Error::new(kind, error.to_string()).into()
}
