//! The result of a join as a table: the rows that the plan names, taken column by column.

use polars::prelude::{Column, IdxCa, Series};
use rayon::prelude::*;

use super::names::{Named, names};
use super::options::{How, JoinsOptions};
use super::plan::{Plan, plan};
use super::stacked::stacked;
use crate::control::Control;
use crate::error::Result;
use crate::op::rows::{Rows, taken};
use crate::table::{ColumnInfo, Table};

/// Joins two tables by keys at these positions.
///
/// The result has the left table's columns, then those of the right one but for keys of the same name; its notes say
/// what matched.
///
/// # Errors
/// As [`plan`]; [`crate::ErrorKind::Type`] when an outer join puts keys into one column that no type holds exactly.
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
                control,
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
        control: &Control,
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
        stacked((left.0, front), (right.0, back), control)
    }
}
