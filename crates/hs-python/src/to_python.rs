//! Values of the core as Python objects: exact; what Python's types cannot hold is ISO text.

use hs_core::text::nanos;
use hs_core::{Value, text};
use polars::prelude::{AnyValue, Column};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDate, PyDateTime, PyDelta, PyDict, PyList, PyTime, PyType, PyTzInfo};

const NANOS_PER_DAY: i128 = 86_400_000_000_000;

/// The values of a column.
///
/// # Errors
/// Only when Python runs out of memory or is asked to stop.
pub fn column<'py>(py: Python<'py>, column: &Column) -> PyResult<Bound<'py, PyList>> {
    const LOOK: usize = 16_384;
    let list = PyList::empty(py);
    let series = column.as_materialized_series().rechunk();
    for (row, value) in series.iter().enumerate() {
        if row % LOOK == LOOK - 1 {
            py.check_signals()?;
        }
        list.append(any(py, &value)?)?;
    }
    Ok(list)
}

/// A value of a document.
///
/// # Errors
/// As [`column`].
pub fn value<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    match value {
        Value::Null => Ok(py.None().into_bound(py)),
        Value::Bool(flag) => flag.into_bound_py_any(py),
        Value::Int(number) => number.into_bound_py_any(py),
        Value::UInt(number) => number.into_bound_py_any(py),
        Value::BigInt(digits) => big_int(py, digits),
        Value::Float(number) => number.into_bound_py_any(py),
        Value::Decimal(digits) => decimal(py, digits),
        Value::Text(text) | Value::Form(text) => text.into_bound_py_any(py),
        Value::Bytes(bytes) => Ok(PyBytes::new(py, bytes).into_any()),
        Value::Date(days) => date(py, *days),
        Value::Datetime { micros, utc } => datetime(py, i128::from(*micros) * 1000, *utc),
        Value::Time(nanos) => time(py, *nanos),
        Value::Duration(micros) => duration(py, i128::from(*micros) * 1000),
        Value::List(items) => {
            let list = PyList::empty(py);
            for item in items {
                list.append(self::value(py, item)?)?;
            }
            Ok(list.into_any())
        }
        Value::Object(fields) => {
            let dict = PyDict::new(py);
            for (name, field) in fields {
                dict.set_item(name, self::value(py, field)?)?;
            }
            Ok(dict.into_any())
        }
    }
}

fn any<'py>(py: Python<'py>, value: &AnyValue<'_>) -> PyResult<Bound<'py, PyAny>> {
    match value {
        AnyValue::Null => Ok(py.None().into_bound(py)),
        AnyValue::Boolean(flag) => flag.into_bound_py_any(py),
        AnyValue::String(text) => text.into_bound_py_any(py),
        AnyValue::StringOwned(text) => text.as_str().into_bound_py_any(py),
        AnyValue::Int8(number) => number.into_bound_py_any(py),
        AnyValue::Int16(number) => number.into_bound_py_any(py),
        AnyValue::Int32(number) => number.into_bound_py_any(py),
        AnyValue::Int64(number) => number.into_bound_py_any(py),
        AnyValue::UInt8(number) => number.into_bound_py_any(py),
        AnyValue::UInt16(number) => number.into_bound_py_any(py),
        AnyValue::UInt32(number) => number.into_bound_py_any(py),
        AnyValue::UInt64(number) => number.into_bound_py_any(py),
        AnyValue::Float32(number) => number.into_bound_py_any(py),
        AnyValue::Float64(number) => number.into_bound_py_any(py),
        AnyValue::Decimal(..) => decimal(py, &text::plain(value)),
        AnyValue::Binary(bytes) => Ok(PyBytes::new(py, bytes).into_any()),
        AnyValue::BinaryOwned(bytes) => Ok(PyBytes::new(py, bytes).into_any()),
        AnyValue::Date(days) => date(py, *days),
        AnyValue::Datetime(value, unit, zone) => datetime(py, nanos(*value, *unit), zone.is_some()),
        AnyValue::DatetimeOwned(value, unit, zone) => {
            datetime(py, nanos(*value, *unit), zone.is_some())
        }
        AnyValue::Time(nanos) => time(py, *nanos),
        AnyValue::Duration(value, unit) => duration(py, nanos(*value, *unit)),
        AnyValue::List(items) | AnyValue::Array(items, _) => {
            let list = PyList::empty(py);
            for item in items.iter() {
                list.append(any(py, &item)?)?;
            }
            Ok(list.into_any())
        }
        AnyValue::Struct(_, _, fields) => {
            let dict = PyDict::new(py);
            for (field, item) in fields.iter().zip(value._iter_struct_av()) {
                dict.set_item(field.name().as_str(), any(py, &item)?)?;
            }
            Ok(dict.into_any())
        }
        AnyValue::StructOwned(owned) => {
            let dict = PyDict::new(py);
            for (field, item) in owned.1.iter().zip(&owned.0) {
                dict.set_item(field.name().as_str(), any(py, item)?)?;
            }
            Ok(dict.into_any())
        }
        wide if wide.dtype().is_integer() => big_int(py, &text::plain(wide)),
        other => text::plain(other).into_bound_py_any(py),
    }
}

fn date(py: Python<'_>, days: i32) -> PyResult<Bound<'_, PyAny>> {
    let (year, month, day) = text::civil(i64::from(days));
    match python_year(year) {
        Some(year) => Ok(PyDate::new(py, year, month as u8, day as u8)?.into_any()),
        None => text::date(days).into_bound_py_any(py),
    }
}

/// A wall clock without zone, or an instant in UTC.
fn datetime(py: Python<'_>, nanos: i128, utc: bool) -> PyResult<Bound<'_, PyAny>> {
    let (year, month, day) = text::civil(nanos.div_euclid(NANOS_PER_DAY) as i64);
    let clock = nanos.rem_euclid(NANOS_PER_DAY) as i64;
    let (Some(year), 0) = (python_year(year), clock % 1000) else {
        return text::datetime(nanos, utc).into_bound_py_any(py);
    };
    let (hour, minute, second, micro) = parts(clock);
    let zone = if utc {
        Some(PyTzInfo::utc(py)?.to_owned())
    } else {
        None
    };
    let zone = zone.as_ref();
    let moment = PyDateTime::new(
        py,
        year,
        month as u8,
        day as u8,
        hour,
        minute,
        second,
        micro,
        zone,
    )?;
    Ok(moment.into_any())
}

fn time(py: Python<'_>, nanos: i64) -> PyResult<Bound<'_, PyAny>> {
    if nanos % 1000 != 0 {
        return text::time(nanos).into_bound_py_any(py);
    }
    let (hour, minute, second, micro) = parts(nanos);
    Ok(PyTime::new(py, hour, minute, second, micro, None)?.into_any())
}

fn duration(py: Python<'_>, nanos: i128) -> PyResult<Bound<'_, PyAny>> {
    let days = i32::try_from(nanos.div_euclid(NANOS_PER_DAY)).ok();
    let rest = nanos.rem_euclid(NANOS_PER_DAY) as i64;
    let exact = days.filter(|days| days.abs() < 1_000_000_000 && rest % 1000 == 0);
    let Some(days) = exact else {
        return text::duration(nanos).into_bound_py_any(py);
    };
    let (seconds, micros) = (rest / 1_000_000_000, rest / 1000 % 1_000_000);
    Ok(PyDelta::new(py, days, seconds as i32, micros as i32, false)?.into_any())
}

/// Hour, minute, second and microsecond of nanoseconds since midnight.
fn parts(nanos: i64) -> (u8, u8, u8, u32) {
    let seconds = nanos / 1_000_000_000;
    (
        (seconds / 3600) as u8,
        (seconds / 60 % 60) as u8,
        (seconds % 60) as u8,
        (nanos / 1000 % 1_000_000) as u32,
    )
}

/// The year, if Python's calendar has it.
fn python_year(year: i64) -> Option<i32> {
    (1..=9999).contains(&year).then_some(year as i32)
}

/// Exponents of 19 digits are beyond Python's decimals, too; then it stays the text of its digits.
fn decimal<'py>(py: Python<'py>, digits: &str) -> PyResult<Bound<'py, PyAny>> {
    static DECIMAL: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    match DECIMAL.import(py, "decimal", "Decimal")?.call1((digits,)) {
        Ok(number) => Ok(number),
        Err(_) => digits.into_bound_py_any(py),
    }
}

/// Above 4,300 digits Python refuses to read a number; then it stays the text of its digits.
fn big_int<'py>(py: Python<'py>, digits: &str) -> PyResult<Bound<'py, PyAny>> {
    match py.get_type::<pyo3::types::PyInt>().call1((digits,)) {
        Ok(number) => Ok(number),
        Err(_) => digits.into_bound_py_any(py),
    }
}
