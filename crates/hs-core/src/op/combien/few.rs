//! Few groups, counted in one walk over the keys.
//!
//! Each core counts a stretch of rows by what lies in memory: bits of numbers, bytes of texts. What is equal in
//! another form (-0.0 and 0.0, 1 and 1.0 as JSON text) may stand in two of these groups; [`keyed`] brings them together by
//! value at the end, from the first row of each. It gives up when the groups are many.

use std::ops::Range;

use polars::prelude::{Column, DataType, Series};
use polars_arrow::array::{BinaryArray, BooleanArray, PrimitiveArray, Utf8ViewArray};
use polars_arrow::bitmap::Bitmap;
use polars_arrow::types::NativeType;
use rayon::prelude::*;

use super::Groups;
use super::places::{Bytes, Places};
use crate::control::Control;
use crate::error::Result;
use crate::op::keyed::{self, Missing, Part};
use crate::op::taken::taken;

/// Groups of a stretch, and values of one key in it, at most.
const FEW: usize = 1 << 12;
/// Rows whose numbers are made at a time, so that they stay in the nearest cache.
const BLOCK: usize = 1 << 10;
/// Blocks between two looks at the stop request.
const STEP: usize = 1 << 6;
/// Fewer rows are not worth a second thread.
const STRETCH: usize = 1 << 15;

/// The groups of all rows; `None` when they are many, or a key is of a type that is not counted so.
///
/// # Errors
/// A stop request.
pub fn few(parts: &[Part<'_>], height: usize, control: &Control) -> Result<Option<Groups>> {
    let columns: Option<Vec<Lying>> = parts.iter().map(|(_, column)| Lying::of(column)).collect();
    let Some(columns) = columns else {
        return Ok(None);
    };
    let stretch = height
        .div_ceil(rayon::current_num_threads())
        .max(STRETCH)
        .next_multiple_of(BLOCK);
    let starts: Vec<usize> = (0..height).step_by(stretch).collect();
    let counted = starts.into_par_iter().map(|start| {
        let mut walk = Walk::of(&columns);
        walk.all(start..(start + stretch).min(height), control)
    });
    let counted: Vec<Option<Groups>> = counted.collect::<Result<_>>()?;
    let Some(counted) = counted.into_iter().collect::<Option<Vec<Groups>>>() else {
        return Ok(None);
    };
    let first = counted.iter().flat_map(|groups| &groups.first);
    let first: Vec<u32> = first.copied().collect();
    let count = counted.iter().flat_map(|groups| &groups.count);
    // What the first rows hold says which groups are one.
    let heads = parts.iter().map(|part| taken(*part, &first));
    let heads: Vec<Column> = heads.collect::<Result<_>>()?;
    let heads: Vec<Part<'_>> = parts.iter().map(|(info, _)| *info).zip(&heads).collect();
    let side = keyed::one(&heads, Missing::Value, control)?;
    let mut groups = Groups {
        first: side
            .first
            .iter()
            .map(|head| first[*head as usize])
            .collect(),
        count: vec![0; side.first.len()],
    };
    for (key, count) in side.keys.iter().zip(count) {
        groups.count[*key as usize] += count;
    }
    Ok(Some(groups))
}

/// A key as it lies in memory, in one piece.
struct Lying {
    values: Values,
    valid: Option<Bitmap>,
}

enum Values {
    Bits(BooleanArray),
    Numbers(Series),
    Views(Utf8ViewArray),
    Flat(BinaryArray<i64>),
}

impl Lying {
    fn of(column: &Column) -> Option<Self> {
        let series = column.as_materialized_series().to_physical_repr().rechunk();
        let array = series.chunks().first()?.clone();
        let array = array.as_any();
        let values = match series.dtype() {
            DataType::Boolean => Values::Bits(array.downcast_ref::<BooleanArray>()?.clone()),
            DataType::String => Values::Views(array.downcast_ref::<Utf8ViewArray>()?.clone()),
            DataType::BinaryOffset => {
                Values::Flat(array.downcast_ref::<BinaryArray<i64>>()?.clone())
            }
            dtype if dtype.is_primitive_numeric() && *dtype != DataType::Int128 => {
                Values::Numbers(series.clone())
            }
            _ => return None,
        };
        let valid = series.chunks().first()?.validity().cloned();
        Some(Self { values, valid })
    }
}

/// The walk over a stretch of rows.
struct Walk<'a> {
    columns: Vec<(&'a Lying, Numbering<'a>)>,
    /// For each key behind the first the numbers of what it is beside the keys before it.
    pairs: Vec<Places<u64>>,
    groups: Groups,
}

/// The numbers of the values of one key, in the order in which they appear. The missing value has a number.
enum Numbering<'a> {
    Numbers(Places<u64>),
    Texts(Places<Bytes<'a>>),
}

impl<'a> Walk<'a> {
    fn of(columns: &'a [Lying]) -> Self {
        let numbering = |column: &Lying| match column.values {
            Values::Bits(_) | Values::Numbers(_) => Numbering::Numbers(Places::new(FEW)),
            Values::Views(_) | Values::Flat(_) => Numbering::Texts(Places::new(FEW)),
        };
        Self {
            columns: columns
                .iter()
                .map(|column| (column, numbering(column)))
                .collect(),
            pairs: columns.iter().skip(1).map(|_| Places::new(FEW)).collect(),
            groups: Groups::default(),
        }
    }

    /// The groups of these rows; `None` when there are too many.
    fn all(&mut self, rows: Range<usize>, control: &Control) -> Result<Option<Groups>> {
        let (mut numbers, mut others) = ([0u32; BLOCK], [0u32; BLOCK]);
        for (block, start) in rows.clone().step_by(BLOCK).enumerate() {
            if block.is_multiple_of(STEP) {
                control.check()?;
            }
            let block = start..(start + BLOCK).min(rows.end);
            let numbers = &mut numbers[..block.len()];
            let others = &mut others[..block.len()];
            for (at, (column, numbering)) in self.columns.iter_mut().enumerate() {
                let out = if at == 0 { &mut *numbers } else { &mut *others };
                if !numbering.numbers(column, &block, out) {
                    return Ok(None);
                }
                if at > 0 && !pair(&mut self.pairs[at - 1], numbers, others) {
                    return Ok(None);
                }
            }
            for (row, number) in block.zip(numbers.iter()) {
                let number = *number as usize;
                if number == self.groups.count.len() {
                    self.groups.count.push(0);
                    self.groups.first.push(row as u32);
                }
                self.groups.count[number] += 1;
            }
        }
        Ok(Some(std::mem::take(&mut self.groups)))
    }
}

/// Puts the number of each pair in place of the first of both; false when there are too many.
fn pair(places: &mut Places<u64>, numbers: &mut [u32], others: &[u32]) -> bool {
    for (number, other) in numbers.iter_mut().zip(others) {
        *number = places.number(u64::from(*number) << 32 | u64::from(*other));
    }
    places.room()
}

impl<'a> Numbering<'a> {
    /// The numbers of the values in a block of rows; false when there are too many.
    fn numbers(&mut self, column: &'a Lying, rows: &Range<usize>, out: &mut [u32]) -> bool {
        let valid = column.valid.as_ref();
        match (self, &column.values) {
            (Self::Numbers(places), Values::Bits(bits)) => {
                let values = bits.values();
                each(places, valid, rows, out, |row| {
                    u64::from(values.get_bit(row))
                })
            }
            (Self::Numbers(places), Values::Numbers(series)) => {
                numbers(places, series, valid, rows, out)
            }
            (Self::Texts(places), Values::Views(texts)) => {
                let views = texts.views();
                each(places, valid, rows, out, |row| {
                    let view = views[row];
                    if view.is_inline() {
                        Bytes::packed(view.as_u128() >> 32, view.length)
                    } else {
                        Bytes::of(texts.value(row).as_bytes())
                    }
                })
            }
            (Self::Texts(places), Values::Flat(texts)) => {
                let (offsets, bytes) = (texts.offsets().as_slice(), texts.values().as_slice());
                each(places, valid, rows, out, |row| {
                    Bytes::inside(bytes, offsets[row] as usize..offsets[row + 1] as usize)
                })
            }
            // A numbering is made for its column.
            _ => false,
        }
    }
}

fn numbers(
    places: &mut Places<u64>,
    series: &Series,
    valid: Option<&Bitmap>,
    rows: &Range<usize>,
    out: &mut [u32],
) -> bool {
    macro_rules! bits {
        ($type:ty, $bits:expr) => {
            values::<$type>(series)
                .is_some_and(|values| each(places, valid, rows, out, |row| $bits(values[row])))
        };
    }
    match series.dtype() {
        DataType::Int8 => bits!(i8, |value: i8| value as u64),
        DataType::Int16 => bits!(i16, |value: i16| value as u64),
        DataType::Int32 => bits!(i32, |value: i32| value as u64),
        DataType::Int64 => bits!(i64, |value: i64| value as u64),
        DataType::UInt8 => bits!(u8, u64::from),
        DataType::UInt16 => bits!(u16, u64::from),
        DataType::UInt32 => bits!(u32, u64::from),
        DataType::UInt64 => bits!(u64, |value| value),
        DataType::Float32 => bits!(f32, |value: f32| u64::from(value.to_bits())),
        DataType::Float64 => bits!(f64, f64::to_bits),
        _ => false,
    }
}

fn values<T: NativeType>(series: &Series) -> Option<&[T]> {
    let array = series.chunks().first()?.as_any();
    let array = array.downcast_ref::<PrimitiveArray<T>>()?;
    Some(array.values().as_slice())
}

#[inline]
fn each<K: super::places::Key>(
    places: &mut Places<K>,
    valid: Option<&Bitmap>,
    rows: &Range<usize>,
    out: &mut [u32],
    value: impl Fn(usize) -> K,
) -> bool {
    match valid {
        None => {
            for (row, out) in rows.clone().zip(out) {
                *out = places.number(value(row));
            }
        }
        Some(valid) => {
            for (row, out) in rows.clone().zip(out) {
                *out = if valid.get_bit(row) {
                    places.number(value(row))
                } else {
                    places.missing()
                };
            }
        }
    }
    places.room()
}
