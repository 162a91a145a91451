//! How many rows of two tables meet, from the counts of their keys alone: before any row is paired.

use crate::op::joins::How;
use crate::op::keyed::{Keyed, Side};

/// What a join of two tables would do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Rows of the left table.
    pub left_rows: u64,
    /// Rows of the right table.
    pub right_rows: u64,
    /// Rows of the left table with a match.
    pub left_matched: u64,
    /// Rows of the right table with a match.
    pub right_matched: u64,
    /// Pairs of rows that match.
    pub pairs: u64,
    /// Keys that stand in several rows of the left table.
    pub left_repeats: usize,
    /// Keys that stand in several rows of the right table.
    pub right_repeats: usize,
    /// Of those keys of the right table the ones that the left table has, too.
    pub left_multiplied: usize,
    /// The same the other way round.
    pub right_multiplied: usize,
}

impl Counts {
    /// Counts the keys.
    pub fn of(keyed: &Keyed) -> Self {
        let (left, right) = (&keyed.left, &keyed.right);
        let mut counts = Self {
            left_rows: left.keys.len() as u64,
            right_rows: right.keys.len() as u64,
            ..Self::default()
        };
        for (a, b) in left.count.iter().zip(&right.count) {
            let (several_a, several_b) = (*a > 1, *b > 1);
            counts.left_repeats += usize::from(several_a);
            counts.right_repeats += usize::from(several_b);
            if *a > 0 && *b > 0 {
                counts.left_matched += u64::from(*a);
                counts.right_matched += u64::from(*b);
                // Below 2^32 rows on each side, so the sum of products is below 2^64.
                counts.pairs += u64::from(*a) * u64::from(*b);
                counts.left_multiplied += usize::from(several_b);
                counts.right_multiplied += usize::from(several_a);
            }
        }
        counts
    }

    /// Rows of the left table without a match.
    pub fn only_left(&self) -> u64 {
        self.left_rows - self.left_matched
    }

    /// Rows of the right table without a match.
    pub fn only_right(&self) -> u64 {
        self.right_rows - self.right_matched
    }

    /// Rows of the result.
    pub fn result(&self, how: How) -> u64 {
        match how {
            How::Left => self.pairs.saturating_add(self.only_left()),
            How::Inner => self.pairs,
            How::Right => self.pairs.saturating_add(self.only_right()),
            How::Outer => {
                let left = self.pairs.saturating_add(self.only_left());
                left.saturating_add(self.only_right())
            }
            How::Semi => self.left_matched,
            How::Anti => self.only_left(),
        }
    }

    /// Whether a join would give more rows than the left table has, where that must be asked for.
    pub fn grows(&self, how: How) -> bool {
        matches!(how, How::Left | How::Inner) && self.result(how) > self.left_rows
    }
}

/// The numbers of keys for which `wanted` holds of their counts on the left and on the right, at most `most`, in the
/// order of the numbers.
pub fn keys(left: &Side, right: &Side, most: usize, wanted: impl Fn(u32, u32) -> bool) -> Vec<u32> {
    let counts = left.count.iter().zip(&right.count).zip(0u32..);
    let found = counts.filter(|((left, right), _)| wanted(**left, **right));
    found.map(|(_, key)| key).take(most).collect()
}
