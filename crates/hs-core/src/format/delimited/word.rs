//! Short texts as machine words: digits and views without a loop over bytes.
//!
//! A field is a few bytes long as a rule; loops and copies of unknown length cost more than it does.

use polars_arrow::array::View;

/// The bytes (1 to 8) of a text, the first in the lowest byte.
#[inline]
pub fn word(text: &[u8]) -> u64 {
    let length = text.len();
    if let (Some(first), Some(last)) = (text.first_chunk::<4>(), text.last_chunk::<4>()) {
        // Where they overlap they hold the same.
        let last = u64::from(u32::from_le_bytes(*last));
        return u64::from(u32::from_le_bytes(*first)) | last << ((length - 4) * 8);
    }
    let byte = |at: usize| u64::from(text[at]) << (at * 8);
    byte(0) | byte(length / 2) | byte(length - 1)
}

/// The number that 1 to 16 digits write; `None` for anything else.
#[inline]
pub fn digits(text: &[u8]) -> Option<u64> {
    match text.len() {
        1..=8 => digits_of(word(text), text.len()),
        9..=16 => {
            let (high, low) = text.split_at(text.len() - 8);
            Some(digits_of(word(high), high.len())? * 100_000_000 + digits_of(word(low), 8)?)
        }
        _ => None,
    }
}

/// The digits around a point in 3 to 8 bytes: the number without the point, and how many digits
/// follow it; `None` for anything else.
#[inline]
pub fn decimal(text: &[u8]) -> Option<(u64, usize)> {
    if !(3..=8).contains(&text.len()) {
        return None;
    }
    let word = word(text);
    // The lowest byte that is a point becomes 0x80: the usual search for a zero byte.
    let other = word ^ 0x2e2e_2e2e_2e2e_2e2e;
    let hit = other.wrapping_sub(0x0101_0101_0101_0101) & !other & 0x8080_8080_8080_8080;
    let point = hit.trailing_zeros() as usize / 8;
    if point == 0 || point + 1 >= text.len() {
        return None;
    }
    let front = word & ((1 << (point * 8)) - 1);
    let back = word >> (point * 8) >> 8;
    let joined = front | back << (point * 8);
    let number = digits_of(joined, text.len() - 1)?;
    Some((number, text.len() - 1 - point))
}

/// The number that the lowest `length` (1 to 8) bytes of a word write in digits.
///
/// Source of the method: Daniel Lemire, "Quickly parsing eight digits" (2018); Johnny Lee's
/// multiplications of pairs, fours and eights.
#[inline]
fn digits_of(word: u64, length: usize) -> Option<u64> {
    const ZEROS: u64 = 0x3030_3030_3030_3030;
    const HIGH: u64 = 0xf0f0_f0f0_f0f0_f0f0;
    // Zeros in front make it eight digits.
    let padding = 64 - length * 8;
    let word = if padding == 0 {
        word
    } else {
        word << padding | ZEROS >> (length * 8)
    };
    let beyond_nine = (word.wrapping_add(0x0606_0606_0606_0606) & HIGH) >> 4;
    if (word & HIGH) | beyond_nine != 0x3333_3333_3333_3333 {
        return None;
    }
    let pairs = (word & 0x0f0f_0f0f_0f0f_0f0f).wrapping_mul(10 << 8 | 1) >> 8;
    let fours = (pairs & 0x00ff_00ff_00ff_00ff).wrapping_mul(100 << 16 | 1) >> 16;
    Some((fours & 0x0000_ffff_0000_ffff).wrapping_mul(10_000 << 32 | 1) >> 32)
}

/// The view of a text, whose bytes go to `long` when they are too many for a view.
#[inline]
pub fn view(text: &[u8], long: &mut Vec<u8>) -> View {
    let length = text.len();
    let bytes = match (length, text.first_chunk::<8>(), text.last_chunk::<4>()) {
        (0, ..) => 0,
        (1..=8, ..) => u128::from(word(text)),
        (9..=12, Some(first), Some(last)) => {
            let last = u128::from(u32::from_le_bytes(*last));
            u128::from(u64::from_le_bytes(*first)) | last << ((length - 4) * 8)
        }
        _ => {
            let view = View::new_from_bytes(text, 0, long.len() as u32);
            long.extend_from_slice(text);
            return view;
        }
    };
    View {
        length: length as u32,
        prefix: (bytes as u32).to_le(),
        buffer_idx: ((bytes >> 32) as u32).to_le(),
        offset: ((bytes >> 64) as u32).to_le(),
    }
}

/// The digits of a number below 100,000,000, the first in the lowest byte, and how many there are.
///
/// In a register, pair by pair: bytes that are written one by one and read as a word stall the core.
#[inline]
fn written(number: u32) -> (u64, u32) {
    // Two halves of four digits, each in 32 bits; then pairs in 16; then digits in 8. The factors
    // divide by 100 and by 10, exactly for numbers as small as these.
    let halves = u64::from(number / 10_000) | u64::from(number % 10_000) << 32;
    let hundreds = (halves * 10_486) >> 20 & 0x0000_007f_0000_007f;
    let pairs = hundreds | (halves - hundreds * 100) << 16;
    let tens = (pairs * 103) >> 10 & 0x000f_000f_000f_000f;
    let digits = tens | (pairs - tens * 10) << 8;
    let leading = (digits.trailing_zeros() / 8).min(7);
    (
        (digits | 0x3030_3030_3030_3030) >> (leading * 8),
        8 - leading,
    )
}

/// A whole number written in digits, the first in the lowest byte, and how many bytes that are;
/// `None` for more than eight.
#[inline]
pub fn int_word(value: i64) -> Option<(u64, u32)> {
    if value.unsigned_abs() >= 10_000_000 {
        return None;
    }
    let (bytes, length) = written(value.unsigned_abs() as u32);
    Some(if value < 0 {
        (bytes << 8 | u64::from(b'-'), length + 1)
    } else {
        (bytes, length)
    })
}

/// The view of a whole number written in digits.
#[inline]
pub fn int_view(value: i64, long: &mut Vec<u8>) -> View {
    let Some((bytes, length)) = int_word(value) else {
        return view(value.to_string().as_bytes(), long);
    };
    View {
        length,
        prefix: (bytes as u32).to_le(),
        buffer_idx: ((bytes >> 32) as u32).to_le(),
        offset: 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn digits_are_what_the_library_reads(text in "[0-9]{1,16}") {
            prop_assert_eq!(digits(text.as_bytes()), text.parse().ok());
        }

        #[test]
        fn nothing_else_is_digits(bytes in prop::collection::vec(any::<u8>(), 1..=17)) {
            let all = bytes.len() <= 16 && bytes.iter().all(u8::is_ascii_digit);
            prop_assert_eq!(digits(&bytes).is_some(), all);
        }

        #[test]
        fn decimals_are_their_digits_and_where_the_point_is(
            front in "[0-9]{1,6}", back in "[0-9]{1,6}"
        ) {
            let text = format!("{front}.{back}");
            let expected = (text.len() <= 8)
                .then(|| (format!("{front}{back}").parse::<u64>().unwrap(), back.len()));
            prop_assert_eq!(decimal(text.as_bytes()), expected);
        }

        #[test]
        fn nothing_else_is_a_decimal(bytes in prop::collection::vec(prop::sample::select(b"0.9-/:x".to_vec()), 1..=9)) {
            let text = std::str::from_utf8(&bytes).unwrap();
            let parts: Vec<&str> = text.split('.').collect();
            let number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
            let fits = bytes.len() <= 8 && parts.len() == 2 && parts.iter().all(|part| number(part));
            prop_assert_eq!(decimal(&bytes).is_some(), fits, "{}", text);
        }

        #[test]
        fn whole_numbers_are_the_views_of_their_text(value: i64, shift in 0..64u32) {
            let value = value >> shift;
            let (mut long, mut other) = (Vec::new(), Vec::new());
            let text = value.to_string();
            prop_assert_eq!(int_view(value, &mut long), view(text.as_bytes(), &mut other));
            prop_assert_eq!(long, other);
        }

        #[test]
        fn views_are_those_of_the_library(text in ".{0,20}") {
            let mut long = b"before".to_vec();
            let view = view(text.as_bytes(), &mut long);
            prop_assert_eq!(view, View::new_from_bytes(text.as_bytes(), 0, 6));
            let kept = if text.len() > 12 { text.as_str() } else { "" };
            prop_assert_eq!(&long[6..], kept.as_bytes());
        }
    }
}
