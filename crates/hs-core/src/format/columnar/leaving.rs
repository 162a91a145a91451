//! A table on its way to the writers of the `arrow` crates.

use std::borrow::Cow;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, RecordBatch, make_array};
use arrow_data::ArrayData;
use arrow_schema::{ArrowError, DataType, Field, FieldRef, SchemaRef};
use polars::prelude::{Column, DataType as Stores, Field as StoredField};

use crate::border;
use crate::control::Control;
use crate::error::{Error, ErrorKind, Result};
use crate::table::{ColumnInfo, Table};

/// The batches of a table, texts as bytes with offsets. What has no type (nothing but missing values) is 32-bit numbers, also
/// inside other types: the crates differ in how many buffers it has. [`untyped`] undoes that.
///
/// # Errors
/// As [`border::export`], and a stop request.
pub fn batches(table: &Table, control: &Control) -> Result<(SchemaRef, Vec<RecordBatch>)> {
    let table = typed(table)?;
    let positions: Vec<usize> = (0..table.width()).collect();
    border::into_arrow_rs(border::export_plain(&table, &positions, control)?)
}

/// The values of each column, with types as in [`batches`] but texts where they lie, in parts of its
/// own: nothing is copied to bring the ends of all columns to the same rows.
///
/// # Errors
/// As [`border::export`].
pub fn parts(table: &Table) -> Result<Vec<Vec<ArrayRef>>> {
    let table = typed(table)?;
    let columns = table.iter().map(|(info, column)| {
        let one = Table::from_columns(table.height(), [(info.clone(), column.clone())])?;
        let (_, batches) = border::into_arrow_rs(border::export(&one)?)?;
        Ok(batches
            .iter()
            .map(|batch| batch.column(0).clone())
            .collect())
    });
    columns.collect()
}

fn typed(table: &Table) -> Result<Cow<'_, Table>> {
    if !table
        .frame()
        .columns()
        .iter()
        .any(|column| has_none(column.dtype()))
    {
        return Ok(Cow::Borrowed(table));
    }
    let columns = table.iter().map(|(info, column)| {
        let column = if has_none(column.dtype()) {
            column
                .cast(&with_numbers(column.dtype()))
                .map_err(|error| {
                    Error::new(ErrorKind::Internal, "missing values that have a type")
                        .because(error)
                })?
        } else {
            column.clone()
        };
        Ok((info.clone(), column))
    });
    let columns = columns.collect::<Result<Vec<(ColumnInfo, Column)>>>()?;
    Table::from_columns(table.height(), columns).map(Cow::Owned)
}

/// True for a type with an unknown one in it.
pub fn has_none(dtype: &Stores) -> bool {
    match dtype {
        Stores::Null => true,
        Stores::List(inside) | Stores::Array(inside, _) => has_none(inside),
        Stores::Struct(fields) => fields.iter().any(|field| has_none(field.dtype())),
        _ => false,
    }
}

fn with_numbers(dtype: &Stores) -> Stores {
    match dtype {
        Stores::Null => Stores::Int32,
        Stores::List(inside) => Stores::List(Box::new(with_numbers(inside))),
        Stores::Array(inside, size) => Stores::Array(Box::new(with_numbers(inside)), *size),
        Stores::Struct(fields) => {
            let field = |field: &StoredField| {
                StoredField::new(field.name().clone(), with_numbers(field.dtype()))
            };
            Stores::Struct(fields.iter().map(field).collect())
        }
        other => other.clone(),
    }
}

/// A column without the types that [`batches`] gave it; `stored` is the type that it has in its table.
///
/// # Errors
/// [`ErrorKind::Internal`] when it is not of that type.
pub fn untyped(column: &ArrayRef, stored: &Stores) -> Result<ArrayRef> {
    if !has_none(stored) {
        return Ok(column.clone());
    }
    let data = none(&column.to_data(), stored).map_err(|error| {
        Error::new(ErrorKind::Internal, "missing values without a type").because(error)
    })?;
    Ok(make_array(data))
}

fn none(data: &ArrayData, stored: &Stores) -> std::result::Result<ArrayData, ArrowError> {
    let inside: Vec<&Stores> = match stored {
        Stores::Null => return Ok(ArrayData::new_null(&DataType::Null, data.len())),
        Stores::List(inside) | Stores::Array(inside, _) => vec![inside],
        Stores::Struct(fields) => fields.iter().map(StoredField::dtype).collect(),
        _ => return Ok(data.clone()),
    };
    let children = data.child_data().iter().zip(inside);
    let children = children.map(|(child, stored)| none(child, stored));
    let children = children.collect::<std::result::Result<Vec<_>, _>>()?;
    let mut types = children.iter().map(|child| child.data_type().clone());
    let mut item = |field: &FieldRef| -> FieldRef {
        let dtype = types.next().unwrap_or(DataType::Null);
        Arc::new(Field::clone(field).with_data_type(dtype))
    };
    let dtype = match data.data_type() {
        DataType::List(field) => DataType::List(item(field)),
        DataType::LargeList(field) => DataType::LargeList(item(field)),
        DataType::FixedSizeList(field, size) => DataType::FixedSizeList(item(field), *size),
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(item).collect()),
        other => other.clone(),
    };
    data.clone()
        .into_builder()
        .data_type(dtype)
        .child_data(children)
        .build()
}
