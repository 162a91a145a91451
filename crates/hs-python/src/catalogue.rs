//! The catalogue for Python: what the parity test compares all layers with.

use hs_core::op::catalogue;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// All functions: dicts of `name`, `alias`, `summary` and `parameters` (dicts of `name`, `default`).
#[pyfunction]
pub fn functions(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    catalogue::functions()
        .into_iter()
        .map(|function| {
            let parameters = function
                .parameters
                .into_iter()
                .map(|parameter| {
                    let dict = PyDict::new(py);
                    dict.set_item("name", parameter.name)?;
                    dict.set_item("default", parameter.default)?;
                    Ok(dict)
                })
                .collect::<PyResult<Vec<_>>>()?;
            let dict = PyDict::new(py);
            dict.set_item("name", function.name)?;
            dict.set_item("alias", function.alias)?;
            dict.set_item("summary", function.summary)?;
            dict.set_item("parameters", parameters)?;
            Ok(dict)
        })
        .collect()
}
