//! What a path tells of itself without its rows, for shells: the names of columns and sheets. Of several files it looks at the
//! first.

use std::path::{Path, PathBuf};

use super::folder;
use crate::control::Control;
use crate::error::Result;
use crate::format::{ReadOptions, front};
use crate::source::{self, Found, Source};

/// The names of the columns, in order; none where telling them would mean to read a large file.
///
/// # Errors
/// As loading it, where that begins to fail in front.
///
/// ```
/// use hs_core::op::charge::front::columns;
/// let orders = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/orders.csv");
/// let names = columns(orders.as_ref(), &Default::default(), &Default::default())?;
/// assert_eq!(names[..3], ["order_id", "code", "postal"]);
/// # Ok::<(), hs_core::Error>(())
/// ```
pub fn columns(path: &Path, options: &ReadOptions, control: &Control) -> Result<Vec<String>> {
    front::columns(opened(path, control)?, options, control)
}

/// The names of the sheets, and those of tables and areas; none for what is no workbook.
///
/// # Errors
/// As loading it.
pub fn sheets(path: &Path, control: &Control) -> Result<Vec<String>> {
    front::sheets(opened(path, control)?, control)
}

/// The paths of the records in a document that is no table by itself.
///
/// # Errors
/// As loading it.
pub fn records(path: &Path, control: &Control) -> Result<Vec<String>> {
    front::records(opened(path, control)?, control)
}

fn opened(path: &Path, control: &Control) -> Result<Source> {
    let files: Vec<PathBuf> = match source::find(path, control)? {
        Found::File(path) if path.is_dir() => folder::parts(&path, control)?.0,
        Found::File(path) => vec![path],
        Found::Files(files) => files,
    };
    let data = files.iter().find(|file| !source::is_mark(file));
    Source::path(data.map_or(path, PathBuf::as_path))
}
