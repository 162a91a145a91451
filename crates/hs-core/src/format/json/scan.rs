//! Letters of JSON text: where a text ends, what its escapes and numbers may look like. It knows no
//! columns and no values; all readers of JSON use it.

/// The first quote, backslash or control character from `at` on.
#[inline]
pub fn special(bytes: &[u8], mut at: usize) -> Option<usize> {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    // The lowest byte that is zero gets its highest bit; bytes above it may get it as well.
    let zero = |word: u64| word.wrapping_sub(ONES) & !word & HIGH;
    while let Some(chunk) = bytes.get(at..).and_then(<[u8]>::first_chunk::<8>) {
        let word = u64::from_le_bytes(*chunk);
        let control = word.wrapping_sub(ONES * 0x20) & !word & HIGH;
        let hits = zero(word ^ (ONES * 0x22)) | zero(word ^ (ONES * 0x5c)) | control;
        if hits != 0 {
            return Some(at + hits.trailing_zeros() as usize / 8);
        }
        at += 8;
    }
    let rest = bytes.get(at..)?;
    let found = rest
        .iter()
        .position(|byte| *byte < b' ' || matches!(byte, b'"' | b'\\'));
    found.map(|found| at + found)
}

/// Four hexadecimal digits.
pub fn unit(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..at + 4)?.iter().try_fold(0, |unit, digit| {
        let digit = char::from(*digit).to_digit(16)?;
        Some(unit << 4 | digit as u16)
    })
}

/// True for a number as RFC 8259, section 6, has it.
pub fn is_number(text: &[u8]) -> bool {
    fn digits(text: &[u8]) -> &[u8] {
        let count = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
        &text[count..]
    }
    let text = text.strip_prefix(b"-").unwrap_or(text);
    let rest = match text {
        [b'0', rest @ ..] => rest,
        [b'1'..=b'9', rest @ ..] => digits(rest),
        _ => return false,
    };
    let rest = match rest {
        [b'.', b'0'..=b'9', rest @ ..] => digits(rest),
        rest => rest,
    };
    let rest = match rest {
        [b'e' | b'E', b'+' | b'-', b'0'..=b'9', rest @ ..]
        | [b'e' | b'E', b'0'..=b'9', rest @ ..] => digits(rest),
        rest => rest,
    };
    rest.is_empty()
}
