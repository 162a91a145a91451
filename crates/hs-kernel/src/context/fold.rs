//! Letters as a search compares them: without case, and without the accents of European languages. What this does not know
//! is compared as it stands. The index has a table of its own, which knows more; this one shows where a word is, and looks
//! for words that are too short for the index.

/// Letters with accents, each followed by the plain ones that stand for it, in lower case.
const ACCENTS: [(&str, char); 17] = [
    ("àáâãäåāăą", 'a'),
    ("çćĉċč", 'c'),
    ("ďđ", 'd'),
    ("èéêëēĕėęě", 'e'),
    ("ĝğġģ", 'g'),
    ("ĥ", 'h'),
    ("ìíîïĩīĭį", 'i'),
    ("ĵ", 'j'),
    ("ķ", 'k'),
    ("ĺļľ", 'l'),
    ("ñńņň", 'n'),
    ("òóôõöōŏő", 'o'),
    ("ŕŗř", 'r'),
    ("śŝşš", 's'),
    ("ùúûüũūŭůűų", 'u'),
    ("ýÿ", 'y'),
    ("źżž", 'z'),
];

/// A letter as it is compared; none for an accent that stands for itself.
pub fn fold(letter: char) -> Option<char> {
    if letter.is_ascii() {
        return Some(letter.to_ascii_lowercase());
    }
    if ('\u{300}'..='\u{36f}').contains(&letter) {
        return None;
    }
    // One letter for one: places in the folded text are places in the text.
    let letter = letter.to_lowercase().next().unwrap_or(letter);
    if letter > '\u{17f}' {
        return Some(letter);
    }
    let plain = ACCENTS.iter().find(|(of, _)| of.contains(letter));
    Some(plain.map_or(letter, |(_, plain)| *plain))
}

/// A text as it is compared.
pub fn folded(text: &str) -> String {
    text.chars().filter_map(fold).collect()
}

/// Whether a letter is one of those that words and names are made of.
pub fn in_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}
