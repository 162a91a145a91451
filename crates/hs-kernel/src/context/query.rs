//! What a person typed, as words that must all occur. Quotes hold words together; nothing else has a meaning, so that any
//! text can be searched for: code, operators, half a name.

use super::fold::{folded, in_word};

/// Letters that the index needs of a word.
const INDEXED: usize = 3;

/// The words of a query.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    /// As they are compared.
    words: Vec<String>,
    /// As they were typed.
    typed: Vec<String>,
}

impl Query {
    /// Takes a text apart. A quote that has no other one holds all that follows together.
    pub fn parse(text: &str) -> Self {
        let mut query = Self::default();
        let mut rest = text;
        loop {
            // A zero ends a text for SQLite.
            rest = rest.trim_start_matches(|letter: char| letter.is_whitespace() || letter == '\0');
            let Some(first) = rest.chars().next() else {
                return query;
            };
            let word;
            if first == '"' {
                let inside = &rest[1..];
                let end = inside.find('"').unwrap_or(inside.len());
                word = &inside[..end];
                rest = inside.get(end + 1..).unwrap_or_default();
            } else {
                let ends = |letter: char| letter.is_whitespace() || letter == '\0';
                // A quote inside of a word is one that was searched for, as in `d["a"]`.
                let end = rest.find(ends).unwrap_or(rest.len());
                (word, rest) = rest.split_at(end);
            }
            query.push(word);
        }
    }

    fn push(&mut self, word: &str) {
        let word = word.replace('\0', " ");
        let as_compared = folded(&word);
        if !as_compared.trim().is_empty() && !self.words.contains(&as_compared) {
            self.typed.push(word);
            self.words.push(as_compared);
        }
    }

    /// The words as they are compared.
    pub fn words(&self) -> &[String] {
        &self.words
    }

    /// Those of them that are too short for the index.
    pub fn short(&self) -> impl Iterator<Item = &str> {
        let short = |word: &&String| word.chars().count() < INDEXED;
        self.words.iter().filter(short).map(String::as_str)
    }

    /// The question for the index, about the others; none if there are none. Each is a text in quotes, in which only the
    /// quote itself means something.
    pub fn of_index(&self) -> Option<String> {
        let pairs = self.typed.iter().zip(&self.words);
        let long = pairs.filter(|(_, word)| word.chars().count() >= INDEXED);
        let texts: Vec<String> = long
            .map(|(typed, _)| format!("\"{}\"", typed.replace('"', "\"\"")))
            .collect();
        (!texts.is_empty()).then(|| texts.join(" AND "))
    }
}

/// Where a word stands in a text, both as they are compared: the byte, and whether it stands there whole.
pub fn find(text: &str, word: &str) -> Option<(usize, bool)> {
    let mut part = None;
    for (at, _) in text.match_indices(word) {
        if begins(text, word, at) && ends(text, word, at) {
            return Some((at, true));
        }
        part = part.or(Some((at, false)));
    }
    part
}

/// Whether a word that the index does not know stands at the beginning of one in the text: a single letter is in every text
/// somewhere. Scripts without blanks have no beginnings.
pub fn has_short(text: &str, word: &str) -> bool {
    let blanks = word.chars().next().is_some_and(|letter| letter < '\u{e00}');
    text.match_indices(word)
        .any(|(at, _)| !blanks || begins(text, word, at))
}

fn begins(text: &str, word: &str, at: usize) -> bool {
    let before = text[..at].chars().next_back().is_some_and(in_word);
    !(before && word.chars().next().is_some_and(in_word))
}

fn ends(text: &str, word: &str, at: usize) -> bool {
    let after = text[at + word.len()..].chars().next().is_some_and(in_word);
    !(after && word.chars().next_back().is_some_and(in_word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        Query::parse(text).typed
    }

    #[test]
    fn blanks_part_words_and_quotes_hold_them_together() {
        assert_eq!(words("a  b\tc\n"), ["a", "b", "c"]);
        assert_eq!(words(r#"x "two words" y"#), ["x", "two words", "y"]);
        assert_eq!(words(r#""half open"#), ["half open"]);
        assert_eq!(words(r#""foo(bar"#), ["foo(bar"]);
        assert_eq!(words(r#"d["a"]"#), [r#"d["a"]"#]);
        assert_eq!(words("a AND * -x"), ["a", "AND", "*", "-x"]);
        assert_eq!(words("same Same SAME"), ["same"]);
        assert_eq!(words("  \0 \"\" \" \" "), Vec::<String>::new());
    }

    #[test]
    fn the_index_is_asked_for_texts_only() {
        let query = Query::parse(r#"x df.groupby d["a"] OR"#);
        assert_eq!(
            query.of_index().as_deref(),
            Some(r#""df.groupby" AND "d[""a""]""#)
        );
        assert_eq!(query.short().collect::<Vec<_>>(), ["x", "or"]);
        assert_eq!(Query::parse("x").of_index(), None);
    }

    #[test]
    fn words_stand_whole_or_as_a_part() {
        assert_eq!(find("max_10 x_1", "x_1"), Some((7, true)));
        assert_eq!(find("max_10", "x_1"), Some((2, false)));
        assert_eq!(find("a.b", "."), Some((1, true)));
        assert_eq!(find("a", "b"), None);
        assert!(has_short("y = x1", "x") && !has_short("max", "x"));
        assert!(has_short("\u{6771}\u{4eac}\u{90fd}", "\u{4eac}"));
    }
}
