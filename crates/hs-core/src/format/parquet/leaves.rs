//! The Arrow types that the leaves of a parquet file are read as, where the usual one loses the
//! meaning, has no place in a table, or would be copied once more on its way there.

use std::sync::Arc;

use arrow_schema::{DataType, Field, FieldRef, Fields, Schema, SchemaRef};
use parquet::arrow::arrow_reader::ArrowReaderMetadata;
use parquet::basic::{ConvertedType, LogicalType};
use parquet::schema::types::ColumnDescriptor;

use crate::format::TextLayout;

/// Gives a leaf another Arrow type, or leaves it; told whether it is inside another type.
pub(super) trait Change: Fn(&ColumnDescriptor, &DataType, bool) -> Option<DataType> {}

impl<F: Fn(&ColumnDescriptor, &DataType, bool) -> Option<DataType>> Change for F {}

/// The Arrow schema of the file with the changes made; `None` when there are none.
pub(super) fn retyped(metadata: &ArrowReaderMetadata, change: impl Change) -> Option<SchemaRef> {
    let schema = metadata.schema();
    let leaves = metadata.parquet_schema();
    let mut next = 0..leaves.num_columns();
    let mut visit = |dtype: &DataType, nested: bool| {
        let leaf = leaves.column(next.next()?);
        change(&leaf, dtype, nested)
    };
    let fields: Fields = schema
        .fields()
        .iter()
        .map(|field| retyped_field(field, false, &mut visit))
        .collect();
    let changed = fields != *schema.fields();
    changed.then(|| Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone())))
}

/// The leaves below a field come in the order of the file's columns.
fn retyped_field(
    field: &FieldRef,
    nested: bool,
    visit: &mut impl FnMut(&DataType, bool) -> Option<DataType>,
) -> FieldRef {
    let mut inside = |field: &FieldRef| retyped_field(field, true, &mut *visit);
    let dtype = match field.data_type() {
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(inside).collect()),
        DataType::List(item) => DataType::List(inside(item)),
        DataType::LargeList(item) => DataType::LargeList(inside(item)),
        DataType::FixedSizeList(item, size) => DataType::FixedSizeList(inside(item), *size),
        DataType::Map(entries, sorted) => DataType::Map(inside(entries), *sorted),
        leaf => visit(leaf, nested).unwrap_or_else(|| leaf.clone()),
    };
    Arc::new(Field::clone(field).with_data_type(dtype))
}

/// ENUM is UTF-8 text (parquet-format, LogicalTypes.md); narrow decimals and dictionaries inside
/// other types are read as what polars has; text and bytes as views or flat, as they are to lie.
pub(super) fn fitting(layout: TextLayout) -> impl Change {
    move |leaf, dtype, nested| {
        let is_enum = matches!(leaf.logical_type_ref(), Some(LogicalType::Enum))
            || leaf.converted_type() == ConvertedType::ENUM;
        match dtype {
            DataType::Decimal32(precision, scale) | DataType::Decimal64(precision, scale) => {
                Some(DataType::Decimal128(*precision, *scale))
            }
            DataType::Dictionary(_, value) if nested => {
                Some(lying(value, is_enum, TextLayout::Views).unwrap_or_else(|| (**value).clone()))
            }
            dtype if nested => lying(dtype, is_enum, TextLayout::Views),
            dtype => lying(dtype, is_enum, layout),
        }
    }
}

/// Text and bytes as they are to lie in memory.
fn lying(dtype: &DataType, is_enum: bool, layout: TextLayout) -> Option<DataType> {
    let text = match layout {
        TextLayout::Views => DataType::Utf8View,
        TextLayout::Flat => DataType::LargeUtf8,
    };
    match dtype {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Some(text),
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView if is_enum => Some(text),
        DataType::Binary | DataType::LargeBinary => Some(DataType::BinaryView),
        _ => None,
    }
}
