//! JSON numbers: whole ones exact at any size, floats rounded once, never to zero or infinity.

use crate::builder::ColumnBuilder;
use crate::value::Value;

/// A number by the digits of its text.
pub(crate) enum Number<'a> {
    Int(i64),
    UInt(u64),
    /// Whole, beyond 64 bits.
    Digits(&'a str),
    Float {
        value: f64,
        /// True when the text has more digits than a float holds.
        rounded: bool,
    },
    /// Too large or too small for a float.
    Beyond(&'a str),
}

/// Digits that every float holds exactly enough to tell it from its neighbours.
const FLOAT_DIGITS: usize = 17;
/// From here on floats do not hold every whole number.
const EXACT: f64 = 9_007_199_254_740_992.0;

impl<'a> Number<'a> {
    /// Reads a number that follows the JSON grammar.
    pub fn read(text: &'a str) -> Self {
        let bytes = text.as_bytes();
        let plain = bytes
            .iter()
            .all(|byte| byte.is_ascii_digit() || *byte == b'-');
        if plain {
            return Self::read_whole(text);
        }
        let Ok(value) = fast_float2::parse::<f64, _>(bytes) else {
            return Self::Beyond(text);
        };
        let mantissa = bytes.split(|byte| matches!(byte, b'e' | b'E')).next();
        let mantissa = mantissa.unwrap_or_default();
        if value.is_infinite() || value == 0.0 && mantissa.iter().any(|b| matches!(b, b'1'..=b'9'))
        {
            return Self::Beyond(text);
        }
        let unsigned = bytes.strip_prefix(b"-").unwrap_or(bytes);
        let rounded = mantissa.len() > FLOAT_DIGITS && digits(mantissa) > FLOAT_DIGITS
            || value.abs() >= EXACT && crate::text::lost(unsigned, value.abs());
        Self::Float { value, rounded }
    }

    fn read_whole(text: &'a str) -> Self {
        let bytes = text.as_bytes();
        let (negative, digits) = match bytes {
            [b'-', digits @ ..] => (true, digits),
            digits => (false, digits),
        };
        if digits.len() <= 18 {
            let size = digits
                .iter()
                .fold(0i64, |sum, digit| sum * 10 + i64::from(digit - b'0'));
            return Self::Int(if negative { -size } else { size });
        }
        if let Ok(value) = text.parse::<i64>() {
            Self::Int(value)
        } else if let Ok(value) = text.parse::<u64>() {
            Self::UInt(value)
        } else {
            Self::Digits(text)
        }
    }

    /// As a value.
    pub fn value(&self) -> Value {
        match self {
            Self::Int(value) => Value::Int(*value),
            Self::UInt(value) => Value::UInt(*value),
            Self::Digits(digits) => Value::BigInt((*digits).to_owned()),
            Self::Float { value, .. } => Value::Float(*value),
            Self::Beyond(text) => Value::Decimal((*text).to_owned()),
        }
    }

    /// Into a column.
    pub fn push(&self, column: &mut ColumnBuilder) {
        match self {
            Self::Int(value) => column.push_int(*value),
            Self::UInt(value) => column.push_uint(*value),
            Self::Float { value, .. } => column.push_float(*value),
            Self::Digits(_) | Self::Beyond(_) => column.push(&self.value()),
        }
    }
}

/// Significant digits: without zeros in front and behind.
fn digits(mantissa: &[u8]) -> usize {
    let digits: Vec<u8> = mantissa
        .iter()
        .copied()
        .filter(u8::is_ascii_digit)
        .skip_while(|digit| *digit == b'0')
        .collect();
    let zeros = digits.iter().rev().take_while(|digit| **digit == b'0');
    digits.len() - zeros.count()
}
