//! What a command did, in a line for people and as named values for programs.

use hs_core::{Error, ErrorKind, Table};
use polars::prelude::{AnyValue, Column, DataFrame, Series};

/// One thing that a command did.
#[derive(Clone, Debug)]
pub struct Facts {
    /// The line for people.
    pub line: String,
    values: Vec<(&'static str, Fact)>,
}

/// A value of it.
#[derive(Clone, Debug)]
pub enum Fact {
    /// A text.
    Text(String),
    /// A whole number.
    Int(i64),
    /// A number.
    Float(f64),
    /// Yes or no.
    Bool(bool),
    /// Not known.
    None,
}

impl Facts {
    /// With nothing but the line.
    pub fn new(line: impl Into<String>) -> Self {
        Self {
            line: line.into(),
            values: Vec::new(),
        }
    }

    /// With one more value.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl Into<Fact>) -> Self {
        self.values.push((name, value.into()));
        self
    }

    /// A row of each; all have the same names.
    ///
    /// # Errors
    /// Never, unless a command gives rows of different make.
    pub fn table(rows: &[Self], names: &[&str]) -> Result<Table, Error> {
        let mut columns: Vec<Column> = Vec::with_capacity(names.len());
        let of_row = |row: &'_ Self, name: &str| -> Fact {
            let value = row.values.iter().find(|(of, _)| *of == name);
            value.map_or(Fact::None, |(_, value)| value.clone())
        };
        let wrong =
            |error| Error::new(ErrorKind::Internal, "facts of different makes").because(error);
        for name in names {
            let values: Vec<Fact> = rows.iter().map(|row| of_row(row, name)).collect();
            let values: Vec<AnyValue<'_>> = values.iter().map(any).collect();
            let series = Series::from_any_values((*name).into(), &values, true);
            columns.push(series.map_err(wrong)?.into());
        }
        let frame = DataFrame::new(rows.len(), columns).map_err(wrong)?;
        Ok(Table::new(frame))
    }

    /// The names of its values.
    pub fn names(&self) -> Vec<&'static str> {
        self.values.iter().map(|(name, _)| *name).collect()
    }
}

fn any(fact: &Fact) -> AnyValue<'_> {
    match fact {
        Fact::Text(text) => AnyValue::String(text),
        Fact::Int(number) => AnyValue::Int64(*number),
        Fact::Float(number) => AnyValue::Float64(*number),
        Fact::Bool(yes) => AnyValue::Boolean(*yes),
        Fact::None => AnyValue::Null,
    }
}

impl From<String> for Fact {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&str> for Fact {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<i64> for Fact {
    fn from(number: i64) -> Self {
        Self::Int(number)
    }
}

impl From<f64> for Fact {
    fn from(number: f64) -> Self {
        Self::Float(number)
    }
}

impl From<bool> for Fact {
    fn from(yes: bool) -> Self {
        Self::Bool(yes)
    }
}

impl<T: Into<Self>> From<Option<T>> for Fact {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::None, Into::into)
    }
}
