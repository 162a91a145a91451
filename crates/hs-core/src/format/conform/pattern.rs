//! Days and times by a pattern of directives, as strptime knows them: `%d/%m/%Y %H:%M`.
//!
//! A pattern fits a text as a whole or not at all; what it leaves open is never guessed, except that
//! a clock without minutes or seconds has none, and a day without a clock starts at midnight.

use crate::format::delimited::scalar::Moment;
use crate::text;

/// The directives there are, for messages.
pub const DIRECTIVES: &str = "%Y %y %m %b %B %d %j %H %I %p %M %S %f %z %%";

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// One part of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// Four digits of a year.
    Year,
    /// Two digits of a year, as POSIX reads them: 69 is 1969, 68 is 2068.
    ShortYear,
    Month,
    /// The English name of a month, in full or its first three letters.
    MonthName,
    Day,
    DayOfYear,
    Hour,
    /// Hour of twelve, beside AM or PM.
    HalfHour,
    AmPm,
    Minute,
    Second,
    Fraction,
    Offset,
    /// Any amount of space.
    Space,
    Literal(char),
}

/// What a pattern must tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// A day, no clock.
    Date,
    /// A day, perhaps a clock and an offset.
    Datetime,
    /// A clock, no day.
    Time,
}

/// A pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    parts: Vec<Part>,
}

/// What a text says, as far as its pattern asks.
#[derive(Clone, Copy, Debug, Default)]
struct Found {
    year: i64,
    month: u32,
    day: u32,
    day_of_year: Option<u32>,
    hour: u32,
    afternoon: Option<bool>,
    minute: u32,
    second: u32,
    nanos: u32,
    offset: Option<i64>,
}

impl Pattern {
    /// Reads a pattern.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    pub fn parse(pattern: &str, scope: Scope) -> Result<Self, String> {
        let mut parts = Vec::new();
        let mut rest = pattern.chars().peekable();
        while let Some(character) = rest.next() {
            if character.is_whitespace() {
                if parts.last() != Some(&Part::Space) {
                    parts.push(Part::Space);
                }
                continue;
            }
            if character != '%' {
                parts.push(Part::Literal(character));
                continue;
            }
            // `%-d` is what some call a day without a zero before it; it is read all the same.
            if rest.peek() == Some(&'-') {
                rest.next();
            }
            parts.push(match rest.next() {
                Some('Y') => Part::Year,
                Some('y') => Part::ShortYear,
                Some('m') => Part::Month,
                Some('b' | 'B') => Part::MonthName,
                Some('d') => Part::Day,
                Some('j') => Part::DayOfYear,
                Some('H') => Part::Hour,
                Some('I') => Part::HalfHour,
                Some('p') => Part::AmPm,
                Some('M') => Part::Minute,
                Some('S') => Part::Second,
                Some('f') => Part::Fraction,
                Some('z') => Part::Offset,
                Some('%') => Part::Literal('%'),
                Some(other) => {
                    return Err(format!("%{other} is no directive: those are {DIRECTIVES}"));
                }
                None => return Err(format!("it ends with %: directives are {DIRECTIVES}")),
            });
        }
        let pattern = Self { parts };
        pattern.check(scope)?;
        Ok(pattern)
    }

    fn has(&self, any: &[Part]) -> bool {
        self.parts.iter().any(|part| any.contains(part))
    }

    fn check(&self, scope: Scope) -> Result<(), String> {
        let year = [Part::Year, Part::ShortYear];
        let month = [Part::Month, Part::MonthName];
        let hour = [Part::Hour, Part::HalfHour];
        let clock = [
            hour[0],
            hour[1],
            Part::AmPm,
            Part::Minute,
            Part::Second,
            Part::Fraction,
        ];
        let whole_day = self.has(&year)
            && (self.has(&[Part::DayOfYear]) || self.has(&month) && self.has(&[Part::Day]));
        let any_day =
            self.has(&year) || self.has(&month) || self.has(&[Part::Day, Part::DayOfYear]);
        if scope != Scope::Time && !whole_day {
            return Err("it must tell the year, month and day: such as %d/%m/%Y".to_owned());
        }
        if scope == Scope::Time && any_day {
            return Err("a time has no day: take datetime".to_owned());
        }
        if scope == Scope::Date && (self.has(&clock) || self.has(&[Part::Offset])) {
            return Err("a date has no clock: take datetime".to_owned());
        }
        if scope == Scope::Time && self.has(&[Part::Offset]) {
            return Err("a time of day has no offset".to_owned());
        }
        let needs_hour = scope == Scope::Time || self.has(&clock[2..]);
        if needs_hour && !self.has(&hour) {
            return Err("it must tell the hour: %H, or %I with %p".to_owned());
        }
        if self.has(&[Part::HalfHour]) != self.has(&[Part::AmPm]) {
            return Err("%I and %p need each other".to_owned());
        }
        let repeated = self.parts.iter().enumerate().any(|(index, part)| {
            !matches!(part, Part::Space | Part::Literal(_)) && self.parts[..index].contains(part)
        });
        if repeated {
            return Err("a directive stands twice".to_owned());
        }
        Ok(())
    }

    /// The day of a text, from 1970-01-01.
    pub fn date(&self, text: &str) -> Option<i32> {
        self.found(text)?.days().map(|days| days as i32)
    }

    /// The point in time of a text.
    pub fn moment(&self, text: &str) -> Option<Moment> {
        let found = self.found(text)?;
        let nanos = found.clock();
        let micros =
            found.days()? * 86_400_000_000 + nanos / 1000 - found.offset.unwrap_or(0) * 1_000_000;
        Some(Moment {
            micros,
            nanos: (nanos % 1000) as u16,
            zoned: found.offset.is_some(),
        })
    }

    /// The time of day of a text, in nanoseconds.
    pub fn time(&self, text: &str) -> Option<i64> {
        Some(self.found(text)?.clock())
    }

    fn found(&self, text: &str) -> Option<Found> {
        let mut found = Found::default();
        let mut rest = text;
        for part in &self.parts {
            rest = match part {
                Part::Year => {
                    let (year, digits, rest) = number(rest, 4)?;
                    found.year = i64::from(year);
                    (digits == 4).then_some(rest)?
                }
                Part::ShortYear => {
                    let (year, digits, rest) = number(rest, 2)?;
                    found.year = i64::from(year) + if year < 69 { 2000 } else { 1900 };
                    (digits == 2).then_some(rest)?
                }
                Part::Month => two(rest, &mut found.month)?,
                Part::MonthName => {
                    let (month, rest) = month_name(rest)?;
                    found.month = month;
                    rest
                }
                Part::Day => two(rest, &mut found.day)?,
                Part::DayOfYear => {
                    let (day, _, rest) = number(rest, 3)?;
                    found.day_of_year = Some(day);
                    rest
                }
                Part::Hour | Part::HalfHour => {
                    let rest = two(rest, &mut found.hour)?;
                    let fits = match part {
                        Part::Hour => found.hour < 24,
                        _ => (1..=12).contains(&found.hour),
                    };
                    fits.then_some(rest)?
                }
                Part::AmPm => {
                    let word = rest.get(..2)?;
                    let afternoon = word.eq_ignore_ascii_case("pm");
                    found.afternoon = Some(afternoon);
                    (afternoon || word.eq_ignore_ascii_case("am")).then_some(&rest[2..])?
                }
                Part::Minute => {
                    let rest = two(rest, &mut found.minute)?;
                    (found.minute < 60).then_some(rest)?
                }
                Part::Second => {
                    // A leap second has no place on the time line of the result.
                    let rest = two(rest, &mut found.second)?;
                    (found.second < 60).then_some(rest)?
                }
                Part::Fraction => {
                    let (fraction, digits, rest) = number(rest, 9)?;
                    found.nanos = fraction * 10u32.pow(9 - digits as u32);
                    rest
                }
                Part::Offset => {
                    let (offset, rest) = offset(rest)?;
                    found.offset = Some(offset);
                    rest
                }
                Part::Space => {
                    let trimmed = rest.trim_start();
                    (trimmed.len() < rest.len()).then_some(trimmed)?
                }
                Part::Literal(character) => rest.strip_prefix(*character)?,
            };
        }
        rest.is_empty().then_some(found)
    }
}

impl Found {
    fn days(&self) -> Option<i64> {
        match self.day_of_year {
            None => text::days(self.year, self.month, self.day),
            Some(day) => {
                let first = text::days(self.year, 1, 1)?;
                let last = text::days(self.year, 12, 31)?;
                let days = first + i64::from(day) - 1;
                (day > 0 && days <= last).then_some(days)
            }
        }
    }

    fn clock(&self) -> i64 {
        let hour = match self.afternoon {
            None => self.hour,
            Some(afternoon) => self.hour % 12 + if afternoon { 12 } else { 0 },
        };
        i64::from(hour * 3600 + self.minute * 60 + self.second) * 1_000_000_000
            + i64::from(self.nanos)
    }
}

/// Up to `most` digits (at most nine): the number, how many there are, and what follows.
fn number(text: &str, most: usize) -> Option<(u32, usize, &str)> {
    let digits = text
        .bytes()
        .take(most)
        .take_while(u8::is_ascii_digit)
        .count();
    let number = text[..digits].parse().ok()?;
    Some((number, digits, &text[digits..]))
}

/// One or two digits.
fn two<'a>(text: &'a str, value: &mut u32) -> Option<&'a str> {
    let (number, _, rest) = number(text, 2)?;
    *value = number;
    Some(rest)
}

fn month_name(text: &str) -> Option<(u32, &str)> {
    let starts = |word: &str| {
        let head = text.get(..word.len());
        head.is_some_and(|head| head.eq_ignore_ascii_case(word))
    };
    (1..).zip(MONTHS).find_map(|(month, name)| {
        let length = if starts(name) { name.len() } else { 3 };
        starts(&name[..length]).then(|| (month, &text[length..]))
    })
}

/// `Z`, `+01:00`, `+0100` or `+01`, in seconds, and what follows.
fn offset(text: &str) -> Option<(i64, &str)> {
    let (sign, rest) = match text.as_bytes().first()? {
        b'Z' | b'z' => return Some((0, &text[1..])),
        b'+' => (1, &text[1..]),
        b'-' => (-1, &text[1..]),
        _ => return None,
    };
    let (hours, digits, rest) = number(rest, 2)?;
    if digits != 2 {
        return None;
    }
    let behind = rest.strip_prefix(':').unwrap_or(rest);
    let (minutes, rest) = match number(behind, 2) {
        Some((minutes, 2, rest)) => (minutes, rest),
        _ => (0, rest),
    };
    let fits = hours < 24 && minutes < 60;
    fits.then(|| (sign * i64::from(hours * 3600 + minutes * 60), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn date(pattern: &str, value: &str) -> Option<String> {
        let pattern = Pattern::parse(pattern, Scope::Date).expect("a pattern");
        pattern.date(value).map(text::date)
    }

    fn moment(pattern: &str, value: &str) -> Option<String> {
        let pattern = Pattern::parse(pattern, Scope::Datetime).expect("a pattern");
        let moment = pattern.moment(value)?;
        let nanos = i128::from(moment.micros) * 1000 + i128::from(moment.nanos);
        Some(text::datetime(nanos, moment.zoned))
    }

    #[test]
    fn days_are_read_as_the_pattern_says() {
        let rules = [
            ("%d/%m/%Y", "03/04/2021", Some("2021-04-03")),
            ("%m/%d/%Y", "03/04/2021", Some("2021-03-04")),
            ("%d/%m/%Y", "3/4/2021", Some("2021-04-03")),
            ("%d/%m/%Y", "03/04/21", None),
            ("%d/%m/%Y", "03-04-2021", None),
            ("%d/%m/%Y", "31/02/2021", None),
            ("%d/%m/%Y", "03/04/2021 ", None),
            ("%d.%m.%y", "31.12.69", Some("1969-12-31")),
            ("%d.%m.%y", "31.12.68", Some("2068-12-31")),
            ("%Y%m%d", "20260131", Some("2026-01-31")),
            ("%d %b %Y", "3  Mar 2021", Some("2021-03-03")),
            ("%B %d, %Y", "may 9, 2021", Some("2021-05-09")),
            ("%b-%d-%Y", "September-09-2021", Some("2021-09-09")),
            ("%d %b %Y", "3 Mrz 2021", None),
            ("%Y-%j", "2024-366", Some("2024-12-31")),
            ("%Y-%j", "2023-366", None),
            ("%-d/%-m/%Y", "3/4/2021", Some("2021-04-03")),
            ("%d%%%m%%%Y", "03%04%2021", Some("2021-04-03")),
        ];
        for (pattern, value, wanted) in rules {
            assert_eq!(date(pattern, value).as_deref(), wanted, "{pattern} {value}");
        }
    }

    #[test]
    fn clocks_and_offsets() {
        let rules = [
            (
                "%d/%m/%Y %H:%M",
                "03/04/2021 18:05",
                Some("2021-04-03 18:05:00"),
            ),
            ("%d/%m/%Y %H:%M", "03/04/2021 24:05", None),
            ("%d/%m/%Y %H:%M", "03/04/2021 18:60", None),
            (
                "%m/%d/%y %I:%M %p",
                "3/4/21 12:05 am",
                Some("2021-03-04 00:05:00"),
            ),
            (
                "%m/%d/%y %I:%M %p",
                "3/4/21 12:05 PM",
                Some("2021-03-04 12:05:00"),
            ),
            ("%m/%d/%y %I:%M %p", "3/4/21 0:05 PM", None),
            (
                "%d/%b/%Y:%H:%M:%S %z",
                "29/Nov/2026:18:42:01 +0130",
                Some("2026-11-29 17:12:01+00:00"),
            ),
            (
                "%Y-%m-%dT%H:%M:%S.%f%z",
                "2026-11-29T18:42:01.25Z",
                Some("2026-11-29 18:42:01.250+00:00"),
            ),
            (
                "%Y-%m-%d %H:%M:%S.%f",
                "2026-11-29 18:42:01.000000007",
                Some("2026-11-29 18:42:01.000000007"),
            ),
            ("%Y-%m-%d", "2026-11-29", Some("2026-11-29 00:00:00")),
        ];
        for (pattern, value, wanted) in rules {
            assert_eq!(
                moment(pattern, value).as_deref(),
                wanted,
                "{pattern} {value}"
            );
        }
        let time = Pattern::parse("%Hh%M", Scope::Time).expect("a pattern");
        assert_eq!(
            time.time("08h30").map(text::time).as_deref(),
            Some("08:30:00")
        );
        assert_eq!(time.time("8h30m"), None);
    }

    #[test]
    fn a_pattern_that_cannot_tell_is_refused() {
        let rules = [
            ("%d/%m", Scope::Date, "year, month and day"),
            ("%d/%m/%Y %H", Scope::Date, "take datetime"),
            ("%d/%m/%Y %M", Scope::Datetime, "hour"),
            ("%d/%m/%Y %I", Scope::Datetime, "each other"),
            ("%d/%d/%m/%Y", Scope::Date, "twice"),
            ("%d/%m/%Q", Scope::Date, "%Q is no directive"),
            ("%d/%m/%Y%", Scope::Date, "ends with %"),
            ("%H:%M %d", Scope::Time, "no day"),
            ("%H:%M%z", Scope::Time, "no offset"),
            ("%M", Scope::Time, "hour"),
        ];
        for (pattern, scope, words) in rules {
            let found = Pattern::parse(pattern, scope).expect_err(pattern);
            assert!(found.contains(words), "{pattern}: {found}");
        }
    }

    #[test]
    fn letters_beyond_ascii_never_cut_a_character() {
        let pattern = Pattern::parse("%d %b %Y %I %p", Scope::Datetime).expect("a pattern");
        for value in ["1 mäé 2021 1 é", "1 é", "é", "1 maé 2021"] {
            assert_eq!(pattern.moment(value), None, "{value}");
        }
    }
}
