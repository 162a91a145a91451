//! Columns as flat vectors: one buffer of numbers and a mask, the form that numpy and its users take.
//!
//! Copies each value once, all columns side by side; a column that does not fit the form exactly is
//! left to the caller. Never rounds.

use polars::prelude::{Column, DataType, Series, TimeUnit};
use polars_arrow::array::{BooleanArray, PrimitiveArray};
use polars_arrow::types::NativeType;
use rayon::prelude::*;

use crate::control::Control;
use crate::error::Result;
use crate::table::{Kind, Table};

const MICROS_PER_DAY: i64 = 86_400_000_000;

/// A column as one vector for each of its values and, where it matters, for what is missing.
#[derive(Debug, PartialEq)]
pub struct Flat {
    /// The values.
    pub numbers: Numbers,
    /// 1 where a value is missing; `None` when none is, or the type has a value that says so (NaN
    /// of floats, [`NOT_A_TIME`]).
    pub missing: Option<Vec<u8>>,
}

/// The values of a column in one buffer.
#[derive(Debug, PartialEq)]
#[expect(missing_docs, reason = "named after what they hold")]
pub enum Numbers {
    I8(Vec<i8>),
    I16(Vec<i16>),
    I32(Vec<i32>),
    I64(Vec<i64>),
    U8(Vec<u8>),
    U16(Vec<u16>),
    U32(Vec<u32>),
    U64(Vec<u64>),
    F32(Vec<f32>),
    F64(Vec<f64>),
    /// 0 or 1.
    Bool(Vec<u8>),
    /// Days and wall clocks, in microseconds from 1970-01-01.
    Micros(Vec<i64>),
    /// Wall clocks with digits below a microsecond, in nanoseconds from 1970-01-01.
    Nanos(Vec<i64>),
}

/// What stands for a missing point in time.
pub const NOT_A_TIME: i64 = i64::MIN;

/// Each column of a table as a flat one; `None` for text, nested and other columns that have no such
/// form, and for those with a value that the form cannot hold.
///
/// # Errors
/// Only a stop request.
pub fn flat(table: &Table, control: &Control) -> Result<Vec<Option<Flat>>> {
    let columns: Vec<_> = table.iter().collect();
    columns
        .into_par_iter()
        .map(|(info, column)| {
            control.check()?;
            // Categories and mixed columns are stored as something that they are not.
            let plain = info.kind == Kind::of(column.dtype());
            Ok(plain.then(|| flat_column(column)).flatten())
        })
        .collect()
}

fn flat_column(column: &Column) -> Option<Flat> {
    let series = column.as_materialized_series();
    macro_rules! whole {
        ($variant:ident, $type:ty) => {
            Flat {
                numbers: Numbers::$variant(values::<$type, _>(series, |part, all| {
                    all.extend_from_slice(part);
                    Some(())
                })?),
                missing: missing(series),
            }
        };
    }
    macro_rules! float {
        ($variant:ident, $type:ident) => {
            Flat {
                numbers: Numbers::$variant(filled::<$type, _>(series, $type::NAN, |part, all| {
                    all.extend_from_slice(part);
                    Some(())
                })?),
                missing: None,
            }
        };
    }
    Some(match column.dtype() {
        DataType::Int8 => whole!(I8, i8),
        DataType::Int16 => whole!(I16, i16),
        DataType::Int32 => whole!(I32, i32),
        DataType::Int64 => whole!(I64, i64),
        DataType::UInt8 => whole!(U8, u8),
        DataType::UInt16 => whole!(U16, u16),
        DataType::UInt32 => whole!(U32, u32),
        DataType::UInt64 => whole!(U64, u64),
        DataType::Float32 => float!(F32, f32),
        DataType::Float64 => float!(F64, f64),
        DataType::Boolean => Flat {
            numbers: Numbers::Bool(bools(series)?),
            missing: missing(series),
        },
        DataType::Date => Flat {
            numbers: Numbers::Micros(days(series)?),
            missing: None,
        },
        DataType::Datetime(unit, None) => Flat {
            numbers: moments(series, *unit)?,
            missing: None,
        },
        _ => return None,
    })
}

/// The values of all parts behind one another; what stands at missing ones is arbitrary.
fn values<T: NativeType, U>(
    series: &Series,
    add: impl Fn(&[T], &mut Vec<U>) -> Option<()>,
) -> Option<Vec<U>> {
    let mut all = room(series.len())?;
    for chunk in series.chunks() {
        let part = chunk.as_any().downcast_ref::<PrimitiveArray<T>>()?;
        add(part.values(), &mut all)?;
    }
    Some(all)
}

/// An empty vector with room for so many values, in large pages where the system has them: a column
/// is written from end to end, and clearing many small pages takes longer than filling them.
fn room<T>(length: usize) -> Option<Vec<T>> {
    let mut room: Vec<T> = Vec::new();
    room.try_reserve_exact(length).ok()?;
    #[cfg(target_os = "linux")]
    in_large_pages(room.spare_capacity_mut());
    Some(room)
}

#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "advice to the system is an unsafe call")]
fn in_large_pages<T>(room: &mut [std::mem::MaybeUninit<T>]) {
    // As numpy does for arrays from this size on.
    const LEAST: usize = 4 << 20;
    const PAGE: usize = 4096;
    let bytes = std::mem::size_of_val(room);
    if bytes < LEAST {
        return;
    }
    let start = room.as_mut_ptr().cast::<u8>();
    let skip = start.align_offset(PAGE);
    let length = bytes.saturating_sub(skip) & !(PAGE - 1);
    // SAFETY: the range lies inside the room; the advice changes neither what is in memory nor who
    // may use it, and whether it is heeded does not matter.
    unsafe {
        libc::madvise(start.wrapping_add(skip).cast(), length, libc::MADV_HUGEPAGE);
    }
}

/// As [`values`], with `filler` at missing ones.
fn filled<T: NativeType, U: Copy>(
    series: &Series,
    filler: U,
    add: impl Fn(&[T], &mut Vec<U>) -> Option<()>,
) -> Option<Vec<U>> {
    let mut all = values(series, add)?;
    each_missing(series, |row| all[row] = filler);
    Some(all)
}

/// Calls `tell` with the position of each missing value.
fn each_missing(series: &Series, mut tell: impl FnMut(usize)) {
    let mut start = 0;
    for chunk in series.chunks() {
        if let Some(bits) = chunk.validity() {
            for (row, there) in bits.iter().enumerate() {
                if !there {
                    tell(start + row);
                }
            }
        }
        start += chunk.len();
    }
}

fn missing(series: &Series) -> Option<Vec<u8>> {
    if series.null_count() == 0 {
        return None;
    }
    let mut mask = vec![0; series.len()];
    each_missing(series, |row| mask[row] = 1);
    Some(mask)
}

fn bools(series: &Series) -> Option<Vec<u8>> {
    let mut all = Vec::new();
    all.try_reserve_exact(series.len()).ok()?;
    for chunk in series.chunks() {
        let part = chunk.as_any().downcast_ref::<BooleanArray>()?;
        all.extend(part.values().iter().map(u8::from));
    }
    Some(all)
}

fn days(series: &Series) -> Option<Vec<i64>> {
    filled::<i32, _>(series, NOT_A_TIME, |part, all| {
        all.extend(part.iter().map(|day| i64::from(*day) * MICROS_PER_DAY));
        // Days as far off as year 290,000 do not fit.
        let farthest = i64::MAX / MICROS_PER_DAY;
        let fits = |day: &i32| i64::from(*day).abs() < farthest;
        part.iter().all(fits).then_some(())
    })
}

/// In microseconds, unless digits would be lost.
fn moments(series: &Series, unit: TimeUnit) -> Option<Numbers> {
    let parts = |scale: Scale| {
        filled::<i64, _>(series, NOT_A_TIME, |part, all| {
            match scale {
                Scale::As => all.extend_from_slice(part),
                Scale::Up(factor) => {
                    all.extend(part.iter().map(|value| value.wrapping_mul(factor)));
                }
                Scale::Down(factor) => all.extend(part.iter().map(|value| value / factor)),
            }
            Some(())
        })
    };
    let all = |fits: &dyn Fn(i64) -> bool| {
        series.chunks().iter().all(|chunk| {
            let part = chunk.as_any().downcast_ref::<PrimitiveArray<i64>>();
            part.is_some_and(|part| part.non_null_values_iter().all(fits))
        })
    };
    match unit {
        TimeUnit::Microseconds => parts(Scale::As).map(Numbers::Micros),
        TimeUnit::Milliseconds => all(&|value| value.checked_mul(1000).is_some())
            .then(|| parts(Scale::Up(1000)))
            .flatten()
            .map(Numbers::Micros),
        TimeUnit::Nanoseconds if all(&|value| value % 1000 == 0) => {
            parts(Scale::Down(1000)).map(Numbers::Micros)
        }
        TimeUnit::Nanoseconds => parts(Scale::As).map(Numbers::Nanos),
    }
}

#[derive(Clone, Copy)]
enum Scale {
    As,
    Up(i64),
    Down(i64),
}

#[cfg(test)]
mod tests {
    use super::*;
    use polars::prelude::NamedFrom;

    fn one(series: Series) -> Option<Flat> {
        let frame = polars::prelude::DataFrame::new(series.len(), vec![series.into()]).unwrap();
        let mut all = flat(&Table::new(frame), &Control::default()).unwrap();
        all.remove(0)
    }

    #[test]
    fn parts_follow_one_another_with_what_is_missing() {
        let mut ints = Series::new("a".into(), [Some(1i64), None]);
        ints.append(&Series::new("a".into(), [i64::MAX])).unwrap();
        let Some(Flat {
            numbers: Numbers::I64(values),
            missing,
        }) = one(ints)
        else {
            panic!("not whole numbers");
        };
        assert_eq!((values[0], values[2]), (1, i64::MAX));
        assert_eq!(missing, Some(vec![0, 1, 0]));
        let floats = one(Series::new("a".into(), [Some(1.5f64), None]));
        let Some(Flat {
            numbers: Numbers::F64(values),
            missing: None,
        }) = floats
        else {
            panic!("not floats");
        };
        assert_eq!(values[0].to_bits(), 1.5f64.to_bits());
        assert!(values[1].is_nan());
        let bools = one(Series::new("a".into(), [Some(true), Some(false)]));
        let numbers = Numbers::Bool(vec![1, 0]);
        let missing = None;
        assert_eq!(bools, Some(Flat { numbers, missing }));
    }

    #[test]
    fn points_in_time_are_microseconds_unless_that_would_change_them() {
        let moments = |values: &[Option<i64>], unit| {
            let series = Series::new("a".into(), values);
            one(series.cast(&DataType::Datetime(unit, None)).unwrap()).map(|flat| flat.numbers)
        };
        let micros = |values: &[i64]| Some(Numbers::Micros(values.to_vec()));
        let (milli, nano) = (TimeUnit::Milliseconds, TimeUnit::Nanoseconds);
        assert_eq!(
            moments(&[Some(2), None], milli),
            micros(&[2000, NOT_A_TIME])
        );
        assert_eq!(moments(&[Some(i64::MAX)], milli), None);
        assert_eq!(moments(&[Some(-3000)], nano), micros(&[-3]));
        assert_eq!(
            moments(&[Some(1), None], nano),
            Some(Numbers::Nanos(vec![1, NOT_A_TIME]))
        );
        let day = |day: i32| {
            one(Series::new("a".into(), [day])
                .cast(&DataType::Date)
                .unwrap())
        };
        assert_eq!(day(-1).map(|flat| flat.numbers), micros(&[-MICROS_PER_DAY]));
        assert_eq!(day(i32::MAX), None);
    }

    #[test]
    fn text_and_categories_have_no_flat_form() {
        assert_eq!(one(Series::new("a".into(), ["x"])), None);
        let mut table = Table::new(
            polars::prelude::DataFrame::new(1, vec![Column::new("a".into(), [1i64])]).unwrap(),
        );
        table.set_kind(0, Kind::Category);
        assert_eq!(flat(&table, &Control::default()).unwrap(), [None]);
    }
}
