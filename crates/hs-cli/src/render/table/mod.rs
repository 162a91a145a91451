//! A result in full, as aligned columns.

mod fold;

use hs_core::op::montre::cell;
use hs_core::{ColumnInfo, Kind, Table};
use polars::prelude::AnyValue;

use super::paint::{BOLD, end_line, push_cell, push_spaces};
use super::rows::each_row;

/// Spaces between columns.
const GAP: usize = 2;
/// Cells are never wider than this; the three values of decris' `top` just fit.
const WIDE: usize = 160;

/// Every row of a result; missing is an empty cell, and text is in quotes only where it would not
/// be seen otherwise. Float columns named in `shares` are shown as percentages.
///
/// A row is one line as a rule: cells that are too wide for `width` are cut and marked with `...`,
/// behind a comma where there is one. Only the last cell wraps, since it is prose if it is long.
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
    let Ok(()) = collected;
    let names: Vec<String> = columns
        .iter()
        .map(|info| cell::name(&info.name, WIDE))
        .collect();
    let gaps = GAP * columns.len().saturating_sub(1);
    let widths = fold::fitted(&names, &rows, width.saturating_sub(gaps));
    let right: Vec<bool> = columns
        .iter()
        .map(|info| matches!(info.kind, Kind::Int | Kind::Float | Kind::Decimal))
        .collect();
    let mut out = String::new();
    push_row(&mut out, &names, &widths, &right, colour.then_some(BOLD));
    for row in &rows {
        push_row(&mut out, row, &widths, &right, None);
    }
    out
}

/// Appends a row: as many lines as its last cell needs.
fn push_row(
    out: &mut String,
    cells: &[String],
    widths: &[usize],
    right: &[bool],
    style: Option<&str>,
) {
    let Some(last) = cells.len().checked_sub(1) else {
        return;
    };
    for (number, line) in fold::folded(&cells[last], widths[last]).iter().enumerate() {
        for (index, text) in cells[..last].iter().enumerate() {
            let text = fold::clipped(if number == 0 { text } else { "" }, widths[index]);
            push_cell(out, &text, widths[index], right[index], style);
            push_spaces(out, GAP);
        }
        push_cell(out, line, widths[last], right[last], style);
        end_line(out);
    }
}

/// A share as a percentage with one decimal; never 0 or 100 unless it is exactly that.
fn percent(share: f64) -> String {
    if share <= 0.0 {
        "0 %".to_owned()
    } else if share < 0.0005 {
        "<0.1 %".to_owned()
    } else if share >= 1.0 {
        "100 %".to_owned()
    } else if share >= 0.9995 {
        ">99.9 %".to_owned()
    } else {
        format!("{:.1} %", share * 100.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use polars::prelude::{Column, DataFrame};

    #[test]
    fn a_result_is_aligned_and_narrowed_to_the_width() {
        let top = "25001 (1), 25002 (1), 25003 (1)";
        let frame = DataFrame::new(
            2,
            vec![
                Column::new("column".into(), ["id", "long"]),
                Column::new("missing".into(), [0.25, 1e-9]),
                Column::new("top".into(), [Some(top), None]),
                Column::new("note".into(), ["unique, numbers as text", ""]),
            ],
        );
        let result = Table::new(frame.unwrap());
        assert_eq!(
            table(&result, &["missing"], 52, false),
            "column  missing  top               note\n\
             id       25.0 %  25001 (1), ...    unique,\n\
             \u{20}                                  numbers as text\n\
             long     <0.1 %                    \"\"\n"
        );
        assert!(table(&result, &[], usize::MAX, false).contains(top));
    }

    #[test]
    fn shares_are_never_rounded_to_none_or_all() {
        let shown = [0.0, 0.0001, 0.124, 0.9999, 1.0].map(percent);
        assert_eq!(shown, ["0 %", "<0.1 %", "12.4 %", ">99.9 %", "100 %"]);
    }
}
