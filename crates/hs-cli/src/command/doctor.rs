//! `hs doctor`: what is installed, which Python a kernel gets, whether everything is set that BigQuery needs, and what to do
//! where it is not.

use crate::exit::Failure;
use crate::inside::Running;
use crate::installed;
use crate::output::{Facts, Output};

/// Runs the command.
///
/// # Errors
/// When the answer cannot be written.
pub fn run(output: &Output, inside: Running<'_>) -> Result<(), Failure> {
    let mut checks = installed::checks(inside);
    checks.extend(hs_bigquery::doctor());
    let rows = checks.into_iter().map(|check| {
        let word = if check.ok { "ok" } else { "--" };
        Facts::new(format!("{word} {}: {}", check.name, check.found))
            .with("check", check.name)
            .with("ok", check.ok)
            .with("found", check.found)
    });
    output.give_facts(&rows.collect::<Vec<_>>())
}
