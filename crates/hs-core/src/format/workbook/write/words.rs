//! Which texts of a column are stored once: those of columns that repeat few texts often. The texts
//! of other columns are stored one after the other, so that memory stays bounded and a text's number
//! follows from its row.

use polars::prelude::{InitHashMaps, PlHashMap};

/// More texts than this are not kept.
const MOST: usize = 1 << 17;
/// So many texts are kept whatever the share of repeated ones.
const FEW: usize = 1 << 12;

/// The different texts of a column, in the order of their first appearance.
#[derive(Debug)]
pub struct Words<'a> {
    numbers: PlHashMap<&'a str, u32>,
    texts: Vec<&'a str>,
    seen: usize,
}

impl<'a> Words<'a> {
    /// None yet.
    pub fn new() -> Self {
        Self {
            numbers: PlHashMap::new(),
            texts: Vec::new(),
            seen: 0,
        }
    }

    /// Takes a text in; false when it does not pay to keep them.
    #[inline]
    pub fn add(&mut self, text: &'a str) -> bool {
        self.seen += 1;
        let next = self.texts.len();
        if *self.numbers.entry(text).or_insert(next as u32) as usize == next {
            self.texts.push(text);
            return next < FEW || (next < MOST && next < self.seen / 2);
        }
        true
    }

    /// The number of a text that was taken in.
    #[inline]
    pub fn number(&self, text: &str) -> Option<u32> {
        self.numbers.get(text).copied()
    }

    /// All of them, by number.
    pub fn texts(&self) -> &[&'a str] {
        &self.texts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_texts_have_one_number() {
        let mut words = Words::new();
        for text in ["b", "a", "b", "", "a"] {
            assert!(words.add(text));
        }
        assert_eq!(words.texts(), ["b", "a", ""]);
        assert_eq!(words.number("a"), Some(1));
        assert_eq!(words.number("c"), None);
    }

    #[test]
    fn columns_of_different_texts_are_given_up_early() {
        let texts: Vec<String> = (0..100_000).map(|number| number.to_string()).collect();
        let mut words = Words::new();
        let kept = texts.iter().take_while(|text| words.add(text)).count();
        assert_eq!(kept, FEW);
        let mut words = Words::new();
        let thrice = || (0..90_000).map(|number| &texts[number / 3]);
        assert!(thrice().all(|text| words.add(text)));
    }
}
