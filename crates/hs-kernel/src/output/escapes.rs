//! Takes terminal sequences out of text that comes in pieces (ECMA-48): colours, moves, titles, links.

/// Where in a sequence the last piece ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum At {
    /// Outside of any.
    #[default]
    Text,
    /// Behind the escape character.
    Escape,
    /// In a control sequence, which ends with a letter.
    Control,
    /// In a string such as a title, which ends with BEL or ESC `\`.
    String,
    /// Behind the escape character in a string.
    StringEscape,
    /// In a short sequence with one letter in between, which ends with the next.
    Short,
}

/// A stripper, fed piece by piece.
#[derive(Clone, Debug, Default)]
pub struct Escapes(At);

impl Escapes {
    /// The piece without sequences; one that is not over goes on in the next piece.
    #[expect(
        clippy::match_same_arms,
        reason = "a row for each state, in the order in which they come"
    )]
    pub fn strip(&mut self, piece: &str) -> String {
        let mut out = String::with_capacity(piece.len());
        for letter in piece.chars() {
            self.0 = match (self.0, letter) {
                (At::Text, '\u{1b}') => At::Escape,
                (At::Text, '\u{9b}') => At::Control,
                (At::Text, _) => {
                    if !letter.is_control() || matches!(letter, '\n' | '\r' | '\t' | '\u{8}') {
                        out.push(letter);
                    }
                    At::Text
                }
                (At::Escape, '[') => At::Control,
                (At::Escape, ']' | 'P' | 'X' | '^' | '_') => At::String,
                (At::Escape, ' '..='/') => At::Short,
                (At::Escape | At::Short, _) => At::Text,
                (At::Control, '0'..='?' | ' '..='/') => At::Control,
                (At::Control, '\u{1b}') => At::Escape,
                // A sequence never goes over a line end.
                (At::Control | At::String, '\n') => {
                    out.push('\n');
                    At::Text
                }
                (At::Control, _) => At::Text,
                (At::String, '\u{7}') => At::Text,
                (At::String, '\u{1b}') => At::StringEscape,
                (At::String, _) => At::String,
                (At::StringEscape, '\\') => At::Text,
                (At::StringEscape, _) => At::String,
            };
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn stripped(text: &str) -> String {
        Escapes::default().strip(text)
    }

    #[test]
    fn sequences_go_and_text_stays() {
        assert_eq!(stripped("\u{1b}[0;31mred\u{1b}[0m"), "red");
        assert_eq!(
            stripped("\u{1b}]0;title\u{7}a\u{1b}]8;;http://x\u{1b}\\b"),
            "ab"
        );
        assert_eq!(stripped("\u{1b}(Ba\u{1b}7b\u{9b}2Jc"), "abc");
        assert_eq!(stripped("a\tb\r\nc\u{7}\u{0}d\u{8}e"), "a\tb\r\ncd\u{8}e");
        assert_eq!(stripped("[1] \u{1F980} é"), "[1] \u{1F980} é");
        assert_eq!(stripped("\u{1b}[31\nnext"), "\nnext");
    }

    proptest! {
        #[test]
        fn pieces_are_as_the_whole(text in "(\u{1b}|\\[|\\]|[0-9;m]|\u{7}|\\\\|a|\n){0,40}", cut in 0usize..40) {
            let cut = text.char_indices().map(|(at, _)| at).nth(cut).unwrap_or(text.len());
            let mut escapes = Escapes::default();
            let pieces = escapes.strip(&text[..cut]) + &escapes.strip(&text[cut..]);
            prop_assert_eq!(pieces, stripped(&text));
        }

        #[test]
        fn text_without_controls_is_untouched(text in "[^\\p{Cc}]{0,200}") {
            prop_assert_eq!(stripped(&text), text);
        }
    }
}
