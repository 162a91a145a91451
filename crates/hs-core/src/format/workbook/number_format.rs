//! What a number format says about the value under it: a plain number, a zero-padded code, a date,
//! a time of day, a length of time. It never renders a value.

use std::iter::Peekable;
use std::str::Chars;

/// How a number cell is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A number: general, decimals, percent, currency, fractions.
    Plain,
    /// A code padded with zeros to so many digits (`00000`).
    Padded(u8),
    /// A calendar day, with or without a time of day.
    Date,
    /// A time of day only.
    Time,
    /// A length of time (`[h]:mm`).
    Duration,
}

/// The shape of a format code, judged by its first section.
///
/// Source: ECMA-376 part 1, 18.8.31 (number format codes).
pub fn shape(code: &str) -> Shape {
    let section = first_section(code);
    if let Some(width) = padded_width(&section) {
        return Shape::Padded(width);
    }
    let Section { letters, elapsed } = section;
    if elapsed {
        return Shape::Duration;
    }
    let mut time = false;
    let mut date = false;
    for (index, (letter, length)) in letters.iter().enumerate() {
        match letter {
            'h' | 's' | 'a' => time = true,
            // `m` is minutes behind hours or before seconds, else months.
            'm' if *length <= 2 => {
                let behind_hours = index > 0 && letters[index - 1].0 == 'h';
                let before_seconds = letters.get(index + 1).is_some_and(|next| next.0 == 's');
                if behind_hours || before_seconds {
                    time = true;
                } else {
                    date = true;
                }
            }
            'm' | 'y' | 'd' | 'e' | 'g' | 'b' => date = true,
            _ => {}
        }
    }
    match (date, time) {
        (true, _) => Shape::Date,
        (false, true) => Shape::Time,
        (false, false) => Shape::Plain,
    }
}

/// The shape of a built-in format that files name by number without a code.
///
/// Source: ECMA-376 part 1, 18.8.30; 27 to 36 and 50 to 58 are East Asian dates and times.
pub fn built_in(id: u32) -> Shape {
    match id {
        14..=17 | 22 | 27..=36 | 50..=58 => Shape::Date,
        18..=21 | 45 | 47 => Shape::Time,
        46 => Shape::Duration,
        _ => Shape::Plain,
    }
}

/// The runs of letters and digits' placeholders of a section, literals left out.
struct Section {
    /// Each run: its character in lower case and its length. `0`, `#`, `.` and others are runs too.
    letters: Vec<(char, usize)>,
    /// It has `[h]`, `[mm]`, `[ss]` or the like.
    elapsed: bool,
}

fn first_section(code: &str) -> Section {
    let mut letters: Vec<(char, usize)> = Vec::new();
    let mut elapsed = false;
    let mut rest = code.chars().peekable();
    while let Some(character) = rest.next() {
        match character {
            ';' => break,
            // The next character is a literal: escaped, a width to skip, a filler.
            '\\' | '_' | '*' => {
                rest.next();
            }
            '"' => {
                for quoted in rest.by_ref() {
                    if quoted == '"' {
                        break;
                    }
                }
            }
            '[' => {
                let inside: String = rest.by_ref().take_while(|next| *next != ']').collect();
                let inside = inside.to_ascii_lowercase();
                // Colours, conditions and locales are brackets, too; `[Red]` has a `d` but is no date.
                if ["h", "m", "s"]
                    .iter()
                    .any(|unit| !inside.is_empty() && inside.trim_start_matches(unit).is_empty())
                {
                    elapsed = true;
                }
            }
            // `0.00E+00` is a number in scientific form.
            'e' | 'E' if matches!(rest.peek(), Some('+' | '-')) => letters.push(('^', 1)),
            // `General` is a word, not an era and a year.
            'g' | 'G' if followed_by(&rest, "eneral") => drop(rest.nth(5)),
            'a' | 'A' if clock_half(&mut rest) => letters.push(('a', 1)),
            other => {
                let other = other.to_ascii_lowercase();
                let last = letters.last().map(|(last, _)| *last);
                // Separators between date parts say nothing: `h:mm` is hours beside minutes.
                let separator = matches!(other, ':' | '/' | '-' | ' ' | ',' | '.')
                    && last.is_some_and(|last| "hmsdyage".contains(last));
                match letters.last_mut() {
                    Some((last, length)) if *last == other => *length += 1,
                    _ if separator => {}
                    _ => letters.push((other, 1)),
                }
            }
        }
    }
    Section { letters, elapsed }
}

/// True when `word` (lower case) comes next, in any case.
fn followed_by(rest: &Peekable<Chars<'_>>, word: &str) -> bool {
    let ahead = rest.clone().map(|letter| letter.to_ascii_lowercase());
    word.chars().eq(ahead.take(word.len()))
}

/// Takes the rest of `AM/PM` or `A/P` when that is what follows an `a`.
fn clock_half(rest: &mut Peekable<Chars<'_>>) -> bool {
    for word in ["m/pm", "/p"] {
        if followed_by(rest, word) {
            rest.nth(word.len() - 1);
            return true;
        }
    }
    false
}

/// The width of a section that is nothing but two or more zeros.
fn padded_width(section: &Section) -> Option<u8> {
    match section.letters.as_slice() {
        [('0', width)] if *width >= 2 && !section.elapsed => u8::try_from(*width).ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_alone_are_a_padded_code() {
        assert_eq!(shape("00000"), Shape::Padded(5));
        assert_eq!(shape("[$-409]00000"), Shape::Padded(5));
        assert_eq!(shape("00000;[Red]-00000"), Shape::Padded(5));
        for plain in [
            "0", "0.00", "#,##0", "00.0", "0%", "00-00", "@", "", "000,000",
        ] {
            assert_eq!(shape(plain), Shape::Plain, "{plain}");
        }
    }

    #[test]
    fn dates_times_and_durations_are_told_apart() {
        for date in [
            "yyyy-mm-dd",
            "m/d/yy h:mm",
            "mmm-yy",
            "d-mmm",
            "[$-F800]dddd, mmmm dd, yyyy",
            "dd\\.mm\\.yyyy hh:mm:ss",
            "mm",
            "[$-411]ge.m.d",
            "yyyy\"年\"m\"月\"",
        ] {
            assert_eq!(shape(date), Shape::Date, "{date}");
        }
        for time in [
            "h:mm",
            "hh:mm:ss",
            "mm:ss",
            "mm:ss.0",
            "h:mm AM/PM",
            "[$-409]h:mm:ss a/p",
        ] {
            assert_eq!(shape(time), Shape::Time, "{time}");
        }
        for duration in ["[h]:mm", "[hh]:mm:ss", "[m]", "[ss].00"] {
            assert_eq!(shape(duration), Shape::Duration, "{duration}");
        }
    }

    #[test]
    fn literals_colours_and_exponents_are_no_dates() {
        for plain in [
            "General",
            "[Red]0.00",
            "0_ ;[Red]\\-0\\ ",
            "0.00E+00",
            "##0.0E+0",
            "#,##0\\ \"days\"",
            "\"$\"#,##0_);[Red](\"$\"#,##0)",
            "0\"x\"*d",
            "#,##0.00\\ _M",
            "[>=100][Magenta]General",
            "# ?/?",
        ] {
            assert_eq!(shape(plain), Shape::Plain, "{plain}");
        }
    }
}
