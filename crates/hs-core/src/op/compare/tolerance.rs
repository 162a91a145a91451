//! How far two numbers may be apart and still be the same, as numpy's `isclose` and datacompy have it:
//! `|a - b| <= tol + rtol * |b|`.
//!
//! Numbers are compared by their digits, never by what floats make of them: a float stands for the shortest decimal
//! that reads as it, so that 97.89 and 97.88 are 0.01 apart. Floats decide alone only where no digit could change it.

use polars::prelude::{BinaryChunked, DataType, PolarsError, Series};

use super::differ::{Marks, Pairs};
use crate::control::Control;
use crate::error::{Error, ErrorKind, Result};
use crate::op::keyed::{self, Family, Part};
use crate::table::Kind;

/// A tolerance for all columns of numbers, or for some by their names.
#[derive(Clone, Debug, PartialEq)]
pub enum Tolerance {
    /// For all columns that hold numbers in both tables.
    All(f64),
    /// For these columns.
    Columns(Vec<(String, f64)>),
}

impl Tolerance {
    /// The tolerance for a column.
    pub fn of(&self, column: &str) -> Option<f64> {
        match self {
            Self::All(size) => Some(*size),
            Self::Columns(columns) => {
                let found = columns.iter().find(|(name, _)| name == column);
                found.map(|(_, size)| *size)
            }
        }
    }

    /// # Errors
    /// [`ErrorKind::Argument`] for one that is below zero or no number.
    pub fn check(&self, option: &str) -> Result<()> {
        let sizes: Vec<f64> = match self {
            Self::All(size) => vec![*size],
            Self::Columns(columns) => columns.iter().map(|(_, size)| *size).collect(),
        };
        match sizes
            .iter()
            .find(|size| !(size.is_finite() && **size >= 0.0))
        {
            None => Ok(()),
            Some(size) => {
                let message = format!("{option}: expected a number, 0 or more, found {size}");
                Err(Error::new(ErrorKind::Argument, message))
            }
        }
    }
}

/// The tolerances of one column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Within {
    tol: f64,
    rtol: f64,
}

/// A number with its exact value: so many units of a power of ten, or a float that is not whole.
#[derive(Clone, Copy, Debug)]
enum Number {
    Whole(i128),
    Float(f64),
    /// Of 32 bits: its shortest decimal has fewer digits.
    Single(f32),
}

/// Digits and a power of ten: `(9788, -2)` is 97.88.
type Decimal = (i128, i32);

impl Within {
    /// `None` when numbers have to be equal.
    pub fn new(tol: Option<f64>, rtol: Option<f64>) -> Option<Self> {
        let (tol, rtol) = (tol.unwrap_or(0.0), rtol.unwrap_or(0.0));
        (tol > 0.0 || rtol > 0.0).then_some(Self { tol, rtol })
    }

    /// Of the rows that differ, those that differ by more than this.
    ///
    /// # Errors
    /// A stop request.
    pub fn beyond(
        &self,
        sides: [Part<'_>; 2],
        differing: &Marks,
        pairs: &Pairs,
        control: &Control,
    ) -> Result<Marks> {
        let scale = sides.iter().map(|(_, column)| scale(column.dtype())).max();
        let scale = scale.unwrap_or(0);
        let left = Numbers::of(sides[0], scale, control)?;
        let right = Numbers::of(sides[1], scale, control)?;
        differing.kept(control, |row| {
            let numbers = (left.get(row), right.get(pairs.row(row)));
            match numbers {
                (Some(left), Some(right)) => !self.near(left, right, scale as i32),
                // A missing value is near nothing.
                _ => true,
            }
        })
    }

    /// Whether two numbers, where they are whole in units of `10^-scale`, are the same.
    fn near(&self, left: Number, right: Number, scale: i32) -> bool {
        let unit = 10f64.powi(scale);
        let (a, b) = (left.size(unit), right.size(unit));
        if !(a.is_finite() && b.is_finite()) {
            // Of the infinities each is only itself.
            return a.to_bits() == b.to_bits();
        }
        let bound = self.tol + self.rtol * b.abs();
        let (apart, rounded) = match (left, right) {
            (Number::Whole(left), Number::Whole(right)) => match left.checked_sub(right) {
                Some(units) => (units.unsigned_abs() as f64 / unit, 0.0),
                None => return false,
            },
            _ => (
                (a - b).abs(),
                a.abs().max(b.abs()) * left.step().max(right.step()),
            ),
        };
        if apart.is_infinite() {
            // Further apart than floats count.
            return bound.is_infinite();
        }
        // So far may rounding have moved both sides of the comparison.
        let doubt = 2.0 * rounded + 4.0 * f64::EPSILON * apart.max(bound);
        if apart + doubt < bound || apart > bound + doubt {
            return apart < bound;
        }
        let exact = || self.near_exactly(left.decimal(scale)?, right.decimal(scale)?);
        // Too many digits for us: then the last of them may not decide against the user.
        exact().unwrap_or(true)
    }

    /// The same digit by digit; `None` for more digits than a number here has.
    fn near_exactly(&self, left: Decimal, right: Decimal) -> Option<bool> {
        let (digits, power) = sum(left, (right.0.checked_neg()?, right.1))?;
        let (tol, rtol) = (shortest(&self.tol)?, shortest(&self.rtol)?);
        let share = rtol.0.checked_mul(right.0.checked_abs()?)?;
        let (bound, tens) = sum(tol, (share, rtol.1 + right.1))?;
        let (over, _) = sum((digits.checked_abs()?, power), (bound.checked_neg()?, tens))?;
        Some(over <= 0)
    }
}

impl Number {
    fn size(self, unit: f64) -> f64 {
        match self {
            Self::Whole(units) => units as f64 / unit,
            Self::Float(value) => value,
            Self::Single(value) => f64::from(value),
        }
    }

    /// How far the next number of its kind is, as a share of it.
    fn step(self) -> f64 {
        match self {
            Self::Single(_) => f64::from(f32::EPSILON),
            _ => f64::EPSILON,
        }
    }

    fn decimal(self, scale: i32) -> Option<Decimal> {
        match self {
            Self::Whole(units) => Some((units, -scale)),
            Self::Float(value) => shortest(&value),
            Self::Single(value) => shortest(&value),
        }
    }
}

/// The shortest decimal that reads as a float.
fn shortest(value: &impl std::fmt::LowerExp) -> Option<Decimal> {
    let text = format!("{value:e}");
    let (digits, power) = text.split_once('e')?;
    let behind = digits.split_once('.').map_or(0, |(_, behind)| behind.len());
    let power: i32 = power.parse().ok()?;
    Some((digits.replace('.', "").parse().ok()?, power - behind as i32))
}

fn sum(left: Decimal, right: Decimal) -> Option<Decimal> {
    let power = match (left.0, right.0) {
        // Nothing has no place for digits.
        (0, _) => right.1,
        (_, 0) => left.1,
        _ => left.1.min(right.1),
    };
    let digits = |(digits, own): Decimal| match digits {
        0 => Some(0),
        _ => digits.checked_mul(10i128.checked_pow(u32::try_from(own - power).ok()?)?),
    };
    Some((digits(left)?.checked_add(digits(right)?)?, power))
}

/// Digits behind the point of a decimal type.
fn scale(dtype: &DataType) -> usize {
    match dtype {
        DataType::Decimal(_, scale) => *scale,
        _ => 0,
    }
}

/// The numbers of a column.
enum Numbers {
    /// In units of a power of ten that all of them share.
    Whole(Series, i128),
    Float(Series),
    Single(Series),
    /// Among values of several kinds.
    Forms(BinaryChunked, i128),
}

impl Numbers {
    fn of(part: Part<'_>, wanted: usize, control: &Control) -> Result<Self> {
        let series = part.1.as_materialized_series();
        if part.0.kind == Kind::Mixed {
            let factor = 10i128.checked_pow(wanted as u32).unwrap_or(1);
            return Ok(Self::Forms(forms(part, control)?, factor));
        }
        let cast = |dtype: &DataType| {
            series
                .cast(dtype)
                .map(|cast| cast.rechunk())
                .map_err(not_cast)
        };
        match series.dtype() {
            DataType::Float32 => Ok(Self::Single(series.rechunk())),
            DataType::Float64 => Ok(Self::Float(series.rechunk())),
            dtype => {
                let factor = 10i128.checked_pow((wanted - scale(dtype)) as u32);
                let units = series.to_physical_repr().cast(&DataType::Int128);
                match (factor, units) {
                    (Some(factor), Ok(units)) => Ok(Self::Whole(units.rechunk(), factor)),
                    _ => Ok(Self::Float(cast(&DataType::Float64)?)),
                }
            }
        }
    }

    fn get(&self, row: usize) -> Option<Number> {
        match self {
            Self::Whole(units, factor) => {
                let units = units.i128().ok()?.get(row)?;
                let whole = units.checked_mul(*factor).map(Number::Whole);
                Some(whole.unwrap_or(Number::Float(units as f64)))
            }
            Self::Float(values) => {
                let value = values.f64().ok()?.get(row)?;
                (!value.is_nan()).then_some(Number::Float(value))
            }
            Self::Single(values) => {
                let value = values.f32().ok()?.get(row)?;
                (!value.is_nan()).then_some(Number::Single(value))
            }
            Self::Forms(forms, factor) => {
                let form = std::str::from_utf8(forms.get(row)?).ok()?;
                let whole = form.parse::<i128>().ok();
                let units = whole.and_then(|whole| whole.checked_mul(*factor));
                match units {
                    Some(units) => Some(Number::Whole(units)),
                    // Forms that are no numbers begin with other letters than those of floats.
                    None => form.parse().ok().map(Number::Float),
                }
            }
        }
    }
}

/// Whether there is a number among values of several kinds.
///
/// # Errors
/// A stop request.
pub fn has_numbers(part: Part<'_>, control: &Control) -> Result<bool> {
    let forms = forms(part, control)?;
    let is_number = |form: &[u8]| Family::of(form) == Family::Number;
    Ok(forms.iter().flatten().any(is_number))
}

fn forms(part: Part<'_>, control: &Control) -> Result<BinaryChunked> {
    let written = keyed::written(part, control)?.rechunk();
    written.binary().cloned().map_err(not_cast)
}

#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
fn not_cast(error: PolarsError) -> Error {
    Error::new(
        ErrorKind::Internal,
        format!("numbers that no float holds: {error}"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(tol: f64, rtol: f64, left: Number, right: Number) -> bool {
        let within = Within { tol, rtol };
        within.near(left, right, 2)
    }

    #[test]
    fn floats_are_as_far_apart_as_their_shortest_decimals() {
        use Number::{Float, Single, Whole};
        // A whole number here counts hundredths.
        for (tol, left, right, same) in [
            (0.01, Float(97.88), Float(97.89), true),
            (0.01, Float(97.89), Float(97.88), true),
            (0.01, Float(-97.88), Float(-97.89), true),
            (0.01, Float(143.5), Float(143.51), true),
            (0.01, Float(97.88), Float(97.891), false),
            (0.01, Float(97.88), Float(97.890_000_000_000_01), false),
            (0.01, Float(1_234_567_890.12), Float(1_234_567_890.13), true),
            (
                0.01,
                Float(1_234_567_890.12),
                Float(1_234_567_890.14),
                false,
            ),
            (0.01, Whole(9788), Whole(9789), true),
            (0.01, Whole(9788), Whole(9790), false),
            (0.01, Whole(9788), Float(97.89), true),
            (0.01, Float(97.88), Whole(9790), false),
            (0.01, Single(97.88), Single(97.89), true),
            (0.01, Single(97.88), Float(97.89), true),
            (0.01, Single(97.88), Single(97.9), false),
            (0.2, Float(0.1), Float(0.3), true),
            (0.2, Float(-0.1), Float(0.1), true),
            (0.1, Float(0.0), Float(0.1), true),
            (0.1, Float(0.0), Float(0.100_000_000_000_000_02), false),
            (1e-17, Float(1.0), Float(1.000_000_000_000_000_2), false),
            (2e292, Float(1e308), Float(9.999_999_999_999_998e307), true),
            (0.5, Float(1e308), Float(-1e308), false),
            (5e-324, Float(0.0), Float(5e-324), true),
            (1.0, Float(f64::INFINITY), Float(1.0), false),
            (1.0, Whole(i128::MAX), Whole(i128::MIN), false),
            (1.0, Whole(i128::MAX - 100), Whole(i128::MAX), true),
            (1.0, Whole(i128::MAX - 101), Whole(i128::MAX), false),
        ] {
            assert_eq!(
                near(tol, 0.0, left, right),
                same,
                "{left:?} {right:?} {tol}"
            );
        }
        // 0.29 * 100 as a float is below 29.
        assert!(near(0.0, 0.29, Whole(12_900), Whole(10_000)));
        assert!(!near(0.0, 0.29, Whole(12_901), Whole(10_000)));
        assert!(near(0.01, 0.1, Float(1.11), Float(1.0)));
        assert!(!near(0.01, 0.1, Float(1.1101), Float(1.0)));
    }
}
