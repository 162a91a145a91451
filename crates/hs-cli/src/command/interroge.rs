//! `hs interroge`: a question to BigQuery, its dry run first.

use std::sync::Arc;

use hs_bigquery::{Cap, InterrogeOptions, Price, interroge, stop_on_interrupt};
use hs_core::Control;

use crate::args::InterrogeArgs;
use crate::exit::Failure;
use crate::output::{Answer, Output};
use crate::{interrupts, query};

/// Runs the command.
///
/// # Errors
/// Whatever keeps the query from being read, understood, allowed or run.
pub fn run(args: &InterrogeArgs, control: &Arc<Control>, output: &Output) -> Result<(), Failure> {
    let options = InterrogeOptions {
        cap: args.cap.as_deref().map(Cap::parse).transpose()?,
        price: args.price.map(Price::new).transpose()?,
        without_bytes: !output.holds_bytes(),
    };
    let sql = query::text(args.sql.as_deref(), args.file.as_deref())?;
    if options.cap.is_some() {
        output.refuse_unwritable()?;
    }
    interrupts::are_handled();
    stop_on_interrupt(control, || {
        crate::exit::at_once("a query that runs may go on, billed at most its cap");
    });
    let answer = interroge(&sql, &options, control)?;
    let summary = answer.summary()?;
    let lines: Vec<String> = answer
        .notes
        .iter()
        .map(|note| note.told(hs_core::Face::Shell))
        .collect();
    match answer.run.and_then(|run| run.table) {
        Some(mut table) => {
            table.notes = answer.notes;
            output.give(&Answer::Loaded(&table)).map_err(billed)
        }
        None => output.give(&Answer::Told {
            table: &summary,
            lines: &lines,
        }),
    }
}

/// What cannot be written was billed all the same.
fn billed(failure: Failure) -> Failure {
    let Failure::Error(error) = failure else {
        return failure;
    };
    Failure::Error(
        error.also(
            "the query ran and is billed; the same again is free for a day, if the cache has it",
        ),
    )
}
