//! The shell command from Python: the wheel's scripts call the same code as the native binary.

use std::ffi::OsString;
use std::path::PathBuf;

use hs_cli::Inside;
use pyo3::prelude::*;

/// Runs the command line (program name first) and returns its exit code.
#[pyfunction]
pub fn run(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| hs_cli::run_inside(arguments, &inside))
}

/// This Python. Only looks for ipykernel: importing it would take longer than most commands.
fn inside() -> Option<Inside> {
    let ask = |py: Python<'_>| -> PyResult<Inside> {
        let python: PathBuf = py.import("sys")?.getattr("executable")?.extract()?;
        let found = py
            .import("importlib.util")?
            .call_method1("find_spec", ("ipykernel",))?;
        Ok(Inside {
            python,
            has_kernel: !found.is_none(),
        })
    };
    // A program that Python is embedded in has no executable of Python.
    Python::attach(ask)
        .ok()
        .filter(|inside| inside.python.is_absolute())
}
