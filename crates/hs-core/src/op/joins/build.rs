//! The result of a join as a table: the rows that the plan names, taken column by column.

use polars::prelude::{Column, DataType, IdxCa, Series};
use rayon::prelude::*;

use super::names::{Named, names};
use super::options::{How, JoinsOptions};
use super::plan::{Plan, plan};
use super::refuse::has_no_value;
use crate::control::Control;
use crate::error::{Error, ErrorKind, Result};
use crate::op::charge::{Typed, common, convert};
use crate::op::rows::{Rows, taken};
use crate::table::{ColumnInfo, Kind, Table};

/// Joins two tables by keys at these positions.
///
/// The result has the left table's columns, then those of the right one but for keys of the same name; its notes say
/// what matched.
///
/// # Errors
/// As [`plan`]; [`ErrorKind::Type`] when an outer join puts keys into one column that no type holds exactly.
pub fn joins(
    left: &Table,
    right: &Table,
    keys: &[(usize, usize)],
    options: &JoinsOptions,
    control: &Control,
) -> Result<Table> {
    let (lefts, rights): (Vec<usize>, Vec<usize>) = keys.iter().copied().unzip();
    let plan = plan(&left.pick(&lefts)?, &right.pick(&rights)?, options, control)?;
    let own = |table: &Table| -> Vec<String> {
        let columns = table.columns().iter();
        columns.map(|column| column.name.clone()).collect()
    };
    let named = names(&own(left), &own(right), keys, options);
    let both = [(left, &named.left, true), (right, &named.right, false)];
    let columns: Vec<(&Table, &Named, bool)> = both
        .into_iter()
        .flat_map(|(table, named, is_left)| named.iter().map(move |named| (table, named, is_left)))
        .collect();
    let at = Positions::of(&plan);
    let built = columns.into_par_iter().map(|(table, named, is_left)| {
        control.check()?;
        let info = ColumnInfo {
            name: named
                .name
                .clone()
                .unwrap_or_else(|| table.columns()[named.position].name.clone()),
            kind: table.columns()[named.position].kind,
        };
        let partner = keys.iter().find(|(place, partner)| {
            let same = left.columns()[*place].name == right.columns()[*partner].name;
            is_left && same && *place == named.position
        });
        let column = table.frame().columns()[named.position].as_materialized_series();
        match partner {
            Some((_, partner)) => at.key(
                (info, column),
                (
                    right.columns()[*partner].clone(),
                    right.frame().columns()[*partner].as_materialized_series(),
                ),
                options.how,
                &plan,
            ),
            None => {
                let rows = if is_left { &at.left } else { &at.right };
                Ok((info, taken(column, rows.as_ref())?.into()))
            }
        }
    });
    let columns: Vec<(ColumnInfo, Column)> = built.collect::<Result<_>>()?;
    let mut table = Table::from_columns(plan.height, columns)?;
    table.notes = plan.notes;
    table.notes.extend(named.notes);
    Ok(table)
}

/// Positions as polars takes them; `None` where all rows stay.
struct Positions {
    left: Option<IdxCa>,
    right: Option<IdxCa>,
}

impl Positions {
    fn of(plan: &Plan) -> Self {
        Self {
            left: plan.left.nullable(),
            right: plan.right.as_ref().and_then(Rows::nullable),
        }
    }

    /// The column of a key that both tables have under one name.
    fn key(
        &self,
        left: (ColumnInfo, &Series),
        right: (ColumnInfo, &Series),
        how: How,
        plan: &Plan,
    ) -> Result<(ColumnInfo, Column)> {
        if how == How::Right {
            let info = ColumnInfo {
                name: left.0.name,
                kind: right.0.kind,
            };
            return Ok((info, taken(right.1, self.right.as_ref())?.into()));
        }
        if plan.only_right == 0 {
            return Ok((left.0, taken(left.1, self.left.as_ref())?.into()));
        }
        let front = taken(left.1, plan.front().nullable().as_ref())?;
        let back = taken(right.1, plan.back().nullable().as_ref())?;
        stacked((left.0, front), (right.0, back))
    }
}

/// One column of keys from the left table's rows and, below them, those that only the right one has; each a table of one
/// column.
///
/// # Errors
/// [`ErrorKind::Type`] when no type holds the values of both exactly.
pub fn stack_keys(left: &Table, right: &Table) -> Result<Table> {
    let first = |table: &Table| {
        let column = table.iter().next();
        let column =
            column.map(|(info, column)| (info.clone(), column.as_materialized_series().clone()));
        column.ok_or_else(|| Error::new(ErrorKind::Internal, "a key without a column"))
    };
    let height = left.height() + right.height();
    Table::from_columns(height, [stacked(first(left)?, first(right)?)?])
}

fn stacked(
    (left, front): (ColumnInfo, Series),
    (right, back): (ColumnInfo, Series),
) -> Result<(ColumnInfo, Column)> {
    let typed = |info: &ColumnInfo, series: &Series| Typed {
        kind: info.kind,
        dtype: series.dtype().clone(),
    };
    let refused = |typed: (&Typed, &Typed)| {
        let message = format!(
            "key {:?}: expected keys that one type holds exactly, found {} in a and {} in b",
            left.name,
            typed.0.words(),
            typed.1.words()
        );
        Error::new(ErrorKind::Type, message)
            .hint("convert one of the two first, or join by a (left, right) pair")
    };
    let (one, other) = (typed(&left, &front), typed(&right, &back));
    // The left table's own type where it holds all.
    let wanted = [Some(one.clone()), common(&one, &other), Some(other.clone())];
    for wanted in wanted.into_iter().flatten() {
        let (Some(mut all), Some(back)) = (
            convert_to(&front, &one, &wanted)?,
            convert_to(&back, &other, &wanted)?,
        ) else {
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
    Err(refused((&one, &other)))
}

/// The values in a type, if it holds all of them exactly.
fn convert_to(series: &Series, own: &Typed, wanted: &Typed) -> Result<Option<Series>> {
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
    if common(own, wanted).is_some_and(|known| known.dtype == *to) {
        return convert(series, to);
    }
    let numbers = from.is_primitive_numeric() && to.is_primitive_numeric();
    let days = *from == DataType::Date && matches!(to, DataType::Datetime(_, None));
    let (Ok(there), true) = (series.cast(to), numbers || days) else {
        return Ok(None);
    };
    // A narrower type holds them if they come back as they were.
    let back = there.cast(from);
    let same = there.null_count() == series.null_count()
        && back.is_ok_and(|back| back.equals_missing(series));
    Ok(same.then_some(there))
}
