//! The walk over columns of numbers, bools, days and times: range, width, what Excel cannot keep.
//! Columns of text are walked over elsewhere.

use polars::prelude::{AnyValue, DataType, Float64Chunked, Int64Chunked, TimeUnit};

use super::super::serial::{self, DAY};
use super::account::{Seen, Told};
use super::cell::push_float;
use super::loose::{LONG, Loose, is_short, micros, write_decimal};
use super::measure::Width;
use super::plan::{Found, How, Look, Walk};
use super::scan_text;
use crate::error::{Error, ErrorKind, Result};
use crate::format::rows::losses::{has_bytes, holds_bytes};
use crate::text;

/// Rows between two looks at the stop request.
const STEP: usize = 1 << 16;
/// Excel shows whole numbers of more digits with an exponent.
const SHOWN: u64 = 100_000_000_000;
/// Excel shows no more characters of a number in the general format, sign and exponent left out.
const GENERAL: usize = 11;
/// What a sheet cannot be without in any of them.
const MICROS: i64 = 1_000_000;

pub fn bools<'a>() -> Found<'a> {
    let mut width = Width::default();
    width.add("FALSE");
    Found::plain(How::Bool, Look::General, width, Seen::default())
}

/// The numbers behind ints, days and times.
pub fn whole(values: &polars::prelude::Series) -> Result<Int64Chunked> {
    let numbers = values.to_physical_repr().cast(&DataType::Int64);
    numbers
        .and_then(|numbers| numbers.i64().cloned())
        .map_err(|error| Error::new(ErrorKind::Internal, "numbers that are none").because(error))
}

/// The numbers of a column of floats that is not of single precision.
pub fn doubles(values: &polars::prelude::Series) -> Result<Float64Chunked> {
    let numbers = values.cast(&DataType::Float64);
    numbers
        .and_then(|numbers| numbers.f64().cloned())
        .map_err(|error| Error::new(ErrorKind::Internal, "floats that are none").because(error))
}

pub fn ints<'a>(walk: &Walk<'a, '_>) -> Result<Found<'a>> {
    let mut seen = Seen::default();
    let (mut low, mut high) = (0i64, 0i64);
    if let Ok(numbers) = walk.values.u64() {
        for (row, number) in numbers.iter().enumerate() {
            walk.check(row)?;
            let Some(number) = number else { continue };
            if number >= LONG {
                seen.add(Told::LongInt, row, || number.to_string());
            }
            high = high.max(i64::try_from(number).unwrap_or(i64::MAX));
        }
    } else {
        for (row, number) in whole(walk.values)?.iter().enumerate() {
            walk.check(row)?;
            let Some(number) = number else { continue };
            if number.unsigned_abs() >= LONG {
                seen.add(Told::LongInt, row, || number.to_string());
            }
            low = low.min(number);
            high = high.max(number);
        }
    }
    if !seen.is_empty() {
        let mut found = scan_text::loose(walk, Loose::Digits)?;
        found.seen = seen;
        found.look = Look::Text;
        return Ok(found);
    }
    let mut width = Width::default();
    width.add(&low.to_string());
    width.add(&high.to_string());
    let look = if low.unsigned_abs().max(high.unsigned_abs()) >= SHOWN {
        Look::Whole
    } else {
        Look::General
    };
    Ok(Found::plain(How::Int, look, width, seen))
}

pub fn floats<'a>(walk: &Walk<'a, '_>) -> Result<Found<'a>> {
    let mut seen = Seen::default();
    let mut shown = 0;
    let mut negative = false;
    let mut room = Vec::with_capacity(32);
    let mut look = |row: usize, number: f64, write: &dyn Fn(&mut Vec<u8>)| {
        if number.is_infinite() {
            seen.add(Told::Infinite, row, || number.to_string());
        } else if !number.is_nan() {
            negative |= number < 0.0;
            if shown < GENERAL {
                room.clear();
                write(&mut room);
                let sign = usize::from(room.first() == Some(&b'-'));
                shown = shown.max(room.len() - sign).min(GENERAL);
            }
        }
    };
    if let Ok(numbers) = walk.values.f32() {
        for (row, number) in numbers.iter().enumerate() {
            walk.check(row)?;
            if let Some(number) = number {
                look(row, f64::from(number), &|room| push_float(room, number));
            }
        }
    } else {
        for (row, number) in doubles(walk.values)?.iter().enumerate() {
            walk.check(row)?;
            if let Some(number) = number {
                look(row, number, &|room| push_float(room, number));
            }
        }
    }
    let mut width = Width::default();
    let sign = if negative { "-" } else { "" };
    width.add(&format!("{sign}{}", "0".repeat(shown)));
    Ok(Found::plain(How::Float, Look::General, width, seen))
}

pub fn dates<'a>(walk: &Walk<'a, '_>) -> Result<Found<'a>> {
    let mut seen = Seen::default();
    for (row, day) in whole(walk.values)?.iter().enumerate() {
        walk.check(row)?;
        let Some(day) = day else { continue };
        if serial::of_wall_clock(day.saturating_mul(DAY)).is_none() {
            seen.add(Told::NoDay, row, || text::date(day as i32));
        }
    }
    dated(walk, How::Date, Look::Date, "2026-12-31", seen)
}

pub fn datetimes<'a>(walk: &Walk<'a, '_>, unit: TimeUnit) -> Result<Found<'a>> {
    let mut seen = Seen::default();
    let mut fine = false;
    for (row, moment) in whole(walk.values)?.iter().enumerate() {
        walk.check(row)?;
        let Some(moment) = moment else { continue };
        let written = || text::datetime(text::nanos(moment, unit), false);
        let micros = micros(moment, unit);
        let Some((micros, serial)) =
            micros.and_then(|micros| Some((micros, serial::of_wall_clock(micros)?)))
        else {
            seen.add(Told::NoDay, row, written);
            continue;
        };
        fine |= micros % MICROS != 0;
        if unit == TimeUnit::Nanoseconds && moment % 1000 != 0 {
            seen.add(Told::Cut, row, written);
        }
        if serial::wall_clock(serial, false) != Some(micros) {
            seen.add(Told::Rounded, row, written);
        }
    }
    let sample = ["2026-12-31 00:00:00", "2026-12-31 00:00:00.000"][usize::from(fine)];
    dated(
        walk,
        How::Datetime(unit),
        Look::Datetime(fine),
        sample,
        seen,
    )
}

/// A column of days or points in time: as numbers, or cell by cell when Excel does not know all of them.
fn dated<'a>(
    walk: &Walk<'a, '_>,
    how: How,
    look: Look,
    sample: &str,
    seen: Seen,
) -> Result<Found<'a>> {
    let mut width = Width::default();
    width.add(sample);
    if !seen.has(Told::NoDay) {
        return Ok(Found::plain(how, look, width, seen));
    }
    let mut found = scan_text::loose(walk, Loose::Day)?;
    found.width.join(width);
    found.look = look;
    found.seen = seen.only(Told::NoDay);
    Ok(found)
}

pub fn times<'a>(walk: &Walk<'a, '_>) -> Result<Found<'a>> {
    let mut seen = Seen::default();
    let mut fine = false;
    for (row, nanos) in whole(walk.values)?.iter().enumerate() {
        walk.check(row)?;
        let Some(nanos) = nanos else { continue };
        let micros = nanos / 1000;
        fine |= micros % MICROS != 0;
        if nanos % 1000 != 0 {
            seen.add(Told::Cut, row, || text::time(nanos));
        }
        if serial::micros(days(micros)) != micros {
            seen.add(Told::Rounded, row, || text::time(nanos));
        }
    }
    let mut width = Width::default();
    width.add(["00:00:00", "00:00:00.000"][usize::from(fine)]);
    Ok(Found::plain(How::Time, Look::Time(fine), width, seen))
}

pub fn durations<'a>(walk: &Walk<'a, '_>, unit: TimeUnit) -> Result<Found<'a>> {
    let mut seen = Seen::default();
    let mut fine = false;
    let mut longest = 0;
    for (row, length) in whole(walk.values)?.iter().enumerate() {
        walk.check(row)?;
        let Some(length) = length else { continue };
        let written = || text::duration(text::nanos(length, unit));
        // Lengths of more than 300,000 years are as good as those of milliseconds that do not fit.
        let micros = micros(length, unit).unwrap_or(i64::MAX);
        fine |= micros % MICROS != 0;
        longest = longest.max(micros.unsigned_abs());
        if unit == TimeUnit::Nanoseconds && length % 1000 != 0 {
            seen.add(Told::Cut, row, written);
        }
        if serial::micros(days(micros)) != micros {
            seen.add(Told::Rounded, row, written);
        }
        if micros < 0 {
            seen.add(Told::Negative, row, written);
        }
    }
    let hours = longest / (3600 * MICROS as u64);
    let fraction = if fine { ".000" } else { "" };
    let mut width = Width::default();
    width.add(&format!("-{hours}:00:00{fraction}"));
    let look = Look::Duration(fine);
    Ok(Found::plain(How::Duration(unit), look, width, seen))
}

/// Microseconds as days.
pub fn days(micros: i64) -> f64 {
    let day = micros.div_euclid(DAY);
    day as f64 + micros.rem_euclid(DAY) as f64 / DAY as f64
}

pub fn decimals<'a>(walk: &Walk<'a, '_>, scale: usize) -> Result<Found<'a>> {
    /// Excel takes no format of more decimals.
    const DECIMALS: usize = 30;
    let mut seen = Seen::default();
    let mut width = Width::default();
    for (row, value) in walk.values.rechunk().iter().enumerate() {
        walk.check(row)?;
        let AnyValue::Decimal(unscaled, ..) = value else {
            continue;
        };
        let mut written = String::new();
        write_decimal(&mut written, unscaled, scale);
        width.add(&written);
        if !is_short(unscaled) {
            seen.add(Told::LongDecimal, row, || written);
        }
    }
    let (loose, look) = match scale {
        _ if !seen.is_empty() => (Loose::DecimalText, Look::Text),
        0 => (Loose::Decimal, Look::Whole),
        1..=DECIMALS => (Loose::Decimal, Look::Decimals(scale as u8)),
        _ => (Loose::Decimal, Look::General),
    };
    let mut found = scan_text::loose(walk, loose)?;
    found.width.join(width);
    found.look = look;
    found.seen = seen;
    Ok(found)
}

/// A column of bytes, which no cell holds: nothing but missing values.
///
/// # Errors
/// As [`refuse_bytes`].
pub fn bytes<'a>(walk: &Walk<'a, '_>) -> Result<Found<'a>> {
    refuse_bytes(walk)?;
    Ok(Found::plain(
        How::Blank,
        Look::General,
        Width::default(),
        Seen::default(),
    ))
}

/// Refuses bytes, also inside lists and structs.
///
/// # Errors
/// [`ErrorKind::Type`] with the place of the first ones.
pub fn refuse_bytes(walk: &Walk<'_, '_>) -> Result<()> {
    if !holds_bytes(walk.values.dtype()) {
        return Ok(());
    }
    for row in 0..walk.values.len() {
        walk.check(row)?;
        if walk.values.get(row).is_ok_and(|value| has_bytes(&value)) {
            let message = "expected a value that a cell can hold, found bytes";
            return Err(Error::new(ErrorKind::Type, message)
                .at(walk.place(row))
                .hint("make text of them, or leave the column out, or save as parquet"));
        }
    }
    Ok(())
}

impl Walk<'_, '_> {
    /// Looks at the stop request now and then.
    #[inline]
    pub fn check(&self, row: usize) -> Result<()> {
        if row.is_multiple_of(STEP) {
            self.control.check()?;
        }
        Ok(())
    }
}
