//! The store of checkpoints for Python: what it holds, and what becomes of it.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use hs_kernel::store::{self, Id, Options};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyDict};

use super::buffers::filled;
use super::error::{raise, run};
use super::save::Save;

const DAY: u64 = 24 * 60 * 60;

/// A store of checkpoints in a folder.
#[pyclass(module = "headstart._headstart", frozen)]
pub struct Store(store::Store);

/// What a group is in the store; for `Save.reuse`, and to be compared.
#[pyclass(module = "headstart._headstart", frozen, eq)]
#[derive(PartialEq)]
pub struct Group(pub Arc<store::Group>);

/// A group as a dict: what is said of it, and what it is in the store. Dicts of the same values are equal.
pub fn described<'py>(py: Python<'py>, group: Arc<store::Group>) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("names", &group.names)?;
    dict.set_item("types", &group.types)?;
    dict.set_item("one", group.one)?;
    dict.set_item("bytes", group.bytes())?;
    dict.set_item("key", PyBytes::new(py, &group.key()))?;
    dict.set_item("stored", Group(group))?;
    Ok(dict)
}

/// A pickle and its buffers.
type Values<'py> = (Bound<'py, PyBytes>, Vec<Bound<'py, PyByteArray>>);

fn read<'py>(py: Python<'py>, reading: &store::Reading) -> PyResult<Values<'py>> {
    let room = |stream: &store::Stream| usize::try_from(stream.length).unwrap_or(usize::MAX);
    let group = reading.group();
    let pickle = PyBytes::new_with(py, room(&group.pickle), |into| {
        run(py, || reading.fill(&group.pickle, into))
    })?;
    let buffers = group.buffers.iter().map(|buffer| {
        filled(py, room(buffer), |into| {
            run(py, || reading.fill(buffer, into))
        })
    });
    Ok((pickle, buffers.collect::<PyResult<_>>()?))
}

/// What a dict of `described` says is in the store.
pub fn stored(group: &Bound<'_, PyDict>) -> PyResult<Arc<store::Group>> {
    let stored = group.as_any().get_item("stored")?;
    Ok(Arc::clone(&stored.cast::<Group>()?.get().0))
}

fn id(py: Python<'_>, text: &str) -> PyResult<Id> {
    text.parse().map_err(|error| raise(py, &error))
}

fn ids(py: Python<'_>, texts: Vec<String>) -> PyResult<Vec<Id>> {
    texts.into_iter().map(|text| id(py, &text)).collect()
}

#[pymethods]
impl Store {
    #[new]
    #[pyo3(signature = (root, limit_bytes = 2 << 30, max_age_days = 30))]
    fn new(py: Python<'_>, root: PathBuf, limit_bytes: u64, max_age_days: u64) -> PyResult<Self> {
        let options = Options {
            limit: limit_bytes,
            most_age: Duration::from_secs(max_age_days.saturating_mul(DAY)),
        };
        run(py, move || store::Store::open(&root, options)).map(Self)
    }

    /// Begins a checkpoint; never waits for another process.
    #[pyo3(signature = (id, parent = None))]
    fn begin(&self, py: Python<'_>, id: &str, parent: Option<&str>) -> PyResult<Save> {
        let parent = parent.map(|parent| self::id(py, parent)).transpose()?;
        let id = self::id(py, id)?;
        run(py, || self.0.begin(id, parent)).map(Save::new)
    }

    /// What a checkpoint says, as JSON.
    fn manifest(&self, py: Python<'_>, id: &str) -> PyResult<String> {
        let id = self::id(py, id)?;
        run(py, || Ok(self.0.manifest(&id)?.summary().to_string()))
    }

    /// The groups of a checkpoint, each with the number by which it is read.
    fn groups<'py>(&self, py: Python<'py>, id: &str) -> PyResult<Vec<(usize, Bound<'py, PyDict>)>> {
        let id = self::id(py, id)?;
        let groups = run(py, || Ok(self.0.manifest(&id)?.groups))?;
        let described = |(number, group)| Ok((number, described(py, group)?));
        groups.into_iter().map(described).collect()
    }

    /// The first checkpoint that can be read, and why those before it cannot.
    fn first_readable(
        &self,
        py: Python<'_>,
        ids: Vec<String>,
    ) -> PyResult<(Option<String>, store::Faults)> {
        let read = move || {
            let texts: Vec<&str> = ids.iter().map(String::as_str).collect();
            self.0.first_readable(&texts)
        };
        let (first, faults) = run(py, read)?;
        Ok((first.map(|first| first.to_string()), faults))
    }

    /// The pickle of a group, and its buffers in memory that may be written.
    fn read<'py>(&self, py: Python<'py>, id: &str, group: usize) -> PyResult<Values<'py>> {
        let id = self::id(py, id)?;
        let reading = run(py, || self.0.read(&id, group))?;
        read(py, &reading)
    }

    /// The same for a group that `groups` gave, whose manifest is not read again.
    fn read_values<'py>(
        &self,
        py: Python<'py>,
        id: &str,
        group: &Bound<'py, PyDict>,
    ) -> PyResult<Values<'py>> {
        let id = self::id(py, id)?;
        let values = stored(group)?;
        let reading = run(py, || self.0.read_values(&id, &values))?;
        read(py, &reading)
    }

    /// Marks a group that `groups` gave.
    fn mark_values(&self, py: Python<'_>, group: &Bound<'_, PyDict>, by: &str) -> PyResult<()> {
        let values = stored(group)?;
        run(py, || self.0.mark_values(&values, by))
    }

    /// Its restore is over.
    fn unmark_values(&self, py: Python<'_>, group: &Bound<'_, PyDict>) -> PyResult<()> {
        let values = stored(group)?;
        run(py, || self.0.unmark_values(&values))
    }

    /// Marks a group as being restored by somebody.
    fn mark(&self, py: Python<'_>, id: &str, group: usize, by: &str) -> PyResult<()> {
        let id = self::id(py, id)?;
        run(py, || self.0.mark(&id, group, by))
    }

    /// The restore of a group is over.
    fn unmark(&self, py: Python<'_>, id: &str, group: usize) -> PyResult<()> {
        let id = self::id(py, id)?;
        run(py, || self.0.unmark(&id, group))
    }

    /// Who marked a group and did not unmark it.
    fn poisoned(&self, py: Python<'_>, id: &str, group: usize) -> PyResult<Option<String>> {
        let id = self::id(py, id)?;
        run(py, || self.0.poisoned(&id, group))
    }

    /// Takes a group out of all checkpoints that were made until now.
    fn quarantine(&self, py: Python<'_>, id: &str, group: usize, reason: &str) -> PyResult<()> {
        let id = self::id(py, id)?;
        run(py, || self.0.quarantine(&id, group, reason))
    }

    /// These checkpoints are what this process stands on: no collection takes them.
    fn hold(&self, py: Python<'_>, ids: Vec<String>) -> PyResult<()> {
        let ids = self::ids(py, ids)?;
        run(py, || self.0.hold(&ids))
    }

    /// Takes away what is too old or too much, but none of these; how many checkpoints and objects went, and how many bytes
    /// are left.
    fn collect(&self, py: Python<'_>, keep: Vec<String>) -> PyResult<(usize, usize, u64)> {
        let keep = self::ids(py, keep)?;
        let collected = run(py, || self.0.collect(&keep))?;
        let gone = collected.checkpoints.len() + collected.damaged.len();
        Ok((gone, collected.objects, collected.bytes))
    }

    /// Bytes that the store takes on the disk.
    fn size(&self, py: Python<'_>) -> PyResult<u64> {
        run(py, || self.0.size())
    }

    /// Waits for saves in the background; false if they take longer.
    fn flush(&self, py: Python<'_>, timeout_s: f64) -> bool {
        let patience = Duration::try_from_secs_f64(timeout_s.max(0.0)).unwrap_or(Duration::MAX);
        py.detach(|| self.0.flush(patience))
    }
}
