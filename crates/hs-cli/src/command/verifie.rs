//! `hs verifie`: whether conditions hold for a file.

use hs_core::op::verifie::verifie;
use hs_core::{Control, Loaded};

use crate::args::VerifieArgs;
use crate::exit::Failure;
use crate::output::{Answer, Output, one_of};
use crate::{document, input};

/// Runs the command.
///
/// # Errors
/// Whatever keeps the file from being loaded or a condition from being read;
/// [`Failure::Failed`] when a check does not hold.
pub fn run(args: &VerifieArgs, control: &Control, output: &Output) -> Result<(), Failure> {
    let files = std::slice::from_ref(&args.file);
    let table = match input::load_from(files, args.sheet.as_deref(), &args.read, control)? {
        Loaded::Table(table) => table,
        Loaded::Sheets(sheets) => {
            return Err(one_of(&sheets, "expected one sheet, found all of them", "").into());
        }
        Loaded::Value(value) => {
            return Err(document::not_a_table(&input::name(files), &value).into());
        }
    };
    let verified = verifie(&table, &args.checks, control)?;
    let mut result = verified.table()?;
    result.origin = table.origin;
    result.notes.splice(0..0, table.notes);
    let lines = verified.lines();
    output.give(&Answer::Checked {
        table: &result,
        lines: &lines,
    })?;
    if verified.failures() == 0 {
        return Ok(());
    }
    let mut text = verified.summary();
    if output.is_quiet() {
        // Nobody has seen the lines.
        let failed = lines.iter().filter_map(|line| line.strip_prefix("FAIL "));
        text = format!("{text}:\n  {}", failed.collect::<Vec<_>>().join("\n  "));
    }
    Err(Failure::Failed(text))
}
