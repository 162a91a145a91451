//! The records of a workbook stream: kind and data, and texts that go on in records of their own. It
//! knows nothing of what they mean.

use super::code_page::CodePage;

/// A record that continues the one before it.
const CONTINUE: u16 = 0x003c;

/// Records of a stream: kind and data. It ends where the stream breaks off.
#[derive(Clone)]
pub struct Records<'a>(pub &'a [u8]);

impl<'a> Iterator for Records<'a> {
    type Item = (u16, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let kind = short(self.0, 0)?;
        let end = 4 + usize::from(short(self.0, 2)?);
        let data = self.0.get(4..end)?;
        self.0 = &self.0[end..];
        Some((kind, data))
    }
}

impl<'a> Records<'a> {
    /// The data of a record that was just taken, with that of the records that continue it.
    pub fn whole(&mut self, data: &'a [u8]) -> Data<'a> {
        let mut pieces = vec![data];
        while short(self.0, 0) == Some(CONTINUE) {
            let Some((_, data)) = self.next() else {
                break;
            };
            pieces.push(data);
        }
        Data {
            pieces,
            piece: 0,
            at: 0,
        }
    }
}

/// Data of a record and of those that continue it, read from front to end.
pub struct Data<'a> {
    pieces: Vec<&'a [u8]>,
    piece: usize,
    at: usize,
}

impl Data<'_> {
    /// What is left of the piece where the reading is; the next piece when nothing is.
    fn rest(&mut self) -> Option<&[u8]> {
        while self.at >= self.pieces.get(self.piece)?.len() {
            self.piece += 1;
            self.at = 0;
        }
        self.pieces.get(self.piece)?.get(self.at..)
    }

    /// A byte.
    pub fn byte(&mut self) -> Option<u8> {
        let byte = *self.rest()?.first()?;
        self.at += 1;
        Some(byte)
    }

    /// An unsigned 16-bit integer.
    pub fn short(&mut self) -> Option<u16> {
        Some(u16::from_le_bytes([self.byte()?, self.byte()?]))
    }

    /// An unsigned 32-bit integer.
    pub fn int(&mut self) -> Option<u32> {
        Some(u32::from(self.short()?) | u32::from(self.short()?) << 16)
    }

    /// Passes over some bytes.
    pub fn skip(&mut self, mut count: usize) -> Option<()> {
        while count > 0 {
            let length = self.rest()?.len().min(count);
            self.at += length;
            count -= length;
        }
        Some(())
    }

    /// A text of so many letters, one or two bytes each; the flags in front say which. Each piece that
    /// it goes on in has flags of its own.
    ///
    /// Source: [MS-XLS] 2.5.293 XLUnicodeRichExtendedString, 2.4.58 Continue.
    pub fn letters(&mut self, count: usize, flags: u8) -> Option<String> {
        let mut wide = flags & 1 != 0;
        // Memory grows with the letters that are really there.
        let mut units: Vec<u16> = Vec::new();
        while units.len() < count {
            if self.at >= self.pieces.get(self.piece)?.len() {
                wide = self.byte()? & 1 != 0;
            }
            let left = count - units.len();
            let rest = self.pieces.get(self.piece)?.get(self.at..)?;
            let before = units.len();
            if wide {
                units.extend(pairs(rest).take(left));
                self.at += 2 * (units.len() - before);
                if units.len() == before {
                    return None;
                }
            } else {
                units.extend(rest.iter().take(left).map(|byte| u16::from(*byte)));
                self.at += units.len() - before;
            }
        }
        Some(utf16(units))
    }

    /// A text with its length and flags in front, then formatting and phonetic text that is no part
    /// of it.
    pub fn rich_text(&mut self) -> Option<String> {
        let count = usize::from(self.short()?);
        let flags = self.byte()?;
        let runs = match flags & 8 {
            0 => 0,
            _ => usize::from(self.short()?) * 4,
        };
        let phonetic = match flags & 4 {
            0 => 0,
            _ => self.int()? as usize,
        };
        let text = self.letters(count, flags)?;
        // Some writers leave them out though they announce them: the text is whole all the same.
        let _ = self.skip(runs.saturating_add(phonetic));
        Some(text)
    }

    /// A text with its length in front: with flags since Excel 97, before that in the code page.
    pub fn text(&mut self, page: Option<CodePage>) -> Option<Result<String, CodePage>> {
        let count = usize::from(self.short()?);
        let Some(page) = page else {
            let flags = self.byte()?;
            return self.letters(count, flags).map(Ok);
        };
        let mut bytes = Vec::new();
        while bytes.len() < count {
            bytes.push(self.byte()?);
        }
        Some(page.decode(&bytes).ok_or(page))
    }
}

/// The whole pairs of bytes as 16-bit integers.
fn pairs(bytes: &[u8]) -> impl Iterator<Item = u16> + '_ {
    let pairs = bytes.chunks_exact(2);
    pairs.map(|pair| u16::from_le_bytes([pair[0], pair[1]]))
}

/// UTF-16 as text.
pub fn utf16(units: impl IntoIterator<Item = u16>) -> String {
    char::decode_utf16(units)
        .map(|letter| letter.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect()
}

/// Letters of one or two bytes each, by the flags.
pub fn plain_letters(bytes: &[u8], flags: u8) -> String {
    if flags & 1 == 0 {
        return bytes.iter().map(|byte| char::from(*byte)).collect();
    }
    utf16(pairs(bytes))
}

/// An unsigned 16-bit integer.
pub fn short(bytes: &[u8], at: usize) -> Option<u16> {
    let pair = bytes.get(at..at.checked_add(2)?)?;
    Some(u16::from_le_bytes(pair.try_into().ok()?))
}

/// An unsigned 32-bit integer.
pub fn int(bytes: &[u8], at: usize) -> Option<u32> {
    let four = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_le_bytes(four.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(kind: u16, data: &[u8]) -> Vec<u8> {
        let mut record = kind.to_le_bytes().to_vec();
        record.extend((data.len() as u16).to_le_bytes());
        record.extend(data);
        record
    }

    fn read<T>(pieces: &[&[u8]], work: impl FnOnce(&mut Data<'_>) -> T) -> T {
        let mut stream = record(0x00fc, pieces[0]);
        for piece in &pieces[1..] {
            stream.extend(record(CONTINUE, piece));
        }
        stream.extend(record(0x000a, &[]));
        let mut records = Records(&stream);
        let (_, data) = records.next().expect("a record");
        let value = work(&mut records.whole(data));
        assert_eq!(records.next(), Some((0x000a, &[][..])), "the next record");
        value
    }

    fn rich_text(data: &mut Data<'_>) -> Option<String> {
        data.rich_text()
    }

    #[test]
    fn texts_go_on_in_the_next_record_with_flags_of_their_own() {
        // "abc" narrow, then wide.
        let text = read(
            &[&[5, 0, 0, b'a', b'b'], &[1, b'c', 0, 0x71, 0x67, b'e', 0]],
            rich_text,
        );
        assert_eq!(text.as_deref(), Some("abc東e"));
        let text = read(&[&[2, 0, 1, b'a', 0], &[0, b'b']], rich_text);
        assert_eq!(text.as_deref(), Some("ab"));
    }

    #[test]
    fn formatting_and_phonetic_text_are_passed_over() {
        let texts = read(
            &[
                &[1, 0, 12, 1, 0, 2, 0, 0, 0, b'x', 9, 9],
                &[9, 9, 7, 7, 1, 0, 0, b'y'],
            ],
            |data| (data.rich_text(), data.rich_text(), data.rich_text()),
        );
        assert_eq!(texts, (Some("x".into()), Some("y".into()), None));
    }

    #[test]
    fn a_text_that_breaks_off_is_none() {
        for pieces in [
            &[&[3, 0, 0, b'a'][..]][..],
            &[&[3, 0][..]],
            &[&[2, 0, 1, b'a'][..]],
            &[&[2, 0, 1, b'a', 0, b'b'][..], &[1, 0][..]],
        ] {
            assert_eq!(read(pieces, rich_text), None, "{pieces:?}");
        }
    }

    #[test]
    fn records_end_where_the_stream_breaks_off() {
        let mut stream = record(1, b"ab");
        stream.extend(&record(2, b"cd")[..5]);
        let kinds: Vec<u16> = Records(&stream).map(|(kind, _)| kind).collect();
        assert_eq!(kinds, [1]);
    }
}
