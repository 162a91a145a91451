//! A command line as a shell has it, up to the cursor, as words: quotes and backslashes taken away.

/// The line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The words behind the program's name; the last is the one at the cursor, and may be empty.
    pub words: Vec<String>,
    /// Bytes of the last word that the shell keeps: it replaces only what stands behind them.
    pub kept: usize,
    /// Whether the shell shows what describes a candidate.
    pub described: bool,
}

/// The line that a script sends: the shell's name, then what that shell can tell.
///
/// bash sends its line and the letters at which it breaks words; zsh sends words, fish words of which the last is as typed.
pub fn of(asked: &[String]) -> Option<Line> {
    let (shell, rest) = asked.split_first()?;
    match (shell.as_str(), rest) {
        ("bash", [line, breaks]) => Some(of_bash(line, breaks)),
        ("zsh", [.., _]) => Some(Line {
            words: rest.to_vec(),
            kept: 0,
            described: true,
        }),
        ("fish", [front @ .., last]) => {
            let last = split(last, "").pop();
            let last = last.map(|word| word.text).unwrap_or_default();
            Some(Line {
                words: [front, &[last]].concat(),
                kept: 0,
                described: true,
            })
        }
        _ => None,
    }
}

fn of_bash(line: &str, breaks: &str) -> Line {
    let mut words = split(line, breaks);
    if line.ends_with(char::is_whitespace) && words.last().is_none_or(|word| word.ended) {
        words.push(Word::default());
    }
    let kept = words.last().map_or(0, |word| word.kept);
    let words = words.into_iter().skip(1).map(|word| word.text);
    Line {
        words: words.collect(),
        kept,
        described: false,
    }
}

#[derive(Default)]
struct Word {
    text: String,
    /// Where bash breaks it for the last time.
    kept: usize,
    /// A blank stands behind it.
    ended: bool,
}

fn split(line: &str, breaks: &str) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut quote = None;
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        let blank = quote.is_none() && letter.is_whitespace();
        if blank {
            if let Some(word) = words.last_mut() {
                word.ended = true;
            }
            continue;
        }
        if words.last().is_none_or(|word| word.ended) {
            words.push(Word::default());
        }
        let Some(word) = words.last_mut() else {
            continue;
        };
        match (letter, quote) {
            ('\'' | '"', None) => quote = Some(letter),
            (letter, Some(open)) if letter == open => quote = None,
            ('\\', None) => word.text.extend(letters.next()),
            ('\\', Some('"')) => {
                // In double quotes a backslash is one, but before these.
                let next = letters.next_if(|next| "\"\\$`".contains(*next));
                word.text.push(next.unwrap_or('\\'));
            }
            (letter, quote) => {
                word.text.push(letter);
                if quote.is_none() && breaks.contains(letter) {
                    word.kept = word.text.len();
                }
            }
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    const BREAKS: &str = " \t\n\"'><=;|&(:";

    fn bash(line: &str) -> (Vec<String>, usize) {
        let asked = ["bash", line, BREAKS].map(str::to_owned);
        let line = of(&asked).unwrap();
        (line.words, line.kept)
    }

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn the_word_at_the_cursor_is_the_last_one() {
        assert_eq!(bash("hs"), (words(&[]), 0));
        assert_eq!(bash("hs "), (words(&[""]), 0));
        assert_eq!(bash("hs char"), (words(&["char"]), 0));
        assert_eq!(
            bash("hs charge  a.csv "),
            (words(&["charge", "a.csv", ""]), 0)
        );
    }

    #[test]
    fn quotes_hold_words_together_and_go() {
        let file = words(&["combien", "my file.csv", "Order I"]);
        for line in [
            r"hs combien my\ file.csv Order\ I",
            r#"hs combien "my file.csv" "Order I"#,
            "hs combien 'my file.csv' 'Order I",
        ] {
            assert_eq!(bash(line), (file.clone(), 0), "{line}");
        }
        assert_eq!(bash(r#"hs "a\"b\c"#).0, words(&["a\"b\\c"]));
        assert_eq!(bash("hs 'a b' ").0, words(&["a b", ""]));
    }

    #[test]
    fn what_bash_has_broken_off_is_kept() {
        assert_eq!(bash("hs --format=js"), (words(&["--format=js"]), 9));
        assert_eq!(bash("hs --types 'a=b"), (words(&["--types", "a=b"]), 0));
        assert_eq!(bash(r"hs a\=b=c"), (words(&["a=b=c"]), 4));
        assert_eq!(bash("hs --validate 1:"), (words(&["--validate", "1:"]), 2));
    }

    #[test]
    fn fish_tells_the_last_word_as_it_is_typed() {
        let asked = ["fish", "combien", "my file.csv", r"Order\ "].map(str::to_owned);
        let line = of(&asked).unwrap();
        assert_eq!(line.words, words(&["combien", "my file.csv", "Order "]));
        assert_eq!(
            of(&["fish", "charge", ""].map(str::to_owned))
                .unwrap()
                .words,
            words(&["charge", ""])
        );
    }

    #[test]
    fn what_no_script_sends_has_no_answer() {
        for asked in [&[][..], &["bash"], &["tcsh", "x"], &["zsh"]] {
            assert_eq!(of(&words(asked)), None, "{asked:?}");
        }
    }
}
