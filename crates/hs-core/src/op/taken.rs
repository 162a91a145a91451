//! The values of some rows of a column, in the types that every function takes.

use polars::prelude::{Column, DataType};

use crate::error::{Error, ErrorKind, Result};
use crate::op::keyed::Part;
use crate::op::rows::{self, Rows};
use crate::table::Kind;

/// The values in these rows; missing where there is no row. Text that lies as bytes with offsets, as it may
/// on its way in, becomes text.
///
/// # Errors
/// [`ErrorKind::Internal`] for a row that the column does not have.
pub fn taken((info, column): Part<'_>, rows: &[u32]) -> Result<Column> {
    let rows = Rows::of(rows.to_vec(), column.len()).nullable();
    let taken = rows::taken(column.as_materialized_series(), rows.as_ref())?;
    if *taken.dtype() != DataType::BinaryOffset || info.kind == Kind::Bytes {
        return Ok(taken.into());
    }
    let texts = taken
        .cast(&DataType::Binary)
        .and_then(|bytes| bytes.cast(&DataType::String));
    texts
        .map(Into::into)
        .map_err(|error| Error::new(ErrorKind::Internal, "text that is no UTF-8").because(error))
}
