//! What this server keeps between calls: whether there is a session yet, and cells that went on when their call was over.

use super::link::Answers;

/// What is kept between calls.
#[derive(Debug, Default)]
pub struct Memory {
    /// A session was asked for. The first cell does so: a server that nobody uses holds no kernel.
    pub opened: bool,
    /// Cells that went on, the oldest first.
    pub left: Vec<Left>,
}

/// A cell that went on when its call was over.
#[derive(Debug)]
pub struct Left {
    /// Its code, cut to a line.
    pub code: String,
    /// Where its result comes.
    pub answers: Answers,
}

/// Letters of code that a line shows.
const SHOWN: usize = 60;

/// The first line of code that says something, cut.
pub fn first_line(code: &str) -> String {
    let mut lines = code
        .lines()
        .map(str::trim_end)
        .filter(|line| !line.is_empty());
    let line = lines.next().unwrap_or_default();
    let mut shown: String = line.chars().take(SHOWN).collect();
    if shown.len() < line.len() || lines.next().is_some() {
        shown.push_str("...");
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_named_by_its_first_line() {
        assert_eq!(first_line("\n\nx = 1\n"), "x = 1");
        assert_eq!(first_line("x = 1\ny = 2"), "x = 1...");
        let long = "é".repeat(61);
        assert_eq!(first_line(&long), format!("{}...", "é".repeat(60)));
        assert_eq!(first_line(""), "");
    }
}
