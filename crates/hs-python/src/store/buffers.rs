//! The memory of Python's objects as bytes. The only file of the store's binding with unsafe code: Python lends memory as
//! raw pointers. It copies nothing and keeps nothing.
#![expect(unsafe_code, reason = "Python lends memory as raw pointers")]

use std::mem::MaybeUninit;

use pyo3::buffer::PyUntypedBuffer;
use pyo3::exceptions::PyBufferError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes};

use crate::{capsule, errors};

/// Bytes that are hashed without giving up the GIL.
const SMALL: usize = 64 << 10;

/// Memory that Python lends until this value goes.
pub struct Lent(PyUntypedBuffer);

impl Lent {
    /// The memory of an object with the buffer protocol, such as a `pickle.PickleBuffer`, in the order in which it lies there.
    pub fn of(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let buffer = PyUntypedBuffer::get(object)?;
        if buffer.is_c_contiguous() || buffer.is_fortran_contiguous() {
            Ok(Self(buffer))
        } else {
            let text = "expected memory in one piece, found one with gaps; give a contiguous copy";
            Err(PyBufferError::new_err(text))
        }
    }

    /// Its bytes. Another thread of Python may write to them while they are read here without the GIL; the store takes
    /// care that what it keeps is hashed as it is kept.
    pub fn bytes(&self) -> &[u8] {
        let (start, length) = (self.0.buf_ptr().cast::<u8>(), self.0.len_bytes());
        if length == 0 || start.is_null() {
            return &[];
        }
        // SAFETY: the object lends `length` bytes in one piece from `start` on, until the buffer is released, which
        // happens when `self` goes.
        unsafe { std::slice::from_raw_parts(start, length) }
    }
}

/// New memory of Python that is filled before anybody sees it. It is not cleared first: of large memory, that takes as long
/// as reading it from the disk.
///
/// `fill` must fill all of it, or say that it failed.
pub fn filled<'py>(
    py: Python<'py>,
    length: usize,
    fill: impl FnOnce(&mut [MaybeUninit<u8>]) -> PyResult<()>,
) -> PyResult<Bound<'py, PyByteArray>> {
    let size = ffi::Py_ssize_t::try_from(length)?;
    // SAFETY: without bytes to copy this gives a new array of `size` bytes, or an error.
    let array = unsafe {
        let array = ffi::PyByteArray_FromStringAndSize(std::ptr::null(), size);
        Bound::from_owned_ptr_or_err(py, array)?.cast_into_unchecked::<PyByteArray>()
    };
    // SAFETY: the array has `length` bytes, of which nothing is believed, and nobody else knows it yet.
    let room = unsafe {
        let start = ffi::PyByteArray_AsString(array.as_ptr());
        std::slice::from_raw_parts_mut(start.cast::<MaybeUninit<u8>>(), length)
    };
    in_large_pages(room);
    fill(room)?;
    Ok(array)
}

/// Asks for large pages, where the system has them for those who ask: to be given 64 MiB in small ones takes longer than to
/// read them.
fn in_large_pages(room: &mut [MaybeUninit<u8>]) {
    #[cfg(target_os = "linux")]
    {
        const LARGE: usize = 2 << 20;
        let skipped = room.as_ptr().align_offset(LARGE);
        let length = room.len().saturating_sub(skipped) / LARGE * LARGE;
        if length > 0 {
            // SAFETY: these pages lie in `room` as a whole; the advice changes nothing that can be read. It may be refused.
            unsafe {
                libc::madvise(
                    room[skipped..].as_mut_ptr().cast(),
                    length,
                    libc::MADV_HUGEPAGE,
                )
            };
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = room;
}

/// 32 bytes that tell two buffers apart, hashed on all cores.
#[pyfunction]
#[pyo3(name = "store_digest")]
pub fn digest<'py>(py: Python<'py>, buffer: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
    let lent = Lent::of(buffer)?;
    let bytes = lent.bytes();
    let digest = py.detach(|| hs_kernel::store::digest(bytes));
    Ok(PyBytes::new(py, &digest))
}

/// 16 bytes that tell apart what memory holds at two moments, hashed on all cores; for tests of change only. Memory that stays
/// where it is (`lasting`) is not read again while the system proves that nobody wrote to it.
#[pyfunction]
#[pyo3(name = "change_digest", signature = (buffer, *, lasting = false))]
pub fn change<'py>(
    py: Python<'py>,
    buffer: &Bound<'py, PyAny>,
    lasting: bool,
) -> PyResult<Bound<'py, PyBytes>> {
    let lent = Lent::of(buffer)?;
    let bytes = lent.bytes();
    // Giving the GIL up costs more than hashing a little.
    let digest = if bytes.len() < SMALL {
        hs_kernel::store::change(&[bytes])
    } else if lasting {
        py.detach(|| hs_kernel::store::change_in_place(&[bytes]))
    } else {
        py.detach(|| hs_kernel::store::change(&[bytes]))
    };
    Ok(PyBytes::new(py, &digest))
}

/// The same for a frame of another library, or a column: anything with `__arrow_c_stream__`. Gives its bytes, too.
#[pyfunction]
#[pyo3(name = "change_digest_of_frame")]
pub fn frame_change<'py>(
    py: Python<'py>,
    frame: &Bound<'py, PyAny>,
) -> PyResult<(Bound<'py, PyBytes>, usize)> {
    let stream = capsule::stream(py, frame)?;
    let look = |said: &str, pieces: &[&[u8]]| {
        let parts: Vec<&[u8]> = [said.as_bytes()].iter().chain(pieces).copied().collect();
        let size = pieces.iter().map(|piece| piece.len()).sum();
        (hs_kernel::store::change_in_place(&parts), size)
    };
    let looked = py.detach(|| hs_core::memory::look(stream, look));
    let (digest, size) = looked.map_err(|error| errors::raise(py, &error))?;
    Ok((PyBytes::new(py, &digest), size))
}
