//! What the readers of Arrow data share: from record batches to a table, with an error that names
//! the column when a type has no place in one.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float16Type, Float32Type};
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
