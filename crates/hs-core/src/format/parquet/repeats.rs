//! Whether the values of a column repeat so much that a dictionary of them pays, by a sample.

use std::collections::HashMap;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use arrow_data::ArrayData;
use arrow_schema::DataType;

/// Values that are looked at.
const SAMPLE: usize = 4096;
/// A dictionary of so many values takes two bytes for each row.
const MOST: f64 = 65_536.0;
/// Texts from this length on are worth a larger dictionary: what repeats far away, zstd does not see.
const LONG: f64 = 32.0;
/// Bytes of a dictionary at most.
const LARGEST: f64 = 64e6;
/// What the crate allows without being asked.
const USUAL: f64 = 1e6;

/// What a dictionary of a column would be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Dictionary {
    /// Bytes that it may take; `None` for the usual size.
    pub size: Option<usize>,
}

impl Dictionary {
    /// The largest.
    pub const LARGEST: Self = Self {
        size: Some(LARGEST as usize),
    };
}

/// The dictionary that a column is worth; `None` when it is better without.
pub(super) fn dictionary(parts: &[ArrayRef]) -> Option<Dictionary> {
    let rows: usize = parts.iter().map(Array::len).sum();
    let mut seen: HashMap<&[u8], u64> = HashMap::new();
    let (mut sampled, mut bytes) = (0u64, 0u64);
    let step = rows.div_ceil(SAMPLE).max(1);
    let data: Vec<ArrayData> = parts.iter().map(Array::to_data).collect();
    let pairs = parts.iter().zip(&data);
    let values = pairs.map(|(part, data)| Values::of(part, data));
    let Some(values) = values.collect::<Option<Vec<Values<'_>>>>() else {
        // Of lists and structs it is not known.
        return Some(Dictionary { size: None });
    };
    let (mut start, mut next, mut state) = (0, 0, 1u64);
    for (part, values) in parts.iter().zip(&values) {
        while next < start + part.len() {
            let row = next - start;
            if part.is_valid(row) {
                let value = values.at(row);
                *seen.entry(value).or_default() += 1;
                sampled += 1;
                bytes += value.len() as u64;
            }
            // Not always as far: values that come again in a rhythm would never meet.
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            next += 1 + (state >> 33) as usize % (2 * step - 1);
        }
        start += part.len();
    }
    if sampled == 0 {
        return Some(Dictionary { size: None });
    }
    let width = bytes as f64 / sampled as f64;
    let rows = rows as f64;
    let distinct = if step == 1 {
        seen.len() as f64
    } else {
        // As many pairs of equal values as are found among so many distinct ones.
        let pairs: u64 = seen.values().map(|count| count * (count - 1) / 2).sum();
        let all = sampled * sampled.saturating_sub(1) / 2;
        all as f64 / (pairs as f64).max(0.5)
    };
    let size = distinct * (width + 4.0);
    let long = width >= LONG && size <= LARGEST;
    if distinct > rows / 2.0 || (distinct > MOST && (!long || distinct > rows / 4.0)) {
        return None;
    }
    // The estimate may be half of the truth.
    let size = (size * 2.0 > USUAL).then_some((size * 2.0).min(LARGEST) as usize);
    Some(Dictionary { size })
}

/// The values of an array as bytes.
enum Values<'a> {
    /// Of one width.
    Fixed(&'a [u8], usize),
    /// Texts or bytes.
    Views(&'a ArrayRef),
    /// Bytes behind one another.
    Flat(&'a ArrayRef),
}

impl<'a> Values<'a> {
    /// `None` for types whose values have no such form.
    fn of(array: &'a ArrayRef, data: &'a ArrayData) -> Option<Self> {
        Some(match array.data_type() {
            DataType::Utf8View | DataType::BinaryView => Self::Views(array),
            DataType::LargeBinary => Self::Flat(array),
            dtype => {
                let width = dtype.primitive_width()?;
                let bytes = data.buffers().first()?.as_slice();
                Self::Fixed(bytes.get(data.offset() * width..)?, width)
            }
        })
    }

    fn at(&self, row: usize) -> &'a [u8] {
        match self {
            Self::Fixed(bytes, width) => bytes
                .get(row * width..(row + 1) * width)
                .unwrap_or_default(),
            Self::Views(array) => match array.data_type() {
                DataType::Utf8View => array.as_string_view().value(row).as_bytes(),
                _ => array.as_binary_view().value(row),
            },
            Self::Flat(array) => array.as_binary::<i64>().value(row),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{Int64Array, StringViewArray};

    use super::*;

    /// 300,000 whole numbers in three parts, so many of them distinct, in no order.
    fn numbers(distinct: i64) -> Vec<ArrayRef> {
        let mut state = 7u64;
        let mut draw = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 33) as i64 % distinct
        };
        let parts = (0..3).map(|_| {
            let part: Int64Array = (0..100_000)
                .map(|row| (row % 10 > 0).then(&mut draw))
                .collect();
            Arc::new(part) as ArrayRef
        });
        parts.collect()
    }

    #[test]
    fn what_repeats_has_a_dictionary() {
        let usual = Some(Dictionary { size: None });
        assert_eq!(dictionary(&numbers(5)), usual);
        assert_eq!(dictionary(&numbers(20_000)), usual);
        assert_eq!(dictionary(&numbers(250_000)), None);
        let ids: ArrayRef = Arc::new((0..300_000).collect::<Int64Array>());
        assert_eq!(dictionary(&[ids]), None);
        let missing: ArrayRef = Arc::new(Int64Array::new_null(10));
        assert_eq!(dictionary(&[missing]), usual);
        assert_eq!(dictionary(&[]), usual);
        let bools: ArrayRef = Arc::new(arrow_array::BooleanArray::from(vec![true]));
        assert_eq!(dictionary(&[bools]), usual);
    }

    #[test]
    fn long_texts_have_a_large_one() {
        let texts = |length: usize| -> Vec<ArrayRef> {
            let text = |row: u64| format!("{:0length$}", row.wrapping_mul(2_654_435_761) % 70_000);
            let texts: StringViewArray = (0..400_000).map(|row| Some(text(row))).collect();
            vec![Arc::new(texts)]
        };
        assert_eq!(dictionary(&texts(6)), None);
        let size = dictionary(&texts(100))
            .and_then(|found| found.size)
            .expect("a large one");
        assert!((7_000_000..28_000_000).contains(&size), "{size}");
    }
}
