//! A frame, row by row.

use polars::prelude::{AnyValue, DataFrame, Series};

/// Calls `work` with the values of each row of the frame, in order.
///
/// # Errors
/// The first error of `work`.
pub fn each_row<E>(
    frame: &DataFrame,
    mut work: impl FnMut(&[AnyValue<'_>]) -> Result<(), E>,
) -> Result<(), E> {
    // Walking a series value by value needs it in one piece.
    let columns: Vec<Series> = frame
        .columns()
        .iter()
        .map(|column| column.as_materialized_series().rechunk())
        .collect();
    let mut values: Vec<_> = columns.iter().map(Series::iter).collect();
    for _ in 0..frame.height() {
        let row: Vec<AnyValue<'_>> = values
            .iter_mut()
            .map(|column| column.next().unwrap_or(AnyValue::Null))
            .collect();
        work(&row)?;
    }
    Ok(())
}
