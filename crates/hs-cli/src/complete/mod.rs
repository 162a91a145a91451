//! Completions: what could stand where the cursor is. The script that `hs completions` prints asks between two keys, so that
//! whatever goes wrong means no candidates: nothing is printed but the answer, nothing is written, no data is read.
//!
//! - `words`: the line as the shell has it, as words
//! - `candidates`: what clap knows could follow them
//! - `files` and `names`: what the files and sessions that the line names have
//! - `soon`: how long all that may take
//! - `script`: what a shell is told once

mod candidates;
mod files;
mod names;
mod script;
mod soon;
mod words;

use std::ffi::OsString;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook};

pub use script::{Shell, script};

/// What a script calls `hs` with first; no command of people.
const ASK: &str = "__complete";

/// Answers a shell, if one asks.
pub fn answered(arguments: &[OsString]) -> bool {
    if arguments.get(1).is_none_or(|first| first != ASK) {
        return false;
    }
    // A fault must not reach the prompt.
    set_hook(Box::new(|_| {}));
    let asked: Vec<String> = arguments[2..]
        .iter()
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    let work = AssertUnwindSafe(|| words::of(&asked).map(|line| candidates::of(&line)));
    if let Ok(Some(answer)) = catch_unwind(work) {
        // With the shell gone there is nobody to tell.
        let _ = std::io::stdout().write_all(answer.as_bytes());
    }
    true
}
