//! The values of one part of a condition on a batch of rows.

use std::borrow::Cow;
use std::cmp::Ordering;

use super::exact;

/// Values of a batch: one for each row, or one for all.
#[derive(Clone, Debug)]
pub struct Vector<'a> {
    /// The values; any where there is none.
    pub data: Data<'a>,
    /// Where there is a value; `None` for everywhere.
    pub valid: Option<Vec<bool>>,
    /// True when the one value stands for every row.
    pub one: bool,
}

/// Values of one type.
#[derive(Clone, Debug)]
pub enum Data<'a> {
    /// No value at all.
    Nothing,
    /// Truths.
    Bool(Vec<bool>),
    /// Whole multiples of a power of ten: ints (0 digits), decimals, times in nanoseconds (0 digits).
    Exact(Vec<i128>, u32),
    /// Floats, none of them NaN where it is valid.
    Float(Vec<f64>),
    /// Texts.
    Text(Vec<Cow<'a, str>>),
}

impl<'a> Vector<'a> {
    /// The missing value for every row.
    pub fn nothing() -> Self {
        Self {
            data: Data::Nothing,
            valid: Some(vec![false]),
            one: true,
        }
    }

    /// One value for every row.
    pub fn one(data: Data<'a>) -> Self {
        Self {
            data,
            valid: None,
            one: true,
        }
    }

    /// Values of rows.
    pub fn rows(data: Data<'a>, valid: Option<Vec<bool>>) -> Self {
        Self {
            data,
            valid,
            one: false,
        }
    }

    /// Truths, unknown where there is none.
    pub fn truths(values: impl Iterator<Item = Option<bool>>, one: bool) -> Self {
        let (values, valid) = gather(values);
        Self {
            data: Data::Bool(values),
            valid,
            one,
        }
    }

    /// Where the value of a row stands.
    pub fn at(&self, row: usize) -> usize {
        if self.one { 0 } else { row }
    }

    /// True when the row has a value.
    pub fn has(&self, row: usize) -> bool {
        self.valid.as_ref().is_none_or(|valid| valid[self.at(row)])
    }

    /// The truth of a row; none where it is unknown.
    pub fn truth(&self, row: usize) -> Option<bool> {
        match &self.data {
            Data::Bool(values) if self.has(row) => Some(values[self.at(row)]),
            _ => None,
        }
    }

    /// The text of a row.
    pub fn text(&self, row: usize) -> Option<&str> {
        match &self.data {
            Data::Text(values) if self.has(row) => Some(values[self.at(row)].as_ref()),
            _ => None,
        }
    }

    /// The number of a row as a float.
    pub fn float(&self, row: usize) -> Option<f64> {
        if !self.has(row) {
            return None;
        }
        match &self.data {
            Data::Float(values) => Some(values[self.at(row)]),
            Data::Exact(values, digits) => Some(exact::float(values[self.at(row)], *digits)),
            _ => None,
        }
    }

    /// How many rows it speaks of, in a batch of so many.
    pub fn height(&self, rows: usize) -> usize {
        if self.one { 1 } else { rows }
    }

    /// How the values of a row of two vectors compare; none where one is missing.
    pub fn compare(&self, other: &Self, row: usize) -> Option<Ordering> {
        if !self.has(row) || !other.has(row) {
            return None;
        }
        let (left, right) = (self.at(row), other.at(row));
        match (&self.data, &other.data) {
            (Data::Bool(a), Data::Bool(b)) => Some(a[left].cmp(&b[right])),
            (Data::Exact(a, x), Data::Exact(b, y)) if x == y => Some(a[left].cmp(&b[right])),
            (Data::Exact(a, x), Data::Exact(b, y)) => {
                Some(exact::compare(a[left], *x, b[right], *y))
            }
            (Data::Exact(a, x), Data::Float(b)) => {
                Some(exact::compare_float(a[left], *x, b[right]))
            }
            (Data::Float(a), Data::Exact(b, y)) => {
                Some(exact::compare_float(b[right], *y, a[left]).reverse())
            }
            (Data::Float(a), Data::Float(b)) => a[left].partial_cmp(&b[right]),
            // UTF-8 bytes are ordered as code points are.
            (Data::Text(a), Data::Text(b)) => Some(a[left].cmp(&b[right])),
            _ => None,
        }
    }
}

/// Values, and where there are any.
pub fn gather<T: Default>(items: impl Iterator<Item = Option<T>>) -> (Vec<T>, Option<Vec<bool>>) {
    let mut values = Vec::with_capacity(items.size_hint().0);
    let mut valid: Option<Vec<bool>> = None;
    for item in items {
        match (item, &mut valid) {
            (Some(value), None) => values.push(value),
            (Some(value), Some(valid)) => {
                values.push(value);
                valid.push(true);
            }
            (None, valid) => {
                valid
                    .get_or_insert_with(|| vec![true; values.len()])
                    .push(false);
                values.push(T::default());
            }
        }
    }
    (values, valid)
}
