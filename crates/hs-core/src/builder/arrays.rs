//! From growing storage to Arrow arrays, once the type is decided.

use polars::prelude::{ArrowDataType, ArrowField, ArrowTimeUnit, PlSmallStr};
use polars_arrow::array::{
    Array, BinaryViewArray, BooleanArray, ListArray, MutableBinaryViewArray, NullArray,
    PrimitiveArray, StructArray,
};
use polars_arrow::bitmap::Bitmap;
use polars_arrow::offset::OffsetsBuffer;
use polars_arrow::types::NativeType;

use crate::error::Result;

use super::cells::Cells;
use super::gaps::Gaps;
use super::number::{Number, NumberType, number_type};
use super::state::State;
use super::texts::Texts;

/// Digits of a 128-bit decimal.
const DECIMAL_DIGITS: usize = 38;

/// The array of a state without trouble: `len` values, filled up with missing ones in the gaps.
///
/// # Errors
/// When it does not fit into memory.
pub(super) fn build(state: State, len: usize, gaps: Gaps<'_>) -> Result<Box<dyn Array>> {
    if !state.any() {
        return Ok(NullArray::new(ArrowDataType::Null, gaps.rows()).boxed());
    }
    Ok(match state {
        State::Empty => NullArray::new(ArrowDataType::Null, gaps.rows()).boxed(),
        State::Bool(cells) => {
            let values = gaps.fill(cells.values)?;
            BooleanArray::new(
                ArrowDataType::Boolean,
                Bitmap::from_trusted_len_iter(values.iter().copied()),
                gaps.validity(cells.valid),
            )
            .boxed()
        }
        State::Int(cells) => primitive(ArrowDataType::Int64, cells, gaps)?,
        State::Float(cells) => primitive(ArrowDataType::Float64, cells, gaps)?,
        state @ State::Numbers(_) => match number_type(&state) {
            NumberType::Int => build_ints(state, gaps)?,
            NumberType::UInt => build_unsigned(state, gaps)?,
            NumberType::Float => build_floats(state, gaps)?,
            NumberType::Text(_) | NumberType::Mixed(_) => state.json(len).into_array(gaps)?,
        },
        State::Decimal(texts) => {
            let (values, scale) = decimals(&texts).expect("checked before building");
            let dtype = ArrowDataType::Decimal(DECIMAL_DIGITS, scale);
            gaps.fill_array(primitive(dtype, values, Gaps::none(len))?)
        }
        State::Text(texts) => texts.into_array(gaps)?,
        State::Bytes(cells) => {
            let mut out = MutableBinaryViewArray::<[u8]>::with_capacity(cells.values.len());
            for value in cells.iter() {
                out.push(value);
            }
            let array: BinaryViewArray = out.into();
            gaps.fill_array(array.boxed())
        }
        State::Date(cells) => primitive(ArrowDataType::Date32, cells, gaps)?,
        State::Datetime(cells, utc) => {
            let zone = utc.then(|| PlSmallStr::from_static("UTC"));
            let dtype = ArrowDataType::Timestamp(ArrowTimeUnit::Microsecond, zone);
            primitive(dtype, cells, gaps)?
        }
        State::Time(cells) => primitive(
            ArrowDataType::Time64(ArrowTimeUnit::Nanosecond),
            cells,
            gaps,
        )?,
        State::Duration(cells) => primitive(
            ArrowDataType::Duration(ArrowTimeUnit::Microsecond),
            cells,
            gaps,
        )?,
        State::List(lists) => {
            let count = lists.items.len();
            let items = build(lists.items.state, count, Gaps::none(count))?;
            let dtype = ListArray::<i64>::default_datatype(items.dtype().clone());
            let offsets =
                OffsetsBuffer::try_from(gaps.ends(&lists.ends)).expect("ends never go down");
            ListArray::new(dtype, offsets, items, gaps.validity(lists.valid)).boxed()
        }
        State::Object(objects) => {
            let (mut fields, mut arrays) = (Vec::new(), Vec::new());
            for field in objects
                .fields
                .into_iter()
                .filter(super::object::Field::is_present)
            {
                let (name, column, missing) = field.into_parts(objects.len);
                let inside = Gaps::new(&missing, objects.len);
                let array = build(column.state, column.len, inside)?;
                let name = PlSmallStr::from_string(name);
                fields.push(ArrowField::new(name, array.dtype().clone(), true));
                arrays.push(array);
            }
            let dtype = ArrowDataType::Struct(fields);
            let valid = objects.valid.freeze();
            gaps.fill_array(StructArray::new(dtype, objects.len, arrays, valid).boxed())
        }
        State::Mixed(mixed) => mixed.texts.into_array(gaps)?,
    })
}

fn primitive<T: NativeType>(
    dtype: ArrowDataType,
    cells: Cells<T>,
    gaps: Gaps<'_>,
) -> Result<Box<dyn Array>> {
    let values = gaps.fill(cells.values)?;
    Ok(PrimitiveArray::new(dtype, values.into(), gaps.validity(cells.valid)).boxed())
}

/// Numbers that are all whole and within `i64`.
pub(super) fn build_ints(state: State, gaps: Gaps<'_>) -> Result<Box<dyn Array>> {
    let cells = match state {
        State::Int(cells) => cells,
        State::Numbers(numbers) => cells(&numbers, |number| match number {
            Number::Int(value) => Some(*value),
            _ => None,
        }),
        _ => Cells::default(),
    };
    primitive(ArrowDataType::Int64, cells, gaps)
}

/// Numbers that are all whole and not negative.
pub(super) fn build_unsigned(state: State, gaps: Gaps<'_>) -> Result<Box<dyn Array>> {
    let cells = match state {
        State::Int(ints) => Cells {
            values: ints.values.into_iter().map(i64::unsigned_abs).collect(),
            valid: ints.valid,
        },
        State::Numbers(numbers) => cells(&numbers, |number| match number {
            Number::Int(value) => Some(value.unsigned_abs()),
            Number::UInt(value) => Some(*value),
            _ => None,
        }),
        _ => Cells::default(),
    };
    primitive(ArrowDataType::UInt64, cells, gaps)
}

/// Numbers that floats hold exactly.
pub(super) fn build_floats(state: State, gaps: Gaps<'_>) -> Result<Box<dyn Array>> {
    let cells = match state {
        State::Float(cells) => cells,
        State::Int(ints) => Cells {
            values: ints.values.into_iter().map(|value| value as f64).collect(),
            valid: ints.valid,
        },
        State::Numbers(numbers) => cells(&numbers, |number| match number {
            Number::Int(value) => Some(*value as f64),
            Number::UInt(value) => Some(*value as f64),
            Number::Float(value) => Some(*value),
            _ => None,
        }),
        _ => Cells::default(),
    };
    primitive(ArrowDataType::Float64, cells, gaps)
}

fn cells<T: Clone + Default>(numbers: &[Number], value: impl Fn(&Number) -> Option<T>) -> Cells<T> {
    let mut cells = Cells::default();
    for number in numbers {
        match value(number) {
            Some(value) => cells.push(value),
            None => cells.push_nulls(1),
        }
    }
    cells
}

/// Decimals as whole numbers of one scale; `None` when they do not fit or are no numbers (NaN).
pub(super) fn decimals(texts: &Texts) -> Option<(Cells<i128>, usize)> {
    let parsed: Vec<Option<(i128, usize)>> = texts
        .iter()
        .map(|text| text.map(decimal).map_or(Some(None), |one| one.map(Some)))
        .collect::<Option<_>>()?;
    let scale = parsed.iter().flatten().map(|(_, scale)| *scale).max()?;
    let mut cells = Cells::default();
    for value in parsed {
        match value {
            None => cells.push_nulls(1),
            Some((value, own)) => {
                let factor = 10i128.checked_pow(u32::try_from(scale - own).ok()?)?;
                let value = value.checked_mul(factor)?;
                if value.unsigned_abs() >= 10u128.pow(DECIMAL_DIGITS as u32) {
                    return None;
                }
                cells.push(value);
            }
        }
    }
    Some((cells, scale))
}

/// `-12.50`, `1E+5`, `2e-3` as a whole number and the count of its decimal places.
fn decimal(text: &str) -> Option<(i128, usize)> {
    let (mantissa, exponent) = match text.find(['e', 'E']) {
        Some(at) => (text.get(..at)?, text.get(at + 1..)?.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (negative, digits) = match mantissa.as_bytes().first()? {
        b'-' => (true, mantissa.get(1..)?),
        b'+' => (false, mantissa.get(1..)?),
        _ => (false, mantissa),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let mut value: i128 = 0;
    for digit in whole.bytes().chain(fraction.bytes()) {
        if !digit.is_ascii_digit() {
            return None;
        }
        value = value
            .checked_mul(10)?
            .checked_add(i128::from(digit - b'0'))?;
    }
    let scale = i32::try_from(fraction.len()).ok()?.checked_sub(exponent)?;
    let value = if negative { -value } else { value };
    if let Ok(scale) = usize::try_from(scale) {
        return (scale <= DECIMAL_DIGITS).then_some((value, scale));
    }
    let factor = 10i128.checked_pow(scale.unsigned_abs())?;
    Some((value.checked_mul(factor)?, 0))
}
