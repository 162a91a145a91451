//! The front and end of a table as one table, for the data formats.

use std::ops::Range;

use hs_core::{Error, ErrorKind, Result, Table};

/// The rows that are not hidden.
///
/// # Errors
/// Only when a table is not what it should be.
pub fn of(table: &Table, hidden: &Range<usize>) -> Result<Table> {
    let frame = table.frame();
    let (head, tail) = (hidden.start, frame.height() - hidden.end);
    let rows = frame
        .head(Some(head))
        .vstack(&frame.tail(Some(tail)))
        .map_err(|error| {
            Error::new(ErrorKind::Internal, "a front and an end that do not fit").because(error)
        })?;
    let columns = table.columns().iter().cloned().zip(rows.columns().to_vec());
    Table::from_columns(rows.height(), columns)
}
