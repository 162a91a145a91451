//! `hs decris`: describe every column of a file.

use hs_core::op::decris::decris;
use hs_core::{Control, Loaded, Topic};

use crate::args::FileArgs;
use crate::exit::Failure;
use crate::input;
use crate::output::{Answer, Output};

/// Runs the command.
///
/// # Errors
/// Whatever keeps the file from being loaded or described.
pub fn run(args: &FileArgs, control: &Control, output: &Output) -> Result<(), Failure> {
    let Loaded::Table(table) = input::load(args, control)? else {
        return Err(input::not_a_table(args).into());
    };
    let mut result = decris(&table, control)?;
    // The headline already says how many rows and columns were loaded.
    let others = table
        .notes
        .into_iter()
        .filter(|note| note.topic != Topic::Loaded);
    result.notes.extend(others);
    output.give(&Answer::Result {
        table: &result,
        shares: &["missing"],
    })
}
