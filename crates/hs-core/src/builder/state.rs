//! What a column holds so far, as the narrowest typed storage, and how that widens when a value of
//! another type arrives.

use crate::value::Value;

use super::cells::{Cells, Validity, exact};
use super::column::ColumnBuilder;
use super::number::Number;
use super::object::Objects;
use super::texts::Texts;

/// The type of one value, as far as it decides the type of its column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Bool,
    Int,
    /// A whole number beyond `i64`.
    WideInt,
    Float,
    Decimal,
    Text,
    Bytes,
    Date,
    Datetime {
        utc: bool,
    },
    Time,
    Duration,
    List,
    Object,
}

impl Shape {
    /// `None` for a missing value.
    pub fn of(value: &Value) -> Option<Self> {
        Some(match value {
            Value::Null => return None,
            Value::Bool(_) => Self::Bool,
            Value::Int(_) => Self::Int,
            Value::UInt(_) | Value::BigInt(_) => Self::WideInt,
            Value::Float(_) => Self::Float,
            Value::Decimal(_) => Self::Decimal,
            Value::Text(_) | Value::Form(_) => Self::Text,
            Value::Bytes(_) => Self::Bytes,
            Value::Date(_) => Self::Date,
            Value::Datetime { utc, .. } => Self::Datetime { utc: *utc },
            Value::Time(_) => Self::Time,
            Value::Duration(_) => Self::Duration,
            Value::List(_) => Self::List,
            Value::Object(_) => Self::Object,
        })
    }

    /// The word for notes.
    pub fn word(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::Int | Self::WideInt => "int",
            Self::Float => "float",
            Self::Decimal => "decimal",
            Self::Text => "text",
            Self::Bytes => "bytes",
            Self::Date => "date",
            Self::Datetime { utc: false } => "datetime",
            Self::Datetime { utc: true } => "datetime with zone",
            Self::Time => "time",
            Self::Duration => "duration",
            Self::List => "list",
            Self::Object => "object",
        }
    }
}

/// Lists: the end of each in the column of all their items.
#[derive(Clone, Debug, Default)]
pub(super) struct Lists {
    pub ends: Vec<usize>,
    pub valid: Validity,
    pub items: ColumnBuilder,
}

impl Lists {
    pub fn push_nulls(&mut self, count: usize) {
        if count > 0 {
            let end = self.last_end();
            self.valid.push_nulls(self.ends.len(), count);
            self.ends.resize(self.ends.len() + count, end);
        }
    }

    pub fn close(&mut self) {
        self.ends.push(self.items.len());
        self.valid.push_valid();
    }

    pub fn last_end(&self) -> usize {
        self.ends.last().copied().unwrap_or_default()
    }
}

/// Values without a common type, as compact JSON text.
#[derive(Clone, Debug)]
pub(super) struct Mixed {
    pub texts: Texts,
    /// The types seen, in the order of their first value.
    pub shapes: Vec<Shape>,
    /// Set when the column is JSON text for another reason than several types.
    pub reason: Option<String>,
    /// What the column was before its last value, in case that one is taken back.
    pub undo: Option<(usize, State)>,
}

impl Mixed {
    /// Notes the type of the value that is about to be written.
    pub fn note(&mut self, shape: Shape) {
        if let Some((before, _)) = &self.undo
            && self.texts.len() > *before
        {
            self.undo = None;
        }
        if !self.shapes.iter().any(|seen| seen.word() == shape.word()) {
            self.shapes.push(shape);
        }
    }
}

/// The values of a column so far.
#[derive(Clone, Debug, Default)]
pub(super) enum State {
    /// Nothing but missing values.
    #[default]
    Empty,
    Bool(Cells<bool>),
    Int(Cells<i64>),
    Float(Cells<f64>),
    /// Whole numbers beyond `i64`, or whole and floating-point numbers.
    Numbers(Vec<Number>),
    /// Exact decimals as their digits.
    Decimal(Texts),
    Text(Texts),
    Bytes(Cells<Vec<u8>>),
    Date(Cells<i32>),
    Datetime(Cells<i64>, bool),
    Time(Cells<i64>),
    Duration(Cells<i64>),
    List(Box<Lists>),
    Object(Box<Objects>),
    Mixed(Box<Mixed>),
}

impl State {
    /// The storage for values of `shape`, with `len` missing ones in front.
    pub fn nulls(shape: Shape, len: usize) -> Self {
        match shape {
            Shape::Bool => Self::Bool(Cells::nulls(len)),
            Shape::Int => Self::Int(Cells::nulls(len)),
            Shape::WideInt => Self::Numbers(vec![Number::Null; len]),
            Shape::Float => Self::Float(Cells::nulls(len)),
            Shape::Decimal => Self::Decimal(Texts::nulls(len)),
            Shape::Text => Self::Text(Texts::nulls(len)),
            Shape::Bytes => Self::Bytes(Cells::nulls(len)),
            Shape::Date => Self::Date(Cells::nulls(len)),
            Shape::Datetime { utc } => Self::Datetime(Cells::nulls(len), utc),
            Shape::Time => Self::Time(Cells::nulls(len)),
            Shape::Duration => Self::Duration(Cells::nulls(len)),
            Shape::List => {
                let mut lists = Lists::default();
                lists.push_nulls(len);
                Self::List(Box::new(lists))
            }
            Shape::Object => {
                let mut objects = Objects::ordered();
                objects.push_nulls(len);
                Self::Object(Box::new(objects))
            }
        }
    }

    /// The type of the values held; `None` when there are none or several.
    pub fn shape(&self) -> Option<Shape> {
        Some(match self {
            Self::Empty | Self::Mixed(_) => return None,
            Self::Bool(_) => Shape::Bool,
            Self::Int(_) => Shape::Int,
            Self::Float(_) => Shape::Float,
            Self::Numbers(numbers) => {
                let float = |number: &Number| matches!(number, Number::Float(_));
                if numbers.iter().any(float) {
                    Shape::Float
                } else {
                    Shape::WideInt
                }
            }
            Self::Decimal(_) => Shape::Decimal,
            Self::Text(_) => Shape::Text,
            Self::Bytes(_) => Shape::Bytes,
            Self::Date(_) => Shape::Date,
            Self::Datetime(_, utc) => Shape::Datetime { utc: *utc },
            Self::Time(_) => Shape::Time,
            Self::Duration(_) => Shape::Duration,
            Self::List(_) => Shape::List,
            Self::Object(_) => Shape::Object,
        })
    }

    /// True when at least one value is not missing.
    pub fn any(&self) -> bool {
        match self {
            Self::Empty => false,
            Self::Bool(cells) => cells.any(),
            Self::Int(cells)
            | Self::Datetime(cells, _)
            | Self::Time(cells)
            | Self::Duration(cells) => cells.any(),
            Self::Float(cells) => cells.any(),
            Self::Numbers(numbers) => numbers.iter().any(|one| !matches!(one, Number::Null)),
            Self::Decimal(texts) | Self::Text(texts) => texts.any(),
            Self::Bytes(cells) => cells.any(),
            Self::Date(cells) => cells.any(),
            Self::List(lists) => lists.valid.any(lists.ends.len()),
            Self::Object(objects) => objects.valid.any(objects.len),
            Self::Mixed(mixed) => mixed.texts.any(),
        }
    }

    /// The types among the values held, in order of first appearance where that is still known.
    pub fn shapes(&self) -> Vec<Shape> {
        match self {
            Self::Mixed(mixed) => mixed.shapes.clone(),
            Self::Numbers(numbers) => {
                let mut shapes = Vec::new();
                for number in numbers {
                    let shape = match number {
                        Number::Null => continue,
                        Number::Float(_) => Shape::Float,
                        _ => Shape::Int,
                    };
                    if !shapes.contains(&shape) {
                        shapes.push(shape);
                    }
                    if shapes.len() == 2 {
                        break;
                    }
                }
                shapes
            }
            other => other.shape().into_iter().collect(),
        }
    }

    pub fn push_nulls(&mut self, count: usize) {
        match self {
            Self::Empty => {}
            Self::Bool(cells) => cells.push_nulls(count),
            Self::Int(cells)
            | Self::Datetime(cells, _)
            | Self::Time(cells)
            | Self::Duration(cells) => cells.push_nulls(count),
            Self::Float(cells) => cells.push_nulls(count),
            Self::Numbers(numbers) => numbers.resize(numbers.len() + count, Number::Null),
            Self::Decimal(texts) | Self::Text(texts) => texts.push_nulls(count),
            Self::Bytes(cells) => cells.push_nulls(count),
            Self::Date(cells) => cells.push_nulls(count),
            Self::List(lists) => lists.push_nulls(count),
            Self::Object(objects) => objects.push_nulls(count),
            Self::Mixed(mixed) => {
                mixed.undo = None;
                mixed.texts.push_nulls(count);
            }
        }
    }

    /// Gives back memory that growing has taken in advance.
    pub fn shrink(&mut self) {
        match self {
            Self::Empty => {}
            Self::Bool(cells) => cells.shrink(),
            Self::Int(cells)
            | Self::Datetime(cells, _)
            | Self::Time(cells)
            | Self::Duration(cells) => cells.shrink(),
            Self::Float(cells) => cells.shrink(),
            Self::Numbers(numbers) => exact(numbers),
            Self::Decimal(texts) | Self::Text(texts) => texts.shrink(),
            Self::Bytes(cells) => cells.shrink(),
            Self::Date(cells) => cells.shrink(),
            Self::List(lists) => {
                exact(&mut lists.ends);
                lists.items.shrink();
            }
            Self::Object(objects) => objects.shrink(),
            Self::Mixed(mixed) => {
                mixed.undo = None;
                mixed.texts.shrink();
            }
        }
    }

    /// Forgets the values from `len` on, and what was begun of the next one.
    pub fn truncate(&mut self, len: usize) {
        match self {
            Self::Empty => {}
            Self::Bool(cells) => cells.truncate(len),
            Self::Int(cells)
            | Self::Datetime(cells, _)
            | Self::Time(cells)
            | Self::Duration(cells) => cells.truncate(len),
            Self::Float(cells) => cells.truncate(len),
            Self::Numbers(numbers) => numbers.truncate(len),
            Self::Decimal(texts) | Self::Text(texts) => texts.truncate(len),
            Self::Bytes(cells) => cells.truncate(len),
            Self::Date(cells) => cells.truncate(len),
            Self::List(lists) => {
                lists.ends.truncate(len);
                lists.valid.truncate(len);
                lists.items.truncate(lists.last_end());
            }
            Self::Object(objects) => objects.truncate(len),
            Self::Mixed(mixed) => {
                if let Some((before, state)) = mixed.undo.take()
                    && len <= before
                {
                    *self = state;
                    self.truncate(len);
                } else {
                    mixed.texts.truncate(len);
                }
            }
        }
    }

    /// The values as numbers of any type; `None` for other states.
    pub fn numbers(&mut self) -> Option<Vec<Number>> {
        match self {
            Self::Int(cells) => Some(
                cells
                    .iter()
                    .map(|value| value.map_or(Number::Null, |value| Number::Int(*value)))
                    .collect(),
            ),
            Self::Float(cells) => Some(
                cells
                    .iter()
                    .map(|value| value.map_or(Number::Null, |value| Number::Float(*value)))
                    .collect(),
            ),
            Self::Numbers(numbers) => Some(std::mem::take(numbers)),
            _ => None,
        }
    }
}
