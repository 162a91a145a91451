//! Cells of plain types: text to whole numbers, floats, truth values and bytes. `None` is what is not
//! written like one, or what the type does not hold; nothing is rounded but to the nearest float.

/// A whole number of 64 bits.
#[inline]
pub fn int(text: &str) -> Option<i64> {
    let bytes = text.as_bytes();
    let (negative, digits) = match bytes {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, bytes),
    };
    // 18 digits never overflow.
    if digits.is_empty() || digits.len() > 18 {
        return text.parse().ok();
    }
    let mut value: i64 = 0;
    for byte in digits {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return text.parse().ok();
        }
        value = value * 10 + i64::from(digit);
    }
    Some(if negative { -value } else { value })
}

/// A float; `NaN` and `Infinity` are words, and no number is so large that it becomes one of them.
#[inline]
pub fn float(text: &str) -> Option<f64> {
    let value: f64 = fast_float2::parse(text).ok()?;
    let written = value.is_finite() || !text.bytes().any(|byte| byte.is_ascii_digit());
    written.then_some(value)
}

/// A truth value, in the spellings that Google's clients take.
#[inline]
pub fn boolean(text: &str) -> Option<bool> {
    match text {
        "true" => return Some(true),
        "false" => return Some(false),
        _ => {}
    }
    let is = |words: [&str; 3]| words.iter().any(|word| text.eq_ignore_ascii_case(word));
    if is(["true", "t", "1"]) {
        Some(true)
    } else if is(["false", "f", "0"]) {
        Some(false)
    } else {
        None
    }
}

/// Base64 as RFC 4648, section 4, has it, padding included, behind what is in `out`.
pub fn base64(text: &str, out: &mut Vec<u8>) -> Option<()> {
    let (groups, rest) = text.as_bytes().as_chunks::<4>();
    if !rest.is_empty() {
        return None;
    }
    let Some((last, groups)) = groups.split_last() else {
        return Some(());
    };
    out.reserve(text.len() / 4 * 3);
    for group in groups {
        let [a, b, c, d] = group.map(|letter| SIX[usize::from(letter)]);
        if (a | b | c | d) > 63 {
            return None;
        }
        out.extend([a << 2 | b >> 4, b << 4 | c >> 2, c << 6 | d]);
    }
    let padding = last
        .iter()
        .rev()
        .take_while(|letter| **letter == b'=')
        .count();
    let used = 4 - padding;
    let mut six = [0; 4];
    for (six, letter) in six.iter_mut().zip(&last[..used]) {
        *six = SIX[usize::from(*letter)];
        if *six > 63 {
            return None;
        }
    }
    let [a, b, c, d] = six;
    let bytes = [a << 2 | b >> 4, b << 4 | c >> 2, c << 6 | d];
    // Bits behind the last byte say nothing, and are zero.
    let spare = match padding {
        0 => 0,
        1 => bytes[2],
        2 => bytes[1],
        _ => return None,
    };
    out.extend_from_slice(&bytes[..3 - padding]);
    (spare == 0).then_some(())
}

/// The six bits of each letter; 64 for one that has none.
const SIX: [u8; 256] = {
    let mut table = [64; 256];
    let letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut at = 0;
    while at < letters.len() {
        table[letters[at] as usize] = at as u8;
        at += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn whole_numbers_of_64_bits_and_no_others() {
        for (text, value) in [
            ("0", 0),
            ("-0", 0),
            ("007", 7),
            ("-9223372036854775808", i64::MIN),
            ("9223372036854775807", i64::MAX),
            ("-999999999999999999", -999_999_999_999_999_999),
        ] {
            assert_eq!(int(text), Some(value), "{text}");
        }
        let none = [
            "",
            "-",
            "1.0",
            "1e3",
            " 1",
            "9223372036854775808",
            "--1",
            "0x1",
            "1_0",
            "٣",
            "a",
            "NaN",
        ];
        for text in none {
            assert_eq!(int(text), None, "{text}");
        }
    }

    #[test]
    fn floats_to_the_nearest_and_their_words() {
        for (text, value) in [
            ("1.5", 1.5),
            ("-0.0", -0.0),
            ("1.7976931348623157E308", f64::MAX),
            ("4.9406564584124654E-324", 5e-324),
            ("Infinity", f64::INFINITY),
            ("-Infinity", f64::NEG_INFINITY),
            ("0.1", 0.1),
            ("3", 3.0),
        ] {
            assert_eq!(
                float(text).map(f64::to_bits),
                Some(value.to_bits()),
                "{text}"
            );
        }
        assert!(float("NaN").is_some_and(f64::is_nan));
        for text in ["", "1.8e308", "-1e400", "1,5", "one", "1.5 ", "0x10"] {
            assert_eq!(float(text), None, "{text}");
        }
    }

    #[test]
    fn truth_values_as_googles_clients_take_them() {
        assert_eq!(["true", "True", "t", "1"].map(boolean), [Some(true); 4]);
        assert_eq!(["false", "FALSE", "f", "0"].map(boolean), [Some(false); 4]);
        assert_eq!(["", "yes", "2", "null"].map(boolean), [None; 4]);
    }

    #[test]
    fn bytes_as_rfc_4648_writes_them() {
        let bytes = |text: &str| {
            let mut out = Vec::new();
            base64(text, &mut out).map(|()| out)
        };
        // Section 10 of the RFC.
        for (text, wanted) in [
            ("", ""),
            ("Zg==", "f"),
            ("Zm8=", "fo"),
            ("Zm9v", "foo"),
            ("Zm9vYg==", "foob"),
            ("Zm9vYmE=", "fooba"),
            ("Zm9vYmFy", "foobar"),
        ] {
            assert_eq!(bytes(text).as_deref(), Some(wanted.as_bytes()), "{text}");
        }
        assert_eq!(bytes("AP8="), Some(vec![0, 255]));
        assert_eq!(bytes("+/+/"), Some(vec![0xfb, 0xff, 0xbf]));
        for text in [
            "Zg", "Zg=", "Zm9", "Z===", "====", "Zh==", "Zm9=", "-_-_", "Zg==Zg==", "Zm 9",
            "Zm9v\n", "Zé=",
        ] {
            assert_eq!(bytes(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn whole_numbers_are_read_as_std_reads_them(text in "[-+]?[0-9]{0,22}", value: i64) {
            prop_assert_eq!(int(&text), text.parse().ok());
            prop_assert_eq!(int(&value.to_string()), Some(value));
        }

        #[test]
        fn every_float_comes_back(bits: u64) {
            let value = f64::from_bits(bits);
            let found = float(&format!("{value:?}")).unwrap();
            prop_assert!(found.to_bits() == bits || found.is_nan() && value.is_nan());
        }
    }
}
