//! The class `Table`: a table of the core as Python sees it when no frame library is wanted.

use std::sync::Arc;

use hs_core::op::explain;
use hs_core::op::montre::MontreOptions;
use hs_core::{ColumnInfo, Error, ErrorKind, Note};
use pyo3::exceptions::{PyAttributeError, PyIndexError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyList};

use crate::capsule;
use crate::errors;
use crate::flat::{self, FlatColumn, Plain};
use crate::montre;
use crate::to_python;
use crate::work;

/// Width of `repr` in characters.
const WIDTH: usize = 100;
/// What does more with a table than look at it.
const LIBRARIES: &str = "table.to_dicts() gives its rows as dicts; with pandas, polars or pyarrow installed you get a frame \
                         of that library: pip install pandas";

/// A table that no frame library holds. Any Arrow library takes it as it is
/// (`polars.DataFrame(table)`, `pyarrow.table(table)`).
#[pyclass(frozen, module = "headstart")]
pub struct Table(pub Arc<hs_core::Table>);

impl From<hs_core::Table> for Table {
    fn from(table: hs_core::Table) -> Self {
        Self(Arc::new(table))
    }
}

#[pymethods]
impl Table {
    /// A table from any object with `__arrow_c_stream__` or `__arrow_c_array__`. When `flat`, texts may
    /// stay as they lie, which only the writers of parquet and arrow take.
    #[staticmethod]
    #[pyo3(signature = (source, *, flat=false))]
    fn from_arrow(py: Python<'_>, source: &Bound<'_, PyAny>, flat: bool) -> PyResult<Self> {
        capsule::to_table(py, source, flat).map(Self::from)
    }

    /// One table of `height` rows from tables of one column each, under new names that may repeat.
    #[staticmethod]
    fn side_by_side(
        py: Python<'_>,
        height: usize,
        names: Vec<String>,
        tables: Vec<PyRef<'_, Self>>,
    ) -> PyResult<Self> {
        let mut notes: Vec<Note> = Vec::new();
        let mut columns = Vec::with_capacity(tables.len());
        let mut exact = Vec::new();
        for (name, table) in names.into_iter().zip(tables) {
            let forms = table.0.exact(0).cloned();
            exact.extend(forms.map(|forms| (columns.len(), forms)));
            notes.extend(table.0.notes.iter().cloned());
            columns.extend(table.0.iter().next().map(|(info, column)| {
                let kind = info.kind;
                (ColumnInfo { name, kind }, column.clone())
            }));
        }
        let table = work::here(py, || {
            let mut table = hs_core::Table::from_columns(height, columns)?;
            table.notes = notes;
            for (index, forms) in exact {
                table.set_exact(index, forms);
            }
            Ok(table)
        })?;
        Ok(Self::from(table))
    }

    /// Only the columns at these positions.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "lists come from Python by value"
    )]
    fn pick(&self, py: Python<'_>, positions: Vec<usize>) -> PyResult<Self> {
        let table = work::here(py, || self.0.pick(&positions))?;
        Ok(Self::from(table))
    }

    /// Rows and columns.
    #[getter]
    fn shape(&self) -> (usize, usize) {
        (self.0.height(), self.0.width())
    }

    /// Column names; they may repeat.
    #[getter]
    fn columns(&self) -> Vec<String> {
        let columns = self.0.columns().iter();
        columns.map(|column| column.name.clone()).collect()
    }

    /// What each column holds, in the words that `decris` uses.
    #[getter]
    fn types(&self) -> Vec<&'static str> {
        let columns = self.0.columns().iter();
        columns.map(|column| column.kind.word()).collect()
    }

    /// What there is to say about the table: dicts with topic, text, count, place.
    #[getter]
    fn notes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        notes(py, &self.0.notes)
    }

    /// Where the table came from: name, format, part; only what is known.
    #[getter]
    fn origin<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let origin = &self.0.origin;
        let dict = PyDict::new(py);
        if !origin.name.is_empty() {
            dict.set_item("name", &origin.name)?;
        }
        if let Some(format) = origin.format {
            dict.set_item("format", format.name())?;
        }
        if let Some(part) = &origin.part {
            dict.set_item("part", part)?;
        }
        Ok(dict)
    }

    /// How the table was read: facts about the file by name, and for its columns `types` and `why`;
    /// empty for a table that came from no file.
    #[getter]
    fn explanation<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        if self.0.origin.format.is_none() && self.0.explanation.reasons.is_empty() {
            return Ok(dict);
        }
        for (name, fact) in &self.0.explanation.facts {
            dict.set_item(*name, to_python::value(py, fact)?)?;
        }
        // Flat, because pandas copies its attrs with every step.
        let (types, reasons) = (PyDict::new(py), PyDict::new(py));
        for (position, column) in self.0.frame().columns().iter().enumerate() {
            types.set_item(
                column.name().as_str(),
                self.0.columns()[position].kind.word(),
            )?;
            reasons.set_item(column.name().as_str(), explain::why(&self.0, position))?;
        }
        dict.set_item("types", types)?;
        dict.set_item("why", reasons)?;
        Ok(dict)
    }

    /// The notes as lines for the user, at most six.
    fn account(&self) -> Vec<String> {
        self.0.account()
    }

    /// The values of the column at `position` as Python objects.
    fn column_values<'py>(&self, py: Python<'py>, position: usize) -> PyResult<Bound<'py, PyList>> {
        let columns = self.0.frame().columns();
        let column = columns
            .get(position)
            .ok_or_else(|| PyIndexError::new_err(format!("no column at {position}")))?;
        to_python::column(py, column)
    }

    /// Each column as buffers for `numpy.asarray`: values, and a mask of what is missing where the
    /// values cannot say it; `None` for columns without such a form.
    fn flat(&self, py: Python<'_>) -> PyResult<Vec<Option<FlatColumn>>> {
        let table = Arc::clone(&self.0);
        work::run(py, move |control| flat::columns(&table, control))
    }

    /// The columns at the positions for Arrow libraries that want text as `large_string`.
    fn plain(slf: Bound<'_, Self>, positions: Vec<usize>) -> Plain {
        Plain::of(slf.unbind(), positions)
    }

    /// One dict for each row. A name that repeats is made unique (`a`, `a.1`).
    fn to_dicts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let frame = self.0.frame();
        let mut columns = Vec::with_capacity(frame.width());
        for column in frame.columns() {
            columns.push((column.name().as_str(), to_python::column(py, column)?));
        }
        let rows = PyList::empty(py);
        for row in 0..frame.height() {
            let dict = PyDict::new(py);
            for (name, values) in &columns {
                dict.set_item(name, values.get_item(row)?)?;
            }
            rows.append(dict)?;
        }
        Ok(rows)
    }

    /// An Arrow C stream of record batches; the requested schema is a wish that is not granted.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        capsule::from_table(py, &self.0)
    }

    fn __len__(&self) -> usize {
        self.0.height()
    }

    /// Always an error, which says what does this.
    fn __getitem__(slf: &Bound<'_, Self>, _key: &Bound<'_, PyAny>) -> PyResult<()> {
        let message = "expected a frame to take rows and columns of, found a plain headstart table";
        let error = Error::new(ErrorKind::Type, message).hint(LIBRARIES);
        Err(errors::raise(slf.py(), &error))
    }

    /// The error for what a table does not have; Python asks for nothing else here.
    fn __getattr__(_slf: &Bound<'_, Self>, name: &str) -> PyResult<()> {
        let mut text = format!("a headstart table has no {name}");
        // Libraries look for names with `_`, people for others.
        if !name.starts_with('_') {
            text = format!("{text}\nhint: {LIBRARIES}");
        }
        Err(PyAttributeError::new_err(text))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        montre::montre(py, self, MontreOptions::default().n, WIDTH, None)
    }
}

/// Notes as a list of plain dicts.
///
/// # Errors
/// Only when Python runs out of memory.
pub fn notes<'py>(py: Python<'py>, notes: &[Note]) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(py);
    for note in notes {
        let dict = PyDict::new(py);
        dict.set_item("topic", note.topic.word())?;
        dict.set_item("text", &note.text)?;
        if let Some(count) = note.count {
            dict.set_item("count", count)?;
        }
        if !note.place.is_empty() {
            dict.set_item("place", errors::place(py, &note.place)?)?;
        }
        list.append(dict)?;
    }
    Ok(list)
}
