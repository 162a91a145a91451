//! Values as the text that stands in a cell or in the shared texts. It decides nothing about columns.

/// Appends a whole number.
#[inline]
pub fn push_int(out: &mut Vec<u8>, value: i64) {
    out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
}

/// Appends the shortest text that reads back as the same number, which must be finite.
#[inline]
pub fn push_float(out: &mut Vec<u8>, value: impl zmij::Float) {
    let mut buffer = zmij::Buffer::new();
    let text = buffer.format_finite(value);
    out.extend_from_slice(text.strip_suffix(".0").unwrap_or(text).as_bytes());
}

/// Appends a text as XML. What XML has no character for, and carriage returns, which XML readers
/// change, stand as `_x000D_`; what looks like that already stands as `_x005F_x000D_`.
///
/// Source: ECMA-376 part 1, 22.9.2.19 (ST_Xstring).
pub fn push_text(out: &mut Vec<u8>, text: &str) {
    let bytes = text.as_bytes();
    let (mut start, mut from) = (0, 0);
    while let Some(found) = bytes[from..]
        .iter()
        .position(|byte| SPECIAL[usize::from(*byte)])
    {
        let at = from + found;
        let mut length = 1;
        let mut escape = *b"_x0000_";
        let written: &[u8] = match bytes[at] {
            b'&' => b"&amp;",
            b'<' => b"&lt;",
            b'>' => b"&gt;",
            b'_' if looks_escaped(&bytes[at..]) => b"_x005F_",
            // U+FFFE and U+FFFF, the only ones of three bytes that XML forbids.
            0xef if matches!(bytes[at..], [_, 0xbf, 0xbe | 0xbf, ..]) => {
                length = 3;
                if bytes[at + 2] == 0xbe {
                    b"_xFFFE_"
                } else {
                    b"_xFFFF_"
                }
            }
            b'_' | 0xef => {
                from = at + 1;
                continue;
            }
            control => {
                escape[4] = b'0' + (control >> 4);
                escape[5] = b"0123456789ABCDEF"[usize::from(control & 15)];
                &escape
            }
        };
        out.extend_from_slice(&bytes[start..at]);
        out.extend_from_slice(written);
        start = at + length;
        from = start;
    }
    out.extend_from_slice(&bytes[start..]);
}

/// True for a text whose blanks at an end XML readers would drop.
pub fn has_blank_end(text: &str) -> bool {
    let blank = |byte: Option<&u8>| byte.is_some_and(|byte| *byte <= b' ');
    blank(text.as_bytes().first()) || blank(text.as_bytes().last())
}

/// Bytes at which something may have to be written otherwise.
static SPECIAL: [bool; 256] = {
    let mut special = [false; 256];
    let mut byte = 0;
    while byte < 32 {
        special[byte] = byte != b'\t' as usize && byte != b'\n' as usize;
        byte += 1;
    }
    special[b'&' as usize] = true;
    special[b'<' as usize] = true;
    special[b'>' as usize] = true;
    special[b'_' as usize] = true;
    special[0xef] = true;
    special
};

/// True for `_xHHHH_`.
fn looks_escaped(bytes: &[u8]) -> bool {
    match bytes {
        [b'_', b'x', digits @ .., b'_'] if digits.len() == 4 => {
            digits.iter().all(u8::is_ascii_hexdigit)
        }
        longer if longer.len() > 7 => looks_escaped(&longer[..7]),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str) -> String {
        let mut out = Vec::new();
        push_text(&mut out, text);
        String::from_utf8(out).expect("text in, text out")
    }

    #[test]
    fn what_xml_cannot_hold_is_escaped_as_excel_does() {
        let cases = [
            ("plain", "plain"),
            ("a & b < c > d \"e\"", "a &amp; b &lt; c &gt; d \"e\""),
            ("tab\tline\nend\r\n", "tab\tline\nend_x000D_\n"),
            ("\0\u{1}\u{1f}", "_x0000__x0001__x001F_"),
            ("_x0041_", "_x005F_x0041_"),
            ("_x0041_x0042_", "_x005F_x0041_x005F_x0042_"),
            ("_x005f_", "_x005F_x005f_"),
            ("_X0041_ _x004_ _x00411_ _x", "_X0041_ _x004_ _x00411_ _x"),
            ("__x0041_", "__x005F_x0041_"),
            (
                "\u{fffe}\u{ffff}\u{fffd}\u{f000}",
                "_xFFFE__xFFFF_\u{fffd}\u{f000}",
            ),
            ("\u{7f}\u{85}\u{2028}é東😀", "\u{7f}\u{85}\u{2028}é東😀"),
            ("", ""),
        ];
        for (text, expected) in cases {
            assert_eq!(written(text), expected, "{text:?}");
        }
    }

    #[test]
    fn numbers_are_exact_and_short() {
        let float = |value: f64| {
            let mut out = Vec::new();
            push_float(&mut out, value);
            String::from_utf8(out).expect("digits")
        };
        for value in [
            0.1,
            -0.0,
            1e300,
            5e-324,
            9_007_199_254_740_993.0,
            1.0 / 3.0,
            1e21,
        ] {
            let back: f64 = float(value).parse().expect("a number");
            assert_eq!(back.to_bits(), value.to_bits());
        }
        assert_eq!((float(1.0), float(0.5)), ("1".into(), "0.5".into()));
        let mut out = Vec::new();
        push_float(&mut out, 0.1f32);
        push_int(&mut out, i64::MIN);
        assert_eq!(out, b"0.1-9223372036854775808");
    }
}
