//! decris: describe every column of a table in one row.

mod duplicate;
mod group;
mod remark;

use polars::prelude::{AnyValue, Column, DataType, NamedFrom, Series};
use rayon::prelude::*;

use crate::control::Control;
use crate::error::Result;
use crate::note::{Note, Topic};
use crate::op::montre::cell;
use crate::table::{ColumnInfo, Kind, Table};
use crate::text;
use group::Groups;

/// How many of the most frequent values are named.
const TOP: usize = 3;
/// How wide a value in `top` may get, in terminal cells.
const TOP_WIDTH: usize = 40;

/// Describes every column of `table` in one row.
///
/// The result has the columns `column`, `type` (in words), `missing` (share of rows, 0 to 1),
/// `distinct` (missing not counted), `top` (up to three values with their counts), `min` and `max`
/// (as text, exact; missing where values have no order) and, when some column has something to
/// say, `note`. Its first note says how many rows, columns and duplicate rows there are, in the
/// words of the load (`2 rows x 3 columns, sheet "Jan"`) where the table was loaded.
///
/// Null and NaN are missing; what is one value in one column is one in every other
/// ([`crate::op::form`]). A duplicate row equals an earlier row in every column.
///
/// # Errors
/// [`crate::ErrorKind::Interrupted`] on a stop request.
pub fn decris(table: &Table, control: &Control) -> Result<Table> {
    let columns: Vec<(usize, (&ColumnInfo, &Column))> = table.iter().enumerate().collect();
    let described: Vec<(Description, Groups)> = columns
        .into_par_iter()
        .map(|(position, (info, column))| {
            let mut groups = group::group(info, column, control)?;
            if table.exact(position).is_some() {
                // The stored values have the order, and do not tell all values apart.
                let (info, forms) = table.compared(position);
                groups.values = group::group(info, forms, control)?.values;
            }
            Ok((describe(info, column, &groups), groups))
        })
        .collect::<Result<_>>()?;
    let (rows, groups): (Vec<Description>, Vec<Groups>) = described.into_iter().unzip();
    let groups: Vec<&Groups> = groups.iter().collect();
    let duplicates = duplicate::duplicate_rows(&groups, table.height(), control)?;
    let mut result = assemble(&rows)?;
    result.origin = table.origin.clone();
    result.notes.push(headline(table, duplicates));
    Ok(result)
}

/// What there is to say of one column.
struct Description {
    column: String,
    kind: &'static str,
    missing: f64,
    distinct: i64,
    top: Option<String>,
    min: Option<String>,
    max: Option<String>,
    note: Option<String>,
}

fn describe(info: &ColumnInfo, column: &Column, groups: &Groups) -> Description {
    let height = column.len();
    let nothing = height > 0 && groups.missing() == height;
    let kind = if nothing { Kind::Empty } else { info.kind };
    // Mixed values are told from text by their quotes; they are JSON text and stay as they are.
    let shown = |row: u32, width: usize| {
        let value = value(column, row);
        if kind == Kind::Mixed {
            cell::cut(&text::plain(&value), width)
        } else {
            cell::plain(&value, width)
        }
    };
    let top: Vec<String> = groups
        .top(TOP)
        .into_iter()
        .map(|value| {
            let count = text::count(u64::from(groups.values.count[value]));
            format!("{} ({count})", shown(groups.values.first[value], TOP_WIDTH))
        })
        .collect();
    let extremes = groups.extremes.map(|(low, high)| {
        let exact = |row| text::plain(&value(column, row));
        (exact(low), exact(high))
    });
    let (min, max) = extremes.unzip();
    Description {
        column: info.name.clone(),
        kind: kind.word(),
        missing: if height == 0 {
            0.0
        } else {
            groups.missing() as f64 / height as f64
        },
        distinct: groups.distinct() as i64,
        top: (!top.is_empty()).then(|| top.join(", ")),
        min,
        max,
        note: remark::remark(column, info.kind, groups),
    }
}

/// The value of a row; rows come from the column itself, so there is one.
fn value(column: &Column, row: u32) -> AnyValue<'_> {
    column.get(row as usize).unwrap_or(AnyValue::Null)
}

fn headline(table: &Table, duplicates: usize) -> Note {
    let loaded = table.notes.iter().find(|note| note.topic == Topic::Loaded);
    let size = loaded.map_or_else(
        || {
            let rows = text::counted(table.height() as u64, "row");
            let columns = text::counted(table.width() as u64, "column");
            format!("{rows} x {columns}")
        },
        |note| note.text.clone(),
    );
    let repeated = match duplicates {
        0 => "no duplicate rows".to_owned(),
        count => text::counted(count as u64, "duplicate row"),
    };
    let mut note = Note::new(Topic::Result, format!("{size}, {repeated}"));
    note.count = Some(duplicates as u64);
    note
}

fn assemble(rows: &[Description]) -> Result<Table> {
    let height = rows.len();
    let has_notes = rows.iter().any(|row| row.note.is_some());
    let texts = |get: fn(&Description) -> Option<&str>| -> Series {
        let values: Vec<Option<&str>> = rows.iter().map(get).collect();
        Series::new("".into(), values)
    };
    let missing: Vec<f64> = rows.iter().map(|row| row.missing).collect();
    let distinct: Vec<i64> = rows.iter().map(|row| row.distinct).collect();
    let mut columns = vec![
        ("column", texts(|row| Some(&row.column))),
        ("type", texts(|row| Some(row.kind))),
        ("missing", Series::new("".into(), missing)),
        ("distinct", Series::new("".into(), distinct)),
        ("top", texts(|row| row.top.as_deref())),
        ("min", texts(|row| row.min.as_deref())),
        ("max", texts(|row| row.max.as_deref())),
    ];
    if has_notes {
        columns.push(("note", texts(|row| row.note.as_deref())));
    }
    let named = columns.into_iter().map(|(name, series)| {
        let kind = match series.dtype() {
            DataType::Float64 => Kind::Float,
            DataType::Int64 => Kind::Int,
            _ => Kind::Text,
        };
        let info = ColumnInfo {
            name: name.into(),
            kind,
        };
        (info, series.into())
    });
    Table::from_columns(height, named)
}

#[cfg(test)]
mod tests;
