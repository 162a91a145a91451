//! INT96 timestamps: a Julian day and the nanoseconds of that day, as Impala and Spark write them.
//!
//! Years 1500 and 9999 fit that and do not fit 64-bit nanoseconds, so these columns are read in three
//! units: in microseconds, which hold every year that people write, in nanoseconds, which wrap, and
//! in seconds, which never wrap. Together they tell whether a column has digits below the
//! microsecond, and days that no microseconds hold.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_data::ArrayData;
use arrow_schema::{DataType, Field, FieldRef, Schema, SchemaRef, TimeUnit};
use parquet::arrow::arrow_reader::ArrowReaderMetadata;
use parquet::basic::Type;
use parquet::schema::types::ColumnDescriptor;

use crate::error::{Error, ErrorKind, Place, Result};

/// The columns, from 0, that are or contain INT96.
pub(super) fn columns(metadata: &ArrowReaderMetadata) -> Vec<usize> {
    let schema = metadata.parquet_schema();
    let mut columns: Vec<usize> = (0..schema.num_columns())
        .filter(|leaf| schema.column(*leaf).physical_type() == Type::INT96)
        .map(|leaf| schema.get_column_root_idx(leaf))
        .collect();
    columns.dedup();
    columns
}

/// INT96 in microseconds.
pub(super) fn in_micros(leaf: &ColumnDescriptor, dtype: &DataType, _: bool) -> Option<DataType> {
    match dtype {
        DataType::Timestamp(_, zone) if leaf.physical_type() == Type::INT96 => {
            Some(DataType::Timestamp(TimeUnit::Microsecond, zone.clone()))
        }
        _ => None,
    }
}

/// INT96 in seconds.
pub(super) fn in_seconds(leaf: &ColumnDescriptor, dtype: &DataType, _: bool) -> Option<DataType> {
    match dtype {
        DataType::Timestamp(_, zone) if leaf.physical_type() == Type::INT96 => {
            Some(DataType::Timestamp(TimeUnit::Second, zone.clone()))
        }
        _ => None,
    }
}

/// The batches with each INT96 column in nanoseconds when it has such digits, else in microseconds.
///
/// # Errors
/// [`ErrorKind::Type`] names a column that has both nanosecond digits and years that nanoseconds
/// cannot hold, or days that not even microseconds hold.
pub(super) fn finest(
    schema: &SchemaRef,
    mut whole: Vec<RecordBatch>,
    fine: &[RecordBatch],
    rough: &[RecordBatch],
    columns: &[usize],
) -> Result<(SchemaRef, Vec<RecordBatch>)> {
    let mut fields: Vec<FieldRef> = schema.fields().iter().cloned().collect();
    for (position, at) in columns.iter().enumerate() {
        let pairs = || {
            whole
                .iter()
                .zip(fine)
                .map(|(whole, fine)| (whole.column(*at), fine.column(position)))
        };
        let mut found = Digits::default();
        for ((micros, nanos), rough) in pairs().zip(rough) {
            let seconds = rough.column(position).to_data();
            found.compare(&micros.to_data(), &nanos.to_data(), &seconds);
        }
        if found.beyond_micros {
            let message = "expected INT96 times within 290,000 years of 1970, found days that no 64-bit \
                           microseconds hold";
            return Err(Error::new(ErrorKind::Type, message)
                .at(Place::default().column(schema.field(*at).name()))
                .hint("write the column again as text"));
        }
        if !found.below_micros {
            continue;
        }
        if found.beyond_nanos {
            let message = "expected INT96 times in microseconds or within the years 1677 to 2262, \
                           found nanoseconds and other years";
            return Err(Error::new(ErrorKind::Type, message)
                .at(Place::default().column(schema.field(*at).name()))
                .hint("write the column again as TIMESTAMP(MICROS)"));
        }
        let columns: Vec<ArrayRef> = pairs().map(|(_, nanos)| nanos.clone()).collect();
        if let (Some(first), Some(field)) = (columns.first(), fields.get_mut(*at)) {
            *field = Arc::new(Field::clone(field).with_data_type(first.data_type().clone()));
        }
        let schema = Arc::new(Schema::new(fields.clone()));
        whole = whole
            .into_iter()
            .zip(columns)
            .map(|(batch, column)| {
                let rows = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
                let mut arrays = batch.columns().to_vec();
                arrays[*at] = column;
                RecordBatch::try_new_with_options(schema.clone(), arrays, &rows)
            })
            .collect::<Result<_, _>>()
            .map_err(|error| {
                Error::new(ErrorKind::Internal, "INT96 columns do not line up").because(error)
            })?;
    }
    Ok((Arc::new(Schema::new(fields)), whole))
}

/// What the values of a column need.
#[derive(Default)]
struct Digits {
    below_micros: bool,
    beyond_nanos: bool,
    beyond_micros: bool,
}

impl Digits {
    /// Looks at all timestamps inside three arrays of the same values.
    fn compare(&mut self, micros: &ArrayData, nanos: &ArrayData, seconds: &ArrayData) {
        if let (
            DataType::Timestamp(TimeUnit::Microsecond, _),
            DataType::Timestamp(TimeUnit::Nanosecond, _),
            DataType::Timestamp(TimeUnit::Second, _),
        ) = (micros.data_type(), nanos.data_type(), seconds.data_type())
        {
            let all = values(micros).zip(values(nanos)).zip(values(seconds));
            for (index, ((coarse, fine), rough)) in all.enumerate() {
                if micros.is_valid(index) {
                    self.below_micros |= fine.wrapping_sub(coarse.wrapping_mul(1000)) != 0;
                    self.beyond_nanos |= coarse.checked_mul(1000).is_none();
                    // Off by one where a writer gave the time of day a sign; wrapped by thousands of years.
                    self.beyond_micros |= coarse.div_euclid(1_000_000).abs_diff(rough) > 1;
                }
            }
        }
        let children = micros.child_data().iter().zip(nanos.child_data());
        for ((micros, nanos), seconds) in children.zip(seconds.child_data()) {
            self.compare(micros, nanos, seconds);
        }
    }
}

/// The 64-bit values of an array.
fn values(data: &ArrayData) -> impl Iterator<Item = i64> + '_ {
    let all: &[i64] = data
        .buffers()
        .first()
        .map_or(&[], |buffer| buffer.typed_data());
    all.iter().skip(data.offset()).take(data.len()).copied()
}
