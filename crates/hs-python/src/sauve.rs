//! sauve for Python.

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;

use hs_core::op::sauve::{self as op, Data, SauveOptions, Target};
use hs_core::{Control, Face, Result};
use pyo3::prelude::*;

use crate::errors;
use crate::from_python::Reader;
use crate::table::Table;
use crate::work;

/// The format that the name of a file asks for, before any data is looked at.
#[pyfunction]
#[expect(
    clippy::needless_pass_by_value,
    reason = "paths come from Python by value"
)]
pub fn saved_format(py: Python<'_>, path: PathBuf) -> PyResult<&'static str> {
    let target = Target::of(&path).map_err(|error| errors::raise(py, &error))?;
    Ok(target.format.name())
}

/// Saves a table, with midnights as days if so wished; the lines for the user.
#[pyfunction]
#[pyo3(signature = (path, table, *, sheet, overwrite, days))]
pub fn sauve(
    py: Python<'_>,
    path: PathBuf,
    table: &Table,
    sheet: Option<String>,
    overwrite: bool,
    days: bool,
) -> PyResult<Vec<String>> {
    let table = Arc::clone(&table.0);
    let options = SauveOptions { sheet, overwrite };
    work::run(py, move |control| {
        let table = with_days(&table, days)?;
        save(&path, Data::Table(&table), &options, control)
    })
}

/// Saves tables as the sheets of a workbook, each with midnights as days if so wished; the lines for the user.
#[pyfunction]
#[pyo3(signature = (path, sheets, *, sheet, overwrite))]
pub fn sauve_sheets(
    py: Python<'_>,
    path: PathBuf,
    sheets: Vec<(String, PyRef<'_, Table>, bool)>,
    sheet: Option<String>,
    overwrite: bool,
) -> PyResult<Vec<String>> {
    let sheets: Vec<(String, Arc<hs_core::Table>, bool)> = sheets
        .into_iter()
        .map(|(name, table, days)| (name, Arc::clone(&table.0), days))
        .collect();
    let options = SauveOptions { sheet, overwrite };
    work::run(py, move |control| {
        let tables: Vec<Cow<'_, hs_core::Table>> = sheets
            .iter()
            .map(|(_, table, days)| with_days(table, *days))
            .collect::<Result<_>>()?;
        let names = sheets.iter().map(|(name, ..)| name.clone());
        let sheets: Vec<(String, &hs_core::Table)> =
            names.zip(tables.iter().map(AsRef::as_ref)).collect();
        save(&path, Data::Sheets(&sheets), &options, control)
    })
}

/// Saves a plain value: dicts, lists, text, numbers, bools, `None`; the lines for the user.
#[pyfunction]
#[pyo3(signature = (path, value, *, sheet, overwrite))]
pub fn sauve_value(
    py: Python<'_>,
    path: PathBuf,
    value: &Bound<'_, PyAny>,
    sheet: Option<String>,
    overwrite: bool,
) -> PyResult<Vec<String>> {
    let mut reader = Reader::plain(py);
    let value = reader.value(value)?;
    let told = reader.notes(None);
    let options = SauveOptions { sheet, overwrite };
    work::run(py, move |control| {
        let mut saved = op::sauve(&path, Data::Value(&value), &options, control)?;
        saved.notes.extend(told);
        Ok(saved.account(Face::Python))
    })
}

fn with_days(table: &hs_core::Table, days: bool) -> Result<Cow<'_, hs_core::Table>> {
    Ok(if days {
        Cow::Owned(op::days(table)?)
    } else {
        Cow::Borrowed(table)
    })
}

fn save(
    path: &std::path::Path,
    data: Data<'_>,
    options: &SauveOptions,
    control: &Control,
) -> Result<Vec<String>> {
    Ok(op::sauve(path, data, options, control)?.account(Face::Python))
}
