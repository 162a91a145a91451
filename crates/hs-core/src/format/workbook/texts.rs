//! Many texts in one piece of memory: shared texts of a workbook, texts of the cells of a sheet. It
//! knows no file format.

use crate::error::{Error, ErrorKind, Result};

/// Texts behind one another, each found by its number.
#[derive(Clone, Debug, Default)]
pub struct Texts {
    bytes: String,
    /// Where each ends.
    ends: Vec<usize>,
    /// The numbers of those that are empty, ascending.
    empty: Vec<u32>,
}

impl Texts {
    /// Gives the number of a text, which is a new one but for the empty text.
    ///
    /// # Errors
    /// As [`Texts::add`].
    #[inline]
    pub fn push(&mut self, text: &str) -> Result<u32> {
        match self.empty.first() {
            Some(empty) if text.is_empty() => Ok(*empty),
            _ => self.add(text),
        }
    }

    /// Adds a text and gives its number, the next one.
    ///
    /// # Errors
    /// [`ErrorKind::Format`] when there are too many, [`ErrorKind::Io`] when memory runs out.
    #[inline]
    pub fn add(&mut self, text: &str) -> Result<u32> {
        let number = self.room(text.len())?;
        if text.is_empty() {
            self.empty.push(number);
        }
        self.bytes.push_str(text);
        self.ends.push(self.bytes.len());
        Ok(number)
    }

    /// The number of the next text, with room for it.
    #[inline]
    fn room(&mut self, length: usize) -> Result<u32> {
        if self.bytes.capacity() - self.bytes.len() < length {
            self.bytes.try_reserve(length).map_err(|error| {
                Error::new(ErrorKind::Io, "the texts do not fit into memory").because(error)
            })?;
        }
        match u32::try_from(self.ends.len()) {
            Ok(number) if number <= MOST => Ok(number),
            _ => Err(Error::new(
                ErrorKind::Format,
                "expected at most two billion texts, found more",
            )),
        }
    }

    /// True when the text with this number is empty.
    #[inline]
    pub fn is_blank(&self, number: u32) -> bool {
        !self.empty.is_empty() && self.empty.binary_search(&number).is_ok()
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.ends.len()
    }

    /// The text with a number, the empty one when there is none.
    #[inline]
    pub fn get(&self, number: u32) -> &str {
        let number = number as usize;
        let start = match number.checked_sub(1) {
            Some(before) => self.ends.get(before),
            None => Some(&0),
        };
        match (start, self.ends.get(number)) {
            (Some(start), Some(end)) => self.bytes.get(*start..*end).unwrap_or(""),
            _ => "",
        }
    }
}

/// The highest number of a text: one bit is left to tell two sets of texts apart.
pub const MOST: u32 = (1 << 31) - 1;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_found_by_their_number() -> Result<()> {
        let mut texts = Texts::default();
        let numbers = ["", "Köln", "", "x"].map(|text| texts.add(text).ok());
        assert_eq!(numbers, [Some(0), Some(1), Some(2), Some(3)]);
        let all = [0, 1, 2, 3, 4].map(|number| texts.get(number));
        assert_eq!(all, ["", "Köln", "", "x", ""]);
        let empty = [0, 1, 2, 3].map(|number| texts.is_blank(number));
        assert_eq!(empty, [true, false, true, false]);
        assert_eq!((texts.push("")?, texts.push("x")?), (0, 4));
        assert_eq!(texts.count(), 5);
        Ok(())
    }
}
