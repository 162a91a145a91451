//! The line of an entry that says most of what was searched for, cut to a length that fits in a list.

use super::fold::{fold, folded};
use super::query::find;

/// Letters of a snippet, without the marks of what is left out.
const SHOWN: usize = 160;
/// Letters of it that stand before the first word.
const BEFORE: usize = 40;

/// A text of an entry, and what it is called.
pub type Field<'a> = (&'static str, &'a str);

/// How many words stand whole somewhere in these texts, which are as they are compared.
pub fn whole(texts: &[String], words: &[String]) -> usize {
    let stands = |word: &&String| {
        texts
            .iter()
            .any(|text| find(text, word).is_some_and(|(_, whole)| whole))
    };
    words.iter().filter(stands).count()
}

/// The name of the text that fits best, and its line that does.
pub fn snippet(fields: &[Field<'_>], words: &[String]) -> (&'static str, String) {
    let mut best = (0, "", "");
    for (name, text) in fields {
        let as_compared = folded(text);
        // Folding keeps line ends.
        for (line, as_compared) in text.split('\n').zip(as_compared.split('\n')) {
            let found = words.iter().filter_map(|word| find(as_compared, word));
            let score = found.map(|(_, whole)| if whole { 3 } else { 2 }).sum();
            if score > best.0 {
                best = (score, *name, line);
            }
        }
    }
    if best.0 == 0 {
        // A word that goes over a line end, or whose letters only the index knows; or no word at all.
        let first = fields.iter().find_map(|(name, text)| {
            let line = text.lines().find(|line| !line.trim().is_empty())?;
            Some((0, *name, line))
        });
        best = first.unwrap_or((0, "code", ""));
    }
    (best.1, cut(best.2, words))
}

fn cut(line: &str, words: &[String]) -> String {
    let line = line.trim();
    let letters: Vec<char> = line
        .chars()
        .map(|letter| if letter.is_control() { ' ' } else { letter })
        .collect();
    if letters.len() <= SHOWN {
        return letters.into_iter().collect();
    }
    let as_compared = folded(line);
    let first = words.iter().filter_map(|word| find(&as_compared, word));
    let first = first.map(|(at, _)| at).min().unwrap_or(0);
    // As many letters that are compared stand before it; accents of their own come on top.
    let before = as_compared[..first].chars().count();
    let compared = letters
        .iter()
        .enumerate()
        .filter(|(_, letter)| fold(**letter).is_some());
    let at = compared.map(|(at, _)| at).nth(before).unwrap_or(0);
    let start = at.saturating_sub(BEFORE).min(letters.len() - SHOWN);
    let end = start + SHOWN;
    let mut shown = String::new();
    if start > 0 {
        shown.push('\u{2026}');
    }
    shown.extend(&letters[start..end]);
    if end < letters.len() {
        shown.push('\u{2026}');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn the_line_with_most_words_is_shown() {
        let fields = [
            ("code", "x = 1\ntotal = df.groupby('x')"),
            ("output", "total\n"),
        ];
        let found = snippet(&fields, &words(&["total", "x"]));
        assert_eq!(found, ("code", "total = df.groupby('x')".to_owned()));
        let found = snippet(&fields, &words(&["nowhere"]));
        assert_eq!(found, ("code", "x = 1".to_owned()));
        assert_eq!(snippet(&[("code", "")], &[]).1, "");
    }

    #[test]
    fn a_long_line_is_cut_around_the_first_word() {
        let line = format!("{}Montant{}", "é".repeat(300), "\u{7}b".repeat(300));
        let (_, shown) = snippet(&[("output", &line)], &words(&["montant"]));
        assert_eq!(shown.chars().count(), SHOWN + 2);
        assert!(shown.starts_with("\u{2026}é") && shown.ends_with("\u{2026}"));
        assert!(shown.contains("éMontant b"), "{shown}");
        let line = format!("{}word", "e\u{301}".repeat(300));
        assert!(
            snippet(&[("output", &line)], &words(&["word"]))
                .1
                .ends_with("word")
        );
    }
}
