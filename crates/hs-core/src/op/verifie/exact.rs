//! Exact numbers: a whole multiple of a power of ten. Nothing is rounded unless it is asked for.

use std::cmp::Ordering;

/// Digits behind the point that a number may have.
pub const DIGITS: u32 = 38;

/// Ten to this power; none when it does not fit.
fn power(digits: u32) -> Option<i128> {
    10_i128.checked_pow(digits)
}

/// The number with more digits behind the point; none when it does not fit.
pub fn scaled(value: i128, from: u32, to: u32) -> Option<i128> {
    if from == to || value == 0 {
        return Some(value);
    }
    value.checked_mul(power(to.checked_sub(from)?)?)
}

/// How two numbers compare.
pub fn compare(left: i128, left_digits: u32, right: i128, right_digits: u32) -> Ordering {
    if left_digits > right_digits {
        return compare(right, right_digits, left, left_digits).reverse();
    }
    if let Some(left) = scaled(left, left_digits, right_digits) {
        return left.cmp(&right);
    }
    // Too large to be written with as many digits: the whole parts differ, or the rest decides.
    let unit = power(right_digits - left_digits).unwrap_or(i128::MAX);
    let (whole, rest) = (right.div_euclid(unit), right.rem_euclid(unit));
    left.cmp(&whole).then(if rest > 0 {
        Ordering::Less
    } else {
        Ordering::Equal
    })
}

/// How a number compares with a float that is not NaN. A whole number never becomes a float; a
/// decimal does, as a float that was written with the same digits would.
pub fn compare_float(value: i128, digits: u32, other: f64) -> Ordering {
    const BEYOND: f64 = 1.7e38;
    if digits > 0 {
        return float(value, digits).total_cmp(&(other + 0.0));
    }
    if other > BEYOND {
        return Ordering::Less;
    }
    if other < -BEYOND {
        return Ordering::Greater;
    }
    let whole = other.trunc();
    value
        .cmp(&(whole as i128))
        .then_with(|| 0.0_f64.total_cmp(&(other - whole + 0.0)))
}

/// The nearest float.
pub fn float(value: i128, digits: u32) -> f64 {
    const WHOLE: u128 = 1 << 53;
    if digits == 0 {
        return value as f64;
    }
    // Both are floats without rounding, so their quotient is rounded once.
    if digits <= 22 && value.unsigned_abs() <= WHOLE {
        return value as f64 / 10_f64.powi(digits as i32);
    }
    format!("{value}e-{digits}")
        .parse()
        .expect("digits with an exponent are a float")
}

/// The number with at most so many digits behind the point, halves away from zero; also how many
/// it has then.
pub fn rounded(value: i128, digits: u32, wanted: i32) -> Option<(i128, u32)> {
    let drop = i64::from(digits) - i64::from(wanted);
    if drop <= 0 {
        return Some((value, digits));
    }
    let kept = wanted.max(0) as u32;
    let Some(unit) = u32::try_from(drop).ok().and_then(power) else {
        return Some((0, kept));
    };
    let (whole, rest) = (value / unit, value % unit);
    let up = rest.unsigned_abs() >= unit.unsigned_abs().div_ceil(2);
    let whole = whole + if up { value.signum() } else { 0 };
    // With fewer than no digits the zeros before the point come back.
    let zeros = u32::try_from(-wanted.min(0)).ok().and_then(power)?;
    Some((whole.checked_mul(zeros)?, kept))
}

/// As the user reads it.
pub fn text(value: i128, digits: u32) -> String {
    if digits == 0 {
        return value.to_string();
    }
    let sign = if value < 0 { "-" } else { "" };
    let size = value.unsigned_abs().to_string();
    let digits = digits as usize;
    let padded = format!("{size:0>width$}", width = digits + 1);
    let (whole, rest) = padded.split_at(padded.len() - digits);
    format!("{sign}{whole}.{rest}")
}

/// The number that is written so, when it is exact: digits with a point or an exponent.
pub fn parse(written: &str) -> Option<(i128, u32)> {
    let (mantissa, exponent) = match written.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i64>().ok()?),
        None => (written, 0),
    };
    let (whole, rest) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let value = format!("{whole}{rest}").parse::<i128>().ok()?;
    let digits = rest.len() as i64 - exponent;
    if digits >= 0 {
        let digits = u32::try_from(digits)
            .ok()
            .filter(|digits| *digits <= DIGITS)?;
        return Some((value, digits));
    }
    let zeros = u32::try_from(-digits).ok()?;
    Some((scaled(value, 0, zeros)?, 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_and_shown_exactly() {
        for (written, shown) in [
            ("7", "7"),
            ("0.10", "0.10"),
            ("1.5e3", "1500"),
            ("15e-3", "0.015"),
            (".5", "0.5"),
            ("99999999999999999999", "99999999999999999999"),
        ] {
            let (value, digits) = parse(written).unwrap();
            assert_eq!(text(value, digits), shown);
        }
        assert_eq!(text(-5, 2), "-0.05");
        assert!(parse("1e40").is_none() && parse("1e-40").is_none() && parse("x").is_none());
    }

    #[test]
    fn numbers_of_any_scale_compare_by_value() {
        assert_eq!(compare(10, 1, 1, 0), Ordering::Equal);
        assert_eq!(compare(i128::MAX, 0, 5, 38), Ordering::Greater);
        assert_eq!(compare(i128::MIN, 0, 5, 38), Ordering::Less);
        assert_eq!(compare(-1, 0, -11, 1), Ordering::Greater);
        // 2^53 + 1 has no float.
        let odd = (1_i128 << 53) + 1;
        assert_eq!(
            compare_float(odd, 0, (1_i64 << 53) as f64),
            Ordering::Greater
        );
        assert_eq!(compare_float(-3, 0, -2.5), Ordering::Less);
        assert_eq!(compare_float(-2, 0, -2.5), Ordering::Greater);
        assert_eq!(compare_float(0, 0, -0.0), Ordering::Equal);
        assert_eq!(compare_float(1, 1, 0.1), Ordering::Equal);
        assert_eq!(compare_float(5, 0, f64::INFINITY), Ordering::Less);
    }

    #[test]
    fn halves_are_rounded_away_from_zero() {
        assert_eq!(rounded(25, 1, 0), Some((3, 0)));
        assert_eq!(rounded(-25, 1, 0), Some((-3, 0)));
        assert_eq!(rounded(1249, 3, 2), Some((125, 2)));
        assert_eq!(rounded(1250, 0, -2), Some((1300, 0)));
        assert_eq!(rounded(7, 0, -40), Some((0, 0)));
        assert_eq!(rounded(7, 0, 3), Some((7, 0)));
    }
}
