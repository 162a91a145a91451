//! Python values once more, in the forms in which they are compared: for columns whose stored values do not tell all of
//! them apart. What there is to say of them was said when they were read first.

use std::collections::HashMap;

use hs_core::op::form::Forms;
use hs_core::{Kind, Value};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::from_python::Reader;

/// How many values are read between two looks at signals.
const LOOK: usize = 1024;

/// What was seen that its stored value may not tell apart from others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// Objects that became text, sets, keys of dicts that are no text.
    pub foreign: bool,
    /// Times and bytes, which are text among values of several kinds.
    pub typed: bool,
    /// Numbers that may be too large for any type, and then are text.
    pub digits: bool,
}

impl Seen {
    /// True when a column that is stored as this kind holds such values.
    pub fn is_inexact(self, kind: Kind) -> bool {
        match kind {
            Kind::Mixed => self.foreign || self.typed,
            Kind::Text => self.foreign || self.digits,
            _ => self.foreign,
        }
    }

    /// Adds what was seen elsewhere.
    pub fn add(&mut self, other: Self) {
        self.foreign |= other.foreign;
        self.typed |= other.typed;
        self.digits |= other.digits;
    }
}

/// The forms of an iterable of values.
pub fn column(values: &Bound<'_, PyAny>) -> PyResult<Forms> {
    let py = values.py();
    let mut reader = Reader::exact(py);
    let mut forms = Forms::default();
    for value in values.try_iter()? {
        if forms.len() % LOOK == LOOK - 1 {
            py.check_signals()?;
        }
        forms.push(&reader.value(&value?)?);
    }
    Ok(forms)
}

/// Gives the columns of a table of records their forms, where `seen` says that they need some.
pub fn records(
    records: &Bound<'_, PyList>,
    seen: &HashMap<String, Seen>,
    table: &mut hs_core::Table,
) -> PyResult<()> {
    let py = records.py();
    let mut wanted: HashMap<String, (usize, Forms)> = HashMap::new();
    for (position, info) in table.columns().iter().enumerate() {
        if seen
            .get(&info.name)
            .is_some_and(|seen| seen.is_inexact(info.kind))
        {
            wanted.insert(info.name.clone(), (position, Forms::default()));
        }
    }
    if wanted.is_empty() {
        return Ok(());
    }
    let mut reader = Reader::exact(py);
    for (index, record) in records.iter().enumerate() {
        if index % LOOK == LOOK - 1 {
            py.check_signals()?;
        }
        let mut values: HashMap<String, Value> = HashMap::new();
        for (key, value) in record.cast::<PyDict>()?.iter() {
            let key = reader.key(&key)?;
            if wanted.contains_key(&key) {
                values.insert(key, reader.value(&value)?);
            }
        }
        for (key, (_, forms)) in &mut wanted {
            forms.push(values.get(key).unwrap_or(&Value::Null));
        }
    }
    for (position, forms) in wanted.into_values() {
        table.set_exact(position, forms.finish());
    }
    Ok(())
}
