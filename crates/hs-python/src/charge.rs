//! charge for Python.

use std::path::PathBuf;

use hs_core::format::TextLayout;
use hs_core::op::charge::{ChargeOptions, Given, charge_files};
use hs_core::{Face, Loaded, ReadOptions, SheetChoice, Types, Wanted};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors;
use crate::table::Table;
use crate::to_python;
use crate::work;

/// A sheet as Python names it.
#[derive(FromPyObject)]
pub enum Sheet {
    /// Position from 0, negative from the end.
    Index(i64),
    /// Name.
    Name(String),
}

/// Files as Python names them.
#[derive(FromPyObject)]
pub enum Paths {
    /// A path or a pattern.
    One(PathBuf),
    /// A list of them.
    List(Vec<PathBuf>),
}

/// Types as Python names them.
#[derive(FromPyObject)]
pub enum GivenTypes {
    /// One for all columns.
    All(String),
    /// Columns with their types.
    Columns(Vec<(String, String)>),
}

impl GivenTypes {
    fn types(self) -> hs_core::Result<Types> {
        match self {
            Self::All(wanted) => Wanted::parse(&wanted).map(Types::All),
            Self::Columns(pairs) => {
                let pairs = pairs
                    .iter()
                    .map(|(name, wanted)| (name.as_str(), wanted.as_str()));
                Types::parse_columns(pairs)
            }
        }
    }
}

/// Loads a file or stacks several: a `Table`, a dict of them for all sheets of a workbook, or the plain
/// Python value of a document that is no table; and the lines for the user. A table that is `flat` may leave only through `flat` and
/// `plain`.
#[pyfunction]
#[pyo3(signature = (path, *, sheet, at, types, columns, rows, encoding, delimiter, header, flat))]
#[expect(
    clippy::too_many_arguments,
    reason = "the arguments of the Python function"
)]
pub fn charge(
    py: Python<'_>,
    path: Paths,
    sheet: Option<Sheet>,
    at: Option<String>,
    types: Option<GivenTypes>,
    columns: Option<Vec<String>>,
    rows: Option<usize>,
    encoding: Option<String>,
    delimiter: Option<char>,
    header: Option<usize>,
    flat: bool,
) -> PyResult<(Py<PyAny>, Vec<String>)> {
    let sheet = match sheet {
        None => SheetChoice::First,
        Some(Sheet::Index(index)) => SheetChoice::Index(index),
        Some(Sheet::Name(name)) => SheetChoice::named(name),
    };
    let types = types.map_or(Ok(Types::Decided), GivenTypes::types);
    let types = types.map_err(|error| errors::raise(py, &error))?;
    let options = ChargeOptions {
        read: ReadOptions {
            sheet,
            at,
            encoding,
            delimiter,
            header,
            types,
            text: if flat {
                TextLayout::Flat
            } else {
                TextLayout::Views
            },
            ..ReadOptions::default()
        },
        columns,
        rows,
    };
    let (given, name) = match path {
        Paths::One(path) => {
            let name = path.display().to_string();
            (Given::One(path), name)
        }
        // Only one file can be a document, which is named.
        Paths::List(paths) => (Given::List(paths), String::new()),
    };
    let loaded = work::run(py, move |control| charge_files(&given, &options, control))?;
    match loaded {
        Loaded::Table(table) => {
            let lines = table.account();
            Ok((Py::new(py, Table::from(table))?.into_any(), lines))
        }
        Loaded::Sheets(sheets) => {
            let lines = sheets.account_for(Face::Python);
            let tables = PyDict::new(py);
            for sheet in sheets.sheets {
                tables.set_item(sheet.name, Py::new(py, Table::from(sheet.table))?)?;
            }
            Ok((tables.into_any().unbind(), lines))
        }
        Loaded::Value(document) => {
            let lines = document.notes.iter();
            let lines = lines.map(|note| format!("{name}: {}", note.text)).collect();
            Ok((to_python::value(py, &document.value)?.unbind(), lines))
        }
    }
}
