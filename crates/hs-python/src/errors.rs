//! Errors of the core as Python exceptions. The classes themselves are in `headstart/errors.py`.

use hs_core::{Control, Error, ErrorKind, Place};
use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyDict};

/// Every kind that reaches Python as a class of its own; an interruption is `KeyboardInterrupt`.
const KINDS: [ErrorKind; 14] = [
    ErrorKind::Missing,
    ErrorKind::Exists,
    ErrorKind::Io,
    ErrorKind::Format,
    ErrorKind::Sheet,
    ErrorKind::Column,
    ErrorKind::Argument,
    ErrorKind::Type,
    ErrorKind::Merge,
    ErrorKind::Credentials,
    ErrorKind::Query,
    ErrorKind::Service,
    ErrorKind::Cap,
    ErrorKind::Internal,
];

/// The words of all kinds, so that the Python table of classes can be checked against them.
#[pyfunction]
pub fn error_kinds() -> Vec<&'static str> {
    KINDS.iter().map(|kind| kind.word()).collect()
}

/// The Python exception for an error of the core, with its message, place and hint.
pub fn raise(py: Python<'_>, error: &Error) -> PyErr {
    if error.kind() == ErrorKind::Interrupted {
        return PyKeyboardInterrupt::new_err(());
    }
    let made = exception(py, error);
    made.unwrap_or_else(|_| PyRuntimeError::new_err(error.to_string()))
}

/// Tells with an interruption what there is to say of it, such as what became of a job elsewhere.
pub fn add_note(py: Python<'_>, interruption: &PyErr, error: &Error) {
    if error.kind() == ErrorKind::Interrupted && error.message() != Control::STOPPED {
        // Without the note it is an interruption all the same.
        drop(
            interruption
                .value(py)
                .call_method1("add_note", (error.message(),)),
        );
    }
}

fn exception(py: Python<'_>, error: &Error) -> PyResult<PyErr> {
    let factory = py.import("headstart.errors")?.getattr("from_native")?;
    let figures = error.figures().iter().copied().into_py_dict(py)?;
    let value = factory.call1((
        error.kind().word(),
        error.message(),
        error.place().to_string(),
        place(py, error.place())?,
        error.hint_text(),
        figures,
    ))?;
    Ok(PyErr::from_value(value))
}

/// A place as a dict that holds only what is known.
pub fn place<'py>(py: Python<'py>, place: &Place) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    let texts = [
        ("source", &place.source),
        ("sheet", &place.sheet),
        ("column", &place.column),
    ];
    for (name, text) in texts {
        if let Some(text) = text {
            dict.set_item(name, text)?;
        }
    }
    for (name, number) in [("row", place.row), ("byte", place.byte)] {
        if let Some(number) = number {
            dict.set_item(name, number)?;
        }
    }
    Ok(dict)
}
