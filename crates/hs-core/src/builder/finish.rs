//! From growing storage to a polars column: the type is decided here, on all values.

use polars::prelude::{ArrowDataType, ArrowField, ArrowTimeUnit, Column, PlSmallStr, Series};
use polars_arrow::array::{
    Array, BinaryViewArray, BooleanArray, ListArray, MutableBinaryViewArray, NullArray,
    PrimitiveArray, StructArray, Utf8ViewArray,
};
use polars_arrow::bitmap::Bitmap;
use polars_arrow::offset::OffsetsBuffer;

use crate::table::Kind;

use super::cells::{Cells, Texts};
use super::column::{ColumnBuilder, sparse_reason};
use super::json::write_numbers;
use super::object::SPARSE_OBJECTS;
use super::state::{Number, Shape, State};

/// Whole numbers up to here are floats without loss.
const EXACT_IN_FLOAT: u64 = 1 << 53;
/// Deeper types make other libraries overflow their stacks.
const DEEPEST: usize = 64;
/// Digits of a 128-bit decimal.
const DECIMAL_DIGITS: usize = 38;

/// A column that is ready for a table.
#[derive(Clone, Debug)]
pub struct BuiltColumn {
    /// The values.
    pub column: Column,
    /// What the column holds.
    pub kind: Kind,
    /// Why it is not of the type that one might expect; a line for the user.
    pub note: Option<String>,
}

/// Decides the type of a column and builds it.
pub(super) fn finish(mut builder: ColumnBuilder, name: &str) -> BuiltColumn {
    let len = builder.len;
    let (array, kind, reason) = if let Some((kind, reason)) = trouble_at_top(&builder) {
        let texts = builder.json();
        drop(std::mem::take(&mut builder.state));
        (text_array(&texts), kind, Some(reason))
    } else if let Some(reason) = trouble_inside(&builder.state, name, 1) {
        let texts = builder.json();
        drop(std::mem::take(&mut builder.state));
        let reason = format!("{reason}, kept as JSON text");
        (text_array(&texts), Kind::Mixed, Some(reason))
    } else {
        let array = build(std::mem::take(&mut builder.state), len);
        (array, Kind::Text, None)
    };
    let field = ArrowField::new(PlSmallStr::from_str(name), array.dtype().clone(), true);
    let series = Series::try_from((&field, vec![array])).expect("the array has the field's type");
    BuiltColumn {
        kind: if reason.is_some() {
            kind
        } else {
            Kind::of(series.dtype())
        },
        column: series.into(),
        note: reason.map(|reason| format!("column {name:?}: {reason}")),
    }
}

/// Why the column as a whole has no type of its own.
fn trouble_at_top(builder: &ColumnBuilder) -> Option<(Kind, String)> {
    if !builder.state.any() {
        return None;
    }
    match &builder.state {
        State::Mixed(_) => {
            let reason = trouble(&builder.state)?;
            Some((Kind::Mixed, format!("{reason}, kept as JSON text")))
        }
        State::Numbers(numbers) => match number_type(numbers) {
            NumberType::Text(reason) => Some((
                Kind::Text,
                format!("{reason}, kept as text of their digits"),
            )),
            NumberType::Mixed(reason) => {
                Some((Kind::Mixed, format!("{reason}, kept as JSON text")))
            }
            _ => None,
        },
        State::Decimal(texts) if decimals(texts).is_none() => Some((
            Kind::Text,
            "decimals beyond 38 digits, kept as text of their digits".to_owned(),
        )),
        _ => None,
    }
}

/// Why some part inside lists and objects has no type of its own, with its path.
fn trouble_inside(state: &State, path: &str, depth: usize) -> Option<String> {
    if depth > DEEPEST {
        return Some(format!("nested deeper than {DEEPEST} levels"));
    }
    let inside = |column: &ColumnBuilder, path: &str| {
        trouble(&column.state)
            .map(|reason| format!("{reason} in {path:?}"))
            .or_else(|| trouble_inside(&column.state, path, depth + 1))
    };
    match state {
        State::List(lists) => inside(&lists.items, &format!("{path}[]")),
        State::Object(objects) if objects.is_sparse_when_whole(SPARSE_OBJECTS) => {
            Some(sparse_reason(objects.fields.len(), objects.len))
        }
        State::Object(objects) => objects
            .fields
            .iter()
            .find_map(|field| inside(&field.column, &format!("{path}.{}", field.name))),
        _ => None,
    }
}

/// Why a state has no polars type, without regard to what is inside lists and objects.
fn trouble(state: &State) -> Option<String> {
    match state {
        State::Mixed(mixed) => Some(match &mixed.reason {
            Some(reason) => reason.clone(),
            None => {
                // Decimals hold whole numbers, too: whether any came before or after the column
                // was mixed must not show.
                let decimal = mixed.shapes.contains(&Shape::Decimal);
                let whole = |shape: &Shape| matches!(shape, Shape::Int | Shape::WideInt);
                let shapes = mixed.shapes.iter();
                let named = shapes.filter(|shape| !(decimal && whole(shape)));
                words(&named.map(|shape| shape.word()).collect::<Vec<_>>())
            }
        }),
        State::Numbers(numbers) => match number_type(numbers) {
            NumberType::Text(reason) | NumberType::Mixed(reason) => Some(reason),
            _ => None,
        },
        State::Decimal(texts) if decimals(texts).is_none() => {
            Some("decimals beyond 38 digits".to_owned())
        }
        _ => None,
    }
}

/// `int`, `int and text`, `int, text and list`.
fn words(words: &[&str]) -> String {
    match words {
        [] => "values".to_owned(),
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

enum NumberType {
    Int,
    UInt,
    Float,
    Text(String),
    Mixed(String),
}

/// The narrowest type that holds all numbers exactly.
fn number_type(numbers: &[Number]) -> NumberType {
    let (mut floats, mut wide, mut negative) = (false, false, false);
    let mut inexact: Option<&Number> = None;
    let mut digits = false;
    for number in numbers {
        let exact = match number {
            Number::Null => true,
            Number::Float(_) => {
                floats = true;
                true
            }
            Number::Int(value) => {
                negative |= *value < 0;
                value.unsigned_abs() <= EXACT_IN_FLOAT
            }
            Number::UInt(value) => {
                wide |= i64::try_from(*value).is_err();
                *value <= EXACT_IN_FLOAT
            }
            Number::Digits(_) => {
                digits = true;
                false
            }
        };
        if !exact {
            inexact = inexact.or(Some(number));
        }
    }
    match inexact {
        Some(number) if floats => {
            let mut shown = String::new();
            number.write(&mut shown);
            if shown.len() > 40 {
                shown.truncate(40);
                shown.push_str("...");
            }
            NumberType::Mixed(format!(
                "int and float, and a float cannot hold {shown} exactly"
            ))
        }
        None if floats => NumberType::Float,
        _ if digits => NumberType::Text("whole numbers beyond 64 bits".to_owned()),
        _ if wide && negative => NumberType::Text(
            "negative whole numbers together with ones above 9223372036854775807".to_owned(),
        ),
        _ if wide => NumberType::UInt,
        _ => NumberType::Int,
    }
}

/// The array of a state without trouble, filled up with missing values to `len`.
fn build(mut state: State, len: usize) -> Box<dyn Array> {
    if !state.any() {
        return NullArray::new(ArrowDataType::Null, len).boxed();
    }
    if let State::Object(objects) = &mut state {
        objects.settle();
    }
    match state {
        State::Empty => NullArray::new(ArrowDataType::Null, len).boxed(),
        State::Bool(cells) => BooleanArray::new(
            ArrowDataType::Boolean,
            Bitmap::from_trusted_len_iter(cells.values.iter().copied()),
            cells.valid.freeze(),
        )
        .boxed(),
        State::Int(cells) => primitive(ArrowDataType::Int64, cells),
        State::Float(cells) => primitive(ArrowDataType::Float64, cells),
        State::Numbers(numbers) => build_numbers(&numbers),
        State::Decimal(texts) => {
            let (values, scale) = decimals(&texts).expect("checked before building");
            primitive(ArrowDataType::Decimal(DECIMAL_DIGITS, scale), values)
        }
        State::Text(texts) => text_array(&texts),
        State::Bytes(cells) => {
            let mut out = MutableBinaryViewArray::<[u8]>::with_capacity(cells.values.len());
            for value in cells.iter() {
                out.push(value);
            }
            let array: BinaryViewArray = out.into();
            array.boxed()
        }
        State::Date(cells) => primitive(ArrowDataType::Date32, cells),
        State::Datetime(cells, utc) => {
            let zone = utc.then(|| PlSmallStr::from_static("UTC"));
            primitive(
                ArrowDataType::Timestamp(ArrowTimeUnit::Microsecond, zone),
                cells,
            )
        }
        State::Time(cells) => primitive(ArrowDataType::Time64(ArrowTimeUnit::Nanosecond), cells),
        State::Duration(cells) => {
            primitive(ArrowDataType::Duration(ArrowTimeUnit::Microsecond), cells)
        }
        State::List(lists) => {
            let items_len = lists.items.len();
            let items = build(lists.items.state, items_len);
            let ends: Vec<i64> = std::iter::once(0)
                .chain(lists.ends.iter().map(|end| *end as i64))
                .collect();
            let dtype = ListArray::<i64>::default_datatype(items.dtype().clone());
            let offsets = OffsetsBuffer::try_from(ends).expect("ends never go down");
            ListArray::new(dtype, offsets, items, lists.valid.freeze()).boxed()
        }
        State::Object(objects) => {
            let (mut fields, mut arrays) = (Vec::new(), Vec::new());
            for field in objects.fields {
                let array = build(field.column.state, objects.len);
                let name = PlSmallStr::from_string(field.name);
                fields.push(ArrowField::new(name, array.dtype().clone(), true));
                arrays.push(array);
            }
            StructArray::new(
                ArrowDataType::Struct(fields),
                objects.len,
                arrays,
                objects.valid.freeze(),
            )
            .boxed()
        }
        State::Mixed(mixed) => text_array(&mixed.texts),
    }
}

fn primitive<T: polars_arrow::types::NativeType>(
    dtype: ArrowDataType,
    cells: Cells<T>,
) -> Box<dyn Array> {
    PrimitiveArray::new(dtype, cells.values.into(), cells.valid.freeze()).boxed()
}

fn text_array(texts: &Texts) -> Box<dyn Array> {
    let mut out = MutableBinaryViewArray::<str>::with_capacity(texts.len());
    for text in texts.iter() {
        out.push(text);
    }
    let array: Utf8ViewArray = out.into();
    array.boxed()
}

fn build_numbers(numbers: &[Number]) -> Box<dyn Array> {
    fn cells<T: Clone + Default>(
        numbers: &[Number],
        value: impl Fn(&Number) -> Option<T>,
    ) -> Cells<T> {
        let mut cells = Cells::default();
        for number in numbers {
            match value(number) {
                Some(value) => cells.push(value),
                None => cells.push_nulls(1),
            }
        }
        cells
    }
    match number_type(numbers) {
        NumberType::Int => primitive(
            ArrowDataType::Int64,
            cells(numbers, |number| match number {
                Number::Int(value) => Some(*value),
                _ => None,
            }),
        ),
        NumberType::UInt => primitive(
            ArrowDataType::UInt64,
            cells(numbers, |number| match number {
                Number::Int(value) => Some(value.unsigned_abs()),
                Number::UInt(value) => Some(*value),
                _ => None,
            }),
        ),
        NumberType::Float => primitive(
            ArrowDataType::Float64,
            cells(numbers, |number| match number {
                Number::Int(value) => Some(*value as f64),
                Number::UInt(value) => Some(*value as f64),
                Number::Float(value) => Some(*value),
                _ => None,
            }),
        ),
        NumberType::Text(_) | NumberType::Mixed(_) => text_array(&write_numbers(numbers)),
    }
}

/// Decimals as whole numbers of one scale; `None` when they do not fit or are no numbers (NaN).
fn decimals(texts: &Texts) -> Option<(Cells<i128>, usize)> {
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
