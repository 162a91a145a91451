//! One column from Python values of any kind, for what no Arrow type holds.

use std::collections::{BTreeMap, HashSet};

use hs_core::builder::ColumnBuilder;
use hs_core::{ColumnInfo, Kind, Note, Place, Topic, Value, text};
use pyo3::prelude::*;

use crate::from_python::Reader;
use crate::table::Table;
use crate::work;

/// How many values are read between two looks at signals.
const LOOK: usize = 4096;

/// A table of one column from an iterable of Python values, exact; `category` marks it as one. `exact` are the values
/// themselves where they are to be compared: read once more if the column does not tell all of them apart, or if they are
/// others than `values`, which may be their texts.
#[pyfunction]
#[pyo3(signature = (name, values, category=false, exact=None))]
pub fn column(
    py: Python<'_>,
    name: &str,
    values: &Bound<'_, PyAny>,
    category: bool,
    exact: Option<&Bound<'_, PyAny>>,
) -> PyResult<Table> {
    let mut reader = Reader::new(py);
    let mut builder = ColumnBuilder::new();
    let mut keys = Keys::default();
    let mut height = 0;
    for value in values.try_iter()? {
        height += 1;
        if height % LOOK == 0 {
            py.check_signals()?;
        }
        let value = reader.value(&value?)?;
        keys.see(&value);
        builder.push(&value);
    }
    let notes = reader.notes(Some(name));
    let seen = reader.seen;
    let mut kind = Kind::Empty;
    let mut table = work::here(py, || {
        let built = builder.finish(name)?;
        kind = built.kind;
        let info = ColumnInfo {
            name: name.to_owned(),
            kind: if category { Kind::Category } else { built.kind },
        };
        let mut table = hs_core::Table::from_columns(height, [(info, built.column)])?;
        let place = Place::default().column(name);
        let lacking = (built.kind == Kind::Struct).then(|| keys.lacking(name));
        let said = built.note.or(lacking.flatten());
        table.notes.extend(said.map(|text| Note {
            place,
            ..Note::new(Topic::Types, text)
        }));
        table.notes.extend(notes);
        Ok(table)
    })?;
    if let Some(exact) = exact
        && (!exact.is(values) || seen.is_inexact(kind))
    {
        table.set_exact(0, crate::exact::column(exact)?.finish());
    }
    Ok(Table::from(table))
}

/// The keys of the dicts in a column: all of them, and how many dicts have so many.
#[derive(Default)]
struct Keys {
    all: HashSet<String>,
    dicts: BTreeMap<usize, u64>,
}

impl Keys {
    fn see(&mut self, value: &Value) {
        if let Value::Object(fields) = value {
            *self.dicts.entry(fields.len()).or_default() += 1;
            for (key, _) in fields {
                if !self.all.contains(key) {
                    self.all.insert(key.clone());
                }
            }
        }
    }

    /// What to say when some dicts lack keys of others: a struct has the same fields in every row.
    fn lacking(&self, name: &str) -> Option<String> {
        let fewer: u64 = self
            .dicts
            .range(..self.all.len())
            .map(|(_, dicts)| dicts)
            .sum();
        let dicts = text::counted(fewer, "dict");
        let verb = if fewer == 1 { "lacks" } else { "lack" };
        (fewer > 0)
            .then(|| format!("column {name:?}: {dicts} {verb} keys of others, taken as missing"))
    }
}
