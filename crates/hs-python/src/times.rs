//! Days and spans of Python as numbers.

use hs_core::text;
use pyo3::prelude::*;
use pyo3::types::{PyDate, PyDateAccess, PyDelta, PyDeltaAccess};

const MICROS_PER_SECOND: i64 = 1_000_000;
const MICROS_PER_DAY: i64 = 86_400 * MICROS_PER_SECOND;

/// Days since 1970-01-01.
pub fn days_of(day: &Bound<'_, PyDate>) -> i64 {
    text::days(
        i64::from(day.get_year()),
        u32::from(day.get_month()),
        u32::from(day.get_day()),
    )
    .expect("a Python date is a day of the calendar")
}

/// Microseconds, unless 64 bits are too few.
pub fn micros_of(delta: &Bound<'_, PyDelta>) -> Option<i64> {
    let small =
        i64::from(delta.get_seconds()) * MICROS_PER_SECOND + i64::from(delta.get_microseconds());
    i64::from(delta.get_days())
        .checked_mul(MICROS_PER_DAY)?
        .checked_add(small)
}
