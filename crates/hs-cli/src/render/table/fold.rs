//! How text is folded into a column: at commas where that is enough, else at spaces, else cut.

use std::cmp::Reverse;

use hs_core::op::montre::cell;

/// A column is never narrowed below this for the sake of the line.
const NARROW: usize = 16;

/// Widths of columns that together take at most `room` cells, if that can be: as wide as their
/// texts, then the widest narrowed, first to their parts between commas, then to their words, then
/// to [`NARROW`].
pub fn fitted(names: &[String], rows: &[Vec<String>], room: usize) -> Vec<usize> {
    let widest = |measure: fn(&str) -> usize| -> Vec<usize> {
        let mut widths: Vec<usize> = names.iter().map(|name| measure(name)).collect();
        for row in rows {
            for (width, text) in widths.iter_mut().zip(row) {
                *width = (*width).max(measure(text));
            }
        }
        widths
    };
    let mut widths = widest(cell::width);
    let floors = [
        widest(|text| parts(text).map(trimmed_width).max().unwrap_or(0)),
        widest(|text| text.split(' ').map(cell::width).max().unwrap_or(0)),
        vec![NARROW; names.len()],
    ];
    for floor in floors {
        let mut over = widths.iter().sum::<usize>().saturating_sub(room);
        while over > 0 {
            let candidates = (0..widths.len()).filter(|index| widths[*index] > floor[*index]);
            let Some(index) = candidates.min_by_key(|index| Reverse(widths[*index])) else {
                break;
            };
            widths[index] -= 1;
            over -= 1;
        }
    }
    widths
}

/// The lines of a text in a column; at least one.
pub fn folded(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut add = |piece: &str| match lines.last_mut() {
        Some(line) if cell::width(line) + trimmed_width(piece) <= width => line.push_str(piece),
        _ => lines.push(piece.to_owned()),
    };
    for part in parts(text) {
        if trimmed_width(part) <= width {
            add(part);
        } else {
            part.split_inclusive(' ').for_each(&mut add);
        }
    }
    if lines.is_empty() {
        lines.push(String::new());
    }
    for line in &mut lines {
        line.truncate(line.trim_end_matches(' ').len());
        clip(line, width);
    }
    lines
}

/// The parts of a text between commas, each with the comma and the space behind it.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = rest.find(", ").map_or(rest.len(), |comma| comma + 2);
        let (part, others) = rest.split_at(end);
        rest = others;
        Some(part)
    })
}

fn trimmed_width(text: &str) -> usize {
    cell::width(text.trim_end_matches(' '))
}

/// Cuts a line that is too wide and marks it.
fn clip(line: &mut String, width: usize) {
    const MARK: &str = "...";
    if cell::width(line) <= width {
        return;
    }
    while cell::width(line) + MARK.len() > width && line.pop().is_some() {}
    line.push_str(MARK);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_then_spaces_then_a_cut() {
        let top = "2025-01-04 08:00:00 (1), DE (2)";
        assert_eq!(folded(top, 40), [top]);
        assert_eq!(folded(top, 24), ["2025-01-04 08:00:00 (1),", "DE (2)"]);
        assert_eq!(folded(top, 20), ["2025-01-04 08:00:00", "(1), DE (2)"]);
        assert_eq!(folded("abcdefghij", 8), ["abcde..."]);
        assert_eq!(folded("", 8), [""]);
    }

    #[test]
    fn the_widest_column_gives_way_first() {
        let text = |width: usize| "x".repeat(width);
        let names = [text(4), text(4), text(4)];
        let rows = [vec![text(8), "aaaa bbbb cccc dddd eeee".into(), text(20)]];
        assert_eq!(fitted(&names, &rows, 100), [8, 24, 20]);
        assert_eq!(fitted(&names, &rows, 40), [8, 12, 20]);
        assert_eq!(fitted(&names, &rows, 30), [8, 4, 18]);
        assert_eq!(fitted(&names, &rows, 10), [8, 4, 16]);
    }
}
