//! Texts and bytes as keys: short ones are one number, so that most comparisons touch no other memory.

use polars_arrow::array::View;

use super::scatter::scattered;

/// Bytes that a packed text holds, besides its length.
const SHORT: usize = 15;
/// In place of the length of a longer one.
const LONG: u128 = 0xff;

/// A text or bytes. The derived order is that of the bytes: `packed` decides unless both are long.
#[derive(Clone, Copy, Debug, Default, Eq, PartialOrd, Ord, Hash)]
pub struct Text<'a> {
    /// The first bytes, the first of them highest, then the length in the lowest byte.
    packed: u128,
    /// All of a long one; nothing of a short one.
    long: &'a [u8],
}

impl PartialEq for Text<'_> {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        // Of short ones nothing else is asked, which spares a call for each row.
        self.packed == other.packed && (self.packed & 0xff != LONG || self.long == other.long)
    }
}

impl<'a> Text<'a> {
    #[inline]
    pub fn new(bytes: &'a [u8]) -> Self {
        if let Some(first) = bytes.first_chunk::<16>() {
            return Self {
                packed: u128::from_be_bytes(*first) | LONG,
                long: bytes,
            };
        }
        let mut first = [0; 16];
        first[..bytes.len()].copy_from_slice(bytes);
        Self {
            packed: u128::from_be_bytes(first) | bytes.len() as u128,
            long: &[],
        }
    }

    /// The text of a view; `bytes` are asked for where the view does not hold all of them.
    #[inline]
    pub fn of_view(view: &View, bytes: impl FnOnce() -> &'a [u8]) -> Self {
        if view.length > View::MAX_INLINE_SIZE {
            return Self::new(bytes());
        }
        let first = (view.as_u128() >> 32 << 32).swap_bytes() << 32;
        Self {
            packed: first | u128::from(view.length),
            long: &[],
        }
    }

    /// A number that depends on all of the text; others may have it too.
    #[inline]
    pub fn hash(&self, seed: u64) -> u64 {
        let start = mixed(seed, self.packed);
        let Some(last) = self.long.last_chunk::<16>() else {
            return start;
        };
        let (chunks, _) = self.long.as_chunks::<16>();
        let middle = chunks.get(1..).unwrap_or_default();
        let words = middle.iter().chain([last]);
        let all = words.fold(start, |hash, bytes| {
            mixed(hash, u128::from_le_bytes(*bytes))
        });
        // The sixteenth byte stands in no other word.
        let rest = self.long.len() as u64 ^ u64::from(self.long[SHORT]) << 56;
        mixed(all, u128::from(rest))
    }
}

/// A hash with 16 bytes more.
#[inline]
fn mixed(hash: u64, bytes: u128) -> u64 {
    scattered(scattered(hash ^ bytes as u64) ^ (bytes >> 64) as u64)
}

#[cfg(test)]
mod tests {
    use polars_arrow::array::Utf8ViewArray;

    use super::*;

    #[test]
    fn packed_texts_order_and_differ_as_their_bytes_do() {
        let mut texts: Vec<&[u8]> = vec![
            b"",
            b"\0",
            b"\0\0",
            b"a",
            b"a\0",
            b"ab",
            b"abcdefghijklmn",
            b"abcdefghijklmno",
            b"abcdefghijklmno\0",
            b"abcdefghijklmnop",
            b"abcdefghijklmnoq and more",
            b"b",
            "é".as_bytes(),
        ];
        texts.sort_unstable();
        for pair in texts.windows(2) {
            assert!(Text::new(pair[0]) < Text::new(pair[1]), "{pair:?}");
        }
    }

    #[test]
    fn a_view_is_packed_as_its_text_is() {
        for length in 0..40 {
            let text: String = ('a'..='z').cycle().take(length).collect();
            let array = Utf8ViewArray::from_slice([Some(text.as_str())]);
            let view = array.views().first().expect("one text");
            let found = Text::of_view(view, || text.as_bytes());
            assert_eq!(found, Text::new(text.as_bytes()), "{length}");
        }
    }

    #[test]
    fn every_byte_matters_to_the_hash() {
        for length in 0..70 {
            let bytes: Vec<u8> = (0..length).map(|at| at as u8).collect();
            let hash = Text::new(&bytes).hash(1);
            assert_ne!(hash, Text::new(&bytes).hash(2), "{length}");
            for at in 0..length {
                let mut other = bytes.clone();
                other[at] ^= 1;
                assert_ne!(hash, Text::new(&other).hash(1), "{at} of {length}");
            }
        }
    }
}
