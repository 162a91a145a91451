//! Writes a table as an Arrow IPC file (Feather 2): nothing packed, so that any reader takes it and
//! many map it into memory as it is. Changes no value; what the format cannot carry is told.

use std::io::Write;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_ipc::writer::FileWriter;
use arrow_schema::{ArrowError, Field, Schema};

use super::categories;
use crate::control::Control;
use crate::error::{Error, ErrorKind, Result};
use crate::format::columnar;
use crate::note::Note;
use crate::table::{Kind, Table};

/// Rows of one batch; a stop request is seen between two.
const BATCH: usize = 1 << 17;

/// Writes the table; the notes say what it will not read back as it was.
///
/// # Errors
/// [`ErrorKind::Type`] for a name that the format cannot carry, [`ErrorKind::Io`] when `out` takes no
/// more, and a stop request.
pub fn write(table: &Table, out: &mut (dyn Write + Send), control: &Control) -> Result<Vec<Note>> {
    let (schema, batches) = columnar::batches(table, control)?;
    let mut notes: Vec<Note> = columnar::mixed_as_text(table).into_iter().collect();
    let mut fields = Vec::with_capacity(table.width());
    let mut columns: Vec<Vec<ArrayRef>> = Vec::with_capacity(table.width());
    for (position, ((info, column), field)) in table.iter().zip(schema.fields()).enumerate() {
        control.check()?;
        let parts = batches.iter().map(|batch| batch.column(position));
        let parts = parts.map(|part| columnar::untyped(part, column.dtype()));
        let mut parts: Vec<ArrayRef> = parts.collect::<Result<_>>()?;
        if info.kind == Kind::Category {
            match categories::encoded(&parts, field.data_type()) {
                Some(encoded) => parts = encoded,
                None => notes.push(categories::plain(&info.name)),
            }
        }
        let dtype = parts
            .first()
            .map_or(field.data_type(), |part| part.data_type());
        // Names may repeat here.
        fields.push(Field::new(&info.name, dtype.clone(), true));
        columns.push(parts);
    }
    let schema = Arc::new(Schema::new(fields));
    let mut file = FileWriter::try_new(out, &schema).map_err(not_written)?;
    control.start("writing", table.height() as u64);
    let mut sizes: Vec<usize> = batches.iter().map(RecordBatch::num_rows).collect();
    if table.width() == 0 {
        // Rows without columns have nothing that they could lie in.
        sizes = vec![table.height()];
    }
    for (part, rows) in sizes.into_iter().enumerate() {
        for start in (0..rows).step_by(BATCH) {
            control.check()?;
            let length = BATCH.min(rows - start);
            let arrays = columns.iter().map(|parts| parts[part].slice(start, length));
            let options = RecordBatchOptions::new().with_row_count(Some(length));
            let batch =
                RecordBatch::try_new_with_options(schema.clone(), arrays.collect(), &options);
            let batch = batch.map_err(|error| {
                Error::new(ErrorKind::Internal, "columns that do not line up").because(error)
            })?;
            file.write(&batch).map_err(not_written)?;
            control.advance(length as u64);
        }
    }
    file.finish().map_err(not_written)?;
    Ok(notes)
}

fn not_written(error: ArrowError) -> Error {
    let message = format!("cannot write the Arrow data: {}", columnar::reason(&error));
    Error::new(ErrorKind::Io, message).because(error)
}
