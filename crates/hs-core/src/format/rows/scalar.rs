//! Texts of single values, appended to bytes: the same texts as [`crate::text`] writes, without a
//! `String` for each. Only the usual range is written here; what lies beyond goes through `text`.

use polars::prelude::TimeUnit;

use crate::text;

/// Two digits of each number below a hundred.
static PAIRS: [[u8; 2]; 100] = {
    let mut pairs = [[0; 2]; 100];
    let mut number = 0;
    while number < 100 {
        pairs[number] = [b'0' + (number / 10) as u8, b'0' + (number % 10) as u8];
        number += 1;
    }
    pairs
};

/// Years that have four digits and no sign.
const YEARS: std::ops::RangeInclusive<i64> = 0..=9999;

/// A whole number.
pub fn whole(out: &mut Vec<u8>, value: impl itoa::Integer) {
    out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
}

/// The shortest text that reads back as the same finite float; always with a point, so that no
/// reader takes `1e16` for a code.
pub fn float(out: &mut Vec<u8>, value: f64) {
    let mut buffer = zmij::Buffer::new();
    let size = value.abs();
    pointed(
        out,
        buffer.format_finite(value),
        (1e-4..1e15).contains(&size),
    );
}

/// As [`float`], in the digits that a single float has.
pub fn single(out: &mut Vec<u8>, value: f32) {
    let mut buffer = zmij::Buffer::new();
    let size = value.abs();
    pointed(
        out,
        buffer.format_finite(value),
        (1e-3..1e6).contains(&size),
    );
}

/// A text without an exponent has its point already, and most are in that range.
fn pointed(out: &mut Vec<u8>, text: &str, usual: bool) {
    if !usual && let Some((digits, exponent)) = text.split_once('e') {
        out.extend_from_slice(digits.as_bytes());
        if !digits.contains('.') {
            out.extend_from_slice(b".0");
        }
        out.push(b'e');
        return out.extend_from_slice(exponent.trim_start_matches('+').as_bytes());
    }
    out.extend_from_slice(text.as_bytes());
}

/// `2026-01-31`.
pub fn date(out: &mut Vec<u8>, days: i64) {
    let (year, month, day) = text::civil(days);
    if !YEARS.contains(&year) {
        return out.extend_from_slice(format!("{year:04}-{month:02}-{day:02}").as_bytes());
    }
    let (century, year) = (PAIRS[(year / 100) as usize], PAIRS[(year % 100) as usize]);
    let (month, day) = (PAIRS[month as usize], PAIRS[day as usize]);
    out.extend_from_slice(&[
        century[0], century[1], year[0], year[1], b'-', month[0], month[1], b'-', day[0], day[1],
    ]);
}

/// `2026-01-31 08:00:00`, as [`text::datetime`].
pub fn datetime(out: &mut Vec<u8>, value: i64, unit: TimeUnit, utc: bool) {
    let (days, nanos) = match unit {
        TimeUnit::Nanoseconds => (
            value.div_euclid(86_400_000_000_000),
            value.rem_euclid(86_400_000_000_000),
        ),
        TimeUnit::Microseconds => (
            value.div_euclid(86_400_000_000),
            value.rem_euclid(86_400_000_000) * 1000,
        ),
        TimeUnit::Milliseconds => (
            value.div_euclid(86_400_000),
            value.rem_euclid(86_400_000) * 1_000_000,
        ),
    };
    date(out, days);
    out.push(b' ');
    time(out, nanos);
    if utc {
        out.extend_from_slice(b"+00:00");
    }
}

/// `08:00:00`, as [`text::time`]; `nanos` are less than a day.
pub fn time(out: &mut Vec<u8>, nanos: i64) {
    if !(0..86_400_000_000_000).contains(&nanos) {
        return out.extend_from_slice(text::time(nanos).as_bytes());
    }
    let seconds = (nanos / 1_000_000_000) as u32;
    let pair = |number: u32| PAIRS[number as usize];
    let (hour, minute, second) = (
        pair(seconds / 3600),
        pair(seconds / 60 % 60),
        pair(seconds % 60),
    );
    out.extend_from_slice(&[
        hour[0], hour[1], b':', minute[0], minute[1], b':', second[0], second[1],
    ]);
    let fraction = (nanos % 1_000_000_000) as u32;
    if fraction == 0 {
        return;
    }
    let (mut digits, width) = if fraction.is_multiple_of(1_000_000) {
        (fraction / 1_000_000, 3)
    } else if fraction.is_multiple_of(1000) {
        (fraction / 1000, 6)
    } else {
        (fraction, 9)
    };
    let mut text = [b'.'; 10];
    for place in text[1..=width].iter_mut().rev() {
        *place = b'0' + (digits % 10) as u8;
        digits /= 10;
    }
    out.extend_from_slice(&text[..=width]);
}

/// An exact decimal of `scale` digits behind the point.
pub fn decimal(out: &mut Vec<u8>, value: i128, scale: usize) {
    if value < 0 {
        out.push(b'-');
    }
    let digits = value.unsigned_abs().to_string();
    let width = scale + 1;
    let digits = format!("{digits:0>width$}");
    let (whole, decimals) = digits.split_at(digits.len() - scale);
    out.extend_from_slice(whole.as_bytes());
    if scale > 0 {
        out.push(b'.');
        out.extend_from_slice(decimals.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use polars::prelude::AnyValue;

    fn written(write: impl FnOnce(&mut Vec<u8>)) -> String {
        let mut out = Vec::new();
        write(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn times_are_written_as_everywhere_else() {
        let mut value: i64 = -3_000_000_000_000_000_000;
        while value < 9_000_000_000_000_000_000 {
            for unit in [
                TimeUnit::Nanoseconds,
                TimeUnit::Microseconds,
                TimeUnit::Milliseconds,
            ] {
                let expected = text::datetime(text::nanos(value, unit), true);
                assert_eq!(written(|out| datetime(out, value, unit, true)), expected);
            }
            let day = value.rem_euclid(86_400_000_000_000);
            for day in [day, day / 1000 * 1000, day / 1_000_000 * 1_000_000] {
                assert_eq!(written(|out| time(out, day)), text::time(day));
            }
            value += 7_777_777_777_777_777;
        }
        for days in [0, -719_528, -719_529, 2_932_896, 2_932_897, 5_000_000] {
            assert_eq!(written(|out| date(out, days)), text::date(days as i32));
        }
    }

    #[test]
    fn floats_read_back_and_have_a_point() {
        let mut bits: u64 = 1;
        for _ in 0..200_000 {
            bits = bits
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let value = f64::from_bits(bits);
            if value.is_finite() {
                let text = written(|out| float(out, value));
                assert_eq!(
                    text.parse::<f64>().map(f64::to_bits),
                    Ok(value.to_bits()),
                    "{text}"
                );
                assert!(text.contains('.'), "{text}");
            }
            let value = f32::from_bits(bits as u32);
            if value.is_finite() {
                let text = written(|out| single(out, value));
                assert_eq!(
                    text.parse::<f32>().map(f32::to_bits),
                    Ok(value.to_bits()),
                    "{text}"
                );
                assert!(text.contains('.'), "{text}");
            }
        }
        let shown: Vec<String> = [0.1, 1.0, -0.0, 1e16, 1e-7, 1e15, 123_456_789_012_345_680.0]
            .map(|value| written(|out| float(out, value)))
            .into();
        assert_eq!(
            shown,
            [
                "0.1",
                "1.0",
                "-0.0",
                "1.0e16",
                "1.0e-7",
                "1000000000000000.0",
                "1.2345678901234568e17"
            ]
        );
    }

    #[test]
    fn decimals_keep_their_zeros() {
        for (value, scale) in [
            (110, 2),
            (-5, 3),
            (0, 0),
            (12, 0),
            (i128::from(i64::MIN), 18),
        ] {
            let any = AnyValue::Decimal(value, 38, scale);
            assert_eq!(written(|out| decimal(out, value, scale)), text::plain(&any));
        }
    }
}
