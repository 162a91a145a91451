//! A column as blocks of values of a fixed size, read from where they lie.

use std::ops::Range;

use super::fixed::{Fixed, Packed};
use super::number::Words;
use super::text::Text;
use super::words::{float_key, signed};
use polars::prelude::{DataType, Series};
use polars_arrow::array::{
    Array, BinaryArray, BinaryViewArray, BinaryViewArrayGeneric, BooleanArray, PrimitiveArray,
    Utf8ViewArray, View, ViewType,
};
use polars_arrow::bitmap::Bitmap;
use polars_arrow::types::NativeType;

/// Rows that are read at a time, so that their values stay in the nearest cache.
pub const BLOCK: usize = 1 << 10;

/// Rows of values.
pub trait Source: Sync {
    /// What they are read as.
    type Value: Fixed;

    /// True where values are words that may lie near each other, as those of whole numbers do.
    fn near(&self) -> bool {
        false
    }

    /// How many rows there are.
    fn height(&self) -> usize;

    /// Reads a block of rows. True when some are missing: `gone` then says for each whether it is; the value of a
    /// missing one is any.
    fn fill(&self, rows: Range<usize>, out: &mut [Self::Value], gone: &mut [bool]) -> bool;
}

/// What is done with the rows of a source, whatever its values are.
pub trait Visit<'a> {
    /// What comes of it.
    type Output;

    /// Does it.
    fn visit<S: Source + 'a>(self, source: S) -> Self::Output;
}

/// Visits the values of a column in its stored form; `None` for one that is stored otherwise.
pub fn visit<'a, V: Visit<'a>>(series: &'a Series, visit: V) -> Option<V::Output> {
    macro_rules! natives {
        ($type:ty, $near:literal, $key:expr) => {
            visit.visit(Natives::<_, $near, _> {
                arrays: arrays::<PrimitiveArray<$type>>(series)?,
                key: $key,
            })
        };
    }
    macro_rules! whole {
        ($type:ty) => {
            natives!($type, true, |value: $type| Some(signed(i64::from(value))))
        };
    }
    macro_rules! unsigned {
        ($type:ty) => {
            natives!($type, true, |value: $type| Some(u64::from(value)))
        };
    }
    Some(match series.dtype() {
        DataType::Boolean => visit.visit(Bits(arrays(series)?)),
        DataType::Int8 => whole!(i8),
        DataType::Int16 => whole!(i16),
        DataType::Int32 => whole!(i32),
        DataType::Int64 => whole!(i64),
        DataType::UInt8 => unsigned!(u8),
        DataType::UInt16 => unsigned!(u16),
        DataType::UInt32 => unsigned!(u32),
        DataType::UInt64 => unsigned!(u64),
        DataType::Float32 => natives!(f32, false, |value: f32| float_key(f64::from(value))),
        DataType::Float64 => natives!(f64, false, float_key),
        DataType::Int128 => natives!(i128, false, |value: i128| {
            Some([signed((value >> 64) as i64), value as u64])
        }),
        DataType::Null => visit.visit(Nothing(series.len())),
        DataType::String => texts::<Utf8ViewArray, V>(series, visit)?,
        DataType::Binary => texts::<BinaryViewArray, V>(series, visit)?,
        DataType::BinaryOffset => texts::<BinaryArray<i64>, V>(series, visit)?,
        _ => return None,
    })
}

/// By the smallest values that hold all of the texts.
fn texts<'a, T: Lying + 'static, V: Visit<'a>>(series: &'a Series, visit: V) -> Option<V::Output> {
    let arrays = arrays::<T>(series)?;
    let lengths = arrays
        .iter()
        .fold(0, |all, (_, array)| all | array.lengths());
    // The limits have all bits set: the lengths are below one when their bits together are.
    Some(if lengths <= u64::MOST {
        visit.visit(Short::<_, u64>::of(arrays))
    } else if lengths <= <[u64; 2]>::MOST {
        visit.visit(Short::<_, [u64; 2]>::of(arrays))
    } else if lengths <= <[u64; 4]>::MOST {
        visit.visit(Short::<_, [u64; 4]>::of(arrays))
    } else {
        visit.visit(Long(arrays))
    })
}

/// Arrays behind one another, each with its first row.
type Arrays<'a, A> = Vec<(usize, &'a A)>;

fn arrays<A: Array + 'static>(series: &Series) -> Option<Arrays<'_, A>> {
    let mut start = 0;
    let arrays = series.chunks().iter().map(|array| {
        let first = start;
        start += array.len();
        Some((first, array.as_any().downcast_ref()?))
    });
    arrays.collect()
}

fn height<A: Array>(arrays: &Arrays<'_, A>) -> usize {
    arrays
        .last()
        .map_or(0, |(start, array)| start + array.len())
}

/// Calls `read` for each array with its rows of the block, and with where these go. `read` says whether it has
/// marked missing ones; those by validity are marked here.
fn each<'a, A: Array, T>(
    arrays: &Arrays<'a, A>,
    rows: Range<usize>,
    out: &mut [T],
    gone: &mut [bool],
    mut read: impl FnMut(&'a A, Range<usize>, &mut [T], &mut [bool]) -> bool,
) -> bool {
    let mut some = false;
    let mut at = arrays
        .partition_point(|(start, _)| *start <= rows.start)
        .saturating_sub(1);
    let mut row = rows.start;
    while row < rows.end
        && let Some((start, array)) = arrays.get(at)
    {
        let own = row - start..(rows.end - start).min(array.len());
        let into = row - rows.start..row - rows.start + own.len();
        row += own.len();
        at += 1;
        let (out, gone) = (&mut out[into.clone()], &mut gone[into]);
        gone.fill(false);
        some |= read(array, own.clone(), out, gone);
        let gaps = |valid: &&Bitmap| valid.unset_bits() > 0;
        if let Some(valid) = array.validity().filter(gaps) {
            some = true;
            for (row, gone) in own.zip(gone) {
                *gone |= !valid.get_bit(row);
            }
        }
    }
    some
}

/// Numbers, by what they are as values; a value that is none is missing.
struct Natives<'a, T: NativeType, const NEAR: bool, F> {
    arrays: Arrays<'a, PrimitiveArray<T>>,
    key: F,
}

impl<T: NativeType, const NEAR: bool, V: Fixed, F: Fn(T) -> Option<V> + Sync> Source
    for Natives<'_, T, NEAR, F>
{
    type Value = V;

    fn near(&self) -> bool {
        NEAR
    }

    fn height(&self) -> usize {
        height(&self.arrays)
    }

    fn fill(&self, rows: Range<usize>, out: &mut [V], gone: &mut [bool]) -> bool {
        each(&self.arrays, rows, out, gone, |array, rows, out, gone| {
            let values = &array.values().as_slice()[rows];
            let mut some = false;
            for ((value, out), gone) in values.iter().zip(out).zip(gone) {
                let key = (self.key)(*value);
                *gone = key.is_none();
                some |= key.is_none();
                *out = key.unwrap_or_default();
            }
            some
        })
    }
}

/// True and false.
struct Bits<'a>(Arrays<'a, BooleanArray>);

impl Source for Bits<'_> {
    type Value = u64;

    fn near(&self) -> bool {
        true
    }

    fn height(&self) -> usize {
        height(&self.0)
    }

    fn fill(&self, rows: Range<usize>, out: &mut [u64], gone: &mut [bool]) -> bool {
        each(&self.0, rows, out, gone, |array, rows, out, _| {
            let bits = array.values();
            for (row, out) in rows.zip(out) {
                *out = u64::from(bits.get_bit(row));
            }
            false
        })
    }
}

/// Nothing but missing values.
struct Nothing(usize);

impl Source for Nothing {
    type Value = u64;

    fn height(&self) -> usize {
        self.0
    }

    fn fill(&self, _: Range<usize>, _: &mut [u64], gone: &mut [bool]) -> bool {
        gone.fill(true);
        true
    }
}

impl Source for Words {
    type Value = u64;

    fn near(&self) -> bool {
        true
    }

    fn height(&self) -> usize {
        self.values.len()
    }

    fn fill(&self, rows: Range<usize>, out: &mut [u64], gone: &mut [bool]) -> bool {
        out.copy_from_slice(&self.values[rows.clone()]);
        let missing = self.missing.get(rows);
        if let Some(missing) = missing {
            gone.copy_from_slice(missing);
        }
        missing.is_some()
    }
}

/// Texts or bytes as they lie in memory.
trait Lying: Array {
    /// The bits of all lengths together.
    fn lengths(&self) -> usize;

    /// The first 32 bytes of a row, with any behind those of shorter ones, and the length; `room` is for what does not lie
    /// so.
    fn first<'a>(&'a self, row: usize, room: &'a mut [u8; 32]) -> (&'a [u8; 32], usize);

    /// All of it.
    fn text(&self, row: usize) -> Text<'_>;
}

/// Puts the first bytes of a text into the room.
fn copied<'a>(bytes: &[u8], room: &'a mut [u8; 32]) -> &'a [u8; 32] {
    let length = bytes.len().min(32);
    room[..length].copy_from_slice(&bytes[..length]);
    room
}

impl<T: ViewType + ?Sized> Lying for BinaryViewArrayGeneric<T> {
    fn lengths(&self) -> usize {
        let lengths = self.views().iter().map(|view| view.length);
        lengths.fold(0, |all, length| all | length) as usize
    }

    #[inline]
    fn first<'a>(&'a self, row: usize, room: &'a mut [u8; 32]) -> (&'a [u8; 32], usize) {
        let view = &self.views()[row];
        if view.length > View::MAX_INLINE_SIZE {
            let bytes = self.value(row).to_bytes();
            return (copied(bytes, room), bytes.len());
        }
        room[..12].copy_from_slice(&view.as_u128().to_le_bytes()[4..]);
        (room, view.length as usize)
    }

    #[inline]
    fn text(&self, row: usize) -> Text<'_> {
        Text::of_view(&self.views()[row], || self.value(row).to_bytes())
    }
}

impl Lying for BinaryArray<i64> {
    fn lengths(&self) -> usize {
        let offsets = self.offsets().as_slice();
        let lengths = offsets.windows(2).map(|pair| pair[1] - pair[0]);
        lengths.fold(0, |all, length| all | length) as usize
    }

    #[inline]
    fn first<'a>(&'a self, row: usize, room: &'a mut [u8; 32]) -> (&'a [u8; 32], usize) {
        let (offsets, all) = (self.offsets().as_slice(), self.values().as_slice());
        let (start, end) = (offsets[row] as usize, offsets[row + 1] as usize);
        // Where others lie behind it, its bytes are read at once.
        let first = match all.get(start..).and_then(<[u8]>::first_chunk) {
            Some(first) => first,
            None => copied(&all[start..end], room),
        };
        (first, end - start)
    }

    #[inline]
    fn text(&self, row: usize) -> Text<'_> {
        Text::new(self.value(row))
    }
}

/// Texts that a value of a fixed size holds.
struct Short<'a, A, V> {
    arrays: Arrays<'a, A>,
    value: std::marker::PhantomData<fn() -> V>,
}

impl<'a, A, V> Short<'a, A, V> {
    fn of(arrays: Arrays<'a, A>) -> Self {
        Self {
            arrays,
            value: std::marker::PhantomData,
        }
    }
}

impl<A: Lying, V: Packed> Source for Short<'_, A, V> {
    type Value = V;

    fn height(&self) -> usize {
        height(&self.arrays)
    }

    fn fill(&self, rows: Range<usize>, out: &mut [V], gone: &mut [bool]) -> bool {
        each(&self.arrays, rows, out, gone, |array, rows, out, _| {
            let mut room = [0; 32];
            for (row, out) in rows.zip(out) {
                let (first, length) = array.first(row, &mut room);
                *out = V::of(first, length);
            }
            false
        })
    }
}

/// Texts of any length.
struct Long<'a, A>(Arrays<'a, A>);

impl<'a, A: Lying> Source for Long<'a, A> {
    type Value = Text<'a>;

    fn height(&self) -> usize {
        height(&self.0)
    }

    fn fill(&self, rows: Range<usize>, out: &mut [Text<'a>], gone: &mut [bool]) -> bool {
        each(&self.0, rows, out, gone, |array, rows, out, _| {
            for (row, out) in rows.zip(out) {
                *out = array.text(row);
            }
            false
        })
    }
}
