//! Arithmetic on the vectors of a batch: exact numbers stay exact, what does not fit is missing and told.

use super::evaluate::{Active, Evaluator};
use super::exact;
use super::tree::{Node, Operator};
use super::vector::{Data, Vector, gather};

impl<'a> Evaluator<'a> {
    /// A number of each number.
    pub(super) fn number(
        &mut self,
        inner: &Node,
        active: Active<'_>,
        exact: fn(i128) -> Option<i128>,
        float: fn(f64) -> f64,
    ) -> Vector<'a> {
        let mut inner = self.values(inner, active);
        match &mut inner.data {
            Data::Float(values) => values.iter_mut().for_each(|value| *value = float(*value)),
            Data::Exact(values, _) => {
                let mut lost = Vec::new();
                for (row, value) in values.iter_mut().enumerate() {
                    match exact(*value) {
                        Some(result) => *value = result,
                        None => lost.push(row),
                    }
                }
                for row in lost {
                    self.lose(&mut inner, row, active);
                }
            }
            _ => {}
        }
        inner
    }

    /// Takes the value of a row away, because it does not fit.
    fn lose(&mut self, vector: &mut Vector<'_>, row: usize, active: Active<'_>) {
        if !vector.has(row) {
            return;
        }
        let height = vector.height(self.batch.rows);
        let valid = vector.valid.get_or_insert_with(|| vec![true; height]);
        valid[row] = false;
        self.tell_overflow(row, active);
    }

    pub(super) fn round(&mut self, inner: &Node, digits: i32, active: Active<'_>) -> Vector<'a> {
        let mut inner = self.values(inner, active);
        let mut lost = Vec::new();
        match &mut inner.data {
            Data::Float(values) => {
                for value in values {
                    *value = rounded(*value, digits);
                }
            }
            Data::Exact(values, scale) => {
                let mut kept = *scale;
                for (row, value) in values.iter_mut().enumerate() {
                    match exact::rounded(*value, *scale, digits) {
                        Some((result, left)) => {
                            *value = result;
                            kept = left;
                        }
                        None => lost.push(row),
                    }
                }
                *scale = kept;
            }
            _ => {}
        }
        for row in lost {
            self.lose(&mut inner, row, active);
        }
        inner
    }

    pub(super) fn arithmetic(
        &mut self,
        operator: Operator,
        left: &Vector<'_>,
        right: &Vector<'_>,
        active: Active<'_>,
    ) -> Vector<'a> {
        let one = left.one && right.one;
        let height = if one { 1 } else { self.batch.rows };
        let exact = match (&left.data, &right.data) {
            (Data::Exact(a, x), Data::Exact(b, y)) if operator != Operator::Divide => {
                let digits = if operator == Operator::Multiply {
                    x + y
                } else {
                    *x.max(y)
                };
                (digits <= exact::DIGITS).then_some((a, *x, b, *y, digits))
            }
            _ => None,
        };
        if let Some((a, x, b, y, digits)) = exact {
            let results = (0..height).map(|row| {
                if !left.has(row) || !right.has(row) {
                    return None;
                }
                let (a, b) = (a[left.at(row)], b[right.at(row)]);
                if operator == Operator::Multiply {
                    let result = a.checked_mul(b);
                    if result.is_none() {
                        self.tell_overflow(row, active);
                    }
                    return result;
                }
                if operator == Operator::Remainder && b == 0 {
                    self.tell_zero(row, active);
                    return None;
                }
                let aligned = exact::scaled(a, x, digits).zip(exact::scaled(b, y, digits));
                let result = aligned.and_then(|(a, b)| match operator {
                    Operator::Add => a.checked_add(b),
                    Operator::Subtract => a.checked_sub(b),
                    // The one remainder that does not fit its division is that by -1.
                    _ => Some(a.wrapping_rem(b)),
                });
                if result.is_none() {
                    self.tell_overflow(row, active);
                }
                result
            });
            let (values, valid) = gather(results);
            return Vector {
                data: Data::Exact(values, digits),
                valid,
                one,
            };
        }
        let results = (0..height).map(|row| {
            let (a, b) = (left.float(row)?, right.float(row)?);
            let result = match operator {
                Operator::Add => a + b,
                Operator::Subtract => a - b,
                Operator::Multiply => a * b,
                Operator::Divide | Operator::Remainder if b == 0.0 => {
                    self.tell_zero(row, active);
                    return None;
                }
                Operator::Divide => a / b,
                Operator::Remainder => a % b,
            };
            Some(result).filter(|result| !result.is_nan())
        });
        let (values, valid) = gather(results);
        Vector {
            data: Data::Float(values),
            valid,
            one,
        }
    }
}

/// A float with so many digits behind the point, halves away from zero.
fn rounded(value: f64, digits: i32) -> f64 {
    let unit = 10_f64.powi(digits.abs());
    let result = if digits >= 0 {
        (value * unit).round() / unit
    } else {
        (value / unit).round() * unit
    };
    // Beyond what a float holds there is nothing behind the point.
    if result.is_finite() { result } else { value }
}
