//! What raw XML text says: references, line ends, and the `_x000D_` escapes of OOXML. It knows no
//! elements.

use memchr::{memchr2, memmem};

/// Adds raw XML text, its references resolved and its line ends made LF (XML 1.0, 2.11 and 4.1). A
/// reference that means nothing stays as it is.
pub fn decode(raw: &str, out: &mut String) {
    let mut rest = raw;
    while let Some(at) = memchr2(b'&', b'\r', rest.as_bytes()) {
        let (front, behind) = rest.split_at(at);
        out.push_str(front);
        rest = match behind.strip_prefix('&') {
            Some(behind) => match reference(behind) {
                Some((letter, length)) => {
                    out.push(letter);
                    behind.get(length..).unwrap_or_default()
                }
                None => {
                    out.push('&');
                    behind
                }
            },
            None => {
                out.push('\n');
                behind.strip_prefix("\r\n").unwrap_or(&behind[1..])
            }
        };
    }
    out.push_str(rest);
}

/// The letter of a reference, and how long it is with its semicolon.
fn reference(behind: &str) -> Option<(char, usize)> {
    // The longest is `#x10FFFF`, but for leading zeros.
    let end = behind.bytes().take(16).position(|byte| byte == b';')?;
    let name = behind.get(..end)?;
    let letter = match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        name => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => code(hex, 16),
                None => code(number, 10),
            };
            char::from_u32(code?)?
        }
    };
    Some((letter, end + 1))
}

/// A number without a sign.
fn code(digits: &str, radix: u32) -> Option<u32> {
    if digits.starts_with('+') {
        return None;
    }
    u32::from_str_radix(digits, radix).ok()
}

/// The value of an attribute.
pub fn attribute(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    decode(raw, &mut out);
    out
}

/// The text of a `t` element: without the white space at its ends, unless that is to be kept, and
/// with its escapes resolved.
pub fn finish(text: &str, keep_space: bool, out: &mut String) {
    let text = if keep_space { text } else { trimmed(text) };
    unescape(text, out);
}

/// Excel drops white space at the ends of texts that do not ask to keep it; no-break space is none.
pub fn trimmed(text: &str) -> &str {
    text.trim_matches([' ', '\t', '\r', '\n'])
}

/// Adds a text with its escapes resolved: `_x000D_` is a carriage return, `_x005F_` an underscore.
/// Each is read once, from left to right. Half of a surrogate pair stays as it is.
///
/// Source: ECMA-376 part 1, 22.9.2.19 (ST_Xstring).
pub fn unescape(text: &str, out: &mut String) {
    let mut rest = text;
    let mut from = 0;
    while let Some(at) = memmem::find(&rest.as_bytes()[from..], b"_x") {
        let at = from + at;
        let behind = &rest[at..];
        match letter(behind) {
            Some((letter, length)) => {
                out.push_str(&rest[..at]);
                out.push(letter);
                rest = &behind[length..];
                from = 0;
            }
            None => from = at + 2,
        }
    }
    out.push_str(rest);
}

/// The letter that an escape at the front of a text means, and how long the escape is.
fn letter(text: &str) -> Option<(char, usize)> {
    const LENGTH: usize = "_x0000_".len();
    let unit = unit(text)?;
    if let Some(letter) = char::from_u32(u32::from(unit)) {
        return Some((letter, LENGTH));
    }
    let low = self::unit(text.get(LENGTH..)?)?;
    let mut pair = char::decode_utf16([unit, low]);
    let letter = pair.next()?.ok()?;
    Some((letter, 2 * LENGTH))
}

/// The UTF-16 unit of an escape at the front of a text.
fn unit(text: &str) -> Option<u16> {
    let hex = text.strip_prefix("_x")?.get(..4)?;
    let closed = text.as_bytes().get(6) == Some(&b'_');
    let digits = hex.bytes().all(|byte| byte.is_ascii_hexdigit());
    (closed && digits).then(|| u16::from_str_radix(hex, 16).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_and_line_ends_are_resolved() {
        for (raw, text) in [
            ("a &lt; b &amp;&#38; c &#x41;&#66;", "a < b && c AB"),
            ("&quot;&apos;&gt;", "\"'>"),
            ("1\r\n2\r3\n4", "1\n2\n3\n4"),
            ("1&#13;2", "1\r2"),
            // Nothing is lost of what means nothing.
            (
                "A & B &unknown; &#xD800; &#; &#x+41; &",
                "A & B &unknown; &#xD800; &#; &#x+41; &",
            ),
            ("&#x1F600;é", "😀é"),
        ] {
            assert_eq!(attribute(raw), text, "{raw}");
        }
    }

    #[test]
    fn escapes_are_read_once_from_left_to_right() {
        for (raw, text) in [
            ("a_x000D_b", "a\rb"),
            ("_x005F_x000D_", "_x000D_"),
            ("_x005F_", "_"),
            ("_x00e9_", "é"),
            ("_X000D_", "_X000D_"),
            ("_x000_ _x00000_ _x00zz_ _x", "_x000_ _x00000_ _x00zz_ _x"),
            ("_x_x000A_", "_x\n"),
            ("_xD83D__xDE00_", "😀"),
            ("_xD83D_!", "_xD83D_!"),
            ("_xDE00_", "_xDE00_"),
            ("_x00é0_", "_x00é0_"),
            ("snake_x_y", "snake_x_y"),
        ] {
            let mut out = String::new();
            unescape(raw, &mut out);
            assert_eq!(out, text, "{raw}");
        }
    }

    #[test]
    fn space_at_the_ends_goes_unless_it_is_kept() {
        let finished = |text, keep| {
            let mut out = String::new();
            finish(text, keep, &mut out);
            out
        };
        assert_eq!(finished(" \n a b\t", false), "a b");
        assert_eq!(finished(" a ", true), " a ");
        assert_eq!(finished("\u{a0}a_x0020_", false), "\u{a0}a ");
    }
}
