//! How many fields records have: what the choice of a delimiter is made from.
//!
//! It counts; it never looks at what a field means.

use std::collections::HashMap;

use super::preamble::{LEADS, Lead, Preamble};
use super::records::{Delimiter, Range, Sink, walk};
use crate::control::Control;
use crate::error::Result;

/// How many fields records have.
#[derive(Default)]
pub struct Widths {
    current: usize,
    /// Of the first record.
    pub first: usize,
    /// How many records there are.
    pub records: usize,
    /// How many of them have more than one field.
    pub divided: usize,
    counts: HashMap<usize, usize>,
    /// The first records.
    pub leads: Vec<Lead>,
}

impl Widths {
    /// The share of records that have the most frequent width.
    pub fn agreement(&self) -> f64 {
        let most = self.counts.values().max().copied().unwrap_or_default();
        most as f64 / self.records.max(1) as f64
    }

    /// The width of most records that have more than one field, the larger of two.
    pub fn usual(&self) -> usize {
        let counts = self.counts.iter().filter(|(width, _)| **width > 1);
        let most = counts.max_by_key(|(width, count)| (**count, **width));
        most.map_or(1, |(width, _)| *width)
    }

    /// The share of records behind the preamble that have the width of the header, if that is two
    /// of three and none has more; behind comments it is enough that half are divided.
    pub fn agreement_behind(&self, preamble: &Preamble) -> Option<f64> {
        let width = preamble.width;
        let before = &self.leads[..preamble.records.min(self.leads.len())];
        let count = |wanted: &dyn Fn(usize) -> bool| {
            let all = self.counts.iter().filter(|(width, _)| wanted(**width));
            let all: usize = all.map(|(_, count)| count).sum();
            all - before.iter().filter(|lead| wanted(lead.width)).count()
        };
        let rest = self.records - before.len();
        let agree = count(&|found| found == width);
        let divided = preamble.marked && count(&|found| found > 1) * 2 >= rest;
        let fits = (agree * 3 >= rest * 2 || divided) && count(&|found| found > width) == 0;
        fits.then_some(agree as f64 / rest.max(1) as f64)
    }
}

impl Sink for Widths {
    fn field(&mut self, _: usize) {
        self.current += 1;
    }

    fn record(&mut self, start: usize, end: usize, next: usize) -> bool {
        let width = std::mem::take(&mut self.current) + 1;
        if self.records == 0 {
            self.first = width;
        }
        if self.leads.len() < LEADS {
            self.leads.push(Lead {
                start,
                end,
                next,
                width,
            });
        }
        self.records += 1;
        self.divided += usize::from(width > 1);
        *self.counts.entry(width).or_default() += 1;
        true
    }

    fn blank(&mut self, _: usize, _: usize, _: usize) {}

    fn stray(&mut self, _: usize) {}
}

/// The number of fields of the longest record from `start` on.
///
/// # Errors
/// Only a stop request.
pub fn widest(text: &[u8], start: usize, delimiter: Delimiter, control: &Control) -> Result<usize> {
    let mut widths = Widths::default();
    let range = Range {
        start,
        stop: usize::MAX,
        limit: usize::MAX,
    };
    walk(text, range, delimiter, control, &mut widths)?;
    Ok(widths.counts.into_keys().max().unwrap_or(1))
}
