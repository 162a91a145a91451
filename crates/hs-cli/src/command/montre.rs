//! `hs montre`: the first and last rows of a file.

use hs_core::op::montre::MontreOptions;
use hs_core::{Control, Loaded};

use crate::args::MontreArgs;
use crate::exit::Failure;
use crate::input;
use crate::output::{Answer, Output};

/// Runs the command.
///
/// # Errors
/// Whatever keeps the file from being loaded or shown.
pub fn run(args: &MontreArgs, control: &Control, output: &Output) -> Result<(), Failure> {
    match input::load(&args.file, control)? {
        Loaded::Table(table) => output.give(&Answer::Excerpt(&table, MontreOptions { n: args.n })),
        Loaded::Sheets(sheets) => {
            output.give(&Answer::Sheets(&sheets, MontreOptions { n: args.n }))
        }
        Loaded::Value(value) => output.give(&Answer::DocumentExcerpt(
            &input::name(&args.file.files),
            &value,
        )),
    }
}
