//! From JSON text, as columns of values of several kinds are stored, to forms. What is not JSON after all keeps its text;
//! nothing is refused.

use super::digits;
use super::form::{Items, MISSING, write_raw};
use crate::value::write_json_text;

/// Lists and objects that are looked into inside one another; documents are refused before.
const DEEPEST: usize = 600;

/// Appends the form of a value that is given as compact JSON text.
pub fn write(out: &mut String, text: &str) {
    let start = out.len();
    let mut reader = Reader { text, at: 0 };
    let read = reader.value(out, 0);
    if read.is_none() || reader.at < text.len() {
        out.truncate(start);
        write_raw(out, text);
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// True, and one byte further, when the next byte is this one.
    fn takes(&mut self, byte: u8) -> bool {
        let is = self.peek() == Some(byte);
        self.at += usize::from(is);
        is
    }

    fn value(&mut self, out: &mut String, depth: usize) -> Option<()> {
        if depth > DEEPEST {
            return None;
        }
        match self.peek()? {
            b'"' => self.string(out),
            b'[' => {
                self.at += 1;
                let mut items = Items::list(out);
                let mut more = !self.takes(b']');
                while more {
                    let place = out.len();
                    self.value(out, depth + 1)?;
                    items.add(out, place);
                    more = self.more(b']')?;
                }
                items.end(out);
                Some(())
            }
            b'{' => {
                self.at += 1;
                let mut entries = Items::object(out);
                let mut more = !self.takes(b'}');
                while more {
                    let place = out.len();
                    self.string(out)?;
                    self.takes(b':').then_some(())?;
                    out.push(':');
                    let start = out.len();
                    self.value(out, depth + 1)?;
                    entries.add_entry(out, place, start);
                    more = self.more(b'}')?;
                }
                entries.end(out);
                Some(())
            }
            _ => self.word(out),
        }
    }

    /// Whether another item follows; none when neither that nor the end does.
    fn more(&mut self, end: u8) -> Option<bool> {
        if self.takes(end) {
            return Some(false);
        }
        self.takes(b',').then_some(true)
    }

    /// A number, or a word.
    fn word(&mut self, out: &mut String) -> Option<()> {
        let rest = &self.text[self.at..];
        let end = rest.find([',', ']', '}']).unwrap_or(rest.len());
        let word = &rest[..end];
        self.at += end;
        match word {
            "null" | "NaN" | "nan" => out.push_str(MISSING),
            "true" | "false" => out.push_str(word),
            "Infinity" => digits::write_float(out, f64::INFINITY),
            "-Infinity" => digits::write_float(out, f64::NEG_INFINITY),
            number => return digits::write_json(out, number),
        }
        Some(())
    }

    fn string(&mut self, out: &mut String) -> Option<()> {
        self.takes(b'"').then_some(())?;
        let rest = &self.text[self.at..];
        let plain = rest.find(['"', '\\'])?;
        if rest.as_bytes()[plain] == b'"' {
            out.push('"');
            out.push_str(&rest[..=plain]);
            self.at += plain + 1;
            return Some(());
        }
        // Escapes: one text may be written in several ways.
        let mut text = String::new();
        loop {
            let rest = &self.text[self.at..];
            let plain = rest.find(['"', '\\'])?;
            text.push_str(&rest[..plain]);
            self.at += plain + 1;
            if rest.as_bytes()[plain] == b'"' {
                write_json_text(out, &text);
                return Some(());
            }
            text.push(self.escape()?);
        }
    }

    fn escape(&mut self) -> Option<char> {
        let byte = self.peek()?;
        self.at += 1;
        Some(match byte {
            b'"' | b'\\' | b'/' => char::from(byte),
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'u' => {
                let high = self.hex()?;
                if !(0xd800..0xdc00).contains(&high) {
                    return char::from_u32(high);
                }
                (self.takes(b'\\') && self.takes(b'u')).then_some(())?;
                let low = self.hex()?.checked_sub(0xdc00)?;
                char::from_u32(0x1_0000 + ((high - 0xd800) << 10) + low)?
            }
            _ => return None,
        })
    }

    fn hex(&mut self) -> Option<u32> {
        let digits = self.text.get(self.at..self.at + 4)?;
        self.at += 4;
        u32::from_str_radix(digits, 16).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(text: &str) -> String {
        let mut out = String::new();
        write(&mut out, text);
        out
    }

    #[test]
    fn texts_of_one_value_have_one_form() {
        for same in [
            ["1", "1.0", "1e0"],
            ["[1,2.50]", "[1.0,2.5]", "[1,25e-1]"],
            [
                "{\"a\":1,\"b\":2}",
                "{\"b\":2,\"a\":1.0}",
                "{\"b\":2,\"c\":null,\"a\":1}",
            ],
            ["{}", "{\"a\":null}", "{\"a\":NaN}"],
            ["\"\\u0041\"", "\"A\"", "\"\\u0041\""],
            ["\"\\ud83d\\ude00\"", "\"😀\"", "\"😀\""],
            [
                "9.223372036854775807e18",
                "9223372036854775808",
                "9223372036854775808.0",
            ],
        ] {
            assert_eq!(form(same[0]), form(same[1]));
            assert_eq!(form(same[0]), form(same[2]));
        }
    }

    #[test]
    fn texts_of_other_values_have_other_forms() {
        let all = [
            "1",
            "\"1\"",
            "true",
            "\"true\"",
            "[1]",
            "[[1]]",
            "[1,1]",
            "[\"1\"]",
            "[]",
            "[null]",
            "{}",
            "{\"a\":1}",
            "{\"a\":\"1\"}",
            "{\"a\":[]}",
            "\"[1]\"",
            "1e400",
            "10",
            "0.1",
            "-1",
            "Infinity",
            "-Infinity",
            "\"Infinity\"",
            "\"\"",
            "nonsense",
            "\"nonsense\"",
            "[1",
            "1]",
            "{\"a\"}",
            "\"a",
            "100000000000000000000000",
            "1e23",
        ];
        let mut forms: Vec<String> = all.iter().map(|text| form(text)).collect();
        forms.sort_unstable();
        forms.dedup();
        assert_eq!(forms.len(), all.len());
    }

    #[test]
    fn deep_values_are_kept_as_they_are() {
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        assert!(form(&deep).contains(&deep));
        let flat = format!("{}{}", "[".repeat(500), "]".repeat(500));
        let expected = format!("{}]{}", "[".repeat(500), ",]".repeat(499));
        assert_eq!(form(&flat), expected);
    }
}
