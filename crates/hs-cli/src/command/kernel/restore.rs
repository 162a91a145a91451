//! `hs kernel checkpoint` and `hs kernel restore`: the variables of a session, saved and brought back by hand.

use serde_json::{Value, json};

use super::checkpoints::{branch, find, list};
use super::find::{ask, connect, text};
use super::search::DIGITS;
use crate::args::{CheckpointArgs, RestoreArgs};
use crate::exit::Failure;
use crate::output::{Facts, Output};

/// What stands for the state before the first cell.
const STARTUP: &str = "startup";

/// Saves.
///
/// # Errors
/// When there is no such session, it does not save, or a cell runs.
pub fn checkpoint(args: &CheckpointArgs, output: &Output) -> Result<(), Failure> {
    let name = &args.session.name;
    let mut client = connect(name)?;
    let request = json!({"type": "checkpoint", "queue": args.queue});
    let saved = ask(&mut client, name, request)?;
    let id = text(&saved, "checkpoint");
    let names = saved["names"].as_i64();
    skipped(&saved, output);
    let line = format!(
        "checkpoint {}: {}",
        id.get(..DIGITS).unwrap_or(id),
        counted(names.unwrap_or_default())
    );
    let facts = Facts::new(line).with("session", name.as_str());
    output.give_facts(&[facts.with("checkpoint", id).with("names", names)])
}

/// Brings back.
///
/// # Errors
/// When there is no such session or checkpoint, or nothing can be brought back.
pub fn run(args: &RestoreArgs, output: &Output) -> Result<(), Failure> {
    let name = &args.name;
    let mut client = connect(name)?;
    let branch = if args.id == STARTUP {
        Vec::new()
    } else {
        let (_, id) = find(&args.id)?;
        // An older one is used where it cannot be read.
        branch(&list(output)?, id)
    };
    let request = json!({"type": "restore", "branch": branch, "queue": args.queue});
    let restored = ask(&mut client, name, request)?;
    for fault in restored["faults"].as_array().into_iter().flatten() {
        output.tell(fault[1].as_str().unwrap_or_default());
    }
    skipped(&restored, output);
    let count = |field: &str| restored[field].as_array().map_or(0, Vec::len) as i64;
    let from = restored["from"].as_str();
    let place = match from {
        Some(id) => format!("checkpoint {}", id.get(..DIGITS).unwrap_or(id)),
        None => "the state before the first cell".to_owned(),
    };
    let line = format!(
        "session {name} has {place}: {} restored, {} left as they were, {} removed",
        counted(count("names")),
        count("held"),
        count("removed")
    );
    let facts = Facts::new(line).with("session", name.as_str());
    let facts = facts.with("from", from).with("restored", count("names"));
    let facts = facts.with("held", count("held"));
    output.give_facts(&[facts.with("removed", count("removed"))])
}

fn counted(names: i64) -> String {
    let plural = if names == 1 { "" } else { "s" };
    format!("{names} name{plural}")
}

/// Says what is not there, and why.
fn skipped(answer: &Value, output: &Output) {
    for skipped in answer["skipped"].as_array().into_iter().flatten() {
        output.tell(&format!(
            "{} is not kept: {}",
            text(skipped, "name"),
            text(skipped, "reason")
        ));
    }
}
