//! montre for Python: the view of a table as text.

use std::sync::Arc;

use hs_core::op::montre::{self as op, MontreOptions, Whole};
use pyo3::prelude::*;

use crate::table::Table;
use crate::work;

/// The view of a table: header, types, first and last rows; `width` is in characters. `whole` says that
/// the table is the ends of a longer one: its rows and bytes, whether it takes more memory, and the
/// columns whose type nobody knows.
#[pyfunction]
#[pyo3(signature = (table, n, width, whole=None))]
pub fn montre(
    py: Python<'_>,
    table: &Table,
    n: usize,
    width: usize,
    whole: Option<(usize, usize, bool, Vec<usize>)>,
) -> PyResult<String> {
    let table = Arc::clone(&table.0);
    work::run(py, move |_| {
        let view = match whole {
            None => op::montre(&table, MontreOptions { n }),
            Some((rows, bytes, more, unknown)) => {
                let whole = Whole {
                    rows,
                    bytes,
                    more,
                    unknown,
                };
                op::montre_ends(&table, &whole)
            }
        };
        Ok(hs_cli::render::view(&view, width, false))
    })
}
