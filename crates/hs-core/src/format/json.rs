//! The json reader.

use crate::control::Control;
use crate::error::{Error, ErrorKind, Result};
use crate::format::Loaded;
use crate::format::ReadOptions;
use crate::source::Source;

/// Reads the source.
///
/// # Errors
/// Always, until the reader is written.
pub fn read(source: Source, options: &ReadOptions, control: &Control) -> Result<Loaded> {
    let _ = (source, options, control);
    Err(Error::new(
        ErrorKind::Internal,
        "this reader is not written yet",
    ))
}
