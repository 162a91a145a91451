//! decris: describe every column of a table in one row.

mod duplicate;
mod group;
mod remark;

use polars::prelude::{AnyValue, DataType, NamedFrom, Series};
use rayon::prelude::*;

use crate::control::Control;
use crate::error::Result;
use crate::note::{Note, Topic};
use crate::op::keyed::Part;
use crate::op::montre::cell;
use crate::op::taken::taken;
use crate::table::{ColumnInfo, Kind, Table};
use crate::text;
use duplicate::Values;
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
    let parts: Vec<(usize, Part<'_>)> = table.iter().enumerate().collect();
    let described = parts.into_par_iter().map(|(position, part)| {
        let compared = table.compared(position);
        let mut groups = group::group(compared, control)?;
        if table.exact(position).is_some() {
            // The stored values have the order, and do not tell all values apart.
            groups.extremes = group::group(part, control)?.extremes;
        }
        let values = Values {
            part: compared,
            distinct: groups.distinct(),
            missing: groups.missing,
        };
        Ok((describe(part, &groups)?, values))
    });
    let described: Vec<(Description, Values<'_>)> = described.collect::<Result<_>>()?;
    let (rows, values): (Vec<Description>, Vec<Values<'_>>) = described.into_iter().unzip();
    let duplicates = duplicate::duplicate_rows(values, table.height(), control)?;
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

fn describe(part: Part<'_>, groups: &Groups) -> Result<Description> {
    let (info, column) = part;
    let height = column.len();
    let nothing = height > 0 && groups.missing == height;
    let kind = if nothing { Kind::Empty } else { info.kind };
    let top = groups.top(TOP);
    let ends = groups.extremes.map(|(low, high)| [low, high]);
    let rows = top.iter().map(|value| groups.first[*value]);
    let rows: Vec<u32> = rows.chain(ends.into_iter().flatten()).collect();
    // Few of all rows: the most frequent values, then the smallest and the largest.
    let shown = taken(part, &rows)?;
    let values: Vec<AnyValue<'_>> = shown.as_materialized_series().iter().collect();
    let top: Vec<String> = top
        .iter()
        .zip(&values)
        .map(|(group, value)| {
            // Mixed values are told from text by their quotes; they are JSON text and stay as they are.
            let value = if kind == Kind::Mixed {
                cell::cut(&text::plain(value), TOP_WIDTH)
            } else {
                cell::plain(value, TOP_WIDTH)
            };
            let count = text::count(u64::from(groups.count[*group]));
            format!("{value} ({count})")
        })
        .collect();
    let extremes = ends.and_then(|_| match values.get(top.len()..) {
        Some([low, high]) => Some((text::plain(low), text::plain(high))),
        _ => None,
    });
    let (min, max) = extremes.unzip();
    Ok(Description {
        column: info.name.clone(),
        kind: kind.word(),
        missing: if height == 0 {
            0.0
        } else {
            groups.missing as f64 / height as f64
        },
        distinct: groups.distinct() as i64,
        top: (!top.is_empty()).then(|| top.join(", ")),
        min,
        max,
        note: remark::remark(column, info.kind, groups),
    })
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
