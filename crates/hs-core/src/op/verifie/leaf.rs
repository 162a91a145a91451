//! The leaves of a condition: columns, numbers, texts, days and times.

use std::ops::Range;

use sqlparser::ast::{DataType, Ident, TimezoneInfo, Value};

use super::compile::Compiler;
use super::tree::{Node, Type, What};
use super::vector::{Data, Vector};
use super::{exact, literal};
use crate::error::{Error, ErrorKind, Result, quoted};
use crate::table::{Kind, unknown_column};

/// The type of a column.
fn type_of(kind: Kind, dtype: &polars::prelude::DataType) -> Type {
    use polars::prelude::DataType;
    match dtype {
        _ if kind == Kind::Mixed => Type::Opaque(kind),
        DataType::Null => Type::Nothing,
        DataType::Boolean => Type::Bool,
        DataType::String => Type::Text,
        DataType::Date => Type::Date,
        DataType::Datetime(_, None) => Type::Datetime,
        DataType::Datetime(_, Some(_)) => Type::Instant,
        DataType::Time => Type::Time,
        DataType::Duration(_) => Type::Duration,
        DataType::Decimal(..) => Type::Decimal,
        dtype if dtype.is_float() => Type::Float,
        dtype if dtype.is_integer() => Type::Int,
        _ => Type::Opaque(Kind::of(dtype)),
    }
}

impl Compiler<'_> {
    pub(super) fn column(&mut self, names: &[Ident], at: Range<usize>) -> Result<Node> {
        let name = names
            .iter()
            .map(|name| name.value.as_str())
            .collect::<Vec<_>>()
            .join(".");
        let columns = self.table.columns();
        let position = columns.iter().position(|column| column.name == name);
        let position = match position {
            Some(position) => position,
            None => self.in_any_case(&name, names, &at)?,
        };
        if !self.inside && !self.columns.contains(&position) {
            self.columns.push(position);
        }
        let dtype = self.table.frame().columns()[position].dtype();
        Ok(Node {
            what: What::Column(position),
            kind: type_of(columns[position].kind, dtype),
            at,
        })
    }

    /// As SQL has it, upper and lower case are the same where that leaves one column.
    fn in_any_case(&self, name: &str, names: &[Ident], at: &Range<usize>) -> Result<usize> {
        let columns = self.table.columns();
        let lower = name.to_lowercase();
        let mut alike =
            (0..columns.len()).filter(|place| columns[*place].name.to_lowercase() == lower);
        if let (Some(position), None) = (alike.next(), alike.next()) {
            return Ok(position);
        }
        let known = columns.iter().map(|column| column.name.as_str());
        let error = unknown_column(name, known);
        let marked = self.fault(ErrorKind::Column, at, error.message());
        let mut hint = error.hint_text().unwrap_or_default().to_owned();
        if names.iter().any(|name| name.quote_style == Some('"')) && !hint.starts_with("did") {
            hint = format!("a text stands in single quotes, '{name}'; {hint}");
        }
        Err(marked.hint(hint))
    }

    pub(super) fn value(&self, value: &Value, at: Range<usize>) -> Result<Node> {
        let (data, kind) = match value {
            Value::Null => {
                return Ok(Node {
                    what: What::Literal(Vector::nothing()),
                    kind: Type::Nothing,
                    at,
                });
            }
            Value::Boolean(truth) => (Data::Bool(vec![*truth]), Type::Bool),
            Value::SingleQuotedString(text) => (Data::Text(vec![text.clone().into()]), Type::Text),
            Value::Number(written, _) => {
                let written = written.replace('_', "");
                match exact::parse(&written) {
                    Some((value, 0)) => (Data::Exact(vec![value], 0), Type::Int),
                    Some((value, digits)) => (Data::Exact(vec![value], digits), Type::Decimal),
                    None => match written.parse::<f64>() {
                        Ok(float) if float.is_finite() => (Data::Float(vec![float]), Type::Float),
                        _ => {
                            let message = format!("expected a number, found {}", quoted(&written));
                            return Err(self.fault(ErrorKind::Argument, &at, &message));
                        }
                    },
                }
            }
            other => return Err(self.unknown(&at, &quoted(&other.to_string()))),
        };
        Ok(Node {
            what: What::Literal(Vector::one(data)),
            kind,
            at,
        })
    }

    /// `DATE '2026-01-31'` and its like.
    pub(super) fn typed(&self, wanted: &DataType, value: &Value, at: Range<usize>) -> Result<Node> {
        let Value::SingleQuotedString(written) = value else {
            return Err(self.unknown(&at, &quoted(&value.to_string())));
        };
        let node = match wanted {
            DataType::Date => match literal::moment(written) {
                Some((Type::Date, nanos)) => Some((nanos, Type::Date)),
                _ => None,
            },
            DataType::Timestamp(
                _,
                TimezoneInfo::None | TimezoneInfo::WithTimeZone | TimezoneInfo::Tz,
            )
            | DataType::Datetime(_) => literal::moment(written).map(|(kind, nanos)| {
                let kind = if kind == Type::Date {
                    Type::Datetime
                } else {
                    kind
                };
                (nanos, kind)
            }),
            DataType::Time(..) => literal::time(written).map(|nanos| (nanos, Type::Time)),
            other => return Err(self.unknown(&at, &format!("a literal of type {other}"))),
        };
        match node {
            Some((nanos, kind)) => Ok(Node {
                what: What::Literal(Vector::one(Data::Exact(vec![nanos], 0))),
                kind,
                at,
            }),
            None => Err(self.no_moment(written, &at)),
        }
    }

    pub(super) fn no_moment(&self, written: &str, at: &Range<usize>) -> Error {
        let message = format!(
            "expected a day or time such as '2026-01-31' or '2026-01-31 08:00:00', found {}",
            quoted(written)
        );
        self.fault(ErrorKind::Argument, at, &message)
    }
}
