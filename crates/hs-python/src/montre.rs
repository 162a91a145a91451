//! montre for Python: the view of a table as text.

use std::sync::Arc;

use hs_core::op::{self, montre::MontreOptions};
use pyo3::prelude::*;

use crate::table::Table;
use crate::work;

/// The view of a table: header, types, first and last rows; `width` is in characters.
#[pyfunction]
pub fn montre(py: Python<'_>, table: &Table, n: usize, width: usize) -> PyResult<String> {
    let table = Arc::clone(&table.0);
    work::run(py, move |_| {
        let view = op::montre::montre(&table, MontreOptions { n });
        Ok(hs_cli::render::view(&view, width, false))
    })
}
