//! The parquet reader.

use crate::control::Control;
use crate::error::{Error, ErrorKind, Result};
use crate::format::ReadOptions;
use crate::source::Source;
use crate::table::Table;

/// Reads the source.
///
/// # Errors
/// Always, until the reader is written.
pub fn read(source: Source, options: &ReadOptions, control: &Control) -> Result<Table> {
    let _ = (source, options, control);
    Err(Error::new(
        ErrorKind::Internal,
        "this reader is not written yet",
    ))
}
