//! The shell command from Python: the wheel's scripts call the same code as the native binary.

use std::ffi::OsString;

use pyo3::prelude::*;

/// Runs the command line (program name first) and returns its exit code.
#[pyfunction]
pub fn run(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| hs_cli::run(arguments))
}
