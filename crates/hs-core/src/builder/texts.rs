//! Growing storage of texts: Arrow string views, and the bytes of the long ones in buffers, so that
//! the finished column is the storage itself. It never holds a text twice.

use polars::prelude::ArrowDataType;
use polars_arrow::array::{Array, Utf8ViewArray, View};

use crate::error::Result;

use super::cells::Validity;
use super::gaps::Gaps;

/// A view finds its text by 32 bits: buffers end well before.
const BUFFER: usize = 1 << 30;

/// Text values.
#[derive(Clone, Debug, Default)]
pub(super) struct Texts {
    views: Vec<View>,
    /// Buffers that are full; the next one is `text`.
    full: Vec<String>,
    text: String,
    /// Where the value that is being written begins in `text`.
    open: usize,
    pub valid: Validity,
}

impl Texts {
    pub fn nulls(count: usize) -> Self {
        let mut texts = Self::default();
        texts.push_nulls(count);
        texts
    }

    pub fn len(&self) -> usize {
        self.views.len()
    }

    #[inline]
    pub fn push(&mut self, value: &str) {
        if value.len() <= View::MAX_INLINE_SIZE as usize {
            self.views.push(View::new_inline(value.as_bytes()));
        } else {
            self.text.push_str(value);
            self.view_of_open();
        }
        self.valid.push_valid();
    }

    /// The buffer, for writing the next value at its end; [`Texts::close`] ends it.
    pub fn buffer(&mut self) -> &mut String {
        &mut self.text
    }

    pub fn close(&mut self) {
        self.view_of_open();
        self.valid.push_valid();
    }

    fn view_of_open(&mut self) {
        if self.text.len() > BUFFER && self.open > 0 {
            let value = self.text.split_off(self.open);
            self.full.push(std::mem::replace(&mut self.text, value));
            self.open = 0;
        }
        let value = self.text.as_bytes().get(self.open..).unwrap_or_default();
        let view = View::new_from_bytes(value, self.full.len() as u32, self.open as u32);
        if view.is_inline() {
            self.text.truncate(self.open);
        } else {
            self.open = self.text.len();
        }
        self.views.push(view);
    }

    pub fn push_nulls(&mut self, count: usize) {
        if count > 0 {
            self.valid.push_nulls(self.views.len(), count);
            self.views.resize(self.views.len() + count, View::default());
        }
    }

    /// The text at `index`; `None` when missing or past the end.
    pub fn get(&self, index: usize) -> Option<&str> {
        let view = self.views.get(index)?;
        if !self.valid.is_valid(index) {
            return None;
        }
        if let Some(bytes) = view.get_inlined_slice() {
            return std::str::from_utf8(bytes).ok();
        }
        let buffer = self.full.get(view.buffer_idx as usize);
        let start = view.offset as usize;
        buffer
            .unwrap_or(&self.text)
            .get(start..start + view.length as usize)
    }

    /// Forgets the values from `len` on; the bytes of long ones stay where they are.
    pub fn truncate(&mut self, len: usize) {
        self.views.truncate(len);
        self.valid.truncate(len);
        self.open = self.text.len();
    }

    pub fn append(&mut self, other: Self) {
        self.valid.append(self.len(), &other.valid, other.len());
        let joins = other.full.is_empty() && self.text.len() + other.text.len() <= BUFFER;
        let (number, shift) = if joins {
            let shift = self.text.len() as u32;
            self.text.push_str(&other.text);
            (self.full.len() as u32, shift)
        } else {
            self.full
                .push(std::mem::replace(&mut self.text, other.text));
            let number = self.full.len() as u32;
            self.full.extend(other.full);
            (number, 0)
        };
        self.views.extend(other.views.into_iter().map(|mut view| {
            if !view.is_inline() {
                view.buffer_idx += number;
                view.offset += shift;
            }
            view
        }));
        self.open = self.text.len();
    }

    pub fn any(&self) -> bool {
        self.valid.any(self.len())
    }

    pub fn iter(&self) -> impl Iterator<Item = Option<&str>> {
        (0..self.len()).map(|index| self.get(index))
    }

    /// Gives back memory that growing has taken in advance.
    pub fn shrink(&mut self) {
        super::cells::exact(&mut self.views);
        if self.text.capacity() - self.text.len() > self.text.len() / 8 {
            self.text = self.text.as_str().to_owned();
        }
    }

    /// The array, with missing values in the gaps.
    ///
    /// # Errors
    /// When the gaps do not fit into memory.
    pub fn into_array(self, gaps: Gaps<'_>) -> Result<Box<dyn Array>> {
        let views = gaps.fill(self.views)?;
        let buffers: Vec<_> = self
            .full
            .into_iter()
            .chain((!self.text.is_empty()).then_some(self.text))
            .map(|text| text.into_bytes().into())
            .collect();
        let array = Utf8ViewArray::try_new(
            ArrowDataType::Utf8View,
            views.into(),
            buffers.into(),
            gaps.validity(self.valid),
        );
        Ok(array
            .expect("views point to whole texts in the buffers")
            .boxed())
    }
}
