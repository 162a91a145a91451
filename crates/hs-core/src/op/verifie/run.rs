//! Runs checks on a table: aggregates first, then every row.

use rayon::prelude::*;

use super::aggregate::{aggregate, columns};
use super::batch::{Batch, ROWS, shown};
use super::check::{Check, read};
use super::compile::Compiled;
use super::evaluate::{Evaluator, Trouble};
use super::outcome::{Outcome, Verified, trouble_notes};
use super::vector::Vector;
use crate::control::Control;
use crate::error::{Error, ErrorKind, Result};
use crate::op::montre::cell;
use crate::table::Table;
use crate::text;

/// Failing rows that a reason shows.
const SHOWN: usize = 3;
/// How wide a value in a reason may get, in terminal cells.
const WIDTH: usize = 40;
/// Values of a row that a reason shows.
const VALUES: usize = 6;

/// Checks conditions on a table.
///
/// A check is `name=condition` or a condition alone, in SQL; see `docs/verifie.md`. One that looks at
/// columns must hold on every row; a row where it is unknown, because a value is missing, fails. One
/// of aggregates or literals gives one truth. With no rows the first kind holds.
///
/// ```
/// use hs_core::{Control, Table, op::verifie::verifie};
/// use polars::prelude::{Column, DataFrame};
/// let frame = DataFrame::new(3, vec![Column::new("n".into(), [1i64, -2, 3])]).unwrap();
/// let checks = ["positive=n > 0".to_owned(), "count(*) = 3".to_owned()];
/// let verified = verifie(&Table::new(frame), &checks, &Control::default())?;
/// assert_eq!(
///     verified.lines(),
///     ["FAIL positive: 1 of 3 rows fails: row 1 (n -2)", "ok count(*) = 3"]
/// );
/// # Ok::<(), hs_core::Error>(())
/// ```
///
/// # Errors
/// [`crate::ErrorKind::Argument`] for no checks and for what is no condition;
/// [`crate::ErrorKind::Column`] and [`crate::ErrorKind::Type`] for unknown columns and types that do
/// not go together; [`crate::ErrorKind::Interrupted`] on a stop request. All checks are read before
/// the first is run.
pub fn verifie(table: &Table, checks: &[String], control: &Control) -> Result<Verified> {
    let checks = read_all(table, checks)?;
    let mut outcomes = Vec::with_capacity(checks.len());
    let mut notes = Vec::new();
    for check in checks {
        let (outcome, trouble) = run(table, &check, control)?;
        notes.extend(trouble_notes(&check.name, &trouble));
        outcomes.push(outcome);
    }
    Ok(Verified { outcomes, notes })
}

/// Stack for reading: a parser of SQL takes a lot for each level, and its tree for each operator.
const STACK: usize = 64 << 20;

/// Reads all checks, on a thread whose stack is large enough for any that the limits let through.
fn read_all(table: &Table, checks: &[String]) -> Result<Vec<Check>> {
    let checks = read_each(table, checks)?;
    for (number, check) in checks.iter().enumerate() {
        if checks[..number]
            .iter()
            .any(|other| other.name == check.name)
        {
            let message = format!(
                "expected a name for each check, found {:?} twice",
                check.name
            );
            return Err(Error::new(ErrorKind::Argument, message)
                .hint("write each check as 'name=condition', with a name of its own"));
        }
    }
    Ok(checks)
}

fn read_each(table: &Table, checks: &[String]) -> Result<Vec<Check>> {
    let fault = || {
        Error::new(
            ErrorKind::Internal,
            "headstart itself failed on a condition",
        )
    };
    std::thread::scope(|scope| {
        let reader = std::thread::Builder::new().stack_size(STACK);
        let work = || checks.iter().map(|written| read(table, written)).collect();
        let reading = reader
            .spawn_scoped(scope, work)
            .map_err(|error| fault().because(error))?;
        reading.join().map_err(|_| fault())?
    })
}

/// The rows of a batch, or of all, for which a condition does not hold.
#[derive(Default)]
struct Failed {
    wrong: u64,
    unknown: u64,
    first: Vec<usize>,
    trouble: Trouble,
}

fn run(table: &Table, check: &Check, control: &Control) -> Result<(Outcome, Trouble)> {
    let condition = &check.condition;
    let mut trouble = Trouble::default();
    let mut values = Vec::with_capacity(condition.aggregates.len());
    for wanted in &condition.aggregates {
        let (value, odd) = aggregate(table, wanted, control)?;
        values.push(value);
        trouble.join(odd);
    }
    let summaries: Vec<String> = condition
        .aggregates
        .iter()
        .zip(&values)
        .map(|(wanted, value)| format!("{} is {}", wanted.label, shown(value, wanted.kind)))
        .collect();
    let outcome = |holds, failed, reason| Outcome {
        name: check.name.clone(),
        holds,
        failed,
        reason,
    };
    if condition.columns.is_empty() {
        let batch = Batch::one_row();
        let mut evaluator = Evaluator {
            batch: &batch,
            aggregates: &values,
            trouble: Trouble::default(),
        };
        let truth = evaluator.values(&condition.node, None).truth(0);
        trouble.join(evaluator.trouble);
        let summaries = summaries.join(", ");
        let reason = match truth {
            Some(true) => return Ok((outcome(true, None, None), trouble)),
            Some(false) if summaries.is_empty() => "it is false".to_owned(),
            None if summaries.is_empty() => "it is null".to_owned(),
            Some(false) => summaries,
            None => format!("it is null: {summaries}"),
        };
        return Ok((outcome(false, None, Some(reason)), trouble));
    }
    let failed = rows(table, condition, &values, control)?;
    trouble.join(failed.trouble);
    let height = table.height() as u64;
    if height == 0 {
        return Ok((outcome(true, Some(0), Some("0 rows".to_owned())), trouble));
    }
    let count = failed.wrong + failed.unknown;
    if count == 0 {
        return Ok((outcome(true, Some(0), None), trouble));
    }
    let reason = reason(table, condition, &failed, &summaries);
    Ok((outcome(false, Some(count), Some(reason)), trouble))
}

fn rows(
    table: &Table,
    condition: &Compiled,
    values: &[Vector<'static>],
    control: &Control,
) -> Result<Failed> {
    let mut positions = Vec::new();
    columns(&condition.node, &mut positions);
    let starts: Vec<usize> = (0..table.height()).step_by(ROWS).collect();
    let parts: Vec<Failed> = starts
        .into_par_iter()
        .map(|start| {
            control.check()?;
            let batch = Batch::new(table, &positions, start);
            let mut evaluator = Evaluator {
                batch: &batch,
                aggregates: values,
                trouble: Trouble::default(),
            };
            let truths = evaluator.values(&condition.node, None);
            let mut failed = Failed {
                trouble: evaluator.trouble,
                ..Failed::default()
            };
            for row in 0..batch.rows {
                match truths.truth(row) {
                    Some(true) => continue,
                    Some(false) => failed.wrong += 1,
                    None => failed.unknown += 1,
                }
                if failed.first.len() < SHOWN {
                    failed.first.push(start + row);
                }
            }
            Ok(failed)
        })
        .collect::<Result<_>>()?;
    let mut whole = Failed::default();
    for part in parts {
        whole.wrong += part.wrong;
        whole.unknown += part.unknown;
        whole.trouble.join(part.trouble);
        whole.first.extend(part.first);
        whole.first.truncate(SHOWN);
    }
    Ok(whole)
}

fn reason(table: &Table, condition: &Compiled, failed: &Failed, summaries: &[String]) -> String {
    let count = failed.wrong + failed.unknown;
    let of = text::counted(table.height() as u64, "row");
    let fails = if count == 1 { "fails" } else { "fail" };
    let odd = failed.trouble.zero.count + failed.trouble.overflow.count > 0;
    let why = if condition.null_in_list {
        "because a value is missing, or for the NULL in the list of IN"
    } else if odd {
        "because a value is missing or has no result"
    } else {
        "because a value is missing"
    };
    let missing = match (failed.unknown, failed.wrong) {
        (0, _) => String::new(),
        (1, 0) => format!(", {why}"),
        (_, 0) => format!(", all {why}"),
        (unknown, _) => format!(", {} of them {why}", text::count(unknown)),
    };
    let shown: Vec<String> = failed
        .first
        .iter()
        .map(|row| {
            let cells = condition.columns.iter().take(VALUES).map(|position| {
                let info = &table.columns()[*position];
                let column = &table.frame().columns()[*position];
                let value = column.get(*row).unwrap_or_default();
                let cell = cell::typed(&value, info.kind, WIDTH);
                format!("{} {cell}", cell::name(&info.name, WIDTH))
            });
            let more = if condition.columns.len() > VALUES {
                ", ..."
            } else {
                ""
            };
            let cells = cells.collect::<Vec<_>>().join(", ");
            format!("row {} ({cells}{more})", text::count(*row as u64))
        })
        .collect();
    let more = if count > failed.first.len() as u64 {
        ", ..."
    } else {
        ""
    };
    let summaries = if summaries.is_empty() {
        String::new()
    } else {
        format!("; {}", summaries.join(", "))
    };
    format!(
        "{} of {of} {fails}{missing}: {}{more}{summaries}",
        text::count(count),
        shown.join(", ")
    )
}
