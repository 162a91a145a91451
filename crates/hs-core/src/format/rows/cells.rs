//! The values of a column, a piece of rows at a time, each written from where it lies: no value is
//! boxed on the way, but for those of nested columns.

use polars::prelude::{AnyValue, Column, DataType, Series, TimeUnit};
use polars_arrow::array::{Array, BooleanArray, PrimitiveArray, StaticArray, Utf8ViewArray};

use super::scalar;
use crate::error::{Error, ErrorKind, Result};
use crate::table::{ColumnInfo, Kind};
use crate::text;

/// Some rows of a column, in one piece.
pub struct Piece {
    series: Series,
    kind: Kind,
}

impl Piece {
    /// The rows from `start` on, as many as `length`. Only rows that lie in several parts of the
    /// column are copied.
    pub fn of(info: &ColumnInfo, column: &Column, start: usize, length: usize) -> Self {
        let rows = column.slice(start as i64, length);
        Self {
            series: rows.take_materialized_series().rechunk(),
            kind: info.kind,
        }
    }

    /// Its values.
    ///
    /// # Errors
    /// Only when a column does not hold what its type says.
    pub fn cells(&self) -> Result<Cells<'_>> {
        let series = &self.series;
        let Some(array) = series.chunks().first().map(AsRef::as_ref) else {
            return Ok(Cells::Missing);
        };
        Ok(match series.dtype() {
            DataType::Null => Cells::Missing,
            DataType::Boolean => Cells::Bool(typed(array)?),
            DataType::Int8 => Cells::I8(typed(array)?),
            DataType::Int16 => Cells::I16(typed(array)?),
            DataType::Int32 => Cells::I32(typed(array)?),
            DataType::Int64 => Cells::I64(typed(array)?),
            DataType::UInt8 => Cells::U8(typed(array)?),
            DataType::UInt16 => Cells::U16(typed(array)?),
            DataType::UInt32 => Cells::U32(typed(array)?),
            DataType::UInt64 => Cells::U64(typed(array)?),
            DataType::Float32 => Cells::F32(typed(array)?),
            DataType::Float64 => Cells::F64(typed(array)?),
            DataType::Date => Cells::Date(typed(array)?),
            DataType::Datetime(unit, zone) => Cells::Moment(typed(array)?, *unit, zone.is_some()),
            DataType::Time => Cells::Time(typed(array)?),
            DataType::Duration(unit) => Cells::Duration(typed(array)?, *unit),
            DataType::Decimal(_, scale) => Cells::Decimal(typed(array)?, *scale),
            DataType::String if self.kind == Kind::Mixed => Cells::Json(typed(array)?),
            DataType::String => Cells::Text(typed(array)?),
            _ => Cells::Other(series),
        })
    }
}

fn typed<T: 'static>(array: &dyn Array) -> Result<&T> {
    array.as_any().downcast_ref().ok_or_else(|| {
        Error::new(
            ErrorKind::Internal,
            "a column that is not what its type says",
        )
    })
}

/// The values of a piece of a column.
pub enum Cells<'a> {
    Missing,
    Bool(&'a BooleanArray),
    I8(&'a PrimitiveArray<i8>),
    I16(&'a PrimitiveArray<i16>),
    I32(&'a PrimitiveArray<i32>),
    I64(&'a PrimitiveArray<i64>),
    U8(&'a PrimitiveArray<u8>),
    U16(&'a PrimitiveArray<u16>),
    U32(&'a PrimitiveArray<u32>),
    U64(&'a PrimitiveArray<u64>),
    F32(&'a PrimitiveArray<f32>),
    F64(&'a PrimitiveArray<f64>),
    Date(&'a PrimitiveArray<i32>),
    /// A wall clock, or an instant when true.
    Moment(&'a PrimitiveArray<i64>, TimeUnit, bool),
    Time(&'a PrimitiveArray<i64>),
    Duration(&'a PrimitiveArray<i64>, TimeUnit),
    Decimal(&'a PrimitiveArray<i128>, usize),
    Text(&'a Utf8ViewArray),
    /// JSON text of values of several kinds.
    Json(&'a Utf8ViewArray),
    /// Nested values.
    Other(&'a Series),
}

impl<'a> Cells<'a> {
    /// Appends the text of the value in a row, and tells whether there is one; NaN is missing.
    /// Nothing is quoted, and nested values are JSON.
    pub fn push(&self, row: usize, out: &mut Vec<u8>) -> bool {
        macro_rules! each {
            ($array:expr, $value:ident => $write:expr) => {
                match $array.get(row) {
                    None => false,
                    Some($value) => {
                        $write;
                        true
                    }
                }
            };
        }
        match self {
            Self::Missing => false,
            Self::Bool(array) => {
                each!(array, flag => out.extend_from_slice(if flag { b"true" } else { b"false" }))
            }
            Self::I8(array) => each!(array, number => scalar::whole(out, number)),
            Self::I16(array) => each!(array, number => scalar::whole(out, number)),
            Self::I32(array) => each!(array, number => scalar::whole(out, number)),
            Self::I64(array) => each!(array, number => scalar::whole(out, number)),
            Self::U8(array) => each!(array, number => scalar::whole(out, number)),
            Self::U16(array) => each!(array, number => scalar::whole(out, number)),
            Self::U32(array) => each!(array, number => scalar::whole(out, number)),
            Self::U64(array) => each!(array, number => scalar::whole(out, number)),
            Self::F32(array) => match array.get(row) {
                Some(number) if number.is_finite() => {
                    scalar::single(out, number);
                    true
                }
                Some(number) => push_endless(out, f64::from(number)),
                None => false,
            },
            Self::F64(array) => match array.get(row) {
                Some(number) if number.is_finite() => {
                    scalar::float(out, number);
                    true
                }
                Some(number) => push_endless(out, number),
                None => false,
            },
            Self::Date(array) => each!(array, days => scalar::date(out, i64::from(days))),
            Self::Moment(array, unit, utc) => {
                each!(array, value => scalar::datetime(out, value, *unit, *utc))
            }
            Self::Time(array) => each!(array, nanos => scalar::time(out, nanos)),
            Self::Duration(array, unit) => each!(array, value => {
                out.extend_from_slice(text::duration(text::nanos(value, *unit)).as_bytes());
            }),
            Self::Decimal(array, scale) => {
                each!(array, value => scalar::decimal(out, value, *scale))
            }
            Self::Text(array) | Self::Json(array) => {
                each!(array, text => out.extend_from_slice(text.as_bytes()))
            }
            Self::Other(series) => match series.get(row) {
                Err(_) | Ok(AnyValue::Null) => false,
                Ok(value) => {
                    out.extend_from_slice(text::plain(&value).as_bytes());
                    true
                }
            },
        }
    }
}

/// Infinities have a word; NaN is missing.
fn push_endless(out: &mut Vec<u8>, number: f64) -> bool {
    if number.is_nan() {
        return false;
    }
    out.extend_from_slice(if number > 0.0 { b"inf" } else { b"-inf" });
    true
}
