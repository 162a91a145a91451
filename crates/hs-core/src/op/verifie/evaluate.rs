//! A condition on a batch of rows. Never fails: what has no result is missing, and what is odd told.

use std::borrow::Cow;
use std::cmp::Ordering;

use super::batch::Batch;
use super::like::Pattern;
use super::literal::DAY;
use super::tree::{Comparison, Node, What};
use super::vector::{Data, Vector, gather};

/// What had no result, and in which row first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// How often.
    pub count: u64,
    /// The first row.
    pub first: Option<usize>,
}

impl Tally {
    fn add(&mut self, row: usize) {
        self.count += 1;
        self.first.get_or_insert(row);
    }

    /// Both, this one first.
    pub fn join(&mut self, other: Self) {
        self.count += other.count;
        self.first = self.first.or(other.first);
    }
}

/// What was odd about the rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Trouble {
    /// Divisions by zero.
    pub zero: Tally,
    /// Whole numbers and decimals beyond 38 digits.
    pub overflow: Tally,
}

impl Trouble {
    /// Both, this one first.
    pub fn join(&mut self, other: Self) {
        self.zero.join(other.zero);
        self.overflow.join(other.overflow);
    }
}

/// Evaluates parts of a condition on one batch.
pub struct Evaluator<'a> {
    /// The rows.
    pub batch: &'a Batch,
    /// The values of the aggregates.
    pub aggregates: &'a [Vector<'static>],
    /// What was odd.
    pub trouble: Trouble,
}

/// Which rows matter: the others are worked on too, but nothing odd in them is told.
pub(super) type Active<'m> = Option<&'m [bool]>;

impl<'a> Evaluator<'a> {
    /// The values of a part.
    pub fn values(&mut self, node: &Node, active: Active<'_>) -> Vector<'a> {
        let rows = self.batch.rows;
        match &node.what {
            What::Column(position) => self.batch.column(*position),
            What::Literal(vector) => vector.clone(),
            What::Aggregate(number) => self.aggregates[*number].clone(),
            What::Not(inner) => {
                let inner = self.values(inner, active);
                let height = inner.height(rows);
                let truths = (0..height).map(|row| inner.truth(row).map(|truth| !truth));
                Vector::truths(truths, inner.one)
            }
            What::Negate(inner) => self.number(inner, active, i128::checked_neg, |value| -value),
            What::Abs(inner) => self.number(inner, active, i128::checked_abs, f64::abs),
            What::Round(inner, digits) => self.round(inner, *digits, active),
            What::Arithmetic(operator, left, right) => {
                let (left, right) = (self.values(left, active), self.values(right, active));
                self.arithmetic(*operator, &left, &right, active)
            }
            What::Days(inner) => {
                let mut inner = self.values(inner, active);
                if let Data::Exact(values, _) = &mut inner.data {
                    for value in values {
                        *value /= DAY;
                    }
                }
                inner
            }
            What::Compare(comparison, left, right) => {
                let (left, right) = (self.values(left, active), self.values(right, active));
                compare(*comparison, &left, &right, rows)
            }
            What::Differ(left, right) => {
                let (left, right) = (self.values(left, active), self.values(right, active));
                let one = left.one && right.one;
                let differ = |row| match (left.has(row), right.has(row)) {
                    (true, true) => left.compare(&right, row) != Some(Ordering::Equal),
                    (left, right) => left != right,
                };
                let height = if one { 1 } else { rows };
                Vector::truths((0..height).map(|row| Some(differ(row))), one)
            }
            What::And(parts) => self.junction(parts, false, active),
            What::Or(parts) => self.junction(parts, true, active),
            What::In(value, list) => self.within(value, list, active),
            What::Like {
                value,
                pattern,
                escape,
                fold,
            } => {
                let (value, pattern) = (self.values(value, active), self.values(pattern, active));
                like(&value, &pattern, *escape, *fold, rows)
            }
            What::IsMissing(inner) => {
                let inner = self.values(inner, active);
                let height = inner.height(rows);
                Vector::truths((0..height).map(|row| Some(!inner.has(row))), inner.one)
            }
            What::Is(inner, truth) => {
                let inner = self.values(inner, active);
                let height = inner.height(rows);
                let truths = (0..height).map(|row| Some(inner.truth(row) == Some(*truth)));
                Vector::truths(truths, inner.one)
            }
            What::Case(branches, last) => self.case(branches, last, node.kind, active),
            What::Length(inner) => {
                let inner = self.values(inner, active);
                let lengths = (0..inner.height(rows))
                    .map(|row| inner.text(row).map(|text| text.chars().count() as i128));
                let (values, valid) = gather(lengths);
                Vector {
                    data: Data::Exact(values, 0),
                    valid,
                    one: inner.one,
                }
            }
            What::Cased(inner, upper) => {
                let inner = self.values(inner, active);
                let cased = (0..inner.height(rows)).map(|row| {
                    let text = inner.text(row)?;
                    let text = if *upper {
                        text.to_uppercase()
                    } else {
                        text.to_lowercase()
                    };
                    Some(Cow::Owned(text))
                });
                let (values, valid) = gather(cased);
                Vector {
                    data: Data::Text(values),
                    valid,
                    one: inner.one,
                }
            }
        }
    }

    pub(super) fn tell_zero(&mut self, row: usize, active: Active<'_>) {
        if active.is_none_or(|active| active[row]) {
            self.trouble.zero.add(self.batch.start + row);
        }
    }

    pub(super) fn tell_overflow(&mut self, row: usize, active: Active<'_>) {
        if active.is_none_or(|active| active[row]) {
            self.trouble.overflow.add(self.batch.start + row);
        }
    }

    /// AND, or OR when the truth that decides is true.
    fn junction(&mut self, parts: &[Node], decides: bool, active: Active<'_>) -> Vector<'a> {
        let rows = self.batch.rows;
        let mut so_far: Option<Vector<'a>> = None;
        for part in parts {
            let Some(left) = so_far else {
                so_far = Some(self.values(part, active));
                continue;
            };
            // Nothing odd is told of rows that are decided: `b = 0 OR a / b > 1`.
            let open: Option<Vec<bool>> = part.is_risky().then(|| {
                let matters = |row| active.is_none_or(|active| active[row]);
                (0..rows)
                    .map(|row| matters(row) && left.truth(row) != Some(decides))
                    .collect()
            });
            let right = self.values(part, open.as_deref().or(active));
            let one = left.one && right.one;
            let height = if one { 1 } else { rows };
            let truths = (0..height).map(|row| match (left.truth(row), right.truth(row)) {
                (Some(left), _) if left == decides => Some(decides),
                (_, Some(right)) if right == decides => Some(decides),
                (Some(_), Some(_)) => Some(!decides),
                _ => None,
            });
            so_far = Some(Vector::truths(truths, one));
        }
        so_far.unwrap_or_else(Vector::nothing)
    }
}

pub(super) fn compare(
    comparison: Comparison,
    left: &Vector<'_>,
    right: &Vector<'_>,
    rows: usize,
) -> Vector<'static> {
    let one = left.one && right.one;
    let holds = |order: Ordering| match comparison {
        Comparison::Equal => order.is_eq(),
        Comparison::Unequal => order.is_ne(),
        Comparison::Less => order.is_lt(),
        Comparison::AtMost => order.is_le(),
        Comparison::Greater => order.is_gt(),
        Comparison::AtLeast => order.is_ge(),
    };
    let height = if one { 1 } else { rows };
    let truths = (0..height).map(|row| left.compare(right, row).map(holds));
    Vector::truths(truths, one)
}

fn like(
    value: &Vector<'_>,
    pattern: &Vector<'_>,
    escape: Option<char>,
    fold: bool,
    rows: usize,
) -> Vector<'static> {
    let one = value.one && pattern.one;
    let height = if one { 1 } else { rows };
    let read = |text: &str| Pattern::new(text, escape, fold);
    let same = if pattern.one {
        pattern.text(0).map(read)
    } else {
        None
    };
    let truths = (0..height).map(|row| {
        let text = value.text(row)?;
        match &same {
            Some(pattern) => Some(pattern.fits(text)),
            None => Some(read(pattern.text(row)?).fits(text)),
        }
    });
    Vector::truths(truths, one)
}
