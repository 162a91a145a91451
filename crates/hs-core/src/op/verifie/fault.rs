//! Errors in a condition: what was expected and found, with the place under the text.

use std::ops::Range;

use crate::error::{Error, ErrorKind};

/// Characters of a condition that an error shows.
const SHOWN: usize = 96;

/// An error at these characters of a condition.
pub fn at(kind: ErrorKind, text: &str, at: &Range<usize>, message: &str) -> Error {
    let (shown, before) = line(text, at.start);
    let room = shown.chars().count().saturating_sub(before);
    let marks = at.len().clamp(1, room.max(1));
    let message = format!(
        "{message}\n  {shown}\n  {}{}",
        " ".repeat(width(&shown, before)),
        "^".repeat(width_of(&shown, before, marks))
    );
    Error::new(kind, message)
}

/// The line that holds a character, cut around it, and how many of its characters stand before.
fn line(text: &str, at: usize) -> (String, usize) {
    let letters: Vec<char> = text.chars().collect();
    let at = at.min(letters.len());
    let start = letters[..at]
        .iter()
        .rposition(|letter| *letter == '\n')
        .map_or(0, |place| place + 1);
    let end = letters[at..]
        .iter()
        .position(|letter| *letter == '\n')
        .map_or(letters.len(), |place| at + place);
    let from = start.max(at.saturating_sub(SHOWN / 2));
    let to = end.min(from + SHOWN);
    let lead = if from > start { "..." } else { "" };
    let tail = if to < end { "..." } else { "" };
    // A tab would move the marks away from what they mark.
    let part: String = letters[from..to]
        .iter()
        .map(|letter| if letter.is_control() { ' ' } else { *letter })
        .collect();
    (format!("{lead}{part}{tail}"), lead.len() + at - from)
}

fn width(shown: &str, characters: usize) -> usize {
    width_of(shown, 0, characters)
}

/// Terminal cells of some characters; a place behind the end takes one each.
fn width_of(shown: &str, from: usize, characters: usize) -> usize {
    use unicode_width::UnicodeWidthChar;
    let inside: Vec<char> = shown.chars().skip(from).take(characters).collect();
    let cells: usize = inside
        .iter()
        .map(|letter| letter.width().unwrap_or(1))
        .sum();
    cells + characters - inside.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str, range: Range<usize>) -> String {
        at(ErrorKind::Argument, text, &range, "wrong")
            .message()
            .to_owned()
    }

    #[test]
    fn the_place_is_marked() {
        assert_eq!(message("a > )", 4..5), "wrong\n  a > )\n      ^");
        assert_eq!(message("a >", 3..4), "wrong\n  a >\n     ^");
        assert_eq!(message("東 > bb", 4..6), "wrong\n  東 > bb\n       ^^");
        assert_eq!(message("a >\n b c", 5..6), "wrong\n   b c\n   ^");
        let long = message(&format!("{} )", "a OR ".repeat(100)), 501..502);
        assert!(
            long.lines().all(|line| line.chars().count() < 110),
            "{long}"
        );
        assert!(long.lines().nth(1).unwrap().starts_with("  ..."));
    }
}
