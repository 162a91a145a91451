//! Times, decimals and objects of other classes as values of the core: exact, or as their text, told.

use hs_core::Value;
use hs_core::op::form;
use pyo3::prelude::*;
use pyo3::types::{
    PyDate, PyDateTime, PyDelta, PyInt, PyTime, PyTimeAccess, PyTuple, PyTzInfoAccess,
};

use crate::class::{Class, top_module};
use crate::errors;
use crate::from_python::Reader;
use crate::plain;
use crate::times::{days_of, micros_of};

/// Decimals with more zeros than this before or behind their digits stay text.
const ZEROS: i64 = 100;
const MICROS_PER_SECOND: i64 = 1_000_000;
const MICROS_PER_DAY: i64 = 86_400 * MICROS_PER_SECOND;

impl<'py> Reader<'py> {
    /// An object that has no type of its own as text, told.
    fn as_text(&mut self, object: &Bound<'py, PyAny>, text: &Bound<'py, PyAny>) -> PyResult<Value> {
        self.objects += 1;
        self.seen.foreign = true;
        let text = self.text(&text.str()?)?;
        let class = self.class_of(object)?;
        if self.exact {
            return Ok(form::foreign(&class.whole, &text));
        }
        if self.first_class.is_none() {
            self.first_class = Some(class.name.clone());
        }
        Ok(Value::Text(text))
    }

    pub(crate) fn datetime(&mut self, moment: &Bound<'py, PyDateTime>) -> PyResult<Value> {
        // pandas: NaT is a datetime too, and a Timestamp has nanoseconds beside the microseconds.
        let from_pandas = top_module(moment)? == "pandas";
        if from_pandas && is_missing(moment)? {
            return Ok(Value::Null);
        }
        let nanos = if from_pandas {
            moment.getattr("nanosecond")?.extract::<i64>()?
        } else {
            0
        };
        if nanos != 0 && !self.exact {
            return self.as_text(moment, &moment.call_method0("isoformat")?);
        }
        self.seen.typed = true;
        let clock = i64::from(moment.get_hour()) * 3600
            + i64::from(moment.get_minute()) * 60
            + i64::from(moment.get_second());
        let micros = days_of(moment.as_any().cast::<PyDate>()?) * MICROS_PER_DAY
            + clock * MICROS_PER_SECOND
            + i64::from(moment.get_microsecond());
        let at = |micros: i64, utc| match nanos {
            0 => Value::Datetime { micros, utc },
            nanos => form::fine_moment(i128::from(micros) * 1000 + i128::from(nanos), utc),
        };
        if moment.get_tzinfo().is_none() {
            return Ok(at(micros, false));
        }
        let offset = moment.call_method0("utcoffset")?;
        Ok(match offset.cast::<PyDelta>() {
            Ok(offset) => at(micros - micros_of(offset).unwrap_or_default(), true),
            Err(_) => at(micros, false),
        })
    }

    pub(crate) fn time(&mut self, time: &Bound<'py, PyTime>) -> PyResult<Value> {
        if time.get_tzinfo().is_some() {
            return self.as_text(time, &time.call_method0("isoformat")?);
        }
        self.seen.typed = true;
        let seconds = i64::from(time.get_hour()) * 3600
            + i64::from(time.get_minute()) * 60
            + i64::from(time.get_second());
        let micros = seconds * MICROS_PER_SECOND + i64::from(time.get_microsecond());
        Ok(Value::Time(micros * 1000))
    }

    pub(crate) fn duration(&mut self, delta: &Bound<'py, PyDelta>) -> PyResult<Value> {
        let from_pandas = top_module(delta)? == "pandas";
        let nanos = if from_pandas {
            delta.getattr("nanoseconds")?.extract::<i64>()?
        } else {
            0
        };
        if nanos != 0 && !self.exact {
            return self.as_text(delta, delta);
        }
        self.seen.typed = true;
        match micros_of(delta) {
            Some(micros) if nanos != 0 => Ok(form::fine_duration(
                i128::from(micros) * 1000 + i128::from(nanos),
            )),
            Some(micros) => Ok(Value::Duration(micros)),
            None => self.as_text(delta, delta),
        }
    }

    /// Objects of the data libraries and of `decimal`, by the module of their class: none of these
    /// is imported for the question.
    pub(crate) fn foreign(&mut self, object: &Bound<'py, PyAny>, depth: usize) -> PyResult<Value> {
        let class = self.class_of(object)?;
        match (class.module.as_str(), class.name.as_str()) {
            ("decimal", "Decimal") => self.decimal(object),
            ("numpy", "datetime64" | "timedelta64") => self.numpy_time(object, &class.name),
            ("pandas", "NaTType" | "NAType") => Ok(Value::Null),
            ("numpy", "ndarray") => {
                // Times of nanoseconds would be bare numbers in a list.
                let kind = object.getattr("dtype")?.getattr("kind")?;
                let times = ["M", "m"].contains(&kind.extract::<String>()?.as_str());
                if object.getattr("shape")?.is_empty()? {
                    // An array without a dimension is one value.
                    return self.nested(&object.get_item(PyTuple::empty(self.py))?, depth + 1);
                }
                if times {
                    return self.list(object, depth);
                }
                self.list(&object.call_method0("tolist")?, depth)
            }
            ("numpy", _) if object.hasattr("item")? => {
                let item = object.call_method0("item")?;
                // numpy.longdouble gives itself.
                if item.get_type().is(object.get_type()) {
                    return self.as_text(object, object);
                }
                self.nested(&item, depth + 1)
            }
            ("pandas", "Series" | "Index" | "Categorical") => {
                self.list(&object.call_method0("tolist")?, depth)
            }
            ("polars", "Series") => self.list(&object.call_method0("to_list")?, depth),
            ("pyarrow", _) if object.hasattr("as_py")? => {
                self.nested(&object.call_method0("as_py")?, depth + 1)
            }
            _ => match &self.path {
                None => self.as_text(object, object),
                Some(path) => Err(errors::raise(self.py, &plain::foreign_class(object, path)?)),
            },
        }
    }

    fn decimal(&mut self, number: &Bound<'py, PyAny>) -> PyResult<Value> {
        if number.call_method0("is_nan")?.is_truthy()? {
            return Ok(Value::Null);
        }
        if number.call_method0("is_infinite")?.is_truthy()? {
            return Ok(Value::Float(number.extract()?));
        }
        self.seen.digits = true;
        if self.exact {
            return Ok(Value::Decimal(number.str()?.extract()?));
        }
        let exponent: i64 = number
            .call_method0("as_tuple")?
            .getattr("exponent")?
            .extract()?;
        if !(-ZEROS..=ZEROS).contains(&exponent) {
            return self.as_text(number, number);
        }
        let digits = number.call_method1("__format__", ("f",))?;
        Ok(Value::Decimal(digits.extract()?))
    }

    /// `item()` gives a Python time where one is exact, and a bare number for nanoseconds.
    fn numpy_time(&mut self, moment: &Bound<'py, PyAny>, class: &str) -> PyResult<Value> {
        let item = moment.call_method0("item")?;
        if !item.is_instance_of::<PyInt>() {
            return self.value(&item);
        }
        self.seen.typed = true;
        let coarse = moment.call_method1("astype", (format!("{class}[us]"),))?;
        if !coarse.eq(moment)? {
            let fine = moment.call_method1("astype", (format!("{class}[ns]"),))?;
            if !self.exact || !fine.eq(moment)? {
                return self.as_text(moment, moment);
            }
            let nanos: i64 = fine.call_method1("astype", ("int64",))?.extract()?;
            return Ok(if class == "datetime64" {
                form::fine_moment(i128::from(nanos), false)
            } else {
                form::fine_duration(i128::from(nanos))
            });
        }
        let micros: i64 = coarse.call_method1("astype", ("int64",))?.extract()?;
        Ok(if class == "datetime64" {
            Value::Datetime { micros, utc: false }
        } else {
            Value::Duration(micros)
        })
    }

    fn class_of(&mut self, object: &Bound<'py, PyAny>) -> PyResult<Class<'py>> {
        let kind = object.get_type();
        if let Some(class) = self.class.as_ref().filter(|class| class.kind.is(&kind)) {
            return Ok(class.clone());
        }
        let class = Class::of(kind)?;
        self.class = Some(class.clone());
        Ok(class)
    }
}

fn is_missing(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(object
        .get_type()
        .name()?
        .to_str()
        .is_ok_and(|name| name == "NaTType"))
}
