//! How much of an output is shown: its end, since that is where results and errors are.

/// Lines that are shown at most.
const LINES: usize = 2_000;
/// Bytes that are shown at most.
const BYTES: usize = 50 << 10;

/// What is shown of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shown<'a> {
    /// The end of it, or all.
    pub text: &'a str,
    /// How many lines that has.
    pub lines: usize,
    /// How many lines there are in all.
    pub of: usize,
}

impl Shown<'_> {
    /// Whether something is not shown.
    pub fn is_cut(&self, whole: &str) -> bool {
        self.text.len() < whole.len()
    }
}

/// What is shown of a text: the last lines that fit, or of one line that is too long its end.
pub fn shown(whole: &str) -> Shown<'_> {
    let of = lines(whole);
    let mut start = 0;
    if of > LINES {
        // The line end of the last line parts no lines.
        let body = whole.strip_suffix('\n').unwrap_or(whole);
        let before = body.rmatch_indices('\n').nth(LINES - 1);
        start = before.map_or(0, |(at, _)| at + 1);
    }
    if whole.len() - start > BYTES {
        start = whole.len() - BYTES;
        while !whole.is_char_boundary(start) {
            start += 1;
        }
    }
    let text = &whole[start..];
    Shown {
        text,
        lines: lines(text),
        of,
    }
}

fn lines(text: &str) -> usize {
    text.matches('\n').count() + usize::from(!text.is_empty() && !text.ends_with('\n'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_two_thousand_lines_exactly() {
        let lines: Vec<String> = (1..=3000).map(|number| number.to_string()).collect();
        let whole = lines.join("\n") + "\n";
        let shown = shown(&whole);
        assert_eq!((shown.lines, shown.of), (2000, 3000));
        assert!(shown.text.starts_with("1001\n") && shown.text.ends_with("\n3000\n"));
        let whole = whole.trim_end();
        let shown = super::shown(whole);
        assert_eq!((shown.lines, shown.of), (2000, 3000));
        assert!(shown.text.starts_with("1001\n"));
        let whole: String = "x\n".repeat(2000);
        assert!(!super::shown(&whole).is_cut(&whole));
    }

    #[test]
    fn bytes_are_cut_on_a_border_of_letters() {
        let whole = "a".repeat(51_200);
        assert_eq!(shown(&whole).text, whole);
        let whole = "a".repeat(51_201);
        assert_eq!(shown(&whole).text.len(), 51_200);
        let whole = "é".repeat(30_000) + "a";
        let shown = shown(&whole);
        assert_eq!(shown.text.len(), 51_199);
        assert!(shown.is_cut(&whole));
        assert_eq!(super::shown("").of, 0);
    }
}
