//! Python objects as values of the core: exact, or told.

use hs_core::op::form;
use hs_core::{Error, ErrorKind, Kind, Note, Place, Topic, Value, error, text};
use pyo3::prelude::*;
use pyo3::types::{
    PyBool, PyByteArray, PyBytes, PyDate, PyDateTime, PyDelta, PyDict, PyFloat, PyFrozenSet, PyInt,
    PyList, PyMemoryView, PySet, PyString, PyTime, PyTimeAccess, PyTuple, PyTzInfoAccess,
};

use crate::errors;
use crate::plain;
use crate::times::{days_of, micros_of};

/// How many plain values are read between two looks at signals.
const LOOK: usize = 4096;
/// Lists and dicts nested deeper than this are refused.
const DEPTH: usize = 100;
/// Decimals with more zeros than this before or behind their digits stay text.
const ZEROS: i64 = 100;
const MICROS_PER_SECOND: i64 = 1_000_000;
const MICROS_PER_DAY: i64 = 86_400 * MICROS_PER_SECOND;

/// What was seen that its stored value may not tell apart from others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// Objects that became text, sets, keys of dicts that are no text.
    foreign: bool,
    /// Times and bytes, which are text among values of several kinds.
    typed: bool,
    /// Numbers that may be too large for any type, and then are text.
    digits: bool,
}

impl Seen {
    /// True when a column that is stored as this kind holds such values.
    pub fn is_inexact(self, kind: Kind) -> bool {
        match kind {
            Kind::Mixed => self.foreign || self.typed,
            Kind::Text => self.foreign || self.digits,
            _ => self.foreign,
        }
    }

    /// Adds what was seen elsewhere.
    pub fn add(&mut self, other: Self) {
        self.foreign |= other.foreign;
        self.typed |= other.typed;
        self.digits |= other.digits;
    }
}

/// Reads Python objects and counts what it could not keep as it was.
pub struct Reader<'py> {
    py: Python<'py>,
    escaped: u64,
    /// Keys of dicts inside other values that are the same as text, and the first of them.
    repeated: u64,
    first_repeated: Option<String>,
    /// Keys that are no text and became it, and the first of them.
    keys: u64,
    first_key: Option<String>,
    /// Objects without a type of their own that became text, and the class of the first of them.
    objects: u64,
    first_class: Option<String>,
    /// Sets that became lists.
    sets: u64,
    /// Where only plain values are taken: the way to the value that is read.
    path: Option<Vec<String>>,
    /// True where values are read to be compared: what has no type of its own keeps its class.
    exact: bool,
    /// What was seen of the values; whoever looks takes it away.
    pub seen: Seen,
    read: usize,
}

impl<'py> Reader<'py> {
    /// A reader that has read nothing.
    pub fn new(py: Python<'py>) -> Self {
        Self {
            py,
            escaped: 0,
            repeated: 0,
            first_repeated: None,
            keys: 0,
            first_key: None,
            objects: 0,
            first_class: None,
            sets: 0,
            path: None,
            exact: false,
            seen: Seen::default(),
            read: 0,
        }
    }

    /// A reader of values that are only compared: [`Value::Form`] for what has no type of its own.
    pub fn exact(py: Python<'py>) -> Self {
        Self {
            exact: true,
            ..Self::new(py)
        }
    }

    /// A reader that takes only values with a form of their own in documents: an object of another
    /// class is an error, not its text.
    pub fn plain(py: Python<'py>) -> Self {
        Self {
            path: Some(Vec::new()),
            ..Self::new(py)
        }
    }

    /// What there is to say about the objects that were read.
    pub fn notes(&self, column: Option<&str>) -> Vec<Note> {
        let place = || column.map_or_else(Place::default, |name| Place::default().column(name));
        let lead = column.map_or_else(String::new, |name| format!("column {name:?}: "));
        let mut notes = Vec::new();
        if let Some(first) = &self.first_repeated {
            let count = text::counted(self.repeated, "repeated key");
            let line = format!(
                "{lead}{count} in dicts inside, the last value is kept (first: {})",
                error::quoted(first)
            );
            notes.push(Note::new(Topic::Rows, line).counted(self.repeated, place()));
        }
        if let Some(first) = self.first_key.as_ref().filter(|_| self.path.is_some()) {
            let count = text::counted(self.keys, "key");
            let verb = if self.keys == 1 { "is" } else { "are" };
            let line = format!("{lead}{count} {verb} written as text (first: {first})");
            notes.push(Note::new(Topic::Types, line).counted(self.keys, place()));
        }
        if let Some(first) = &self.first_class {
            let count = text::counted(self.objects, "object");
            let line = format!("{lead}{count} taken as text (first: {first})");
            notes.push(Note::new(Topic::Types, line).counted(self.objects, place()));
        }
        if self.sets > 0 {
            let count = text::counted(self.sets, "set");
            let line = format!("{lead}{count} taken as lists");
            notes.push(Note::new(Topic::Types, line).counted(self.sets, place()));
        }
        if self.escaped > 0 {
            let count = text::counted(self.escaped, "text");
            let line = format!(
                "{lead}{count} with lone surrogates, which no file can hold: written as \\udXXX"
            );
            notes.push(Note::new(Topic::Types, line).counted(self.escaped, place()));
        }
        notes
    }

    /// A dict key as a column name.
    ///
    /// # Errors
    /// What the key's `__str__` raises.
    pub fn key(&mut self, key: &Bound<'py, PyAny>) -> PyResult<String> {
        match key.cast::<PyString>() {
            Ok(key) => self.text(key),
            Err(_) => {
                self.keys += 1;
                if self.first_key.is_none() {
                    self.first_key = Some(error::quoted(&key.repr()?.to_string_lossy()));
                }
                self.text(&key.str()?)
            }
        }
    }

    /// Any object as a value. `None`, NaN, NaT and `pd.NA` are missing; what has no type of its
    /// own is the text that `str` gives.
    ///
    /// # Errors
    /// Nesting beyond 100 levels, or what the object's own methods raise.
    pub fn value(&mut self, object: &Bound<'py, PyAny>) -> PyResult<Value> {
        self.nested(object, 0)
    }

    fn nested(&mut self, object: &Bound<'py, PyAny>, depth: usize) -> PyResult<Value> {
        if depth > DEPTH {
            let message = format!("expected at most {DEPTH} levels of lists and dicts, found more");
            let error = Error::new(ErrorKind::Type, message)
                .hint("flatten the value, or pass it as text: json.dumps(value)");
            return Err(errors::raise(self.py, &error));
        }
        self.read += 1;
        if self.read.is_multiple_of(LOOK) && self.path.is_some() {
            self.py.check_signals()?;
        }
        if object.is_none() {
            return Ok(Value::Null);
        }
        if let Ok(text) = object.cast::<PyString>() {
            return Ok(Value::Text(self.text(text)?));
        }
        if let Ok(flag) = object.cast::<PyBool>() {
            return Ok(Value::Bool(flag.is_true()));
        }
        if let Ok(number) = object.cast::<PyInt>() {
            return self.whole_number(number);
        }
        if let Ok(number) = object.cast::<PyFloat>() {
            let number = number.extract::<f64>()?;
            return Ok(if number.is_nan() {
                Value::Null
            } else {
                Value::Float(number)
            });
        }
        if let Ok(dict) = object.cast::<PyDict>() {
            return self.dict(dict, depth);
        }
        if object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>() {
            return self.list(object, depth);
        }
        if object.is_instance_of::<PySet>() || object.is_instance_of::<PyFrozenSet>() {
            self.sets += 1;
            self.seen.foreign = true;
            let list = self.list(object, depth)?;
            return Ok(match list {
                Value::List(items) if self.exact => form::set(&items),
                list => list,
            });
        }
        if object.is_instance_of::<PyBytes>()
            || object.is_instance_of::<PyByteArray>()
            || object.is_instance_of::<PyMemoryView>()
        {
            self.seen.typed = true;
            let bytes = self.py.get_type::<PyBytes>().call1((object,))?;
            return Ok(Value::Bytes(bytes.extract()?));
        }
        if let Ok(moment) = object.cast::<PyDateTime>() {
            return self.datetime(moment);
        }
        if let Ok(day) = object.cast::<PyDate>() {
            self.seen.typed = true;
            return Ok(Value::Date(days_of(day) as i32));
        }
        if let Ok(time) = object.cast::<PyTime>() {
            return self.time(time);
        }
        if let Ok(delta) = object.cast::<PyDelta>() {
            return self.duration(delta);
        }
        self.foreign(object, depth)
    }

    /// Keys that are the same as text (1 and "1") are one: the last value is kept, told.
    fn dict(&mut self, dict: &Bound<'py, PyDict>, depth: usize) -> PyResult<Value> {
        if self.exact
            && !dict
                .keys()
                .iter()
                .all(|key| key.is_instance_of::<PyString>())
        {
            let mut pairs = Vec::with_capacity(dict.len());
            for (key, value) in dict.iter() {
                pairs.push((
                    self.nested(&key, depth + 1)?,
                    self.nested(&value, depth + 1)?,
                ));
            }
            return Ok(form::dict(&pairs));
        }
        let mut fields: Vec<(String, Value)> = Vec::with_capacity(dict.len());
        let mut texts = true;
        for (key, value) in dict.iter() {
            texts &= key.is_instance_of::<PyString>();
            self.seen.foreign |= !texts;
            let key = self.key(&key)?;
            let value = self.inside(&value, depth, || key.clone())?;
            // Keys that are all text are different already.
            let known = if texts {
                None
            } else {
                fields.iter().position(|(known, _)| *known == key)
            };
            if let Some((known, earlier)) = known.and_then(|at| fields.get_mut(at)) {
                self.repeated += 1;
                self.first_repeated.get_or_insert_with(|| known.clone());
                *earlier = value;
            } else {
                fields.push((key, value));
            }
        }
        Ok(Value::Object(fields))
    }

    /// A value inside another one, which `name` finds there.
    fn inside(
        &mut self,
        object: &Bound<'py, PyAny>,
        depth: usize,
        name: impl FnOnce() -> String,
    ) -> PyResult<Value> {
        if let Some(path) = &mut self.path {
            path.push(name());
        }
        let value = self.nested(object, depth + 1);
        // After an error the way to it is kept: it is told.
        if let (Some(path), true) = (&mut self.path, value.is_ok()) {
            path.pop();
        }
        value
    }

    fn list(&mut self, items: &Bound<'py, PyAny>, depth: usize) -> PyResult<Value> {
        let mut list = Vec::new();
        for (index, item) in items.try_iter()?.enumerate() {
            list.push(self.inside(&item?, depth, || index.to_string())?);
        }
        Ok(Value::List(list))
    }

    fn text(&mut self, text: &Bound<'py, PyString>) -> PyResult<String> {
        if let Ok(text) = text.to_str() {
            return Ok(text.to_owned());
        }
        // Lone surrogates (file names, cut UTF-16) are no Unicode text.
        self.escaped += 1;
        let bytes = text.call_method1("encode", ("utf-8", "backslashreplace"))?;
        Ok(String::from_utf8_lossy(bytes.cast::<PyBytes>()?.as_bytes()).into_owned())
    }

    /// An object that has no type of its own as text, told.
    fn as_text(&mut self, object: &Bound<'py, PyAny>, text: &Bound<'py, PyAny>) -> PyResult<Value> {
        self.objects += 1;
        if self.first_class.is_none() {
            let name = object.get_type().name()?;
            self.first_class = Some(name.to_string_lossy().into_owned());
        }
        self.seen.foreign = true;
        if self.exact {
            let class = object.get_type();
            let (module, name) = (class.module()?, class.qualname()?);
            let class = format!("{}.{}", module.to_string_lossy(), name.to_string_lossy());
            return Ok(form::foreign(&class, &self.text(&text.str()?)?));
        }
        Ok(Value::Text(self.text(&text.str()?)?))
    }

    fn datetime(&mut self, moment: &Bound<'py, PyDateTime>) -> PyResult<Value> {
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

    fn time(&mut self, time: &Bound<'py, PyTime>) -> PyResult<Value> {
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

    fn duration(&mut self, delta: &Bound<'py, PyDelta>) -> PyResult<Value> {
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
    fn foreign(&mut self, object: &Bound<'py, PyAny>, depth: usize) -> PyResult<Value> {
        let class = object.get_type().name()?.to_string();
        match (top_module(object)?.as_str(), class.as_str()) {
            ("decimal", "Decimal") => self.decimal(object),
            ("numpy", "datetime64" | "timedelta64") => self.numpy_time(object, &class),
            ("pandas", "NaTType" | "NAType") => Ok(Value::Null),
            ("numpy", "ndarray") => self.list(&object.call_method0("tolist")?, depth),
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

    fn whole_number(&mut self, number: &Bound<'py, PyInt>) -> PyResult<Value> {
        if let Ok(small) = number.extract::<i64>() {
            return Ok(Value::Int(small));
        }
        self.seen.digits = true;
        if let Ok(small) = number.extract::<u64>() {
            return Ok(Value::UInt(small));
        }
        // int.__repr__, because subclasses (IntEnum) write themselves otherwise; above 4,300 digits
        // Python refuses decimal text, and hexadecimal is exact too.
        let int = self.py.get_type::<PyInt>();
        if let Ok(digits) = int.call_method1("__repr__", (number,)) {
            return Ok(Value::BigInt(digits.extract()?));
        }
        self.seen.foreign = true;
        if self.exact {
            // Decimals have no such limit.
            let decimal = self
                .py
                .import("decimal")?
                .call_method1("Decimal", (number,))?;
            return Ok(Value::BigInt(
                decimal.call_method1("__format__", ("f",))?.extract()?,
            ));
        }
        let builtins = self.py.import("builtins")?;
        Ok(Value::Text(
            builtins.call_method1("hex", (number,))?.extract()?,
        ))
    }
}

/// The first part of the name of the module that an object's class is from.
fn top_module(object: &Bound<'_, PyAny>) -> PyResult<String> {
    let module = object.get_type().module()?;
    let module = module.to_str().unwrap_or_default();
    Ok(module.split('.').next().unwrap_or_default().to_owned())
}

fn is_missing(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(object
        .get_type()
        .name()?
        .to_str()
        .is_ok_and(|name| name == "NaTType"))
}
