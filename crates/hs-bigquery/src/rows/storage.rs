//! Growing storage of the values of one column. It grows by what arrives, never by what a reply promises.

use polars_arrow::array::MutableBinaryViewArray;
use polars_arrow::bitmap::{Bitmap, MutableBitmap};

/// Which values are there; nothing is stored while all of them are.
#[derive(Debug, Default)]
pub struct Validity(Option<MutableBitmap>);

impl Validity {
    /// Another value is there.
    #[inline]
    pub fn valid(&mut self) {
        if let Some(bits) = &mut self.0 {
            bits.push(true);
        }
    }

    /// Another value is missing, behind `len` others.
    pub fn missing(&mut self, len: usize) {
        let all = || MutableBitmap::from_len_set(len);
        self.0.get_or_insert_with(all).push(false);
    }

    /// The bitmap, where any value is missing.
    pub fn freeze(self) -> Option<Bitmap> {
        self.0.map(MutableBitmap::freeze)
    }
}

/// Values of one plain type.
#[derive(Debug, Default)]
pub struct Cells<T> {
    pub values: Vec<T>,
    pub validity: Validity,
}

impl<T: Default> Cells<T> {
    /// Adds a value, or a missing one.
    #[inline]
    pub fn push(&mut self, value: Option<T>) {
        match value {
            Some(value) => {
                self.values.push(value);
                self.validity.valid();
            }
            None => {
                self.validity.missing(self.values.len());
                self.values.push(T::default());
            }
        }
    }
}

/// True and false, one bit each.
#[derive(Debug, Default)]
pub struct Bits {
    pub values: MutableBitmap,
    pub validity: Validity,
}

impl Bits {
    /// Adds a value, or a missing one.
    pub fn push(&mut self, value: Option<bool>) {
        match value {
            Some(_) => self.validity.valid(),
            None => self.validity.missing(self.values.len()),
        }
        self.values.push(value.unwrap_or_default());
    }
}

/// The digits of decimals, and how many of them the widest ones have.
#[derive(Debug)]
pub struct Digits {
    pub texts: MutableBinaryViewArray<str>,
    /// The most digits before the point, without zeros that say nothing.
    pub whole: usize,
    /// The most digits behind the point, without zeros that say nothing.
    pub scale: usize,
}

impl Default for Digits {
    fn default() -> Self {
        Self {
            texts: MutableBinaryViewArray::new(),
            whole: 0,
            scale: 0,
        }
    }
}
