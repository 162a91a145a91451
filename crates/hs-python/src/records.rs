//! Records (a list of dicts) as a table; every record is looked at.

use std::collections::HashMap;

use hs_core::builder::RecordsBuilder;
use hs_core::{Error, ErrorKind};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::errors;
use crate::exact::{self, Seen};
use crate::from_python::Reader;
use crate::table::Table;
use crate::work;

/// How many records are read between two looks at signals.
const LOOK: usize = 1024;

/// A table from a list of dicts. Keys become text; a key that a record lacks is missing there.
/// When `exact`, values that their columns do not tell apart are told apart where they are compared.
#[pyfunction]
#[pyo3(signature = (records, exact=false))]
pub fn records(py: Python<'_>, records: &Bound<'_, PyList>, exact: bool) -> PyResult<Table> {
    let mut seen: HashMap<String, Seen> = HashMap::new();
    let mut reader = Reader::new(py);
    let mut builder = RecordsBuilder::new();
    for (index, record) in records.iter().enumerate() {
        if index % LOOK == LOOK - 1 {
            py.check_signals()?;
        }
        let Ok(record) = record.cast::<PyDict>() else {
            let message = format!(
                "expected a list of dicts, found {} at position {index}",
                record.get_type().name()?
            );
            return Err(errors::raise(py, &Error::new(ErrorKind::Type, message)));
        };
        builder.begin();
        for (key, value) in record.iter() {
            let key = reader.key(&key)?;
            let value = reader.value(&value)?;
            builder.push(&key, &value);
            let found = std::mem::take(&mut reader.seen);
            if exact && found != Seen::default() {
                seen.entry(key).or_default().add(found);
            }
        }
        builder.end();
    }
    let mut table = work::here(py, || builder.finish())?;
    table.notes.extend(reader.notes(None));
    if exact {
        exact::records(records, &seen, &mut table)?;
    }
    Ok(Table::from(table))
}
