//! Walks over Thrift structs in the compact protocol, as far as the crate does not: to see what a page
//! promises before it is believed, and what is encrypted. `None` stands for bytes that make no sense.

/// The type of a field.
pub(super) const I32: u8 = 5;
/// The type of a field.
pub(super) const LIST: u8 = 9;
/// The type of a field.
pub(super) const STRUCT: u8 = 12;
/// Nobody nests structs deeper.
const DEEPEST: u8 = 16;

/// What is left of the bytes.
pub(super) struct Thrift<'a>(pub &'a [u8]);

impl Thrift<'_> {
    /// Passes over a value.
    pub fn pass(&mut self, kind: u8) -> Option<()> {
        self.skip(kind, 0)
    }

    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    fn varint(&mut self) -> Option<u64> {
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    /// A whole number.
    pub fn number(&mut self) -> Option<i64> {
        let value = self.varint()?;
        Some((value >> 1) as i64 ^ -((value & 1) as i64))
    }

    /// The number and type of each field up to the end of a struct; `visit` has to take its value,
    /// or says that it did not.
    pub fn fields(
        &mut self,
        mut visit: impl FnMut(&mut Self, i64, u8) -> Option<bool>,
    ) -> Option<()> {
        self.fields_at(0, &mut visit)
    }

    fn fields_at(
        &mut self,
        depth: u8,
        visit: &mut dyn FnMut(&mut Self, i64, u8) -> Option<bool>,
    ) -> Option<()> {
        let mut last = 0i64;
        loop {
            let head = self.byte()?;
            let kind = head & 0x0f;
            if kind == 0 {
                return Some(());
            }
            last = match head >> 4 {
                0 => self.number()?,
                step => last.checked_add(i64::from(step))?,
            };
            if !visit(self, last, kind)? {
                self.skip(kind, depth)?;
            }
        }
    }

    /// How many items a list has, and their type.
    pub fn list(&mut self) -> Option<(u64, u8)> {
        let head = self.byte()?;
        let count = match head >> 4 {
            15 => self.varint()?,
            count => u64::from(count),
        };
        Some((count, head & 0x0f))
    }

    fn skip(&mut self, kind: u8, depth: u8) -> Option<()> {
        if depth > DEEPEST {
            return None;
        }
        match kind {
            // The type of a bool is its value.
            1 | 2 => {}
            3 => drop(self.byte()?),
            4..=6 => drop(self.varint()?),
            7 => self.0 = self.0.get(8..)?,
            8 => {
                let length = usize::try_from(self.varint()?).ok()?;
                self.0 = self.0.get(length..)?;
            }
            LIST | 10 => {
                let (count, item) = self.list()?;
                // Bools in a list take a byte each.
                let item = if matches!(item, 1 | 2) { 3 } else { item };
                for _ in 0..count {
                    self.skip(item, depth + 1)?;
                }
            }
            STRUCT => self.fields_at(depth + 1, &mut |_, _, _| Some(false))?,
            _ => return None,
        }
        Some(())
    }
}
