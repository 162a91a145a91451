//! `hs kernel run`: one cell in a session. Ctrl-C stops the cell, not the session; the second one does not wait.

use std::io::Read;

use hs_core::{Error, ErrorKind};
use hs_kernel::{Client, on_interrupt};
use serde_json::{Value, json};

use super::find::{connect, gone, text};
use super::show::{Ending, Shown};
use crate::args::{AnswerArgs, RunArgs};
use crate::exit::{Failure, at_once};

/// Runs the command.
///
/// # Errors
/// When there is no such session, or no result; [`Failure::Ended`] when the cell raised.
pub fn run(args: &RunArgs, answer: &AnswerArgs) -> Result<(), Failure> {
    let name = &args.session;
    let mut shown = Shown::new(answer, args.images.as_deref())?;
    let code = code(&args.code)?;
    let mut client = connect(name)?;
    // Other programs run cells in this session, too.
    let id = format!("hs-{}-{:x}", std::process::id(), since_start());
    stop_on_interrupt(name, &id);
    let cwd = args.cwd.as_deref().map(std::path::absolute).transpose()?;
    let mut request = json!({"type": "run", "id": id, "session": name, "code": code});
    let fields = [
        ("cwd", cwd.map(|path| json!(path))),
        ("timeout_s", args.timeout.map(Value::from)),
        ("queue", args.queue.then_some(Value::Bool(true))),
    ];
    for (field, value) in fields {
        if let Some(value) = value {
            request[field] = value;
        }
    }
    let lost = |error: std::io::Error| gone(name, &error.to_string());
    client.send(&request).map_err(lost)?;
    while let Some(line) = client.receive().map_err(lost)? {
        if line["id"] == id.as_str() {
            match shown.show(&line)? {
                Ending::GoesOn => {}
                Ending::Done => return Ok(()),
                Ending::Raised(code) => return Err(Failure::Ended(code)),
                Ending::Refused => return Err(refused(name, &line)),
            }
        }
    }
    Err(gone(name, "it ended before the cell did"))
}

/// The cell: as it stands there, or from standard input.
fn code(argument: &str) -> Result<String, Failure> {
    if argument != "-" {
        return Ok(argument.to_owned());
    }
    let mut text = String::new();
    std::io::stdin()
        .read_to_string(&mut text)
        .map_err(|error| {
            let message =
                format!("expected a cell as text in UTF-8, found something else: {error}");
            Error::new(ErrorKind::Format, message)
        })?;
    Ok(text)
}

/// Nanoseconds, to tell two runs of one process number apart.
fn since_start() -> u128 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.map_or(0, |since| since.as_nanos())
}

/// The first Ctrl-C asks the session to stop the cell; its result comes as ever.
fn stop_on_interrupt(session: &str, id: &str) {
    let (name, run) = (session.to_owned(), id.to_owned());
    let first = move || {
        let request = json!({"type": "cancel", "id": "stop", "session": name, "run": run});
        // If the session is gone, the connection that waits for the result says so.
        if let Ok(mut client) = Client::connect(&name)
            && client.send(&request).is_ok()
        {
            let _ = client.receive();
        }
    };
    let told = format!("the cell may go on in session {session}");
    on_interrupt(first, move || at_once(&told));
}

/// Why there is no result.
pub fn refused(session: &str, line: &Value) -> Failure {
    let message = format!("session {session}: {}", text(line, "message"));
    let error = Error::new(ErrorKind::Service, message);
    match text(line, "kind") {
        "busy" => error.hint("--queue waits for it; hs kernel list shows what runs"),
        "timeout" => error.hint("the cell goes on; hs kernel list shows since when"),
        _ => error,
    }
    .into()
}
