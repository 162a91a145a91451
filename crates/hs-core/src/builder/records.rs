//! A table from records: one column per key, in the order the keys are first seen.

use crate::error::Result;
use crate::table::Table;
use crate::value::Value;

use super::column::ColumnBuilder;
use super::object::Objects;
use super::parts::RecordsParts;

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
    pub(super) objects: Objects,
    pub(super) repeated: u64,
    pub(super) first_repeated: Option<(String, u64)>,
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
    #[inline]
    pub(crate) fn field(&mut self, key: &str) -> (&mut ColumnBuilder, bool) {
        self.objects.field(key)
    }

    /// As [`RecordsBuilder::field`] for the key that `text` begins with, closing quote included,
    /// when that is the one that the record before had at this place; with the length of both.
    #[inline]
    pub(crate) fn expected(&mut self, text: &[u8]) -> Option<(&mut ColumnBuilder, bool, usize)> {
        self.objects.expected(text)
    }

    /// Ends the record.
    #[inline]
    pub fn end(&mut self) {
        self.objects.close();
    }

    /// Forgets what was given since the record began.
    pub(crate) fn cancel(&mut self) {
        let len = self.objects.len;
        self.objects.truncate(len);
    }

    /// Gives back memory that growing has taken in advance.
    pub(crate) fn shrink(&mut self) {
        self.objects.shrink();
    }

    /// Takes over the records of `other` behind the own ones.
    pub(super) fn append(&mut self, other: Self) {
        let shift = self.objects.len as u64;
        self.objects.append(other.objects);
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
    /// [`ErrorKind::Format`](crate::ErrorKind::Format) when the records have so many different keys
    /// that a table of them would be almost only missing values.
    pub fn finish(mut self) -> Result<Table> {
        self.shrink();
        let mut parts = RecordsParts::default();
        parts.push(self)?;
        parts.finish()
    }
}
