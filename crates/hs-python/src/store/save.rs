//! A checkpoint in the making, for Python.

use std::collections::BTreeMap;

use bytes::Bytes;
use hs_kernel::store::{self, About, Memory};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyDict};

use super::buffers::Lent;
use super::error::{raise, run};
use super::opened::{described, stored};

/// A checkpoint in the making. Without a commit nothing comes of it.
#[pyclass(module = "headstart._headstart")]
pub struct Save(Option<store::Save>);

impl Save {
    pub fn new(save: store::Save) -> Self {
        Self(Some(save))
    }

    fn open(&mut self) -> PyResult<&mut store::Save> {
        self.0.as_mut().ok_or_else(over)
    }
}

fn over() -> PyErr {
    PyValueError::new_err("this save is over; begin another one")
}

fn about(text: &str) -> PyResult<About> {
    serde_json::from_str(text).map_err(|error| {
        let text = format!(
            "about: expected JSON with session, cell, skipped, startup or extra, found {error}"
        );
        PyValueError::new_err(text)
    })
}

#[pymethods]
impl Save {
    /// Takes a group of an earlier checkpoint over as it is: the dict that `add` or `Store.groups` gave.
    fn reuse(&mut self, py: Python<'_>, group: &Bound<'_, PyDict>) -> PyResult<()> {
        let save = self.open()?;
        save.reuse(&stored(group)?)
            .map_err(|error| raise(py, &error))
    }

    /// Adds values that were pickled together, and gives their group as a dict; their memory may change afterwards.
    fn add<'py>(
        &mut self,
        py: Python<'py>,
        names: Vec<String>,
        types: BTreeMap<String, String>,
        one: bool,
        pickle: &Bound<'py, PyAny>,
        buffers: Vec<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let save = self.open()?;
        let text;
        let pickle = if let Ok(bytes) = pickle.cast::<PyBytes>() {
            // Bytes never change, so they need no copy.
            Memory::Frozen(Bytes::from_owner(PyBackedBytes::from(bytes.clone())))
        } else {
            text = Lent::of(pickle)?;
            Memory::Live(text.bytes())
        };
        let lent: Vec<Lent> = buffers
            .into_iter()
            .map(|one| Lent::of(&one))
            .collect::<PyResult<_>>()?;
        let buffers: Vec<&[u8]> = lent.iter().map(Lent::bytes).collect();
        let group = run(py, || save.add(names, types, one, pickle, &buffers))?;
        described(py, group)
    }

    /// Puts it on the disk and makes it visible.
    #[pyo3(signature = (about = "{}"))]
    fn commit(&mut self, py: Python<'_>, about: &str) -> PyResult<()> {
        let about = self::about(about)?;
        let save = self.0.take().ok_or_else(over)?;
        run(py, || save.commit(about))
    }

    /// The same on a thread of the store; `done` is called there with nothing, or with what went wrong.
    fn commit_in_background(
        &mut self,
        py: Python<'_>,
        about: &str,
        done: Py<PyAny>,
    ) -> PyResult<()> {
        let about = self::about(about)?;
        let save = self.0.take().ok_or_else(over)?;
        let tell = move |saved: store::Result<()>| {
            // Without an interpreter, at its end, there is nobody to tell.
            Python::try_attach(|py| {
                let error = saved.err().map(|error| raise(py, &error).into_value(py));
                if let Err(fault) = done.call1(py, (error,)) {
                    fault.write_unraisable(py, Some(done.bind(py)));
                }
                drop(done);
            });
        };
        run(py, || save.commit_in_background(about, tell))
    }

    /// Gives it up.
    fn abort(&mut self, py: Python<'_>) {
        let save = self.0.take();
        py.detach(|| drop(save));
    }
}
