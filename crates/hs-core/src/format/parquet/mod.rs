//! The parquet reader. Every type arrives exact; INT96 timestamps in every year.

use std::fs::File;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use bytes::Bytes;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use parquet::errors::ParquetError;
use parquet::file::metadata::{FileMetaData, ParquetMetaData, RowGroupMetaData};
use parquet::file::reader::ChunkReader;

use crate::control::Control;
use crate::error::{Error, ErrorKind, Place, Result};
use crate::format::ReadOptions;
use crate::format::columnar;
use crate::source::Source;
use crate::table::Table;

mod int96;
mod leaves;
#[cfg(test)]
mod tests;

/// Rows of one batch; a stop request is seen between two.
const BATCH: usize = 64 * 1024;

/// Reads a parquet file.
///
/// # Errors
/// [`ErrorKind::Format`] when it is broken, cut off or encrypted, [`ErrorKind::Type`] with the
/// column for a type that has no place in a table.
pub fn read(source: Source, _options: &ReadOptions, control: &Control) -> Result<Table> {
    // A plain file is read at the places that are needed; anything else has to be in memory.
    if let Some(path) = source.plain_path() {
        let file = File::open(path).map_err(|error| {
            Error::new(ErrorKind::Io, format!("cannot open: {error}"))
                .at(Place::source(source.name()))
                .because(error)
        })?;
        return read_from(
            &file,
            |file| file.try_clone().map_err(ParquetError::from),
            control,
        );
    }
    let bytes = Bytes::from(source.read(control)?);
    read_from(&bytes, |bytes| Ok(bytes.clone()), control)
}

fn read_from<T: ChunkReader + 'static>(
    input: &T,
    again: impl Fn(&T) -> parquet::errors::Result<T>,
    control: &Control,
) -> Result<Table> {
    let footer = ArrowReaderMetadata::load(
        input,
        ArrowReaderOptions::new().with_skip_arrow_metadata(true),
    );
    let footer = with_counted_rows(footer.map_err(not_read)?.metadata().clone());
    reserve(&footer)?;
    let load = |options| ArrowReaderMetadata::try_new(footer.clone(), options);
    // An Arrow schema inside that does not fit the file is no reason to refuse the data.
    let options = ArrowReaderOptions::new();
    let inferred = load(options.clone())
        .or_else(|error| load(options.with_skip_arrow_metadata(true)).map_err(|_| error))
        .map_err(not_read)?;
    let plain = match leaves::retyped(&inferred, leaves::fitting) {
        Some(schema) => load(ArrowReaderOptions::new().with_schema(schema)).map_err(not_read)?,
        None => inferred,
    };
    let columns = int96::columns(&plain);
    let batches = |metadata: &ArrowReaderMetadata, columns: Option<&[usize]>| {
        let input = again(input).map_err(not_read)?;
        read_batches(input, metadata, columns, control)
    };
    let Some(coarse) = leaves::retyped(&plain, int96::in_micros) else {
        let (schema, batches) = batches(&plain, None)?;
        return columnar::table(&schema, batches);
    };
    let coarse = load(ArrowReaderOptions::new().with_schema(coarse)).map_err(not_read)?;
    let (schema, whole) = batches(&coarse, None)?;
    let (_, fine) = batches(&plain, Some(&columns))?;
    let (schema, batches) = int96::finest(&schema, whole, &fine, &columns)?;
    columnar::table(&schema, batches)
}

/// The footer with the rows that its row groups have: some writers left the sum at 0, and the
/// reader of the crate then gives none without a word.
fn with_counted_rows(footer: Arc<ParquetMetaData>) -> Arc<ParquetMetaData> {
    let rows = rows(&footer);
    let file = footer.file_metadata();
    if file.num_rows() == rows {
        return footer;
    }
    let file = FileMetaData::new(
        file.version(),
        rows,
        file.created_by().map(str::to_owned),
        file.key_value_metadata().cloned(),
        file.schema_descr_ptr(),
        file.column_orders().cloned(),
    );
    Arc::new(ParquetMetaData::new(file, footer.row_groups().to_vec()))
}

/// The rows of all row groups.
fn rows(footer: &ParquetMetaData) -> i64 {
    let rows = footer.row_groups().iter().map(RowGroupMetaData::num_rows);
    rows.fold(0, i64::saturating_add)
}

/// Bytes of all columns as they are stored.
fn packed_size(footer: &ParquetMetaData) -> u64 {
    let groups = footer.row_groups().iter();
    let columns = groups.flat_map(RowGroupMetaData::columns);
    columns
        .map(|column| u64::try_from(column.compressed_size()).unwrap_or_default())
        .fold(0, u64::saturating_add)
}

/// Asks for the memory that the unpacked columns need: a few kilobytes may unpack to gigabytes, and
/// the reader of the crate aborts the process when it gets none.
fn reserve(footer: &ParquetMetaData) -> Result<()> {
    let columns = footer
        .row_groups()
        .iter()
        .flat_map(RowGroupMetaData::columns);
    let size = columns
        .map(|column| u64::try_from(column.uncompressed_size()).unwrap_or_default())
        .fold(0u64, u64::saturating_add);
    // Pages and the arrays made of them are there at the same time.
    let size = usize::try_from(size.saturating_mul(2)).unwrap_or(usize::MAX);
    Vec::<u8>::new().try_reserve_exact(size).map_err(|error| {
        Error::new(ErrorKind::Io, "the data does not fit into memory").because(error)
    })
}

fn read_batches<T: ChunkReader + 'static>(
    input: T,
    metadata: &ArrowReaderMetadata,
    columns: Option<&[usize]>,
    control: &Control,
) -> Result<(SchemaRef, Vec<RecordBatch>)> {
    let mut builder = ParquetRecordBatchReaderBuilder::new_with_metadata(input, metadata.clone())
        .with_batch_size(BATCH);
    if let Some(columns) = columns {
        let mask = ProjectionMask::roots(metadata.parquet_schema(), columns.iter().copied());
        builder = builder.with_projection(mask);
    }
    let reader = builder.build().map_err(not_read)?;
    let schema = arrow_array::RecordBatchReader::schema(&reader);
    let size = packed_size(metadata.metadata());
    let rows_in_all = rows(metadata.metadata()).max(1) as u64;
    let mut rows = 0;
    control.start("loading", size);
    let mut batches = Vec::new();
    for batch in reader {
        control.check()?;
        let batch = batch.map_err(|error| refuse(&columnar::reason(&error)).because(error))?;
        rows += batch.num_rows() as u64;
        let reached = u128::from(size) * u128::from(rows) / u128::from(rows_in_all);
        control.reach(u64::try_from(reached).unwrap_or(size));
        batches.push(batch);
    }
    Ok((schema, batches))
}

fn not_read(error: ParquetError) -> Error {
    refuse(&columnar::reason(&error)).because(error)
}

fn refuse(reason: &str) -> Error {
    let error = Error::new(
        ErrorKind::Format,
        format!("cannot read the parquet data: {reason}"),
    );
    if reason.to_lowercase().contains("encrypt") {
        return error.hint("encrypted parquet is not read: decrypt it first");
    }
    error.hint("the file is broken or cut off: fetch or write it again")
}
