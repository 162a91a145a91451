//! The texts of one column of one chunk, in the layout that the taker of the table wants.
//!
//! Views are what polars takes; bytes with offsets are what pandas and most Arrow functions take.
//! Making the one from the other would touch each text and new memory once more.

use polars_arrow::array::View;

use super::word::{int_view, int_word, view, word};

/// How texts lie in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TextLayout {
    /// Views: short texts inside, longer ones in a buffer beside them.
    #[default]
    Views,
    /// All bytes behind one another, and where each text ends.
    Flat,
}

/// Texts in one of the layouts.
#[derive(Debug)]
pub enum Text {
    /// Views, and the bytes of those too long to be inside them.
    Views(Vec<View>, Vec<u8>),
    /// A zero and where each text ends, and the bytes.
    Flat(Vec<i64>, Vec<u8>),
}

impl Text {
    /// With room for so many texts, of about so many bytes in all.
    pub fn with_capacity(layout: TextLayout, rows: usize, bytes: usize) -> Self {
        match layout {
            TextLayout::Views => Self::Views(Vec::with_capacity(rows), Vec::new()),
            TextLayout::Flat => {
                let mut offsets = Vec::with_capacity(rows + 1);
                offsets.push(0);
                Self::Flat(offsets, Vec::with_capacity(bytes))
            }
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            Self::Views(views, _) => views.len(),
            Self::Flat(offsets, _) => offsets.len() - 1,
        }
    }

    /// The text at a place.
    pub fn get(&self, row: usize) -> Option<&[u8]> {
        match self {
            Self::Views(views, long) => {
                let view = views.get(row)?;
                match view.get_inlined_slice() {
                    Some(text) => Some(text),
                    None => long
                        .get(view.offset as usize..)?
                        .get(..view.length as usize),
                }
            }
            Self::Flat(offsets, bytes) => {
                let (start, end) = (offsets.get(row)?, offsets.get(row + 1)?);
                bytes.get(*start as usize..*end as usize)
            }
        }
    }

    /// Adds one.
    #[inline]
    pub fn push(&mut self, text: &[u8]) {
        match self {
            Self::Views(views, long) => views.push(view(text, long)),
            Self::Flat(offsets, bytes) => {
                append(bytes, text);
                offsets.push(bytes.len() as i64);
            }
        }
    }

    /// Adds a whole number, written in digits.
    #[inline]
    pub fn push_int(&mut self, value: i64) {
        match self {
            Self::Views(views, long) => views.push(int_view(value, long)),
            Self::Flat(offsets, bytes) => {
                match int_word(value) {
                    Some((digits, length)) => {
                        let end = bytes.len() + length as usize;
                        bytes.extend_from_slice(&digits.to_le_bytes());
                        bytes.truncate(end);
                    }
                    None => bytes.extend_from_slice(value.to_string().as_bytes()),
                }
                offsets.push(bytes.len() as i64);
            }
        }
    }

    /// Adds nothing in the place of one.
    #[inline]
    pub fn push_missing(&mut self) {
        match self {
            Self::Views(views, _) => views.push(View::default()),
            Self::Flat(offsets, bytes) => offsets.push(bytes.len() as i64),
        }
    }
}

/// Copies whole words: a copy of unknown length costs more than a short text does.
#[inline]
fn append(bytes: &mut Vec<u8>, text: &[u8]) {
    let end = bytes.len() + text.len();
    match (text.len(), text.first_chunk::<8>(), text.last_chunk::<8>()) {
        (0, ..) => {}
        (1..=8, ..) => {
            bytes.extend_from_slice(&word(text).to_le_bytes());
            bytes.truncate(end);
        }
        (9..=16, Some(first), Some(last)) => {
            // Where they overlap they hold the same.
            bytes.extend_from_slice(first);
            bytes.truncate(end - 8);
            bytes.extend_from_slice(last);
        }
        (17..=32, ..) => {
            let (first, last) = (text.first_chunk::<16>(), text.last_chunk::<16>());
            bytes.extend_from_slice(first.map_or(&[], |first| first));
            bytes.truncate(end - 16);
            bytes.extend_from_slice(last.map_or(&[], |last| last));
        }
        _ => bytes.extend_from_slice(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn flat_texts_are_the_bytes_and_where_they_end(
            texts in prop::collection::vec(prop::option::of(".{0,36}"), 0..20), value: i64, shift in 0..64u32
        ) {
            let mut flat = Text::with_capacity(TextLayout::Flat, texts.len() + 1, 0);
            let (mut ends, mut all) = (vec![0], String::new());
            for text in &texts {
                match text {
                    Some(text) => flat.push(text.as_bytes()),
                    None => flat.push_missing(),
                }
                all.push_str(text.as_deref().unwrap_or_default());
                ends.push(all.len() as i64);
            }
            flat.push_int(value >> shift);
            all.push_str(&(value >> shift).to_string());
            ends.push(all.len() as i64);
            prop_assert_eq!(flat.len(), texts.len() + 1);
            let mut views = Text::with_capacity(TextLayout::Views, texts.len(), 0);
            for (row, text) in texts.iter().enumerate() {
                let text = text.as_deref().unwrap_or_default().as_bytes();
                views.push(text);
                prop_assert_eq!(flat.get(row), Some(text));
                prop_assert_eq!(views.get(row), Some(text));
            }
            let Text::Flat(offsets, bytes) = flat else { panic!("another layout") };
            prop_assert_eq!(offsets, ends);
            prop_assert_eq!(bytes, all.as_bytes());
        }
    }
}
