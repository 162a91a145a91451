//! Objects with named fields: one growing column per field, fields in the order they were first seen.

use polars::prelude::PlHashMap;

use super::cells::{Texts, Validity};
use super::column::ColumnBuilder;

/// From so many filled-in cells on, objects inside a column that have little in common are kept as
/// JSON text.
pub(super) const SPARSE_OBJECTS: usize = 1 << 22;
/// From so many filled-in cells on, records that have little in common are refused: 1 GiB or so.
pub(super) const SPARSE_RECORDS: usize = 1 << 26;
/// Filled-in cells per given value above which objects have little in common.
const SPARSE_RATIO: usize = 32;

/// One field of all objects.
#[derive(Clone, Debug)]
pub(super) struct Field {
    pub name: String,
    pub column: ColumnBuilder,
    /// Rows (start, count) that have no such key, as opposed to a key with a null.
    missing: Vec<(usize, usize)>,
}

impl Field {
    /// Fills up with missing values to `len`.
    fn pad(&mut self, len: usize) -> usize {
        let start = self.column.len();
        let count = len.saturating_sub(start);
        if count > 0 {
            self.column.push_nulls(count);
            match self.missing.last_mut() {
                Some((first, length)) if *first + *length == start => *length += count,
                _ => self.missing.push((start, count)),
            }
        }
        count
    }

    fn truncate(&mut self, len: usize) {
        self.column.truncate(len);
        while let Some((start, count)) = self.missing.last_mut() {
            if *start < len {
                *count = (*count).min(len - *start);
                return;
            }
            self.missing.pop();
        }
    }

    /// True when some object has the key.
    pub fn is_present(&self) -> bool {
        let missing: usize = self.missing.iter().map(|(_, count)| count).sum();
        missing < self.column.len()
    }

    /// Calls `visit` with every row that has the key.
    fn rows(&self, mut visit: impl FnMut(usize)) {
        let mut next = 0;
        for (start, count) in &self.missing {
            (next..*start).for_each(&mut visit);
            next = start + count;
        }
        (next..self.column.len()).for_each(visit);
    }
}

/// All objects of a column, or all records of a table.
#[derive(Clone, Debug, Default)]
pub(super) struct Objects {
    pub fields: Vec<Field>,
    index: PlHashMap<String, usize>,
    /// Where the next key is expected: most objects repeat the order of the one before.
    cursor: usize,
    /// Objects that are complete.
    pub len: usize,
    pub valid: Validity,
    padded: usize,
    given: usize,
}

impl Objects {
    /// Begins an object.
    pub fn begin(&mut self) {
        self.cursor = 0;
    }

    /// The column of a field, ready for the value of the current object, and whether this object
    /// had the key before (its value is then taken back).
    pub fn field(&mut self, name: &str) -> (&mut ColumnBuilder, bool) {
        let at = match self.fields.get(self.cursor) {
            Some(field) if field.name == name => self.cursor,
            _ => self.find(name),
        };
        self.cursor = at + 1;
        self.given += 1;
        let field = &mut self.fields[at];
        if field.column.len() < self.len {
            self.padded += field.pad(self.len);
        }
        let repeated = field.column.len() > self.len;
        if repeated {
            field.truncate(self.len);
        }
        (&mut field.column, repeated)
    }

    fn find(&mut self, name: &str) -> usize {
        if let Some(at) = self.index.get(name) {
            return *at;
        }
        let at = self.fields.len();
        self.index.insert(name.to_owned(), at);
        self.fields.push(Field {
            name: name.to_owned(),
            column: ColumnBuilder::new(),
            missing: Vec::new(),
        });
        at
    }

    /// Ends an object.
    pub fn close(&mut self) {
        self.len += 1;
        self.valid.push_valid();
    }

    pub fn push_nulls(&mut self, count: usize) {
        if count > 0 {
            self.valid.push_nulls(self.len, count);
            self.len += count;
        }
    }

    /// Forgets the objects from `len` on, and what was begun of the next one.
    pub fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
        self.valid.truncate(self.len);
        for field in &mut self.fields {
            field.truncate(self.len);
        }
    }

    /// True when a table of the objects would be almost only missing values, such as for objects
    /// that are keyed by an identifier: a small file could then ask for any amount of memory.
    pub fn is_sparse(&self, limit: usize) -> bool {
        self.padded > limit && self.padded / SPARSE_RATIO > self.given
    }

    /// As [`Objects::is_sparse`], with what is still to be filled in at the end.
    pub fn is_sparse_when_whole(&self, limit: usize) -> bool {
        let cells = self.fields.len().saturating_mul(self.len);
        cells > limit && cells / SPARSE_RATIO > self.given
    }

    /// Drops the fields that no object has and fills up the others.
    pub fn settle(&mut self) {
        self.fields.retain(Field::is_present);
        for field in &mut self.fields {
            field.pad(self.len);
        }
        self.index.clear();
    }

    /// Takes over the objects of `other` behind the own ones.
    pub fn append(&mut self, other: Self) {
        for mut field in other.fields {
            let at = self.find(&field.name);
            let own = &mut self.fields[at];
            self.padded += own.pad(self.len);
            let shift = self.len;
            own.column.append(field.column);
            own.missing.extend(
                field
                    .missing
                    .drain(..)
                    .map(|(start, count)| (start + shift, count)),
            );
        }
        self.valid.append(self.len, &other.valid, other.len);
        self.len += other.len;
        self.padded += other.padded;
        self.given += other.given;
        self.cursor = 0;
    }

    /// Every object as compact JSON text, with the keys it had.
    pub fn json(&self) -> Texts {
        // Which fields each row has, in the order of the fields: a counting sort by row, since
        // objects with many different keys make rows times fields too many to look at.
        let mut starts = vec![0usize; self.len + 1];
        for field in &self.fields {
            field.rows(|row| {
                if let Some(start) = starts.get_mut(row + 1) {
                    *start += 1;
                }
            });
        }
        for row in 0..self.len {
            starts[row + 1] += starts[row];
        }
        let mut order = vec![0usize; starts[self.len]];
        let mut next = starts.clone();
        for (at, field) in self.fields.iter().enumerate() {
            field.rows(|row| {
                if row < self.len {
                    order[next[row]] = at;
                    next[row] += 1;
                }
            });
        }
        let texts: Vec<Texts> = self
            .fields
            .iter()
            .map(|field| field.column.json())
            .collect();
        let mut out = Texts::default();
        for row in 0..self.len {
            if !self.valid.is_valid(row) {
                out.push_nulls(1);
                continue;
            }
            let buffer = out.buffer();
            buffer.push('{');
            for (position, at) in order[starts[row]..starts[row + 1]].iter().enumerate() {
                if position > 0 {
                    buffer.push(',');
                }
                crate::value::write_json_text(buffer, &self.fields[*at].name);
                buffer.push(':');
                buffer.push_str(texts[*at].get(row).unwrap_or("null"));
            }
            buffer.push('}');
            out.close();
        }
        out
    }
}
