//! Numbers as they are written somewhere: which marks stand before decimals and between thousands,
//! shown by an example such as `1.234,56`. It never guesses: what does not fit the marks is no number.

/// The marks of a local way to write numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Marks {
    decimal: Option<char>,
    thousands: Option<char>,
}

/// What may be a mark; all kinds of space are one.
fn mark(character: char) -> Option<char> {
    match character {
        '.' | ',' | '\'' | '_' => Some(character),
        '\u{2019}' => Some('\''),
        ' ' | '\u{a0}' | '\u{2009}' | '\u{202f}' => Some(' '),
        _ => None,
    }
}

impl Marks {
    /// The marks that an example shows. The last mark of a decimal is the one before its decimals,
    /// any other stands between thousands; all marks of a whole number stand between thousands.
    /// `None` when the example is no number, shows no mark, or shows marks that contradict each other.
    pub fn of_example(example: &str, whole: bool) -> Option<Self> {
        let mut found: Vec<char> = example.chars().filter_map(mark).collect();
        let decimal = if whole { None } else { Some(found.pop()?) };
        let thousands = found.first().copied();
        let marks = Self { decimal, thousands };
        let consistent = found.iter().all(|other| Some(*other) == thousands)
            && decimal != thousands
            && (thousands.is_some() || !whole);
        (consistent && marks.plain(example).is_some()).then_some(marks)
    }

    /// A number in these marks as `-1234.56`; `None` when it is not written in them. Marks between
    /// thousands may be left out as a whole; where they are, they part groups of three.
    pub fn plain(self, text: &str) -> Option<String> {
        let mut out = String::with_capacity(text.len());
        let body = match text.chars().next()? {
            '-' | '\u{2212}' => {
                out.push('-');
                text.trim_start_matches(['-', '\u{2212}'])
            }
            '+' => &text[1..],
            _ => text,
        };
        if text.chars().count() > body.chars().count() + 1 {
            return None;
        }
        let (mut digits, mut group, mut groups, mut point) = (0usize, 0usize, 0usize, false);
        for (at, character) in body.char_indices() {
            if character.is_ascii_digit() {
                out.push(character);
                digits += 1;
                group += 1;
            } else if digits > 0 && matches!(character, 'e' | 'E') {
                let exponent = body[at + 1..].trim_start_matches(['-', '+']);
                if exponent.is_empty() || !exponent.bytes().all(|byte| byte.is_ascii_digit()) {
                    return None;
                }
                out.push_str(&body[at..]);
                break;
            } else {
                let found = Some(mark(character)?);
                let whole_group = groups == 0 || group == 3;
                if found == self.decimal && !point && whole_group {
                    point = true;
                    out.push('.');
                } else if found == self.thousands
                    && !point
                    && whole_group
                    && (1..=3).contains(&group)
                {
                    groups += 1;
                } else {
                    return None;
                }
                group = 0;
            }
        }
        let last_group = point || groups == 0 || group == 3;
        (digits > 0 && last_group).then_some(out)
    }

    /// A plain number such as `1234.5` in these marks, without any between thousands.
    pub fn written(self, plain: &str) -> String {
        match self.decimal {
            Some(mark) => plain.replace('.', mark.encode_utf8(&mut [0; 4])),
            None => plain.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn float(example: &str, text: &str) -> Option<String> {
        Marks::of_example(example, false).and_then(|marks| marks.plain(text))
    }

    fn int(example: &str, text: &str) -> Option<String> {
        Marks::of_example(example, true).and_then(|marks| marks.plain(text))
    }

    #[test]
    fn an_example_shows_the_marks() {
        let rules = [
            ("1.234,56", "-1.299,99", Some("-1299.99")),
            ("1.234,56", "1299,9", Some("1299.9")),
            ("1.234,56", "1.234", Some("1234")),
            ("1.234,56", "1.234.567,8", Some("1234567.8")),
            ("1.234,56", "1.23", None),
            ("1.234,56", "1.2345,6", None),
            ("1.234,56", "12345.678,9", None),
            ("1.234,56", "1,234.56", None),
            ("1.234,56", "1,2,3", None),
            ("1.234,56", "1,23e5", Some("1.23e5")),
            ("1.234,56", "1,23 %", None),
            ("1.234,56", "12a", None),
            ("1.234,56", "", None),
            ("1.234,56", "-", None),
            ("1.234,56", "--1", None),
            ("0,5", "12,25", Some("12.25")),
            ("0,5", "1.234,5", None),
            ("0,5", "+,5", Some(".5")),
            ("1,234.56", "12,204,000", Some("12204000")),
            ("1 234,56", "1\u{202f}299,99", Some("1299.99")),
            ("1\u{a0}234,56", "1 299", Some("1299")),
            ("1'234.56", "1\u{2019}299.5", Some("1299.5")),
            ("1_234.5", "1_000", Some("1000")),
            ("0.5", "\u{2212}0.5", Some("-0.5")),
        ];
        for (example, text, wanted) in rules {
            assert_eq!(float(example, text).as_deref(), wanted, "{example} {text}");
        }
        assert_eq!(int("1.234", "1.204.000").as_deref(), Some("1204000"));
        assert_eq!(int("1.234", "950").as_deref(), Some("950"));
        assert_eq!(int("1.234", "1,5"), None);
    }

    #[test]
    fn an_example_without_or_with_contrary_marks_is_none() {
        for example in [
            "1234",
            "1.234.567",
            "1.23,5",
            "1,2.3,4",
            "x,5",
            "1 234'567,8",
            "",
        ] {
            assert_eq!(Marks::of_example(example, false), None, "{example}");
        }
        for example in ["1234", "1.234,567", "1.23", ""] {
            assert_eq!(Marks::of_example(example, true), None, "{example}");
        }
    }

    #[test]
    fn plain_numbers_are_written_so_that_they_read_back() {
        let marks = Marks::of_example("1.234,56", false).expect("an example");
        assert_eq!(
            marks.plain(&marks.written("1.234")).as_deref(),
            Some("1.234")
        );
    }
}
