//! One text to one value of a wanted type. More forms are read here than a column is decided by:
//! the user has said what the column is, so `007` may be a seven and `yes` may be true.

use super::marks::Marks;
use super::pattern::Pattern;
use crate::format::delimited::scalar::{self, Moment, Number};

/// What became of a text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reading<T> {
    /// A value.
    Value(T),
    /// A value that is not exactly what was written.
    Rounded(T),
    /// It does not fit.
    Misfit,
}

impl<T> From<Option<T>> for Reading<T> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Misfit, Self::Value)
    }
}

/// A whole number: digits with a sign and zeros in front, also with zeros behind a point.
pub fn whole(text: &str, marks: Option<Marks>) -> Option<i128> {
    let plain = localised(text, marks)?;
    let (sign, body) = signed(&plain);
    let (digits, decimals) = body.split_once('.').unwrap_or((body, ""));
    let zeros = decimals.bytes().all(|byte| byte == b'0');
    let known = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let digits = digits.trim_start_matches('0');
    if !zeros || !known || digits.len() > 20 {
        return None;
    }
    let size: i128 = if digits.is_empty() {
        0
    } else {
        digits.parse().ok()?
    };
    let value = size * sign;
    (i128::from(i64::MIN)..=i128::from(u64::MAX))
        .contains(&value)
        .then_some(value)
}

/// A floating-point number; rounded when it has more digits than a float keeps.
pub fn float(text: &str, marks: Option<Marks>) -> Reading<f64> {
    let Some(plain) = localised(text, marks) else {
        return Reading::Misfit;
    };
    let (sign, body) = signed(&plain);
    let bytes = without_zeros(body).as_bytes();
    if bytes
        .first()
        .is_some_and(|byte| matches!(byte, b'+' | b'-'))
    {
        return Reading::Misfit;
    }
    let sign = sign as f64;
    let exact = |value: u64| (value as f64, value as f64 as u128 == u128::from(value));
    let (size, exact) = match scalar::number(bytes) {
        Some(Number::Int(value)) => exact(value.unsigned_abs()),
        Some(Number::Unsigned(value)) => exact(value),
        Some(Number::Float(value, rounded)) => (value, !rounded),
        Some(found @ (Number::Big | Number::Code)) => match fast_float2::parse::<f64, _>(bytes) {
            Ok(value) if value.is_finite() => (value, found == Number::Code),
            _ => return Reading::Misfit,
        },
        Some(Number::OutOfRange) => return Reading::Misfit,
        None => match scalar::infinity(bytes) {
            Some(value) => (value, true),
            None => return Reading::Misfit,
        },
    };
    if exact {
        Reading::Value(sign * size)
    } else {
        Reading::Rounded(sign * size)
    }
}

/// A decimal number as its digits, without zeros in front.
pub fn decimal(text: &str, marks: Option<Marks>) -> Option<String> {
    let plain = localised(text, marks)?;
    let (sign, body) = signed(&plain);
    let body = without_zeros(body);
    let number = matches!(
        scalar::number(body.as_bytes())?,
        Number::Int(_) | Number::Unsigned(_) | Number::Big | Number::Float(..) | Number::OutOfRange
    );
    let unsigned = !body.starts_with(['+', '-']);
    (number && unsigned).then(|| {
        if sign < 0 {
            format!("-{body}")
        } else {
            body.to_owned()
        }
    })
}

/// `true`, `yes`, `y`, `t`, `1` and their contraries, in any case.
pub fn boolean(text: &str) -> Option<bool> {
    let is = |words: &[&str]| words.iter().any(|word| text.eq_ignore_ascii_case(word));
    if is(&["true", "yes", "y", "t", "1"]) {
        Some(true)
    } else if is(&["false", "no", "n", "f", "0"]) {
        Some(false)
    } else {
        None
    }
}

/// A day: ISO, also with a clock at midnight; or by a pattern.
pub fn date(text: &str, pattern: Option<&Pattern>) -> Option<i32> {
    const DAY: i64 = 86_400_000_000;
    if let Some(pattern) = pattern {
        return pattern.date(text);
    }
    scalar::date(text.as_bytes()).or_else(|| {
        let moment = scalar::moment(text.as_bytes())?;
        let midnight = !moment.zoned && moment.nanos == 0 && moment.micros % DAY == 0;
        midnight.then_some((moment.micros / DAY) as i32)
    })
}

/// A point in time: ISO, also without a clock; or by a pattern.
pub fn moment(text: &str, pattern: Option<&Pattern>) -> Option<Moment> {
    if let Some(pattern) = pattern {
        return pattern.moment(text);
    }
    scalar::moment(text.as_bytes()).or_else(|| {
        let days = scalar::date(text.as_bytes())?;
        Some(Moment {
            micros: i64::from(days) * 86_400_000_000,
            nanos: 0,
            zoned: false,
        })
    })
}

/// A time of day; or by a pattern.
pub fn time(text: &str, pattern: Option<&Pattern>) -> Option<i64> {
    match pattern {
        Some(pattern) => pattern.time(text),
        None => scalar::time(text.as_bytes()),
    }
}

fn localised(text: &str, marks: Option<Marks>) -> Option<std::borrow::Cow<'_, str>> {
    match marks {
        Some(marks) => marks.plain(text).map(Into::into),
        None => Some(text.into()),
    }
}

fn signed(text: &str) -> (i128, &str) {
    match text.as_bytes().first() {
        Some(b'-') => (-1, &text[1..]),
        Some(b'+') => (1, &text[1..]),
        _ => (1, text),
    }
}

/// Without zeros before the first other digit, but for one.
fn without_zeros(body: &str) -> &str {
    let zeros = body.bytes().take_while(|byte| *byte == b'0').count();
    let digit = body.as_bytes().get(zeros).is_some_and(u8::is_ascii_digit);
    &body[if digit {
        zeros
    } else {
        zeros.saturating_sub(1)
    }..]
}

#[cfg(test)]
mod tests {
    use super::*;
    use Reading::{Misfit, Rounded, Value};

    #[test]
    fn whole_numbers_are_exact_or_nothing() {
        let rules = [
            ("007", Some(7)),
            ("-07", Some(-7)),
            ("+33612345678", Some(33_612_345_678)),
            ("3.00", Some(3)),
            ("0", Some(0)),
            ("-0", Some(0)),
            ("18446744073709551615", Some(18_446_744_073_709_551_615)),
            ("18446744073709551616", None),
            ("-9223372036854775809", None),
            ("3.5", None),
            ("1E5", None),
            ("1e-5", None),
            ("--1", None),
            (".0", None),
            ("", None),
            ("99999999999999999999999999999999999999999", None),
        ];
        for (text, wanted) in rules {
            assert_eq!(whole(text, None), wanted, "{text}");
        }
    }

    #[test]
    fn floats_tell_what_they_round() {
        let rules = [
            ("1", Value(1.0)),
            ("-0", Value(-0.0)),
            ("00042.50", Value(42.5)),
            ("1E5", Value(100_000.0)),
            ("20010e88899001122", Misfit),
            ("1e400", Misfit),
            ("inf", Value(f64::INFINITY)),
            ("-Infinity", Value(f64::NEG_INFINITY)),
            ("9007199254740993", Rounded(9_007_199_254_740_992.0)),
            ("99999999999999999999999", Rounded(1e23)),
            ("0.123456789012345678", Rounded(0.123_456_789_012_345_68)),
            ("abc", Misfit),
            ("+-1", Misfit),
            ("-+inf", Misfit),
            ("nan", Misfit),
            ("", Misfit),
        ];
        for (text, wanted) in rules {
            assert_eq!(float(text, None), wanted, "{text}");
        }
        assert!(matches!(float("-0", None), Value(zero) if zero.is_sign_negative()));
    }

    #[test]
    fn decimals_keep_their_digits() {
        let rules = [
            ("007.10", Some("7.10")),
            ("-0.50", Some("-0.50")),
            ("0000", Some("0")),
            (
                "123456789012345678901234567890",
                Some("123456789012345678901234567890"),
            ),
            ("inf", None),
            ("1E5", None),
            ("-", None),
        ];
        for (text, wanted) in rules {
            assert_eq!(decimal(text, None).as_deref(), wanted, "{text}");
        }
    }

    #[test]
    fn bools_days_and_clocks() {
        assert_eq!(
            (boolean("YES"), boolean("0"), boolean("2")),
            (Some(true), Some(false), None)
        );
        assert_eq!(date("1970-01-02", None), Some(1));
        assert_eq!(date("1969-12-31 00:00:00", None), Some(-1));
        assert_eq!(date("1970-01-02 00:00:01", None), None);
        assert_eq!(date("1970-01-02T00:00:00Z", None), None);
        assert_eq!(
            moment("1970-01-02", None).map(|moment| moment.micros),
            Some(86_400_000_000)
        );
        assert_eq!(time("00:00:01", None), Some(1_000_000_000));
    }
}
