//! A view on a screen: blocks of columns as wide as the screen, within a budget of characters.

use std::ops::Range;

use hs_core::op::montre::{Field, View, cell};
use hs_core::text;

use super::paint::{BOLD, DIM, end_line, push, push_cell, push_spaces};

/// Characters that a view takes at most, colours not counted.
pub const BUDGET: usize = 6000;
/// Columns laid out side by side; the others are listed with one value each.
const SIDE_BY_SIDE: usize = 30;
/// Spaces between columns.
const GAP: usize = 2;
/// Widths of the cells in the list of the other columns.
const LISTED: usize = 40;

/// Lays a view out in lines of `width` terminal cells. Fewer rows are shown when the columns are
/// many or wide, so that the whole stays within [`BUDGET`] characters.
pub fn view(view: &View, width: usize, colour: bool) -> String {
    let mut view = view.clone();
    loop {
        let plain = laid_out(&view, width, SIDE_BY_SIDE, LISTED, false);
        let size = plain.chars().count();
        if size <= BUDGET {
            return if colour {
                laid_out(&view, width, SIDE_BY_SIDE, LISTED, true)
            } else {
                plain
            };
        }
        let rows = view.shown.len();
        if rows <= 2 {
            break;
        }
        // At least one row less, at most as many as the budget hints at.
        view = view.shrunk((rows * BUDGET / size).clamp(2, rows - 1));
    }
    // Too many columns even for two rows: list them all, briefly, and hide the middle ones at last.
    let listed = [LISTED, 12]
        .into_iter()
        .map(|most| laid_out(&view, width, 0, most, colour))
        .find(|text| visible(text) <= BUDGET);
    listed.unwrap_or_else(|| {
        let size = visible(&laid_out(&view, width, 0, 12, false));
        let mut kept = (view.columns() * BUDGET / size.max(1)).max(2);
        loop {
            let text = listed_in_part(&view, kept, colour);
            if visible(&text) <= BUDGET || kept <= 2 {
                return text;
            }
            kept -= (kept / 10).max(1);
        }
    })
}

fn visible(text: &str) -> usize {
    let escapes = text.matches('\u{1b}').count();
    // Every style is four characters on, four off.
    text.chars().count() - escapes * 4
}

fn headline(view: &View) -> String {
    format!(
        "{} x {}, {}{}\n",
        text::counted(view.rows as u64, "row"),
        text::counted(view.columns() as u64, "column"),
        if view.more { "more than " } else { "" },
        memory(view.bytes)
    )
}

fn memory(bytes: usize) -> String {
    let mut size = bytes as f64;
    if bytes < 1000 {
        return format!("{bytes} bytes");
    }
    for unit in ["KB", "MB", "GB"] {
        size /= 1000.0;
        if size < 999.95 {
            return format!("{size:.1} {unit}");
        }
    }
    format!("{:.1} TB", size / 1000.0)
}

/// What is hidden, by name: `rows 20 to 1,183 hidden`.
pub fn hidden_line(what: &str, range: &Range<usize>) -> String {
    let (first, last) = (range.start as u64, range.end as u64 - 1);
    if first == last {
        format!("{what} {} hidden", text::count(first))
    } else {
        let (first, last) = (text::count(first), text::count(last));
        format!("{what}s {first} to {last} hidden")
    }
}

fn laid_out(view: &View, width: usize, beside: usize, listed: usize, colour: bool) -> String {
    let mut out = headline(view);
    let (beside, others) = view.fields.split_at(beside.min(view.fields.len()));
    let numbers: Vec<String> = view.shown.iter().map(usize::to_string).collect();
    let margin = numbers.iter().map(String::len).max().unwrap_or(0);
    let mut start = 0;
    while start < beside.len() {
        let mut used = margin;
        let mut end = start;
        while end < beside.len() {
            used += GAP + field_width(&beside[end]);
            if used > width && end > start {
                break;
            }
            end += 1;
        }
        if start > 0 {
            out.push('\n');
        }
        block(
            &mut out,
            view,
            &beside[start..end],
            &numbers,
            margin,
            colour,
        );
        start = end;
    }
    if !others.is_empty() {
        if !beside.is_empty() {
            out.push('\n');
        }
        list(&mut out, others, listed, colour);
    }
    out
}

fn field_width(field: &Field) -> usize {
    let cells = field.cells.iter().map(|cell| cell::width(&cell.text));
    cells
        .max()
        .unwrap_or(0)
        .max(cell::width(&field.name))
        .max(field.word.len())
}

fn block(
    out: &mut String,
    view: &View,
    fields: &[Field],
    numbers: &[String],
    margin: usize,
    colour: bool,
) {
    let bold = colour.then_some(BOLD);
    let dim = colour.then_some(DIM);
    let widths: Vec<usize> = fields.iter().map(field_width).collect();
    let name: fn(&Field) -> &str = |field| &field.name;
    let word: fn(&Field) -> &str = |field| field.word;
    let heads = [(name, bold), (word, dim)];
    for (text, style) in heads {
        push_spaces(out, margin);
        for (field, width) in fields.iter().zip(&widths) {
            push_spaces(out, GAP);
            push_cell(out, text(field), *width, field.number, style);
        }
        end_line(out);
    }
    let hidden = |out: &mut String| {
        let line = format!("... {}", hidden_line("row", &view.hidden));
        push(out, &line, dim);
        out.push('\n');
    };
    // With no row shown, all are hidden from the first on.
    let gap = (!view.hidden.is_empty()).then_some(view.hidden.start);
    for (index, row) in view.shown.iter().enumerate() {
        if gap.is_some_and(|gap| index == gap) {
            hidden(out);
        }
        push_cell(out, &numbers[index], margin, true, dim);
        for (field, width) in fields.iter().zip(&widths) {
            let cell = &field.cells[index];
            push_spaces(out, GAP);
            let style = dim.filter(|_| cell.missing);
            push_cell(out, &cell.text, *width, field.number, style);
        }
        end_line(out);
        debug_assert!(*row < view.rows);
    }
    if gap.is_some_and(|gap| gap >= view.shown.len()) {
        hidden(out);
    }
}

/// Columns below each other: name, type, and the first value that is not missing.
fn list(out: &mut String, fields: &[Field], most: usize, colour: bool) {
    let names: Vec<String> = fields
        .iter()
        .map(|field| cell::cut(&field.name, most))
        .collect();
    let name_width = names
        .iter()
        .map(|name| cell::width(name))
        .max()
        .unwrap_or(0);
    let word_width = fields
        .iter()
        .map(|field| field.word.len())
        .max()
        .unwrap_or(0);
    let dim = colour.then_some(DIM);
    for (field, name) in fields.iter().zip(&names) {
        push_cell(out, name, name_width, false, colour.then_some(BOLD));
        push_spaces(out, GAP);
        push_cell(out, field.word, word_width, false, dim);
        let present = field.cells.iter().find(|cell| !cell.missing);
        if let Some(cell) = present.or(field.cells.first()) {
            push_spaces(out, GAP);
            let style = dim.filter(|_| cell.missing);
            push(out, &cell::cut(&cell.text, most), style);
        }
        end_line(out);
    }
}

/// The first and last `kept` columns in a list, with those between named by their positions.
fn listed_in_part(view: &View, kept: usize, colour: bool) -> String {
    let mut out = headline(view);
    let (head, tail) = (kept.div_ceil(2), view.columns() - kept / 2);
    list(&mut out, &view.fields[..head], 12, colour);
    let line = format!("... {}", hidden_line("column", &(head..tail)));
    push(&mut out, &line, colour.then_some(DIM));
    out.push('\n');
    list(&mut out, &view.fields[tail..], 12, colour);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use hs_core::Table;
    use hs_core::op::montre::{MontreOptions, montre};
    use polars::prelude::{Column, DataFrame};

    fn shown(columns: Vec<Column>, n: usize, width: usize) -> String {
        let height = columns.first().map_or(0, Column::len);
        let table = Table::new(DataFrame::new(height, columns).unwrap());
        let text = view(&montre(&table, MontreOptions { n }), width, false);
        // The estimate of memory is not ours to fix in a test.
        let (head, rest) = text.split_once('\n').unwrap();
        let (size, _) = head.rsplit_once(", ").unwrap();
        format!("{size}\n{rest}")
    }

    #[test]
    fn head_tail_types_and_the_hidden_range() {
        let columns = vec![
            Column::new("id".into(), (0..1200i64).collect::<Vec<_>>()),
            Column::new("code".into(), vec!["00042"; 1200]),
            Column::new("名前".into(), vec![Some("東京"); 1200]),
        ];
        assert_eq!(
            shown(columns, 3, 80),
            "1,200 rows x 3 columns\n\
             \u{20}       id  code     名前\n\
             \u{20}      int  text     text\n\
             \u{20}  0     0  \"00042\"  東京\n\
             \u{20}  1     1  \"00042\"  東京\n\
             ... rows 2 to 1,198 hidden\n\
             1199  1199  \"00042\"  東京\n"
        );
    }

    #[test]
    fn columns_wrap_in_blocks_and_none_is_lost() {
        let columns = (0..6)
            .map(|index| Column::new(format!("column{index}").into(), ["a long value"]))
            .collect();
        let text = shown(columns, 40, 40);
        assert!(text.lines().all(|line| line.len() <= 40), "{text}");
        assert_eq!(text.matches("column").count(), 7);
        assert_eq!(text.matches("\n\n").count(), 2);
    }

    #[test]
    fn the_budget_holds_for_every_shape() {
        for (columns, rows, length) in [
            (1, 5000, 5),
            (12, 500, 30),
            (30, 50, 400),
            (31, 9, 400),
            (300, 9, 9),
            (5000, 3, 50),
        ] {
            let value = "x".repeat(length);
            let table = (0..columns)
                .map(|index| {
                    let name = format!("a rather long name {index}");
                    Column::new(name.into(), vec![value.as_str(); rows])
                })
                .collect();
            let text = shown(table, 40, 100);
            assert!(
                text.chars().count() <= BUDGET,
                "{columns} x {rows}: {}",
                text.len()
            );
            assert!(text.contains("a rather lon"), "{text}");
        }
    }

    #[test]
    fn no_rows_and_no_columns() {
        assert_eq!(shown(vec![], 40, 80), "0 rows x 0 columns\n");
        let none: [i64; 0] = [];
        assert_eq!(
            shown(vec![Column::new("a".into(), none)], 40, 80),
            "0 rows x 1 column\n    a\n  int\n"
        );
        let ten: Vec<i64> = (0..10).collect();
        assert!(
            shown(vec![Column::new("a".into(), ten)], 0, 80).ends_with("... rows 0 to 9 hidden\n")
        );
    }
}
