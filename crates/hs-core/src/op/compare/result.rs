//! The outcome of a comparison as a table.

use polars::prelude::{Column, DataType, NamedFrom, PolarsError, Series};

use super::account::{self, Counts};
use super::columns::Columns;
use super::differ::{self, Pairs};
use super::{CompareOptions, Compared, Found, part};
use crate::control::Control;
use crate::error::{Error, ErrorKind, Result};
use crate::op::keyed::{NONE, Part};
use crate::op::named::OwnNames;
use crate::op::rows::Rows;
use crate::op::taken::taken;
use crate::table::{ColumnInfo, Kind, Table};
use crate::text;

/// Puts what was found into a table and words.
///
/// # Errors
/// A stop request.
pub fn result(
    tables: [&Table; 2],
    keys: [Vec<usize>; 2],
    columns: &Columns,
    found: &Found,
    options: &CompareOptions,
    control: &Control,
) -> Result<Compared> {
    let counts = Counts::of(tables[0].height(), found);
    let rows = rows(found);
    let names: Vec<&str> = keys[0]
        .iter()
        .map(|key| tables[0].columns()[*key].name.as_str())
        .collect();
    let mut own = OwnNames::beside(names.iter().copied());
    let states = rows[0].iter().zip(&rows[1]).map(|pair| match pair {
        (_, &NONE) => "only a",
        (&NONE, _) => "only b",
        _ => "changed",
    });
    let states = Series::new("".into(), states.collect::<Vec<&str>>());
    let mut made = vec![text_column(own.name("state"), states)];
    for (left, right) in keys[0].iter().zip(&keys[1]) {
        made.push(key(
            part(tables[0], *left),
            part(tables[1], *right),
            &rows,
            control,
        )?);
    }
    made.push(text_column(
        own.name("changed"),
        changed(columns, found, &rows),
    ));
    let mut differing = Vec::new();
    for (column, found) in columns.both.iter().zip(&found.marks) {
        control.check()?;
        if found.marks.count() == 0 {
            continue;
        }
        differing.push(column.positions);
        for (side, letter) in ["a", "b"].into_iter().enumerate() {
            let (info, values) = part(tables[side], column.positions[side]);
            let info = ColumnInfo {
                name: own.name(&format!("{}_{letter}", column.name)),
                kind: info.kind,
            };
            made.push((info.clone(), taken((&info, values), &rows[side])?));
        }
    }
    let mut table = Table::from_columns(rows[0].len(), made)?;
    table.notes = account::notes(&counts, columns, found, options);
    table.notes.extend(own.note());
    let [left, right] = rows;
    Ok(Compared {
        table,
        only_b: found.only_b.len(),
        differs: counts.differ() || columns.alone.iter().any(|names| !names.is_empty()),
        rows: [
            Rows::of(left, tables[0].height()),
            Rows::of(right, tables[1].height()),
        ],
        keys,
        columns: differing,
    })
}

/// The rows of the result: those of a that differ or are alone, then those of b that are alone.
fn rows(found: &Found) -> [Vec<u32>; 2] {
    let mut rows = [Vec::new(), Vec::new()];
    let mut changed = differ::Marks::none(found.pairs.height());
    for differing in &found.marks {
        changed.add(&differing.marks);
    }
    for (row, other) in found.pairs.iter() {
        if other == NONE || changed.has(row as usize) {
            rows[0].push(row);
            rows[1].push(other);
        }
    }
    rows[0].resize(rows[0].len() + found.only_b.len(), NONE);
    rows[1].extend(&found.only_b);
    rows
}

/// For each row the names of the columns that differ; missing where the row is on one side only.
fn changed(columns: &Columns, found: &Found, rows: &[Vec<u32>; 2]) -> Series {
    let texts = rows[0].iter().zip(&rows[1]).map(|(row, other)| {
        if *row == NONE || *other == NONE {
            return None;
        }
        let differing = columns.both.iter().zip(&found.marks);
        let names: Vec<&str> = differing
            .filter(|(_, differing)| differing.marks.has(*row as usize))
            .map(|(column, _)| column.name.as_str())
            .collect();
        Some(names.join(", "))
    });
    Series::new("".into(), texts.collect::<Vec<Option<String>>>())
}

fn text_column(name: String, series: Series) -> (ColumnInfo, Column) {
    let kind = Kind::Text;
    (ColumnInfo { name, kind }, series.into())
}

/// A key: of a where it has the row, else of b.
fn key(
    left: Part<'_>,
    right: Part<'_>,
    rows: &[Vec<u32>; 2],
    control: &Control,
) -> Result<(ColumnInfo, Column)> {
    let here = rows[0]
        .iter()
        .position(|row| *row == NONE)
        .unwrap_or(rows[0].len());
    let first = taken(left, &rows[0][..here])?;
    let info = left.0.clone();
    if here == rows[0].len() {
        return Ok((info, first));
    }
    let second = taken(right, &rows[1][here..])?;
    let kinds = [left.0.kind, right.0.kind];
    let joined = |kind: Kind, first: Column, second: &Column| -> Result<(ColumnInfo, Column)> {
        let mut all = first;
        all.append(second).map_err(not_taken)?;
        let name = info.name.clone();
        Ok((ColumnInfo { name, kind }, all))
    };
    let stored = kinds.contains(&Kind::Mixed) && kinds[0] != kinds[1];
    if first.dtype() == second.dtype() && !stored {
        let kind = if kinds[0] == kinds[1] {
            kinds[0]
        } else {
            Kind::of(first.dtype())
        };
        return joined(kind, first, &second);
    }
    if !stored {
        let parts = [(left.0, &first), (right.0, &second)];
        if let Some(turned) = turned(parts[1], first.dtype(), control)? {
            return joined(kinds[0], first, &turned);
        }
        if let Some(turned) = turned(parts[0], second.dtype(), control)? {
            return joined(kinds[1], turned, &second);
        }
    }
    // No type of either side holds the values of both.
    joined(Kind::Text, plain(&first), &plain(&second))
}

/// The column in another type, if that changes no value.
fn turned(part: Part<'_>, dtype: &DataType, control: &Control) -> Result<Option<Column>> {
    let Ok(turned) = part.1.cast(dtype) else {
        return Ok(None);
    };
    let info = ColumnInfo {
        name: String::new(),
        kind: Kind::of(dtype),
    };
    let marks = differ::differing(
        [part, (&info, &turned)],
        &Pairs::straight(turned.len()),
        control,
    )?;
    Ok((marks.count() == 0).then_some(turned))
}

fn plain(column: &Column) -> Column {
    let texts = (0..column.len()).map(|row| {
        let value = column.get(row).unwrap_or_default();
        (!value.is_null()).then(|| text::plain(&value))
    });
    Series::new("".into(), texts.collect::<Vec<Option<String>>>()).into()
}

#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
fn not_taken(error: PolarsError) -> Error {
    Error::new(
        ErrorKind::Internal,
        format!("rows that are not there: {error}"),
    )
}
