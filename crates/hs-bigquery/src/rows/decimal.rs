//! Exact decimals as text: their parts, and their value at a scale. Nothing is rounded; digits that the
//! type does not hold are an error of the one who sent them.

use std::borrow::Cow;

/// Digits that a 128-bit decimal holds.
pub const MOST_DIGITS: usize = 38;
/// Digits behind the point of a NUMERIC.
pub const NUMERIC_SCALE: usize = 9;
/// Digits before and behind the point of a BIGNUMERIC.
const BIG: (usize, usize) = (39, 38);
/// Zeros that an exponent may stand for: more than any decimal type has.
const MOST_ZEROS: usize = 100;

/// A decimal without an exponent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plain<'t> {
    /// True below zero, and for -0.
    pub negative: bool,
    /// Digits before the point, without leading zeros.
    pub whole: &'t str,
    /// Digits behind the point, without zeros at the end.
    pub fraction: &'t str,
}

impl<'t> Plain<'t> {
    /// Of a text without an exponent.
    pub fn read(text: &'t str) -> Option<Self> {
        let (negative, digits) = match text.as_bytes() {
            [b'-', ..] => (true, &text[1..]),
            [b'+', ..] => (false, &text[1..]),
            _ => (false, text),
        };
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let all = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit());
        if whole.len() + fraction.len() == 0 || !all(whole) || !all(fraction) {
            return None;
        }
        Some(Self {
            negative,
            whole: whole.trim_start_matches('0'),
            fraction: fraction.trim_end_matches('0'),
        })
    }

    /// The number without its point, as if it had `scale` digits behind it; `None` when it has more, or
    /// does not fit.
    pub fn at_scale(&self, scale: usize) -> Option<i128> {
        let zeros = scale.checked_sub(self.fraction.len())?;
        if self.whole.len() + scale > MOST_DIGITS {
            return None;
        }
        let digits = self.whole.bytes().chain(self.fraction.bytes());
        // 38 digits are below 2^127.
        let value = digits.fold(0i128, |value, digit| value * 10 + i128::from(digit - b'0'));
        let value = value * 10i128.pow(zeros as u32);
        Some(if self.negative { -value } else { value })
    }
}

/// The text itself, or the one without an exponent that says the same.
pub fn without_exponent(text: &str) -> Option<Cow<'_, str>> {
    let Some(at) = text.find(['e', 'E']) else {
        return Some(Cow::Borrowed(text));
    };
    let plain = Plain::read(&text[..at])?;
    let exponent: i32 = text[at + 1..].parse().ok()?;
    let digits = format!("{}{}", plain.whole, plain.fraction);
    if digits.is_empty() {
        return Some(Cow::Borrowed("0"));
    }
    if exponent.unsigned_abs() as usize > MOST_ZEROS {
        return None;
    }
    let sign = if plain.negative { "-" } else { "" };
    let point = plain.whole.len() as i64 + i64::from(exponent);
    Some(Cow::Owned(match usize::try_from(point) {
        Err(_) => format!(
            "{sign}0.{}{digits}",
            "0".repeat(point.unsigned_abs() as usize)
        ),
        Ok(point) if point < digits.len() => {
            format!("{sign}{}.{}", &digits[..point], &digits[point..])
        }
        Ok(point) => format!("{sign}{digits}{}", "0".repeat(point - digits.len())),
    }))
}

/// A NUMERIC, without its point.
#[inline]
pub fn numeric(text: &str) -> Option<i128> {
    if let Some(value) = short(text.as_bytes()) {
        return Some(value);
    }
    let text = without_exponent(text)?;
    Plain::read(&text)?.at_scale(NUMERIC_SCALE)
}

/// As [`numeric`] for those of few digits; `None` sends there.
#[inline]
fn short(text: &[u8]) -> Option<i128> {
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, text),
    };
    // 18 digits at most, so that nothing overflows.
    if digits.len() > 19 {
        return None;
    }
    let mut value: u64 = 0;
    let mut point = None;
    for (at, byte) in digits.iter().enumerate() {
        let digit = byte.wrapping_sub(b'0');
        if digit <= 9 {
            value = value.checked_mul(10)?.checked_add(u64::from(digit))?;
        } else if *byte == b'.' && point.is_none() {
            point = Some(at);
        } else {
            return None;
        }
    }
    let scale = point.map_or(0, |at| digits.len() - at - 1);
    if digits.len() - usize::from(point.is_some()) == 0 || scale > NUMERIC_SCALE {
        return None;
    }
    let value = i128::from(value) * i128::from(TENS[NUMERIC_SCALE - scale]);
    Some(if negative { -value } else { value })
}

const TENS: [u64; NUMERIC_SCALE + 1] = [
    1,
    10,
    100,
    1000,
    10_000,
    100_000,
    1_000_000,
    10_000_000,
    100_000_000,
    1_000_000_000,
];

/// How many digits a BIGNUMERIC has before and behind the point; `None` when no BIGNUMERIC has as many.
/// The text has no exponent.
pub fn big(text: &str) -> Option<(usize, usize)> {
    let plain = Plain::read(text)?;
    let digits = (plain.whole.len(), plain.fraction.len());
    (digits.0 <= BIG.0 && digits.1 <= BIG.1).then_some(digits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numerics_to_their_last_digit() {
        for (text, value) in [
            ("0", 0),
            ("-0", 0),
            ("1", 1_000_000_000),
            ("-1.5", -1_500_000_000),
            ("0.000000001", 1),
            (".5", 500_000_000),
            ("5.", 5_000_000_000),
            ("+5", 5_000_000_000),
            ("1.5000000000000", 1_500_000_000),
            ("1E+2", 100_000_000_000),
            ("-2.5e-3", -2_500_000),
            (
                "99999999999999999999999999999.999999999",
                10i128.pow(38) - 1,
            ),
            (
                "-99999999999999999999999999999.999999999",
                1 - 10i128.pow(38),
            ),
        ] {
            assert_eq!(numeric(text), Some(value), "{text}");
        }
        for text in [
            "",
            "-",
            ".",
            "1.0000000001",
            "100000000000000000000000000000",
            "1,5",
            "1.2.3",
            "NaN",
            "1e",
            "1e99999999999",
            "e5",
            "1e30",
            "--1",
            "1 ",
            "٣",
        ] {
            assert_eq!(numeric(text), None, "{text}");
        }
    }

    #[test]
    fn bignumerics_have_39_and_38_digits_at_most() {
        let largest =
            "578960446186580977117854925043439539266.34992332820282019728792003956564819967";
        assert_eq!(big(largest), Some((39, 38)));
        assert_eq!(big("-000.500"), Some((0, 1)));
        assert_eq!(big(&"9".repeat(40)), None);
        assert_eq!(big(&format!("0.{}", "1".repeat(39))), None);
    }

    #[test]
    fn exponents_are_zeros_or_move_the_point() {
        let plain = |text| without_exponent(text).map(Cow::into_owned);
        for (text, wanted) in [
            ("1.25E1", "12.5"),
            ("-1.25e3", "-1250"),
            ("1.25e2", "125"),
            ("125e-5", "0.00125"),
            ("-0.5E-1", "-0.05"),
            ("1e+2", "100"),
        ] {
            assert_eq!(plain(text).as_deref(), Some(wanted), "{text}");
        }
        assert_eq!(plain("12"), Some("12".to_owned()));
        assert_eq!(plain("0e99999"), Some("0".to_owned()));
        assert_eq!(plain("1e101"), None);
    }

    proptest! {
        #[test]
        fn short_and_long_ways_agree(text in "-?[0-9]{0,20}\\.?[0-9]{0,11}") {
            let long = Plain::read(&text).and_then(|plain| plain.at_scale(NUMERIC_SCALE));
            prop_assert_eq!(numeric(&text), long);
        }

        #[test]
        fn an_exponent_changes_no_value(whole in 0u32..100_000, fraction in "[0-9]{0,4}", exponent in -4i32..8) {
            let text = format!("{whole}.{fraction}e{exponent}");
            let value = i128::from(whole) * 10i128.pow(fraction.len() as u32)
                + fraction.parse::<i128>().unwrap_or(0);
            // The scale 20 holds every digit.
            let wanted = value * 10i128.pow((20 - fraction.len() as i32 + exponent) as u32);
            let plain = without_exponent(&text).unwrap();
            prop_assert_eq!(Plain::read(&plain).unwrap().at_scale(20), Some(wanted), "{}", plain);
        }
    }
}
