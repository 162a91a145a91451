//! Colours and widths of text on a terminal.

use hs_core::op::montre::cell;

/// Column names.
pub const BOLD: &str = "\u{1b}[1m";
/// What is not data: types, row numbers, missing values.
pub const DIM: &str = "\u{1b}[2m";

/// Appends `text` in a style; the style ends with it.
pub fn push(out: &mut String, text: &str, style: Option<&str>) {
    match style.filter(|_| !text.is_empty()) {
        None => out.push_str(text),
        Some(style) => out.extend([style, text, "\u{1b}[0m"]),
    }
}

/// Appends `text` in a column of `width` terminal cells.
pub fn push_cell(out: &mut String, text: &str, width: usize, right: bool, style: Option<&str>) {
    let room = width.saturating_sub(cell::width(text));
    if right {
        push_spaces(out, room);
    }
    push(out, text, style);
    if !right {
        push_spaces(out, room);
    }
}

/// Appends spaces.
pub fn push_spaces(out: &mut String, count: usize) {
    out.extend(std::iter::repeat_n(' ', count));
}

/// Ends the line: takes the spaces at its end away.
pub fn end_line(out: &mut String) {
    out.truncate(out.trim_end_matches(' ').len());
    out.push('\n');
}
