//! decris for Python.

use std::sync::Arc;

use hs_core::op;
use pyo3::prelude::*;

use crate::table::Table;
use crate::work;

/// Describes every column of a table in one row.
#[pyfunction]
pub fn decris(py: Python<'_>, table: &Table) -> PyResult<Table> {
    let table = Arc::clone(&table.0);
    work::run(py, move |control| op::decris::decris(&table, control)).map(Table::from)
}
