//! Texts and bytes as keys: short ones are one number, so that most lookups touch no other memory.

use polars::prelude::{InitHashMaps, PlHashMap};
use polars_arrow::array::{Array, BinaryArray, BinaryViewArray, Utf8ViewArray, View};

use super::number::{Key, Lookup};

/// Bytes that a packed key holds, besides its length.
const SHORT: usize = 15;
/// In place of the length of a longer one.
const LONG: u128 = 0xff;

/// A text or bytes. The derived order is that of the bytes: `packed` decides unless both are long.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Text<'a> {
    /// The first bytes, the first of them highest, then the length in the lowest byte.
    packed: u128,
    /// All of a long one; nothing of a short one.
    long: &'a [u8],
}

impl<'a> Text<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        let mut first = [0; 16];
        let start = bytes.get(..SHORT).unwrap_or(bytes);
        first[..start.len()].copy_from_slice(start);
        let long = bytes.len() > SHORT;
        let length = if long { LONG } else { bytes.len() as u128 };
        Self {
            packed: u128::from_be_bytes(first) | length,
            long: if long { bytes } else { &[] },
        }
    }

    /// What a view holds, if it holds all of its text.
    fn inside(view: &View) -> Option<Self> {
        (view.length <= View::MAX_INLINE_SIZE).then(|| {
            let bytes = (view.as_u128() >> 32).swap_bytes();
            Self {
                packed: bytes | u128::from(view.length),
                long: &[],
            }
        })
    }
}

impl Key for Text<'_> {}

/// The numbers of texts: the short ones apart from the long ones.
pub struct Texts<K> {
    short: PlHashMap<u128, u32>,
    long: PlHashMap<K, u32>,
}

impl<K> Default for Texts<K> {
    fn default() -> Self {
        Self {
            short: PlHashMap::new(),
            long: PlHashMap::new(),
        }
    }
}

impl<'a> Lookup<Text<'a>> for Texts<Text<'a>> {
    fn number(&mut self, key: Text<'a>, next: u32) -> u32 {
        if key.long.is_empty() {
            *self.short.entry(key.packed).or_insert(next)
        } else {
            *self.long.entry(key).or_insert(next)
        }
    }
}

impl std::hash::Hash for Text<'_> {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        if self.long.is_empty() {
            state.write_u128(self.packed);
        } else {
            state.write(self.long);
        }
    }
}

/// Hands every value of an array of texts or bytes to `take`, in order; none for another array.
pub fn each<'a>(array: &'a dyn Array, mut take: impl FnMut(Option<Text<'a>>)) -> Option<()> {
    let array = array.as_any();
    macro_rules! views {
        ($array:expr, $bytes:expr) => {{
            let valid = $array.validity();
            for (row, view) in $array.views().iter().enumerate() {
                let missing = valid.is_some_and(|valid| !valid.get_bit(row));
                take((!missing).then(|| {
                    Text::inside(view).unwrap_or_else(|| Text::new($bytes($array.value(row))))
                }));
            }
        }};
    }
    if let Some(texts) = array.downcast_ref::<Utf8ViewArray>() {
        views!(texts, str::as_bytes);
    } else if let Some(bytes) = array.downcast_ref::<BinaryViewArray>() {
        views!(bytes, std::convert::identity);
    } else if let Some(bytes) = array.downcast_ref::<BinaryArray<i64>>() {
        for value in bytes.iter() {
            take(value.map(Text::new));
        }
    } else {
        return None;
    }
    Some(())
}

#[cfg(test)]
mod tests {
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
            let mut seen = Vec::new();
            each(&array, |found| seen.push(found)).expect("texts");
            assert_eq!(seen, [Some(Text::new(text.as_bytes()))], "{length}");
        }
    }
}
