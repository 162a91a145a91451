//! `hs charge`: load a file and show it, or give every row in a data format.

use hs_core::{Control, Loaded};

use crate::args::FileArgs;
use crate::exit::Failure;
use crate::input;
use crate::output::{Answer, Output};

/// Runs the command.
///
/// # Errors
/// Whatever keeps the file from being loaded or shown.
pub fn run(args: &FileArgs, control: &Control, output: &Output) -> Result<(), Failure> {
    match input::load(args, control)? {
        Loaded::Table(table) => output.give(&Answer::Loaded(&table)),
        Loaded::Value(value) => output.give(&Answer::Document(&input::name(args), &value)),
    }
}
