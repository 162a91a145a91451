//! compare for Python.

use std::sync::Arc;

use hs_core::op::{
    self,
    compare::{CompareOptions, Tolerance},
};
use pyo3::prelude::*;

use crate::rows::Rows;
use crate::table::Table;
use crate::work;

/// A tolerance as Python gives it.
#[derive(FromPyObject)]
pub enum Size {
    /// For all columns of numbers.
    All(f64),
    /// For these columns.
    Columns(Vec<(String, f64)>),
}

/// What differs, and where the values of the result come from, for frames that have a library of their own.
#[pyclass(frozen, module = "headstart")]
pub struct Compared(op::compare::Compared, Arc<hs_core::Table>);

#[pymethods]
impl Compared {
    /// The result.
    #[getter]
    fn table(&self) -> Table {
        Table(Arc::clone(&self.1))
    }

    /// The rows of a and of b that stand in the result's rows.
    #[getter]
    fn rows(&self) -> (Rows, Rows) {
        let [left, right] = &self.0.rows;
        (Rows(left.clone()), Rows(right.clone()))
    }

    /// How many rows only b has; they come last.
    #[getter]
    fn only_b(&self) -> usize {
        self.0.only_b
    }

    /// The rows of a in the result, then those that only b has: where the keys come from.
    #[getter]
    fn keyed(&self) -> (Rows, Rows) {
        let [left, right] = &self.0.rows;
        let (all, only) = (self.1.height(), self.0.only_b);
        (
            Rows(left.slice(0, all - only)),
            Rows(right.slice(all - only, only)),
        )
    }

    /// Positions of the keys in a and b.
    #[getter]
    fn keys(&self) -> Vec<(usize, usize)> {
        let [left, right] = &self.0.keys;
        left.iter().copied().zip(right.iter().copied()).collect()
    }

    /// Positions in a and b of the columns that differ.
    #[getter]
    fn columns(&self) -> Vec<(usize, usize)> {
        let columns = self.0.columns.iter();
        columns.map(|[left, right]| (*left, *right)).collect()
    }
}

/// Compares two tables row by row, by the columns of the key.
#[pyfunction]
#[pyo3(signature = (a, b, key, *, tol, rtol, ignore, only))]
#[expect(
    clippy::too_many_arguments,
    reason = "one for each of the function's, which Python names"
)]
pub fn compare(
    py: Python<'_>,
    a: &Table,
    b: &Table,
    key: Vec<String>,
    tol: Option<Size>,
    rtol: Option<Size>,
    ignore: Vec<String>,
    only: Option<Vec<String>>,
) -> PyResult<Compared> {
    let tolerance = |size: Option<Size>| {
        size.map(|size| match size {
            Size::All(size) => Tolerance::All(size),
            Size::Columns(columns) => Tolerance::Columns(columns),
        })
    };
    let (a, b) = (Arc::clone(&a.0), Arc::clone(&b.0));
    let options = CompareOptions {
        tol: tolerance(tol),
        rtol: tolerance(rtol),
        ignore,
        only,
    };
    work::run(py, move |control| {
        let compared = op::compare::compare(&a, &b, &key, &options, control)?;
        let table = Arc::new(compared.table.clone());
        Ok(Compared(compared, table))
    })
}
