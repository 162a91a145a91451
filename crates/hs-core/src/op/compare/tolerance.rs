//! How far two numbers may be apart and still be the same, as numpy's `isclose` and datacompy have it:
//! `|a - b| <= tol + rtol * |b|`.
//!
//! Whole numbers and decimals are compared by their digits, never as floats.

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
}

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
        let unit = 10f64.powi(scale as i32);
        differing.kept(control, |row| {
            let numbers = (left.get(row), right.get(pairs.row(row)));
            match numbers {
                (Some(left), Some(right)) => !self.near(left, right, unit),
                // A missing value is near nothing.
                _ => true,
            }
        })
    }

    /// Whether two numbers in units of `1 / unit` are the same.
    fn near(&self, left: Number, right: Number, unit: f64) -> bool {
        let size = |number: Number| match number {
            Number::Whole(units) => units as f64 / unit,
            Number::Float(value) => value,
        };
        let (a, b) = (size(left), size(right));
        if !(a.is_finite() && b.is_finite()) {
            // Of the infinities each is only itself.
            return a.to_bits() == b.to_bits();
        }
        let bound = self.tol + self.rtol * b.abs();
        let (Some(left), Some(right)) = (left.units(unit), right.units(unit)) else {
            return (a - b).abs() <= bound;
        };
        left.checked_sub(right).is_some_and(|apart| {
            let units = apart.unsigned_abs();
            // As far as a float counts exactly, its rounding decides as the digits do.
            if units < 1 << 53 {
                units as f64 / unit <= bound
            } else {
                units <= (bound * unit).floor() as u128
            }
        })
    }
}

impl Number {
    /// As a whole number of units, where it is one for sure: two floats are subtracted as floats.
    fn units(self, unit: f64) -> Option<i128> {
        const LARGE: f64 = 1e30;
        match self {
            Self::Whole(units) => Some(units),
            Self::Float(value) if value.fract() == 0.0 && (value * unit).abs() < LARGE => {
                (value as i128).checked_mul(unit as i128)
            }
            Self::Float(_) => None,
        }
    }
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
            DataType::Float32 | DataType::Float64 => Ok(Self::Float(cast(&DataType::Float64)?)),
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
