//! One stored form for the values of two columns, in which equal values are equal.
//!
//! A value that the other column's type cannot hold keeps a form of its own, so that it equals nothing there.

use polars::prelude::{
    AnyValue, DataType, Int128Chunked, IntoSeries, NewChunkedArray, PolarsError, Series,
    StringChunked, TimeUnit,
};

use super::Part;
use super::digits;
use super::number::STEP;
use crate::control::Control;
use crate::error::{Error, ErrorKind, Result};
use crate::table::Kind;
use crate::text;

/// What the values of a column are, as far as equality goes.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Class {
    Empty,
    Bool,
    Int(DataType),
    Float,
    Decimal(usize),
    Text,
    Bytes,
    /// Days.
    Date,
    /// Points in time; true for those of a zone, which are instants.
    Datetime(TimeUnit, bool),
    Time,
    Duration(TimeUnit),
    /// Lists and structs.
    Nested,
    /// Values of several kinds, as JSON text.
    Mixed,
}

impl Class {
    fn of((info, column): Part<'_>) -> Self {
        if info.kind == Kind::Mixed {
            return Self::Mixed;
        }
        match column.dtype() {
            DataType::Null => Self::Empty,
            DataType::Boolean => Self::Bool,
            DataType::Float32 | DataType::Float64 => Self::Float,
            DataType::Decimal(_, scale) => Self::Decimal(*scale),
            DataType::BinaryOffset if info.kind == Kind::Text => Self::Text,
            DataType::Binary | DataType::BinaryOffset => Self::Bytes,
            DataType::Date => Self::Date,
            DataType::Datetime(unit, zone) => Self::Datetime(*unit, zone.is_some()),
            DataType::Time => Self::Time,
            DataType::Duration(unit) => Self::Duration(*unit),
            DataType::List(_) | DataType::Array(..) | DataType::Struct(_) => Self::Nested,
            dtype if dtype.is_integer() => Self::Int(dtype.clone()),
            _ => Self::Text,
        }
    }
}

/// Both columns in one stored form, in which equal values are equal: numbers by value across their types, times
/// across their units, categories as their values, nested and mixed values by their JSON text; NaN is missing.
/// `None` when the values of the two are never equal.
///
/// # Errors
/// A stop request.
pub fn common(
    left: Part<'_>,
    right: Part<'_>,
    control: &Control,
) -> Result<Option<(Series, Series)>> {
    let pair = (Class::of(left), Class::of(right));
    let both = |form: Form| -> Result<Option<(Series, Series)>> {
        Ok(Some((form.of(left, control)?, form.of(right, control)?)))
    };
    match pair {
        (Class::Empty, Class::Empty) => both(Form::Stored),
        (Class::Empty, _) => {
            let right = stored(right, control)?;
            Ok(Some((
                Series::full_null("".into(), left.1.len(), right.dtype()),
                right,
            )))
        }
        (_, Class::Empty) => {
            let left = stored(left, control)?;
            let right = Series::full_null("".into(), right.1.len(), left.dtype());
            Ok(Some((left, right)))
        }
        (Class::Mixed, _) | (_, Class::Mixed) => both(Form::Json),
        (Class::Int(left), Class::Int(right)) if left == right => both(Form::Stored),
        (Class::Int(left), Class::Int(right)) => {
            let unsigned = left == DataType::UInt64 || right == DataType::UInt64;
            let wide = left == DataType::Int128 || right == DataType::Int128;
            both(if unsigned || wide {
                Form::Wide
            } else {
                Form::Cast(DataType::Int64)
            })
        }
        (Class::Float, Class::Float) => both(Form::Cast(DataType::Float64)),
        (Class::Int(_), Class::Float) | (Class::Float, Class::Int(_)) => both(Form::Wide),
        (Class::Decimal(left), Class::Decimal(right)) if left == right => both(Form::Stored),
        (Class::Decimal(_), Class::Decimal(_) | Class::Int(_) | Class::Float)
        | (Class::Int(_) | Class::Float, Class::Decimal(_)) => both(Form::Digits),
        (Class::Datetime(_, zone), Class::Datetime(_, other)) if zone != other => Ok(None),
        (Class::Datetime(left, _), Class::Datetime(right, _)) if left != right => both(Form::Nanos),
        (Class::Date, Class::Datetime(_, false)) | (Class::Datetime(_, false), Class::Date) => {
            both(Form::Nanos)
        }
        (Class::Duration(left), Class::Duration(right)) if left != right => both(Form::Nanos),
        (left, right) if std::mem::discriminant(&left) == std::mem::discriminant(&right) => {
            both(Form::Stored)
        }
        _ => Ok(None),
    }
}

/// A column in the form in which equal values of its own are equal.
///
/// # Errors
/// A stop request.
pub fn stored(part: Part<'_>, control: &Control) -> Result<Series> {
    let form = match Class::of(part) {
        Class::Mixed => Form::Json,
        _ => Form::Stored,
    };
    form.of(part, control)
}

/// A form of values.
#[derive(Clone, Debug)]
enum Form {
    /// As they are stored; nested ones as JSON text.
    Stored,
    /// In a wider type of the same family.
    Cast(DataType),
    /// Whole numbers and floats as 128-bit numbers.
    Wide,
    /// Exact digits as text.
    Digits,
    /// Times in nanoseconds.
    Nanos,
    /// JSON text.
    Json,
}

impl Form {
    fn of(&self, part: Part<'_>, control: &Control) -> Result<Series> {
        let series = part.1.as_materialized_series();
        match self {
            Self::Stored if Class::of(part) == Class::Nested => json(part, control),
            Self::Stored => Ok(series.to_physical_repr().into_owned()),
            Self::Cast(dtype) => series.cast(dtype).map_err(not_turned),
            Self::Wide => Ok(whole_numbers(each(series, control, digits::wide)?)),
            Self::Nanos => Ok(whole_numbers(each(series, control, nanos)?)),
            Self::Digits => Ok(texts(&each(series, control, digits::exact)?)),
            Self::Json => json(part, control),
        }
    }
}

/// What `turn` makes of each value.
fn each<T>(
    series: &Series,
    control: &Control,
    turn: impl Fn(&AnyValue<'_>) -> Option<T>,
) -> Result<Vec<Option<T>>> {
    // Walking a series value by value needs it in one piece.
    let series = series.rechunk();
    let mut turned = Vec::with_capacity(series.len());
    for (row, value) in series.iter().enumerate() {
        if row.is_multiple_of(STEP) {
            control.check()?;
        }
        turned.push(turn(&value));
    }
    Ok(turned)
}

fn whole_numbers(values: Vec<Option<i128>>) -> Series {
    Int128Chunked::from_iter_options("".into(), values.into_iter()).into_series()
}

fn texts(values: &[Option<String>]) -> Series {
    let values = values.iter().map(Option::as_deref);
    StringChunked::from_iter_options("".into(), values).into_series()
}

/// JSON text; numbers by value, so that 1 and 1.0 are one.
fn json(part: Part<'_>, control: &Control) -> Result<Series> {
    let series = part.1.as_materialized_series();
    let mixed = Class::of(part) == Class::Mixed;
    let turn = |value: &AnyValue<'_>| {
        let text = match value {
            AnyValue::Null => return None,
            AnyValue::String(text) if mixed => (*text).to_owned(),
            AnyValue::Binary(bytes) if part.0.kind == Kind::Text => {
                let mut out = String::new();
                let text = String::from_utf8_lossy(bytes);
                text::write_json(&mut out, &AnyValue::String(&text));
                out
            }
            value => {
                let mut out = String::new();
                text::write_json(&mut out, value);
                out
            }
        };
        match text.as_bytes().first() {
            Some(b'-' | b'0'..=b'9') => Some(digits::canonical(&text)),
            // Mixed values have these words without quotes for what is missing.
            _ if matches!(text.as_str(), "null" | "NaN" | "nan") => None,
            _ => Some(text),
        }
    };
    Ok(texts(&each(series, control, turn)?))
}

fn nanos(value: &AnyValue<'_>) -> Option<i128> {
    const DAY: i128 = 86_400_000_000_000;
    match value {
        AnyValue::Date(days) => Some(i128::from(*days) * DAY),
        AnyValue::Datetime(value, unit, _)
        | AnyValue::DatetimeOwned(value, unit, _)
        | AnyValue::Duration(value, unit) => Some(text::nanos(*value, *unit)),
        _ => None,
    }
}

#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
fn not_turned(error: PolarsError) -> Error {
    let message = format!("values that a wider type does not hold: {error}");
    Error::new(ErrorKind::Internal, message)
}
