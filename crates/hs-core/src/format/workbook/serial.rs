//! Excel's serial days and ISO texts as microseconds. It never decides what a column is.

use super::cells::Moment;

/// Microseconds of a day.
pub const DAY: i64 = 86_400_000_000;
/// The serial of 9999-12-31, the last day that Excel shows, in the 1900 system.
const LAST: f64 = 2_958_465.0;
/// Days from serial 0 of the 1900 system (its days after February 1900) to 1970-01-01.
const EPOCH: i64 = 25_569;
/// Days between the 1900 and the 1904 system.
const SYSTEMS: f64 = 1462.0;

/// The wall clock of a serial, in microseconds since 1970-01-01; `None` for a serial that is no day:
/// below 1, 60 (the 1900-02-29 that never was) or after 9999 in the 1900 system, negative in the 1904 system.
pub fn wall_clock(serial: f64, system_1904: bool) -> Option<i64> {
    if system_1904 {
        if !(0.0..LAST - SYSTEMS + 1.0).contains(&serial) {
            return None;
        }
        let micros = within(micros(serial), LAST - SYSTEMS);
        return Some(micros + (SYSTEMS as i64 - EPOCH) * DAY);
    }
    if !(1.0..LAST + 1.0).contains(&serial) {
        return None;
    }
    let micros = within(micros(serial), LAST);
    match micros / DAY {
        60 => None,
        day if day < 60 => Some(micros + (1 - EPOCH) * DAY),
        _ => Some(micros - EPOCH * DAY),
    }
}

/// No later than the end of the last day: `9999-12-31 23:59:59.999999` means for ever, and its serial is
/// within the noise of a day that there is not.
fn within(micros: i64, last: f64) -> i64 {
    micros.min((last as i64 + 1) * DAY - 1)
}

/// The serial of a wall clock in the 1900 system; `None` before 1900-03-01, where Excel counts a day
/// that never was and other programs do not, and after 9999.
pub fn of_wall_clock(micros: i64) -> Option<f64> {
    const FIRST: i64 = 61;
    let day = micros.div_euclid(DAY) + EPOCH;
    (FIRST..=LAST as i64).contains(&day).then(|| {
        let serial = day as f64 + micros.rem_euclid(DAY) as f64 / DAY as f64;
        // The last microseconds of a late year are nearer to midnight than to the float before it.
        serial.min(((day + 1) as f64).next_down())
    })
}

/// Days as microseconds, to the nearest whole millisecond when that is within the noise.
///
/// A serial of today has steps of 0.6 microseconds and programs write it with 15 or 16 digits;
/// Excel itself shows milliseconds at most. A serial of the year 9999 has steps of 40 microseconds.
pub fn micros(days: f64) -> i64 {
    const NOISE: i64 = 5;
    // Far beyond all calendars; also what is no number.
    const FAR: f64 = 1e8;
    if days.abs() >= FAR || days.is_nan() {
        return (days * DAY as f64).round() as i64;
    }
    // Whole days apart: their product with the microseconds of a day has more digits than a float.
    let whole = days.floor();
    let micros = whole as i64 * DAY + ((days - whole) * DAY as f64).round() as i64;
    let steps = (days.abs() * f64::EPSILON * DAY as f64) as i64;
    // A time of day alone has steps far below a microsecond: 23:59:59.999999 is not midnight.
    let noise = if whole == 0.0 {
        0
    } else {
        NOISE.max(steps).min(499)
    };
    let past = micros.rem_euclid(1000);
    if past <= noise {
        micros - past
    } else if past >= 1000 - noise {
        micros + 1000 - past
    } else {
        micros
    }
}

/// An ISO 8601 date, datetime or time of day without zone, as OpenDocument and strict OOXML write them.
pub fn parse_iso(text: &str) -> Option<Moment> {
    let text = text.trim();
    if text.as_bytes().get(2) == Some(&b':') {
        return clock(text).map(Moment::Clock);
    }
    let (day, time) = match text.split_once(['T', ' ']) {
        Some((day, time)) => (day, Some(time)),
        None => (text, None),
    };
    let (sign, day) = match day.strip_prefix('-') {
        Some(day) => (-1, day),
        None => (1, day),
    };
    let mut parts = day.split('-');
    let year: i64 = parts.next()?.parse().ok().filter(|year| *year <= 9999)?;
    let month = parts.next()?.parse().ok()?;
    let day = parts.next()?.parse().ok()?;
    if parts.next().is_some() {
        return None;
    }
    let days = crate::text::days(sign * year, month, day)?;
    let clock = match time {
        Some(time) => clock(time.strip_suffix('Z').unwrap_or(time))?,
        None => 0,
    };
    Some(Moment::Wall(days * DAY + clock))
}

/// `hh:mm:ss.fff` as microseconds.
fn clock(text: &str) -> Option<i64> {
    let mut parts = text.split(':');
    let hour: i64 = parts.next()?.parse().ok()?;
    let minute: i64 = parts.next()?.parse().ok()?;
    let seconds = match parts.next() {
        Some(seconds) => decimal_micros(seconds)?,
        None => 0,
    };
    let inside = (0..24).contains(&hour) && (0..60).contains(&minute) && seconds < 61_000_000;
    (inside && parts.next().is_none()).then_some((hour * 3600 + minute * 60) * 1_000_000 + seconds)
}

/// An ISO 8601 duration of days and smaller (`PT08H30M00S`, `P1DT2H`) as microseconds.
pub fn parse_iso_duration(text: &str) -> Option<i64> {
    let (sign, rest) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text),
    };
    let rest = rest.strip_prefix('P')?;
    let (days, clock) = rest.split_once('T').unwrap_or((rest, ""));
    let mut total: i64 = 0;
    for (text, units) in [(days, &[('D', DAY)][..]), (clock, &CLOCK_UNITS[..])] {
        let mut number = String::new();
        for character in text.chars() {
            match units.iter().find(|(unit, _)| *unit == character) {
                Some((_, size)) => {
                    let millionths = decimal_micros(&number)?;
                    number.clear();
                    let part = i128::from(millionths) * i128::from(*size) / 1_000_000;
                    total = total.checked_add(i64::try_from(part).ok()?)?;
                }
                None => number.push(character),
            }
        }
        if !number.is_empty() {
            return None;
        }
    }
    Some(sign * total)
}

const CLOCK_UNITS: [(char, i64); 3] = [('H', 3_600_000_000), ('M', 60_000_000), ('S', 1_000_000)];

/// A decimal number without sign, in millionths; more than six decimals are rounded.
fn decimal_micros(text: &str) -> Option<i64> {
    let (whole, fraction) = text.split_once(['.', ',']).unwrap_or((text, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !digits(whole) || !digits(fraction) {
        return None;
    }
    let whole: i64 = whole.parse().ok()?;
    let fraction: f64 = format!("0.{fraction}0").parse().ok()?;
    whole
        .checked_mul(1_000_000)?
        .checked_add((fraction * 1e6).round() as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(serial: f64, system_1904: bool) -> Option<String> {
        wall_clock(serial, system_1904)
            .map(|micros| crate::text::datetime(i128::from(micros) * 1000, false))
    }

    #[test]
    fn the_last_microsecond_of_a_day_or_of_all_days_is_not_the_next_one() {
        let last = 86_399_999_999;
        assert_eq!(micros(last as f64 / DAY as f64), last);
        let for_ever = of_wall_clock((LAST as i64 - EPOCH) * DAY + last);
        assert_eq!(
            for_ever.and_then(|serial| shown(serial, false)).as_deref(),
            Some("9999-12-31 23:59:59.999999")
        );
    }

    #[test]
    fn serials_are_days_of_the_1900_system() {
        // Days as Excel shows them.
        let days = [
            (1.0, "1900-01-01 00:00:00"),
            (59.0, "1900-02-28 00:00:00"),
            (61.0, "1900-03-01 00:00:00"),
            (45_658.5, "2025-01-01 12:00:00"),
            (2_958_465.0, "9999-12-31 00:00:00"),
        ];
        for (serial, day) in days {
            assert_eq!(shown(serial, false).as_deref(), Some(day));
        }
        for none in [
            60.0,
            60.9,
            0.0,
            0.5,
            -1.0,
            2_958_466.0,
            f64::NAN,
            f64::INFINITY,
        ] {
            assert_eq!(shown(none, false), None, "{none}");
        }
    }

    #[test]
    fn the_1904_system_has_no_hole() {
        assert_eq!(shown(0.0, true).as_deref(), Some("1904-01-01 00:00:00"));
        assert_eq!(shown(59.0, true).as_deref(), Some("1904-02-29 00:00:00"));
        assert_eq!(
            shown(42_735.0, true).as_deref(),
            Some("2021-01-01 00:00:00")
        );
        assert_eq!(shown(-1.0, true), None);
    }

    #[test]
    fn wall_clocks_have_serials_from_march_1900_to_9999() {
        // As Excel shows them.
        let serials = [
            ((1900, 3, 1), 0, Some(61.0)),
            ((1970, 1, 1), DAY / 2, Some(25_569.5)),
            ((2025, 1, 1), DAY / 4, Some(45_658.25)),
            ((9999, 12, 31), 0, Some(2_958_465.0)),
            ((1900, 2, 28), DAY - 1, None),
            ((10_000, 1, 1), 0, None),
            ((1, 1, 1), 0, None),
        ];
        for ((year, month, day), clock, serial) in serials {
            let days = crate::text::days(year, month, day).expect("a day");
            assert_eq!(of_wall_clock(days * DAY + clock), serial, "{year}");
        }
        let last = (2_958_466 - EPOCH) * DAY - 1;
        assert!(of_wall_clock(last).is_some_and(|serial| serial < LAST + 1.0));
        assert_eq!(of_wall_clock(i64::MIN), None);
        assert_eq!(of_wall_clock(i64::MAX), None);
    }

    #[test]
    fn the_noise_of_floats_is_no_microsecond() {
        for second in [1_i64, 7, 13, 59, 3601, 86_399] {
            let serial = 46_025.0 + second as f64 / 86_400.0;
            assert_eq!(micros(serial), 46_025 * DAY + second * 1_000_000);
        }
        assert_eq!(micros(0.5 + 0.000_250 / 86_400.0), DAY / 2 + 250);
        // The end of all days, which many systems write for "never".
        let last = 2_958_465 * DAY + 86_399_000_000;
        assert_eq!(micros(2_958_465.0 + 86_399.0 / 86_400.0), last);
        assert_eq!(micros(-0.5), -DAY / 2);
        assert_eq!((micros(f64::NAN), micros(1e300)), (0, i64::MAX));
    }

    #[test]
    fn iso_texts_are_read() {
        assert_eq!(parse_iso("1970-01-02"), Some(Moment::Wall(DAY)));
        assert_eq!(
            parse_iso("1970-01-01T00:00:01.5"),
            Some(Moment::Wall(1_500_000))
        );
        assert_eq!(parse_iso("08:30:00"), Some(Moment::Clock(30_600_000_000)));
        for wrong in ["1970-02-30", "1970-01-01T25:00:00", "text", "", "1970-01"] {
            assert_eq!(parse_iso(wrong), None, "{wrong}");
        }
        assert_eq!(parse_iso_duration("PT08H30M00S"), Some(30_600_000_000));
        assert_eq!(parse_iso_duration("PT100H00M00.5S"), Some(360_000_500_000));
        assert_eq!(parse_iso_duration("-P1DT1S"), Some(-86_401_000_000));
        assert_eq!(parse_iso_duration("PT5"), None);
    }
}
