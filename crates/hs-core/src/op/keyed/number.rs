//! Numbers for 64-bit values: equal values get equal numbers, in the order in which they first appear.
//!
//! Few different values are looked up in one small table. Many are first dealt into parts by their hash, so that
//! the table of each part stays in the cache of a core; no part knows of another, and nothing is brought together
//! afterwards: a row only learns the first row that has its value. Knows nothing of types.

use rayon::prelude::*;

use super::scatter::scattered;
use super::{Missing, NONE};
use crate::control::Control;
use crate::error::Result;

/// Rows between two looks at the stop request.
pub const STEP: usize = 1 << 16;
/// Different values up to which one small table is used.
pub const FEW: usize = 1 << 12;
/// Rows of a part, about.
pub const PART: usize = 1 << 14;
/// Parts at most.
pub const PARTS: usize = 1 << 12;

/// The values of some rows.
#[derive(Debug, Default)]
pub struct Words {
    /// For every row its value; any value where it is missing.
    pub values: Vec<u64>,
    /// For every row whether it is missing; empty when none is.
    pub missing: Vec<bool>,
}

/// The numbers of the values of some rows.
#[derive(Debug, Default)]
pub struct Numbered {
    /// For every row the number of its value; [`NONE`] where it has none.
    pub keys: Vec<u32>,
    /// For every number the first row that has it.
    pub first: Vec<u32>,
    /// The number of the missing value, if it has one.
    pub missing: Option<u32>,
}

/// Numbers values. There must be fewer rows than [`NONE`].
///
/// # Errors
/// A stop request.
pub fn numbered(words: &Words, missing: Missing, control: &Control) -> Result<Numbered> {
    let firsts = firsts(words, control)?;
    ranked(firsts, words, missing, control)
}

/// For every row the first row that has its value. What it says of missing rows means nothing.
fn firsts(words: &Words, control: &Control) -> Result<Vec<u32>> {
    if let Some(range) = near(words) {
        return by_position(words, range, control);
    }
    match by_small_tables(words, control)? {
        Some(firsts) => Ok(firsts),
        None => by_parts(words, control),
    }
}

/// The smallest and the largest value, if a table with a place for each between them is worth it.
fn near(words: &Words) -> Option<(u64, u64)> {
    let none = (u64::MAX, 0);
    let wider = |(low, high): (u64, u64), (other_low, other_high): (u64, u64)| {
        (low.min(other_low), high.max(other_high))
    };
    let one = |range, value: &u64| wider(range, (*value, *value));
    let steps = words.values.par_chunks(STEP).enumerate();
    let ranges = steps.map(|(step, values)| match words.missing.get(step * STEP..) {
        Some(missing) if !missing.is_empty() => {
            let there = values.iter().zip(missing).filter(|(_, missing)| !**missing);
            there.map(|(value, _)| value).fold(none, one)
        }
        _ => values.iter().fold(none, one),
    });
    let (low, high) = ranges.reduce(|| none, wider);
    let room = (2 * words.values.len()).max(FEW) as u64;
    (low <= high && high - low < room).then_some((low, high))
}

fn by_position(words: &Words, (low, high): (u64, u64), control: &Control) -> Result<Vec<u32>> {
    let mut places = vec![NONE; (high - low) as usize + 1];
    let mut firsts = Vec::with_capacity(words.values.len());
    for (step, values) in words.values.chunks(STEP).enumerate() {
        control.check()?;
        let start = step * STEP;
        for (row, value) in values.iter().enumerate() {
            // Missing rows may not lend their value to others.
            if words.missing.get(start + row) == Some(&true) {
                firsts.push(NONE);
                continue;
            }
            let place = &mut places[(value - low) as usize];
            if *place == NONE {
                *place = (start + row) as u32;
            }
            firsts.push(*place);
        }
    }
    Ok(firsts)
}

/// Values and the first rows that have them, in a table with a power of two of places.
struct Table {
    places: Vec<(u64, u32)>,
    used: usize,
}

impl Table {
    fn new(most: usize) -> Self {
        Self {
            places: vec![(0, NONE); (2 * most).next_power_of_two()],
            used: 0,
        }
    }

    /// The first row with the value: `row`, if there was none.
    #[inline]
    fn first(&mut self, value: u64, scattered: u64, row: u32) -> u32 {
        let mask = self.places.len() - 1;
        let mut at = scattered as usize & mask;
        loop {
            let (known, first) = self.places[at];
            if first == NONE {
                self.places[at] = (value, row);
                self.used += 1;
                return row;
            }
            if known == value {
                return first;
            }
            at = (at + 1) & mask;
        }
    }
}

/// By a small table for each core; none when there are too many different values.
fn by_small_tables(words: &Words, control: &Control) -> Result<Option<Vec<u32>>> {
    let stretch = stretch(words.values.len());
    let tables = words
        .values
        .par_chunks(stretch)
        .enumerate()
        .map(|(number, values)| {
            let start = number * stretch;
            let mut table = Table::new(FEW + 1);
            let mut firsts: Vec<u32> = Vec::with_capacity(values.len());
            for (step, values) in values.chunks(STEP).enumerate() {
                control.check()?;
                let start = start + step * STEP;
                for (row, value) in values.iter().enumerate() {
                    let row = start + row;
                    if words.missing.get(row) == Some(&true) {
                        firsts.push(NONE);
                        continue;
                    }
                    firsts.push(table.first(*value, scattered(*value), row as u32));
                    if table.used > FEW {
                        return Ok(None);
                    }
                }
            }
            Ok(Some((table, firsts)))
        });
    let tables: Option<Vec<(Table, Vec<u32>)>> =
        tables.collect::<Result<Vec<_>>>()?.into_iter().collect();
    let Some(tables) = tables else {
        return Ok(None);
    };
    let mut tables = tables.into_iter();
    let Some((all, mut firsts)) = tables.next() else {
        return Ok(Some(Vec::new()));
    };
    firsts.reserve_exact(words.values.len() - firsts.len());
    let mut known: Vec<Table> = vec![all];
    for (table, own) in tables {
        // What an earlier stretch has too has its first row there; the others keep theirs.
        let mut earlier: Vec<(u32, u32)> = Vec::new();
        for (value, row) in table.places.iter().filter(|(_, row)| *row != NONE) {
            let found = known.iter().find_map(|table| table.find(*value));
            earlier.extend(found.map(|first| (*row, first)));
        }
        earlier.sort_unstable();
        let base = firsts.len();
        let mut moved: Vec<u32> = (base as u32..(base + own.len()) as u32).collect();
        for (row, first) in &earlier {
            moved[*row as usize - base] = *first;
        }
        firsts.extend(own.iter().map(|first| match first {
            &NONE => NONE,
            first => moved[*first as usize - base],
        }));
        known.push(table);
    }
    Ok(Some(firsts))
}

impl Table {
    fn find(&self, value: u64) -> Option<u32> {
        let mask = self.places.len() - 1;
        let mut at = scattered(value) as usize & mask;
        loop {
            let (known, first) = self.places[at];
            if first == NONE {
                return None;
            }
            if known == value {
                return Some(first);
            }
            at = (at + 1) & mask;
        }
    }
}

/// By a table for each part of the values.
fn by_parts(words: &Words, control: &Control) -> Result<Vec<u32>> {
    let rows = words.values.len();
    let parts = (rows / PART).next_power_of_two().clamp(1, PARTS);
    // The parts go by the high bits, the places in a table by the low ones.
    let shift = u64::BITS - parts.trailing_zeros();
    let part_of = |scattered: u64| scattered.checked_shr(shift).unwrap_or_default() as usize;
    let stretch = stretch(rows);
    let dealt = words
        .values
        .par_chunks(stretch)
        .enumerate()
        .map(|(number, values)| {
            let mut hands: Vec<Vec<(u64, u32)>> = Vec::new();
            hands.resize_with(parts, || {
                Vec::with_capacity(values.len() / parts * 9 / 8 + 8)
            });
            for (step, values) in values.chunks(STEP).enumerate() {
                control.check()?;
                let start = number * stretch + step * STEP;
                for (row, value) in values.iter().enumerate() {
                    if words.missing.get(start + row) != Some(&true) {
                        hands[part_of(scattered(*value))].push((*value, (start + row) as u32));
                    }
                }
            }
            Ok(hands)
        });
    let dealt: Vec<Vec<Vec<(u64, u32)>>> = dealt.collect::<Result<_>>()?;
    // For every part, and every stretch in it, the first rows.
    let found = (0..parts).into_par_iter().map(|part| {
        control.check()?;
        let hands = || dealt.iter().map(|hands| &hands[part]);
        let mut table = Table::new(hands().map(Vec::len).sum::<usize>().max(1));
        let firsts = hands().map(|hand| {
            let first = |(value, row): &(u64, u32)| table.first(*value, scattered(*value), *row);
            hand.iter().map(first).collect()
        });
        Ok(firsts.collect())
    });
    let found: Vec<Vec<Vec<u32>>> = found.collect::<Result<_>>()?;
    drop(dealt);
    // Back in the order of the rows, which every hand has kept.
    let gathered = words
        .values
        .par_chunks(stretch)
        .enumerate()
        .map(|(number, values)| {
            let mut hands: Vec<std::slice::Iter<'_, u32>> =
                found.iter().map(|part| part[number].iter()).collect();
            let start = number * stretch;
            let mut firsts = Vec::with_capacity(values.len());
            for (row, value) in values.iter().enumerate() {
                let missing = words.missing.get(start + row) == Some(&true);
                let first = if missing {
                    None
                } else {
                    hands[part_of(scattered(*value))].next()
                };
                firsts.push(first.copied().unwrap_or(NONE));
            }
            firsts
        });
    Ok(gathered.collect::<Vec<Vec<u32>>>().concat())
}

/// Rows of the work of one core.
fn stretch(rows: usize) -> usize {
    rows.div_ceil(rayon::current_num_threads()).max(STEP)
}

/// From first rows to numbers, in place.
fn ranked(
    mut firsts: Vec<u32>,
    words: &Words,
    missing: Missing,
    control: &Control,
) -> Result<Numbered> {
    let mut first: Vec<u32> = Vec::new();
    let mut number_of_missing = None;
    for start in (0..firsts.len()).step_by(STEP) {
        control.check()?;
        for row in start..(start + STEP).min(firsts.len()) {
            if words.missing.get(row) == Some(&true) {
                firsts[row] = match missing {
                    Missing::Never => NONE,
                    Missing::Value => *number_of_missing.get_or_insert_with(|| {
                        first.push(row as u32);
                        first.len() as u32 - 1
                    }),
                };
                continue;
            }
            let known = firsts[row] as usize;
            firsts[row] = if known == row {
                first.push(row as u32);
                first.len() as u32 - 1
            } else {
                // A first row stands above, and has its number already.
                firsts[known]
            };
        }
    }
    Ok(Numbered {
        keys: firsts,
        first,
        missing: number_of_missing,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(values: Vec<u64>, missing: Vec<bool>) {
        let words = Words { values, missing };
        let control = Control::default();
        let mut known = std::collections::HashMap::new();
        let rows = 0..words.values.len();
        let expected: Vec<u32> = rows
            .map(|row| {
                let missing = words.missing.get(row) == Some(&true);
                let value = (!missing).then_some(words.values[row]);
                let next = known.len() as u32;
                *known.entry(value).or_insert(next)
            })
            .collect();
        let found = numbered(&words, Missing::Value, &control).expect("no stop");
        assert_eq!(found.keys, expected);
        assert_eq!(found.first.len(), known.len());
        assert_eq!(found.missing, known.get(&None).copied());
        for (number, row) in found.first.iter().enumerate() {
            assert_eq!(
                expected.iter().position(|key| *key == number as u32),
                Some(*row as usize)
            );
        }
        let found = numbered(&words, Missing::Never, &control).expect("no stop");
        for (row, key) in found.keys.iter().enumerate() {
            assert_eq!(*key == NONE, words.missing.get(row) == Some(&true), "{row}");
        }
        assert_eq!(found.missing, None);
    }

    /// So many values in no order, with gaps.
    fn draw(rows: usize, distinct: u64, scale: u64, gaps: bool) -> (Vec<u64>, Vec<bool>) {
        let mut state = 7u64;
        let mut next = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            state >> 33
        };
        let values = (0..rows)
            .map(|_| (next() % distinct).wrapping_mul(scale))
            .collect();
        let missing = (0..rows).map(|_| next() % 10 == 0);
        (values, if gaps { missing.collect() } else { Vec::new() })
    }

    #[test]
    fn every_way_numbers_alike() {
        const FAR: u64 = 0x0123_4567_89ab_cdef;
        for gaps in [false, true] {
            for (distinct, scale) in [
                (5, 1),
                (5, FAR),
                (3_000, FAR),
                (100, 1 << 40),
                (40_000, FAR),
            ] {
                let (values, missing) = draw(200_000, distinct, scale, gaps);
                let values = values.into_iter().take(150_000).collect::<Vec<_>>();
                let missing = missing.into_iter().take(150_000).collect();
                if distinct > 3_000 {
                    // The slow check of first rows is left to the others.
                    let words = Words { values, missing };
                    let found =
                        numbered(&words, Missing::Never, &Control::default()).expect("no stop");
                    let mut known = std::collections::HashMap::new();
                    for (row, key) in found.keys.iter().enumerate() {
                        if *key != NONE {
                            let next = known.len() as u32;
                            assert_eq!(*known.entry(words.values[row]).or_insert(next), *key);
                        }
                    }
                } else {
                    check(values, missing);
                }
            }
        }
    }

    #[test]
    fn no_rows_and_nothing_but_gaps() {
        check(Vec::new(), Vec::new());
        check(vec![3, 3, 3], vec![true, true, true]);
        check(vec![u64::MAX, 0, u64::MAX], Vec::new());
        check(
            vec![u64::MAX, 0, u64::MAX, 0],
            vec![false, true, false, false],
        );
    }
}
