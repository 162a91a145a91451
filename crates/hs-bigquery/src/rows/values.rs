//! The values of one column in the storage of their type, and how the text of a cell gets there.

use hs_core::error::quoted;
use hs_core::{Error, ErrorKind, Result};
use polars_arrow::array::MutableBinaryViewArray;

use super::column::Column;
use super::schema::{Field, Type};
use super::storage::{Bits, Cells, Digits, Validity};
use super::{decimal, moment, scalar};

/// The values of a column.
#[derive(Debug)]
pub enum Values {
    Int(Cells<i64>),
    Float(Cells<f64>),
    Bool(Bits),
    Numeric(Cells<i128>),
    BigNumeric(Box<Digits>),
    Text(Box<MutableBinaryViewArray<str>>),
    Bytes(Box<MutableBinaryViewArray<[u8]>>),
    Date(Cells<i32>),
    Time(Cells<i64>),
    Datetime(Cells<i64>),
    Timestamp(Box<Instants>),
    Range(Box<Ranges>),
    Record(Box<Records>),
    List(Box<Lists>),
    /// Of a type that is not known: texts as they are, anything else as the JSON that it is.
    Unknown(Box<Strangers>),
}

/// Points in time, and how many had digits below a microsecond.
#[derive(Debug, Default)]
pub struct Instants {
    pub cells: Cells<i64>,
    /// True when the column is declared to have such digits.
    pub finer: bool,
    pub lost: u64,
}

/// Beginnings and ends.
#[derive(Debug)]
pub struct Ranges {
    pub len: usize,
    pub validity: Validity,
    pub start: Values,
    pub end: Values,
}

/// Records, field by field.
#[derive(Debug)]
pub struct Records {
    pub len: usize,
    pub validity: Validity,
    pub fields: Vec<Column>,
}

/// Lists: where each ends among all their items.
#[derive(Debug)]
pub struct Lists {
    pub ends: Vec<i64>,
    pub count: i64,
    pub validity: Validity,
    pub items: Values,
}

/// Values of a type that is not known, by its name.
#[derive(Debug)]
pub struct Strangers {
    pub word: String,
    pub texts: MutableBinaryViewArray<str>,
}

impl Values {
    /// An empty column.
    pub fn of(field: &Field) -> Self {
        let items = Self::new(&field.kind);
        if !field.repeated {
            return items;
        }
        Self::List(Box::new(Lists {
            ends: Vec::new(),
            count: 0,
            validity: Validity::default(),
            items,
        }))
    }

    fn new(kind: &Type) -> Self {
        match kind {
            Type::Int => Self::Int(Cells::default()),
            Type::Float => Self::Float(Cells::default()),
            Type::Bool => Self::Bool(Bits::default()),
            Type::Numeric => Self::Numeric(Cells::default()),
            Type::BigNumeric => Self::BigNumeric(Box::default()),
            Type::Text => Self::Text(Box::new(MutableBinaryViewArray::new())),
            Type::Bytes => Self::Bytes(Box::new(MutableBinaryViewArray::new())),
            Type::Date => Self::Date(Cells::default()),
            Type::Time => Self::Time(Cells::default()),
            Type::Datetime => Self::Datetime(Cells::default()),
            Type::Timestamp { finer } => Self::Timestamp(Box::new(Instants {
                finer: *finer,
                ..Instants::default()
            })),
            Type::Range(element) => Self::Range(Box::new(Ranges {
                len: 0,
                validity: Validity::default(),
                start: Self::new(element),
                end: Self::new(element),
            })),
            Type::Record(fields) => Self::Record(Box::new(Records {
                len: 0,
                validity: Validity::default(),
                fields: fields.iter().map(Column::new).collect(),
            })),
            Type::Unknown(word) => Self::Unknown(Box::new(Strangers {
                word: word.clone(),
                texts: MutableBinaryViewArray::new(),
            })),
        }
    }

    /// Adds a value by its text.
    ///
    /// # Errors
    /// When the type has no such value.
    #[inline]
    pub fn push(&mut self, text: &str) -> Result<()> {
        macro_rules! parsed {
            ($cells:expr, $parse:expr, $expected:literal) => {
                match $parse(text) {
                    Some(value) => $cells.push(Some(value)),
                    None => return Err(unlike($expected, text)),
                }
            };
        }
        match self {
            Self::Int(cells) => parsed!(cells, scalar::int, "a whole number of 64 bits"),
            Self::Float(cells) => parsed!(cells, scalar::float, "a number of FLOAT64"),
            Self::Bool(bits) => parsed!(bits, scalar::boolean, "true or false"),
            Self::Numeric(cells) => parsed!(cells, decimal::numeric, "a NUMERIC"),
            Self::BigNumeric(digits) => digits.push(text)?,
            Self::Text(texts) => texts.push_value(text),
            Self::Bytes(bytes) => {
                let mut value = Vec::new();
                scalar::base64(text, &mut value).ok_or_else(|| unlike("bytes in base64", text))?;
                bytes.push_value(value);
            }
            Self::Date(cells) => parsed!(cells, moment::date, "a day like 2020-01-31"),
            Self::Time(cells) => parsed!(cells, moment::time, "a time of day like 23:59:59.999999"),
            Self::Datetime(cells) => {
                parsed!(
                    cells,
                    moment::datetime,
                    "a wall clock like 2020-01-31T23:59:59.999999"
                );
            }
            Self::Timestamp(instants) => {
                let expected = "a point in time of the years 1 to 9999";
                let found = moment::timestamp(text);
                let (micros, lost) = found.ok_or_else(|| unlike(expected, text))?;
                instants.lost += u64::from(lost);
                instants.cells.push(Some(micros));
            }
            Self::Range(ranges) => ranges.push(text)?,
            Self::Unknown(strangers) => strangers.texts.push_value(text),
            Self::Record(_) => return Err(unlike("a record", text)),
            Self::List(_) => return Err(unlike("a list", text)),
        }
        Ok(())
    }

    /// Adds a missing value.
    pub fn push_null(&mut self) {
        match self {
            Self::Int(cells) | Self::Time(cells) | Self::Datetime(cells) => cells.push(None),
            Self::Timestamp(instants) => instants.cells.push(None),
            Self::Float(cells) => cells.push(None),
            Self::Bool(bits) => bits.push(None),
            Self::Numeric(cells) => cells.push(None),
            Self::BigNumeric(digits) => digits.texts.push_null(),
            Self::Text(texts) => texts.push_null(),
            Self::Bytes(bytes) => bytes.push_null(),
            Self::Date(cells) => cells.push(None),
            Self::Range(ranges) => {
                ranges.validity.missing(ranges.len);
                ranges.len += 1;
                ranges.start.push_null();
                ranges.end.push_null();
            }
            Self::Record(records) => {
                records.validity.missing(records.len);
                records.len += 1;
                for field in &mut records.fields {
                    field.values.push_null();
                }
            }
            Self::List(lists) => {
                lists.validity.missing(lists.ends.len());
                lists.ends.push(lists.count);
            }
            Self::Unknown(strangers) => strangers.texts.push_null(),
        }
    }

    /// True when a number or truth value without quotes says what it says in them.
    pub fn takes_bare(&self) -> bool {
        !matches!(self, Self::Text(_) | Self::Bytes(_) | Self::Range(_))
    }
}

impl Digits {
    fn push(&mut self, text: &str) -> Result<()> {
        let plain = decimal::without_exponent(text);
        let known = plain.and_then(|plain| Some((decimal::big(&plain)?, plain)));
        let ((whole, scale), plain) = known.ok_or_else(|| unlike("a BIGNUMERIC", text))?;
        self.whole = self.whole.max(whole);
        self.scale = self.scale.max(scale);
        self.texts.push_value(plain);
        Ok(())
    }
}

impl Ranges {
    /// Adds `[2020-01-01, UNBOUNDED)`.
    fn push(&mut self, text: &str) -> Result<()> {
        let inside = text.strip_prefix('[');
        let inside = inside.and_then(|text| text.strip_suffix(')'));
        let bounds = inside.and_then(|inside| inside.split_once(','));
        let expected = "a range like [2020-01-31, UNBOUNDED)";
        let (start, end) = bounds.ok_or_else(|| unlike(expected, text))?;
        for (values, text) in [(&mut self.start, start), (&mut self.end, end)] {
            match text.trim() {
                "UNBOUNDED" | "NULL" => values.push_null(),
                text => values.push(text)?,
            }
        }
        self.validity.valid();
        self.len += 1;
        Ok(())
    }
}

/// A cell that is not what its type says.
#[cold]
fn unlike(expected: &str, found: &str) -> Error {
    let message = format!("expected {expected}, found {}", quoted(found));
    Error::new(ErrorKind::Format, message)
}
