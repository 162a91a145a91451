//! Errors of the store as one Python exception, which says in `kind` what it is.

use hs_kernel::store::Error;
use pyo3::create_exception;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;

create_exception!(
    headstart._headstart,
    StoreError,
    PyException,
    "A checkpoint cannot be saved or read; `kind` says why in one word."
);

/// The exception for an error of the store.
pub fn raise(py: Python<'_>, error: &Error) -> PyErr {
    let raised = StoreError::new_err(error.to_string());
    match raised.value(py).setattr("kind", error.kind().word()) {
        Ok(()) => raised,
        Err(other) => other,
    }
}

/// Work of the store without the GIL.
pub fn run<T: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> hs_kernel::store::Result<T> + Send,
) -> PyResult<T> {
    py.detach(work).map_err(|error| raise(py, &error))
}
