//! `hs kernel restart`: a new kernel for a session.

use serde_json::json;

use super::find::{ask, connect, text};
use crate::args::RestartArgs;
use crate::exit::Failure;
use crate::output::{Facts, Output};

/// Runs the command.
///
/// # Errors
/// When there is no such session, or its kernel does not start.
pub fn run(args: &RestartArgs, output: &Output) -> Result<(), Failure> {
    let name = &args.name;
    let mut client = connect(name)?;
    let ready = ask(&mut client, name, json!({"type": "restart"}))?;
    let generation = ready["generation"].as_i64();
    let line = format!(
        "session {name} has a new kernel, its {}{}",
        generation.unwrap_or_default(),
        ending(generation.unwrap_or_default())
    );
    let facts = Facts::new(line).with("session", name.as_str());
    let facts = facts
        .with("generation", generation)
        .with("pid", ready["pid"].as_i64());
    output.give_facts(&[facts.with("connection_file", text(&ready, "connection_file"))])
}

/// 1st, 2nd, 3rd, 4th ... 11th ... 21st.
fn ending(number: i64) -> &'static str {
    match (number % 10, number % 100) {
        (1, tens) if tens != 11 => "st",
        (2, tens) if tens != 12 => "nd",
        (3, tens) if tens != 13 => "rd",
        _ => "th",
    }
}
