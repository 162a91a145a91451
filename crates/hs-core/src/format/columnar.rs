//! What the readers of Arrow data share: from record batches to a table, with an error that names
//! the column when a type has no place in one.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Float16Type, Float32Type, Time32MillisecondType, Time32SecondType, Time64MicrosecondType,
    Time64NanosecondType,
};
use arrow_array::{ArrayRef, RecordBatch, RecordBatchIterator, RecordBatchOptions};
use arrow_schema::{DataType, Field, FieldRef, Fields, Schema, SchemaRef};

use crate::border;
use crate::error::{Error, ErrorKind, Place, Result, quoted};
use crate::table::Table;

/// Rows that polars can count.
const MOST_ROWS: usize = u32::MAX as usize - 1;

/// The batches as one table.
///
/// # Errors
/// [`ErrorKind::Type`] with the column's name for a type that a table cannot hold exactly.
pub(super) fn table(schema: &SchemaRef, batches: Vec<RecordBatch>) -> Result<Table> {
    let rows = batches
        .iter()
        .try_fold(0usize, |sum, batch| sum.checked_add(batch.num_rows()));
    if rows.is_none_or(|rows| rows > MOST_ROWS) {
        let message = format!("expected at most {MOST_ROWS} rows, found more");
        return Err(Error::new(ErrorKind::Format, message));
    }
    for field in schema.fields() {
        if let Some(found) = without_place(field.data_type()) {
            let message = format!("expected a type that a table can hold, found {found}");
            return Err(Error::new(ErrorKind::Type, message)
                .at(Place::default().column(field.name()))
                .hint("convert the column in the program that wrote the file"));
        }
    }
    for batch in &batches {
        for (column, field) in batch.columns().iter().zip(schema.fields()) {
            if let Some(found) = no_time_of_day(column) {
                let message = format!("expected times of day below 24:00, found {found}");
                return Err(Error::new(ErrorKind::Type, message)
                    .at(Place::default().column(field.name()))
                    .hint("write the column as durations or whole numbers"));
            }
        }
    }
    let fields: Fields = schema.fields().iter().map(bare).collect();
    let schema = Arc::new(Schema::new(fields));
    let batches = batches
        .into_iter()
        .map(|batch| widen_halves(&batch, &schema))
        .collect::<Result<Vec<_>>>()?;
    let reader = RecordBatchIterator::new(batches.into_iter().map(Ok), schema);
    border::from_arrow_rs(Box::new(reader))
}

/// The field without its metadata, at every level, and half floats as floats.
///
/// Extension types (geometry, JSON, UUID) are only named in the metadata; their values are plain.
fn bare(field: &FieldRef) -> FieldRef {
    let dtype = match field.data_type() {
        DataType::Float16 => DataType::Float32,
        inside => bare_inside(inside),
    };
    Arc::new(Field::new(field.name(), dtype, field.is_nullable()))
}

fn bare_inside(dtype: &DataType) -> DataType {
    let item = |field: &FieldRef| {
        let dtype = bare_inside(field.data_type());
        Arc::new(Field::new(field.name(), dtype, field.is_nullable()))
    };
    match dtype {
        DataType::List(field) => DataType::List(item(field)),
        DataType::LargeList(field) => DataType::LargeList(item(field)),
        DataType::FixedSizeList(field, size) => DataType::FixedSizeList(item(field), *size),
        DataType::Map(field, sorted) => DataType::Map(item(field), *sorted),
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(item).collect()),
        other => other.clone(),
    }
}

/// The batch in `schema`, with columns of 16-bit floats as 32-bit ones: polars is built without
/// the narrow type, and the wider one holds every value.
fn widen_halves(batch: &RecordBatch, schema: &SchemaRef) -> Result<RecordBatch> {
    let columns = batch.columns().iter().zip(schema.fields());
    let columns = columns.map(|(column, field)| -> ArrayRef {
        match column.as_primitive_opt::<Float16Type>() {
            Some(halves) if *field.data_type() == DataType::Float32 => {
                Arc::new(halves.unary::<_, Float32Type>(f32::from))
            }
            _ => column.clone(),
        }
    });
    let options = RecordBatchOptions::new()
        .with_row_count(Some(batch.num_rows()))
        .with_match_field_names(false);
    RecordBatch::try_new_with_options(schema.clone(), columns.collect(), &options).map_err(
        |error| {
            Error::new(ErrorKind::Internal, "columns that do not fit their types").because(error)
        },
    )
}

/// The first time outside of a day: polars would make it a missing value without a word.
fn no_time_of_day(column: &ArrayRef) -> Option<String> {
    fn outside(times: impl Iterator<Item = Option<i64>>, day: i64, unit: &str) -> Option<String> {
        let found = times.flatten().find(|time| !(0..day).contains(time))?;
        Some(format!("{found} {unit}"))
    }
    const DAY: i64 = 86_400;
    if let Some(times) = column.as_primitive_opt::<Time32SecondType>() {
        outside(times.iter().map(|time| time.map(i64::from)), DAY, "s")
    } else if let Some(times) = column.as_primitive_opt::<Time32MillisecondType>() {
        let times = times.iter().map(|time| time.map(i64::from));
        outside(times, DAY * 1000, "ms")
    } else if let Some(times) = column.as_primitive_opt::<Time64MicrosecondType>() {
        outside(times.iter(), DAY * 1_000_000, "us")
    } else if let Some(times) = column.as_primitive_opt::<Time64NanosecondType>() {
        outside(times.iter(), DAY * 1_000_000_000, "ns")
    } else {
        None
    }
}

/// The type itself or the one inside it that has no place in a table, in words.
fn without_place(dtype: &DataType) -> Option<String> {
    match dtype {
        DataType::Union(..) => Some("a union".to_owned()),
        DataType::Interval(unit) => Some(format!("an interval ({unit:?})")),
        DataType::RunEndEncoded(..) => Some("run-end encoded values".to_owned()),
        DataType::List(field)
        | DataType::LargeList(field)
        | DataType::FixedSizeList(field, _)
        | DataType::Map(field, _) => without_place(field.data_type()),
        DataType::ListView(_) | DataType::LargeListView(_) => Some("a list view".to_owned()),
        DataType::Struct(fields) => fields
            .iter()
            .find_map(|field| without_place(field.data_type())),
        DataType::Dictionary(_, values) => without_place(values),
        _ => None,
    }
}

/// The text of a foreign error on one line, cut.
pub(super) fn reason(error: &impl std::fmt::Display) -> String {
    const SHOWN: usize = 200;
    let text = error.to_string().replace('\n', " ");
    match text.char_indices().nth(SHOWN) {
        Some(_) => quoted(&text),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use arrow_array::{Time32MillisecondArray, Time64MicrosecondArray};

    use super::*;

    #[test]
    fn a_time_outside_of_a_day_is_refused_not_made_missing() {
        let load = |times: ArrayRef| {
            let batch = RecordBatch::try_from_iter([("t", times)]).expect("a batch");
            table(&batch.schema(), vec![batch])
        };
        let fine = Time32MillisecondArray::from(vec![Some(0), None, Some(86_399_999)]);
        assert!(load(Arc::new(fine)).is_ok());
        let error = load(Arc::new(Time32MillisecondArray::from(vec![-1]))).expect_err("before");
        assert!(error.to_string().contains("found -1 ms"), "{error}");
        let late = Time64MicrosecondArray::from(vec![86_400_000_000]);
        assert_eq!(
            load(Arc::new(late)).expect_err("after").kind(),
            ErrorKind::Type
        );
    }
}
