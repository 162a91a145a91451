//! Values of a fixed size that hold all of what they stand for: equal ones are equal values, and they have the order
//! of the values.

use super::scatter::{both, scattered};
use super::text::Text;

/// A value of a fixed size.
pub trait Fixed: Copy + Default + PartialEq + PartialOrd + Send + Sync {
    /// A number that depends on all of the value; others may have it too.
    fn scattered(&self) -> u64;

    /// The value as a number, where it is one of 64 bits.
    fn word(&self) -> Option<u64> {
        None
    }
}

impl Fixed for u64 {
    #[inline]
    fn scattered(&self) -> u64 {
        scattered(*self)
    }

    #[inline]
    fn word(&self) -> Option<u64> {
        Some(*self)
    }
}

impl Fixed for [u64; 2] {
    #[inline]
    fn scattered(&self) -> u64 {
        both(self[0], self[1])
    }
}

impl Fixed for [u64; 4] {
    #[inline]
    fn scattered(&self) -> u64 {
        both(both(self[0], self[1]) ^ self[2], self[3])
    }
}

impl Fixed for Text<'_> {
    #[inline]
    fn scattered(&self) -> u64 {
        self.hash(0)
    }
}

/// Bytes, up to a length, as a value: the bytes, the first of them highest, then the length in the lowest byte.
pub trait Packed: Fixed {
    /// The most bytes that it holds.
    const MOST: usize;

    /// Of the first bytes of 32, the others of which are anything.
    fn of(first: &[u8; 32], length: usize) -> Self;
}

/// The first bytes of a number, with others zero.
#[inline]
fn start(bytes: u128, length: usize) -> u128 {
    // Of 16 and more all are kept.
    bytes & !u128::MAX.checked_shr(8 * length as u32).unwrap_or_default()
}

#[inline]
fn halves(bytes: &[u8; 32]) -> [u128; 2] {
    let (halves, _) = bytes.as_chunks::<16>();
    [
        u128::from_be_bytes(halves[0]),
        u128::from_be_bytes(halves[1]),
    ]
}

#[inline]
fn words(number: u128) -> [u64; 2] {
    [(number >> 64) as u64, number as u64]
}

impl Packed for u64 {
    const MOST: usize = 7;

    #[inline]
    fn of(first: &[u8; 32], length: usize) -> Self {
        let (words, _) = first.as_chunks::<8>();
        let others = u64::MAX >> (8 * length.min(Self::MOST));
        u64::from_be_bytes(words[0]) & !others | length as u64
    }
}

impl Packed for [u64; 2] {
    const MOST: usize = 15;

    #[inline]
    fn of(first: &[u8; 32], length: usize) -> Self {
        let [high, _] = halves(first);
        words(start(high, length) | length as u128)
    }
}

impl Packed for [u64; 4] {
    const MOST: usize = 31;

    #[inline]
    fn of(first: &[u8; 32], length: usize) -> Self {
        let [high, low] = halves(first);
        let [a, b] = words(start(high, length));
        let [c, d] = words(start(low, length.saturating_sub(16)) | length as u128);
        [a, b, c, d]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The packed form of bytes with others behind them.
    fn packed<P: Packed>(bytes: &[u8], others: u8) -> P {
        let mut first = [others; 32];
        first[..bytes.len()].copy_from_slice(bytes);
        P::of(&first, bytes.len())
    }

    fn check<P: Packed + std::fmt::Debug>() {
        let mut texts: Vec<Vec<u8>> = Vec::new();
        for length in 0..=P::MOST {
            for last in [0, 1, 0x7f, 0xff] {
                let mut text = vec![0x80; length];
                if let Some(end) = text.last_mut() {
                    *end = last;
                }
                texts.push(text);
            }
        }
        texts.sort_unstable();
        texts.dedup();
        for pair in texts.windows(2) {
            let [left, right]: [P; 2] = [packed(&pair[0], 0), packed(&pair[1], 0)];
            assert!(left < right, "{pair:?}");
            assert_eq!(left, packed(&pair[0], 0xff));
            assert_ne!(left.scattered(), right.scattered());
        }
    }

    #[test]
    fn packed_bytes_order_and_differ_as_the_bytes_do() {
        check::<u64>();
        check::<[u64; 2]>();
        check::<[u64; 4]>();
    }
}
