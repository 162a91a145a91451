//! Single values: text of a field to a number, day, point in time, time of day or truth value.
//!
//! Everything is decided on the exact bytes, without allocation. Nothing here knows columns.

use super::word;
use crate::text;

/// The largest whole number up to which a float holds every whole number.
pub const EXACT: u64 = 1 << 53;

/// What a text that is written like a number turns out to be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// A whole number.
    Int(i64),
    /// A whole number above the signed ones.
    Unsigned(u64),
    /// A whole number of more than 64 bits.
    Big,
    /// A decimal, and whether it has more significant digits than a float can keep.
    Float(f64, bool),
    /// Digits that are a code, not a quantity: the number would not give them back.
    Code,
    /// A decimal whose size no float has.
    OutOfRange,
}

/// Whole numbers as most are written: digits, perhaps a minus. `None` sends to [`number`].
#[inline]
pub fn int(bytes: &[u8]) -> Option<i64> {
    let (negative, digits) = match bytes {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, bytes),
    };
    // 18 digits never overflow.
    if digits.is_empty() || digits.len() > 18 || digits[0] == b'0' && digits.len() > 1 {
        return None;
    }
    let value = match digits.len() {
        17.. => number_of(digits)?,
        _ => word::digits(digits)? as i64,
    };
    Some(if negative { -value } else { value })
}

/// The number that up to 18 digits write.
fn number_of(digits: &[u8]) -> Option<i64> {
    digits.iter().try_fold(0, |value, byte| {
        let digit = byte.wrapping_sub(b'0');
        (digit <= 9).then(|| value * 10 + i64::from(digit))
    })
}

/// Decimals as most are written: digits, a point, digits, perhaps a minus, small enough that one
/// division rounds once; and whether three digits follow the point. `None` sends to [`number`].
#[inline]
pub fn decimal(bytes: &[u8]) -> Option<(f64, bool)> {
    let (negative, digits) = match bytes {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, bytes),
    };
    // 18 digits never overflow; a zero before another digit is a code.
    if digits.len() > 19 || matches!(digits, [b'0', b'0'..=b'9', ..]) {
        return None;
    }
    if let Some((mantissa, fraction)) = word::decimal(digits) {
        let size = mantissa as f64 / POWERS[fraction];
        return Some((if negative { -size } else { size }, fraction == 3));
    }
    let mut mantissa: u64 = 0;
    let mut point = 0;
    for (at, byte) in digits.iter().enumerate() {
        let digit = byte.wrapping_sub(b'0');
        if digit <= 9 {
            mantissa = mantissa * 10 + u64::from(digit);
        } else if *byte == b'.' && at > 0 && point == 0 {
            point = at;
        } else {
            return None;
        }
    }
    let fraction = digits.len().checked_sub(point + 1)?;
    if point == 0 || fraction == 0 || mantissa > EXACT {
        return None;
    }
    let size = mantissa as f64 / POWERS[fraction];
    Some((if negative { -size } else { size }, fraction == 3))
}

/// Reads a number; `None` when the text is not written like one.
///
/// A code is: a leading zero before a digit, a plus before seven or more digits (a phone number),
/// an exponent without `.` and without a sign (`20010e88` is a part number, not infinity).
#[inline]
pub fn number(bytes: &[u8]) -> Option<Number> {
    let (sign, rest) = match bytes {
        [sign @ (b'-' | b'+'), rest @ ..] => (*sign, rest),
        _ => (0, bytes),
    };
    let mut mantissa: u64 = 0;
    // Digits behind leading zeros, and how many of them at the end are zeros.
    let (mut significant, mut zeros) = (0usize, 0usize);
    let mut at = 0;
    let mut digit = |byte: u8| {
        if significant < 19 {
            mantissa = mantissa * 10 + u64::from(byte - b'0');
        }
        significant += usize::from(significant > 0 || byte != b'0');
        zeros = if byte == b'0' { zeros + 1 } else { 0 };
    };
    while let Some(byte @ b'0'..=b'9') = rest.get(at) {
        digit(*byte);
        at += 1;
    }
    let whole = at;
    let mut point = false;
    let mut fraction = 0;
    if rest.get(at) == Some(&b'.') {
        point = true;
        at += 1;
        while let Some(byte @ b'0'..=b'9') = rest.get(at) {
            digit(*byte);
            at += 1;
            fraction += 1;
        }
    }
    if whole + fraction == 0 {
        return None;
    }
    let mut exponent: Option<i64> = None;
    let mut exponent_signed = false;
    if let Some(b'e' | b'E') = rest.get(at) {
        at += 1;
        let mut negative = false;
        if let Some(sign @ (b'-' | b'+')) = rest.get(at) {
            exponent_signed = true;
            negative = *sign == b'-';
            at += 1;
        }
        let digits = &rest[at..];
        if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
            return None;
        }
        let size = digits.iter().fold(0i64, |size, byte| {
            (size * 10 + i64::from(byte - b'0')).min(1_000_000)
        });
        exponent = Some(if negative { -size } else { size });
        at = rest.len();
    }
    if at != rest.len() {
        return None;
    }
    let zero_led = whole > 1 && rest[0] == b'0';
    let phone = sign == b'+' && whole >= 7;
    let bare_exponent = exponent.is_some() && !point && !exponent_signed;
    if zero_led || phone || bare_exponent {
        return Some(Number::Code);
    }
    if !point && exponent.is_none() {
        return Some(whole_number(sign == b'-', rest, mantissa, significant));
    }
    let scale = exponent.unwrap_or(0) - fraction as i64;
    let size = if significant <= 19 && mantissa <= EXACT && scale.unsigned_abs() <= 22 {
        // Both are exact floats, so one operation rounds once (Clinger's fast path).
        let power = POWERS[scale.unsigned_abs() as usize];
        if scale < 0 {
            mantissa as f64 / power
        } else {
            mantissa as f64 * power
        }
    } else {
        fast_float2::parse(rest).ok()?
    };
    if size.is_infinite() || size == 0.0 && significant > 0 {
        return Some(Number::OutOfRange);
    }
    let value = if sign == b'-' { -size } else { size };
    let rounded =
        significant.saturating_sub(zeros) > 17 || size >= EXACT as f64 && text::lost(rest, size);
    Some(Number::Float(value, rounded))
}

const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];

fn whole_number(negative: bool, digits: &[u8], mantissa: u64, significant: usize) -> Number {
    let size = match significant {
        ..=19 => Some(mantissa),
        20 => std::str::from_utf8(digits)
            .ok()
            .and_then(|digits| digits.parse::<u64>().ok()),
        _ => None,
    };
    match size {
        None => Number::Big,
        Some(size) if negative => 0i64
            .checked_sub_unsigned(size)
            .map_or(Number::Big, Number::Int),
        Some(size) => i64::try_from(size).map_or(Number::Unsigned(size), Number::Int),
    }
}

/// Infinity, in the spellings that other programs write.
pub fn infinity(bytes: &[u8]) -> Option<f64> {
    let (value, word) = match bytes {
        [b'-', rest @ ..] => (f64::NEG_INFINITY, rest),
        [b'+', rest @ ..] => (f64::INFINITY, rest),
        _ => (f64::INFINITY, bytes),
    };
    let known = word.eq_ignore_ascii_case(b"inf") || word.eq_ignore_ascii_case(b"infinity");
    known.then_some(value)
}

/// `true` or `false`, in any case.
pub fn boolean(bytes: &[u8]) -> Option<bool> {
    if bytes.eq_ignore_ascii_case(b"true") {
        Some(true)
    } else if bytes.eq_ignore_ascii_case(b"false") {
        Some(false)
    } else {
        None
    }
}

/// The words that mean missing, but only beside numbers, dates or bools: "NA" is also Namibia.
pub fn missing_word(bytes: &[u8]) -> bool {
    matches!(
        bytes,
        b"NA" | b"N/A" | b"n/a" | b"NaN" | b"nan" | b"null" | b"NULL" | b"None" | b"-" | b"#N/A"
    )
}

/// `2026-01-31`, as days from 1970-01-01.
pub fn date(bytes: &[u8]) -> Option<i32> {
    let bytes: &[u8; 10] = bytes.try_into().ok()?;
    if bytes[4] != b'-' || bytes[7] != b'-' {
        return None;
    }
    let year = two(bytes[0], bytes[1])? * 100 + two(bytes[2], bytes[3])?;
    let month = two(bytes[5], bytes[6])?;
    let day = two(bytes[8], bytes[9])?;
    text::days(i64::from(year), month, day).map(|days| days as i32)
}

/// A point in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// Microseconds from 1970-01-01, of UTC when there is an offset.
    pub micros: i64,
    /// Nanoseconds behind them, below 1000.
    pub nanos: u16,
    /// True when the text has an offset, so that this is an instant.
    pub zoned: bool,
}

/// `2026-01-31T08:00`, with a space for the `T`, seconds, up to nine fraction digits and an offset
/// (`Z`, `+01:00`, `+0100`, `+01`, ` UTC`) as they come.
pub fn moment(bytes: &[u8]) -> Option<Moment> {
    if bytes.len() < 16 || !matches!(bytes[10], b'T' | b't' | b' ') {
        return None;
    }
    let day = i64::from(date(&bytes[..10])?);
    let (clock, rest) = clock(&bytes[11..])?;
    let offset = match rest {
        [] => None,
        [b'Z' | b'z'] | b" UTC" => Some(0),
        [b' ', rest @ ..] | rest => Some(offset(rest)?),
    };
    let micros = day * 86_400_000_000 + clock / 1000 - offset.unwrap_or(0) * 1_000_000;
    Some(Moment {
        micros,
        nanos: (clock % 1000) as u16,
        zoned: offset.is_some(),
    })
}

/// `08:00`, `08:00:00`, `08:00:00.5`, as nanoseconds from midnight.
pub fn time(bytes: &[u8]) -> Option<i64> {
    clock(bytes).and_then(|(nanos, rest)| rest.is_empty().then_some(nanos))
}

/// A time of day at the front, and what is behind it.
fn clock(bytes: &[u8]) -> Option<(i64, &[u8])> {
    let [h1, h2, b':', m1, m2, rest @ ..] = bytes else {
        return None;
    };
    let (hour, minute) = (two(*h1, *h2)?, two(*m1, *m2)?);
    let (second, rest) = match rest {
        [b':', s1, s2, rest @ ..] => (two(*s1, *s2)?, rest),
        _ => (0, rest),
    };
    // A leap second has no place on the time line of the result.
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let mut nanos = i64::from(hour * 3600 + minute * 60 + second) * 1_000_000_000;
    let [b'.', fraction @ ..] = rest else {
        return Some((nanos, rest));
    };
    let digits = fraction.iter().take_while(|byte| byte.is_ascii_digit());
    let digits = digits.count();
    if digits == 0 || digits > 9 {
        return None;
    }
    let (digits, rest) = fraction.split_at(digits);
    let mut unit = 100_000_000;
    for digit in digits {
        nanos += i64::from(digit - b'0') * unit;
        unit /= 10;
    }
    Some((nanos, rest))
}

/// `+01:00`, `+0100` or `+01`, in seconds.
fn offset(bytes: &[u8]) -> Option<i64> {
    let (sign, hour, minute) = match bytes {
        [sign, h1, h2, b':', m1, m2] | [sign, h1, h2, m1, m2] => {
            (sign, two(*h1, *h2)?, two(*m1, *m2)?)
        }
        [sign, h1, h2] => (sign, two(*h1, *h2)?, 0),
        _ => return None,
    };
    if hour > 23 || minute > 59 {
        return None;
    }
    let seconds = i64::from(hour * 3600 + minute * 60);
    match sign {
        b'+' => Some(seconds),
        b'-' => Some(-seconds),
        _ => None,
    }
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
    fn codes_are_no_numbers() {
        let codes = [
            "00042",
            "-07",
            "007.1",
            "00",
            "+33612345678",
            "20010e88",
            "1E5",
            "20010e8899001122",
        ];
        for code in codes {
            assert_eq!(number(code.as_bytes()), Some(Number::Code), "{code}");
            assert_eq!(int(code.as_bytes()), None, "{code}");
        }
    }

    #[test]
    fn short_decimals_are_read_as_all_are() {
        let plain = [
            "0.5",
            "-0.0",
            "12.345",
            "9007199254740.992",
            "0.0000000000000001",
        ];
        for text in plain {
            let (found, three) = decimal(text.as_bytes()).unwrap();
            let value: f64 = text.parse().unwrap();
            assert_eq!(found.to_bits(), value.to_bits(), "{text}");
            assert_eq!(three, text.ends_with("345") || text.ends_with("992"));
            let general = number(text.as_bytes());
            assert_eq!(general, Some(Number::Float(value, false)), "{text}");
        }
        for text in [
            "",
            "-",
            ".",
            "5",
            "5.",
            ".5",
            "007.1",
            "1.2.3",
            "1e5",
            "1.5e3",
            "9007199254740993.0",
            "+1.5",
            "1,5",
            "12345678901234567.89",
            "1.5 ",
            "..999",
            "-..5",
        ] {
            assert_eq!(decimal(text.as_bytes()), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn the_short_ways_never_differ_from_the_long_one(text in "[-+]{0,2}[0-9.,eE:]{0,20}") {
            let general = number(text.as_bytes());
            if let Some(value) = int(text.as_bytes()) {
                prop_assert_eq!(general, Some(Number::Int(value)));
            }
            if let Some((value, _)) = decimal(text.as_bytes()) {
                let Some(Number::Float(found, false)) = general else {
                    return Err(TestCaseError::fail(format!("{text:?} is {general:?}")));
                };
                prop_assert_eq!(found.to_bits(), value.to_bits(), "{:?}", text);
            }
        }

        #[test]
        fn plain_decimals_are_read_by_the_short_way(text in "-?[1-9][0-9]{0,5}\\.[0-9]{1,6}") {
            let value: f64 = text.parse().unwrap();
            let three = text.len() - text.find('.').unwrap() == 4;
            prop_assert_eq!(decimal(text.as_bytes()), Some((value, three)));
        }
    }

    #[test]
    fn numbers_are_exact() {
        let floats = [
            ("0.5", 0.5),
            ("-0.5", -0.5),
            (".5", 0.5),
            ("5.", 5.0),
            ("1.5e-3", 0.0015),
            ("1e-05", 1e-5),
            ("1E+5", 1e5),
            ("1.7976931348623157e308", f64::MAX),
            ("5e-324", 5e-324),
            ("9007199254740993.0", 9_007_199_254_740_992.0),
            ("+1.25", 1.25),
            ("123456789.123456789", 123_456_789.123_456_79),
            ("0.1e22", 1e21),
        ];
        for (text, value) in floats {
            let Some(Number::Float(found, _)) = number(text.as_bytes()) else {
                panic!("{text}");
            };
            assert_eq!(found.to_bits(), value.to_bits(), "{text}");
        }
        for (text, value) in [
            ("0", 0),
            ("-0", 0),
            ("+5", 5),
            ("-9223372036854775808", i64::MIN),
        ] {
            assert_eq!(number(text.as_bytes()), Some(Number::Int(value)), "{text}");
        }
        assert_eq!(int(b"-123456789012345678"), Some(-123_456_789_012_345_678));
        assert_eq!(
            number(b"18446744073709551615"),
            Some(Number::Unsigned(u64::MAX))
        );
        assert_eq!(
            number(b"9223372036854775808"),
            Some(Number::Unsigned(1 << 63))
        );
        for big in [
            "18446744073709551616",
            "-9223372036854775809",
            "99999999999999999999999",
        ] {
            assert_eq!(number(big.as_bytes()), Some(Number::Big), "{big}");
        }
    }

    #[test]
    fn more_digits_than_a_float_keeps_are_told() {
        let rounded = |text: &str| matches!(number(text.as_bytes()), Some(Number::Float(_, true)));
        assert!(rounded("0.123456789012345678"));
        assert!(rounded("123456789.0123456789"));
        assert!(!rounded("0.12345678901234567"));
        assert!(!rounded("0.00000000000000000001"));
        assert!(!rounded("1.50000000000000000000"));
        assert_eq!(number(b"1.0e400"), Some(Number::OutOfRange));
        assert_eq!(number(b"1.0e-400"), Some(Number::OutOfRange));
        assert_eq!(number(b"0.0e-400"), Some(Number::Float(0.0, false)));
    }

    #[test]
    fn what_only_looks_like_a_number_is_none() {
        for text in [
            "", "-", ".", "1.2.3", "1e", "1e+", "0x1F", "1_000", "1,5", "e5", "--1", "1-", "٣",
        ] {
            assert_eq!(number(text.as_bytes()), None, "{text}");
            assert_eq!(int(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn iso_times_are_read_to_the_nanosecond() {
        let at = |text: &str| {
            moment(text.as_bytes()).map(|found| (found.micros, found.nanos, found.zoned))
        };
        assert_eq!(at("1970-01-02T00:00"), Some((86_400_000_000, 0, false)));
        assert_eq!(at("1970-01-01 00:00:01.5"), Some((1_500_000, 0, false)));
        assert_eq!(at("1970-01-01T00:00:00.000000001Z"), Some((0, 1, true)));
        assert_eq!(at("1969-12-31T23:59:59.999999999"), Some((-1, 999, false)));
        for text in [
            "1970-01-01T02:00:00+02:00",
            "1970-01-01 02:00:00+0200",
            "1970-01-01T02:00:00 +02",
            "1969-12-31T23:30:00-00:30",
            "1970-01-01 00:00:00 UTC",
        ] {
            assert_eq!(at(text), Some((0, 0, true)), "{text}");
        }
        for text in [
            "1970-01-01T24:00:00",
            "1970-02-30T00:00:00",
            "1970-01-01T00:00:60",
            "1970-01-01T00:00:00 ",
            "1970-01-01T1:00:00",
            "1970-01-01X00:00:00",
            "1970-01-01T00:00:00.",
            "1970-01-01T00:00:00 CET",
        ] {
            assert_eq!(at(text), None, "{text}");
        }
        assert_eq!(date(b"1970-02-01"), Some(31));
        assert_eq!(date(b"1970-2-01"), None);
        assert_eq!(time(b"00:00:00.25"), Some(250_000_000));
        assert_eq!(time(b"23:59"), Some(86_340_000_000_000));
        assert_eq!(time(b"25:00"), None);
    }

    #[test]
    fn the_words_are_these_and_no_others() {
        assert_eq!(boolean(b"TRUE"), Some(true));
        assert_eq!(boolean(b"fAlse"), Some(false));
        assert_eq!(boolean(b"yes"), None);
        assert!(missing_word(b"#N/A") && !missing_word(b"na"));
        assert_eq!(infinity(b"-Infinity"), Some(f64::NEG_INFINITY));
        assert_eq!(infinity(b"info"), None);
    }
}
