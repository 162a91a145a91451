//! The key of an outer join: one column from those of two tables, the right one's values below the left one's, in a type
//! that holds all of them exactly. Turns no value into another; where no type holds all, it says so.

use polars::prelude::{Column, DataType, Series};

use super::refuse::has_no_value;
use crate::control::Control;
use crate::error::{Error, ErrorKind, Result};
use crate::fix::Fix;
use crate::op::charge::{Typed, common, convert};
use crate::op::keyed;
use crate::table::{ColumnInfo, Kind, Table};

/// Digits of a 128-bit decimal.
const DECIMAL_DIGITS: usize = 38;

/// One column of keys from the left table's rows and, below them, those that only the right one has; each a table of one
/// column.
///
/// # Errors
/// [`ErrorKind::Type`] when no type holds the values of both exactly; a stop request.
pub fn stack_keys(left: &Table, right: &Table, control: &Control) -> Result<Table> {
    let first = |table: &Table| {
        let column = table.iter().next();
        let column =
            column.map(|(info, column)| (info.clone(), column.as_materialized_series().clone()));
        column.ok_or_else(|| Error::new(ErrorKind::Internal, "a key without a column"))
    };
    let height = left.height() + right.height();
    Table::from_columns(height, [stacked(first(left)?, first(right)?, control)?])
}

/// The same for columns.
pub fn stacked(
    (left, front): (ColumnInfo, Series),
    (right, back): (ColumnInfo, Series),
    control: &Control,
) -> Result<(ColumnInfo, Column)> {
    let typed = |info: &ColumnInfo, series: &Series| Typed {
        kind: info.kind,
        dtype: series.dtype().clone(),
    };
    let (one, other) = (typed(&left, &front), typed(&right, &back));
    // The left table's own type where it holds all.
    let wanted = [Some(one.clone()), shared(&one, &other), Some(other.clone())];
    let by_value = by_value(&one.dtype, &other.dtype).into_iter();
    let by_value = by_value.map(|dtype| Typed {
        kind: Kind::of(&dtype),
        dtype,
    });
    for wanted in wanted.into_iter().flatten().chain(by_value) {
        let Some(back) = held(&back, &other, &wanted, control)? else {
            continue;
        };
        let Some(mut all) = held(&front, &one, &wanted, control)? else {
            continue;
        };
        all.append(&back).map_err(|error| {
            Error::new(ErrorKind::Internal, "keys of different types").because(error)
        })?;
        let info = ColumnInfo {
            name: left.name.clone(),
            kind: wanted.kind,
        };
        return Ok((info, all.into()));
    }
    Err(refused(&left.name, &one, &other))
}

/// The type that holds any values of both; instants are told in the zone of the left one.
fn shared(left: &Typed, right: &Typed) -> Option<Typed> {
    let mut shared = common(left, right)?;
    if let (DataType::Datetime(_, zone), DataType::Datetime(_, own)) =
        (&mut shared.dtype, &left.dtype)
    {
        zone.clone_from(own);
    }
    Some(shared)
}

/// Types that hold the values of both when those are not too large.
fn by_value(left: &DataType, right: &DataType) -> Vec<DataType> {
    use DataType as D;
    match (left, right) {
        (D::Decimal(precision, scale), int) | (int, D::Decimal(precision, scale))
            if int.is_integer() =>
        {
            let whole = (precision - scale).max(digits(int)) + scale;
            vec![D::Decimal(whole.min(DECIMAL_DIGITS), *scale)]
        }
        (left, right) if left.is_integer() && right.is_integer() => vec![D::Int64, D::UInt64],
        _ => Vec::new(),
    }
}

/// Digits of the largest whole number of a type.
fn digits(int: &DataType) -> usize {
    match int {
        DataType::Int8 | DataType::UInt8 => 3,
        DataType::Int16 | DataType::UInt16 => 5,
        DataType::Int32 | DataType::UInt32 => 10,
        DataType::Int64 => 19,
        DataType::UInt64 => 20,
        _ => DECIMAL_DIGITS,
    }
}

fn refused(name: &str, left: &Typed, right: &Typed) -> Error {
    let words = |typed: &Typed| match &typed.dtype {
        // Whole numbers of two types are both "int".
        dtype if dtype.is_primitive_numeric() => format!("{dtype:?}").to_lowercase(),
        _ => typed.words(),
    };
    let message = format!(
        "key {name:?}: expected keys that one type holds exactly, found {} in a and {} in b",
        words(left),
        words(right)
    );
    let text = Fix::types(name, "text");
    let hint = format!(
        "load both with {text}, or rename it in b and join by the two names: then both columns stay"
    );
    Error::new(ErrorKind::Type, message).hint(hint).fix(text)
}

/// The values in a type, if it holds all of them exactly.
fn held(series: &Series, own: &Typed, wanted: &Typed, control: &Control) -> Result<Option<Series>> {
    if has_no_value(series) {
        let name = series.name().clone();
        return Ok(Some(Series::full_null(name, series.len(), &wanted.dtype)));
    }
    // JSON text and plain text are stored alike, but `1` is not `"1"`.
    if (own.kind == Kind::Mixed) != (wanted.kind == Kind::Mixed) {
        return Ok(None);
    }
    let (from, to) = (&own.dtype, &wanted.dtype);
    if from == to {
        return Ok(Some(series.clone()));
    }
    // In the order of `wanted` and `own` it has the zone of the wanted type.
    if shared(wanted, own).is_some_and(|known| known.dtype == *to) {
        return convert(series, to);
    }
    let number = |dtype: &DataType| dtype.is_primitive_numeric() || dtype.is_decimal();
    let numbers = number(from) && number(to);
    let days = *from == DataType::Date && matches!(to, DataType::Datetime(_, None));
    let (Ok(there), true) = (series.cast(to), numbers || days) else {
        return Ok(None);
    };
    if let DataType::Decimal(precision, _) = to
        && !has_digits(&there, *precision)
    {
        return Ok(None);
    }
    // A narrower type holds them if they are the same keys there.
    let info = |typed: &Typed| ColumnInfo {
        name: String::new(),
        kind: typed.kind,
    };
    let columns = (series.clone().into(), there.clone().into());
    let both = keyed::common(
        (&info(own), &columns.0),
        (&info(wanted), &columns.1),
        control,
    )?;
    let same = both.is_some_and(|(before, after)| before.equals_missing(&after));
    Ok(same.then_some(there))
}

/// Whether the values of a decimal column have no more digits than its type says: a cast looks at 128 bits only.
fn has_digits(decimals: &Series, precision: usize) -> bool {
    let most = 10u128.checked_pow(precision as u32);
    let units = decimals.to_physical_repr();
    let (Some(most), Ok(units)) = (most, units.i128()) else {
        return false;
    };
    let fits = |units: i128| units.unsigned_abs() < most;
    units.iter().flatten().all(fits)
}
