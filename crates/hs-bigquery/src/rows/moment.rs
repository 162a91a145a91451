//! Days, times of day and points in time, as BigQuery writes them: to whole units, without rounding. Years are
//! 1 to 9999, as BigQuery's are.

use hs_core::text;

use super::decimal::{Plain, without_exponent};

const SECOND: i64 = 1_000_000;
const DAY: i64 = 86_400 * SECOND;
/// 0001-01-01T00:00:00 and 9999-12-31T23:59:59.999999, in microseconds from 1970.
const FIRST: i64 = -62_135_596_800 * SECOND;
const LAST: i64 = 253_402_300_800 * SECOND - 1;

/// `2020-01-02`, in days from 1970.
#[inline]
pub fn date(text: &str) -> Option<i32> {
    let bytes: &[u8; 10] = text.as_bytes().try_into().ok()?;
    if bytes[4] != b'-' || bytes[7] != b'-' {
        return None;
    }
    let year = two(bytes[0], bytes[1])? * 100 + two(bytes[2], bytes[3])?;
    let (month, day) = (two(bytes[5], bytes[6])?, two(bytes[8], bytes[9])?);
    if year == 0 {
        return None;
    }
    text::days(i64::from(year), month, day).map(|days| days as i32)
}

/// `03:04:05.678901`, in microseconds from midnight.
#[inline]
pub fn time(text: &str) -> Option<i64> {
    let (micros, lost) = clock(text.as_bytes())?;
    (!lost).then_some(micros)
}

/// `2020-01-02T03:04:05.678901`, a wall clock, in microseconds from 1970.
#[inline]
pub fn datetime(text: &str) -> Option<i64> {
    let (micros, lost) = day_and_clock(text)?;
    (!lost).then_some(micros)
}

fn day_and_clock(text: &str) -> Option<(i64, bool)> {
    let (day, clock_text) = (text.get(..10)?, text.get(11..)?);
    if !matches!(text.as_bytes()[10], b'T' | b' ') {
        return None;
    }
    let (micros, lost) = clock(clock_text.as_bytes())?;
    Some((i64::from(date(day)?) * DAY + micros, lost))
}

/// An instant, in microseconds from 1970, and whether it has digits below them, which are cut off.
///
/// Microseconds are a whole number, seconds have a point or an exponent. Those are decimals, not floats: no
/// float holds the microseconds of a day far from 1970. Where picoseconds are asked for they are ISO 8601.
#[inline]
pub fn timestamp(text: &str) -> Option<(i64, bool)> {
    let (micros, lost) = match super::scalar::int(text) {
        Some(micros) => (micros, false),
        None if [4, 7]
            .iter()
            .all(|at| text.as_bytes().get(*at) == Some(&b'-')) =>
        {
            let ends = ["Z", "+00:00", "+00", " UTC"];
            let bare = ends.iter().find_map(|end| text.strip_suffix(end));
            day_and_clock(bare.unwrap_or(text))?
        }
        None => seconds(text)?,
    };
    (FIRST..=LAST).contains(&micros).then_some((micros, lost))
}

/// `1.577934245123456E9`.
fn seconds(text: &str) -> Option<(i64, bool)> {
    let text = without_exponent(text)?;
    let plain = Plain::read(&text)?;
    let kept = plain.fraction.get(..6).unwrap_or(plain.fraction);
    let lost = kept.len() < plain.fraction.len();
    let micros = Plain {
        fraction: kept,
        ..plain
    }
    .at_scale(6)?;
    // What is cut off makes an instant earlier, as where it stands as a date.
    let micros = micros - i128::from(lost && plain.negative);
    Some((i64::try_from(micros).ok()?, lost))
}

/// `03:04:05` with up to twelve digits behind the second, in microseconds, and whether it has digits below them.
fn clock(bytes: &[u8]) -> Option<(i64, bool)> {
    let (head, rest) = bytes.split_first_chunk::<8>()?;
    let [h1, h2, b':', m1, m2, b':', s1, s2] = *head else {
        return None;
    };
    let (hour, minute, second) = (two(h1, h2)?, two(m1, m2)?, two(s1, s2)?);
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let mut micros = i64::from(hour * 3600 + minute * 60 + second) * SECOND;
    let digits = match rest {
        [] => return Some((micros, false)),
        [b'.', digits @ ..] if (1..=12).contains(&digits.len()) => digits,
        _ => return None,
    };
    let (mut unit, mut lost) = (SECOND / 10, false);
    for digit in digits {
        let digit = digit.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        micros += i64::from(digit) * unit;
        lost |= unit == 0 && digit != 0;
        unit /= 10;
    }
    Some((micros, lost))
}

#[inline]
fn two(tens: u8, ones: u8) -> Option<u32> {
    let (tens, ones) = (tens.wrapping_sub(b'0'), ones.wrapping_sub(b'0'));
    (tens <= 9 && ones <= 9).then(|| u32::from(tens) * 10 + u32::from(ones))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn days_of_the_years_1_to_9999() {
        let days = [
            "1970-01-01",
            "2020-01-02",
            "0001-01-01",
            "9999-12-31",
            "2000-02-29",
        ];
        let wanted = [0, 18_263, -719_162, 2_932_896, 11_016];
        assert_eq!(days.map(date), wanted.map(Some));
        for text in [
            "0000-01-01",
            "1900-02-29",
            "2020-13-01",
            "2020-1-02",
            "2020-01-02T",
            "10000-01-01",
            "",
            "-001-01-01",
        ] {
            assert_eq!(date(text), None, "{text}");
        }
    }

    #[test]
    fn times_of_day_to_the_microsecond() {
        assert_eq!(time("00:00:00"), Some(0));
        assert_eq!(time("23:59:59.999999"), Some(DAY - 1));
        assert_eq!(time("03:04:05.6"), Some(11_045_600_000));
        assert_eq!(time("03:04:05.600000000"), Some(11_045_600_000));
        for text in [
            "24:00:00",
            "03:04",
            "03:04:60",
            "03:04:05.",
            "03:04:05.0000001",
            "3:04:05",
            "03:04:05Z",
            "",
        ] {
            assert_eq!(time(text), None, "{text}");
        }
    }

    #[test]
    fn wall_clocks() {
        assert_eq!(
            datetime("2020-01-02T03:04:05.678901"),
            Some(1_577_934_245_678_901)
        );
        assert_eq!(datetime("0001-01-01T00:00:00"), Some(FIRST));
        assert_eq!(datetime("9999-12-31T23:59:59.999999"), Some(LAST));
        for text in [
            "2020-01-02",
            "2020-01-02T",
            "2020-01-02X03:04:05",
            "2020-01-02T03:04:05Z",
            "é020-01-02T03:04:05",
        ] {
            assert_eq!(datetime(text), None, "{text}");
        }
    }

    #[test]
    fn instants_in_all_forms() {
        for (text, micros) in [
            // The unit vectors of the contract.
            ("-1.9954383398377106E10", -19_954_383_398_377_106),
            ("1.577934245123456E9", 1_577_934_245_123_456),
            ("0.0", 0),
            ("253402300799.999999", LAST),
            // The same as whole microseconds, and the ends.
            ("-19954383398377106", -19_954_383_398_377_106),
            ("1577934245123456", 1_577_934_245_123_456),
            ("0", 0),
            ("-62135596800000000", FIRST),
            ("253402300799999999", LAST),
            ("-6.21355968E10", FIRST),
            ("2.53402300799999999E11", LAST),
            ("1E0", 1_000_000),
            ("1.0E-6", 1),
            // Picoseconds.
            ("2020-01-02T03:04:05.123456000000Z", 1_577_934_245_123_456),
            ("2020-01-02 03:04:05.123456+00:00", 1_577_934_245_123_456),
            ("2020-01-02 03:04:05 UTC", 1_577_934_245_000_000),
        ] {
            assert_eq!(timestamp(text).map(|found| found.0), Some(micros), "{text}");
        }
        let outside = [
            "-62135596800000001",
            "253402300800000000",
            "2.534023008E11",
            "9223372036854775807",
        ];
        for text in outside.into_iter().chain([
            "",
            "x",
            "2020-01-02",
            "1e",
            "2020-01-02T03:04:05+01:00",
            "NaN",
            "1e300",
        ]) {
            assert_eq!(timestamp(text), None, "{text}");
        }
    }

    #[test]
    fn digits_below_a_microsecond_are_cut_off_and_told() {
        assert_eq!(
            timestamp("1969-12-31T23:59:59.999999999999Z"),
            Some((-1, true))
        );
        assert_eq!(timestamp("-0.0000001"), Some((-1, true)));
        assert_eq!(timestamp("0.0000019"), Some((1, true)));
        assert_eq!(timestamp("0.000001000"), Some((1, false)));
    }

    proptest! {
        #[test]
        fn seconds_of_any_instant_are_exact(micros in FIRST..=LAST) {
            let sign = if micros < 0 { "-" } else { "" };
            let size = micros.unsigned_abs();
            let text = format!("{sign}{}.{:06}", size / 1_000_000, size % 1_000_000);
            prop_assert_eq!(timestamp(&text), Some((micros, false)));
            let digits = format!("{size:07}");
            let scientific = format!("{sign}{}.{}E{}", &digits[..1], &digits[1..], digits.len() as i32 - 7);
            prop_assert_eq!(timestamp(&scientific), Some((micros, false)), "{}", scientific);
            let wall = text::datetime(i128::from(micros) * 1000, false);
            prop_assert_eq!(datetime(&wall), Some(micros), "{}", wall);
        }
    }
}
