//! Numbers by their exact value, whatever type holds them.

use polars::prelude::AnyValue;

use crate::text;

/// Floats that are no whole numbers, or larger than these, are told from whole numbers by this bit.
const APART: i128 = 1 << 120;
/// Whole floats below this are whole numbers of 128 bits.
const WHOLE: f64 = 1e30;

/// A whole number or a float as a number that is equal where their values are; none for NaN.
pub fn wide(value: &AnyValue<'_>) -> Option<i128> {
    Some(match value {
        AnyValue::Int8(value) => i128::from(*value),
        AnyValue::Int16(value) => i128::from(*value),
        AnyValue::Int32(value) => i128::from(*value),
        AnyValue::Int64(value) => i128::from(*value),
        AnyValue::Int128(value) => *value,
        AnyValue::UInt8(value) => i128::from(*value),
        AnyValue::UInt16(value) => i128::from(*value),
        AnyValue::UInt32(value) => i128::from(*value),
        AnyValue::UInt64(value) => i128::from(*value),
        AnyValue::Float32(value) => return wide_float(f64::from(*value)),
        AnyValue::Float64(value) => return wide_float(*value),
        _ => return None,
    })
}

fn wide_float(value: f64) -> Option<i128> {
    if value.is_nan() {
        None
    } else if value.fract() == 0.0 && value.abs() < WHOLE {
        Some(value as i128)
    } else {
        Some(APART | i128::from(value.to_bits()))
    }
}

/// A number as its exact digits; none for what is none, and for NaN.
///
/// A float has the digits of its shortest text, as it is written and read.
pub fn exact(value: &AnyValue<'_>) -> Option<String> {
    match value {
        AnyValue::Null => None,
        AnyValue::Float32(value) if value.is_nan() => None,
        AnyValue::Float64(value) if value.is_nan() => None,
        value => Some(canonical(&text::plain(value))),
    }
}

/// The text of a number, the same for all texts of one value: `1`, `1.0` and `10e-1` are `1e0`. Another text,
/// such as an infinity, stays.
pub fn canonical(text: &str) -> String {
    parts(text).map_or_else(
        || text.to_owned(),
        |(sign, digits, exponent)| {
            if digits.is_empty() {
                "0e0".to_owned()
            } else {
                format!("{sign}{digits}e{exponent}")
            }
        },
    )
}

/// Sign, digits without zeros at the ends, and the power of ten that the last of them stands for.
fn parts(text: &str) -> Option<(&str, String, i64)> {
    let (sign, unsigned) = match text.strip_prefix('-') {
        Some(unsigned) => ("-", unsigned),
        None => ("", text),
    };
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i64>().ok()?),
        None => (unsigned, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = [whole, fraction].concat();
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let without = digits.trim_end_matches('0');
    let zeros = (digits.len() - without.len()) as i64;
    let exponent = exponent
        .checked_sub(fraction.len() as i64)?
        .checked_add(zeros)?;
    Some((sign, without.trim_start_matches('0').to_owned(), exponent))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_value_has_one_text() {
        for text in ["1", "1.0", "01.00", "10e-1", "0.1e1"] {
            assert_eq!(canonical(text), "1e0", "{text}");
        }
        assert_eq!(canonical("-0"), "0e0");
        assert_eq!(canonical("-1200.50"), "-12005e-1");
        assert_eq!(canonical("9007199254740993"), "9007199254740993e0");
        for text in ["inf", "", "-", "1.2.3", "1e", "00:10"] {
            assert_eq!(canonical(text), text);
        }
    }

    #[test]
    fn floats_equal_the_whole_numbers_that_they_are() {
        let float = |value: f64| wide(&AnyValue::Float64(value));
        assert_eq!(float(-3.0), wide(&AnyValue::Int8(-3)));
        assert_eq!(float(-0.0), Some(0));
        assert_eq!(float(9_007_199_254_740_992.0), Some(9_007_199_254_740_992));
        assert_ne!(
            float(9_007_199_254_740_992.0),
            wide(&AnyValue::Int64(9_007_199_254_740_993))
        );
        assert_ne!(float(0.5), float(1.5));
        assert_ne!(float(1e300), float(1e301));
        assert_ne!(float(f64::INFINITY), float(f64::NEG_INFINITY));
        assert_eq!(float(f64::NAN), None);
    }
}
