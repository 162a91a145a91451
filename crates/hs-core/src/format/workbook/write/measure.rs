//! How wide a text is on a sheet, in digits of its font. It measures no bold and no margins.

use unicode_width::UnicodeWidthChar;

/// The width of a digit, in thousandths of the size of the font.
const DIGIT: u32 = 507;
/// The widest letters of one byte.
const WIDEST: usize = 894;
/// No column is wider than so many digits.
pub const WIDEST_COLUMN: f64 = 60.0;
const ENOUGH: u32 = 60 * DIGIT;

/// Widths of the printable ASCII characters in Calibri, the font of workbooks, in thousandths of
/// its size, as its PDF font dictionaries list them.
static ASCII: [u16; 95] = [
    226, 326, 401, 498, 507, 715, 682, 221, 303, 303, 498, 498, 250, 306, 252, 386, 507, 507, 507,
    507, 507, 507, 507, 507, 507, 507, 268, 268, 498, 498, 498, 463, 894, 579, 544, 533, 615, 488,
    459, 631, 623, 252, 319, 520, 420, 855, 646, 662, 517, 673, 543, 459, 487, 642, 567, 890, 519,
    487, 468, 307, 386, 307, 498, 498, 291, 479, 525, 423, 525, 498, 305, 471, 525, 229, 239, 455,
    229, 799, 525, 527, 525, 525, 349, 391, 335, 525, 452, 715, 433, 453, 395, 314, 460, 314, 498,
];

/// The widest of some texts.
#[derive(Clone, Copy, Debug, Default)]
pub struct Width(u32);

impl Width {
    /// Looks at a text; only its longest line counts.
    #[inline]
    pub fn add(&mut self, text: &str) {
        // No text of so few bytes is wider: characters of more bytes are narrower for each.
        if text.len() * WIDEST > self.0 as usize && self.0 < ENOUGH {
            self.0 = self.0.max(units(text));
        }
    }

    /// Takes over what another one saw.
    pub fn join(&mut self, other: Self) {
        self.0 = self.0.max(other.0);
    }

    /// In digits.
    pub fn digits(self) -> f64 {
        f64::from(self.0) / f64::from(DIGIT)
    }
}

fn units(text: &str) -> u32 {
    let (mut widest, mut line) = (0, 0);
    for character in text.chars() {
        match character {
            '\n' | '\r' => {
                widest = widest.max(line);
                line = 0;
            }
            ' '..='~' => line += u32::from(ASCII[character as usize - 32]),
            other => line += other.width().unwrap_or(0) as u32 * 550,
        }
        if line >= ENOUGH {
            return ENOUGH;
        }
    }
    widest.max(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digits(texts: &[&str]) -> f64 {
        let mut width = Width::default();
        for text in texts {
            width.add(text);
        }
        width.digits()
    }

    #[test]
    fn the_widest_line_of_the_widest_text_counts() {
        assert!((digits(&["", "12345678", "123"]) - 8.0).abs() < 1e-9);
        assert!((digits(&["1\n123\r\n12"]) - 3.0).abs() < 1e-9);
        assert!(digits(&["WWWW"]) > 2.0 * digits(&["llll"]));
        assert!(digits(&["東京"]) > 1.9 * digits(&["ab"]));
        assert!(digits(&["e\u{301}"]) < 1.1);
        let order = [digits(&["iiii", "WW"]), digits(&["WW", "iiii"])];
        assert!((order[0] - order[1]).abs() < 1e-9);
    }

    #[test]
    fn beyond_the_widest_column_nothing_is_measured() {
        assert!(digits(&[&"x".repeat(32_767)]) <= WIDEST_COLUMN);
    }
}
