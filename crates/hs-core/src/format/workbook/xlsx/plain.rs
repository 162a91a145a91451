//! The plain forms in which nearly all programs write a cell or a shared text, byte by byte. For
//! anything else it says nothing, and the tokens are read one by one: it must never guess.

use memchr::{memchr, memchr2, memmem};

/// A cell in a plain form.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cell<'a> {
    /// Row and column, from 0.
    pub place: (u32, u32),
    /// The number of its style.
    pub style: u32,
    /// What it holds.
    pub value: Value<'a>,
    /// Where the cell ends in the window.
    pub end: usize,
}

/// What a plain cell holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
    /// Nothing but a style.
    Blank,
    /// A number.
    Number(f64),
    /// The number of a shared text.
    Shared(u32),
    /// A text.
    Text(&'a str),
    /// True or false.
    Bool(bool),
}

#[derive(Clone, Copy)]
enum Kind {
    Number,
    Shared,
    Text,
    Inline,
    Bool,
}

/// The cell that begins at a place of the window; `next` is where a cell without an address is.
#[inline]
pub fn cell(text: &str, start: usize, next: (u32, u32)) -> Option<Cell<'_>> {
    let bytes = text.as_bytes();
    let mut at = after(bytes, start, b"<c")?;
    let mut place = next;
    let mut style = 0;
    let mut kind = Kind::Number;
    loop {
        match (*bytes.get(at)?, *bytes.get(at + 1)?) {
            (b'>', _) => break,
            (b' ', b'r') => {
                let (found, end) = address(bytes, after(bytes, at + 2, b"=\"")?)?;
                place = found;
                at = after(bytes, end, b"\"")?;
            }
            (b' ', b's') => {
                let (number, end) = whole(bytes, after(bytes, at + 2, b"=\"")?)?;
                style = number;
                at = after(bytes, end, b"\"")?;
            }
            (b' ', b't') => {
                at = after(bytes, at + 2, b"=\"")?;
                let word = bytes.get(at..)?;
                let length;
                (kind, length) = match word {
                    [b's', b'"', ..] => (Kind::Shared, 2),
                    [b'n', b'"', ..] => (Kind::Number, 2),
                    [b'b', b'"', ..] => (Kind::Bool, 2),
                    [b's', b't', b'r', b'"', ..] => (Kind::Text, 4),
                    word if word.starts_with(b"inlineStr\"") => (Kind::Inline, 10),
                    _ => return None,
                };
                at += length;
            }
            (b'/', b'>') => {
                let (value, end) = (Value::Blank, at + 2);
                return Some(Cell {
                    place,
                    style,
                    value,
                    end,
                });
            }
            _ => return None,
        }
    }
    at += 1;
    let (value, end) = match kind {
        Kind::Inline => inline(text, at)?,
        kind => {
            if let Some(formula) = after(bytes, at, b"<f>") {
                let end = formula + memchr(b'<', bytes.get(formula..)?)?;
                at = after(bytes, end, b"</f>")?;
            }
            value(text, after(bytes, at, b"<v>")?, kind)?
        }
    };
    let end = after(bytes, end, b"</c>")?;
    Some(Cell {
        place,
        style,
        value,
        end,
    })
}

/// The value of a `v` element and where the element ends.
#[inline]
fn value(text: &str, start: usize, kind: Kind) -> Option<(Value<'_>, usize)> {
    let bytes = text.as_bytes();
    let (value, at) = match kind {
        Kind::Number => {
            let (number, at) = number(bytes, start)?;
            (Value::Number(number), at)
        }
        Kind::Shared => {
            let (number, at) = whole(bytes, start)?;
            (Value::Shared(number), at)
        }
        Kind::Bool => match bytes.get(start)? {
            b'0' => (Value::Bool(false), start + 1),
            b'1' => (Value::Bool(true), start + 1),
            _ => return None,
        },
        Kind::Text | Kind::Inline => {
            let end = start + memchr(b'<', bytes.get(start..)?)?;
            let text = text.get(start..end)?;
            if is_coded(text) {
                return None;
            }
            (Value::Text(text), end)
        }
    };
    Some((value, after(bytes, at, b"</v>")?))
}

/// The text of an `is` element that holds nothing but a `t` element, and where it ends.
#[inline]
fn inline(text: &str, start: usize) -> Option<(Value<'_>, usize)> {
    let start = after(text.as_bytes(), start, b"<is>")?;
    let (inside, end) = plain_t(text, start)?;
    Some((Value::Text(inside), after(text.as_bytes(), end, b"</is>")?))
}

/// The shared text that begins at a place of the window, and where it ends.
#[inline]
pub fn shared(text: &str, start: usize) -> Option<(&str, usize)> {
    let start = after(text.as_bytes(), start, b"<si>")?;
    let (inside, end) = plain_t(text, start)?;
    Some((inside, after(text.as_bytes(), end, b"</si>")?))
}

/// The text of a `t` element, and where the element ends.
#[inline]
fn plain_t(text: &str, start: usize) -> Option<(&str, usize)> {
    let bytes = text.as_bytes();
    let kept = || after(bytes, start, b"<t xml:space=\"preserve\">");
    let (start, keep_space) = match after(bytes, start, b"<t>") {
        Some(start) => (start, false),
        None => (kept()?, true),
    };
    let end = start + memchr(b'<', bytes.get(start..)?)?;
    let inside = text.get(start..end)?;
    let space = |byte: Option<&u8>| byte.is_some_and(|byte| *byte <= b' ');
    let trimmed = !keep_space && (space(bytes.get(start)) || space(bytes.get(end - 1)));
    if trimmed || is_coded(inside) {
        return None;
    }
    Some((inside, after(bytes, end, b"</t>")?))
}

/// True for a text that does not say itself what it means.
#[inline]
fn is_coded(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr2(b'&', b'\r', bytes).is_some()
        || memchr(b'_', bytes).is_some_and(|at| memmem::find(&bytes[at..], b"_x").is_some())
}

/// The place behind `word`, if it stands at this one.
#[inline]
fn after<const N: usize>(bytes: &[u8], at: usize, word: &[u8; N]) -> Option<usize> {
    let there = bytes.get(at..)?.first_chunk::<N>()?;
    (there == word).then_some(at + N)
}

/// The address of a cell in capital letters and digits, and where it ends.
#[inline]
fn address(bytes: &[u8], start: usize) -> Option<((u32, u32), usize)> {
    let mut at = start;
    let mut column = 0;
    while let Some(letter @ b'A'..=b'Z') = bytes.get(at) {
        column = column * 26 + u32::from(letter - b'A') + 1;
        at += 1;
        if at - start > 3 {
            return None;
        }
    }
    let (row, at) = whole(bytes, at)?;
    Some(((row.checked_sub(1)?, column.checked_sub(1)?), at))
}

/// A number of one to nine digits, and where it ends.
#[inline]
fn whole(bytes: &[u8], start: usize) -> Option<(u32, usize)> {
    let mut at = start;
    let mut number = 0;
    while let Some(digit @ b'0'..=b'9') = bytes.get(at) {
        if at - start == 9 {
            return None;
        }
        number = number * 10 + u32::from(digit - b'0');
        at += 1;
    }
    (at > start).then_some((number, at))
}

/// A number, and where it ends.
#[inline]
fn number(bytes: &[u8], start: usize) -> Option<(f64, usize)> {
    // Whole numbers of up to nine digits are the most frequent.
    let (digits, negative) = match bytes.get(start)? {
        b'-' => (start + 1, true),
        _ => (start, false),
    };
    if let Some((number, at)) = whole(bytes, digits)
        && bytes.get(at) == Some(&b'<')
    {
        let number = f64::from(number);
        return Some((if negative { -number } else { number }, at));
    }
    let (number, length) = fast_float2::parse_partial(bytes.get(start..)?).ok()?;
    Some((number, start + length))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<((u32, u32), u32, Value<'_>)> {
        let cell = cell(text, 0, (6, 7))?;
        assert_eq!(cell.end, text.len());
        Some((cell.place, cell.style, cell.value))
    }

    #[test]
    fn plain_cells_are_read() {
        for (text, expected) in [
            (
                "<c r=\"B3\" s=\"12\"><v>-1.5E-3</v></c>",
                ((2, 1), 12, Value::Number(-0.0015)),
            ),
            ("<c><v>42</v></c>", ((6, 7), 0, Value::Number(42.0))),
            (
                "<c r=\"XFD1048576\" t=\"n\"><v>-7</v></c>",
                ((1_048_575, 16_383), 0, Value::Number(-7.0)),
            ),
            (
                "<c r=\"A1\" s=\"1\" t=\"s\"><v>9</v></c>",
                ((0, 0), 1, Value::Shared(9)),
            ),
            (
                "<c t=\"b\" r=\"A1\"><v>1</v></c>",
                ((0, 0), 0, Value::Bool(true)),
            ),
            (
                "<c r=\"A1\" t=\"str\"><f>B1&amp;\"\"</f><v>é</v></c>",
                ((0, 0), 0, Value::Text("é")),
            ),
            (
                "<c r=\"A1\" t=\"inlineStr\"><is><t>a_b</t></is></c>",
                ((0, 0), 0, Value::Text("a_b")),
            ),
            (
                "<c r=\"A1\" t=\"inlineStr\"><is><t xml:space=\"preserve\"> a</t></is></c>",
                ((0, 0), 0, Value::Text(" a")),
            ),
            ("<c r=\"A1\" s=\"3\"/>", ((0, 0), 3, Value::Blank)),
            (
                "<c r=\"A1\"><v>0.1234567890123456789</v></c>",
                ((0, 0), 0, Value::Number(0.123_456_789_012_345_68)),
            ),
            (
                "<c r=\"A1\"><v>12345678901234567890</v></c>",
                ((0, 0), 0, Value::Number(1.234_567_890_123_456_8e19)),
            ),
        ] {
            assert_eq!(read(text), Some(expected), "{text}");
            // Cut anywhere it says nothing.
            for cut in (0..text.len()).filter(|cut| text.is_char_boundary(*cut)) {
                assert_eq!(cell(&text[..cut], 0, (0, 0)), None, "{text} {cut}");
            }
        }
    }

    #[test]
    fn nothing_is_said_of_other_cells() {
        for text in [
            "<c r=\"a1\"><v>1</v></c>",
            "<c r=\"A0\"><v>1</v></c>",
            "<c r=\"1\"><v>1</v></c>",
            "<c r=\"AAAA1\"><v>1</v></c>",
            "<c r='A1'><v>1</v></c>",
            "<c r=\"A1\" cm=\"1\"><v>1</v></c>",
            "<c r=\"A1\" t=\"e\"><v>#N/A</v></c>",
            "<c r=\"A1\" t=\"d\"><v>2026-01-01</v></c>",
            "<c r=\"A1\"><v> 1</v></c>",
            "<c r=\"A1\"><v>1 </v></c>",
            "<c r=\"A1\"><v></v></c>",
            "<c r=\"A1\"><v>0x1</v></c>",
            "<c r=\"A1\"><v>1</v><extLst/></c>",
            "<c r=\"A1\"><f>1</f></c>",
            "<c r=\"A1\"><f t=\"shared\" si=\"0\"/><v>1</v></c>",
            "<c r=\"A1\" t=\"s\"><v>1.0</v></c>",
            "<c r=\"A1\" t=\"s\"><v>12345678901</v></c>",
            "<c r=\"A1\" t=\"b\"><v>true</v></c>",
            "<c r=\"A1\" t=\"str\"><v>a&amp;b</v></c>",
            "<c r=\"A1\" t=\"str\"><v>_x000D_</v></c>",
            "<c r=\"A1\" t=\"str\"><v>a\rb</v></c>",
            "<c r=\"A1\" t=\"str\"><v>a<!-- -->b</v></c>",
            "<c r=\"A1\" t=\"inlineStr\"><is><t> a</t></is></c>",
            "<c r=\"A1\" t=\"inlineStr\"><is><r><t>a</t></r></is></c>",
            "<cols>",
            "<x:c r=\"A1\"><v>1</v></x:c>",
        ] {
            assert_eq!(cell(text, 0, (0, 0)), None, "{text}");
        }
    }

    #[test]
    fn shared_texts_are_read() {
        let text = "<si><t>é b</t></si>";
        assert_eq!(shared(text, 0), Some(("é b", text.len())));
        assert_eq!(shared("<si><t></t></si>", 0), Some(("", 16)));
        let kept = "<si><t xml:space=\"preserve\">\n</t></si>";
        assert_eq!(shared(kept, 0), Some(("\n", kept.len())));
        for other in [
            "<si><t>a </t></si>",
            "<si><t>&lt;</t></si>",
            "<si><t/></si>",
            "<si><r><t>a</t></r></si>",
            "<si><t>a</t><phoneticPr fontId=\"1\"/></si>",
        ] {
            assert_eq!(shared(other, 0), None, "{other}");
        }
    }
}
