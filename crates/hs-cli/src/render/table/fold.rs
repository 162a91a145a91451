//! How the cells of a result are brought to a width: narrowed, folded, and cut where that is not enough.

use std::borrow::Cow;
use std::cmp::Reverse;

use hs_core::op::montre::cell;

/// What marks a cut.
const MARK: &str = "...";
/// Widths that columns are not narrowed below, tried in this order until the line fits.
const FLOORS: [usize; 4] = [16, 12, 10, 8];

/// Widths of columns as wide as their texts.
pub fn widths(names: &[String], rows: &[Vec<String>]) -> Vec<usize> {
    let mut widths: Vec<usize> = names.iter().map(|name| cell::width(name)).collect();
    for row in rows {
        for (width, text) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell::width(text));
        }
    }
    widths
}

/// Widths of columns that together take at most `room` cells, if that can be: as wide as their
/// texts, then the widest narrowed. The first column says what a row is about and gives way after
/// the others.
pub fn fitted(names: &[String], rows: &[Vec<String>], room: usize) -> Vec<usize> {
    let mut widths = widths(names, rows);
    for floor in FLOORS {
        let mut over = widths.iter().sum::<usize>().saturating_sub(room);
        while over > 0 {
            let gives = |index: &usize| match *index {
                0 => widths[0] > 2 * floor,
                index => widths[index] > floor,
            };
            let candidates = (0..widths.len()).filter(gives);
            let Some(index) = candidates.min_by_key(|index| Reverse(widths[*index])) else {
                break;
            };
            widths[index] -= 1;
            over -= 1;
        }
    }
    widths
}

/// The lines of a text in a column; at least one. Breaks at commas where that is enough, else at
/// spaces; a word that does not fit is cut.
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
    let clip = |line: String| clipped(line.trim_end_matches(' '), width).into_owned();
    lines.into_iter().map(clip).collect()
}

/// The front of a text that does not fit, marked as cut; behind a comma if that keeps a third.
fn clipped(text: &str, width: usize) -> Cow<'_, str> {
    if cell::width(text) <= width {
        return Cow::Borrowed(text);
    }
    let mut end = 0;
    for (index, letter) in text.char_indices() {
        let next = index + letter.len_utf8();
        if cell::width(&text[..next]) + MARK.len() > width {
            break;
        }
        end = next;
    }
    let front = &text[..end];
    let comma = front.rfind(", ").map(|comma| &front[..comma + 2]);
    let front = comma
        .filter(|front| 3 * cell::width(front) >= width)
        .unwrap_or(front);
    Cow::Owned(format!("{front}{MARK}"))
}

/// The parts of a text between commas, each with the comma and the space behind it.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let end = rest.find(", ").map_or(rest.len(), |comma| comma + 2);
        let (part, others) = rest.split_at(end);
        rest = others;
        (!part.is_empty()).then_some(part)
    })
}

fn trimmed_width(text: &str) -> usize {
    cell::width(text.trim_end_matches(' '))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_folds_at_commas_then_at_spaces() {
        let note = "unique, codes with leading zeros";
        assert_eq!(folded(note, 40), [note]);
        assert_eq!(folded(note, 24), ["unique,", "codes with leading zeros"]);
        assert_eq!(
            folded(note, 12),
            ["unique,", "codes with", "leading", "zeros"]
        );
        assert_eq!(folded("", 8), [""]);
    }

    #[test]
    fn text_is_cut_behind_a_comma() {
        assert_eq!(clipped("25001 (1), 25002 (1)", 16), "25001 (1), ...");
        assert_eq!(clipped("a, bcdefghijklmnopq", 12), "a, bcdefg...");
        assert_eq!(clipped("東京都千代田区", 9), "東京都...");
        assert_eq!(clipped("short", 5), "short");
    }

    #[test]
    fn the_widest_gives_way_but_the_first_comes_last() {
        let text = |width: usize| "x".repeat(width);
        let names = vec![text(4); 4];
        let rows = [vec![
            text(20),
            text(30),
            text(18),
            "aaaa aaaa aaaa aaaa, bb".into(),
        ]];
        assert_eq!(fitted(&names, &rows, 100), [20, 30, 18, 23]);
        assert_eq!(fitted(&names, &rows, 80), [20, 21, 18, 21]);
        assert_eq!(fitted(&names, &rows, 68), [20, 16, 16, 16]);
        assert_eq!(fitted(&names, &rows, 20), [16, 8, 8, 8]);
    }
}
