//! combien for Python.

use std::sync::Arc;

use hs_core::op::{self, combien::CombienOptions, named};
use pyo3::prelude::*;

use crate::errors;
use crate::rows::Rows;
use crate::table::Table;
use crate::work;

/// The positions of the columns that a key names, each once.
#[pyfunction]
#[expect(
    clippy::needless_pass_by_value,
    reason = "lists come from Python by value"
)]
pub fn key_columns(py: Python<'_>, names: Vec<String>, key: Vec<String>) -> PyResult<Vec<usize>> {
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    named::columns(&names, &key, "key").map_err(|error| errors::raise(py, &error))
}

/// The groups of the rows by the columns at the positions, and the first row of each.
#[pyfunction]
pub fn combien(
    py: Python<'_>,
    table: &Table,
    key: Vec<usize>,
    n: Option<usize>,
) -> PyResult<(Table, Rows)> {
    let table = Arc::clone(&table.0);
    let options = CombienOptions { n };
    work::run(py, move |control| {
        let counted = op::combien::combien(&table, &key, options, control)?;
        let rows = op::rows::Rows::of(counted.rows, table.height());
        Ok((Table::from(counted.table), Rows(rows)))
    })
}
