//! A stretch of rows of a table, and its columns as vectors.

use std::borrow::Cow;

use polars::prelude::{AnyValue, DataType, Series, TimeUnit};

use super::literal::DAY;
use super::tree::Type;
use super::vector::{Data, Vector, gather};
use crate::table::{Kind, Table};
use crate::text;

/// Rows of a batch: few enough that what is made of them stays near the processor.
pub const ROWS: usize = 1 << 14;

/// A stretch of rows.
pub struct Batch {
    /// The first row.
    pub start: usize,
    /// How many.
    pub rows: usize,
    /// The columns; only those that are asked for.
    columns: Vec<Option<Stored>>,
}

/// A column as it is stored, and what it means.
struct Stored {
    series: Series,
    dtype: DataType,
}

impl Batch {
    /// The rows from `start` on, with the columns at these positions.
    pub fn new(table: &Table, positions: &[usize], start: usize) -> Self {
        let rows = ROWS.min(table.height() - start);
        let mut columns: Vec<Option<Stored>> = Vec::new();
        columns.resize_with(table.width(), || None);
        for position in positions {
            let column = &table.frame().columns()[*position];
            let series = column.slice(start as i64, rows);
            let series = series.as_materialized_series();
            columns[*position] = Some(Stored {
                series: match series.dtype() {
                    DataType::List(_) | DataType::Array(..) | DataType::Struct(_) => series.clone(),
                    _ => series.to_physical_repr().into_owned(),
                },
                dtype: series.dtype().clone(),
            });
        }
        Self {
            start,
            rows,
            columns,
        }
    }

    /// One row without columns, for conditions that look at none.
    pub fn one_row() -> Self {
        Self {
            start: 0,
            rows: 1,
            columns: Vec::new(),
        }
    }

    /// The values of a column.
    pub fn column(&self, position: usize) -> Vector<'_> {
        let Some(Some(Stored { series, dtype })) = self.columns.get(position) else {
            return Vector::nothing();
        };
        values(series, dtype).unwrap_or_else(|| as_text(series))
    }
}

/// The values of a column in one of our forms; none for a form that is not ours.
fn values<'a>(series: &'a Series, dtype: &DataType) -> Option<Vector<'a>> {
    macro_rules! whole {
        ($get:ident, $unit:expr, $digits:expr) => {{
            let unit: i128 = $unit;
            let values = series.$get().ok()?.iter();
            let (values, valid) =
                gather(values.map(|value| value.map(|value| i128::from(value) * unit)));
            Some(Vector::rows(Data::Exact(values, $digits), valid))
        }};
    }
    let nanos = |unit: &TimeUnit| text::nanos(1, *unit);
    match dtype {
        DataType::Null => Some(Vector::nothing()),
        DataType::Boolean => {
            let (values, valid) = gather(series.bool().ok()?.iter());
            Some(Vector::rows(Data::Bool(values), valid))
        }
        DataType::Int8 => whole!(i8, 1, 0),
        DataType::Int16 => whole!(i16, 1, 0),
        DataType::Int32 => whole!(i32, 1, 0),
        DataType::Int64 => whole!(i64, 1, 0),
        DataType::Int128 => whole!(i128, 1, 0),
        DataType::UInt8 => whole!(u8, 1, 0),
        DataType::UInt16 => whole!(u16, 1, 0),
        DataType::UInt32 => whole!(u32, 1, 0),
        DataType::UInt64 => whole!(u64, 1, 0),
        DataType::Date => whole!(i32, DAY, 0),
        DataType::Datetime(unit, _) | DataType::Duration(unit) => whole!(i64, nanos(unit), 0),
        DataType::Time => whole!(i64, 1, 0),
        DataType::Decimal(_, digits) => whole!(i128, 1, u32::try_from(*digits).ok()?),
        // NaN is missing, here as everywhere. A short float has the value that it shows.
        DataType::Float32 => {
            let values = series.f32().ok()?.iter();
            let known = |value: f32| (!value.is_nan()).then(|| text::shortest_f64(value));
            let (values, valid) = gather(values.map(|value| value.and_then(known)));
            Some(Vector::rows(Data::Float(values), valid))
        }
        DataType::Float64 => {
            let values = series.f64().ok()?.iter();
            let (values, valid) = gather(values.map(|value| value.filter(|value| !value.is_nan())));
            Some(Vector::rows(Data::Float(values), valid))
        }
        DataType::String => {
            let values = series.str().ok()?.iter();
            let (values, valid) = gather(values.map(|value| value.map(Cow::Borrowed)));
            Some(Vector::rows(Data::Text(values), valid))
        }
        _ => None,
    }
}

/// Values without order or arithmetic, by their text.
fn as_text(series: &Series) -> Vector<'_> {
    let texts = series.iter().map(|value| match value {
        AnyValue::Null => None,
        value => Some(Cow::Owned(text::plain(&value))),
    });
    let (values, valid) = gather(texts);
    Vector::rows(Data::Text(values), valid)
}

/// A value of this type as the user reads it.
pub fn shown(vector: &Vector<'_>, kind: Type) -> String {
    if !vector.has(0) {
        return "null".to_owned();
    }
    match &vector.data {
        Data::Nothing => "null".to_owned(),
        Data::Bool(values) => values[0].to_string(),
        Data::Text(values) => {
            let text = AnyValue::String(values[0].as_ref());
            crate::op::montre::cell::typed(&text, Kind::Text, 40)
        }
        Data::Float(values) => {
            let mut out = String::new();
            text::write_float(&mut out, values[0]);
            out
        }
        Data::Exact(values, digits) => match kind {
            Type::Date => text::date(i32::try_from(values[0] / DAY).unwrap_or_default()),
            Type::Datetime => text::datetime(values[0], false),
            Type::Instant => text::datetime(values[0], true),
            Type::Time => text::time(i64::try_from(values[0]).unwrap_or_default()),
            Type::Duration => text::duration(values[0]),
            _ => super::exact::text(values[0], *digits),
        },
    }
}
