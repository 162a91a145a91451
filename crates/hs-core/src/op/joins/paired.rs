//! Which rows of two tables stand side by side in a join. Takes no rows.

use rayon::prelude::*;

use super::counts::Counts;
use super::options::How;
use crate::control::Control;
use crate::error::{Error, ErrorKind, Result};
use crate::op::keyed::{Keyed, NONE, Side};
use crate::op::rows::Rows;

/// Rows that are worked on between two looks at the stop request.
const STEP: usize = 1 << 16;

/// The rows of both tables, side by side; those of the right one are `None` where the result has no place for them.
///
/// # Errors
/// A stop request; [`ErrorKind::Argument`] for more rows than a table can have, [`ErrorKind::Io`] for more than fit
/// into memory.
pub fn paired(
    keyed: &Keyed,
    counts: &Counts,
    how: How,
    control: &Control,
) -> Result<(Rows, Option<Rows>)> {
    let (left, right) = (&keyed.left, &keyed.right);
    let (left_height, right_height) = (left.keys.len(), right.keys.len());
    let height = counts.result(how);
    // What polars can number; pandas would be far out of memory.
    if height >= u64::from(u32::MAX) {
        let message = format!(
            "expected a result of fewer than {} rows, found {}",
            crate::text::count(u64::from(u32::MAX)),
            crate::text::count(height)
        );
        return Err(Error::new(ErrorKind::Argument, message)
            .hint("the keys repeat in both tables: drop the repeats, or add a column to the key"));
    }
    let height = height as usize;
    if !how.has_right() {
        let wanted = how == How::Semi;
        let rows = kept(left, right, wanted, height, control)?;
        return Ok((Rows::of(rows, left_height), None));
    }
    if how == How::Right {
        let (right, left) = matched(
            right,
            left,
            counts.right_multiplied > 0,
            false,
            height,
            control,
        )?;
        let left = Rows::of(left, left_height);
        return Ok((
            left,
            Some(right.map_or(Rows::All, |rows| Rows::of(rows, right_height))),
        ));
    }
    let inner = how == How::Inner;
    let (lefts, mut rights) = matched(
        left,
        right,
        counts.left_multiplied > 0,
        inner,
        height,
        control,
    )?;
    let mut lefts = match lefts {
        None if how != How::Outer || counts.only_right() == 0 => {
            return Ok((Rows::All, Some(Rows::of(rights, right_height))));
        }
        None => {
            let mut all = reserved(height)?;
            all.extend(0..left_height as u32);
            all
        }
        Some(rows) => rows,
    };
    if how == How::Outer {
        let others = counts.only_right() as usize;
        rights.extend(kept(right, left, false, others, control)?);
        lefts.resize(height, NONE);
    }
    Ok((
        Rows::of(lefts, left_height),
        Some(Rows::of(rights, right_height)),
    ))
}

/// The rows of `base` whose key `other` has, or has not.
fn kept(
    base: &Side,
    other: &Side,
    wanted: bool,
    height: usize,
    control: &Control,
) -> Result<Vec<u32>> {
    let mut rows = reserved(height)?;
    for (start, keys) in (0u32..).step_by(STEP).zip(base.keys.chunks(STEP)) {
        control.check()?;
        let places = keys.iter().zip(start..);
        let kept = places.filter(|(key, _)| {
            other
                .count
                .get(**key as usize)
                .is_some_and(|count| *count > 0)
                == wanted
        });
        rows.extend(kept.map(|(_, row)| row));
    }
    Ok(rows)
}

/// For every row of `base`, in its order, the rows of `other` with its key, in their order; one row without where there
/// is none, unless only matches are wanted. The rows of `base` are `None` when all of them stand once.
fn matched(
    base: &Side,
    other: &Side,
    several: bool,
    only_matches: bool,
    height: usize,
    control: &Control,
) -> Result<(Option<Vec<u32>>, Vec<u32>)> {
    let first = |key: u32| other.first.get(key as usize).copied().unwrap_or(NONE);
    if !several && (!only_matches || height == base.keys.len()) {
        let mut found = reserved(height)?;
        found.resize(base.keys.len(), NONE);
        let pieces = found.par_chunks_mut(STEP).zip(base.keys.par_chunks(STEP));
        pieces.try_for_each(|(found, keys)| {
            for (found, key) in found.iter_mut().zip(keys) {
                *found = first(*key);
            }
            control.check()
        })?;
        return Ok((None, found));
    }
    let (mut bases, mut others) = (reserved(height)?, reserved(height)?);
    let lists = if several {
        Lists::of(other)?
    } else {
        Lists::default()
    };
    for (start, keys) in (0u32..).step_by(STEP).zip(base.keys.chunks(STEP)) {
        control.check()?;
        for (key, row) in keys.iter().zip(start..) {
            let found = first(*key);
            if found == NONE {
                if !only_matches {
                    bases.push(row);
                    others.push(NONE);
                }
            } else if several {
                for (index, found) in lists.get(*key).iter().enumerate() {
                    // One key can have all rows of both tables.
                    if index % STEP == STEP - 1 {
                        control.check()?;
                    }
                    bases.push(row);
                    others.push(*found);
                }
            } else {
                bases.push(row);
                others.push(found);
            }
        }
    }
    Ok((Some(bases), others))
}

/// The rows of every key, one list behind the other.
#[derive(Default)]
struct Lists {
    ends: Vec<u32>,
    rows: Vec<u32>,
}

impl Lists {
    fn of(side: &Side) -> Result<Self> {
        let mut next = reserved(side.count.len())?;
        let mut sum = 0;
        for count in &side.count {
            next.push(sum);
            sum += count;
        }
        let mut rows = reserved(sum as usize)?;
        rows.resize(sum as usize, NONE);
        for (key, row) in side.keys.iter().zip(0u32..) {
            if let Some(next) = next.get_mut(*key as usize) {
                rows[*next as usize] = row;
                *next += 1;
            }
        }
        // Where the list of each key would go on is where it ends.
        Ok(Self { ends: next, rows })
    }

    fn get(&self, key: u32) -> &[u32] {
        let key = key as usize;
        let start = if key == 0 { 0 } else { self.ends[key - 1] };
        &self.rows[start as usize..self.ends[key] as usize]
    }
}

fn reserved(length: usize) -> Result<Vec<u32>> {
    let mut rows = Vec::new();
    rows.try_reserve_exact(length).map_err(|error| {
        let message = format!(
            "a result of {} does not fit into memory",
            crate::text::counted(length as u64, "row")
        );
        Error::new(ErrorKind::Io, message).because(error)
    })?;
    Ok(rows)
}
