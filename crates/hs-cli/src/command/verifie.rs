//! `hs verifie`: whether conditions hold for a file.

use hs_core::Control;
use hs_core::fields::with_fields;
use hs_core::op::verifie::verifie;

use crate::args::VerifieArgs;
use crate::exit::Failure;
use crate::input;
use crate::output::{Answer, Output};

/// Runs the command.
///
/// # Errors
/// Whatever keeps the file from being loaded or a condition from being read;
/// [`Failure::Failed`] when a check does not hold.
pub fn run(args: &VerifieArgs, control: &Control, output: &Output) -> Result<(), Failure> {
    let table = input::table(&args.file, args.sheet.as_deref(), &args.read, control)?;
    let table = with_fields(table)?;
    // One that begins with a minus comes with a space before it.
    let checks = args
        .checks
        .iter()
        .map(|check| check.trim_start().to_owned());
    let checks: Vec<String> = checks.collect();
    let verified = verifie(&table, &checks, control)?;
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
