//! Writes a table as parquet: zstd, row groups of about a million rows, the columns of a group encoded
//! side by side, each group written before the next is made. Changes no value; what the format cannot
//! carry is told.

use std::io::Write;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef};
use arrow_schema::{Field, Schema, SchemaRef};
use parquet::arrow::arrow_writer::{
    ArrowColumnChunk, ArrowColumnWriter, ArrowRowGroupWriterFactory, compute_leaves,
};
use parquet::arrow::{ArrowSchemaConverter, add_encoded_arrow_schema_to_metadata};
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::SchemaDescriptor;
use rayon::prelude::*;

use super::stored::{Stored, stored};
use crate::control::Control;
use crate::error::{Error, ErrorKind, Place, Result};
use crate::format::columnar;
use crate::note::Note;
use crate::table::Table;

/// Rows of a row group.
const GROUP: usize = 1 << 20;
/// Bytes of a row group as it lies in memory; a wider table has fewer rows in one.
const GROUP_BYTES: usize = 1 << 30;
/// Fewer rows than this make no row group of their own, however wide they are.
const LEAST: usize = 1 << 10;
/// Rows between two looks at the stop request, and bytes of wide ones.
const STEP: usize = 1 << 15;
const STEP_BYTES: usize = 16 << 20;
/// The level that zstd itself starts from.
const LEVEL: i32 = 3;
/// Bytes of a page, before it is packed, and its rows.
const PAGE: usize = 1 << 20;
const PAGE_ROWS: usize = 1 << 17;

/// Writes the table; the notes say what it will not read back as it was.
///
/// # Errors
/// [`ErrorKind::Type`] for a name that the format cannot carry, [`ErrorKind::Io`] when `out` takes no
/// more, and a stop request.
pub fn write(table: &Table, out: &mut (dyn Write + Send), control: &Control) -> Result<Vec<Note>> {
    let (columns, notes) = stored(table, control)?;
    let fields: Vec<_> = columns.iter().map(|column| column.field.clone()).collect();
    let schema: SchemaRef = Arc::new(Schema::new(fields));
    let converted = ArrowSchemaConverter::new()
        .convert(&schema)
        .map_err(not_written)?;
    let properties = properties(&schema, &columns, &converted);
    let root = converted.root_schema_ptr();
    let mut file = SerializedFileWriter::new(out, root, properties).map_err(not_written)?;
    let factory = ArrowRowGroupWriterFactory::new(&file, schema);
    control.start("writing", table.height() as u64);
    let bytes = (table.frame().estimated_size() / table.height().max(1)).max(1);
    // Rows of one row group, and of one step inside it.
    let rows = (GROUP_BYTES / bytes).clamp(LEAST, GROUP);
    let step = (STEP_BYTES / bytes).clamp(1, STEP);
    for (number, start) in (0..table.height()).step_by(rows).enumerate() {
        let end = (start + rows).min(table.height());
        let writers = factory.create_column_writers(number).map_err(not_written)?;
        let mut writers = writers.into_iter();
        let work: Vec<(&Stored, Vec<ArrowColumnWriter>)> = columns
            .iter()
            .map(|column| (column, writers.by_ref().take(column.leaves).collect()))
            .collect();
        let chunks: Vec<Vec<ArrowColumnChunk>> = work
            .into_par_iter()
            .with_max_len(1)
            .map(|(column, leaves)| {
                let parts = slices(&column.parts, start..end, step);
                encode(column, leaves, parts, control)
            })
            .collect::<Result<_>>()?;
        let mut group = file.next_row_group().map_err(not_written)?;
        for chunk in chunks.into_iter().flatten() {
            control.check()?;
            chunk.append_to_row_group(&mut group).map_err(not_written)?;
        }
        group.close().map_err(not_written)?;
        control.reach(end as u64);
    }
    file.close().map_err(not_written)?;
    Ok(notes)
}

fn properties(
    schema: &Schema,
    columns: &[Stored],
    converted: &SchemaDescriptor,
) -> Arc<WriterProperties> {
    let level = ZstdLevel::try_new(LEVEL).unwrap_or_default();
    let mut properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(level))
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_data_page_size_limit(PAGE)
        .set_data_page_row_count_limit(PAGE_ROWS);
    let mut leaf = 0;
    for column in columns {
        // Only of columns without others inside it is known whether their values repeat.
        if column.leaves == 1 {
            let path = converted.column(leaf).path().clone();
            let pays = column.dictionary.is_some();
            properties = properties.set_column_dictionary_enabled(path.clone(), pays);
            if let Some(size) = column.dictionary.and_then(|found| found.size) {
                properties = properties.set_column_dictionary_page_size_limit(path, size);
            }
        }
        leaf += column.leaves;
    }
    let mut properties = properties.build();
    add_encoded_arrow_schema_to_metadata(schema, &mut properties);
    Arc::new(properties)
}

/// Some rows of a column, in slices of at most `step`.
fn slices(parts: &[ArrayRef], rows: Range<usize>, step: usize) -> impl Iterator<Item = ArrayRef> {
    let mut first = 0;
    let parts = parts.iter().filter_map(move |part| {
        let there = first..first + part.len();
        first = there.end;
        let (from, to) = (rows.start.max(there.start), rows.end.min(there.end));
        (from < to).then(|| part.slice(from - there.start, to - from))
    });
    parts.flat_map(move |part| {
        let rows = part.len();
        (0..rows)
            .step_by(step)
            .map(move |from| part.slice(from, step.min(rows - from)))
    })
}

fn encode(
    column: &Stored,
    mut writers: Vec<ArrowColumnWriter>,
    parts: impl Iterator<Item = ArrayRef>,
    control: &Control,
) -> Result<Vec<ArrowColumnChunk>> {
    let broken =
        |error: ParquetError| not_written(error).at(Place::default().column(column.field.name()));
    for part in parts {
        control.check()?;
        let part = column.turned(&part);
        let field = Field::new(column.field.name(), part.data_type().clone(), true);
        let leaves = compute_leaves(&field, &part).map_err(broken)?;
        for (writer, leaf) in writers.iter_mut().zip(&leaves) {
            writer.write(leaf).map_err(broken)?;
        }
    }
    let closed = writers.into_iter().map(ArrowColumnWriter::close);
    closed.collect::<Result<_, _>>().map_err(broken)
}

fn not_written(error: ParquetError) -> Error {
    // What the sink refused, in its words.
    let reason = match &error {
        ParquetError::External(inside) => columnar::reason(inside),
        error => columnar::reason(error),
    };
    let message = format!("cannot write the parquet data: {reason}");
    Error::new(ErrorKind::Io, message).because(error)
}
