//! From growing storage to a polars column: the type is decided here, on all values.

use polars::prelude::{ArrowField, Column, PlSmallStr, Series};
use polars_arrow::array::Array;

use crate::error::{Error, ErrorKind, Result};
use crate::table::Kind;

use super::arrays::{build, decimals};
use super::column::{ColumnBuilder, SPARSE};
use super::gaps::Gaps;
use super::number::{NumberType, number_type};
use super::state::State;

/// Deeper types make other libraries overflow their stacks.
const DEEPEST: usize = 64;

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
pub(super) fn finish(builder: ColumnBuilder, name: &str) -> Result<BuiltColumn> {
    let rows = builder.len();
    finish_rows(builder, name, Gaps::none(rows), &[rows])
}

/// As [`finish`], with missing values in the gaps, and cut into parts of so many rows.
pub(super) fn finish_rows(
    mut builder: ColumnBuilder,
    name: &str,
    gaps: Gaps<'_>,
    parts: &[usize],
) -> Result<BuiltColumn> {
    let len = builder.len;
    let (array, trouble) = if let Some((kind, reason)) = trouble_at_top(&builder) {
        let texts = builder.json();
        drop(std::mem::take(&mut builder.state));
        (texts.into_array(gaps)?, Some((kind, reason)))
    } else if let Some(reason) = trouble_inside(&builder.state, name, 1) {
        let texts = builder.json();
        drop(std::mem::take(&mut builder.state));
        let reason = format!("{reason}, kept as JSON text");
        (texts.into_array(gaps)?, Some((Kind::Mixed, reason)))
    } else {
        (build(std::mem::take(&mut builder.state), len, gaps)?, None)
    };
    let mut start = 0;
    let arrays = parts.iter().map(|rows| {
        start += rows;
        array.sliced(start - rows, *rows)
    });
    let arrays = match parts {
        [_] => vec![array],
        _ => arrays.collect(),
    };
    let mut built = column(name, arrays)?;
    if let Some((kind, reason)) = trouble {
        built.kind = kind;
        built.note = Some(format!("column {name:?}: {reason}"));
    }
    Ok(built)
}

/// A column of arrays of one type.
pub(super) fn column(name: &str, arrays: Vec<Box<dyn Array>>) -> Result<BuiltColumn> {
    let dtype = arrays.first().map(|array| array.dtype().clone());
    let dtype = dtype.unwrap_or(polars::prelude::ArrowDataType::Null);
    let field = ArrowField::new(PlSmallStr::from_str(name), dtype, true);
    let series = Series::try_from((&field, arrays)).map_err(|error| {
        Error::new(ErrorKind::Internal, "a column of an unknown type").because(error)
    })?;
    Ok(BuiltColumn {
        kind: Kind::of(series.dtype()),
        column: series.into(),
        note: None,
    })
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
        state @ State::Numbers(_) => match number_type(state) {
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
        State::Object(objects) if objects.is_sparse() => Some(SPARSE.to_owned()),
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
            None => words(
                &mixed
                    .shapes
                    .iter()
                    .map(|shape| shape.word())
                    .collect::<Vec<_>>(),
            ),
        }),
        state @ State::Numbers(_) => match number_type(state) {
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
