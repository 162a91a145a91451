//! Numbers for values: equal values get equal numbers, in the order in which they first appear.
//!
//! Each stretch of rows is numbered by itself, side by side; then the distinct values of the stretches are
//! brought together.

use std::hash::Hash;

use polars::prelude::{DataType, InitHashMaps, PlHashMap, Series};
use polars_arrow::array::{Array, BooleanArray, PrimitiveArray};
use polars_arrow::types::NativeType;
use rayon::prelude::*;

use super::pieces::{Pieces, STEP, Stretch};
use super::text::{self, Text, Texts};
use super::{Missing, NONE};
use crate::control::Control;
use crate::error::{Error, ErrorKind, Result};

/// Rows that numbers reach; the last one means no row.
const MOST: usize = NONE as usize;
/// Numbers in a table of positions, for few rows.
const FEW: u64 = 4096;

/// The numbers of the values of some rows.
#[derive(Debug, Default)]
pub struct Numbered {
    /// For every row the number of its value; [`NONE`] where it has none.
    pub keys: Vec<u32>,
    /// How many numbers there are.
    pub distinct: u32,
    /// The number of the missing value, if it has one.
    pub missing: Option<u32>,
    /// First rows of the smallest and the largest value; none for values without an order.
    pub extremes: Option<(u32, u32)>,
}

/// A value that is looked up.
pub trait Key: Copy + Default + Ord + Send + Sync {}

/// Finds the numbers of values.
pub trait Lookup<K> {
    /// The number of a value: `next` if it is new.
    fn number(&mut self, key: K, next: u32) -> u32;
}

/// Values that are looked up by hash.
struct Hashed<K>(PlHashMap<K, u32>);

impl<K> Default for Hashed<K> {
    fn default() -> Self {
        Self(PlHashMap::new())
    }
}

impl<K: Eq + Hash> Lookup<K> for Hashed<K> {
    fn number(&mut self, key: K, next: u32) -> u32 {
        *self.0.entry(key).or_insert(next)
    }
}

impl Key for i64 {}
impl Key for i128 {}

/// Values close together, which are looked up by position: far faster than by hash.
struct Near {
    low: i64,
    numbers: Vec<u32>,
}

impl Near {
    fn new(low: i64, high: i64) -> Self {
        Self {
            low,
            numbers: vec![NONE; high.abs_diff(low) as usize + 1],
        }
    }
}

impl Lookup<i64> for Near {
    fn number(&mut self, key: i64, next: u32) -> u32 {
        let number = &mut self.numbers[key.abs_diff(self.low) as usize];
        if *number == NONE {
            *number = next;
        }
        *number
    }
}

/// The values of one stretch.
pub struct Local<K, M> {
    map: M,
    keys: Vec<u32>,
    /// The distinct values, and the rows of the stretch where they first appear.
    values: Vec<K>,
    first: Vec<u32>,
    /// The number of the missing value; it stands among the values too.
    missing: Option<u32>,
    has_number: bool,
}

impl<K: Key, M: Lookup<K>> Local<K, M> {
    fn new(map: M, missing: Missing, rows: usize) -> Self {
        Self {
            map,
            keys: Vec::with_capacity(rows),
            values: Vec::new(),
            first: Vec::new(),
            missing: None,
            has_number: missing == Missing::Value,
        }
    }

    /// Takes the value of the next row.
    #[inline]
    pub fn take(&mut self, value: Option<K>) {
        let next = self.values.len() as u32;
        let number = match value {
            Some(value) => self.map.number(value, next),
            None if self.has_number => *self.missing.get_or_insert(next),
            None => NONE,
        };
        if number == next {
            self.values.push(value.unwrap_or_default());
            self.first.push(self.keys.len() as u32);
        }
        self.keys.push(number);
    }

    /// The number of a value of another stretch, which first appears in this row of all.
    fn adopt(&mut self, value: Option<K>, row: u32) -> u32 {
        let next = self.values.len() as u32;
        let number = match value {
            Some(value) => self.map.number(value, next),
            None => *self.missing.get_or_insert(next),
        };
        if number == next {
            self.values.push(value.unwrap_or_default());
            self.first.push(row);
        }
        number
    }
}

/// Numbers the values of columns that are stored alike, one behind the other.
///
/// # Errors
/// [`ErrorKind::Argument`] for more rows than there are numbers; a stop request.
pub fn numbered(
    columns: &[Series],
    missing: Missing,
    height: usize,
    control: &Control,
) -> Result<Numbered> {
    if height >= MOST {
        let message = format!("expected fewer than {MOST} rows, found {height}");
        return Err(Error::new(ErrorKind::Argument, message));
    }
    let stretches = Pieces::of(columns, height).0;
    let dtype = columns
        .first()
        .map_or(&DataType::Null, |column| column.dtype());
    let run = Run {
        stretches: &stretches,
        missing,
        control,
    };
    match dtype {
        DataType::Boolean => run.arrays(
            || Near::new(0, 1),
            |array, out| {
                let array = array.as_any().downcast_ref::<BooleanArray>()?;
                array
                    .iter()
                    .for_each(|value| out.take(value.map(i64::from)));
                Some(())
            },
        ),
        DataType::Int8 => whole::<i8>(&run, height, i64::from),
        DataType::Int16 => whole::<i16>(&run, height, i64::from),
        DataType::Int32 => whole::<i32>(&run, height, i64::from),
        DataType::Int64 => whole::<i64>(&run, height, i64::from),
        DataType::UInt8 => whole::<u8>(&run, height, i64::from),
        DataType::UInt16 => whole::<u16>(&run, height, i64::from),
        DataType::UInt32 => whole::<u32>(&run, height, i64::from),
        // Ordered as the numbers are.
        DataType::UInt64 => whole::<u64>(&run, height, |value| (value ^ (1 << 63)).cast_signed()),
        DataType::Int128 => run.arrays(Hashed::<i128>::default, |array, out| {
            natives::<i128>(array, |value| out.take(value))
        }),
        DataType::Float32 => run.arrays(Hashed::<i64>::default, |array, out| {
            natives::<f32>(array, |value| {
                out.take(value.and_then(|value| float_key(f64::from(value))));
            })
        }),
        DataType::Float64 => run.arrays(Hashed::<i64>::default, |array, out| {
            natives::<f64>(array, |value| out.take(value.and_then(float_key)))
        }),
        DataType::String | DataType::Binary | DataType::BinaryOffset => run
            .arrays(Texts::<Text<'_>>::default, |array, out| {
                text::each(array, |value| out.take(value))
            }),
        DataType::Null => run.arrays(Hashed::<i64>::default, |array, out| {
            (0..array.len()).for_each(|_| out.take(None));
            Some(())
        }),
        other => Err(stored_otherwise(other)),
    }
}

/// Numbers the pairs of numbers of two columns.
///
/// # Errors
/// A stop request.
pub fn combined(left: &Numbered, right: &Numbered, control: &Control) -> Result<Numbered> {
    let base = u64::from(right.distinct).max(1);
    let rows = left.keys.len();
    let stretch = rows.div_ceil(rayon::current_num_threads()).max(STEP);
    let pairs: Vec<(&[u32], &[u32])> = left
        .keys
        .chunks(stretch)
        .zip(right.keys.chunks(stretch))
        .collect();
    // Numbers are below 2^32, so the product fits.
    let high = (u64::from(left.distinct) * base)
        .saturating_sub(1)
        .cast_signed();
    if is_near(0, high, rows) {
        paired(&pairs, base, || Near::new(0, high), control)
    } else {
        paired(&pairs, base, Hashed::default, control)
    }
}

fn paired<M: Lookup<i64> + Send>(
    pairs: &[(&[u32], &[u32])],
    base: u64,
    map: impl Fn() -> M + Sync,
    control: &Control,
) -> Result<Numbered> {
    let locals = pairs.par_iter().map(|(left, right)| {
        let mut out = Local::new(map(), Missing::Never, left.len());
        for (left, right) in left.chunks(STEP).zip(right.chunks(STEP)) {
            control.check()?;
            for (left, right) in left.iter().zip(right) {
                let there = *left != NONE && *right != NONE;
                let key = u64::from(*left)
                    .wrapping_mul(base)
                    .wrapping_add(u64::from(*right));
                out.take(there.then_some(key.cast_signed()));
            }
        }
        Ok(out)
    });
    joined(locals.collect::<Result<Vec<_>>>()?, control)
}

/// Whole numbers, by position where all of them are close together.
fn whole<T: NativeType>(
    run: &Run<'_>,
    height: usize,
    key: impl Fn(T) -> i64 + Sync,
) -> Result<Numbered> {
    let ranges = run.stretches.par_iter().map(|stretch| {
        let mut range: Option<(i64, i64)> = None;
        for array in stretch {
            natives::<T>(&**array, |value| {
                if let Some(value) = value {
                    let value = key(value);
                    let (low, high) = range.unwrap_or((value, value));
                    range = Some((low.min(value), high.max(value)));
                }
            });
        }
        range
    });
    let range = ranges
        .flatten()
        .reduce_with(|(low, high), (other_low, other_high)| {
            (low.min(other_low), high.max(other_high))
        });
    let (low, high) = range.unwrap_or_default();
    if is_near(low, high, height) {
        run.arrays(
            || Near::new(low, high),
            |array, out| natives::<T>(array, |value| out.take(value.map(&key))),
        )
    } else {
        run.arrays(Hashed::<i64>::default, |array, out| {
            natives::<T>(array, |value| out.take(value.map(&key)))
        })
    }
}

/// True when a table with a place for each number from `low` to `high` is worth it for so many rows.
fn is_near(low: i64, high: i64, rows: usize) -> bool {
    high.abs_diff(low) < (2 * rows as u64).max(FEW)
}

/// A float as an integer that is equal and ordered as the float is; none for NaN.
fn float_key(value: f64) -> Option<i64> {
    if value.is_nan() {
        return None;
    }
    // Adding zero turns -0.0 into 0.0. Negative floats order backwards by their bits.
    let bits = (value + 0.0).to_bits().cast_signed();
    Some(if bits < 0 { bits ^ i64::MAX } else { bits })
}

/// Hands every value of an array to `take`, in order; none when it is of another type.
fn natives<T: NativeType>(array: &dyn Array, mut take: impl FnMut(Option<T>)) -> Option<()> {
    let array = array.as_any().downcast_ref::<PrimitiveArray<T>>()?;
    if array.null_count() == 0 {
        array.values().iter().for_each(|value| take(Some(*value)));
    } else {
        array.iter().for_each(|value| take(value.copied()));
    }
    Some(())
}

fn stored_otherwise(dtype: &DataType) -> Error {
    let message = format!("a key stored otherwise than its type says: {dtype}");
    Error::new(ErrorKind::Internal, message)
}

/// What is numbered, and how.
struct Run<'a> {
    stretches: &'a [Stretch],
    missing: Missing,
    control: &'a Control,
}

impl<'a> Run<'a> {
    /// Numbers the values that `each` finds in the arrays.
    fn arrays<K: Key, M: Lookup<K> + Send>(
        &self,
        map: impl Fn() -> M + Sync,
        each: impl Fn(&'a dyn Array, &mut Local<K, M>) -> Option<()> + Sync,
    ) -> Result<Numbered> {
        let locals = self.stretches.par_iter().map(|stretch| {
            let rows = stretch.iter().map(|array| array.len()).sum();
            let mut out = Local::new(map(), self.missing, rows);
            for array in stretch {
                self.control.check()?;
                let other = || stored_otherwise(&DataType::from_arrow_dtype(array.dtype()));
                each(&**array, &mut out).ok_or_else(other)?;
            }
            Ok(out)
        });
        joined(locals.collect::<Result<Vec<_>>>()?, self.control)
    }
}

/// The numbers of all stretches as one numbering.
fn joined<K: Key, M: Lookup<K>>(locals: Vec<Local<K, M>>, control: &Control) -> Result<Numbered> {
    let mut locals = locals.into_iter();
    let Some(mut all) = locals.next() else {
        return Ok(Numbered::default());
    };
    let mut others: Vec<(Vec<u32>, Vec<u32>)> = Vec::new();
    let mut start = all.keys.len();
    for local in locals {
        let mut numbers = Vec::with_capacity(local.values.len());
        let values = local.values.iter().zip(&local.first).zip(0u32..);
        for ((value, row), number) in values {
            if number.is_multiple_of(STEP as u32) {
                control.check()?;
            }
            let value = (local.missing != Some(number)).then_some(*value);
            numbers.push(all.adopt(value, start as u32 + row));
        }
        start += local.keys.len();
        others.push((local.keys, numbers));
    }
    others.par_iter_mut().for_each(|(keys, numbers)| {
        for key in keys {
            // A row without a number keeps that it has none.
            *key = numbers.get(*key as usize).copied().unwrap_or(NONE);
        }
    });
    let mut keys = all.keys;
    keys.reserve_exact(start - keys.len());
    for (other, _) in others {
        keys.extend_from_slice(&other);
    }
    let there = |number: &usize| all.missing != Some(*number as u32);
    let numbers = || (0..all.values.len()).filter(there);
    let lowest = numbers().min_by_key(|number| all.values[*number]);
    let highest = numbers().min_by_key(|number| std::cmp::Reverse(all.values[*number]));
    Ok(Numbered {
        keys,
        distinct: all.values.len() as u32,
        missing: all.missing,
        extremes: lowest
            .zip(highest)
            .map(|(lowest, highest)| (all.first[lowest], all.first[highest])),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn float_keys_order_as_the_floats_do() {
        let ordered = [
            f64::NEG_INFINITY,
            -1e300,
            -1.0,
            -5e-324,
            0.0,
            5e-324,
            0.1,
            2.0,
            f64::INFINITY,
        ];
        for pair in ordered.windows(2) {
            assert!(float_key(pair[0]) < float_key(pair[1]), "{pair:?}");
        }
    }
}
