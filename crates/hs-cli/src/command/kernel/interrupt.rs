//! `hs kernel interrupt` and `hs kernel wait`: what to do with a cell that somebody else runs, or whose `run` was left.

use hs_kernel::Client;
use serde_json::{Value, json};

use super::find::{ask, connect, gone, text};
use super::list::first_line;
use super::run::refused;
use super::show::{Ending, Shown};
use crate::args::{AnswerArgs, NamedArgs, WaitArgs};
use crate::exit::Failure;
use crate::output::{Facts, Output};

/// Stops what runs.
///
/// # Errors
/// When there is no such session.
pub fn run(args: &NamedArgs, output: &Output) -> Result<(), Failure> {
    let name = &args.name;
    let mut client = connect(name)?;
    let Some(running) = running(&mut client, name)? else {
        output.tell(NOTHING);
        return output.give_facts_of(&["session", "code", "state"], &[]);
    };
    // Its end is asked for before it is stopped, so that it is that of this cell.
    let lost = |error: std::io::Error| gone(name, &error.to_string());
    let run = &running["id"];
    let wait = json!({"type": "wait", "id": "end", "session": name, "run": run});
    client.send(&wait).map_err(lost)?;
    let cancel = json!({"type": "cancel", "id": "stop", "session": name, "run": run});
    client.send(&cancel).map_err(lost)?;
    let end = answer(&mut client, name, "end")?;
    let code = first_line(text(&running, "code"));
    let line = match (
        text(&end, "type"),
        text(&end, "state"),
        text(&end["error"], "ename"),
    ) {
        ("result", "kept", "KeyboardInterrupt") => format!("stopped {code}; variables are kept"),
        ("result", "kept", _) => format!("{code} came to its own end; variables are kept"),
        ("result", ..) => format!("{code} did not stop, and its kernel was ended"),
        _ => format!("{code}: {}", text(&end, "message")),
    };
    let facts = Facts::new(line).with("session", name.as_str());
    let facts = facts.with("code", text(&running, "code"));
    output.give_facts(&[facts.with("state", text(&end, "state"))])
}

/// Waits for the end of what runs, and shows its result.
///
/// # Errors
/// When there is no such session, or no result; [`Failure::Ended`] when the cell raised.
pub fn wait(args: &WaitArgs, answer_args: &AnswerArgs) -> Result<(), Failure> {
    let name = &args.session.name;
    let mut shown = Shown::new(answer_args, args.images.as_deref())?;
    let mut client = connect(name)?;
    let Some(running) = running(&mut client, name)? else {
        shown.say(NOTHING);
        return Ok(());
    };
    let mut request = json!({"type": "wait", "id": "end", "session": name, "run": running["id"]});
    if let Some(seconds) = args.timeout {
        request["timeout_s"] = json!(seconds);
    }
    let lost = |error: std::io::Error| gone(name, &error.to_string());
    client.send(&request).map_err(lost)?;
    let end = answer(&mut client, name, "end")?;
    match shown.whole(&end)? {
        Ending::Raised(code) => Err(Failure::Ended(code)),
        Ending::Refused => Err(refused(name, &end)),
        Ending::Done | Ending::GoesOn => Ok(()),
    }
}

const NOTHING: &str = "nothing runs that a program or a shell had asked for";

/// The cell that runs.
fn running(client: &mut Client, session: &str) -> Result<Option<Value>, Failure> {
    let status = ask(client, session, json!({"type": "status"}))?;
    Ok(Some(status["run"].clone()).filter(|run| !run.is_null()))
}

fn answer(client: &mut Client, session: &str, id: &str) -> Result<Value, Failure> {
    let lost = |error: std::io::Error| gone(session, &error.to_string());
    while let Some(line) = client.receive().map_err(lost)? {
        if line["id"] == id {
            return Ok(line);
        }
    }
    Err(gone(session, "it ended before the cell did"))
}
