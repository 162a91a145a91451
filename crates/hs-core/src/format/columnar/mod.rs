//! What the readers of Arrow data share: from record batches to a table, with an error that names
//! the column when a type has no place in one.

use std::collections::HashSet;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float16Type, Float32Type};
use arrow_array::{
    Array, ArrayRef, LargeStringArray, RecordBatch, RecordBatchIterator, RecordBatchOptions,
};
use arrow_buffer::OffsetBuffer;
use arrow_schema::{DataType, Field, FieldRef, Fields, Schema, SchemaRef};

use super::{ReadOptions, TextLayout};
use crate::border;
use crate::error::{Error, ErrorKind, Place, Result, quoted};
use crate::fix::Fix;
use crate::table::{Table, unknown_column};

mod decimals;
mod leaving;
mod times;
mod told;

pub(super) use leaving::{batches, parts, untyped};
pub(super) use told::{mixed_as_text, of_kind};

/// Rows that polars can count.
const MOST_ROWS: usize = u32::MAX as usize - 1;

/// The batches as one table, text of whose columns lies as `layout` says.
///
/// # Errors
/// [`ErrorKind::Type`] with the column's name for a type that a table cannot hold exactly.
pub(super) fn table(
    schema: &SchemaRef,
    batches: Vec<RecordBatch>,
    layout: TextLayout,
) -> Result<Table> {
    let rows = batches
        .iter()
        .try_fold(0usize, |sum, batch| sum.checked_add(batch.num_rows()));
    let rows = rows.filter(|rows| *rows <= MOST_ROWS).ok_or_else(|| {
        let message = format!("expected at most {MOST_ROWS} rows, found more");
        Error::new(ErrorKind::Format, message)
    })?;
    for field in schema.fields() {
        if let Some(found) = without_place(field.data_type()) {
            let message = format!("expected a type that a table can hold, found {found}");
            return Err(Error::new(ErrorKind::Type, message)
                .at(Place::default().column(field.name()))
                .hint("convert the column in the program that wrote the file, or leave it out by columns")
                .fix(Fix::option("columns")));
        }
    }
    let mut notes = Vec::new();
    let mut fields: Vec<FieldRef> = Vec::with_capacity(schema.fields().len());
    let mut columns: Vec<Vec<ArrayRef>> = Vec::with_capacity(schema.fields().len());
    for (position, field) in schema.fields().iter().enumerate() {
        let parts = batches.iter().map(|batch| batch.column(position).clone());
        let mut parts: Vec<ArrayRef> = parts.collect();
        let mut dtype = bare_inside(field.data_type());
        if let Some((times, first)) = times::outside_of_a_day(&parts) {
            parts = parts
                .iter()
                .map(times::as_durations)
                .collect::<Result<_>>()?;
            dtype = times::durations(&dtype);
            notes.push(times::told(field.name(), times, first));
        }
        if let DataType::Decimal256(_, scale) = dtype {
            let (narrow, narrowed, note) = decimals::narrowed(field.name(), scale, &parts)?;
            (dtype, parts) = (narrow, narrowed);
            notes.extend(note);
        }
        if dtype == DataType::Utf8 && layout == TextLayout::Flat {
            parts = parts.iter().map(with_wide_offsets).collect::<Result<_>>()?;
            dtype = DataType::LargeUtf8;
        }
        if dtype == DataType::Float16 {
            parts = parts.iter().map(widened).collect();
            dtype = DataType::Float32;
        }
        fields.push(Arc::new(Field::new(field.name(), dtype, true)));
        columns.push(parts);
    }
    let schema = Arc::new(Schema::new(fields));
    let sizes = batches
        .iter()
        .map(RecordBatch::num_rows)
        .collect::<Vec<_>>();
    drop(batches);
    let mut columns: Vec<_> = columns.into_iter().map(Vec::into_iter).collect();
    let batches = sizes.into_iter().map(|rows| {
        let arrays = columns.iter_mut().filter_map(Iterator::next).collect();
        let options = RecordBatchOptions::new()
            .with_row_count(Some(rows))
            .with_match_field_names(false);
        RecordBatch::try_new_with_options(schema.clone(), arrays, &options).map_err(|error| {
            Error::new(ErrorKind::Internal, "columns that do not fit their types").because(error)
        })
    });
    let batches = batches.collect::<Result<Vec<_>>>()?;
    let reader = RecordBatchIterator::new(batches.into_iter().map(Ok), schema);
    let mut table = border::from_arrow_rs(Box::new(reader), layout == TextLayout::Flat)?;
    debug_assert_eq!(table.height(), rows);
    table.notes = notes;
    Ok(table)
}

/// The positions of the wanted columns, in the order of the file.
///
/// # Errors
/// [`ErrorKind::Column`] for one that the file lacks.
pub(super) fn chosen(fields: &Fields, options: &ReadOptions) -> Result<Vec<usize>> {
    let Some(only) = &options.only else {
        return Ok((0..fields.len()).collect());
    };
    let names = || fields.iter().map(|field| field.name().as_str());
    if !options.some_lack {
        let there: HashSet<&str> = names().collect();
        if let Some(wanted) = only.iter().find(|name| !there.contains(name.as_str())) {
            return Err(unknown_column(wanted, names().collect::<Vec<_>>()));
        }
    }
    let wanted: HashSet<&str> = only.iter().map(String::as_str).collect();
    let chosen = names()
        .enumerate()
        .filter(|(_, name)| wanted.contains(name));
    Ok(chosen.map(|(position, _)| position).collect())
}

/// The type without the metadata of the fields inside it.
///
/// Extension types (geometry, JSON, UUID) are only named in the metadata; their values are plain.
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

/// Texts with 64-bit offsets; the bytes stay where they are.
fn with_wide_offsets(column: &ArrayRef) -> Result<ArrayRef> {
    let texts = column.as_string::<i32>();
    let offsets: Vec<i64> = texts.offsets().iter().map(|end| i64::from(*end)).collect();
    let offsets = OffsetBuffer::new(offsets.into());
    let wide = LargeStringArray::try_new(offsets, texts.values().clone(), texts.nulls().cloned());
    let wide = wide
        .map_err(|error| Error::new(ErrorKind::Internal, "texts that are none").because(error))?;
    Ok(Arc::new(wide))
}

/// 16-bit floats as 32-bit ones: polars is built without the narrow type, and the wider one holds
/// every value.
fn widened(column: &ArrayRef) -> ArrayRef {
    match column.as_primitive_opt::<Float16Type>() {
        Some(halves) => Arc::new(halves.unary::<_, Float32Type>(f32::from)),
        None => column.clone(),
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
