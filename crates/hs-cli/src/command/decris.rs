//! `hs decris`: describe every column of a file.

use hs_core::op::decris::decris;
use hs_core::{Control, Topic};

use crate::args::FileArgs;
use crate::exit::Failure;
use crate::input;
use crate::output::{Answer, Output};

/// Runs the command.
///
/// # Errors
/// Whatever keeps the file from being loaded or described.
pub fn run(args: &FileArgs, control: &Control, output: &Output) -> Result<(), Failure> {
    let table = input::only_table(input::load(args, control)?, &args.files)?;
    let mut result = decris(&table, control)?;
    // The result's headline repeats what was loaded.
    let others = table
        .notes
        .into_iter()
        .filter(|note| note.topic != Topic::Loaded);
    result.notes.extend(others);
    output.give(&Answer::Described(&result))
}
