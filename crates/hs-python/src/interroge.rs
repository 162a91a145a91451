//! interroge for Python.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hs_bigquery::{Cap, InterrogeOptions, Price, Settings, interroge_with};
use pyo3::prelude::*;

use crate::table::Table;
use crate::work;

/// How long Ctrl-C waits for BigQuery to take a cancellation.
const GRACE: Duration = Duration::from_secs(10);

/// What the dry run says: statement, bytes, accuracy, tables, location.
type Estimate = (String, u64, &'static str, Vec<String>, Option<String>);

/// Asks BigQuery; the rows, where the query ran and has some, the lines for the user, and rows that were changed.
///
/// `estimated` is called with what the dry run says as soon as it is known, also when the query is refused or fails
/// afterwards.
#[pyfunction]
pub fn interroge(
    py: Python<'_>,
    sql: String,
    cap: Option<String>,
    price: Option<f64>,
    estimated: &Bound<'_, PyAny>,
) -> PyResult<(Option<Table>, Vec<String>)> {
    let held: Arc<Mutex<Option<Estimate>>> = Arc::default();
    let theirs = Arc::clone(&held);
    let asked = work::run_with_grace(py, GRACE, move |control| {
        let options = InterrogeOptions {
            cap: cap.as_deref().map(Cap::parse).transpose()?,
            price: price.map(Price::new).transpose()?,
            without_bytes: false,
        };
        let settings = Settings::from_environment()?;
        interroge_with(&settings, &sql, &options, control, &mut |estimate| {
            *theirs.lock().unwrap_or_else(PoisonError::into_inner) = Some((
                estimate.statement.clone(),
                estimate.bytes,
                estimate.accuracy.word(),
                estimate.tables.clone(),
                estimate.location.clone(),
            ));
        })
    });
    let estimate = held.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(estimate) = estimate {
        estimated.call1(estimate)?;
    }
    let answer = asked?;
    let lines = answer.notes.iter().map(|note| note.text.clone()).collect();
    let table = answer.run.and_then(|run| run.table).map(|mut table| {
        table.notes = answer.notes;
        Table::from(table)
    });
    Ok((table, lines))
}
