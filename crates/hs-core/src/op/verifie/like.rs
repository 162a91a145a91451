//! LIKE: `%` stands for any characters, `_` for one.

/// One piece of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Piece {
    Any,
    One,
    Letter(char),
}

/// A pattern that was read once.
#[derive(Clone, Debug)]
pub struct Pattern {
    pieces: Vec<Piece>,
    fold: bool,
}

impl Pattern {
    /// Reads a pattern; `fold` makes upper and lower case the same.
    pub fn new(pattern: &str, escape: Option<char>, fold: bool) -> Self {
        let pattern = if fold {
            pattern.to_lowercase()
        } else {
            pattern.to_owned()
        };
        let mut letters = pattern.chars();
        let mut pieces = Vec::new();
        while let Some(letter) = letters.next() {
            let piece = match letter {
                letter if Some(letter) == escape => match letters.next() {
                    Some(next) => Piece::Letter(next),
                    None => Piece::Letter(letter),
                },
                '%' if pieces.last() == Some(&Piece::Any) => continue,
                '%' => Piece::Any,
                '_' => Piece::One,
                letter => Piece::Letter(letter),
            };
            pieces.push(piece);
        }
        Self { pieces, fold }
    }

    /// True for a text that is like the pattern.
    pub fn fits(&self, text: &str) -> bool {
        if self.fold {
            return self.matches(&text.to_lowercase());
        }
        self.matches(text)
    }

    /// Goes on after the last `%` with one more character whenever the rest does not fit.
    fn matches(&self, text: &str) -> bool {
        let pieces = &self.pieces;
        let mut rest = text.chars();
        let mut next = 0;
        let mut again: Option<(usize, std::str::Chars<'_>)> = None;
        loop {
            if pieces.get(next) == Some(&Piece::Any) {
                next += 1;
                if next == pieces.len() {
                    return true;
                }
                again = Some((next, rest.clone()));
                continue;
            }
            let mut ahead = rest.clone();
            let fits = match (pieces.get(next), ahead.next()) {
                (None, None) => return true,
                (Some(Piece::One), Some(_)) => true,
                (Some(Piece::Letter(wanted)), Some(letter)) => *wanted == letter,
                _ => false,
            };
            if fits {
                rest = ahead;
                next += 1;
                continue;
            }
            let Some((start, from)) = &mut again else {
                return false;
            };
            if from.next().is_none() {
                return false;
            }
            next = *start;
            rest = from.clone();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn like(text: &str, pattern: &str) -> bool {
        Pattern::new(pattern, Some('!'), false).fits(text)
    }

    #[test]
    fn patterns() {
        for (text, pattern) in [
            ("", ""),
            ("", "%"),
            ("abc", "a%"),
            ("abc", "%c"),
            ("abc", "%b%"),
            ("abc", "_b_"),
            ("aXbXc", "a%X%c"),
            ("aab", "%ab"),
            ("10%", "10!%"),
            ("é", "_"),
            ("a\nb", "a%b"),
            ("mississippi", "m%iss%ip%i"),
        ] {
            assert!(like(text, pattern), "{text} {pattern}");
        }
        for (text, pattern) in [
            ("", "_"),
            ("abc", "A%"),
            ("abc", "ab"),
            ("abc", "abcd"),
            ("100", "10!%"),
            ("mississippi", "m%iss%ip"),
            ("ab", "_"),
        ] {
            assert!(!like(text, pattern), "{text} {pattern}");
        }
        assert!(Pattern::new("É%", None, true).fits("éa"));
    }
}
