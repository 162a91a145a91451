//! A table of values and their numbers, from 0 in the order in which they come.

use super::fixed::Fixed;

/// Places at first.
const START: usize = 1 << 8;

/// The table.
pub struct Places<V> {
    /// One more than the number of the value there; 0 of a free place. Always more than half are free.
    slots: Vec<u32>,
    values: Vec<V>,
    missing: Option<u32>,
}

impl<V: Fixed> Places<V> {
    pub fn new() -> Self {
        Self {
            slots: vec![0; START],
            values: Vec::new(),
            missing: None,
        }
    }

    /// Forgets all values.
    pub fn clear(&mut self) {
        self.slots.fill(0);
        self.values.clear();
        self.missing = None;
    }

    /// How many numbers there are.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// The values, by their numbers.
    pub fn values(&self) -> &[V] {
        &self.values
    }

    /// The number of a value.
    #[inline]
    pub fn number(&mut self, value: V) -> u32 {
        let mask = self.slots.len() - 1;
        let mut at = value.scattered() as usize & mask;
        loop {
            let number = self.slots[at];
            if number == 0 {
                return self.add(value, at);
            }
            if self.values[number as usize - 1] == value {
                return number - 1;
            }
            at = (at + 1) & mask;
        }
    }

    /// Gives a value the next number, at its place.
    fn add(&mut self, value: V, at: usize) -> u32 {
        self.values.push(value);
        let count = self.values.len();
        self.slots[at] = count as u32;
        if 2 * count > self.slots.len() {
            self.grow();
        }
        count as u32 - 1
    }

    #[cold]
    fn grow(&mut self) {
        let mask = 4 * self.slots.len() - 1;
        self.slots.clear();
        self.slots.resize(mask + 1, 0);
        for (number, value) in self.values.iter().enumerate() {
            // In place of the missing value there is one that nothing asks for.
            if self.missing == Some(number as u32) {
                continue;
            }
            let mut at = value.scattered() as usize & mask;
            while self.slots[at] != 0 {
                at = (at + 1) & mask;
            }
            self.slots[at] = number as u32 + 1;
        }
    }

    /// The number of the missing value.
    pub fn missing(&mut self) -> u32 {
        *self.missing.get_or_insert_with(|| {
            self.values.push(V::default());
            self.values.len() as u32 - 1
        })
    }

    /// The number of the missing value, if it has one.
    pub fn number_of_missing(&self) -> Option<u32> {
        self.missing
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_follow_the_first_appearance() {
        let mut places = Places::new();
        let numbers = [7u64, 7, 0, 1 << 40].map(|value| places.number(value));
        assert_eq!(numbers, [0, 0, 1, 2]);
        assert_eq!((places.missing(), places.missing()), (3, 3));
        for value in 0..3000u64 {
            let number = if value == 0 { 1 } else { value as u32 + 3 };
            assert_eq!(places.number(value << 20), number);
        }
        assert_eq!(places.number(1 << 40), 2);
        assert_eq!((places.missing(), places.number_of_missing()), (3, Some(3)));
        places.clear();
        assert_eq!((places.number(9), places.number_of_missing()), (0, None));
    }
}
