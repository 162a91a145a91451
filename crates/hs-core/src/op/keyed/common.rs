//! One way of writing the values of two columns, in which equal values are equal.
//!
//! Two types have the fastest one that keeps all their values apart; it never decides otherwise than the forms of single
//! values ([`form`]) do, in which everything else is compared.

use polars::prelude::{
    AnyValue, BinaryChunked, Column, DataType, Int128Chunked, IntoSeries, NewChunkedArray,
    PolarsError, Series, StringChunked, TimeUnit,
};
use polars_arrow::array::{BinaryViewArray, MutableBinaryViewArray};
use rayon::prelude::*;

use super::family::{self, Family};
use super::number::STEP;
use super::{Part, digits, form, json};
use crate::control::Control;
use crate::error::{Error, ErrorKind, Result};
use crate::table::Kind;
use crate::text;
use crate::value::write_json_text;

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
    /// Values of several kinds, as their forms.
    Forms,
}

impl Class {
    fn of((info, column): Part<'_>) -> Self {
        if !column.is_empty() && has_no_value(column) {
            return Self::Empty;
        }
        if is_forms((info, column)) {
            return Self::Forms;
        }
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

/// True for a column of forms ([`form`]), which [`crate::Table::exact`] gives.
fn is_forms((info, column): Part<'_>) -> bool {
    info.kind == Kind::Mixed && *column.dtype() == DataType::Binary
}

/// The forms of a column of forms.
fn forms_of<'a>(part: Part<'a>) -> Option<&'a BinaryChunked> {
    let series = is_forms(part).then(|| part.1.as_materialized_series())?;
    series.binary().ok()
}

/// True for a column in which every row is missing (null, NaN): whatever its type is, nobody chose it.
pub fn has_no_value(column: &Column) -> bool {
    let series = column.as_materialized_series();
    match series.dtype() {
        DataType::Float64 => series
            .f64()
            .is_ok_and(|values| values.iter().all(|value| value.is_none_or(f64::is_nan))),
        DataType::Float32 => series
            .f32()
            .is_ok_and(|values| values.iter().all(|value| value.is_none_or(f32::is_nan))),
        _ => series.null_count() == series.len(),
    }
}

/// What a column holds, in a word, where its values say more than its kind: `UUID`, `int` beyond 64 bits.
pub fn word(part: Part<'_>) -> Option<&str> {
    forms_of(part).map(family::word)
}

/// What to do first when two columns of a key are never equal because the objects of one have a class of their own.
pub fn objects_hint(sides: [Part<'_>; 2]) -> Option<String> {
    let side = sides.iter().position(|part| is_forms(*part))?;
    if !families(sides[1 - side]).contains(&Family::Text) {
        return Some("convert one of the two first".to_owned());
    }
    let (letter, name) = (["a", "b"][side], &sides[side].0.name);
    Some(format!(
        "if their text is meant: {letter}[{name:?}].astype(str) in pandas"
    ))
}

/// False when no value of one column can equal one of the other: because of their types, or the classes of their objects.
pub fn comparable(left: Part<'_>, right: Part<'_>) -> bool {
    let classes = (Class::of(left), Class::of(right));
    match &classes {
        (Class::Empty | Class::Mixed, _) | (_, Class::Empty | Class::Mixed) => true,
        (Class::Forms, _) | (_, Class::Forms) => {
            let [left, right] = [left, right].map(families);
            left.iter().any(|family| right.contains(family))
        }
        (left, right) => Form::both(left, right).is_some(),
    }
}

fn families(part: Part<'_>) -> Vec<Family<'_>> {
    match forms_of(part) {
        Some(forms) => family::families(forms),
        None if Class::of(part) == Class::Text => vec![Family::Text],
        None => vec![Family::of_type(part.1.dtype())],
    }
}

/// Both columns in one stored form, in which equal values are equal: numbers by value across their types, times
/// across their units, categories as their values, nested and mixed values by their forms; NaN is missing.
/// `None` when the values of the two are never equal.
///
/// # Errors
/// A stop request.
pub fn common(
    left: Part<'_>,
    right: Part<'_>,
    control: &Control,
) -> Result<Option<(Series, Series)>> {
    let nothing = |column: &Column, dtype| Series::full_null("".into(), column.len(), dtype);
    Ok(match (Class::of(left), Class::of(right)) {
        (Class::Empty, Class::Empty) => Some((
            nothing(left.1, &DataType::Null),
            nothing(right.1, &DataType::Null),
        )),
        (Class::Empty, _) => {
            let right = stored(right, control)?;
            Some((nothing(left.1, right.dtype()), right))
        }
        (_, Class::Empty) => {
            let left = stored(left, control)?;
            let right = nothing(right.1, left.dtype());
            Some((left, right))
        }
        (one, other) => match Form::both(&one, &other) {
            None => None,
            Some(form) => Some((form.of(left, control)?, form.of(right, control)?)),
        },
    })
}

/// A column in the form in which equal values of its own are equal.
///
/// # Errors
/// A stop request.
pub fn stored(part: Part<'_>, control: &Control) -> Result<Series> {
    let form = match Class::of(part) {
        Class::Mixed | Class::Nested => Form::Written,
        _ => Form::Stored,
    };
    form.of(part, control)
}

/// The forms of the values of a column; missing ones missing.
///
/// # Errors
/// A stop request.
pub fn written(part: Part<'_>, control: &Control) -> Result<Series> {
    Form::Written.of(part, control)
}

/// How the values of two columns are written, so that equal ones are equal.
#[derive(Clone, Debug)]
enum Form {
    /// As they are stored.
    Stored,
    /// In a wider type of the same family.
    Cast(DataType),
    /// Whole numbers of up to 64 bits and floats as 128-bit numbers.
    Wide,
    /// Exact digits as text.
    Digits,
    /// Times in nanoseconds.
    Nanos,
    /// As the forms of single values.
    Written,
}

impl Form {
    /// For columns of two classes; `None` when their values are never equal.
    fn both(left: &Class, right: &Class) -> Option<Self> {
        Some(match (left, right) {
            (Class::Forms, Class::Forms) => Self::Stored,
            (Class::Mixed | Class::Forms, _)
            | (_, Class::Mixed | Class::Forms)
            | (Class::Nested, Class::Nested) => Self::Written,
            (Class::Int(left), Class::Int(right)) if left == right => Self::Stored,
            (Class::Int(left), Class::Int(right)) => {
                let wide = [DataType::UInt64, DataType::Int128];
                if wide.contains(left) || wide.contains(right) {
                    Self::Wide
                } else {
                    Self::Cast(DataType::Int64)
                }
            }
            (Class::Float, Class::Float) => Self::Cast(DataType::Float64),
            // A number of 128 bits has no room for a float beside it.
            (Class::Int(DataType::Int128), Class::Float)
            | (Class::Float, Class::Int(DataType::Int128)) => Self::Digits,
            (Class::Int(_), Class::Float) | (Class::Float, Class::Int(_)) => Self::Wide,
            (Class::Decimal(left), Class::Decimal(right)) if left == right => Self::Stored,
            (Class::Decimal(_), Class::Decimal(_) | Class::Int(_) | Class::Float)
            | (Class::Int(_) | Class::Float, Class::Decimal(_)) => Self::Digits,
            (Class::Datetime(_, zone), Class::Datetime(_, other)) if zone != other => return None,
            (Class::Datetime(left, _), Class::Datetime(right, _)) if left != right => Self::Nanos,
            (Class::Date, Class::Datetime(_, false)) | (Class::Datetime(_, false), Class::Date) => {
                Self::Nanos
            }
            (Class::Duration(left), Class::Duration(right)) if left != right => Self::Nanos,
            (left, right) if std::mem::discriminant(left) == std::mem::discriminant(right) => {
                Self::Stored
            }
            _ => return None,
        })
    }

    fn of(&self, part: Part<'_>, control: &Control) -> Result<Series> {
        let series = part.1.as_materialized_series();
        match self {
            Self::Stored => Ok(series.to_physical_repr().into_owned()),
            Self::Cast(dtype) => series.cast(dtype).map_err(not_turned),
            Self::Wide => Ok(whole_numbers(each(series, control, digits::wide)?)),
            Self::Nanos => Ok(whole_numbers(each(series, control, nanos)?)),
            Self::Digits => Ok(texts(&each(series, control, digits::exact)?)),
            Self::Written if is_forms(part) => Ok(series.clone()),
            Self::Written => forms(part, control),
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

/// The form of each value, stretches of rows side by side.
fn forms(part: Part<'_>, control: &Control) -> Result<Series> {
    let mixed = Class::of(part) == Class::Mixed;
    let text = part.0.kind == Kind::Text;
    let series = part.1.as_materialized_series();
    let starts: Vec<usize> = (0..series.len()).step_by(STEP / 8).collect();
    let written = starts.into_par_iter().map(|start| {
        control.check()?;
        let stretch = series.slice(start as i64, STEP / 8).rechunk();
        let mut forms = MutableBinaryViewArray::<[u8]>::with_capacity(stretch.len());
        let mut form = String::new();
        for value in stretch.iter() {
            form.clear();
            match &value {
                AnyValue::String(text) if mixed => json::write(&mut form, text),
                AnyValue::Binary(bytes) if text => {
                    write_json_text(&mut form, &String::from_utf8_lossy(bytes));
                }
                value => form::write(&mut form, value),
            }
            let there = form != form::MISSING;
            forms.push(there.then_some(form.as_bytes()));
        }
        Ok(BinaryViewArray::from(forms))
    });
    let written: Vec<BinaryViewArray> = written.collect::<Result<_>>()?;
    Ok(BinaryChunked::from_chunk_iter("".into(), written).into_series())
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
