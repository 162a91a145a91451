//! interroge for Python.

use std::time::Duration;

use hs_bigquery::{Cap, InterrogeOptions, Price};
use pyo3::prelude::*;

use crate::table::Table;
use crate::work;

/// How long Ctrl-C waits for BigQuery to take a cancellation.
const GRACE: Duration = Duration::from_secs(10);

/// What the dry run says: statement, bytes, accuracy, tables, location.
type Estimate = (String, u64, &'static str, Vec<String>, Option<String>);

/// Asks BigQuery; the rows, where the query ran and has some, the lines for the user, and what the dry run says.
#[pyfunction]
pub fn interroge(
    py: Python<'_>,
    sql: String,
    cap: Option<String>,
    price: Option<f64>,
) -> PyResult<(Option<Table>, Vec<String>, Estimate)> {
    let answer = work::run_with_grace(py, GRACE, move |control| {
        let options = InterrogeOptions {
            cap: cap.as_deref().map(Cap::parse).transpose()?,
            price: price.map(Price::new).transpose()?,
        };
        hs_bigquery::interroge(&sql, &options, control)
    })?;
    let estimate = answer.estimate;
    let estimate = (
        estimate.statement,
        estimate.bytes,
        estimate.accuracy.word(),
        estimate.tables,
        estimate.location,
    );
    let lines = answer.notes.into_iter().map(|note| note.text).collect();
    let table = answer.run.and_then(|run| run.table);
    Ok((table.map(Table::from), lines, estimate))
}
