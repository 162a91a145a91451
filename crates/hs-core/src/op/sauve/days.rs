//! Days of a library that has no type for them: pandas holds `2026-01-31` as midnight of that day.

use polars::prelude::{Column, DataType, TimeUnit};
use polars_arrow::array::PrimitiveArray;

use crate::error::{Error, ErrorKind, Result};
use crate::table::{ColumnInfo, Kind, Table};

/// The table with those columns as days whose points in time (without zone) are all at midnight, so
/// that a csv of days that went through pandas is a csv of days again.
///
/// # Errors
/// Only when a column does not hold what its type says.
pub fn days(table: &Table) -> Result<Table> {
    let columns = table.iter().map(|(info, column)| {
        if !all_midnight(column) {
            return Ok((info.clone(), column.clone()));
        }
        let days = column.cast(&DataType::Date).map_err(|error| {
            Error::new(ErrorKind::Internal, "points in time that have no day").because(error)
        })?;
        let info = ColumnInfo {
            kind: Kind::Date,
            ..info.clone()
        };
        Ok((info, days))
    });
    let columns: Vec<(ColumnInfo, Column)> = columns.collect::<Result<_>>()?;
    let mut days = Table::from_columns(table.height(), columns)?;
    days.notes.clone_from(&table.notes);
    days.origin.clone_from(&table.origin);
    Ok(days)
}

/// True for points in time without a zone that are all at midnight; there is at least one.
fn all_midnight(column: &Column) -> bool {
    let day = match column.dtype() {
        DataType::Datetime(TimeUnit::Nanoseconds, None) => 86_400_000_000_000,
        DataType::Datetime(TimeUnit::Microseconds, None) => 86_400_000_000,
        DataType::Datetime(TimeUnit::Milliseconds, None) => 86_400_000,
        _ => return false,
    };
    if column.null_count() == column.len() {
        return false;
    }
    let series = column.as_materialized_series();
    series.chunks().iter().all(|chunk| {
        let moments = chunk.as_any().downcast_ref::<PrimitiveArray<i64>>();
        moments.is_some_and(|moments| moments.non_null_values_iter().all(|value| value % day == 0))
    })
}
