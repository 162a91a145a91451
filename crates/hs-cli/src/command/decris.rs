//! `hs decris`: describe every column of a file.

use hs_core::op::decris::decris;
use hs_core::{Control, Loaded, Topic};

use crate::args::FileArgs;
use crate::exit::Failure;
use crate::output::{Answer, Output, one_of};
use crate::{document, input};

/// Runs the command.
///
/// # Errors
/// Whatever keeps the file from being loaded or described.
pub fn run(args: &FileArgs, control: &Control, output: &Output) -> Result<(), Failure> {
    let table = match input::load(args, control)? {
        Loaded::Table(table) => table,
        Loaded::Sheets(sheets) => {
            return Err(one_of(&sheets, "expected one sheet, found all of them", "").into());
        }
        Loaded::Value(value) => {
            return Err(document::not_a_table(&input::name(&args.files), &value).into());
        }
    };
    let mut result = decris(&table, control)?;
    // The result's headline repeats what was loaded.
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
