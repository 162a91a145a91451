//! The text of a cell as it stands on a screen in the end: carriage returns overwrite their line, backspaces take letters
//! back, cleared output is gone. In memory never more than [`MOST`].

use super::escapes::Escapes;

/// Output beyond this ends the cell.
pub const FLOOD: usize = 1 << 20;
/// What is kept of the output of a cell that goes on printing after it was told to stop.
const MOST: usize = 4 << 20;

/// The text of a cell.
#[derive(Clone, Debug, Default)]
pub struct Text {
    escapes: Escapes,
    shown: String,
    /// Where the last line begins.
    line: usize,
    /// A carriage return was the last thing: the next letter begins the line anew.
    returned: bool,
    /// The next piece takes the place of all before it.
    clear_next: bool,
    /// How much was printed in all, also what was overwritten.
    printed: usize,
    /// Bytes that did not fit into memory any more.
    dropped: u64,
}

impl Text {
    /// Adds a piece; gives it back without terminal sequences.
    pub fn push(&mut self, piece: &str) -> String {
        let clean = self.escapes.strip(piece);
        if clean.is_empty() {
            return clean;
        }
        if std::mem::take(&mut self.clear_next) {
            self.clear_now();
        }
        self.printed += clean.len();
        for letter in clean.chars() {
            // What is kept is the beginning, whole; nothing is put behind a gap.
            if self.dropped > 0 || self.shown.len() + letter.len_utf8() > MOST {
                self.dropped += letter.len_utf8() as u64;
                continue;
            }
            match letter {
                '\r' => self.returned = true,
                '\n' => {
                    self.returned = false;
                    self.shown.push('\n');
                    self.line = self.shown.len();
                }
                '\u{8}' => {
                    if self.shown.len() > self.line {
                        self.shown.pop();
                    }
                }
                letter => {
                    if std::mem::take(&mut self.returned) {
                        self.shown.truncate(self.line);
                    }
                    self.shown.push(letter);
                }
            }
        }
        clean
    }

    /// Adds a piece that stands on lines of its own, as results and tracebacks do.
    pub fn push_lines(&mut self, piece: &str) -> String {
        let mut whole = String::new();
        if self.shown.len() > self.line && !self.clear_next {
            whole.push('\n');
        }
        whole.push_str(piece.trim_end_matches('\n'));
        whole.push('\n');
        self.push(&whole)
    }

    /// Takes all text away, now or when the next piece comes.
    pub fn clear(&mut self, wait: bool) {
        if wait {
            self.clear_next = true;
        } else {
            self.clear_now();
        }
    }

    fn clear_now(&mut self) {
        self.shown.clear();
        self.line = 0;
        self.returned = false;
        self.clear_next = false;
    }

    /// What stands there.
    pub fn as_str(&self) -> &str {
        &self.shown
    }

    /// Whether so much was printed that the cell must end.
    pub fn floods(&self) -> bool {
        self.printed > FLOOD
    }

    /// Bytes that came after memory was full.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pieces: &[&str]) -> String {
        let mut text = Text::default();
        for piece in pieces {
            text.push(piece);
        }
        text.as_str().to_owned()
    }

    #[test]
    fn a_progress_bar_leaves_its_last_state() {
        assert_eq!(
            of(&["\r 10 %", "\r 50 %", "\r100 %", "\n", "done\n"]),
            "100 %\ndone\n"
        );
        assert_eq!(of(&["10 %\r", "20 %\r", "30 %\r"]), "30 %\r".trim_end());
        assert_eq!(of(&["a\r\n", "b\r", "\n"]), "a\nb\n");
        assert_eq!(of(&["abc\u{8}\u{8}x", "\n\u{8}y"]), "ax\ny");
    }

    #[test]
    fn cleared_output_is_gone_when_it_should_be() {
        let mut text = Text::default();
        text.push("a\n");
        text.clear(true);
        assert_eq!(text.as_str(), "a\n");
        text.push("b");
        assert_eq!(text.as_str(), "b");
        text.clear(false);
        assert_eq!(text.as_str(), "");
    }

    #[test]
    fn results_begin_on_a_line_of_their_own() {
        let mut text = Text::default();
        text.push("no line end");
        text.push_lines("42");
        text.push_lines("43\n");
        assert_eq!(text.as_str(), "no line end\n42\n43\n");
    }

    #[test]
    fn memory_stays_flat_and_what_is_dropped_is_counted() {
        let mut text = Text::default();
        let piece = "x".repeat(99_999) + "\n";
        for _ in 0..200 {
            text.push(&piece);
        }
        assert!(text.floods() && text.as_str().len() <= MOST);
        assert_eq!(text.as_str().len() as u64 + text.dropped(), 20_000_000);
        // One piece that is too large by itself is kept as far as it goes.
        let mut large = Text::default();
        large.push(&"é".repeat(MOST));
        assert_eq!(large.as_str().len(), MOST);
        assert_eq!(large.dropped(), MOST as u64);
        // A bar that overwrites itself for ever floods, too.
        let mut bar = Text::default();
        for _ in 0..200_000 {
            bar.push("\r100 %");
        }
        assert!(bar.floods() && bar.as_str().len() == 5);
    }
}
