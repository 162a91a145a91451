//! One column from Python values of any kind, for what no Arrow type holds.

use hs_core::builder::ColumnBuilder;
use hs_core::{ColumnInfo, Kind, Note, Place, Topic};
use pyo3::prelude::*;

use crate::from_python::Reader;
use crate::table::Table;
use crate::work;

/// How many values are read between two looks at signals.
const LOOK: usize = 4096;

/// A table of one column from an iterable of Python values, exact; `category` marks it as one.
#[pyfunction]
#[pyo3(signature = (name, values, category=false))]
pub fn column(
    py: Python<'_>,
    name: &str,
    values: &Bound<'_, PyAny>,
    category: bool,
) -> PyResult<Table> {
    let mut reader = Reader::new(py);
    let mut builder = ColumnBuilder::new();
    let mut height = 0;
    for value in values.try_iter()? {
        height += 1;
        if height % LOOK == 0 {
            py.check_signals()?;
        }
        builder.push(&reader.value(&value?)?);
    }
    let notes = reader.notes(Some(name));
    let table = work::here(py, || {
        let built = builder.finish(name)?;
        let info = ColumnInfo {
            name: name.to_owned(),
            kind: if category { Kind::Category } else { built.kind },
        };
        let mut table = hs_core::Table::from_columns(height, [(info, built.column)])?;
        let place = Place::default().column(name);
        table.notes.extend(built.note.map(|text| Note {
            place,
            ..Note::new(Topic::Types, text)
        }));
        table.notes.extend(notes);
        Ok(table)
    })?;
    Ok(Table::from(table))
}
