//! From the keys of two tables to the rows that stand side by side, with what there is to say; nothing is built before
//! everything that may be refused was looked at.

use super::counts::Counts;
use super::near::near;
use super::options::JoinsOptions;
use super::paired::paired;
use super::refuse::{other_keys, other_types, repeated};
use super::report;
use super::shown::Shown;
use polars::prelude::Column;

use crate::control::Control;
use crate::error::Result;
use crate::note::Note;
use crate::op::keyed::{self, Missing, Part};
use crate::op::rows::Rows;
use crate::table::{ColumnInfo, Table};

/// How two tables are joined.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Rows of the left table.
    pub left: Rows,
    /// Rows of the right table; `None` where the result has none of its columns.
    pub right: Option<Rows>,
    /// Rows of the result.
    pub height: usize,
    /// How many of them, at the end, only the right table has, in an outer join.
    pub only_right: usize,
    /// What there is to say, most important first.
    pub notes: Vec<Note>,
}

impl Plan {
    /// The rows of the left table without those, at the end, that only the right one has.
    pub fn front(&self) -> Rows {
        self.left.slice(0, self.height - self.only_right)
    }

    /// The rows of the right table that only it has.
    pub fn back(&self) -> Rows {
        let right = self.right.as_ref().unwrap_or(&Rows::All);
        right.slice(self.height - self.only_right, self.only_right)
    }
}

/// Plans the join of two tables by their keys: `left` and `right` are the columns of the key, in order.
///
/// # Errors
/// [`crate::ErrorKind::Type`] for keys that never match because of their types, [`crate::ErrorKind::Merge`] for keys
/// that repeat where they must not or rows that multiply unasked, [`crate::ErrorKind::Argument`] for keys that are not
/// as many on both sides and for results beyond all tables; a stop request.
pub fn plan(
    left: &Table,
    right: &Table,
    options: &JoinsOptions,
    control: &Control,
) -> Result<Plan> {
    let infos = [left.columns(), right.columns()];
    other_keys(infos)?;
    let compared = [left, right].map(|table| {
        let all = (0..table.width()).map(|position| table.compared(position));
        let (infos, columns): (Vec<&ColumnInfo>, Vec<&Column>) = all.unzip();
        (infos, columns.into_iter().cloned().collect::<Vec<Column>>())
    });
    let [(infos_a, mut lefts), (infos_b, mut rights)] = compared;
    other_types(&mut lefts, &mut rights, [&infos_a, &infos_b])?;
    let compared_a: Vec<Part<'_>> = infos_a.into_iter().zip(&lefts).collect();
    let compared_b: Vec<Part<'_>> = infos_b.into_iter().zip(&rights).collect();
    let missing = if options.match_missing {
        Missing::Value
    } else {
        Missing::Never
    };
    let keyed = keyed::two(&compared_a, &compared_b, missing, control)?;
    let lefts: Vec<Part<'_>> = left.iter().collect();
    let rights: Vec<Part<'_>> = right.iter().collect();
    let counts = Counts::of(&keyed);
    let (a, b) = (
        Shown {
            parts: &lefts,
            side: &keyed.left,
        },
        Shown {
            parts: &rights,
            side: &keyed.right,
        },
    );
    repeated(a, b, &counts, options)?;
    let (left, right) = paired(&keyed, &counts, options.how, control)?;
    let near = near((&lefts, &keyed.left), (&rights, &keyed.right), control)?;
    Ok(Plan {
        left,
        right,
        height: counts.result(options.how) as usize,
        only_right: match options.how {
            super::How::Outer => counts.only_right() as usize,
            _ => 0,
        },
        notes: report::notes(a, b, &counts, options, near),
    })
}
