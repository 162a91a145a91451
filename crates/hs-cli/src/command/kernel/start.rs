//! `hs kernel start`: a session that lives until it is released.

use std::collections::BTreeMap;
use std::path::{Path, absolute};

use hs_core::{Error, ErrorKind, Place};
use hs_kernel::{Client, start_detached};
use serde_json::{Value, json};

use super::find::text;
use super::{output, told};
use crate::args::{AnswerArgs, BeginArgs, StartArgs};
use crate::exit::Failure;
use crate::inside::{Running, launch_settings};
use crate::output::Facts;

/// Runs the command.
///
/// # Errors
/// When there is such a session, or its kernel does not start.
pub fn run(args: &StartArgs, answer: &AnswerArgs, inside: Running<'_>) -> Result<(), Failure> {
    let name = &args.name;
    if Client::connect(name).is_ok() {
        let message = format!("expected a name that is free, found the session {name}");
        let hint = format!("hs kernel restart {name} gives it a new kernel");
        return Err(Error::new(ErrorKind::Exists, message).hint(hint).into());
    }
    let ready = begin(name, &args.begin, args.resume, inside)?;
    // The session's own process is apart from here on.
    let line = format!("session {name} is there; hs kernel release {name} ends it");
    let pid = ready["pid"].as_i64();
    let facts = Facts::new(line).with("session", name.as_str());
    let facts = facts.with("generation", ready["generation"].as_i64());
    let file = text(&ready, "connection_file");
    output(answer)?.give_facts(&[facts.with("pid", pid).with("connection_file", file)])
}

/// Starts the session and gives what it says when its kernel is ready.
///
/// # Errors
/// When a file cannot be read, or the kernel does not start.
pub fn begin(
    name: &str,
    args: &BeginArgs,
    resume: bool,
    inside: Running<'_>,
) -> Result<Value, Failure> {
    let cwd = absolute(args.cwd.as_deref().unwrap_or(Path::new(".")))?;
    let env: BTreeMap<&String, &String> =
        args.env.iter().map(|(name, value)| (name, value)).collect();
    let startup = args.startup.iter().map(|path| read(path));
    let startup: Vec<String> = startup.collect::<Result<_, _>>()?;
    let open = json!({"cwd": cwd, "env": env, "startup_code": startup, "resume": resume});
    let settings = launch_settings(&args.launch, inside);
    start_detached(name, &open, &settings).map_err(|text| {
        if text.contains("No module named 'headstart'") {
            let fix = "pip install 'headstart[kernel]' for that Python, or leave out its name: hs kernel setup builds another";
            return told(&format!("{text}\nhint: {fix}"));
        }
        told(&text)
    })
}

fn read(path: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(path).map_err(|error| {
        let kind = match error.kind() {
            std::io::ErrorKind::NotFound => ErrorKind::Missing,
            _ => ErrorKind::Io,
        };
        let message = format!("expected a file of Python, found none: {error}");
        let place = Place::source(path.display().to_string());
        Error::new(kind, message).at(place).into()
    })
}
