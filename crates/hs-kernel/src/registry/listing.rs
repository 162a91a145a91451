//! All sessions, and what they are at. What dead ones left behind is taken away on the way.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, flock};
use serde_json::{Value, json};

use crate::protocol::{Event, FailureKind};

use super::folder::{is_alive, place, remove_stale, root};

/// A status is short; more than this is none.
const LONGEST_STATUS: u64 = 4 << 20;

/// A session that lives.
pub struct Found {
    /// The name of its folder.
    pub session: String,
    /// Its folder.
    pub folder: PathBuf,
    /// What it says of itself.
    pub about: Value,
}

/// The sessions that live, by name. Folders of dead ones are taken away.
///
/// # Errors
/// The folder of sessions cannot be read, or is not private.
pub fn sessions() -> io::Result<Vec<Found>> {
    let root = root()?;
    let whole = File::open(&root)?;
    flock(&whole, FlockOperation::LockExclusive)?;
    let mut found = Vec::new();
    for entry in fs::read_dir(&root)?.flatten() {
        let folder = entry.path();
        if !is_alive(&folder) {
            let _ = remove_stale(&folder);
            continue;
        }
        found.push(Found {
            session: entry.file_name().to_string_lossy().into_owned(),
            about: about(&folder),
            folder,
        });
    }
    found.sort_by(|one, other| one.session.cmp(&other.session));
    Ok(found)
}

/// The names of the sessions that answer, for shells: nothing is made or taken away, no lock is taken, nothing waited for.
pub fn names() -> Vec<String> {
    let Some(entries) = place().and_then(|root| fs::read_dir(root).ok()) else {
        return Vec::new();
    };
    let alive =
        |entry: &fs::DirEntry| UnixStream::connect(entry.path().join("control.sock")).is_ok();
    let alive = entries.flatten().filter(alive);
    let mut names: Vec<String> = alive
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    names.sort();
    names
}

/// Takes away what dead sessions left.
pub fn clean() {
    let _ = sessions();
}

fn about(folder: &Path) -> Value {
    let text = fs::read_to_string(folder.join("session.json")).unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_else(|_| json!({}))
}

/// What each session is at, as an object; one that does not answer in time is said to be silent.
///
/// # Errors
/// As [`sessions`].
pub fn list(patience: Duration) -> io::Result<Vec<Value>> {
    let until = Instant::now() + patience;
    // All are asked before any answer is waited for.
    let asked: Vec<(Found, io::Result<UnixStream>)> = sessions()?
        .into_iter()
        .map(|found| {
            let stream = ask(&found.folder.join("control.sock"));
            (found, stream)
        })
        .collect();
    Ok(asked
        .into_iter()
        .map(|(found, stream)| {
            let status = stream.and_then(|stream| answer(stream, until));
            whole(&found, status.ok())
        })
        .collect())
}

/// The answer to the request `list`.
pub fn listed(patience: Duration) -> Event {
    match list(patience) {
        Ok(sessions) => Event::Answer("list", json!({"sessions": sessions})),
        Err(error) => Event::Error(FailureKind::Internal, error.to_string()),
    }
}

fn ask(socket: &Path) -> io::Result<UnixStream> {
    let mut stream = UnixStream::connect(socket)?;
    stream.write_all(b"{\"type\":\"status\",\"id\":0}\n")?;
    Ok(stream)
}

fn answer(stream: UnixStream, until: Instant) -> io::Result<Value> {
    let left = until.saturating_duration_since(Instant::now());
    stream.set_read_timeout(Some(left.max(Duration::from_millis(1))))?;
    let mut reader = BufReader::new(stream.take(LONGEST_STATUS));
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let value: Value = serde_json::from_str(&line)?;
        if value["type"] == "status" {
            return Ok(value);
        }
    }
}

fn whole(found: &Found, status: Option<Value>) -> Value {
    let mut object = serde_json::Map::new();
    let mut take = |from: &Value| {
        if let Value::Object(fields) = from {
            for (name, value) in fields {
                if !matches!(name.as_str(), "type" | "id" | "session") {
                    object.insert(name.clone(), value.clone());
                }
            }
        }
    };
    take(&found.about);
    let supervisor = found.about["pid"].clone();
    take(&status.unwrap_or_else(|| json!({"state": "silent"})));
    object.insert("session".to_owned(), json!(found.session));
    object.insert(
        "detached".to_owned(),
        json!(found.about["host_pid"].is_null()),
    );
    object.insert("supervisor_pid".to_owned(), supervisor);
    Value::Object(object)
}
