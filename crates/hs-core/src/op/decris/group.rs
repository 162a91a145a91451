//! The distinct values of one column: which rows hold the same value, how often, and the extremes.
//!
//! Values are hashed in their stored form; nothing is turned into text unless it is nested.

use std::hash::Hash;

use polars::prelude::{
    AnyValue, ChunkedArray, Column, DataType, InitHashMaps, PlHashMap, PolarsNumericType, Series,
};

use crate::control::Control;
use crate::error::{Error, ErrorKind, Result};
use crate::table::Kind;
use crate::text;

/// Rows between two looks at the stop request.
const STEP: usize = 1 << 16;

/// The distinct values of a column, numbered from 1 in the order they first appear.
#[derive(Debug, Default)]
pub struct Groups {
    /// For every row the number of its value; 0 where the value is missing (null or NaN).
    pub codes: Vec<u32>,
    /// How many rows are missing.
    pub missing: u32,
    /// The row where value `i + 1` first appears.
    pub first: Vec<u32>,
    /// How many rows hold value `i + 1`.
    pub count: Vec<u32>,
    /// First rows of the smallest and the largest value; none for values without an order.
    pub extremes: Option<(u32, u32)>,
}

impl Groups {
    /// How many distinct values there are, missing not counted.
    pub fn distinct(&self) -> usize {
        self.first.len()
    }

    /// The numbers (from 0) of the `most` most frequent values; ties by first appearance.
    pub fn top(&self, most: usize) -> Vec<usize> {
        let mut top: Vec<usize> = Vec::with_capacity(most + 1);
        for (value, count) in self.count.iter().enumerate() {
            let place = top.partition_point(|other| self.count[*other] >= *count);
            if place < most {
                top.insert(place, value);
                top.truncate(most);
            }
        }
        top
    }
}

/// Groups the rows of a column by value.
///
/// `-0.0` and `0.0` are one value, NaN is missing, nested and mixed values are the same when their
/// JSON text is.
///
/// # Errors
/// [`ErrorKind::Interrupted`] on a stop request; [`ErrorKind::Type`] for a type that no table has.
pub fn group(column: &Column, kind: Kind, control: &Control) -> Result<Groups> {
    let series = column.as_materialized_series();
    if kind == Kind::Mixed {
        return group_mixed(series, control);
    }
    match series.dtype() {
        DataType::List(_) | DataType::Array(..) | DataType::Struct(_) => {
            return group_json(series, control);
        }
        _ => {}
    }
    let stored = series.to_physical_repr();
    macro_rules! whole {
        ($get:ident) => {
            group_whole(stored.$get().map_err(not_stored)?, control)
        };
    }
    match stored.dtype() {
        DataType::Null => Ok(Groups {
            codes: vec![0; series.len()],
            missing: series.len() as u32,
            ..Groups::default()
        }),
        DataType::Boolean => {
            let values = stored.bool().map_err(not_stored)?;
            let keys = values.iter().map(|value| value.map(i64::from));
            group_ordered(keys, Slots::Near { low: 0, high: 1 }, control)
        }
        DataType::Int8 => whole!(i8),
        DataType::Int16 => whole!(i16),
        DataType::Int32 => whole!(i32),
        DataType::Int64 => whole!(i64),
        DataType::UInt8 => whole!(u8),
        DataType::UInt16 => whole!(u16),
        DataType::UInt32 => whole!(u32),
        DataType::UInt64 => {
            let values = stored.u64().map_err(not_stored)?;
            let keys = values
                .iter()
                .map(|value| value.map(|value| (value ^ (1 << 63)).cast_signed()));
            group_ordered(keys, Slots::Far, control)
        }
        DataType::Int128 => {
            let values = stored.i128().map_err(not_stored)?;
            group_ordered(values.iter(), Slots::Far, control)
        }
        DataType::Float32 => {
            let values = stored.f32().map_err(not_stored)?;
            let keys = values
                .iter()
                .map(|value| value.and_then(|value| float_key(f64::from(value))));
            group_ordered(keys, Slots::Far, control)
        }
        DataType::Float64 => {
            let values = stored.f64().map_err(not_stored)?;
            let keys = values.iter().map(|value| value.and_then(float_key));
            group_ordered(keys, Slots::Far, control)
        }
        // Bytes of UTF-8 compare as code points do.
        DataType::String => {
            let values = stored.str().map_err(not_stored)?;
            let keys = values.iter().map(|value| value.map(str::as_bytes));
            group_ordered(keys, Slots::Far, control)
        }
        DataType::Binary => {
            let values = stored.binary().map_err(not_stored)?;
            group_ordered(values.iter(), Slots::Far, control)
        }
        _ => group_json(series, control),
    }
}

fn not_stored(error: polars::prelude::PolarsError) -> Error {
    Error::new(
        ErrorKind::Internal,
        "a column stored otherwise than its type says",
    )
    .because(error)
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

fn group_whole<T>(values: &ChunkedArray<T>, control: &Control) -> Result<Groups>
where
    T: PolarsNumericType,
    T::Native: Into<i64>,
{
    let mut range: Option<(i64, i64)> = None;
    for array in values.downcast_iter() {
        for value in array.iter().flatten() {
            let value: i64 = (*value).into();
            let (low, high) = range.unwrap_or((value, value));
            range = Some((low.min(value), high.max(value)));
        }
    }
    // Values close together are looked up by position, which is far faster than by hash.
    let near = (2 * values.len()).max(4096) as u64;
    let slots = match range {
        Some((low, high)) if high.abs_diff(low) < near => Slots::Near { low, high },
        _ => Slots::Far,
    };
    let keys = values.iter().map(|value| value.map(Into::into));
    group_ordered(keys, slots, control)
}

/// How the number of a value is looked up.
#[derive(Clone, Copy)]
enum Slots {
    /// By position in an array: all values lie between two that are close together.
    Near { low: i64, high: i64 },
    /// By hash.
    Far,
}

/// A value that can be looked up and ordered.
trait Key: Copy + Eq + Ord + Hash {
    /// Distance from `low`, for values that are looked up by position.
    fn offset(self, low: i64) -> usize;
}

impl Key for i64 {
    fn offset(self, low: i64) -> usize {
        self.abs_diff(low) as usize
    }
}

impl Key for i128 {
    fn offset(self, low: i64) -> usize {
        (self - i128::from(low)) as usize
    }
}

impl Key for &[u8] {
    fn offset(self, _: i64) -> usize {
        0
    }
}

fn group_ordered<K: Key>(
    keys: impl ExactSizeIterator<Item = Option<K>>,
    slots: Slots,
    control: &Control,
) -> Result<Groups> {
    let mut builder = Builder::new(keys.len())?;
    let mut values: Vec<K> = Vec::new();
    match slots {
        Slots::Near { low, high } => {
            let mut numbers = vec![0u32; high.abs_diff(low) as usize + 1];
            for key in keys {
                let Some(key) = builder.present(key, control)? else {
                    continue;
                };
                let number = &mut numbers[key.offset(low)];
                if *number == 0 {
                    *number = builder.next_number();
                    values.push(key);
                }
                builder.push(*number);
            }
        }
        Slots::Far => {
            let mut numbers: PlHashMap<K, u32> = PlHashMap::new();
            for key in keys {
                let Some(key) = builder.present(key, control)? else {
                    continue;
                };
                let number = *numbers.entry(key).or_insert_with(|| {
                    values.push(key);
                    builder.next_number()
                });
                builder.push(number);
            }
        }
    }
    let mut groups = builder.groups;
    let lowest = (0..values.len()).min_by_key(|value| values[*value]);
    let highest = (0..values.len()).min_by_key(|value| std::cmp::Reverse(values[*value]));
    groups.extremes = lowest
        .zip(highest)
        .map(|(lowest, highest)| (groups.first[lowest], groups.first[highest]));
    Ok(groups)
}

/// Nested values, by their JSON text; they have no order.
fn group_json(series: &Series, control: &Control) -> Result<Groups> {
    // Walking a series value by value needs it in one piece.
    let series = series.rechunk();
    let texts = series.iter().map(|value| match value {
        AnyValue::Null => None,
        value => {
            let mut out = String::new();
            text::write_json(&mut out, &value);
            Some(out)
        }
    });
    group_texts(texts, series.len(), control)
}

/// Mixed values are stored as JSON text already; there `null` and `NaN` without quotes are missing.
fn group_mixed(series: &Series, control: &Control) -> Result<Groups> {
    let Ok(values) = series.str() else {
        return group_json(series, control);
    };
    let texts = values
        .iter()
        .map(|value| value.filter(|text| !matches!(*text, "null" | "NaN")));
    group_texts(texts, series.len(), control)
}

fn group_texts<T: AsRef<str> + Eq + Hash>(
    texts: impl Iterator<Item = Option<T>>,
    height: usize,
    control: &Control,
) -> Result<Groups> {
    let mut builder = Builder::new(height)?;
    let mut numbers: PlHashMap<T, u32> = PlHashMap::new();
    for text in texts {
        let Some(text) = builder.present(text, control)? else {
            continue;
        };
        let number = *numbers.entry(text).or_insert_with(|| builder.next_number());
        builder.push(number);
    }
    Ok(builder.groups)
}

/// Collects the groups row by row.
struct Builder {
    groups: Groups,
}

impl Builder {
    fn new(height: usize) -> Result<Self> {
        let mut codes: Vec<u32> = Vec::new();
        codes.try_reserve_exact(height).map_err(|error| {
            Error::new(ErrorKind::Io, "the description does not fit into memory").because(error)
        })?;
        Ok(Self {
            groups: Groups {
                codes,
                ..Groups::default()
            },
        })
    }

    /// The value of the next row; a missing one is recorded at once.
    fn present<K>(&mut self, key: Option<K>, control: &Control) -> Result<Option<K>> {
        if self.groups.codes.len().is_multiple_of(STEP) {
            control.check()?;
        }
        if key.is_none() {
            self.groups.codes.push(0);
            self.groups.missing += 1;
        }
        Ok(key)
    }

    /// Opens a group for the row that comes next.
    fn next_number(&mut self) -> u32 {
        self.groups.first.push(self.groups.codes.len() as u32);
        self.groups.count.push(0);
        self.groups.first.len() as u32
    }

    /// Puts the next row into a group.
    fn push(&mut self, number: u32) {
        self.groups.codes.push(number);
        self.groups.count[number as usize - 1] += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use polars::prelude::{NamedFrom, Series};

    fn grouped(series: Series) -> Groups {
        let column: Column = series.into();
        let kind = Kind::of(column.dtype());
        group(&column, kind, &Control::default()).unwrap()
    }

    #[test]
    fn zeros_are_one_value_and_nan_is_missing() {
        let values = [Some(0.0), Some(f64::NAN), Some(-0.0), None, Some(-1.5)];
        let groups = grouped(Series::new("x".into(), values));
        assert_eq!(groups.codes, [1, 0, 1, 0, 2]);
        assert_eq!((groups.missing, groups.distinct()), (2, 2));
        assert_eq!(groups.extremes, Some((4, 0)));
    }

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

    #[test]
    fn big_unsigned_numbers_keep_their_order_and_identity() {
        let values = [u64::MAX, 0, u64::MAX - 1, 9_007_199_254_740_993, u64::MAX];
        let groups = grouped(Series::new("x".into(), values));
        assert_eq!(groups.codes, [1, 2, 3, 4, 1]);
        assert_eq!(groups.extremes, Some((1, 0)));
    }

    #[test]
    fn near_and_far_numbers_group_alike() {
        let near: Vec<i64> = (0..10_000).map(|row| i64::MIN + row % 7).collect();
        let mut far = near.clone();
        far.push(i64::MAX);
        let (near, far) = (
            grouped(Series::new("x".into(), near)),
            grouped(Series::new("x".into(), far)),
        );
        assert_eq!(near.codes, far.codes[..10_000]);
        assert_eq!((near.distinct(), far.distinct()), (7, 8));
        assert_eq!(far.extremes, Some((0, 10_000)));
    }

    #[test]
    fn top_breaks_ties_by_first_appearance() {
        let groups = grouped(Series::new(
            "x".into(),
            ["d", "b", "a", "b", "c", "c", "e", "a"],
        ));
        let names = ["d", "b", "a", "c", "e"];
        let top: Vec<&str> = groups
            .top(3)
            .into_iter()
            .map(|value| names[value])
            .collect();
        assert_eq!(top, ["b", "a", "c"]);
        assert!(groups.top(0).is_empty());
    }
}
