//! How often each value stands in a column, or each combination of values in several: without a number for each row.
//!
//! Few different values are counted in one small table for each core. Many are first dealt into parts, so that the
//! table of each part stays in the cache of a core.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use polars::prelude::Series;
use rayon::prelude::*;

use super::NONE;
use super::fixed::Fixed;
use super::number::{FEW, PART, PARTS};
use super::places::Places;
use super::source::{self, BLOCK, Source, Visit};
use crate::control::Control;
use crate::error::Result;

/// Blocks between two looks at the stop request.
const STEP: usize = 1 << 6;
/// Stretches for each core where groups are few.
const SHARES: usize = 4;
/// Fewer rows are not worth a second core.
const STRETCH: usize = 1 << 15;

/// Groups of rows with the same value, in no order.
#[derive(Debug, Default, PartialEq)]
pub struct Counts {
    /// The first row of each.
    pub first: Vec<u32>,
    /// How many rows each has.
    pub count: Vec<u32>,
    /// Which of them is that of the missing value, if there is one.
    pub missing: Option<u32>,
    /// The first rows of the smallest and the largest value, of one column; none without values.
    pub ends: Option<(u32, u32)>,
}

impl Counts {
    #[inline]
    fn add(&mut self, number: u32, row: usize) {
        match self.count.get_mut(number as usize) {
            Some(count) => *count += 1,
            None => {
                self.first.push(row as u32);
                self.count.push(1);
            }
        }
    }

    /// Takes over the groups of other values.
    fn append(&mut self, other: Self) {
        let base = self.count.len() as u32;
        self.missing = self.missing.or(other.missing.map(|number| base + number));
        self.first.extend(other.first);
        self.count.extend(other.count);
    }
}

/// Stretches of rows, so many for each core.
fn stretches(height: usize, each: usize) -> Vec<Range<usize>> {
    let stretch = height
        .div_ceil(each * rayon::current_num_threads())
        .max(STRETCH)
        .next_multiple_of(BLOCK);
    let starts = (0..height).step_by(stretch);
    starts
        .map(|start| start..(start + stretch).min(height))
        .collect()
}

/// Calls `visit` for each block of the rows, until it says that it is enough.
///
/// # Errors
/// A stop request, or what `visit` gives.
fn blocks(
    rows: Range<usize>,
    control: &Control,
    mut visit: impl FnMut(Range<usize>) -> bool,
) -> Result<()> {
    for (number, start) in rows.clone().step_by(BLOCK).enumerate() {
        if number.is_multiple_of(STEP) {
            control.check()?;
        }
        if !visit(start..(start + BLOCK).min(rows.end)) {
            break;
        }
    }
    Ok(())
}

/// Room for the values of a block.
struct Block<V> {
    values: Vec<V>,
    gone: Vec<bool>,
}

impl<V: Fixed> Block<V> {
    fn new() -> Self {
        Self {
            values: vec![V::default(); BLOCK],
            gone: vec![false; BLOCK],
        }
    }

    /// Reads rows; `visit` gets each of them with its value, or none.
    #[inline]
    fn each(
        &mut self,
        source: &Reader<'_, V>,
        rows: Range<usize>,
        mut visit: impl FnMut(usize, Option<V>),
    ) {
        let values = &mut self.values[..rows.len()];
        let gone = &mut self.gone[..rows.len()];
        if source.fill(rows.clone(), values, gone) {
            for ((row, value), gone) in rows.zip(&*values).zip(&*gone) {
                visit(row, (!gone).then_some(*value));
            }
        } else {
            for (row, value) in rows.zip(&*values) {
                visit(row, Some(*value));
            }
        }
    }
}

/// What is asked of a column, whatever its values are.
pub trait Counted: Sync {
    /// The numbers of values in stretches of rows.
    fn numbering(&self) -> Box<dyn Numbering + '_>;

    /// By a place for each value between the smallest and the largest; none when that is not worth it.
    fn by_position(&self, control: &Control) -> Result<Option<Counts>>;

    /// By parts of the values.
    fn by_parts(&self, control: &Control) -> Result<Counts>;

    /// The places of the first rows of the smallest and the largest value; none without values.
    fn ends(&self, control: &Control) -> Result<Option<(u32, u32)>>;
}

/// A column in its stored form; `None` for one that is stored otherwise.
pub fn of(series: &Series) -> Option<Box<dyn Counted + '_>> {
    struct Boxed;

    impl<'a> Visit<'a> for Boxed {
        type Output = Box<dyn Counted + 'a>;

        fn visit<S: Source + 'a>(self, source: S) -> Self::Output {
            Box::new(Column::of(source))
        }
    }

    source::visit(series, Boxed)
}

/// Rows of values of one size, wherever they lie: what is done with them is compiled for each size only.
type Reader<'a, V> = dyn Source<Value = V> + 'a;

/// A column read as values of one size.
pub struct Column<'a, V>(Box<Reader<'a, V>>);

impl<'a, V: Fixed> Column<'a, V> {
    /// The column of a source.
    pub fn of(source: impl Source<Value = V> + 'a) -> Self {
        Self(Box::new(source))
    }

    fn height(&self) -> usize {
        self.0.height()
    }
}

impl<V: Fixed> Counted for Column<'_, V> {
    fn numbering(&self) -> Box<dyn Numbering + '_> {
        Box::new(Numbers {
            source: &*self.0,
            block: Block::new(),
            places: Places::new(),
        })
    }

    fn by_position(&self, control: &Control) -> Result<Option<Counts>> {
        if !self.0.near() {
            return Ok(None);
        }
        let stretches = stretches(self.height(), 1);
        let ranges = stretches
            .par_iter()
            .map(|rows| range(&*self.0, rows, control));
        let ranges: Vec<(u64, u64)> = ranges.collect::<Result<_>>()?;
        let low = ranges.iter().map(|(low, _)| *low).min();
        let high = ranges.iter().map(|(_, high)| *high).max();
        let near = |(low, high): &(u64, u64)| {
            low <= high && high - low < (2 * self.height()).max(FEW) as u64
        };
        let Some((low, high)) = low.zip(high).filter(near) else {
            return Ok(None);
        };
        let counted = stretches.into_par_iter().zip(&ranges).map(|(rows, range)| {
            let mut placed = Placed::new(*range);
            placed.count(&*self.0, rows, control)?;
            Ok(placed)
        });
        let counted: Vec<Placed> = counted.collect::<Result<_>>()?;
        Ok(Some(Placed::together(&counted, (low, high))))
    }

    fn by_parts(&self, control: &Control) -> Result<Counts> {
        let parts = (self.height() / PART).next_power_of_two().clamp(1, PARTS);
        let stretches = stretches(self.height(), 1);
        let dealt = stretches
            .into_par_iter()
            .map(|rows| Dealt::of(&*self.0, rows, parts, control));
        let dealt: Vec<Dealt<V>> = dealt.collect::<Result<_>>()?;
        let counted = (0..parts)
            .into_par_iter()
            .map_init(Places::new, |places, part| {
                control.check()?;
                places.clear();
                let mut counts = Counts::default();
                for (value, row) in dealt.iter().flat_map(|dealt| &dealt.hands[part]) {
                    counts.add(places.number(*value), *row as usize);
                }
                let mut ends = Ends::default();
                for (value, first) in places.values().iter().zip(&counts.first) {
                    ends.see(*value, *first);
                }
                Ok((counts, ends))
            });
        let counted: Vec<(Counts, Ends<V>)> = counted.collect::<Result<_>>()?;
        let mut all = Counts::default();
        let mut ends = Ends::default();
        for (counts, own) in counted {
            all.append(counts);
            for (value, first) in own.0.into_iter().flatten() {
                ends.see(value, first);
            }
        }
        all.append(missing(dealt.iter().map(|dealt| dealt.missing)));
        all.ends = ends.rows();
        Ok(all)
    }

    fn ends(&self, control: &Control) -> Result<Option<(u32, u32)>> {
        let mut block = Block::new();
        let mut ends = Ends::default();
        blocks(0..self.height(), control, |rows| {
            block.each(&*self.0, rows, |row, value| {
                if let Some(value) = value {
                    ends.see(value, row as u32);
                }
            });
            true
        })?;
        Ok(ends.rows())
    }
}

/// The smallest and the largest of some values, each with its first row.
struct Ends<V>(Option<[(V, u32); 2]>);

impl<V> Default for Ends<V> {
    fn default() -> Self {
        Self(None)
    }
}

impl<V: Fixed> Ends<V> {
    #[inline]
    fn see(&mut self, value: V, row: u32) {
        let [low, high] = self.0.get_or_insert([(value, row); 2]);
        if value < low.0 {
            *low = (value, row);
        } else if value > high.0 {
            *high = (value, row);
        }
    }

    fn rows(&self) -> Option<(u32, u32)> {
        self.0.map(|[low, high]| (low.1, high.1))
    }
}

/// The group of the missing value from those of several stretches: first row and count.
fn missing(stretches: impl Iterator<Item = (u32, u32)>) -> Counts {
    let (first, count) = stretches
        .filter(|(_, count)| *count > 0)
        .fold((NONE, 0), |(first, count), next| {
            (first.min(next.0), count + next.1)
        });
    if count == 0 {
        return Counts::default();
    }
    Counts {
        first: vec![first],
        count: vec![count],
        missing: Some(0),
        ends: None,
    }
}

/// The smallest and the largest of the values, which are words.
fn range<V: Fixed>(
    source: &Reader<'_, V>,
    rows: &Range<usize>,
    control: &Control,
) -> Result<(u64, u64)> {
    let mut block = Block::new();
    let (mut low, mut high) = (u64::MAX, 0);
    blocks(rows.clone(), control, |rows| {
        block.each(source, rows, |_, value| {
            if let Some(word) = value.and_then(|value| value.word()) {
                low = low.min(word);
                high = high.max(word);
            }
        });
        true
    })?;
    Ok((low, high))
}

/// First rows and counts of values near each other.
struct Placed {
    low: u64,
    /// For each value from the smallest: its first row, and how many rows have it.
    places: Vec<(u32, u32)>,
    missing: (u32, u32),
}

impl Placed {
    fn new((low, high): (u64, u64)) -> Self {
        let length = if low <= high { high - low + 1 } else { 0 };
        Self {
            low,
            places: vec![(0, 0); length as usize],
            missing: (0, 0),
        }
    }

    fn count<V: Fixed>(
        &mut self,
        source: &Reader<'_, V>,
        rows: Range<usize>,
        control: &Control,
    ) -> Result<()> {
        let mut block = Block::new();
        blocks(rows, control, |rows| {
            block.each(source, rows, |row, value| {
                let word = value.and_then(|value| value.word());
                let place = match word {
                    Some(word) => &mut self.places[(word - self.low) as usize],
                    None => &mut self.missing,
                };
                if place.1 == 0 {
                    place.0 = row as u32;
                }
                place.1 += 1;
            });
            true
        })
    }

    /// The groups of all stretches, which come in order.
    fn together(stretches: &[Self], (low, high): (u64, u64)) -> Counts {
        let mut counts = Counts::default();
        for value in low..=high {
            let (mut first, mut count) = (NONE, 0);
            for stretch in stretches {
                let place = value.checked_sub(stretch.low);
                let place = place.and_then(|place| stretch.places.get(place as usize));
                if let Some((row, more)) = place.filter(|(_, more)| *more > 0) {
                    first = first.min(*row);
                    count += more;
                }
            }
            if count > 0 {
                counts.first.push(first);
                counts.count.push(count);
            }
        }
        let ends = counts.first.first().copied();
        counts.ends = ends.zip(counts.first.last().copied());
        counts.append(missing(stretches.iter().map(|stretch| stretch.missing)));
        counts
    }
}

/// The values of a stretch with their rows, dealt into parts by their hash, in order.
struct Dealt<V> {
    hands: Vec<Vec<(V, u32)>>,
    missing: (u32, u32),
}

impl<V: Fixed> Dealt<V> {
    fn of(
        source: &Reader<'_, V>,
        rows: Range<usize>,
        parts: usize,
        control: &Control,
    ) -> Result<Self> {
        // The parts go by the high bits, the places in a table by the low ones.
        let shift = u64::BITS - parts.trailing_zeros();
        let room = rows.len() / parts * 9 / 8 + 8;
        let mut dealt = Self {
            hands: (0..parts).map(|_| Vec::with_capacity(room)).collect(),
            missing: (0, 0),
        };
        let mut block = Block::new();
        blocks(rows, control, |rows| {
            block.each(source, rows, |row, value| match value {
                Some(value) => {
                    let part = value.scattered().checked_shr(shift).unwrap_or_default();
                    dealt.hands[part as usize].push((value, row as u32));
                }
                None => {
                    if dealt.missing.1 == 0 {
                        dealt.missing.0 = row as u32;
                    }
                    dealt.missing.1 += 1;
                }
            });
            true
        })?;
        Ok(dealt)
    }
}

/// The numbers of the values of one column in some rows, in the order in which they appear.
pub trait Numbering {
    /// The numbers of a block; false when there are too many.
    fn numbers(&mut self, rows: Range<usize>, out: &mut [u32]) -> bool;

    /// The number of the missing value, if it has one.
    fn missing(&self) -> Option<u32>;
}

struct Numbers<'a, V> {
    source: &'a Reader<'a, V>,
    block: Block<V>,
    places: Places<V>,
}

impl<V: Fixed> Numbering for Numbers<'_, V> {
    fn numbers(&mut self, rows: Range<usize>, out: &mut [u32]) -> bool {
        let start = rows.start;
        let places = &mut self.places;
        self.block.each(self.source, rows, |row, value| {
            out[row - start] = match value {
                Some(value) => places.number(value),
                None => places.missing(),
            };
        });
        places.len() <= FEW
    }

    fn missing(&self) -> Option<u32> {
        self.places.number_of_missing()
    }
}

/// The groups of each stretch of rows, by the combinations of the values of all columns; `None` when there are many.
pub fn few(
    columns: &[Box<dyn Counted + '_>],
    height: usize,
    control: &Control,
) -> Result<Option<Vec<Counts>>> {
    let many = AtomicBool::new(false);
    // Several for each core: one that wakes up late still has its share, and few groups are soon brought together.
    let counted = stretches(height, SHARES).into_par_iter().map(|rows| {
        let mut walk = Walk {
            numbering: columns.iter().map(|column| column.numbering()).collect(),
            pairs: columns.iter().skip(1).map(|_| Places::new()).collect(),
            counts: Counts::default(),
        };
        let (mut numbers, mut others) = ([0u32; BLOCK], [0u32; BLOCK]);
        blocks(rows, control, |rows| {
            let go_on =
                !many.load(Ordering::Relaxed) && walk.block(rows, &mut numbers, &mut others);
            if !go_on {
                many.store(true, Ordering::Relaxed);
            }
            go_on
        })?;
        if let [one] = &*walk.numbering {
            walk.counts.missing = one.missing();
        }
        Ok(walk.counts)
    });
    let counted: Vec<Counts> = counted.collect::<Result<_>>()?;
    Ok((!many.into_inner()).then_some(counted))
}

/// The walk over a stretch of rows.
struct Walk<'a> {
    numbering: Vec<Box<dyn Numbering + 'a>>,
    /// For each column behind the first the numbers of what it is beside those before it.
    pairs: Vec<Places<u64>>,
    counts: Counts,
}

impl Walk<'_> {
    /// Counts a block; false when there are too many groups.
    fn block(
        &mut self,
        rows: Range<usize>,
        numbers: &mut [u32; BLOCK],
        others: &mut [u32; BLOCK],
    ) -> bool {
        let numbers = &mut numbers[..rows.len()];
        let others = &mut others[..rows.len()];
        for (at, numbering) in self.numbering.iter_mut().enumerate() {
            let out = if at == 0 { &mut *numbers } else { &mut *others };
            if !numbering.numbers(rows.clone(), out) {
                return false;
            }
            if at > 0 {
                let pairs = &mut self.pairs[at - 1];
                for (number, other) in numbers.iter_mut().zip(&*others) {
                    *number = pairs.number(u64::from(*number) << 32 | u64::from(*other));
                }
                if pairs.len() > FEW {
                    return false;
                }
            }
        }
        for (row, number) in rows.zip(numbers) {
            self.counts.add(*number, row);
        }
        true
    }
}
