//! Columns for numpy: buffers that a numpy array looks into, and Arrow streams without views.

use hs_core::control::Control;
use hs_core::flat::{Flat, Numbers};
use hs_core::{Result, border, flat};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict};

use crate::capsule;
use crate::table::Table;
use crate::work;

/// The values of a column, which `numpy.asarray` takes over without copying and may write to.
#[pyclass(frozen, module = "headstart")]
pub struct Buffer {
    kind: &'static str,
    length: usize,
    address: usize,
    /// Keeps what is at the address.
    _owner: Box<dyn Send + Sync>,
}

impl Buffer {
    /// The values, which numpy calls `kind`.
    pub fn of<T: Send + Sync + 'static>(kind: &'static str, mut values: Vec<T>) -> Self {
        Self {
            kind,
            length: values.len(),
            // Vectors do not move what they hold when they are moved themselves.
            address: values.as_mut_ptr().expose_provenance(),
            _owner: Box::new(values),
        }
    }

    fn numbers(numbers: Numbers) -> Self {
        match numbers {
            Numbers::I8(values) => Self::of("<i1", values),
            Numbers::I16(values) => Self::of("<i2", values),
            Numbers::I32(values) => Self::of("<i4", values),
            Numbers::I64(values) => Self::of("<i8", values),
            Numbers::U8(values) => Self::of("<u1", values),
            Numbers::U16(values) => Self::of("<u2", values),
            Numbers::U32(values) => Self::of("<u4", values),
            Numbers::U64(values) => Self::of("<u8", values),
            Numbers::F32(values) => Self::of("<f4", values),
            Numbers::F64(values) => Self::of("<f8", values),
            Numbers::Bool(values) => Self::of("|b1", values),
            Numbers::Micros(values) => Self::of("<M8[us]", values),
            Numbers::Nanos(values) => Self::of("<M8[ns]", values),
        }
    }
}

#[pymethods]
impl Buffer {
    /// Numpy's array interface, version 3.
    #[getter]
    fn __array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let interface = PyDict::new(py);
        interface.set_item("version", 3)?;
        interface.set_item("shape", (self.length,))?;
        interface.set_item("typestr", self.kind)?;
        let read_only = false;
        interface.set_item("data", (self.address, read_only))?;
        Ok(interface)
    }
}

/// Values, and a mask of the missing ones where the values themselves cannot say it.
pub type FlatColumn = (Buffer, Option<Buffer>);

/// Some columns of a table as an Arrow C stream whose text is `large_string`, given out once.
#[pyclass(frozen, module = "headstart")]
pub struct Plain {
    table: Py<Table>,
    positions: Vec<usize>,
}

#[pymethods]
impl Plain {
    /// An Arrow C stream of record batches; the requested schema is a wish that is not granted.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        let table = self.table.get().0.clone();
        let positions = self.positions.clone();
        let stream = work::run(py, move |control| {
            border::export_plain(&table, &positions, control)
        })?;
        capsule::from_stream(py, stream)
    }
}

impl Plain {
    /// Of the columns at the positions.
    pub fn of(table: Py<Table>, positions: Vec<usize>) -> Self {
        Self { table, positions }
    }
}

/// The columns of a table for numpy; `None` for those that have no such form.
///
/// # Errors
/// A stop request.
pub fn columns(table: &hs_core::Table, control: &Control) -> Result<Vec<Option<FlatColumn>>> {
    let pair = |Flat { numbers, missing }: Flat| {
        let mask = missing.map(|mask| Buffer::of("|b1", mask));
        (Buffer::numbers(numbers), mask)
    };
    let columns = flat::flat(table, control)?.into_iter();
    Ok(columns.map(|column| column.map(pair)).collect())
}
