//! Values by local habit: decimal commas, grouped thousands, days as day/month or month/day.
//!
//! One such value never decides alone: `1,234` may be a thousand or one and a bit, `03/04/2021` two
//! different days. What each could be is noted, and the whole column (for the comma also the
//! delimiter and the other columns) decides in [`resolve`].

use super::scalar::{self, Number};
use super::types::{ColumnType, Seen};
use crate::text;

/// What else in the file speaks for or against decimal commas.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Habit {
    /// The delimiter is not the comma.
    pub comma_free: bool,
    /// Some column can only be read with decimal commas.
    pub decimal_comma: bool,
}

/// Days in numbers, in either order.
const DAYS: Seen = Seen::DAY_FIRST
    .with(Seen::MONTH_FIRST)
    .with(Seen::EITHER_FIRST);
/// Numbers with a comma.
const COMMAS: Seen = Seen::COMMA
    .with(Seen::COMMA_EITHER)
    .with(Seen::COMMA_GROUPS);

/// The type of a column where exactly this was seen, in a file of this habit.
pub fn resolve(seen: Seen, habit: Habit) -> ColumnType {
    if seen.settles_text() {
        return ColumnType::Text;
    }
    if seen.has(DAYS) {
        return days(seen);
    }
    let float = seen.has(Seen::FLOAT);
    if seen.has(Seen::INFINITY) && seen.has(COMMAS.with(Seen::DOT_GROUPS)) {
        return ColumnType::Text;
    }
    // What is beyond i64 is ungrouped, too.
    let ungrouped = Seen::UNGROUPED.with(Seen::UNSIGNED);
    let dots_group = !seen.has(Seen::POINT) && !seen.has(ungrouped);
    if !seen.has(COMMAS) {
        // `1.200` is a decimal, unless the file writes decimals with a comma.
        let grouped = seen.has(Seen::DOT_GROUPS) && habit.comma_free
            || float && habit.decimal_comma && !seen.has(Seen::INFINITY);
        return match (grouped && dots_group, seen.has(Seen::DOT_GROUPS)) {
            (true, _) => ColumnType::Grouped { dot: true },
            (false, true) => ColumnType::Text,
            (false, false) => seen.resolve(),
        };
    }
    let decimal = habit.comma_free && !seen.has(Seen::POINT | Seen::COMMA_GROUPS);
    let groups = !float && !seen.has(Seen::COMMA | Seen::DOT_GROUPS | ungrouped);
    if decimal && (!groups || habit.decimal_comma) {
        let wide = seen.has(Seen::WIDE | Seen::UNSIGNED);
        if wide {
            ColumnType::Text
        } else {
            ColumnType::CommaFloat
        }
    } else if groups && !decimal {
        ColumnType::Grouped { dot: false }
    } else {
        ColumnType::Text
    }
}

/// Days become dates only when one order is proven, in one way of writing.
fn days(seen: Seen) -> ColumnType {
    match (seen.has(Seen::DAY_FIRST), seen.has(Seen::MONTH_FIRST)) {
        (true, false) if one_form(seen) => ColumnType::Day { month_first: false },
        (false, true) if one_form(seen) => ColumnType::Day { month_first: true },
        _ => ColumnType::Text,
    }
}

fn one_form(seen: Seen) -> bool {
    let separators = [Seen::SLASH, Seen::DOT, Seen::DASH];
    let separators = separators.iter().filter(|kind| seen.has(**kind)).count();
    separators == 1 && !(seen.has(Seen::SHORT_YEAR) && seen.has(Seen::LONG_YEAR))
}

/// The form with the day first of a column of days whose order no value proves.
pub fn undecided_days(seen: Seen) -> Option<&'static str> {
    let undecided = seen.has(Seen::EITHER_FIRST)
        && !seen.settles_text()
        && !seen.has(Seen::DAY_FIRST | Seen::MONTH_FIRST)
        && one_form(seen);
    undecided.then(|| {
        match (
            seen.has(Seen::SLASH),
            seen.has(Seen::DOT),
            seen.has(Seen::LONG_YEAR),
        ) {
            (true, _, true) => "%d/%m/%Y",
            (true, _, false) => "%d/%m/%y",
            (_, true, true) => "%d.%m.%Y",
            (_, true, false) => "%d.%m.%y",
            _ => "%d-%m-%Y",
        }
    })
}

/// True when the points of a column that is read as decimals may as well stand between thousands, in
/// a file that could write decimals with a comma.
pub fn undecided_points(seen: Seen, habit: Habit) -> bool {
    let grouped = |habit| resolve(seen, habit) == ColumnType::Grouped { dot: true };
    let decimal_comma = Habit {
        decimal_comma: true,
        ..habit
    };
    habit.comma_free && resolve(seen, habit) == ColumnType::Float && grouped(decimal_comma)
}

/// True when nothing tells whether the commas of a column group thousands or mark decimals.
pub fn undecided_commas(seen: Seen, habit: Habit) -> bool {
    habit.comma_free
        && !habit.decimal_comma
        && seen.has(Seen::COMMA_EITHER)
        && resolve(seen, habit) == ColumnType::Text
        && resolve(
            seen,
            Habit {
                decimal_comma: true,
                ..habit
            },
        ) == ColumnType::CommaFloat
}

/// True for a column of decimal commas, which nobody would doubt if the delimiter were another.
pub fn decimal_commas_in_a_comma_file(seen: Seen, habit: Habit) -> bool {
    let other = Habit {
        comma_free: true,
        decimal_comma: false,
    };
    !habit.comma_free && resolve(seen, other) == ColumnType::CommaFloat
}

/// What a field is that is no plain number; `None` when it is nothing of this kind either.
pub fn classify(content: &[u8]) -> Option<Seen> {
    let body = unsigned(content);
    let commas = memchr::memchr_iter(b',', body).count();
    if commas == 0 {
        return if grouped(body, b'.') {
            let value = grouped_int(content, true, &mut Vec::new())?;
            // Beside decimals such a number would have to be a float.
            let exact = value.unsigned_abs() <= scalar::EXACT;
            Some(if exact {
                Seen::DOT_GROUPS
            } else {
                Seen::DOT_GROUPS | Seen::WIDE
            })
        } else {
            Day::read(content).map(Day::seen)
        };
    }
    if commas > 1 {
        return grouped(body, b',').then_some(Seen::COMMA_GROUPS);
    }
    let comma = memchr::memchr(b',', body)?;
    let (whole, fraction) = (&body[..comma], &body[comma + 1..]);
    let digits = |bytes: &[u8]| !bytes.is_empty() && bytes.iter().all(u8::is_ascii_digit);
    if !digits(fraction) || !digits(whole) && !grouped(whole, b'.') {
        return None;
    }
    if whole.len() > 1 && whole[0] == b'0' {
        return Some(Seen::CODE);
    }
    if grouped(body, b',') {
        return Some(Seen::COMMA_EITHER);
    }
    match decimal(content, &mut Vec::new())? {
        Number::Float(_, false) => Some(Seen::COMMA),
        Number::Float(_, true) => Some(Seen::COMMA | Seen::ROUNDED),
        _ => Some(Seen::TEXT),
    }
}

/// True for a decimal like `1.200`, whose point may as well group thousands.
#[inline]
pub fn may_group(content: &[u8]) -> bool {
    let body = unsigned(content);
    let length = body.len();
    (5..=7).contains(&length)
        && body[0] != b'0'
        && body[length - 4] == b'.'
        && body[length - 3..].iter().all(u8::is_ascii_digit)
}

/// A number with a decimal comma, perhaps with grouping points.
pub fn decimal(content: &[u8], scratch: &mut Vec<u8>) -> Option<Number> {
    scratch.clear();
    scratch.extend(
        content
            .iter()
            .filter(|byte| **byte != b'.')
            .map(|byte| if *byte == b',' { b'.' } else { *byte }),
    );
    scalar::number(scratch)
}

/// A whole number whose thousands are grouped, or that is too short to need it.
pub fn grouped_int(content: &[u8], dot: bool, scratch: &mut Vec<u8>) -> Option<i64> {
    let separator = if dot { b'.' } else { b',' };
    let body = unsigned(content);
    if !grouped(body, separator) {
        return scalar::int(content).filter(|value| value.unsigned_abs() < 1000);
    }
    scratch.clear();
    scratch.extend(
        content
            .iter()
            .filter(|byte| **byte != separator && **byte != b'+'),
    );
    match scalar::number(scratch)? {
        Number::Int(value) => Some(value),
        _ => None,
    }
}

fn unsigned(content: &[u8]) -> &[u8] {
    let sign = content
        .first()
        .is_some_and(|byte| matches!(byte, b'-' | b'+'));
    &content[usize::from(sign)..]
}

/// True for `1,204` and `1,204,000`: up to three digits, then groups of three, no leading zero.
fn grouped(body: &[u8], separator: u8) -> bool {
    let mut groups = body.split(|byte| *byte == separator);
    let first = groups.next().unwrap_or_default();
    let leads =
        (1..=3).contains(&first.len()) && first[0] != b'0' && first.iter().all(u8::is_ascii_digit);
    // 18 digits at most, so that the value fits.
    let mut count = 0;
    leads
        && groups.all(|group| {
            count += 1;
            group.len() == 3 && group.iter().all(u8::is_ascii_digit)
        })
        && (1..=5).contains(&count)
}

/// `31/12/2022`, with `/`, `.` or `-`, years of two or (with `-`, always) four digits.
#[derive(Clone, Copy, Debug)]
pub struct Day {
    first: u32,
    second: u32,
    year: i64,
    separator: u8,
    short: bool,
}

impl Day {
    /// Reads the three numbers, whatever they mean.
    pub fn read(content: &[u8]) -> Option<Self> {
        if !(6..=10).contains(&content.len()) {
            return None;
        }
        let mark = content.iter().position(|byte| !byte.is_ascii_digit())?;
        let separator = content[mark];
        if !matches!(separator, b'/' | b'.' | b'-') {
            return None;
        }
        let mut parts = content.split(|byte| *byte == separator);
        let (first, second, year) = (parts.next()?, parts.next()?, parts.next()?);
        let short = year.len() == 2;
        let form = parts.next().is_none()
            && (1..=2).contains(&first.len())
            && (1..=2).contains(&second.len())
            && (year.len() == 4 || short && separator != b'-');
        let number = |digits: &[u8]| {
            digits.iter().try_fold(0u32, |number, byte| {
                byte.is_ascii_digit()
                    .then(|| number * 10 + u32::from(byte - b'0'))
            })
        };
        let (first, second, year) = (number(first)?, number(second)?, number(year)?);
        let year = match year {
            // As strptime reads %y (POSIX).
            0..=68 if short => 2000 + year,
            69..=99 if short => 1900 + year,
            year => year,
        };
        form.then_some(Self {
            first,
            second,
            year: i64::from(year),
            separator,
            short,
        })
    }

    /// The day, as days from 1970-01-01.
    pub fn days(self, month_first: bool) -> Option<i32> {
        let (month, day) = if month_first {
            (self.first, self.second)
        } else {
            (self.second, self.first)
        };
        text::days(self.year, month, day).map(|days| days as i32)
    }

    fn seen(self) -> Seen {
        let order = match (self.days(false), self.days(true)) {
            (Some(_), Some(_)) => Seen::EITHER_FIRST,
            (Some(_), None) => Seen::DAY_FIRST,
            (None, Some(_)) => Seen::MONTH_FIRST,
            (None, None) => return Seen::TEXT,
        };
        let separator = match self.separator {
            b'/' => Seen::SLASH,
            b'.' => Seen::DOT,
            _ => Seen::DASH,
        };
        order
            | separator
            | if self.short {
                Seen::SHORT_YEAR
            } else {
                Seen::LONG_YEAR
            }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::delimited::types;

    fn seen(fields: &[&str]) -> Seen {
        let seen = fields.iter().map(|field| types::classify(field.as_bytes()));
        seen.fold(Seen::NOTHING, |left, right| left | right)
    }

    const COMMA: Habit = Habit {
        comma_free: false,
        decimal_comma: false,
    };
    const SEMICOLON: Habit = Habit {
        comma_free: true,
        decimal_comma: false,
    };
    const GERMAN: Habit = Habit {
        comma_free: true,
        decimal_comma: true,
    };

    #[test]
    fn commas_are_read_only_as_the_whole_column_allows() {
        use ColumnType::{CommaFloat, Float, Grouped, Int, Text};
        let (dot, comma) = (Grouped { dot: true }, Grouped { dot: false });
        let rules: &[(&[&str], Habit, ColumnType)] = &[
            (
                &["0,05", "1.299,99", "12,50", "7", ""],
                SEMICOLON,
                CommaFloat,
            ),
            (&["0,05", "NA"], SEMICOLON, CommaFloat),
            (&["0,05"], COMMA, Text),
            (&["0,05", "1.5"], SEMICOLON, Text),
            (&["0,05", "1.200"], SEMICOLON, CommaFloat),
            (&["1,234"], SEMICOLON, Text),
            (&["1,234"], GERMAN, CommaFloat),
            (&["1,234"], COMMA, comma),
            (&["68,527", "1,204,000", "950", "-3"], COMMA, comma),
            (&["68,527", "1,204,000"], SEMICOLON, comma),
            (&["68,527", "1204"], COMMA, Text),
            (&["68,527", "1,20"], COMMA, Text),
            (&["68,527", "1.5"], COMMA, Text),
            (&["00,5"], SEMICOLON, Text),
            (&["1.200", "3"], SEMICOLON, Float),
            (&["1.200", "3"], GERMAN, dot),
            (&["1.200", "3000"], GERMAN, Float),
            (&["1.200", "2.5"], GERMAN, Float),
            (&["1.234.567", "1.200"], SEMICOLON, dot),
            (&["1.234.567"], COMMA, Text),
            (&["9007199254740993", "0,5"], SEMICOLON, Text),
            (&["9.007.199.254.740.993", "0,5"], SEMICOLON, Text),
            (&["9.007.199.254.740.993"], SEMICOLON, dot),
            (&["16387496769722945690", "7,714,358"], COMMA, Text),
            (&["16387496769722945690", "7.714.358"], SEMICOLON, Text),
            (&["1", "2000"], GERMAN, Int),
            (&["1,5", "abc"], SEMICOLON, Text),
        ];
        for (fields, habit, kind) in rules {
            assert_eq!(resolve(seen(fields), *habit), *kind, "{fields:?} {habit:?}");
        }
        assert!(undecided_commas(seen(&["1,234"]), SEMICOLON));
        assert!(undecided_points(seen(&["1.200", "3"]), SEMICOLON));
        for (fields, habit) in [
            (&["1.200", "3000"][..], SEMICOLON),
            (&["1.200", "2.5"], SEMICOLON),
            (&["0.200"], SEMICOLON),
            (&["1.200", "3"], COMMA),
            (&["1.200", "3"], GERMAN),
        ] {
            assert!(!undecided_points(seen(fields), habit), "{fields:?}");
        }
        assert!(!undecided_commas(seen(&["1,23", "x"]), SEMICOLON));
    }

    #[test]
    fn days_need_a_proof_of_their_order() {
        let kind = |fields: &[&str]| resolve(seen(fields), COMMA);
        let day = |month_first| ColumnType::Day { month_first };
        assert_eq!(kind(&["09/05/2022", "31/12/2022", ""]), day(false));
        assert_eq!(kind(&["9.5.22", "31.12.22", "NA"]), day(false));
        assert_eq!(kind(&["05-09-2022", "12-31-2022"]), day(true));
        for text in [
            &["03/04/2021", "05/06/2021"][..],
            &["31/12/2022", "12/31/2022"],
            &["31/12/2022", "30.12.2022"],
            &["31/12/2022", "30/12/22"],
            &["31/12/2022", "2022-12-31"],
            &["31/12/2022", "31/02/2022"],
            &["31/12/2022", "7"],
            &["31-12-22"],
        ] {
            assert_eq!(kind(text), ColumnType::Text, "{text:?}");
        }
        assert_eq!(undecided_days(seen(&["03.04.21"])), Some("%d.%m.%y"));
        assert_eq!(undecided_days(seen(&["03/04/2021", "x"])), None);
    }

    #[test]
    fn values_are_what_a_reader_of_that_habit_reads() {
        let mut scratch = Vec::new();
        assert_eq!(
            decimal(b"-1.299,99", &mut scratch),
            Some(Number::Float(-1299.99, false))
        );
        assert_eq!(decimal(b"1.200", &mut scratch), Some(Number::Int(1200)));
        assert_eq!(
            grouped_int(b"-1,204,000", false, &mut scratch),
            Some(-1_204_000)
        );
        assert_eq!(grouped_int(b"950", false, &mut scratch), Some(950));
        assert_eq!(grouped_int(b"1,20", false, &mut scratch), None);
        assert_eq!(
            Day::read(b"1/2/69").and_then(|day| day.days(false)),
            Some(-334)
        );
        assert_eq!(
            Day::read(b"01.02.1970").and_then(|day| day.days(true)),
            Some(1)
        );
    }
}
