//! Lines out of pieces. One that is too long is told and passed over, never kept.

/// Bytes that a line may have: code with a file pasted into it is far below.
const LONGEST: usize = 64 << 20;

/// A line, or what is wrong with one.
#[derive(Debug, PartialEq, Eq)]
pub enum Line {
    /// What it says, without its end.
    Whole(String),
    /// It had more bytes than a line may have, or is no text: in words for its sender.
    Bad(&'static str),
}

impl Line {
    const NO_TEXT: &str = "expected a line of JSON in UTF-8, found bytes that are none";
    const TOO_LONG: &str =
        "expected a line of at most 64 MiB, found a longer one, which was passed over";
}

/// What is there of the next line.
#[derive(Debug, Default)]
pub struct Lines {
    begun: Vec<u8>,
    passing: bool,
}

impl Lines {
    /// The lines that end with this piece. Empty ones are left out.
    pub fn push(&mut self, mut piece: &[u8]) -> Vec<Line> {
        let mut lines = Vec::new();
        while let Some(end) = piece.iter().position(|byte| *byte == b'\n') {
            self.take(&piece[..end], &mut lines);
            piece = &piece[end + 1..];
            let whole = std::mem::take(&mut self.begun);
            if !std::mem::take(&mut self.passing) && !whole.trim_ascii().is_empty() {
                lines.push(String::from_utf8(whole).map_or(Line::Bad(Line::NO_TEXT), Line::Whole));
            }
        }
        self.take(piece, &mut lines);
        lines
    }

    /// The last line, when it came without an end.
    pub fn rest(&mut self) -> Option<Line> {
        self.push(b"\n").pop()
    }

    fn take(&mut self, piece: &[u8], lines: &mut Vec<Line>) {
        if self.passing {
            return;
        }
        if self.begun.len() + piece.len() > LONGEST {
            self.begun = Vec::new();
            self.passing = true;
            lines.push(Line::Bad(Line::TOO_LONG));
            return;
        }
        self.begun.extend_from_slice(piece);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(text: &str) -> Line {
        Line::Whole(text.to_owned())
    }

    #[test]
    fn pieces_become_lines() {
        let mut lines = Lines::default();
        assert_eq!(lines.push(b"a"), []);
        assert_eq!(lines.push(b"b\n\n  \r\nc\nd"), [whole("ab"), whole("c")]);
        assert_eq!(lines.rest(), Some(whole("d")));
        assert_eq!(lines.rest(), None);
        // Replaced, it could run as another program than was meant.
        assert_eq!(lines.push(b"\"\xff\"\n"), [Line::Bad(Line::NO_TEXT)]);
    }

    #[test]
    fn a_line_without_end_costs_no_memory() {
        let mut lines = Lines::default();
        let piece = vec![b'x'; 16 << 20];
        let mut told = 0;
        for _ in 0..20 {
            told += lines.push(&piece).len();
            assert!(lines.begun.len() <= LONGEST);
        }
        assert_eq!(told, 1);
        assert_eq!(lines.push(b"x\ny\n"), [whole("y")]);
    }
}
