//! Code pages of workbooks before Excel 97, whose texts have one byte a letter. It never guesses.

use encoding_rs::Encoding;

/// A code page by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CodePage(pub u16);

impl CodePage {
    /// The encoding of that number; `None` for one that is not known here.
    ///
    /// Source: [MS-XLS] 2.4.52 CodePage; the numbers are those of Windows.
    fn encoding(self) -> Option<&'static Encoding> {
        let label = match self.0 {
            // 0x8001 is what Excel 4 and 5 call it.
            0x8001 => "windows-1252",
            874 => "windows-874",
            932 => "shift_jis",
            936 => "gbk",
            949 => "euc-kr",
            950 => "big5",
            866 => "ibm866",
            10_000 | 0x8000 => "macintosh",
            10_007 => "x-mac-cyrillic",
            20_866 => "koi8-r",
            21_866 => "koi8-u",
            28_592 => "iso-8859-2",
            65_001 => "utf-8",
            page @ 1250..=1258 => return Encoding::for_label(format!("windows-{page}").as_bytes()),
            _ => return None,
        };
        Encoding::for_label(label.as_bytes())
    }

    /// The text of some bytes; `None` when they are not ASCII and the page is not known.
    pub fn decode(self, bytes: &[u8]) -> Option<String> {
        if bytes.is_ascii() {
            return Some(bytes.iter().map(|byte| char::from(*byte)).collect());
        }
        let (text, _) = self.encoding()?.decode_without_bom_handling(bytes);
        Some(text.into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_read_by_the_page_or_not_at_all() {
        assert_eq!(CodePage(1252).decode(b"\x80").as_deref(), Some("€"));
        assert_eq!(CodePage(1251).decode(b"\xc4\xe0").as_deref(), Some("Да"));
        assert_eq!(CodePage(10_000).decode(b"\x8a").as_deref(), Some("ä"));
        assert_eq!(CodePage(437).decode(b"plain").as_deref(), Some("plain"));
        assert_eq!(CodePage(437).decode(b"\x84"), None);
    }
}
