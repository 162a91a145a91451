//! Reads a parquet file: which columns and rows of it, and what becomes of them.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_schema::{Field, FieldRef, Schema, SchemaRef};
use bytes::Bytes;

use super::decode::{Batches, Plan};
use super::input::Input;
use super::{footer, int96};
use crate::control::Control;
use crate::error::{Error, ErrorKind, Place, Result};
use crate::format::{ReadOptions, TextLayout, columnar};
use crate::source::Source;
use crate::table::Table;

/// Reads a parquet file, of it only the columns and rows that are wanted.
///
/// # Errors
/// [`ErrorKind::Format`] when it is broken, cut off or encrypted, [`ErrorKind::Type`] with the
/// column for a type that has no place in a table, [`ErrorKind::Column`] for a wanted column that it lacks.
pub fn read(source: Source, options: &ReadOptions, control: &Control) -> Result<Table> {
    let input = open(source, control)?;
    let footer = footer::load(&input, options.text)?;
    let fields = footer.metadata.schema().fields().clone();
    let roots = columnar::chosen(&fields, options)?;
    let whole = footer.metadata.metadata().clone();
    let groups = footer::groups(&whole, options.rows);
    let leaves = footer::leaves_of_roots(&footer.metadata);
    footer::check(&footer, &groups, &roots, &leaves)?;
    let height: usize = groups.iter().map(|group| group.rows).sum();
    let rows = usize::try_from(whole.file_metadata().num_rows()).unwrap_or(height);
    let plan = Plan {
        input,
        footer: footer.metadata,
        groups,
        roots,
        leaves,
        batch: 0,
    }
    .in_batches();
    let mut columns = plan.decode(control)?;
    let mut notes = Vec::new();
    let mut read_as: Vec<FieldRef> = Vec::with_capacity(columns.len());
    for (root, batches) in plan.roots.iter().zip(&mut columns) {
        notes.extend(int96::settle(&plan, *root, batches, control)?);
        let field = Field::clone(&fields[*root]);
        let dtype = match batches.first() {
            Some(batch) => batch.data_type().clone(),
            None => int96::unit_of_none(&plan, *root),
        };
        // Times beyond all units are missing also where the file has none missing.
        read_as.push(Arc::new(field.with_data_type(dtype).with_nullable(true)));
    }
    let schema = Arc::new(Schema::new(read_as));
    let batches = side_by_side(&schema, columns, height)?;
    let mut table = columnar::table(&schema, batches, options.text)?;
    table.notes.splice(0..0, notes);
    table.left_out = rows.saturating_sub(height);
    Ok(table)
}

/// The names of the columns, by the footer alone.
///
/// # Errors
/// [`ErrorKind::Format`] when there is none, or one that makes no sense.
pub fn names(source: Source, control: &Control) -> Result<Vec<String>> {
    let footer = footer::load(&open(source, control)?, TextLayout::default())?;
    let fields = footer.metadata.schema().fields().iter();
    Ok(fields.map(|field| field.name().clone()).collect())
}

fn open(source: Source, control: &Control) -> Result<Input> {
    // A plain file is read at the places that are needed; anything else has to be in memory.
    let Some(file) = source.plain_file() else {
        return Ok(Input::Bytes(Bytes::from(source.read(control)?)));
    };
    let again = file
        .try_clone()
        .and_then(|file| Ok((file.metadata()?.len(), file)));
    let (size, file) = again.map_err(|error| {
        Error::new(ErrorKind::Io, format!("cannot open: {error}"))
            .at(Place::source(source.name()))
            .because(error)
    })?;
    Ok(Input::File(Arc::new(file), size))
}

/// The columns as batches; a table without columns still has rows.
fn side_by_side(
    schema: &SchemaRef,
    columns: Vec<Batches>,
    height: usize,
) -> Result<Vec<RecordBatch>> {
    let batch = |arrays: Vec<ArrayRef>, rows: usize| {
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        RecordBatch::try_new_with_options(schema.clone(), arrays, &options).map_err(|error| {
            Error::new(ErrorKind::Internal, "columns that do not line up").because(error)
        })
    };
    if columns.is_empty() {
        return Ok(vec![batch(Vec::new(), height)?]);
    }
    let count = columns.first().map_or(0, Vec::len);
    let mut columns: Vec<_> = columns.into_iter().map(Vec::into_iter).collect();
    let rows = (0..count).map(|_| {
        let arrays: Vec<ArrayRef> = columns.iter_mut().filter_map(Iterator::next).collect();
        let rows = arrays.first().map_or(0, Array::len);
        batch(arrays, rows)
    });
    rows.collect()
}
