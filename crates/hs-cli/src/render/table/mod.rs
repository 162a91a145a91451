//! A result in full, as aligned columns.

mod fold;

use hs_core::op::montre::cell;
use hs_core::{ColumnInfo, Kind, Table, text};
use polars::prelude::AnyValue;

use super::paint::{BOLD, DIM, end_line, push_cell, push_spaces};
use super::rows::each_row;

/// Spaces between columns.
const GAP: usize = 2;
/// How far a text below a row is set in.
const BELOW: usize = 4;
/// Cells are never wider than this; the three values of decris' `top` just fit.
const WIDE: usize = 160;

/// Every row of a result; missing is an empty cell, and text is in quotes only where it would not
/// be seen otherwise. Float columns named in `shares` are shown as percentages; texts in columns named in
/// `words` are not the user's values, and get no quotes.
///
/// A row is one line if `width` allows. Else its cells fold, at commas or spaces, and a text in the
/// last column, which is prose if it is long, stands below its row, with its name; only what still does
/// not fit is cut and marked with `...`.
pub fn table(table: &Table, shares: &[&str], words: &[&str], width: usize, colour: bool) -> String {
    let is_share =
        |info: &ColumnInfo| info.kind == Kind::Float && shares.contains(&info.name.as_str());
    let columns = table.columns();
    let mut rows: Vec<Vec<String>> = Vec::with_capacity(table.height());
    let collected: Result<(), std::convert::Infallible> = each_row(table.frame(), |row| {
        let cells = row.iter().zip(columns).map(|(value, info)| match value {
            AnyValue::Float64(share) if is_share(info) => text::percent(*share),
            AnyValue::String(text) if words.contains(&info.name.as_str()) => cell::cut(text, WIDE),
            value => cell::plain(value, WIDE),
        });
        rows.push(cells.collect());
        Ok(())
    });
    let Ok(()) = collected;
    let mut names: Vec<String> = columns
        .iter()
        .map(|info| cell::name(&info.name, WIDE))
        .collect();
    let gaps = GAP * columns.len().saturating_sub(1);
    let natural: usize = fold::widths(&names, &rows).iter().sum();
    let prose = columns.len() > 2 && columns.last().is_some_and(|info| info.kind == Kind::Text);
    let below = prose && natural.saturating_add(gaps) > width;
    let mut notes: Vec<String> = Vec::new();
    let mut label = String::new();
    if below {
        label = names.pop().unwrap_or_default();
        notes.extend(rows.iter_mut().filter_map(Vec::pop));
    }
    let gaps = GAP * names.len().saturating_sub(1);
    let widths = fold::fitted(&names, &rows, width.saturating_sub(gaps));
    let right: Vec<bool> = columns
        .iter()
        .map(|info| matches!(info.kind, Kind::Int | Kind::Float | Kind::Decimal))
        .collect();
    let mut out = String::new();
    push_row(&mut out, &names, &widths, &right, colour.then_some(BOLD));
    for (number, row) in rows.iter().enumerate() {
        push_row(&mut out, row, &widths, &right, None);
        let note = notes.get(number).map_or("", String::as_str);
        if !note.is_empty() {
            push_below(&mut out, &format!("{label}: {note}"), width, colour);
        }
    }
    out
}

/// Appends a row: as many lines as its cells need.
fn push_row(
    out: &mut String,
    cells: &[String],
    widths: &[usize],
    right: &[bool],
    style: Option<&str>,
) {
    let folded: Vec<Vec<String>> = cells
        .iter()
        .zip(widths)
        .map(|(text, width)| fold::folded(text, *width))
        .collect();
    let lines = folded.iter().map(Vec::len).max().unwrap_or(0);
    for line in 0..lines {
        for (index, cell) in folded.iter().enumerate() {
            if index > 0 {
                push_spaces(out, GAP);
            }
            let text = cell.get(line).map_or("", String::as_str);
            push_cell(out, text, widths[index], right[index], style);
        }
        end_line(out);
    }
}

/// Appends what stands below a row, set in.
fn push_below(out: &mut String, text: &str, width: usize, colour: bool) {
    let room = width.saturating_sub(BELOW).max(BELOW);
    for line in fold::folded(text, room) {
        push_spaces(out, BELOW);
        push_cell(out, &line, 0, false, colour.then_some(DIM));
        end_line(out);
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
            table(&result, &["missing"], &["note"], 40, false),
            "column  missing  top\n\
             id       25.0 %  25001 (1), 25002 (1),\n\
             \u{20}                25003 (1)\n\
             \u{20}   note: unique, numbers as text\n\
             long     <0.1 %\n"
        );
        assert!(table(&result, &[], &[], usize::MAX, false).contains(top));
    }
}
