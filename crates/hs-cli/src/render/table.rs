//! A result in full, as aligned columns.

use std::borrow::Cow;

use hs_core::op::montre::cell;
use hs_core::{ColumnInfo, Kind, Table};
use polars::prelude::{AnyValue, Column};

use super::paint::{BOLD, end_line, push_cell, push_spaces};
use super::rows::each_row;

/// Spaces between columns.
const GAP: usize = 2;
/// Cells are never cut below this width to make a line fit.
const NARROW: usize = 16;
/// Cells are never wider than this.
const WIDE: usize = 60;

/// Every row of a result; missing is an empty cell, and text is in quotes only where it would not
/// be seen otherwise. Float columns named in `shares` are shown as percentages.
///
/// Wide cells are cut, with the length of what was cut, so that lines fit into `width` where
/// possible.
pub fn table(table: &Table, shares: &[&str], width: usize, colour: bool) -> String {
    let is_share =
        |info: &ColumnInfo| info.kind == Kind::Float && shares.contains(&info.name.as_str());
    let columns = table.columns();
    let mut rows: Vec<Vec<String>> = Vec::with_capacity(table.height());
    let collected: Result<(), std::convert::Infallible> =
        each_row(&[table.frame().clone()], |row| {
            let cells = row.iter().zip(columns).map(|(value, info)| match value {
                AnyValue::Float64(share) if is_share(info) => percent(*share),
                value => cell::plain(value, WIDE),
            });
            rows.push(cells.collect());
            Ok(())
        });
    match collected {
        Ok(()) => {}
    }
    let names: Vec<String> = columns
        .iter()
        .map(|info| cell::name(&info.name, WIDE))
        .collect();
    let widths = fitted(&names, &rows, table.frame().columns(), width);
    let mut out = String::new();
    let mut line = |cells: &[String], style: Option<&str>| {
        for (index, text) in cells.iter().enumerate() {
            if index > 0 {
                push_spaces(&mut out, GAP);
            }
            let right = matches!(columns[index].kind, Kind::Int | Kind::Float | Kind::Decimal);
            push_cell(
                &mut out,
                &clipped(text, widths[index]),
                widths[index],
                right,
                style,
            );
        }
        end_line(&mut out);
    };
    line(&names, colour.then_some(BOLD));
    for row in &rows {
        line(row, None);
    }
    out
}

/// Widths of the columns: as wide as their cells, then the widest narrowed until the line fits.
fn fitted(names: &[String], rows: &[Vec<String>], columns: &[Column], width: usize) -> Vec<usize> {
    let mut widths: Vec<usize> = names.iter().map(|name| cell::width(name)).collect();
    for row in rows {
        for (width, text) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell::width(text));
        }
    }
    let gaps = GAP * columns.len().saturating_sub(1);
    let mut over = (widths.iter().sum::<usize>() + gaps).saturating_sub(width);
    while over > 0 {
        // The first column says what the row is about: it is the last to be narrowed.
        let widest = (0..widths.len())
            .filter(|index| widths[*index] > NARROW)
            .max_by_key(|index| if *index == 0 { NARROW } else { widths[*index] });
        let Some(widest) = widest else {
            break;
        };
        widths[widest] -= 1;
        over -= 1;
    }
    widths
}

/// The front of a text that does not fit, marked as cut.
fn clipped(text: &str, width: usize) -> Cow<'_, str> {
    if cell::width(text) <= width {
        return Cow::Borrowed(text);
    }
    let mut front = String::new();
    for letter in text.chars() {
        front.push(letter);
        if cell::width(&front) + 3 > width {
            front.pop();
            break;
        }
    }
    Cow::Owned(front + "...")
}

/// A share as a percentage with one decimal; never 0 or 100 unless it is exactly that.
fn percent(share: f64) -> String {
    if share == 0.0 {
        "0 %".to_owned()
    } else if share > 0.0 && share < 0.0005 {
        "<0.1 %".to_owned()
    } else if share < 1.0 && share >= 0.9995 {
        ">99.9 %".to_owned()
    } else if share == 1.0 {
        "100 %".to_owned()
    } else {
        format!("{:.1} %", share * 100.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use polars::prelude::DataFrame;

    #[test]
    fn a_result_is_aligned_and_cut_to_the_width() {
        let frame = DataFrame::new(
            2,
            vec![
                Column::new("column".into(), ["id", "long"]),
                Column::new("missing".into(), [0.25, 1e-9]),
                Column::new("top".into(), [Some("x".repeat(50)), None]),
            ],
        );
        let result = Table::new(frame.unwrap());
        assert_eq!(
            table(&result, &["missing"], 40, false),
            "column  missing  top\n\
             id       25.0 %  xxxxxxxxxxxxxxxxxxxx...\n\
             long     <0.1 %\n"
        );
    }

    #[test]
    fn shares_are_never_rounded_to_none_or_all() {
        let shown = [0.0, 0.0001, 0.124, 0.9999, 1.0].map(percent);
        assert_eq!(shown, ["0 %", "<0.1 %", "12.4 %", ">99.9 %", "100 %"]);
    }
}
