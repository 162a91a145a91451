//! A table from records: one column per key, in the order the keys are first seen.

use crate::error::{Error, ErrorKind, Place, Result, quoted};
use crate::note::{Note, Topic};
use crate::table::{ColumnInfo, Table};
use crate::text;
use crate::value::Value;

use super::column::ColumnBuilder;
use super::object::{Objects, SPARSE_RECORDS};

/// Builds a table from records: keys in first-seen order over all records, a missing key is a
/// missing value.
///
/// ```
/// use hs_core::Value;
/// use hs_core::builder::RecordsBuilder;
/// let mut records = RecordsBuilder::new();
/// for (key, value) in [("a", 1), ("b", 2)] {
///     records.begin();
///     records.push(key, &Value::Int(value));
///     records.end();
/// }
/// let table = records.finish()?;
/// assert_eq!((table.height(), table.width()), (2, 2));
/// # Ok::<(), hs_core::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct RecordsBuilder {
    objects: Objects,
    repeated: u64,
    first_repeated: Option<(String, u64)>,
    /// Set once the records have so little in common that a table of them is refused.
    refused: Option<usize>,
    discarded: ColumnBuilder,
}

impl RecordsBuilder {
    /// No records.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many records are complete.
    pub fn len(&self) -> usize {
        self.objects.len
    }

    /// True when no record is complete.
    pub fn is_empty(&self) -> bool {
        self.objects.len == 0
    }

    /// Begins a record.
    pub fn begin(&mut self) {
        if self.refused.is_none() && self.objects.is_sparse(SPARSE_RECORDS) {
            self.refused = Some(self.objects.len);
        }
        self.objects.begin();
    }

    /// Gives the current record a value. A key that comes twice keeps its last value; it is
    /// counted and told.
    pub fn push(&mut self, key: &str, value: &Value) {
        let row = self.objects.len as u64 + 1;
        let (column, repeated) = self.field(key);
        column.push(value);
        if repeated {
            self.repeated += 1;
            self.first_repeated
                .get_or_insert_with(|| (key.to_owned(), row));
        }
    }

    /// The column for the value of `key` in the current record, and whether the record had that
    /// key before: its earlier value is then forgotten, and telling so is up to the caller.
    pub(crate) fn field(&mut self, key: &str) -> (&mut ColumnBuilder, bool) {
        if self.refused.is_some() {
            self.discarded = ColumnBuilder::new();
            return (&mut self.discarded, false);
        }
        self.objects.field(key)
    }

    /// Ends the record.
    pub fn end(&mut self) {
        self.objects.close();
    }

    /// Forgets what was given since the record began.
    pub(crate) fn cancel(&mut self) {
        let len = self.objects.len;
        self.objects.truncate(len);
    }

    /// Takes over the records of `other` behind the own ones.
    pub(crate) fn append(&mut self, other: Self) {
        let shift = self.objects.len as u64;
        if self.refused.is_none() {
            let len = self.objects.len;
            self.refused = other.refused.map(|records| records + len);
            self.objects.append(other.objects);
        }
        self.repeated += other.repeated;
        if self.first_repeated.is_none() {
            self.first_repeated = other
                .first_repeated
                .map(|(key, record)| (key, record + shift));
        }
    }

    /// Ends the records.
    ///
    /// # Errors
    /// [`ErrorKind::Format`] when the records have so many different keys that a table of them
    /// would be almost only missing values.
    pub fn finish(mut self) -> Result<Table> {
        let (height, keys) = (self.objects.len, self.objects.fields.len());
        if self.refused.is_some() || self.objects.is_sparse_when_whole(SPARSE_RECORDS) {
            let message = format!(
                "expected records with common keys, found {} different keys in the first {}",
                text::count(keys as u64),
                text::counted(self.refused.unwrap_or(height) as u64, "record"),
            );
            return Err(Error::new(ErrorKind::Format, message).hint(
                "give every record the same keys: one column for the key, one for the value",
            ));
        }
        self.objects.settle();
        let mut notes = Vec::new();
        if let Some((key, record)) = &self.first_repeated {
            let text = format!(
                "{}, the last value is kept (first: {} in record {})",
                text::counted(self.repeated, "repeated key"),
                quoted(key),
                text::count(*record),
            );
            let place = Place::default().row(*record).column(key);
            notes.push(Note::new(Topic::Rows, text).counted(self.repeated, place));
        }
        let mut columns = Vec::with_capacity(keys);
        for field in self.objects.fields {
            let built = field.column.finish(&field.name);
            if let Some(text) = built.note {
                let mut note = Note::new(Topic::Types, text);
                note.place = Place::default().column(&field.name);
                notes.push(note);
            }
            let info = ColumnInfo {
                name: field.name,
                kind: built.kind,
            };
            columns.push((info, built.column));
        }
        let mut table = Table::from_columns(height, columns)?;
        table.notes = notes;
        Ok(table)
    }
}
