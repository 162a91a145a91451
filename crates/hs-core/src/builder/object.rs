//! Objects with named fields: one growing column per field, fields in the order they were first seen.
//!
//! A field stores the values that there are, one behind the other, and which objects lack it: so
//! objects with few keys in common take memory for what they hold, not for what they lack.

use polars::prelude::PlHashMap;

use super::cells::Validity;
use super::column::ColumnBuilder;
use super::texts::Texts;

/// From so many cells on, objects inside a column that have little in common are kept as JSON text.
const SPARSE_OBJECTS: usize = 1 << 22;
/// From so many different keys on, that is decided before all objects are there.
const MANY_KEYS: usize = 1 << 12;
/// Cells per given value above which objects have little in common.
pub(super) const SPARSE_RATIO: usize = 32;

/// One field of all objects.
#[derive(Clone, Debug)]
pub(super) struct Field {
    pub name: String,
    /// The values of the objects that have the key.
    pub column: ColumnBuilder,
    /// Objects (start, count) that have no such key, as opposed to a key with a null.
    missing: Vec<(usize, usize)>,
    /// How many these are.
    lacking: usize,
    /// True when JSON text holds the name as it is, without escapes.
    plain: bool,
}

impl Field {
    pub fn new(name: String) -> Self {
        let escaped = |byte: u8| byte < b' ' || byte == b'"' || byte == b'\\';
        Self {
            plain: !name.bytes().any(escaped),
            name,
            column: ColumnBuilder::new(),
            missing: Vec::new(),
            lacking: 0,
        }
    }

    /// Objects that are accounted for.
    #[inline]
    fn rows(&self) -> usize {
        self.column.len() + self.lacking
    }

    /// Says that the objects up to `len` lack the key.
    pub fn pad(&mut self, len: usize) {
        let start = self.rows();
        let count = len.saturating_sub(start);
        if count > 0 {
            self.lack(start, count);
        }
    }

    fn lack(&mut self, start: usize, count: usize) {
        match self.missing.last_mut() {
            Some((first, length)) if *first + *length == start => *length += count,
            _ => self.missing.push((start, count)),
        }
        self.lacking += count;
    }

    fn truncate(&mut self, len: usize) {
        while let Some((start, count)) = self.missing.last_mut() {
            if *start + *count <= len {
                break;
            }
            let kept = len.saturating_sub(*start);
            self.lacking -= *count - kept;
            *count = kept;
            if kept > 0 {
                break;
            }
            self.missing.pop();
        }
        self.column.truncate(len - self.lacking.min(len));
    }

    /// Takes over the field of objects that follow the `len` own ones.
    pub fn append(&mut self, other: Self, len: usize) {
        self.pad(len);
        self.column.append(other.column);
        for (start, count) in other.missing {
            self.lack(start + len, count);
        }
    }

    /// True when some object has the key.
    pub fn is_present(&self) -> bool {
        !self.column.is_empty()
    }

    /// The values and which of the objects lack one.
    pub fn into_parts(mut self, rows: usize) -> (String, ColumnBuilder, Vec<(usize, usize)>) {
        self.pad(rows);
        (self.name, self.column, self.missing)
    }

    /// Calls `visit` with every object that has the key.
    fn each(&self, mut visit: impl FnMut(usize)) {
        let mut next = 0;
        for (start, count) in &self.missing {
            (next..*start).for_each(&mut visit);
            next = start + count;
        }
        (next..self.rows()).for_each(visit);
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
    /// Values that were given.
    pub given: usize,
    /// Whether the order of keys is kept of objects whose keys do not come in the order of the
    /// fields: for JSON text that reads as it was written, not for records.
    ordered: bool,
    /// Such objects, and their fields in their order.
    orders: Vec<(usize, Vec<u32>)>,
    /// The same for the current object, once it is known to be one.
    order: Vec<u32>,
}

impl Objects {
    /// Objects whose keys keep their order.
    pub fn ordered() -> Self {
        Self {
            ordered: true,
            ..Self::default()
        }
    }

    /// Begins an object.
    #[inline]
    pub fn begin(&mut self) {
        self.cursor = 0;
        self.order.clear();
    }

    /// The column of a field, ready for the value of the current object, and whether this object
    /// had the key before (its value is then taken back).
    #[inline]
    pub fn field(&mut self, name: &str) -> (&mut ColumnBuilder, bool) {
        let at = match self.fields.get(self.cursor) {
            Some(field) if field.name == name => self.cursor,
            _ => self.find(name),
        };
        self.open(at)
    }

    /// As [`Objects::field`] for the key that `text` begins with, closing quote included, when that
    /// is the expected one; with the length of both.
    #[inline]
    pub fn expected(&mut self, text: &[u8]) -> Option<(&mut ColumnBuilder, bool, usize)> {
        let field = self.fields.get(self.cursor)?;
        let name = field.name.as_bytes();
        let length = name.len();
        if !field.plain || text.get(length) != Some(&b'"') || !text.starts_with(name) {
            return None;
        }
        let (column, repeated) = self.open(self.cursor);
        Some((column, repeated, length + 1))
    }

    #[inline]
    fn open(&mut self, at: usize) -> (&mut ColumnBuilder, bool) {
        if self.ordered && (at < self.cursor || !self.order.is_empty()) {
            self.keep_order(at);
        }
        self.cursor = at + 1;
        self.given += 1;
        let field = &mut self.fields[at];
        let rows = field.rows();
        if rows < self.len {
            field.pad(self.len);
        }
        let repeated = rows > self.len;
        if repeated {
            field.truncate(self.len);
        }
        (&mut field.column, repeated)
    }

    /// Notes that the field at `at` comes next in an object that has left the order of the fields.
    fn keep_order(&mut self, at: usize) {
        if self.order.is_empty() {
            // Up to here the object had its keys in the order of the fields.
            let next = self.len + 1;
            let had = self.fields.iter().enumerate();
            let had = had.filter(|(_, field)| field.rows() == next);
            self.order.extend(had.map(|(at, _)| at as u32));
        }
        if !self.order.contains(&(at as u32)) {
            self.order.push(at as u32);
        }
    }

    fn find(&mut self, name: &str) -> usize {
        if let Some(at) = self.index.get(name) {
            return *at;
        }
        let at = self.fields.len();
        self.index.insert(name.to_owned(), at);
        self.fields.push(Field::new(name.to_owned()));
        at
    }

    /// Ends an object.
    #[inline]
    pub fn close(&mut self) {
        if !self.order.is_empty() {
            self.orders
                .push((self.len, std::mem::take(&mut self.order)));
        }
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
        self.order.clear();
        while self.orders.pop_if(|(row, _)| *row >= self.len).is_some() {}
        self.valid.truncate(self.len);
        for field in &mut self.fields {
            field.truncate(self.len);
        }
    }

    /// Gives back memory that growing has taken in advance.
    pub fn shrink(&mut self) {
        for field in &mut self.fields {
            field.column.shrink();
        }
    }

    /// True when so many different keys came with so few values that the objects are surely keyed by
    /// an identifier.
    pub fn is_hopeless(&self) -> bool {
        self.fields.len() > MANY_KEYS && self.is_sparse()
    }

    /// True when a table of the objects would be almost only missing values: a small file could
    /// then ask for any amount of memory.
    pub fn is_sparse(&self) -> bool {
        let cells = self.fields.len().saturating_mul(self.len);
        cells > SPARSE_OBJECTS && cells / SPARSE_RATIO > self.given
    }

    /// Takes over the objects of `other` behind the own ones.
    pub fn append(&mut self, mut other: Self) {
        let places: Vec<usize> = other
            .fields
            .iter()
            .map(|field| self.find(&field.name))
            .collect();
        let mapped = |at: &usize| places[*at] as u32;
        if self.ordered && !places.is_sorted() {
            let (starts, order) = other.layout();
            for row in 0..other.len {
                let order: Vec<u32> = order[starts[row]..starts[row + 1]]
                    .iter()
                    .map(mapped)
                    .collect();
                if !order.is_sorted() {
                    self.orders.push((row + self.len, order));
                }
            }
        } else {
            for (row, order) in other.orders.drain(..) {
                let order = order.iter().map(|at| mapped(&(*at as usize))).collect();
                self.orders.push((row + self.len, order));
            }
        }
        for (field, at) in other.fields.into_iter().zip(places) {
            self.fields[at].append(field, self.len);
        }
        self.valid.append(self.len, &other.valid, other.len);
        self.len += other.len;
        self.given += other.given;
        self.cursor = 0;
    }

    /// Which fields each object has, in its order: where its own start in the list, and the list.
    fn layout(&self) -> (Vec<usize>, Vec<usize>) {
        // A counting sort by object, since objects with many different keys make objects times
        // fields too many to look at.
        let mut starts = vec![0usize; self.len + 1];
        for field in &self.fields {
            field.each(|row| {
                if let Some(start) = starts.get_mut(row + 1) {
                    *start += 1;
                }
            });
        }
        for row in 0..self.len {
            starts[row + 1] += starts[row];
        }
        let mut list = vec![0usize; starts[self.len]];
        let mut next = starts.clone();
        for (at, field) in self.fields.iter().enumerate() {
            field.each(|row| {
                if row < self.len {
                    list[next[row]] = at;
                    next[row] += 1;
                }
            });
        }
        for (row, order) in &self.orders {
            let own = &mut list[starts[*row]..starts[row + 1]];
            for (place, at) in own.iter_mut().zip(order) {
                *place = *at as usize;
            }
        }
        (starts, list)
    }

    /// Every object as compact JSON text, with the keys it had.
    pub fn json(&self) -> Texts {
        let (starts, list) = self.layout();
        let texts: Vec<Texts> = self
            .fields
            .iter()
            .map(|field| field.column.json())
            .collect();
        let mut taken = vec![0usize; texts.len()];
        let mut out = Texts::default();
        for row in 0..self.len {
            if !self.valid.is_valid(row) {
                out.push_nulls(1);
                continue;
            }
            let buffer = out.buffer();
            buffer.push('{');
            for (position, at) in list[starts[row]..starts[row + 1]].iter().enumerate() {
                if position > 0 {
                    buffer.push(',');
                }
                crate::value::write_json_text(buffer, &self.fields[*at].name);
                buffer.push(':');
                buffer.push_str(texts[*at].get(taken[*at]).unwrap_or("null"));
                taken[*at] += 1;
            }
            buffer.push('}');
            out.close();
        }
        out
    }
}
