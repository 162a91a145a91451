//! `hs doctor`: what is installed, and whether everything is set that BigQuery needs.

use hs_bigquery::{Checked, doctor};
use hs_core::Table;
use polars::prelude::{DataFrame, NamedFrom, Series};

use crate::exit::Failure;
use crate::output::{Answer, Output};

/// Runs the command.
///
/// # Errors
/// When the answer cannot be written.
pub fn run(output: &Output) -> Result<(), Failure> {
    let mut checks = vec![Checked {
        name: "headstart",
        ok: true,
        found: env!("CARGO_PKG_VERSION").to_owned(),
    }];
    checks.extend(doctor());
    let lines: Vec<String> = checks
        .iter()
        .map(|check| {
            let word = if check.ok { "ok" } else { "--" };
            format!("{word} {}: {}", check.name, check.found)
        })
        .collect();
    let names: Vec<&str> = checks.iter().map(|check| check.name).collect();
    let oks: Vec<bool> = checks.iter().map(|check| check.ok).collect();
    let found: Vec<&str> = checks.iter().map(|check| check.found.as_str()).collect();
    let columns = [
        Series::new("check".into(), names),
        Series::new("ok".into(), oks),
        Series::new("found".into(), found),
    ];
    let columns = columns.into_iter().map(Into::into).collect();
    let frame = DataFrame::new(checks.len(), columns).map_err(|error| {
        hs_core::Error::new(hs_core::ErrorKind::Internal, "checks of different numbers")
            .because(error)
    })?;
    output.give(&Answer::Told {
        table: &Table::new(frame),
        lines: &lines,
    })
}
