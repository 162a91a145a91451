//! One column from values of any type: the storage widens as the values ask for it.

use crate::error::Result;
use crate::value::{Value, write_json_text};

use super::finish::BuiltColumn;
use super::number::Number;
use super::state::{Mixed, Shape, State};
use super::texts::Texts;

/// Builds one column from values of any kinds, the type decided on all of them.
///
/// Whole numbers stay whole with gaps, text stays text. Whole and floating-point numbers together
/// are floats as long as that changes no value. Values of types that do not go together (numbers
/// and text, objects and lists ...) become compact JSON text, and the built column says so.
/// A value may nest some hundred levels deep, not without limit.
///
/// ```
/// use hs_core::builder::ColumnBuilder;
/// use hs_core::{Kind, Value};
/// let mut column = ColumnBuilder::new();
/// for value in [Value::Int(1), Value::Null, Value::Text("x".into())] {
///     column.push(&value);
/// }
/// let built = column.finish("a")?;
/// assert_eq!(built.kind, Kind::Mixed);
/// assert_eq!(built.note.as_deref(), Some("column \"a\": int and text, kept as JSON text"));
/// # Ok::<(), hs_core::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct ColumnBuilder {
    pub(super) len: usize,
    pub(super) state: State,
}

impl ColumnBuilder {
    /// A column without values.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many values there are, missing ones included.
    pub fn len(&self) -> usize {
        self.len
    }

    /// True when there are no values, not even missing ones.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Adds a value of any type.
    pub fn push(&mut self, value: &Value) {
        match value {
            Value::Null => self.push_null(),
            Value::Bool(value) => self.push_bool(*value),
            Value::Int(value) => self.push_int(*value),
            Value::UInt(value) => self.push_uint(*value),
            Value::Float(value) => self.push_float(*value),
            Value::Text(value) | Value::Form(value) => self.push_text(value),
            Value::List(items) => {
                if let Some(column) = self.begin_list() {
                    for item in items {
                        column.push(item);
                    }
                    self.end_list();
                } else {
                    self.push_json(Shape::List, value);
                }
            }
            Value::Object(fields) => {
                if self.begin_object() {
                    for (name, field) in fields {
                        if let Some((column, _)) = self.field(name) {
                            column.push(field);
                        }
                    }
                    self.end_object();
                } else {
                    self.push_json(Shape::Object, value);
                }
            }
            other => self.push_other(other),
        }
    }

    /// Adds a missing value.
    pub fn push_null(&mut self) {
        self.push_nulls(1);
    }

    /// Adds `count` missing values.
    pub fn push_nulls(&mut self, count: usize) {
        self.state.push_nulls(count);
        self.len += count;
    }

    /// Adds true or false.
    pub fn push_bool(&mut self, value: bool) {
        match &mut self.state {
            State::Bool(cells) => cells.push(value),
            _ => return self.push_other(&Value::Bool(value)),
        }
        self.len += 1;
    }

    /// Adds a whole number.
    pub fn push_int(&mut self, value: i64) {
        match &mut self.state {
            State::Int(cells) => cells.push(value),
            State::Numbers(numbers) => numbers.push(Number::Int(value)),
            _ => return self.push_other(&Value::Int(value)),
        }
        self.len += 1;
    }

    /// Adds a whole number that is not negative.
    pub fn push_uint(&mut self, value: u64) {
        if let Ok(value) = i64::try_from(value) {
            return self.push_int(value);
        }
        match &mut self.state {
            State::Numbers(numbers) => numbers.push(Number::UInt(value)),
            _ => return self.push_other(&Value::UInt(value)),
        }
        self.len += 1;
    }

    /// Adds a floating-point number.
    pub fn push_float(&mut self, value: f64) {
        match &mut self.state {
            State::Float(cells) => cells.push(value),
            State::Numbers(numbers) => numbers.push(Number::Float(value)),
            _ => return self.push_other(&Value::Float(value)),
        }
        self.len += 1;
    }

    /// Adds text.
    pub fn push_text(&mut self, value: &str) {
        if !matches!(self.state, State::Text(_)) {
            self.admit(Shape::Text);
        }
        match &mut self.state {
            State::Text(texts) => texts.push(value),
            State::Mixed(mixed) => {
                write_json_text(mixed.texts.buffer(), value);
                mixed.texts.close();
            }
            _ => unreachable!("admit makes room for text"),
        }
        self.len += 1;
    }

    /// Begins a list and gives the column of its items; [`ColumnBuilder::end_list`] ends it.
    /// `None` when the column holds JSON text: push the list as a value then.
    pub(crate) fn begin_list(&mut self) -> Option<&mut Self> {
        if !matches!(self.state, State::List(_)) {
            self.admit(Shape::List);
        }
        match &mut self.state {
            State::List(lists) => Some(&mut lists.items),
            _ => None,
        }
    }

    /// Ends a list.
    pub(crate) fn end_list(&mut self) {
        if let State::List(lists) = &mut self.state {
            lists.close();
            self.len += 1;
        }
    }

    /// Begins an object; false when the column holds JSON text: push the object as a value then.
    pub(crate) fn begin_object(&mut self) -> bool {
        if !matches!(self.state, State::Object(_)) {
            self.admit(Shape::Object);
        }
        if let State::Object(objects) = &mut self.state {
            if !objects.is_hopeless() {
                objects.begin();
                return true;
            }
            self.become_mixed(Some(SPARSE.to_owned()));
        }
        false
    }

    /// The column of a field of the object that was begun, and whether that object had the key
    /// already: its earlier value is then forgotten.
    pub(crate) fn field(&mut self, name: &str) -> Option<(&mut Self, bool)> {
        match &mut self.state {
            State::Object(objects) => Some(objects.field(name)),
            _ => None,
        }
    }

    /// As [`ColumnBuilder::field`] for the key that `text` begins with, closing quote included, when
    /// that is the one that the object before had at this place; with the length of both.
    #[inline]
    pub(crate) fn expected(&mut self, text: &[u8]) -> Option<(&mut Self, bool, usize)> {
        match &mut self.state {
            State::Object(objects) => objects.expected(text),
            _ => None,
        }
    }

    /// Ends an object.
    pub(crate) fn end_object(&mut self) {
        if let State::Object(objects) = &mut self.state {
            objects.close();
            self.len += 1;
        }
    }

    /// Forgets the values from `len` on, and what was begun of the next one.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.state.truncate(len);
        self.len = self.len.min(len);
    }

    /// Gives back memory that growing has taken in advance.
    pub(super) fn shrink(&mut self) {
        self.state.shrink();
    }

    /// Ends the column.
    ///
    /// # Errors
    /// [`ErrorKind::Io`](crate::ErrorKind::Io) when it does not fit into memory.
    pub fn finish(self, name: &str) -> Result<BuiltColumn> {
        super::finish::finish(self, name)
    }

    /// Every value as compact JSON text, missing ones missing.
    pub(super) fn json(&self) -> Texts {
        self.state.json(self.len)
    }

    fn push_other(&mut self, value: &Value) {
        let Some(shape) = Shape::of(value) else {
            return self.push_null();
        };
        self.admit(shape);
        match (&mut self.state, value) {
            (State::Bool(cells), Value::Bool(value)) => cells.push(*value),
            (State::Float(cells), Value::Float(value)) => cells.push(*value),
            (State::Numbers(numbers), value) => numbers.push(match value {
                Value::Int(value) => Number::Int(*value),
                Value::UInt(value) => Number::UInt(*value),
                Value::Float(value) => Number::Float(*value),
                Value::BigInt(digits) => Number::Digits(Box::new(digits.clone())),
                _ => unreachable!("admit lets only numbers into numbers"),
            }),
            (State::Decimal(texts), value) => {
                value.write_json(texts.buffer());
                texts.close();
            }
            (State::Bytes(cells), Value::Bytes(value)) => cells.push(value.clone()),
            (State::Date(cells), Value::Date(value)) => cells.push(*value),
            (State::Datetime(cells, _), Value::Datetime { micros, .. }) => cells.push(*micros),
            (State::Int(cells), Value::Int(value))
            | (State::Time(cells), Value::Time(value))
            | (State::Duration(cells), Value::Duration(value)) => cells.push(*value),
            (State::Mixed(mixed), value) => {
                value.write_json(mixed.texts.buffer());
                mixed.texts.close();
            }
            _ => unreachable!("admit makes room for the shape of the value"),
        }
        self.len += 1;
    }

    fn push_json(&mut self, shape: Shape, value: &Value) {
        self.admit(shape);
        if let State::Mixed(mixed) = &mut self.state {
            value.write_json(mixed.texts.buffer());
            mixed.texts.close();
            self.len += 1;
        }
    }

    /// Widens the storage until it takes a value of `shape`: as its own type, as a number beside
    /// others, or as JSON text.
    fn admit(&mut self, shape: Shape) {
        let number = matches!(shape, Shape::Int | Shape::WideInt | Shape::Float);
        let held = match &mut self.state {
            State::Mixed(mixed) => return mixed.note(shape),
            State::Numbers(_) if number => return,
            state => state.shape(),
        };
        if held == Some(shape) {
            return;
        }
        // A state whose values were all taken back is as good as none.
        if !self.state.any() {
            self.state = State::nulls(shape, self.len);
            return;
        }
        match (held, shape) {
            (Some(Shape::Int | Shape::WideInt | Shape::Float), _) if number => {
                if let Some(numbers) = self.state.numbers() {
                    self.state = State::Numbers(numbers);
                }
            }
            (Some(Shape::Int | Shape::WideInt), Shape::Decimal) => {
                self.state = State::Decimal(self.state.json(self.len));
            }
            (Some(Shape::Decimal), Shape::Int | Shape::WideInt) => {}
            _ => {
                self.become_mixed(None);
                if let State::Mixed(mixed) = &mut self.state {
                    mixed.note(shape);
                }
            }
        }
    }

    /// Turns what is held into JSON text.
    pub(super) fn become_mixed(&mut self, reason: Option<String>) {
        let state = std::mem::take(&mut self.state);
        self.state = State::Mixed(Box::new(Mixed {
            texts: state.json(self.len),
            shapes: if state.any() {
                state.shapes()
            } else {
                Vec::new()
            },
            reason,
            undo: Some((self.len, state)),
        }));
    }
}

/// Why objects of many different keys are kept as JSON text.
pub(super) const SPARSE: &str = "objects with hardly a key in common";
