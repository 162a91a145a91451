//! Growing storage of plain values with their missing marks.

use polars_arrow::bitmap::{Bitmap, MutableBitmap};

/// Which values are there; nothing is stored while all of them are.
#[derive(Clone, Debug, Default)]
pub(super) struct Validity(Option<MutableBitmap>);

impl Validity {
    pub fn push_valid(&mut self) {
        if let Some(bits) = &mut self.0 {
            bits.push(true);
        }
    }

    /// Marks `count` more values as missing; `len` is how many there are so far.
    pub fn push_nulls(&mut self, len: usize, count: usize) {
        self.0
            .get_or_insert_with(|| MutableBitmap::from_len_set(len))
            .extend_constant(count, false);
    }

    pub fn is_valid(&self, index: usize) -> bool {
        self.0.as_ref().is_none_or(|bits| bits.get(index))
    }

    /// True when at least one of `len` values is there.
    pub fn any(&self, len: usize) -> bool {
        match &self.0 {
            None => len > 0,
            Some(bits) => bits.set_bits() > 0,
        }
    }

    pub fn truncate(&mut self, len: usize) {
        if let Some(bits) = &mut self.0 {
            while bits.len() > len {
                bits.pop();
            }
        }
    }

    pub fn append(&mut self, len: usize, other: &Self, other_len: usize) {
        match (&mut self.0, &other.0) {
            (None, None) => {}
            (Some(bits), None) => bits.extend_constant(other_len, true),
            (bits, Some(more)) => bits
                .get_or_insert_with(|| MutableBitmap::from_len_set(len))
                .extend_from_slice(more.as_slice(), 0, more.len()),
        }
    }

    pub fn freeze(self) -> Option<Bitmap> {
        self.0.map(MutableBitmap::freeze)
    }
}

/// Values of one plain type.
#[derive(Clone, Debug, Default)]
pub(super) struct Cells<T> {
    pub values: Vec<T>,
    pub valid: Validity,
}

impl<T: Clone + Default> Cells<T> {
    pub fn nulls(count: usize) -> Self {
        let mut cells = Self::default();
        cells.push_nulls(count);
        cells
    }

    pub fn push(&mut self, value: T) {
        self.values.push(value);
        self.valid.push_valid();
    }

    pub fn push_nulls(&mut self, count: usize) {
        if count > 0 {
            self.valid.push_nulls(self.values.len(), count);
            self.values.resize(self.values.len() + count, T::default());
        }
    }

    pub fn truncate(&mut self, len: usize) {
        self.values.truncate(len);
        self.valid.truncate(len);
    }

    pub fn append(&mut self, mut other: Self) {
        self.valid
            .append(self.values.len(), &other.valid, other.values.len());
        self.values.append(&mut other.values);
    }

    pub fn any(&self) -> bool {
        self.valid.any(self.values.len())
    }

    /// Gives back memory that growing has taken in advance.
    pub fn shrink(&mut self) {
        exact(&mut self.values);
    }

    pub fn iter(&self) -> impl Iterator<Item = Option<&T>> {
        self.values
            .iter()
            .enumerate()
            .map(|(index, value)| self.valid.is_valid(index).then_some(value))
    }
}

/// Gives back the memory behind the values, unless it is little: an allocator that shrinks in place
/// would keep it.
pub(super) fn exact<T: Clone>(values: &mut Vec<T>) {
    if values.capacity() - values.len() > values.len() / 8 {
        *values = values.as_slice().to_vec();
    }
}
