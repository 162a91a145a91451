//! Python objects as values of the core: exact, or told.

use hs_core::op::form;
use hs_core::{Error, ErrorKind, Note, Place, Topic, Value, error, text};
use pyo3::prelude::*;
use pyo3::types::{
    PyBool, PyByteArray, PyBytes, PyDate, PyDateTime, PyDelta, PyDict, PyFloat, PyFrozenSet, PyInt,
    PyList, PyMemoryView, PySet, PyString, PyTime, PyTuple,
};

use crate::class::Class;
use crate::errors;
use crate::exact::Seen;
use crate::times::days_of;

/// How many plain values are read between two looks at signals.
const LOOK: usize = 4096;
/// Lists and dicts nested deeper than this are refused.
const DEPTH: usize = 100;

/// Reads Python objects and counts what it could not keep as it was.
pub struct Reader<'py> {
    pub(crate) py: Python<'py>,
    escaped: u64,
    /// Keys of dicts inside other values that are the same as text, and the first of them.
    repeated: u64,
    first_repeated: Option<String>,
    /// Keys that are no text and became it, and the first of them.
    keys: u64,
    first_key: Option<String>,
    /// Objects without a type of their own that became text, and the class of the first of them.
    pub(crate) objects: u64,
    pub(crate) first_class: Option<String>,
    /// Sets that became lists.
    sets: u64,
    /// Where only plain values are taken: the way to the value that is read.
    pub(crate) path: Option<Vec<String>>,
    /// True where values are read to be compared: what has no type of its own keeps its class.
    pub(crate) exact: bool,
    /// What was seen of the values; whoever looks takes it away.
    pub seen: Seen,
    read: usize,
    /// The class of the last object without a type of its own: most have that of the one before.
    pub(crate) class: Option<Class<'py>>,
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
            class: None,
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

    pub(crate) fn nested(&mut self, object: &Bound<'py, PyAny>, depth: usize) -> PyResult<Value> {
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
            let escaped = self.escaped;
            let text = self.text(text)?;
            let lone = self.escaped > escaped;
            self.seen.foreign |= lone;
            // Not the text that has the escape in it.
            return Ok(if lone && self.exact {
                form::foreign("text with surrogates", &text)
            } else {
                Value::Text(text)
            });
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

    pub(crate) fn list(&mut self, items: &Bound<'py, PyAny>, depth: usize) -> PyResult<Value> {
        let mut list = Vec::new();
        for (index, item) in items.try_iter()?.enumerate() {
            list.push(self.inside(&item?, depth, || index.to_string())?);
        }
        Ok(Value::List(list))
    }

    pub(crate) fn text(&mut self, text: &Bound<'py, PyString>) -> PyResult<String> {
        if let Ok(text) = text.to_str() {
            return Ok(text.to_owned());
        }
        // Lone surrogates (file names, cut UTF-16) are no Unicode text.
        self.escaped += 1;
        let bytes = text.call_method1("encode", ("utf-8", "backslashreplace"))?;
        Ok(String::from_utf8_lossy(bytes.cast::<PyBytes>()?.as_bytes()).into_owned())
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
