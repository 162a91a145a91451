//! `hs completions`: the script that makes a shell ask `hs` what could stand where the cursor is.

use crate::args::{AnswerArgs, CompletionsArgs};
use crate::complete::script;
use crate::exit::Failure;
use crate::output::give_text;

/// Runs the command.
///
/// # Errors
/// When the script cannot be written.
pub fn run(args: &CompletionsArgs, answer: &AnswerArgs) -> Result<(), Failure> {
    give_text(answer, script(args.shell))
}
