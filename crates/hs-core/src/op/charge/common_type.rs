//! The one type that the columns of several files have together, and their values in it. Never
//! turns a value into another: what has no exact place in the type makes it no common type.

use polars::prelude::{
    BinaryOffsetChunked, ChunkApply, DataType, Field, Int64Chunked, IntoSeries, PlSmallStr,
    PolarsResult, Series, StructChunked, TimeUnit, TimeZone,
};
use polars_arrow::array::BinaryArray;

use crate::error::{Error, ErrorKind, Result};
use crate::table::Kind;

/// Digits of a 128-bit decimal.
const DECIMAL_DIGITS: usize = 38;
/// Fields of a struct that are named in words.
const FIELDS: usize = 6;

/// What a column holds, and how it is stored.
#[derive(Clone, Debug, PartialEq)]
pub struct Typed {
    /// What it holds.
    pub kind: Kind,
    /// How it is stored.
    pub dtype: DataType,
}

impl Typed {
    /// Nothing but missing values, which go with anything.
    pub fn is_empty(&self) -> bool {
        self.kind == Kind::Empty || self.dtype == DataType::Null
    }

    /// Text, whether it lies in views or flat (`TextLayout`).
    pub fn is_text(&self) -> bool {
        match self.kind {
            Kind::Text => true,
            Kind::Category => self.dtype == DataType::String,
            _ => false,
        }
    }

    /// In words that tell it from any type that it has nothing in common with.
    pub fn words(&self) -> String {
        match self.kind {
            Kind::Mixed | Kind::Category | Kind::Text => self.kind.word().to_owned(),
            _ => words(&self.dtype),
        }
    }
}

fn words(dtype: &DataType) -> String {
    match dtype {
        DataType::Datetime(_, Some(zone)) => format!("datetime in {zone}"),
        DataType::Datetime(_, None) => "datetime without zone".to_owned(),
        DataType::Decimal(precision, scale) => format!("decimal({precision}, {scale})"),
        DataType::List(inside) => format!("list of {}", words(inside)),
        DataType::Array(inside, size) => format!("list of {size} {}", words(inside)),
        DataType::Struct(fields) => {
            let shown = fields.iter().take(FIELDS);
            let shown: Vec<String> = shown
                .map(|field| format!("{} {}", field.name(), words(field.dtype())))
                .collect();
            let more = if fields.len() > FIELDS { ", ..." } else { "" };
            format!("struct of {}{more}", shown.join(", "))
        }
        dtype => Kind::of(dtype).word().to_owned(),
    }
}

/// The type that holds the values of both, if there is one.
pub fn common(left: &Typed, right: &Typed) -> Option<Typed> {
    if right.is_empty() {
        return Some(left.clone());
    }
    if left.is_empty() {
        return Some(right.clone());
    }
    // Texts that lie in memory in different ways.
    if left.is_text() && right.is_text() && left.dtype != right.dtype {
        let (kind, dtype) = (Kind::Text, DataType::BinaryOffset);
        return Some(Typed { kind, dtype });
    }
    // JSON text and plain text are stored alike, but `1` is not `"1"`.
    if (left.kind == Kind::Mixed) != (right.kind == Kind::Mixed) {
        return None;
    }
    let dtype = common_dtype(&left.dtype, &right.dtype)?;
    let kind = if left.kind == right.kind {
        left.kind
    } else {
        Kind::of(&dtype)
    };
    Some(Typed { kind, dtype })
}

fn common_dtype(left: &DataType, right: &DataType) -> Option<DataType> {
    use DataType as D;
    Some(match (left, right) {
        (left, right) if left == right => left.clone(),
        (D::Null, other) | (other, D::Null) => other.clone(),
        (left, right) if left.is_integer() && right.is_integer() => wider(left, right)?,
        (float, other) | (other, float) if float.is_float() && other.is_integer() => D::Float64,
        (left, right) if left.is_float() && right.is_float() => D::Float64,
        (D::Datetime(one, zone), D::Datetime(other, there)) => {
            let zone = match (zone, there) {
                (None, None) => None,
                (Some(zone), Some(there)) if zone == there => Some(zone.clone()),
                (Some(_), Some(_)) => Some(TimeZone::UTC),
                _ => return None,
            };
            D::Datetime(finer(*one, *other), zone)
        }
        (D::Duration(one), D::Duration(other)) => D::Duration(finer(*one, *other)),
        (D::Decimal(one, scale), D::Decimal(other, there)) => {
            let whole = one.saturating_sub(*scale).max(other.saturating_sub(*there));
            let scale = *scale.max(there);
            let digits = whole.checked_add(scale)?;
            if digits > DECIMAL_DIGITS {
                return None;
            }
            D::Decimal(digits, scale)
        }
        (D::List(one), D::List(other)) => D::List(Box::new(common_dtype(one, other)?)),
        (D::Struct(fields), D::Struct(more)) => {
            let mut all: Vec<Field> = fields.clone();
            for field in more {
                match all.iter_mut().find(|known| known.name() == field.name()) {
                    Some(known) => {
                        let dtype = common_dtype(known.dtype(), field.dtype())?;
                        known.coerce(dtype);
                    }
                    None => all.push(field.clone()),
                }
            }
            D::Struct(all)
        }
        _ => return None,
    })
}

/// The narrowest whole-number type that holds both; `None` for u64 with a signed one.
fn wider(left: &DataType, right: &DataType) -> Option<DataType> {
    use DataType as D;
    let signed = [D::Int8, D::Int16, D::Int32, D::Int64];
    let unsigned = [D::UInt8, D::UInt16, D::UInt32, D::UInt64];
    let place = |types: &[DataType], dtype| types.iter().position(|known| known == dtype);
    match (place(&signed, left), place(&signed, right)) {
        (Some(left), Some(right)) => Some(signed[left.max(right)].clone()),
        (None, None) => {
            let widest = place(&unsigned, left)?.max(place(&unsigned, right)?);
            Some(unsigned[widest].clone())
        }
        (Some(signed_one), None) => {
            let above = place(&unsigned, right)? + 1;
            signed.get(above.max(signed_one)).cloned()
        }
        (None, Some(_)) => wider(right, left),
    }
}

fn finer(one: TimeUnit, other: TimeUnit) -> TimeUnit {
    if per_second(one) >= per_second(other) {
        one
    } else {
        other
    }
}

fn per_second(unit: TimeUnit) -> i64 {
    match unit {
        TimeUnit::Nanoseconds => 1_000_000_000,
        TimeUnit::Microseconds => 1_000_000,
        TimeUnit::Milliseconds => 1_000,
    }
}

/// The smallest and the largest of whole numbers; `None` without any.
pub fn range(series: &Series) -> Result<Option<(i128, i128)>> {
    fn of(values: impl Iterator<Item = i128>) -> Option<(i128, i128)> {
        values.fold(None, |range, value| {
            let (low, high) = range.unwrap_or((value, value));
            Some((low.min(value), high.max(value)))
        })
    }
    if *series.dtype() == DataType::UInt64 {
        let values = series.u64().map_err(unexpected)?.iter();
        return Ok(of(values.flatten().map(i128::from)));
    }
    let series = series.strict_cast(&DataType::Int64).map_err(unexpected)?;
    let values = series.i64().map_err(unexpected)?.iter();
    Ok(of(values.flatten().map(i128::from)))
}

/// The values in a type that [`common`] found; `None` when one of them has no exact place in it.
///
/// # Errors
/// [`ErrorKind::Internal`] when the type is no such.
pub fn convert(series: &Series, dtype: &DataType) -> Result<Option<Series>> {
    use DataType as D;
    let name = || series.name().clone();
    Ok(Some(match (series.dtype(), dtype) {
        (from, to) if from == to => series.clone(),
        (D::Null, to) => in_parts_of(series, |rows| Series::full_null(name(), rows, to))?,
        (from, to) if from.is_integer() && to.is_float() => {
            if !exact_in_float(series)? {
                return Ok(None);
            }
            series.strict_cast(to).map_err(unexpected)?
        }
        (D::Datetime(from, _), D::Datetime(to, zone)) => match scaled(series, *from, *to)? {
            Some(moments) => moments.into_datetime(*to, zone.clone()).into_series(),
            None => return Ok(None),
        },
        (D::Duration(from), D::Duration(to)) => match scaled(series, *from, *to)? {
            Some(lengths) => lengths.into_duration(*to).into_series(),
            None => return Ok(None),
        },
        (D::String, D::BinaryOffset) => flat_texts(series)?,
        (D::List(_), D::List(to)) => {
            let exact = std::cell::Cell::new(true);
            let inside = |items: Series| -> PolarsResult<Series> {
                let converted = convert(&items, to).map_err(|error| {
                    polars::prelude::PolarsError::ComputeError(error.to_string().into())
                })?;
                Ok(converted.unwrap_or_else(|| {
                    exact.set(false);
                    Series::full_null(items.name().clone(), items.len(), to)
                }))
            };
            let lists = series.list().map_err(unexpected)?;
            let lists = lists.apply_to_inner(&inside).map_err(unexpected)?;
            if !exact.get() {
                return Ok(None);
            }
            lists.into_series()
        }
        (D::Struct(_), D::Struct(to)) => return structs(series, to),
        // Wider whole numbers, floats and decimals.
        (_, to) => series.strict_cast(to).map_err(unexpected)?,
    }))
}

/// Texts as flat bytes.
fn flat_texts(series: &Series) -> Result<Series> {
    let texts = series.str().map_err(unexpected)?;
    let parts = texts.downcast_iter().map(|part| {
        part.iter()
            .map(|text| text.map(str::as_bytes))
            .collect::<BinaryArray<i64>>()
    });
    Ok(BinaryOffsetChunked::from_chunk_iter(series.name().clone(), parts).into_series())
}

fn structs(series: &Series, to: &[Field]) -> Result<Option<Series>> {
    let series = series.rechunk();
    let whole = series.struct_().map_err(unexpected)?;
    let there = whole.fields_as_series();
    let mut fields = Vec::with_capacity(to.len());
    for field in to {
        let known = there.iter().find(|known| known.name() == field.name());
        let values = match known {
            Some(known) => convert(known, field.dtype())?,
            None => {
                let name: PlSmallStr = field.name().clone();
                Some(Series::full_null(name, series.len(), field.dtype()))
            }
        };
        let Some(values) = values else {
            return Ok(None);
        };
        fields.push(values.rechunk());
    }
    let made = StructChunked::from_series(series.name().clone(), series.len(), fields.iter())
        .map_err(unexpected)?;
    let validity = series.chunks()[0].validity().cloned();
    Ok(Some(made.with_outer_validity(validity).into_series()))
}

/// True when each whole number is a float of the same value.
fn exact_in_float(series: &Series) -> Result<bool> {
    const ALWAYS: i128 = 1 << 53;
    Ok(match range(series)? {
        None => true,
        Some((low, high)) if -ALWAYS <= low && high <= ALWAYS => true,
        _ if *series.dtype() == DataType::UInt64 => {
            let values = series.u64().map_err(unexpected)?.iter().flatten();
            values
                .into_iter()
                .all(|value| value as f64 as u128 == u128::from(value))
        }
        _ => {
            let values = series.i64().map_err(unexpected)?.iter().flatten();
            values
                .into_iter()
                .all(|value| value as f64 as i128 == i128::from(value))
        }
    })
}

/// Points or lengths of time in a finer unit; `None` when one of them does not reach.
fn scaled(series: &Series, from: TimeUnit, to: TimeUnit) -> Result<Option<Int64Chunked>> {
    let factor = per_second(to) / per_second(from);
    let values = series.to_physical_repr();
    let values = values.i64().map_err(unexpected)?;
    if factor <= 1 {
        return Ok(Some(values.clone()));
    }
    let reach = |value: i64| value.checked_mul(factor).is_some();
    let all = values.iter().flatten().all(reach);
    Ok(all.then(|| values.apply_values(|value| value.wrapping_mul(factor))))
}

/// A series with as many parts of the same lengths: columns of a table in other parts than the
/// rest would be copied at the border.
fn in_parts_of(series: &Series, make: impl Fn(usize) -> Series) -> Result<Series> {
    in_parts(series.chunk_lengths(), make)
}

/// A series made part by part; of no rows when there is none.
///
/// # Errors
/// [`ErrorKind::Internal`] when the parts are not alike.
pub fn in_parts(
    lengths: impl IntoIterator<Item = usize>,
    make: impl Fn(usize) -> Series,
) -> Result<Series> {
    let mut lengths = lengths.into_iter();
    let mut all = make(lengths.next().unwrap_or(0));
    for rows in lengths {
        all.append(&make(rows)).map_err(unexpected)?;
    }
    Ok(all)
}

/// What cannot happen to values of a type that was looked at before.
pub fn unexpected(error: polars::prelude::PolarsError) -> Error {
    Error::new(ErrorKind::Internal, "columns that do not join").because(error)
}
