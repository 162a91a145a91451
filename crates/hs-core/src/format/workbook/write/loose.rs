//! Columns whose cells have to be decided one by one: mixed values, decimals, lists and objects, dates
//! that Excel does not know, numbers that only text keeps. It writes no XML and tells nothing.

use std::fmt::Write as _;

use polars::prelude::{AnyValue, Series, TimeUnit};

use super::super::serial;
use super::cell::push_float;
use crate::control::Control;
use crate::error::Result;
use crate::format::json::parse::{Parser, Step};
use crate::text;
use crate::value::Value;

/// Whole numbers from here on have more digits than Excel keeps.
pub const LONG: u64 = 1_000_000_000_000_000;

/// How the values of such a column become cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loose {
    /// Whole numbers as text.
    Digits,
    /// Decimals as numbers.
    Decimal,
    /// Decimals as text.
    DecimalText,
    /// JSON text of lists and objects.
    Json,
    /// JSON text that stands for values of any kind.
    Mixed,
    /// Days and points in time, as text where Excel has no serial number for them.
    Day,
    /// Points in time with a zone, and whatever else there may be, as text.
    Plain,
}

/// A value as a cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cell<'s> {
    /// Nothing.
    Missing,
    /// An infinite number, which no cell holds.
    Infinite,
    /// A number, by its digits.
    Number(&'s str),
    /// True or false.
    Bool(bool),
    /// Text.
    Text(&'s str),
    /// A whole number of too many digits for Excel, as text.
    Digits(&'s str),
}

impl Loose {
    /// Calls `take` with each value of a part of the column, in order.
    ///
    /// # Errors
    /// Those of `take`, and a stop request.
    pub fn each(
        self,
        part: &Series,
        control: &Control,
        mut take: impl FnMut(usize, Cell<'_>) -> Result<()>,
    ) -> Result<()> {
        let mut room = String::new();
        for (row, value) in part.rechunk().iter().enumerate() {
            if row % 1024 == 0 {
                control.check()?;
            }
            room.clear();
            let cell = match value {
                AnyValue::Null => Cell::Missing,
                value => self.cell(&value, &mut room, control)?,
            };
            take(row, cell)?;
        }
        Ok(())
    }

    fn cell<'s>(
        self,
        value: &AnyValue<'_>,
        room: &'s mut String,
        control: &Control,
    ) -> Result<Cell<'s>> {
        match (self, value) {
            (Self::Decimal, AnyValue::Decimal(unscaled, _, scale)) => {
                write_decimal(room, *unscaled, *scale);
                Ok(Cell::Number(shortened(room)))
            }
            (Self::DecimalText, AnyValue::Decimal(unscaled, _, scale)) => {
                write_decimal(room, *unscaled, *scale);
                Ok(Cell::Text(room))
            }
            (Self::Json, value) => {
                text::write_json(room, value);
                Ok(Cell::Text(room))
            }
            (Self::Mixed, AnyValue::String(json)) => mixed(json, room, control),
            (Self::Mixed, AnyValue::StringOwned(json)) => mixed(json, room, control),
            (Self::Day, value) => Ok(day(value, room)),
            (_, value) => {
                room.push_str(&text::plain(value));
                Ok(Cell::Text(room))
            }
        }
    }
}

/// A day or point in time as its serial number, else as ISO text: the column is text for readers anyway,
/// so that nothing of it has to be cut.
fn day<'s>(value: &AnyValue<'_>, room: &'s mut String) -> Cell<'s> {
    let micros = match value {
        AnyValue::Date(days) => i64::from(*days).checked_mul(serial::DAY),
        AnyValue::Datetime(value, unit, _) | AnyValue::DatetimeOwned(value, unit, _) => {
            micros(*value, *unit)
        }
        _ => None,
    };
    let cut = matches!(
        value,
        AnyValue::Datetime(nanos, TimeUnit::Nanoseconds, _)
        | AnyValue::DatetimeOwned(nanos, TimeUnit::Nanoseconds, _) if nanos % 1000 != 0
    );
    match micros.filter(|_| !cut).and_then(serial::of_wall_clock) {
        Some(serial) if serial::wall_clock(serial, false) == micros => {
            write_float(room, serial);
            Cell::Number(room)
        }
        _ => {
            room.push_str(&text::plain(value));
            Cell::Text(room)
        }
    }
}

/// Microseconds of a count of units, cut; `None` for what 64 bits do not hold.
pub fn micros(value: i64, unit: TimeUnit) -> Option<i64> {
    match unit {
        TimeUnit::Nanoseconds => Some(value.div_euclid(1000)),
        TimeUnit::Microseconds => Some(value),
        TimeUnit::Milliseconds => value.checked_mul(1000),
    }
}

/// A mixed value from its JSON text.
fn mixed<'s>(json: &str, room: &'s mut String, control: &Control) -> Result<Cell<'s>> {
    // The words for floats that JSON has no number for; texts stand in quotes.
    match json {
        "NaN" => return Ok(Cell::Missing),
        "Infinity" | "-Infinity" => return Ok(Cell::Infinite),
        _ => {}
    }
    let value = match Parser::new(json.as_bytes(), control).document() {
        Ok(value) => value,
        Err(Step::Stopped(error)) => return Err(error),
        Err(Step::Fault(_)) => Value::Text(json.to_owned()),
    };
    Ok(match value {
        Value::Null => Cell::Missing,
        Value::Bool(flag) => Cell::Bool(flag),
        Value::Int(number) if number.unsigned_abs() < LONG => {
            let _ = write!(room, "{number}");
            Cell::Number(room)
        }
        Value::Float(number) if number.is_finite() => {
            write_float(room, number);
            Cell::Number(room)
        }
        Value::Int(_) | Value::UInt(_) | Value::BigInt(_) | Value::Decimal(_) => {
            room.push_str(json);
            Cell::Digits(room)
        }
        Value::Text(text) => {
            room.push_str(&text);
            Cell::Text(room)
        }
        _ => {
            room.push_str(json);
            Cell::Text(room)
        }
    })
}

fn write_float(room: &mut String, number: f64) {
    let mut digits = Vec::with_capacity(24);
    push_float(&mut digits, number);
    room.push_str(&String::from_utf8_lossy(&digits));
}

/// True for a decimal that has at most 15 digits, zeros at its ends left out: a float holds it exactly.
pub fn is_short(mut unscaled: i128) -> bool {
    while unscaled != 0 && unscaled % 10 == 0 {
        unscaled /= 10;
    }
    unscaled.unsigned_abs() < u128::from(LONG)
}

/// Appends all digits of a decimal.
pub fn write_decimal(room: &mut String, unscaled: i128, scale: usize) {
    let sign = if unscaled < 0 { "-" } else { "" };
    let digits = format!("{:0>1$}", unscaled.unsigned_abs(), scale + 1);
    let (whole, fraction) = digits.split_at(digits.len() - scale);
    let point = if scale > 0 { "." } else { "" };
    let _ = write!(room, "{sign}{whole}{point}{fraction}");
}

/// A decimal without the zeros at its end.
fn shortened(digits: &str) -> &str {
    if digits.contains('.') {
        digits.trim_end_matches('0').trim_end_matches('.')
    } else {
        digits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell_of(json: &str) -> String {
        let mut room = String::new();
        let cell = mixed(json, &mut room, &Control::default()).expect("nobody stops it");
        format!("{cell:?}")
    }

    #[test]
    fn mixed_values_become_cells_of_their_own_kind() {
        let cases = [
            ("1", "Number(\"1\")"),
            ("-0.5", "Number(\"-0.5\")"),
            ("1e300", "Number(\"1e+300\")"),
            ("999999999999999", "Number(\"999999999999999\")"),
            ("1000000000000000", "Digits(\"1000000000000000\")"),
            (
                "123456789012345678901234567890",
                "Digits(\"123456789012345678901234567890\")",
            ),
            ("\"1\"", "Text(\"1\")"),
            ("\"a\\n\\u0001\"", "Text(\"a\\n\\u{1}\")"),
            ("true", "Bool(true)"),
            ("null", "Missing"),
            ("NaN", "Missing"),
            ("-Infinity", "Infinite"),
            ("[1,\"a\"]", "Text(\"[1,\\\"a\\\"]\")"),
            ("{\"a\":1}", "Text(\"{\\\"a\\\":1}\")"),
        ];
        for (json, cell) in cases {
            assert_eq!(cell_of(json), cell, "{json}");
        }
    }

    #[test]
    fn decimals_keep_all_digits() {
        let written = |unscaled, scale| {
            let mut out = String::new();
            write_decimal(&mut out, unscaled, scale);
            out
        };
        assert_eq!(written(1230, 2), "12.30");
        assert_eq!(written(-5, 3), "-0.005");
        assert_eq!(written(7, 0), "7");
        assert_eq!(written(0, 2), "0.00");
        assert_eq!(shortened("12.30"), "12.3");
        assert_eq!(shortened("12.00"), "12");
        assert_eq!(shortened("1200"), "1200");
        assert!(is_short(999_999_999_999_999_000));
        assert!(!is_short(9_999_999_999_999_999));
        assert!(is_short(0) && is_short(-1));
    }
}
