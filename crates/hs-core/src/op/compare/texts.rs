//! Which rows of a column of texts or bytes differ. Stretches of rows that are the same are compared at once.

use std::ops::Range;

use polars::prelude::Series;
use polars_arrow::array::{Array, BinaryArray, BinaryViewArray, Utf8ViewArray};
use polars_arrow::bitmap::Bitmap;

use super::differ::{Marks, Pairs, array, bits, by_row, full};
use crate::control::Control;
use crate::error::Result;

/// Texts or bytes as they lie in memory.
trait Texts: Sync {
    fn valid(&self) -> Option<&Bitmap>;
    /// The bytes of a row; anything where it is missing.
    fn bytes(&self, row: usize) -> &[u8];
}

impl Texts for BinaryArray<i64> {
    fn valid(&self) -> Option<&Bitmap> {
        self.validity()
    }

    fn bytes(&self, row: usize) -> &[u8] {
        self.value(row)
    }
}

impl Texts for BinaryViewArray {
    fn valid(&self) -> Option<&Bitmap> {
        self.validity()
    }

    fn bytes(&self, row: usize) -> &[u8] {
        self.value(row)
    }
}

/// A column of texts, in one piece.
enum Column {
    Flat(BinaryArray<i64>),
    Views(BinaryViewArray),
}

impl Column {
    fn of(series: &Series) -> Result<Self> {
        Ok(if let Ok(texts) = array::<Utf8ViewArray>(series) {
            Self::Views(texts.to_binview())
        } else if let Ok(bytes) = array::<BinaryViewArray>(series) {
            Self::Views(bytes.clone())
        } else {
            Self::Flat(array::<BinaryArray<i64>>(series)?.clone())
        })
    }
}

/// As [`super::differ::differing`], for columns of texts or bytes in one piece.
///
/// # Errors
/// A stop request.
pub fn differing(left: &Series, right: &Series, pairs: &Pairs, control: &Control) -> Result<Marks> {
    match (Column::of(left)?, Column::of(right)?) {
        (Column::Flat(left), Column::Flat(right)) => {
            let alike = |rows: &Range<usize>| stretch(&left, rows) == stretch(&right, rows);
            let lengths = |rows: &Range<usize>| {
                let (mine, theirs) = (offsets(&left, rows), offsets(&right, rows));
                let (start, other) = (mine[0], theirs[0]);
                let mut both = mine.iter().zip(theirs);
                both.all(|(end, other_end)| end - start == other_end - other)
            };
            compared(&left, &right, pairs, control, |rows| {
                lengths(rows) && alike(rows)
            })
        }
        (Column::Flat(left), Column::Views(right)) => {
            compared(&left, &right, pairs, control, |_| false)
        }
        (Column::Views(left), Column::Flat(right)) => {
            compared(&left, &right, pairs, control, |_| false)
        }
        (Column::Views(left), Column::Views(right)) => {
            let inline = |rows: &Range<usize>| {
                let mine = &left.views()[rows.clone()];
                let theirs = &right.views()[rows.clone()];
                let mut both = mine.iter().zip(theirs);
                both.all(|(view, other)| view.is_inline() && view.as_u128() == other.as_u128())
            };
            compared(&left, &right, pairs, control, inline)
        }
    }
}

/// The bytes of a stretch of rows.
fn stretch<'a>(texts: &'a BinaryArray<i64>, rows: &Range<usize>) -> &'a [u8] {
    let ends = offsets(texts, rows);
    let (start, end) = (ends[0] as usize, ends[ends.len() - 1] as usize);
    &texts.values()[start..end]
}

/// Where the texts of a stretch of rows start, and where the last one ends.
fn offsets<'a>(texts: &'a BinaryArray<i64>, rows: &Range<usize>) -> &'a [i64] {
    &texts.offsets().as_slice()[rows.start..=rows.end]
}

/// The rows that differ; `alike` says of stretches in which all bytes are surely the same.
fn compared<L: Texts, R: Texts>(
    left: &L,
    right: &R,
    pairs: &Pairs,
    control: &Control,
    alike: impl Fn(&Range<usize>) -> bool + Sync,
) -> Result<Marks> {
    if !pairs.straight {
        let there = |valid: Option<&Bitmap>, row| valid.is_none_or(|valid| valid.get_bit(row));
        return by_row(pairs, control, |row, other| {
            let mine = there(left.valid(), row);
            mine != there(right.valid(), other) || mine && left.bytes(row) != right.bytes(other)
        });
    }
    Marks::make(pairs.height(), control, |rows| {
        let (there, other) = (bits(left.valid(), &rows), bits(right.valid(), &rows));
        let mut differ = 0;
        if !alike(&rows) {
            for (bit, row) in rows.clone().enumerate() {
                differ |= u64::from(left.bytes(row) != right.bytes(row)) << bit;
            }
        }
        ((there ^ other) | (there & other & differ)) & full(&rows)
    })
}
