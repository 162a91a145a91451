//! A small table of values and their numbers, from 0 in the order in which they come.

use std::ops::Range;

/// A value that has a number.
pub trait Key: Copy + PartialEq {
    /// A number that depends on all of the value, or most of a long one.
    fn hash(&self) -> u64;
}

/// Both halves of a product, each of which depends on all bits.
#[inline]
fn folded(left: u64, right: u64) -> u64 {
    let product = u128::from(left) * u128::from(right);
    (product >> 64) as u64 ^ product as u64
}

/// Odd numbers without a pattern in their bits.
const ODD: [u64; 2] = [0xa076_1d64_78bd_642f, 0xe703_7ed1_a0b4_28db];

impl Key for u64 {
    #[inline]
    fn hash(&self) -> u64 {
        folded(*self ^ ODD[0], ODD[1])
    }
}

/// A text: a short one in a number, a long one with its front in it.
#[derive(Clone, Copy, Debug)]
pub struct Bytes<'a> {
    /// Up to 15 bytes, the first of them lowest, and the length (255 of a long one) in the highest byte.
    packed: u128,
    /// All of a long one; nothing of a short one.
    long: &'a [u8],
}

impl PartialEq for Bytes<'_> {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        // Of short ones nothing else is asked, which spares a call for each row.
        self.packed == other.packed && (self.packed >> 120 != 255 || self.long == other.long)
    }
}

/// Bytes that a number holds besides the length.
const SHORT: usize = 15;

impl<'a> Bytes<'a> {
    /// A short one whose bytes stand in a number, the first of them lowest.
    #[inline]
    pub fn packed(bytes: u128, length: u32) -> Self {
        Self {
            packed: bytes | u128::from(length) << 120,
            long: &[],
        }
    }

    pub fn of(bytes: &'a [u8]) -> Self {
        let mut first = [0; 16];
        let start = &bytes[..bytes.len().min(SHORT)];
        first[..start.len()].copy_from_slice(start);
        let long = bytes.len() > SHORT;
        Self {
            packed: u128::from_le_bytes(first)
                | (if long { 255 } else { bytes.len() as u128 }) << 120,
            long: if long { bytes } else { &[] },
        }
    }

    /// A stretch of bytes. Where others lie behind it, its bytes are read at once.
    #[inline]
    pub fn inside(all: &'a [u8], at: Range<usize>) -> Self {
        let Some(first) = all.get(at.start..).and_then(<[u8]>::first_chunk::<16>) else {
            return Self::of(&all[at]);
        };
        let first = u128::from_le_bytes(*first);
        if at.len() > SHORT {
            return Self {
                packed: first << 8 >> 8 | 255 << 120,
                long: &all[at],
            };
        }
        let kept = (1u128 << (8 * at.len())) - 1;
        Self::packed(first & kept, at.len() as u32)
    }
}

impl Key for Bytes<'_> {
    #[inline]
    fn hash(&self) -> u64 {
        let start = folded(
            self.packed as u64 ^ ODD[0],
            (self.packed >> 64) as u64 ^ ODD[1],
        );
        match self.long.last_chunk::<8>() {
            None => start,
            Some(last) => {
                let last = u64::from_le_bytes(*last) ^ (self.long.len() as u64) << 32;
                folded(start ^ last, ODD[0])
            }
        }
    }
}

/// The table: up to a number of values, and the missing one.
pub struct Places<K> {
    slots: Vec<Option<(K, u32)>>,
    most: usize,
    used: u32,
    missing: Option<u32>,
}

impl<K: Key> Places<K> {
    /// With room for so many values, a power of two.
    pub fn new(most: usize) -> Self {
        Self {
            // A block of rows may go beyond before it is seen.
            slots: vec![None; 4 * most],
            most,
            used: 0,
            missing: None,
        }
    }

    /// The number of a value. Blocks between two looks at [`Places::room`] are shorter than the table.
    #[inline]
    pub fn number(&mut self, value: K) -> u32 {
        let mask = self.slots.len() - 1;
        let mut at = value.hash() as usize & mask;
        loop {
            match &mut self.slots[at] {
                Some((known, number)) if *known == value => return *number,
                Some(_) => at = (at + 1) & mask,
                free => {
                    let number = self.used;
                    *free = Some((value, number));
                    self.used += 1;
                    return number;
                }
            }
        }
    }

    /// The number of the missing value.
    pub fn missing(&mut self) -> u32 {
        *self.missing.get_or_insert_with(|| {
            self.used += 1;
            self.used - 1
        })
    }

    /// False when there are more values than wanted.
    pub fn room(&self) -> bool {
        self.used as usize <= self.most
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_the_same_however_they_are_read() {
        let all: Vec<u8> = (0..100u8).collect();
        for start in 0..100 {
            for end in start..100 {
                let bytes = &all[start..end];
                assert_eq!(Bytes::inside(&all, start..end), Bytes::of(bytes));
                if bytes.len() <= 12 {
                    let mut padded = [0; 16];
                    padded[..bytes.len()].copy_from_slice(bytes);
                    let packed = Bytes::packed(u128::from_le_bytes(padded), bytes.len() as u32);
                    assert_eq!(packed, Bytes::of(bytes));
                }
            }
        }
        assert_ne!(Bytes::of(b"a"), Bytes::of(b"a\0"));
        assert_ne!(Bytes::of(b""), Bytes::of(b"\0"));
        assert_ne!(Bytes::of(&[b'x'; 20]), Bytes::of(&[b'x'; 21]));
    }

    #[test]
    fn numbers_follow_the_first_appearance() {
        let mut places = Places::new(8);
        let numbers = [7u64, 7, 0, 1 << 40].map(|value| places.number(value));
        assert_eq!(numbers, [0, 0, 1, 2]);
        assert_eq!((places.missing(), places.missing()), (3, 3));
        assert_eq!(places.number(1 << 40), 2);
        for value in 10..14 {
            assert!(places.room());
            places.number(value);
        }
        assert!(places.room());
        places.number(14);
        assert!(!places.room());
    }
}
