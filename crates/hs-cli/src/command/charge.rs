//! `hs charge`: load a file and show it, or give every row in a data format.

use hs_core::op::explain::explain;
use hs_core::op::montre::MontreOptions;
use hs_core::{Control, Loaded};

use crate::args::ChargeArgs;
use crate::exit::Failure;
use crate::output::{Answer, Output, one_of};
use crate::{document, input};

/// So many sheets share the rows of one view; of more sheets each shows as few.
const FEW: usize = 4;

/// Runs the command.
///
/// # Errors
/// Whatever keeps the file from being loaded or shown.
pub fn run(args: &ChargeArgs, control: &Control, output: &Output) -> Result<(), Failure> {
    let name = input::name(&args.file.files);
    match input::load(&args.file, control)? {
        Loaded::Table(table) if args.explain => output.give(&Answer::Result {
            table: &explain(&table)?,
            shares: &[],
        }),
        Loaded::Table(table) => output.give(&Answer::Loaded(&table)),
        Loaded::Sheets(sheets) if args.explain => Err(one_of(
            &sheets,
            "--explain: expected one sheet, found all of them",
            "",
        )
        .into()),
        Loaded::Sheets(sheets) => {
            let n = MontreOptions::default().n / sheets.sheets.len().clamp(1, FEW);
            output.give(&Answer::Sheets(&sheets, MontreOptions { n }))
        }
        Loaded::Value(value) if args.explain => Err(document::not_a_table(&name, &value).into()),
        Loaded::Value(value) => output.give(&Answer::Document(&name, &value)),
    }
}
