//! What is said of an object that has no form in a document.

use hs_core::{Error, ErrorKind, error};
use pyo3::prelude::*;

/// The error for an object of a class that documents have no form for.
pub fn foreign_class(object: &Bound<'_, PyAny>, path: &[String]) -> PyResult<Error> {
    let class = object.get_type().fully_qualified_name()?.to_string();
    let place = match path {
        [] => String::new(),
        path => format!("at {}: ", error::quoted(&path.join("."))),
    };
    let message =
        format!("{place}expected dicts, lists, text, numbers, bools, dates or None, found {class}");
    Ok(Error::new(ErrorKind::Type, message)
        .hint("turn it into one of those first, such as str(value)"))
}
