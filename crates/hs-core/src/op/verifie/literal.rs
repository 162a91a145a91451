//! Days and times as a condition writes them: ISO 8601, in quotes.

use super::tree::Type;
use crate::text;

const SECOND: i128 = 1_000_000_000;
/// Nanoseconds of a day.
pub const DAY: i128 = 86_400 * SECOND;

/// A day, a wall clock or an instant, in nanoseconds since 1970.
pub fn moment(written: &str) -> Option<(Type, i128)> {
    let written = written.trim();
    let end = written.find(['T', ' ']).unwrap_or(written.len());
    let days = day(&written[..end])? * DAY;
    if end == written.len() {
        return Some((Type::Date, days));
    }
    let clock = written[end + 1..].trim();
    let zone = clock.find(['Z', '+', '-']).unwrap_or(clock.len());
    let nanos = time(clock[..zone].trim_end())?;
    if zone == clock.len() {
        return Some((Type::Datetime, days + nanos));
    }
    Some((Type::Instant, days + nanos - offset(&clock[zone..])?))
}

/// A time of day, in nanoseconds.
pub fn time(written: &str) -> Option<i128> {
    let (clock, fraction) = written.split_once('.').unwrap_or((written, ""));
    let mut parts = clock.split(':');
    let hour = number(parts.next()?, 2)?;
    let minute = number(parts.next()?, 2)?;
    let second = parts.next().map_or(Some(0), |part| number(part, 2))?;
    let fraction = match fraction.len() {
        0 if written.contains('.') => return None,
        0 => 0,
        length @ 1..=9 => number(fraction, length)? * 10_i128.pow(9 - length as u32),
        _ => return None,
    };
    let fits = parts.next().is_none() && hour < 24 && minute < 60 && second < 60;
    fits.then_some(((hour * 60 + minute) * 60 + second) * SECOND + fraction)
}

fn day(written: &str) -> Option<i128> {
    let mut parts = written.split('-');
    let year = number(parts.next()?, 4)?;
    let month = number(parts.next()?, 2)?;
    let day = number(parts.next()?, 2)?;
    if parts.next().is_some() {
        return None;
    }
    text::days(year as i64, month as u32, day as u32).map(i128::from)
}

fn offset(written: &str) -> Option<i128> {
    if written == "Z" {
        return Some(0);
    }
    let sign = if written.starts_with('-') { -1 } else { 1 };
    let digits: String = written[1..]
        .chars()
        .filter(|letter| *letter != ':')
        .collect();
    let (hours, minutes) = match digits.len() {
        2 => (number(&digits, 2)?, 0),
        4 => (number(&digits[..2], 2)?, number(&digits[2..], 2)?),
        _ => return None,
    };
    (hours < 24 && minutes < 60).then_some(sign * (hours * 60 + minutes) * 60 * SECOND)
}

/// So many digits.
fn number(written: &str, digits: usize) -> Option<i128> {
    let fits = written.len() == digits && written.bytes().all(|byte| byte.is_ascii_digit());
    if fits { written.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_clocks_and_instants() {
        assert_eq!(moment("1970-01-02"), Some((Type::Date, DAY)));
        assert_eq!(
            moment("1970-01-01 00:01:00.5"),
            Some((Type::Datetime, 60 * SECOND + SECOND / 2))
        );
        assert_eq!(moment("1970-01-01T01:00+01:00"), Some((Type::Instant, 0)));
        assert_eq!(
            moment("1970-01-01T00:00:01Z"),
            Some((Type::Instant, SECOND))
        );
        for wrong in [
            "2026-02-30",
            "2026-1-1",
            "x",
            "",
            "2026-01-01T",
            "2026-01-01 25:00",
        ] {
            assert_eq!(moment(wrong), None, "{wrong}");
        }
        assert_eq!(time("23:59"), Some(DAY - 60 * SECOND));
    }
}
