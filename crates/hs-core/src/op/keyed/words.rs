//! Columns as 64-bit values: exact where a type has no more bits, else a hash, which is not believed before the
//! values themselves were compared.

use std::collections::HashMap;

use polars::prelude::{DataType, Series};
use polars_arrow::array::{
    Array, BinaryArray, BinaryViewArray, BooleanArray, PrimitiveArray, Utf8ViewArray,
};
use polars_arrow::types::NativeType;
use rayon::prelude::*;

use super::number::{Numbered, STEP, Words, numbered};
use super::text::Text;
use super::{Missing, NONE};
use crate::control::Control;
use crate::error::{Error, ErrorKind, Result};

/// What hashes start from, one after the other while two different values have one hash.
const SEEDS: [u64; 3] = [
    0x2545_f491_4f6c_dd1d,
    0x9e6c_63d0_876a_9a7f,
    0x5851_f42d_4c95_7f2d,
];
/// The sign of a whole number.
const SIGN: u64 = 1 << 63;

/// The rows of columns that are stored alike, one behind the other.
pub struct Rows<'a> {
    arrays: Vec<&'a dyn Array>,
    /// The same, if their values have more than 64 bits.
    longs: Vec<Longs<'a>>,
    /// The first row of each array, and the number of rows at the end.
    starts: Vec<usize>,
    /// The array of the first row of every [`STEP`] rows.
    steps: Vec<usize>,
    dtype: &'a DataType,
}

/// A value that has more than 64 bits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Long<'a> {
    Missing,
    Wide(i128),
    Text(Text<'a>),
}

/// An array of values that have more than 64 bits.
#[derive(Clone, Copy)]
enum Longs<'a> {
    Texts(&'a Utf8ViewArray),
    Views(&'a BinaryViewArray),
    Flat(&'a BinaryArray<i64>),
    Wide(&'a PrimitiveArray<i128>),
    None,
}

impl<'a> Longs<'a> {
    fn of(array: &'a dyn Array) -> Self {
        let array = array.as_any();
        let texts = array.downcast_ref().map(Self::Texts);
        let views = || array.downcast_ref().map(Self::Views);
        let flat = || array.downcast_ref().map(Self::Flat);
        let wide = || array.downcast_ref().map(Self::Wide);
        texts
            .or_else(views)
            .or_else(flat)
            .or_else(wide)
            .unwrap_or(Self::None)
    }
}

/// A slice of an array, and where its values and gaps go.
type Piece<'a> = (Box<dyn Array>, &'a mut [u64], &'a mut [bool]);

impl<'a> Rows<'a> {
    /// The rows of the columns; those without any rows may be stored otherwise.
    pub fn of(columns: &'a [Series]) -> Self {
        let mut arrays: Vec<&dyn Array> = Vec::new();
        let mut starts = vec![0];
        let mut height = 0;
        for array in columns.iter().flat_map(|column| column.chunks()) {
            if !array.is_empty() {
                height += array.len();
                arrays.push(&**array);
                starts.push(height);
            }
        }
        let mut steps = Vec::with_capacity(height / STEP + 1);
        let mut at = 0;
        for row in (0..height).step_by(STEP) {
            while starts[at + 1] <= row {
                at += 1;
            }
            steps.push(at);
        }
        let dtype = columns
            .first()
            .map_or(&DataType::Null, |column| column.dtype());
        Self {
            longs: arrays.iter().map(|array| Longs::of(*array)).collect(),
            arrays,
            starts,
            steps,
            dtype,
        }
    }

    fn height(&self) -> usize {
        self.starts.last().copied().unwrap_or_default()
    }

    /// The value of a row, for columns of long ones.
    #[inline]
    fn long(&self, row: usize) -> Long<'a> {
        let mut at = self.steps[row / STEP];
        while self.starts[at + 1] <= row {
            at += 1;
        }
        let row = row - self.starts[at];
        match self.longs[at] {
            Longs::Texts(texts) => Long::Text(Text::of_view(&texts.views()[row], || {
                texts.value(row).as_bytes()
            })),
            Longs::Views(bytes) => {
                Long::Text(Text::of_view(&bytes.views()[row], || bytes.value(row)))
            }
            Longs::Flat(bytes) => Long::Text(Text::new(bytes.value(row))),
            Longs::Wide(numbers) => Long::Wide(numbers.value(row)),
            Longs::None => Long::Missing,
        }
    }

    /// Numbers the values.
    ///
    /// # Errors
    /// [`ErrorKind::Argument`] for more rows than there are numbers; a stop request.
    pub fn numbered(&self, missing: Missing, control: &Control) -> Result<Numbered> {
        numberable(self.height())?;
        self.numbered_by(&SEEDS, missing, control)
    }

    fn numbered_by(&self, seeds: &[u64], missing: Missing, control: &Control) -> Result<Numbered> {
        if let Some(words) = self.exact(control)? {
            return numbered(&words, missing, control);
        }
        for seed in seeds {
            let words = self.hashed(*seed, control)?;
            let found = numbered(&words, missing, control)?;
            if self.agrees(&found, &words, control)? {
                return Ok(found);
            }
        }
        let words = self.looked_up(control)?;
        numbered(&words, missing, control)
    }

    /// The values, ordered as they are, where 64 bits hold them; none for longer ones.
    fn exact(&self, control: &Control) -> Result<Option<Words>> {
        let words = match self.dtype {
            DataType::Boolean => self.each(control, |array, out, gone| {
                let array = array.as_any().downcast_ref::<BooleanArray>()?;
                for ((value, out), gone) in array.iter().zip(out).zip(gone) {
                    *out = u64::from(value.unwrap_or_default());
                    *gone = value.is_none();
                }
                Some(())
            }),
            DataType::Int8 => self.natives::<i8>(control, |value| Some(signed(value.into()))),
            DataType::Int16 => self.natives::<i16>(control, |value| Some(signed(value.into()))),
            DataType::Int32 => self.natives::<i32>(control, |value| Some(signed(value.into()))),
            DataType::Int64 => self.natives::<i64>(control, |value| Some(signed(value))),
            DataType::UInt8 => self.natives::<u8>(control, |value| Some(value.into())),
            DataType::UInt16 => self.natives::<u16>(control, |value| Some(value.into())),
            DataType::UInt32 => self.natives::<u32>(control, |value| Some(value.into())),
            DataType::UInt64 => self.natives::<u64>(control, Some),
            DataType::Float32 => self.natives::<f32>(control, |value| float_key(value.into())),
            DataType::Float64 => self.natives::<f64>(control, float_key),
            DataType::Null => self.each(control, |_, _, gone| {
                gone.fill(true);
                Some(())
            }),
            DataType::Int128 if self.is_narrow() => self.natives::<i128>(control, |value| {
                Some(signed(i64::try_from(value).unwrap_or_default()))
            }),
            DataType::Int128 | DataType::String | DataType::Binary | DataType::BinaryOffset => {
                return Ok(None);
            }
            other => Err(stored_otherwise(other)),
        };
        words.map(Some)
    }

    /// True when all 128-bit numbers fit into 64 bits.
    fn is_narrow(&self) -> bool {
        self.arrays.par_iter().all(|array| {
            let numbers = array.as_any().downcast_ref::<PrimitiveArray<i128>>();
            numbers.is_some_and(|numbers| {
                let there =
                    |value: Option<&i128>| value.is_none_or(|value| i64::try_from(*value).is_ok());
                numbers.iter().all(there)
            })
        })
    }

    fn natives<T: NativeType>(
        &self,
        control: &Control,
        key: impl Fn(T) -> Option<u64> + Sync,
    ) -> Result<Words> {
        self.each(control, |array, out, gone| {
            let array = array.as_any().downcast_ref::<PrimitiveArray<T>>()?;
            for ((value, out), gone) in array.values().iter().zip(out).zip(&mut *gone) {
                let key = key(*value);
                *out = key.unwrap_or_default();
                *gone = key.is_none();
            }
            mark(array, gone);
            Some(())
        })
    }

    fn hashed(&self, seed: u64, control: &Control) -> Result<Words> {
        self.each(control, |array, out, gone| {
            mark(array, gone);
            match Longs::of(array) {
                Longs::Texts(texts) => {
                    for (at, (view, out)) in texts.views().iter().zip(out).enumerate() {
                        *out = Text::of_view(view, || texts.value(at).as_bytes()).hash(seed);
                    }
                }
                Longs::Views(bytes) => {
                    for (at, (view, out)) in bytes.views().iter().zip(out).enumerate() {
                        *out = Text::of_view(view, || bytes.value(at)).hash(seed);
                    }
                }
                Longs::Flat(bytes) => {
                    for (value, out) in bytes.values_iter().zip(out) {
                        *out = Text::new(value).hash(seed);
                    }
                }
                Longs::Wide(numbers) => {
                    for (value, out) in numbers.values().iter().zip(out) {
                        *out = Text::new(&value.to_le_bytes()).hash(seed);
                    }
                }
                Longs::None => return None,
            }
            Some(())
        })
    }

    /// True when all rows of one number hold one value.
    fn agrees(&self, found: &Numbered, words: &Words, control: &Control) -> Result<bool> {
        let steps = found.keys.par_chunks(STEP).enumerate().map(|(step, keys)| {
            control.check()?;
            Ok(keys.iter().enumerate().all(|(at, key)| {
                let row = step * STEP + at;
                let Some(first) = found.first.get(*key as usize) else {
                    return true;
                };
                *first as usize == row
                    || words.missing.get(row) == Some(&true)
                    || self.long(row) == self.long(*first as usize)
            }))
        });
        steps.try_reduce(|| true, |one, other| Ok(one && other))
    }

    /// The values' numbers in a common table: slow, and right for all values.
    fn looked_up(&self, control: &Control) -> Result<Words> {
        let mut numbers: HashMap<Long<'_>, u64> = HashMap::new();
        // Only for the gaps.
        let mut words = self.hashed(0, control)?;
        for (row, word) in words.values.iter_mut().enumerate() {
            if row.is_multiple_of(STEP) {
                control.check()?;
            }
            let next = numbers.len() as u64;
            *word = *numbers.entry(self.long(row)).or_insert(next);
        }
        Ok(words)
    }

    /// Fills values and gaps side by side; `fill` says none for an array of another type.
    fn each(
        &self,
        control: &Control,
        fill: impl Fn(&dyn Array, &mut [u64], &mut [bool]) -> Option<()> + Sync,
    ) -> Result<Words> {
        let mut values = vec![0u64; self.height()];
        let mut missing = vec![false; self.height()];
        let mut work: Vec<Piece<'_>> = Vec::new();
        let (mut values_left, mut missing_left) = (&mut *values, &mut *missing);
        for array in &self.arrays {
            for start in (0..array.len()).step_by(STEP) {
                let rows = STEP.min(array.len() - start);
                let (out, rest) = values_left.split_at_mut(rows);
                let (gone, gone_rest) = missing_left.split_at_mut(rows);
                (values_left, missing_left) = (rest, gone_rest);
                work.push((array.sliced(start, rows), out, gone));
            }
        }
        work.into_par_iter().try_for_each(|(array, out, gone)| {
            control.check()?;
            let other = || stored_otherwise(&DataType::from_arrow_dtype(array.dtype()));
            fill(&*array, out, gone).ok_or_else(other)
        })?;
        if !missing.par_iter().any(|gone| *gone) {
            missing = Vec::new();
        }
        Ok(Words { values, missing })
    }
}

/// Marks the missing values of an array.
fn mark(array: &dyn Array, gone: &mut [bool]) {
    if let Some(valid) = array.validity().filter(|valid| valid.unset_bits() > 0) {
        for (there, gone) in valid.iter().zip(gone) {
            *gone |= !there;
        }
    }
}

/// Refuses more rows than there are numbers.
///
/// # Errors
/// [`ErrorKind::Argument`].
pub fn numberable(rows: usize) -> Result<()> {
    if rows < NONE as usize {
        return Ok(());
    }
    let message = format!("expected fewer than {NONE} rows, found {rows}");
    Err(Error::new(ErrorKind::Argument, message))
}

/// A whole number as one that is ordered as it is, without a sign.
pub fn signed(value: i64) -> u64 {
    value.cast_unsigned() ^ SIGN
}

/// A float as a number that is equal and ordered as the float is; none for NaN.
pub fn float_key(value: f64) -> Option<u64> {
    // Adding zero turns -0.0 into 0.0. Negative floats order backwards by their bits.
    let bits = (value + 0.0).to_bits();
    (!value.is_nan()).then_some(if bits & SIGN == 0 { bits | SIGN } else { !bits })
}

/// The error for a column of a type that no stored form has.
pub fn stored_otherwise(dtype: &DataType) -> Error {
    let message = format!("a key stored otherwise than its type says: {dtype}");
    Error::new(ErrorKind::Internal, message)
}

#[cfg(test)]
mod tests {
    use polars::prelude::NamedFrom;

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
        assert_eq!(float_key(-0.0), float_key(0.0));
        assert_eq!(float_key(f64::NAN), None);
    }

    #[test]
    fn values_that_share_their_hashes_stay_apart() {
        let texts: Vec<Option<String>> = (0..70_000)
            .map(|row| {
                (row % 7 > 0).then(|| format!("a text of some length, number {}", row % 30_000))
            })
            .collect();
        let columns = [
            Series::new("k".into(), &texts[..40_000]),
            Series::new("k".into(), &texts[40_000..]),
        ];
        let rows = Rows::of(&columns);
        let control = Control::default();
        let usual = rows.numbered(Missing::Value, &control).expect("numbers");
        let slow = rows
            .numbered_by(&[], Missing::Value, &control)
            .expect("numbers");
        assert_eq!(usual.keys, slow.keys);
        // One number for two texts is seen.
        let mut wrong = usual;
        let words = rows.hashed(SEEDS[0], &control).expect("hashes");
        assert!(rows.agrees(&wrong, &words, &control).expect("seen"));
        wrong.keys[69_998] = wrong.keys[2];
        assert!(!rows.agrees(&wrong, &words, &control).expect("seen"));
    }
}
