//! Which rows of a column differ between two tables: a bit for each row of a. Copies no values.

use std::ops::Range;

use polars::prelude::{DataType, Series};
use polars_arrow::array::{BooleanArray, PrimitiveArray};
use polars_arrow::bitmap::Bitmap;
use polars_arrow::bitmap::bitmask::BitMask;
use polars_arrow::types::NativeType;
use rayon::prelude::*;

use super::texts;
use crate::control::Control;
use crate::error::{Error, ErrorKind, Result};
use crate::op::keyed::{self, Keyed, NONE, Part};

/// Rows that one word of marks holds.
pub const WORD: usize = 64;
/// Words between two looks at the stop request.
const STEP: usize = 1024;

/// Which row of b belongs to each row of a.
pub struct Pairs {
    rows: Vec<u32>,
    /// True when it is the row at the same position for every row of a.
    pub straight: bool,
    /// How many rows of a have one.
    pub count: usize,
}

impl Pairs {
    /// By keys that tell all rows apart.
    pub fn of(keyed: &Keyed) -> Self {
        let rows: Vec<u32> = keyed
            .left
            .keys
            .iter()
            .map(|key| keyed.right.first[*key as usize])
            .collect();
        Self {
            straight: rows.iter().zip(0u32..).all(|(row, same)| *row == same),
            count: rows.iter().filter(|row| **row != NONE).count(),
            rows,
        }
    }

    /// Each row with the one at its own position.
    pub fn straight(height: usize) -> Self {
        Self {
            rows: (0..height as u32).collect(),
            straight: true,
            count: height,
        }
    }

    /// Rows of a.
    pub fn height(&self) -> usize {
        self.rows.len()
    }

    /// The row of b for a row of a that has one.
    pub fn row(&self, row: usize) -> usize {
        self.rows[row] as usize
    }

    /// Rows of a with theirs in b, which is [`NONE`] where there is none.
    pub fn iter(&self) -> impl Iterator<Item = (u32, u32)> {
        (0u32..).zip(self.rows.iter().copied())
    }
}

/// Some of the rows of a.
#[derive(Clone, Debug, PartialEq)]
pub struct Marks {
    words: Vec<u64>,
}

impl Marks {
    /// No row of so many.
    pub fn none(height: usize) -> Self {
        Self {
            words: vec![0; height.div_ceil(WORD)],
        }
    }

    /// Makes the word for each stretch of [`WORD`] rows, side by side.
    pub fn make(
        height: usize,
        control: &Control,
        word: impl Fn(Range<usize>) -> u64 + Sync,
    ) -> Result<Self> {
        let mut marks = Self::none(height);
        let pieces = marks.words.par_chunks_mut(STEP).enumerate();
        pieces.try_for_each(|(piece, words)| {
            control.check()?;
            for (index, out) in words.iter_mut().enumerate() {
                let start = (piece * STEP + index) * WORD;
                *out = word(start..(start + WORD).min(height));
            }
            Ok(())
        })?;
        Ok(marks)
    }

    /// Those of the marked rows that `keep` says yes to.
    pub fn kept(&self, control: &Control, keep: impl Fn(usize) -> bool + Sync) -> Result<Self> {
        Self::make(self.words.len() * WORD, control, |rows| {
            let mut rest = self.words[rows.start / WORD];
            let mut kept = 0;
            while rest != 0 {
                let bit = rest.trailing_zeros();
                rest &= rest - 1;
                kept |= u64::from(keep(rows.start + bit as usize)) << bit;
            }
            kept
        })
    }

    /// Marks what the other marks, too.
    pub fn add(&mut self, other: &Self) {
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            *word |= other;
        }
    }

    pub fn count(&self) -> usize {
        self.words
            .iter()
            .map(|word| word.count_ones() as usize)
            .sum()
    }

    pub fn has(&self, row: usize) -> bool {
        self.words[row / WORD] >> (row % WORD) & 1 == 1
    }
}

/// The rows of a whose value differs from that of their row in b: by value, whatever types the two columns
/// have; a missing value is the same as a missing one.
///
/// # Errors
/// A stop request.
pub fn differing(sides: [Part<'_>; 2], pairs: &Pairs, control: &Control) -> Result<Marks> {
    let Some((left, right)) = keyed::common(sides[0], sides[1], control)? else {
        // Values of these types are never equal; only where both are missing there is no difference.
        let [left, right] = sides.map(|(_, column)| present(column.as_materialized_series()));
        return by_row(pairs, control, |row, other| {
            left.has(row) || right.has(other)
        });
    };
    let (left, right) = (left.rechunk(), right.rechunk());
    macro_rules! numbers {
        ($type:ty) => {
            numbers::<$type>(&left, &right, pairs, control, |_| false)
        };
    }
    match (left.dtype(), right.dtype()) {
        (DataType::Null, DataType::Null) => Ok(Marks::none(pairs.height())),
        (DataType::Boolean, DataType::Boolean) => bools(&left, &right, pairs, control),
        (DataType::Int8, DataType::Int8) => numbers!(i8),
        (DataType::Int16, DataType::Int16) => numbers!(i16),
        (DataType::Int32, DataType::Int32) => numbers!(i32),
        (DataType::Int64, DataType::Int64) => numbers!(i64),
        (DataType::Int128, DataType::Int128) => numbers!(i128),
        (DataType::UInt8, DataType::UInt8) => numbers!(u8),
        (DataType::UInt16, DataType::UInt16) => numbers!(u16),
        (DataType::UInt32, DataType::UInt32) => numbers!(u32),
        (DataType::UInt64, DataType::UInt64) => numbers!(u64),
        (DataType::Float32, DataType::Float32) => {
            numbers::<f32>(&left, &right, pairs, control, f32::is_nan)
        }
        (DataType::Float64, DataType::Float64) => {
            numbers::<f64>(&left, &right, pairs, control, f64::is_nan)
        }
        _ => texts::differing(&left, &right, pairs, control),
    }
}

/// A mark for each row of a for whose pair `differs` says yes.
pub fn by_row(
    pairs: &Pairs,
    control: &Control,
    differs: impl Fn(usize, usize) -> bool + Sync,
) -> Result<Marks> {
    Marks::make(pairs.height(), control, |rows| {
        let start = rows.start;
        let mut word = 0;
        for (bit, other) in pairs.rows[rows].iter().enumerate() {
            let marked = *other != NONE && differs(start + bit, *other as usize);
            word |= u64::from(marked) << bit;
        }
        word
    })
}

/// The array of a column in one piece.
pub fn array<T: 'static>(series: &Series) -> Result<&T> {
    let array = series
        .chunks()
        .first()
        .and_then(|array| array.as_any().downcast_ref());
    array.ok_or_else(|| {
        Error::new(
            ErrorKind::Internal,
            "a column stored otherwise than its type says",
        )
    })
}

/// Which values of a column are there: neither null nor NaN.
struct Present(Option<Bitmap>);

impl Present {
    fn has(&self, row: usize) -> bool {
        self.0.as_ref().is_none_or(|bits| bits.get_bit(row))
    }
}

fn present(series: &Series) -> Present {
    let there = match series.dtype() {
        DataType::Float32 | DataType::Float64 => series.is_not_nan().ok().map(|numbers| {
            // Null is not known not to be NaN.
            numbers.iter().map(|number| number == Some(true)).collect()
        }),
        _ if series.null_count() == 0 => None,
        _ => Some(
            series
                .is_not_null()
                .iter()
                .map(|there| there == Some(true))
                .collect(),
        ),
    };
    Present(there)
}

/// Up to 64 bits from a position on; all set where there is no bitmap.
pub fn bits(bitmap: Option<&Bitmap>, rows: &Range<usize>) -> u64 {
    bitmap.map_or(u64::MAX, |bitmap| {
        let mask = BitMask::from_bitmap(bitmap);
        let low = u64::from(mask.get_u32(rows.start));
        let high = if rows.len() > 32 {
            u64::from(mask.get_u32(rows.start + 32))
        } else {
            0
        };
        low | high << 32
    })
}

/// As many low bits as there are rows.
pub fn full(rows: &Range<usize>) -> u64 {
    if rows.len() == WORD {
        u64::MAX
    } else {
        (1 << rows.len()) - 1
    }
}

fn numbers<T: NativeType + PartialEq>(
    left: &Series,
    right: &Series,
    pairs: &Pairs,
    control: &Control,
    is_nan: impl Fn(T) -> bool + Sync + Copy,
) -> Result<Marks> {
    let (left, right) = (
        array::<PrimitiveArray<T>>(left)?,
        array::<PrimitiveArray<T>>(right)?,
    );
    let (mine, theirs) = (left.values().as_slice(), right.values().as_slice());
    let (valid, other_valid) = (left.validity(), right.validity());
    let here = |valid: Option<&Bitmap>, row: usize, value: T| {
        valid.is_none_or(|valid| valid.get_bit(row)) && !is_nan(value)
    };
    if !pairs.straight {
        return by_row(pairs, control, |row, other| {
            let (value, their) = (mine[row], theirs[other]);
            let (there, other) = (here(valid, row, value), here(other_valid, other, their));
            there != other || there && value != their
        });
    }
    Marks::make(pairs.height(), control, |rows| {
        let (mut differ, mut nan, mut other_nan) = (0u64, 0u64, 0u64);
        let both = mine[rows.clone()].iter().zip(&theirs[rows.clone()]);
        for (bit, (value, other)) in both.enumerate() {
            differ |= u64::from(value != other) << bit;
            nan |= u64::from(is_nan(*value)) << bit;
            other_nan |= u64::from(is_nan(*other)) << bit;
        }
        let there = bits(valid, &rows) & !nan;
        let other = bits(other_valid, &rows) & !other_nan;
        ((there ^ other) | (there & other & differ)) & full(&rows)
    })
}

fn bools(left: &Series, right: &Series, pairs: &Pairs, control: &Control) -> Result<Marks> {
    let (left, right) = (array::<BooleanArray>(left)?, array::<BooleanArray>(right)?);
    by_row(pairs, control, |row, other| {
        left.get(row) != right.get(other)
    })
}
