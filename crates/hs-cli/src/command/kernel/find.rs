//! Finds sessions and talks with them: one request, one answer.

use std::io::ErrorKind as Io;
use std::path::PathBuf;
use std::time::Duration;

use hs_core::error::did_you_mean;
use hs_core::{Error, ErrorKind};
use hs_kernel::{Client, registry};
use serde_json::{Value, json};

use crate::exit::Failure;

/// How long a session that does not answer is waited for.
pub const PATIENCE: Duration = Duration::from_secs(2);

/// The session's end of a connection.
///
/// # Errors
/// When there is no such session.
pub fn connect(session: &str) -> Result<Client, Failure> {
    Client::connect(session).map_err(|error| match error.kind() {
        Io::NotFound | Io::ConnectionRefused => absent(session),
        _ => gone(session, &error.to_string()),
    })
}

/// There is none of that name.
pub fn absent(session: &str) -> Failure {
    let names = registry::sessions().unwrap_or_default();
    let names: Vec<String> = names.into_iter().map(|found| found.session).collect();
    let asked = did_you_mean(session, names.iter().map(String::as_str));
    let found = if names.is_empty() {
        "found none".to_owned()
    } else {
        format!("found {}", names.join(", "))
    };
    Error::new(
        ErrorKind::Missing,
        format!("expected a session {session}, {found}"),
    )
    .hint(asked.unwrap_or_else(|| format!("hs kernel start {session}")))
    .into()
}

/// It went away in the middle, or does not answer.
pub fn gone(session: &str, why: &str) -> Failure {
    let message = format!("session {session}: {why}");
    let hint = "hs kernel list shows what is there";
    Error::new(ErrorKind::Service, message).hint(hint).into()
}

/// The answer of a session to a request.
///
/// # Errors
/// What the session says is wrong, or that it went away.
pub fn ask(client: &mut Client, session: &str, mut request: Value) -> Result<Value, Failure> {
    const ID: &str = "ask";
    request["id"] = json!(ID);
    request["session"] = json!(session);
    let lost = |error: std::io::Error| gone(session, &error.to_string());
    client.send(&request).map_err(lost)?;
    while let Some(line) = client.receive().map_err(lost)? {
        if line["id"] == ID {
            return match line["type"].as_str() {
                Some("error") => Err(gone(session, text(&line, "message"))),
                // What is said on the way to the answer.
                Some("notice" | "progress" | "saved") => continue,
                _ => Ok(line),
            };
        }
    }
    Err(gone(session, "it ended"))
}

/// A text of a line; empty where there is none.
pub fn text<'a>(line: &'a Value, name: &str) -> &'a str {
    line[name].as_str().unwrap_or_default()
}

/// The Pythons that sessions run on.
pub fn pythons() -> Vec<PathBuf> {
    let found = registry::list(PATIENCE).unwrap_or_default();
    let pythons = found.iter().map(|session| text(session, "python"));
    pythons.map(PathBuf::from).collect()
}
