//! Arrow PyCapsules: tables in and out of Python without copying values.
//!
//! The only file here with unsafe code: capsules hold raw pointers. It takes a capsule only under
//! its official name (Arrow PyCapsule interface), and leaves a released structure behind.
#![expect(unsafe_code, reason = "Arrow capsules hold raw pointers")]

use std::ffi::CStr;

use hs_core::border::{self, ArrowArray, ArrowArrayStream, ArrowSchema};
use hs_core::{Error, ErrorKind};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::errors;
use crate::work;

const STREAM: &CStr = c"arrow_array_stream";
const SCHEMA: &CStr = c"arrow_schema";
const ARRAY: &CStr = c"arrow_array";

/// A table as a stream capsule; the capsule releases the stream if nobody takes it.
pub fn from_table<'py>(py: Python<'py>, table: &hs_core::Table) -> PyResult<Bound<'py, PyCapsule>> {
    let stream = py.detach(|| border::export(table));
    let stream = stream.map_err(|error| errors::raise(py, &error))?;
    from_stream(py, stream)
}

/// A stream as a capsule, which releases the stream if nobody takes it.
pub fn from_stream(py: Python<'_>, stream: ArrowArrayStream) -> PyResult<Bound<'_, PyCapsule>> {
    PyCapsule::new_with_value(py, stream, STREAM)
}

/// The stream of an object with `__arrow_c_stream__`.
pub fn stream(py: Python<'_>, source: &Bound<'_, PyAny>) -> PyResult<ArrowArrayStream> {
    let capsule = source.call_method0("__arrow_c_stream__")?;
    take(py, &capsule, STREAM, ArrowArrayStream::empty())
}

/// A table from any object with `__arrow_c_stream__`, else with `__arrow_c_array__`; `flat` as in
/// [`border::import`], for streams.
pub fn to_table(py: Python<'_>, source: &Bound<'_, PyAny>, flat: bool) -> PyResult<hs_core::Table> {
    if source.hasattr("__arrow_c_stream__")? {
        let stream = stream(py, source)?;
        // SAFETY: the capsule's name vouches for a stream that keeps the contract.
        return work::run(py, move |_| unsafe {
            border::import(Box::new(stream), flat)
        });
    }
    let (schema, array): (Bound<'_, PyAny>, Bound<'_, PyAny>) =
        source.call_method0("__arrow_c_array__")?.extract()?;
    let schema: ArrowSchema = take(py, &schema, SCHEMA, ArrowSchema::empty())?;
    let array: ArrowArray = take(py, &array, ARRAY, ArrowArray::empty())?;
    // SAFETY: the capsules' names vouch for a schema and an array that belong together.
    work::run(py, move |_| unsafe { border::import_array(&schema, array) })
}

/// Moves a C structure out of its capsule and leaves `empty`, which needs no release, in its place.
fn take<T>(py: Python<'_>, object: &Bound<'_, PyAny>, name: &CStr, empty: T) -> PyResult<T> {
    let capsule = object.cast::<PyCapsule>().ok();
    let pointer = capsule.and_then(|capsule| capsule.pointer_checked(Some(name)).ok());
    let Some(pointer) = pointer else {
        let message = format!(
            "expected a capsule named {name:?}, found {}",
            object.get_type()
        );
        return Err(errors::raise(py, &Error::new(ErrorKind::Type, message)));
    };
    // SAFETY: a capsule of this name points to a `T` (same layout in every Arrow library), and
    // nobody else looks at it while this thread holds the GIL.
    Ok(unsafe { std::mem::replace(pointer.cast::<T>().as_mut(), empty) })
}
