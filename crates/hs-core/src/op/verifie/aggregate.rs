//! One value for all rows: batches side by side, their parts joined in order.

use std::cmp::Ordering;

use polars::prelude::PlHashSet;
use rayon::prelude::*;

use super::batch::{Batch, ROWS};
use super::evaluate::{Evaluator, Trouble};
use super::exact;
use super::tree::{Aggregate, Node, Summary, What};
use super::vector::{Data, Vector};
use crate::control::Control;
use crate::error::Result;
use crate::table::Table;

/// What a batch adds.
#[derive(Default)]
struct Part {
    count: u64,
    exact: i128,
    digits: u32,
    float: Sum,
    floats: bool,
    overflow: bool,
    best: Option<Vector<'static>>,
    distinct: PlHashSet<Key>,
    trouble: Trouble,
}

/// A sum of floats that keeps what a plain one rounds away at each step, so that it hardly depends on the
/// order: 0.1 ten times is 1.0.
///
/// Source: A. Neumaier, "Rundungsfehleranalyse einiger Verfahren zur Summation endlicher Summen", 1974.
#[derive(Clone, Copy, Default)]
struct Sum {
    rounded: f64,
    lost: f64,
}

impl Sum {
    fn add(&mut self, value: f64) {
        let sum = self.rounded + value;
        // Infinities have nothing to lose.
        if sum.is_finite() {
            self.lost += if self.rounded.abs() >= value.abs() {
                (self.rounded - sum) + value
            } else {
                (value - sum) + self.rounded
            };
        }
        self.rounded = sum;
    }

    fn join(&mut self, other: Self) {
        self.add(other.rounded);
        self.lost += other.lost;
    }

    fn value(self) -> f64 {
        self.rounded + self.lost
    }
}

/// A value that can be counted once.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Key {
    Bool(bool),
    Exact(i128),
    Float(u64),
    Text(String),
}

/// The value of an aggregate on the whole table.
///
/// # Errors
/// [`crate::ErrorKind::Interrupted`] on a stop request.
pub fn aggregate(
    table: &Table,
    aggregate: &Aggregate,
    control: &Control,
) -> Result<(Vector<'static>, Trouble)> {
    let Some(of) = &aggregate.of else {
        let rows = Data::Exact(vec![table.height() as i128], 0);
        return Ok((Vector::one(rows), Trouble::default()));
    };
    let mut positions = Vec::new();
    columns(of, &mut positions);
    let starts: Vec<usize> = (0..table.height()).step_by(ROWS).collect();
    let parts: Vec<Part> = starts
        .into_par_iter()
        .map(|start| {
            control.check()?;
            let batch = Batch::new(table, &positions, start);
            let mut evaluator = Evaluator {
                batch: &batch,
                aggregates: &[],
                trouble: Trouble::default(),
            };
            let values = evaluator.values(of, None);
            let mut part = summarised(aggregate.function, &values, batch.rows);
            part.trouble = evaluator.trouble;
            Ok(part)
        })
        .collect::<Result<_>>()?;
    let mut whole = Part::default();
    for part in parts {
        whole.trouble.join(part.trouble);
        whole.count += part.count;
        whole.digits = whole.digits.max(part.digits);
        whole.floats |= part.floats;
        whole.float.join(part.float);
        whole.overflow |= part.overflow;
        match whole.exact.checked_add(part.exact) {
            Some(sum) => whole.exact = sum,
            None => whole.overflow = true,
        }
        if let Some(best) = part.best {
            whole.best = Some(match whole.best.take() {
                Some(old) if !better(aggregate.function, &best, &old) => old,
                _ => best,
            });
        }
        if whole.distinct.is_empty() {
            whole.distinct = part.distinct;
        } else {
            whole.distinct.extend(part.distinct);
        }
    }
    Ok((result(aggregate.function, &mut whole), whole.trouble))
}

fn result(function: Summary, whole: &mut Part) -> Vector<'static> {
    let number = |count: u64| Vector::one(Data::Exact(vec![i128::from(count)], 0));
    match function {
        Summary::Count => number(whole.count),
        Summary::CountDistinct => number(whole.distinct.len() as u64),
        Summary::Min | Summary::Max => whole.best.take().unwrap_or_else(Vector::nothing),
        Summary::Sum | Summary::Avg if whole.count == 0 => Vector::nothing(),
        Summary::Sum | Summary::Avg if whole.overflow => {
            whole.trouble.overflow.count += 1;
            Vector::nothing()
        }
        Summary::Sum if whole.floats => float(whole.float.value()),
        Summary::Sum => Vector::one(Data::Exact(vec![whole.exact], whole.digits)),
        Summary::Avg => {
            let sum = if whole.floats {
                whole.float.value()
            } else {
                exact::float(whole.exact, whole.digits)
            };
            float(sum / whole.count as f64)
        }
    }
}

/// A float; NaN, as of infinities that cancel out, is missing.
fn float(value: f64) -> Vector<'static> {
    if value.is_nan() {
        return Vector::nothing();
    }
    Vector::one(Data::Float(vec![value]))
}

fn summarised(function: Summary, values: &Vector<'_>, rows: usize) -> Part {
    let mut part = Part::default();
    let there = (0..rows).filter(|row| values.has(*row));
    match function {
        Summary::Count => part.count = there.count() as u64,
        Summary::CountDistinct => part
            .distinct
            .extend(there.filter_map(|row| key(values, row))),
        Summary::Min | Summary::Max => {
            let mut best: Option<usize> = None;
            for row in there {
                let wins = best.is_none_or(|old| {
                    let order = at(values, row).compare(&at(values, old), 0);
                    order == Some(wanted(function))
                });
                if wins {
                    best = Some(row);
                }
            }
            part.best = best.map(|row| at(values, row));
        }
        Summary::Sum | Summary::Avg => match &values.data {
            Data::Exact(numbers, digits) => {
                part.digits = *digits;
                for row in there {
                    part.count += 1;
                    match part.exact.checked_add(numbers[values.at(row)]) {
                        Some(sum) => part.exact = sum,
                        None => part.overflow = true,
                    }
                }
            }
            Data::Float(numbers) => {
                part.floats = true;
                for row in there {
                    part.count += 1;
                    part.float.add(numbers[values.at(row)]);
                }
            }
            _ => {}
        },
    }
    part
}

fn wanted(function: Summary) -> Ordering {
    if function == Summary::Min {
        Ordering::Less
    } else {
        Ordering::Greater
    }
}

fn better(function: Summary, new: &Vector<'_>, old: &Vector<'_>) -> bool {
    new.compare(old, 0) == Some(wanted(function))
}

/// The value of a row, alone.
fn at(values: &Vector<'_>, row: usize) -> Vector<'static> {
    let place = values.at(row);
    Vector::one(match &values.data {
        Data::Nothing => return Vector::nothing(),
        Data::Bool(values) => Data::Bool(vec![values[place]]),
        Data::Exact(values, digits) => Data::Exact(vec![values[place]], *digits),
        Data::Float(values) => Data::Float(vec![values[place]]),
        Data::Text(values) => Data::Text(vec![values[place].clone().into_owned().into()]),
    })
}

fn key(values: &Vector<'_>, row: usize) -> Option<Key> {
    let place = values.at(row);
    match &values.data {
        Data::Nothing => None,
        Data::Bool(values) => Some(Key::Bool(values[place])),
        Data::Exact(values, _) => Some(Key::Exact(values[place])),
        // Adding zero makes one of the two zeros.
        Data::Float(values) => Some(Key::Float((values[place] + 0.0).to_bits())),
        Data::Text(values) => Some(Key::Text(values[place].clone().into_owned())),
    }
}

/// The columns that a part of a condition looks at.
pub fn columns(node: &Node, positions: &mut Vec<usize>) {
    match &node.what {
        What::Column(position) => {
            if !positions.contains(position) {
                positions.push(*position);
            }
        }
        What::Literal(_) | What::Aggregate(_) => {}
        What::Not(inner)
        | What::Negate(inner)
        | What::Days(inner)
        | What::IsMissing(inner)
        | What::Is(inner, _)
        | What::Length(inner)
        | What::Cased(inner, _)
        | What::Abs(inner)
        | What::Round(inner, _) => columns(inner, positions),
        What::Arithmetic(_, left, right)
        | What::Compare(_, left, right)
        | What::Differ(left, right) => {
            columns(left, positions);
            columns(right, positions);
        }
        What::And(parts) | What::Or(parts) => {
            for part in parts {
                columns(part, positions);
            }
        }
        What::In(value, list) => {
            columns(value, positions);
            for member in list {
                columns(member, positions);
            }
        }
        What::Like { value, pattern, .. } => {
            columns(value, positions);
            columns(pattern, positions);
        }
        What::Case(branches, last) => {
            for (condition, result) in branches {
                columns(condition, positions);
                columns(result, positions);
            }
            columns(last, positions);
        }
    }
}
