//! Numbers by their exact value, whatever type holds them.

use std::fmt::Write as _;

use polars::prelude::AnyValue;

use crate::text;

/// Floats that are no whole numbers, or larger than these, are told from whole numbers by this bit.
const APART: i128 = 1 << 120;
/// Whole floats below this are whole numbers of 128 bits.
const WHOLE: f64 = 1e30;
/// Whole numbers of up to so many digits are written without an exponent.
const PLAIN: usize = 40;

/// A whole number of up to 64 bits or a float as a number that is equal where their values are; none for NaN.
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
pub fn exact(value: &AnyValue<'_>) -> Option<String> {
    let mut out = String::new();
    match value {
        AnyValue::Null => return None,
        AnyValue::Float32(value) if value.is_nan() => return None,
        AnyValue::Float64(value) if value.is_nan() => return None,
        AnyValue::Float32(value) => write_float(&mut out, f64::from(*value)),
        AnyValue::Float64(value) => write_float(&mut out, *value),
        value => write(&mut out, &text::plain(value)),
    }
    Some(out)
}

/// Appends the digits of a float: if it is whole those of its exact value, else those of its shortest text, as it is
/// written and read.
pub fn write_float(out: &mut String, value: f64) {
    const SMALL: f64 = 1e15;
    let written = if value.is_nan() {
        out.push_str(super::form::MISSING);
        return;
    } else if value.is_infinite() {
        out.push_str(if value > 0.0 { "inf" } else { "-inf" });
        return;
    } else if value.fract() != 0.0 {
        format!("{value:?}")
    } else if value.abs() < SMALL {
        // Turns -0.0 into 0, too.
        let _ = write!(out, "{}", value as i64);
        return;
    } else {
        format!("{value:.0}")
    };
    write(out, &written);
}

/// Appends a number that JSON text has; none for what is no number. Only floats are written with an exponent.
pub fn write_json(out: &mut String, text: &str) -> Option<()> {
    if text.contains(['e', 'E']) {
        let float = text.parse::<f64>().ok().filter(|float| float.is_finite());
        if let Some(float) = float.filter(|float| *float != 0.0) {
            write_float(out, float);
            return Some(());
        }
    }
    parts(text)?;
    write(out, text);
    Some(())
}

/// Appends the text of a number, the same for all texts of one value: `1`, `1.0` and `10e-1` are `1`; what is not whole,
/// or has many digits, has a power of ten (`5e-1`). Another text, such as an infinity, stays.
pub fn write(out: &mut String, text: &str) {
    let unsigned = text.strip_prefix('-').unwrap_or(text).as_bytes();
    let whole = match unsigned {
        [b'0'] => unsigned.len() == text.len(),
        [b'1'..=b'9', rest @ ..] => rest.len() < PLAIN && rest.iter().all(u8::is_ascii_digit),
        _ => false,
    };
    let Some((sign, digits, exponent)) = (!whole).then(|| parts(text)).flatten() else {
        out.push_str(text);
        return;
    };
    if digits.is_empty() {
        out.push('0');
        return;
    }
    out.push_str(sign);
    out.push_str(&digits);
    match usize::try_from(exponent) {
        Ok(zeros) if zeros < PLAIN && digits.len() + zeros <= PLAIN => {
            out.extend(std::iter::repeat_n('0', zeros));
        }
        _ => drop(write!(out, "e{exponent}")),
    }
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
        let canonical = |text: &str| {
            let mut out = String::new();
            write(&mut out, text);
            out
        };
        for text in ["1", "1.0", "01.00", "10e-1", "0.1e1", "1E+0"] {
            assert_eq!(canonical(text), "1", "{text}");
        }
        for text in ["0", "-0", "-0.00", "0E-8", "000"] {
            assert_eq!(canonical(text), "0", "{text}");
        }
        assert_eq!(canonical("-1200.50"), "-12005e-1");
        assert_eq!(canonical("-1200"), canonical("-1.2E+3"));
        assert_eq!(canonical("9007199254740993"), "9007199254740993");
        let long = format!("12{}", "0".repeat(39));
        assert_eq!(canonical(&long), "12e39");
        assert_eq!(canonical(&long[..40]), long[..40]);
        assert_eq!(canonical("12E+38"), long[..40]);
        assert_eq!(canonical("1E+999999999"), "1e999999999");
        for text in ["inf", "", "-", "1.2.3", "1e", "00:10"] {
            assert_eq!(canonical(text), text);
        }
    }

    #[test]
    fn floats_have_the_digits_of_their_value() {
        let digits = |value: f64| exact(&AnyValue::Float64(value)).expect("a number");
        assert_eq!(digits(-0.0), "0");
        assert_eq!(digits(0.1), "1e-1");
        assert_eq!(digits(9_223_372_036_854_775_808.0), "9223372036854775808");
        assert_eq!(digits(1e22), "10000000000000000000000");
        assert_eq!(digits(1e23), "99999999999999991611392");
        assert!(
            digits(f64::MAX).starts_with("17976931348623157081452742373170435679807056752584499")
        );
        assert_eq!(digits(-1e15), "-1000000000000000");
        assert_eq!(
            exact(&AnyValue::Float32(0.1)),
            Some("10000000149011612e-17".to_owned())
        );
        assert_eq!(exact(&AnyValue::Float64(f64::NAN)), None);
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
