//! joins for Python.

use std::sync::Arc;

use hs_core::op::joins::{self as op, How, Named, Validate};
use hs_core::{Error, Face, Place, note, table};
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::errors;
use crate::rows::Rows;
use crate::table::{self as tables, Table};
use crate::work;

/// How to join; made before the frames are looked at, so that a wrong word is told first.
#[pyclass(frozen, module = "headstart")]
pub struct JoinsOptions(op::JoinsOptions);

#[pymethods]
impl JoinsOptions {
    #[new]
    #[pyo3(signature = (how, validate, suffixes, match_missing))]
    fn new(
        py: Python<'_>,
        how: &str,
        validate: Option<&str>,
        suffixes: (Option<String>, Option<String>),
        match_missing: bool,
    ) -> PyResult<Self> {
        let raise = |error: Error| errors::raise(py, &error);
        Ok(Self(op::JoinsOptions {
            how: How::parse(how).map_err(raise)?,
            validate: validate.map(Validate::parse).transpose().map_err(raise)?,
            suffixes,
            match_missing,
        }))
    }
}

/// Which rows of two frames stand side by side.
#[pyclass(frozen, module = "headstart")]
pub struct Plan(op::Plan);

#[pymethods]
impl Plan {
    /// Rows of the left frame.
    #[getter]
    fn left(&self) -> Rows {
        Rows(self.0.left.clone())
    }

    /// Rows of the right frame; `None` where the result has none of its columns.
    #[getter]
    fn right(&self) -> Option<Rows> {
        self.0.right.clone().map(Rows)
    }

    /// The rows of the left frame without those that only the right one has.
    #[getter]
    fn front(&self) -> Rows {
        Rows(self.0.front())
    }

    /// The rows of the right frame that only it has.
    #[getter]
    fn back(&self) -> Rows {
        Rows(self.0.back())
    }

    /// Rows of the result.
    #[getter]
    fn height(&self) -> usize {
        self.0.height
    }

    /// How many of them, at the end, only the right frame has.
    #[getter]
    fn only_right(&self) -> usize {
        self.0.only_right
    }

    /// What there is to say: dicts as those of a table.
    #[getter]
    fn notes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        tables::notes(py, &self.0.notes)
    }

    /// The same as lines.
    fn account(&self) -> Vec<String> {
        note::lines(&self.0.notes, "", Face::Python)
    }
}

/// Plans the join of two frames from the columns of their keys.
#[pyfunction]
pub fn joins_plan(
    py: Python<'_>,
    left: &Table,
    right: &Table,
    options: &JoinsOptions,
) -> PyResult<Plan> {
    let (left, right) = (Arc::clone(&left.0), Arc::clone(&right.0));
    let options = options.0.clone();
    let plan = work::run(py, move |control| {
        op::plan(&left, &right, &options, control)
    })?;
    Ok(Plan(plan))
}

/// The positions of columns with their new names, and the lines about those.
type Renamed = (
    Vec<(usize, Option<String>)>,
    Vec<(usize, Option<String>)>,
    Vec<String>,
);

/// What the columns of two frames with these names are called in the result: positions with their new
/// names, `None` for those that keep theirs; and lines about names that were taken.
#[pyfunction]
#[expect(
    clippy::needless_pass_by_value,
    reason = "lists come from Python by value"
)]
pub fn joins_names(
    left: Vec<String>,
    right: Vec<String>,
    keys: Vec<(usize, usize)>,
    options: &JoinsOptions,
) -> Renamed {
    let named = op::names(&left, &right, &keys, &options.0);
    let pairs = |all: Vec<Named>| {
        all.into_iter()
            .map(|named| (named.position, named.name))
            .collect()
    };
    let lines = note::lines(&named.notes, "", Face::Python);
    (pairs(named.left), pairs(named.right), lines)
}

/// The join of two native tables.
#[pyfunction]
pub fn joins(
    py: Python<'_>,
    left: &Table,
    right: &Table,
    keys: Vec<(usize, usize)>,
    options: &JoinsOptions,
) -> PyResult<Table> {
    let (left, right) = (Arc::clone(&left.0), Arc::clone(&right.0));
    let options = options.0.clone();
    let joined = work::run(py, move |control| {
        op::joins(&left, &right, &keys, &options, control)
    })?;
    Ok(Table::from(joined))
}

/// One column of keys from two of different types, the second below the first.
#[pyfunction]
pub fn stack_keys(py: Python<'_>, left: &Table, right: &Table) -> PyResult<Table> {
    let (left, right) = (Arc::clone(&left.0), Arc::clone(&right.0));
    let stacked = work::run(py, move |control| op::stack_keys(&left, &right, control))?;
    Ok(Table::from(stacked))
}

/// Raises the error for a column that a frame does not have, with the close names.
#[pyfunction]
#[expect(
    clippy::needless_pass_by_value,
    reason = "lists come from Python by value"
)]
pub fn refuse_column(
    py: Python<'_>,
    frame: &str,
    wanted: &str,
    names: Vec<String>,
) -> PyResult<()> {
    let error = table::unknown_column(wanted, names.iter().map(String::as_str));
    Err(errors::raise(py, &error.at(Place::source(frame))))
}
