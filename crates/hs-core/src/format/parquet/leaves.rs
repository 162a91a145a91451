//! The Arrow types that the leaves of a parquet file are read as, where the usual one loses the
//! meaning or has no place in a table.

use std::sync::Arc;

use arrow_schema::{DataType, Field, FieldRef, Fields, Schema, SchemaRef};
use parquet::arrow::arrow_reader::ArrowReaderMetadata;
use parquet::basic::{ConvertedType, LogicalType};
use parquet::schema::types::ColumnDescriptor;

/// Gives a leaf another Arrow type, or leaves it.
type Change = fn(leaf: &ColumnDescriptor, dtype: &DataType, nested: bool) -> Option<DataType>;

/// The Arrow schema of the file with the changes made; `None` when there are none.
pub(super) fn retyped(metadata: &ArrowReaderMetadata, change: Change) -> Option<SchemaRef> {
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
/// other types are read as what polars has.
pub(super) fn fitting(leaf: &ColumnDescriptor, dtype: &DataType, nested: bool) -> Option<DataType> {
    let is_enum = matches!(leaf.logical_type_ref(), Some(LogicalType::Enum))
        || leaf.converted_type() == ConvertedType::ENUM;
    match dtype {
        DataType::Binary if is_enum => Some(DataType::Utf8),
        DataType::Decimal32(precision, scale) | DataType::Decimal64(precision, scale) => {
            Some(DataType::Decimal128(*precision, *scale))
        }
        DataType::Dictionary(_, value) if nested => Some(value.as_ref().clone()),
        _ => None,
    }
}
