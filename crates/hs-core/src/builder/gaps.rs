//! Rows without a value between rows with one: values are stored one behind the other while they are
//! gathered, and get their rows at the end, so that a key that few records have costs little until then.

use bytemuck::Zeroable;
use polars_arrow::array::Array;
use polars_arrow::array::builder::{ArrayBuilder as _, ShareStrategy, make_builder};
use polars_arrow::bitmap::{Bitmap, BitmapBuilder};

use crate::error::{Error, ErrorKind, Result};

use super::cells::Validity;

/// Which of so many rows have no value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gaps<'a> {
    /// Start and count of rows without a value, in order.
    runs: &'a [(usize, usize)],
    rows: usize,
}

impl<'a> Gaps<'a> {
    /// Rows that all have a value.
    pub fn none(rows: usize) -> Self {
        Self { runs: &[], rows }
    }

    pub fn new(runs: &'a [(usize, usize)], rows: usize) -> Self {
        Self { runs, rows }
    }

    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    pub fn rows(&self) -> usize {
        self.rows
    }

    /// What stands between the gaps: first value, its row, and how many.
    fn spans(&self) -> impl Iterator<Item = (usize, usize, usize)> {
        let ends = self.runs.iter().map(|(start, _)| *start).chain([self.rows]);
        let starts = [0]
            .into_iter()
            .chain(self.runs.iter().map(|(start, count)| start + count));
        let mut value = 0;
        starts.zip(ends).map(move |(start, end)| {
            let count = end.saturating_sub(start);
            value += count;
            (value - count, start, count)
        })
    }

    /// One value for each row, all bits zero in the gaps. Memory that holds nothing but gaps is never
    /// written to.
    ///
    /// # Errors
    /// When the rows do not fit into memory.
    pub fn fill<T: Copy + Zeroable>(&self, values: Vec<T>) -> Result<Vec<T>> {
        if self.is_empty() {
            return Ok(values);
        }
        let mut all: Vec<T> = bytemuck::allocation::try_zeroed_vec(self.rows)
            .map_err(|()| Error::new(ErrorKind::Io, "the table does not fit into memory"))?;
        for (from, row, count) in self.spans() {
            let target = all.get_mut(row..row + count);
            let source = values.get(from..from + count);
            if let (Some(target), Some(source)) = (target, source) {
                target.copy_from_slice(source);
            }
        }
        Ok(all)
    }

    /// Which rows have a value that is not missing; `None` when all have.
    pub fn validity(&self, valid: Validity) -> Option<Bitmap> {
        if self.is_empty() {
            return valid.freeze();
        }
        let packed = valid.freeze();
        let mut bits = BitmapBuilder::with_capacity(self.rows);
        for (from, row, count) in self.spans() {
            bits.extend_constant(row - bits.len(), false);
            match &packed {
                None => bits.extend_constant(count, true),
                Some(packed) => bits.subslice_extend_from_bitmap(packed, from, count),
            }
        }
        bits.extend_constant(self.rows - bits.len(), false);
        bits.into_opt_validity()
    }

    /// The end of each row's values in another column: that of the row before in the gaps.
    pub fn ends(&self, ends: &[usize]) -> Vec<i64> {
        let mut all = Vec::with_capacity(self.rows + 1);
        all.push(0);
        let mut last = 0;
        for (from, row, count) in self.spans() {
            all.resize(row + 1, last);
            let span = ends.get(from..from + count).unwrap_or_default();
            all.extend(span.iter().map(|end| *end as i64));
            last = all.last().copied().unwrap_or_default();
        }
        all.resize(self.rows + 1, last);
        all
    }

    /// An array of any type with missing values in the gaps.
    pub fn fill_array(&self, array: Box<dyn Array>) -> Box<dyn Array> {
        if self.is_empty() {
            return array;
        }
        let mut all = make_builder(array.dtype());
        all.reserve(self.rows);
        for (from, row, count) in self.spans() {
            all.extend_nulls(row - all.len());
            all.subslice_extend(array.as_ref(), from, count, ShareStrategy::Always);
        }
        all.extend_nulls(self.rows - all.len());
        all.freeze_reset()
    }
}
