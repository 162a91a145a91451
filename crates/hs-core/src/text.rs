//! Values as text, exact and the same everywhere: ISO 8601 times, shortest round-trip floats.

use std::fmt::Write as _;

use polars::prelude::{AnyValue, TimeUnit};

use crate::value::{Value, write_json_text};

const NANOS_PER_SECOND: i128 = 1_000_000_000;
const NANOS_PER_DAY: i128 = 86_400 * NANOS_PER_SECOND;

/// Year, month and day of a day counted from 1970-01-01, in the proleptic Gregorian calendar.
///
/// Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", `civil_from_days`.
pub fn civil(days: i64) -> (i64, u32, u32) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_index = (5 * day_of_year + 2) / 153;
    let day = (day_of_year - (153 * month_index + 2) / 5 + 1) as u32;
    let month = if month_index < 10 {
        month_index + 3
    } else {
        month_index - 9
    } as u32;
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

/// Days from 1970-01-01 to a day of the proleptic Gregorian calendar; `None` if there is no such day.
pub fn days(year: i64, month: u32, day: u32) -> Option<i64> {
    if !(1..=12).contains(&month) || day == 0 {
        return None;
    }
    let usual = usize::try_from(year - FIRST_YEAR)
        .ok()
        .map(|years| years * 12 + month as usize - 1)
        .and_then(|index| MONTHS.get(index..index + 2));
    let (first, next) = match usual {
        Some(months) => (i64::from(months[0]), i64::from(months[1])),
        None => (
            first_of_month(year, month),
            first_of_month(year + i64::from(month / 12), month % 12 + 1),
        ),
    };
    let found = first + i64::from(day) - 1;
    (found < next).then_some(found)
}

/// The years of most data, whose months are looked up: a csv of dates spends a twentieth of its
/// time on computing them else.
const FIRST_YEAR: i64 = 1900;
const YEARS: usize = 200;
/// The first day of every month of those years, and of the month behind them.
static MONTHS: [i32; YEARS * 12 + 1] = {
    let mut months = [0; YEARS * 12 + 1];
    let mut index = 0;
    while index < months.len() {
        let year = FIRST_YEAR + index as i64 / 12;
        months[index] = first_of_month(year, index as u32 % 12 + 1) as i32;
        index += 1;
    }
    months
};

/// The first day of a month (1 to 12), counted from 1970-01-01.
///
/// Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", `days_from_civil`.
const fn first_of_month(year: i64, month: u32) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let month_index = (month as i64 + 9) % 12;
    let day_of_year = (153 * month_index + 2) / 5;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

/// `2026-01-31`.
pub fn date(days: i32) -> String {
    let (year, month, day) = civil(i64::from(days));
    format!("{year:04}-{month:02}-{day:02}")
}

/// `2026-01-31 08:00:00`, with as many fraction digits as needed (3, 6 or 9); `+00:00` behind an instant.
pub fn datetime(nanos: i128, utc: bool) -> String {
    let days = nanos.div_euclid(NANOS_PER_DAY);
    let (year, month, day) = civil(days as i64);
    let clock = time(nanos.rem_euclid(NANOS_PER_DAY) as i64);
    let zone = if utc { "+00:00" } else { "" };
    format!("{year:04}-{month:02}-{day:02} {clock}{zone}")
}

/// `08:00:00`, with as many fraction digits as needed (3, 6 or 9).
pub fn time(nanos: i64) -> String {
    let seconds = nanos / 1_000_000_000;
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let mut out = format!("{hour:02}:{minute:02}:{second:02}");
    write_fraction(&mut out, (nanos % 1_000_000_000) as u32);
    out
}

/// `3 days 04:05:06.5`, `-00:00:01`: days only when there are any.
pub fn duration(nanos: i128) -> String {
    let sign = if nanos < 0 { "-" } else { "" };
    let size = nanos.unsigned_abs();
    let days = size / NANOS_PER_DAY as u128;
    let clock = time((size % NANOS_PER_DAY as u128) as i64);
    match days {
        0 => format!("{sign}{clock}"),
        1 => format!("{sign}1 day {clock}"),
        days => format!("{sign}{days} days {clock}"),
    }
}

fn write_fraction(out: &mut String, nanos: u32) {
    if nanos == 0 {
        return;
    }
    let written = if nanos.is_multiple_of(1_000_000) {
        write!(out, ".{:03}", nanos / 1_000_000)
    } else if nanos.is_multiple_of(1000) {
        write!(out, ".{:06}", nanos / 1000)
    } else {
        write!(out, ".{nanos:09}")
    };
    written.expect("writing to a String cannot fail");
}

/// A count with its thousands apart: `1,204`.
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A count with its noun: `1 row`, `1,204 rows`.
pub fn counted(number: u64, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", count(number))
}

/// A share between 0 and 1 as a percentage with one decimal; never 0 or 100 unless it is exactly that.
pub fn percent(share: f64) -> String {
    if share <= 0.0 {
        "0 %".to_owned()
    } else if share < 0.0005 {
        "<0.1 %".to_owned()
    } else if share >= 1.0 {
        "100 %".to_owned()
    } else if share >= 0.9995 {
        ">99.9 %".to_owned()
    } else {
        format!("{:.1} %", share * 100.0)
    }
}

/// Lower-case hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes
        .iter()
        .fold(String::with_capacity(bytes.len() * 2), |mut out, byte| {
            let _ = write!(out, "{byte:02x}");
            out
        })
}

/// Appends the shortest text that reads back as the same float; always with `.` or exponent.
pub fn write_float(out: &mut String, value: f64) {
    if value.is_nan() {
        out.push_str("nan");
    } else {
        let _ = write!(out, "{value:?}");
    }
}

/// The value as the user reads it, without quotes; missing is the empty text.
pub fn plain(value: &AnyValue<'_>) -> String {
    let mut out = String::new();
    match value {
        AnyValue::Null => {}
        AnyValue::String(text) => out.push_str(text),
        AnyValue::StringOwned(text) => out.push_str(text),
        other => write_scalar(&mut out, other),
    }
    out
}

/// Appends compact JSON text of the value; see [`Value::to_json`] for what JSON has no type for.
pub fn write_json(out: &mut String, value: &AnyValue<'_>) {
    match value {
        AnyValue::Null => out.push_str("null"),
        AnyValue::String(text) => write_json_text(out, text),
        AnyValue::StringOwned(text) => write_json_text(out, text),
        AnyValue::Float32(float) => Value::Float(shortest_f64(*float)).write_json(out),
        AnyValue::Float64(float) => Value::Float(*float).write_json(out),
        AnyValue::Boolean(_)
        | AnyValue::Int8(_)
        | AnyValue::Int16(_)
        | AnyValue::Int32(_)
        | AnyValue::Int64(_)
        | AnyValue::UInt8(_)
        | AnyValue::UInt16(_)
        | AnyValue::UInt32(_)
        | AnyValue::UInt64(_)
        | AnyValue::Decimal(..)
        | AnyValue::List(_)
        | AnyValue::Array(..)
        | AnyValue::Struct(..)
        | AnyValue::StructOwned(_) => write_scalar(out, value),
        other => write_json_text(out, &plain(other)),
    }
}

/// An f32 as the f64 with the same shortest text, so that 0.1 stays 0.1.
pub fn shortest_f64(value: f32) -> f64 {
    format!("{value:?}").parse().unwrap_or(f64::from(value))
}

/// A point in time or a length of time in nanoseconds, whatever its unit.
pub fn nanos(value: i64, unit: TimeUnit) -> i128 {
    i128::from(value)
        * match unit {
            TimeUnit::Nanoseconds => 1,
            TimeUnit::Microseconds => 1000,
            TimeUnit::Milliseconds => 1_000_000,
        }
}

fn write_scalar(out: &mut String, value: &AnyValue<'_>) {
    match value {
        AnyValue::Boolean(flag) => out.push_str(if *flag { "true" } else { "false" }),
        AnyValue::Float32(float) => write_float(out, shortest_f64(*float)),
        AnyValue::Float64(float) => write_float(out, *float),
        AnyValue::Date(days) => out.push_str(&date(*days)),
        AnyValue::Datetime(value, unit, zone) => {
            out.push_str(&datetime(nanos(*value, *unit), zone.is_some()));
        }
        AnyValue::DatetimeOwned(value, unit, zone) => {
            out.push_str(&datetime(nanos(*value, *unit), zone.is_some()));
        }
        AnyValue::Duration(value, unit) => out.push_str(&duration(nanos(*value, *unit))),
        AnyValue::Time(value) => out.push_str(&time(*value)),
        AnyValue::Binary(bytes) => out.push_str(&hex(bytes)),
        AnyValue::BinaryOwned(bytes) => out.push_str(&hex(bytes)),
        AnyValue::List(items) | AnyValue::Array(items, _) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_json(out, &item);
            }
            out.push(']');
        }
        AnyValue::Struct(_, _, fields) => {
            let names = fields.iter().map(|field| field.name().as_str());
            let values: Vec<AnyValue<'_>> = value._iter_struct_av().collect();
            write_object(out, names, &values);
        }
        AnyValue::StructOwned(owned) => {
            let (values, fields) = owned.as_ref();
            write_object(
                out,
                fields.iter().map(|field| field.name().as_str()),
                values,
            );
        }
        other => drop(write!(out, "{other}")),
    }
}

fn write_object<'a>(
    out: &mut String,
    names: impl Iterator<Item = &'a str>,
    values: &[AnyValue<'_>],
) {
    out.push('{');
    for (index, (name, value)) in names.zip(values).enumerate() {
        if index > 0 {
            out.push(',');
        }
        write_json_text(out, name);
        out.push(':');
        write_json(out, value);
    }
    out.push('}');
}

/// True when a whole number that is written with a point (`9007199254740993.0`) is not the one that
/// the float `size` holds. `unsigned` is the text without its sign.
pub fn lost(unsigned: &[u8], size: f64) -> bool {
    let Some(point) = unsigned.iter().position(|byte| *byte == b'.') else {
        return false;
    };
    let (whole, decimals) = (&unsigned[..point], &unsigned[point + 1..]);
    let whole = std::str::from_utf8(whole).unwrap_or_default();
    decimals.iter().all(|digit| *digit == b'0')
        && whole
            .parse::<u128>()
            .is_ok_and(|whole| whole != size as u128)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_never_rounded_to_none_or_all() {
        let shown = [0.0, 0.0001, 0.124, 0.9999, 1.0].map(percent);
        assert_eq!(shown, ["0 %", "<0.1 %", "12.4 %", ">99.9 %", "100 %"]);
    }

    #[test]
    fn days_and_civil_agree_on_every_day_of_many_years() {
        for day in -800_000..800_000 {
            let (year, month, dom) = civil(day);
            assert_eq!(days(year, month, dom), Some(day));
        }
        assert_eq!(days(2023, 2, 29), None);
        assert_eq!(days(2024, 2, 29), Some(19_782));
        assert_eq!(days(2100, 12, 31), Some(47_846));
        assert_eq!(
            (days(2026, 0, 1), days(2026, 13, 1), days(2026, 4, 31)),
            (None, None, None)
        );
        assert_eq!(days(1900, 2, 29), None);
        assert_eq!(date(0), "1970-01-01");
    }

    #[test]
    fn fractions_have_three_six_or_nine_digits() {
        assert_eq!(time(1_500_000_000), "00:00:01.500");
        assert_eq!(time(1_000), "00:00:00.000001");
        assert_eq!(datetime(-1, true), "1969-12-31 23:59:59.999999999+00:00");
        assert_eq!(duration(-90_000_000_000_000_000), "-1041 days 16:00:00");
    }

    #[test]
    fn counts_have_their_thousands_apart() {
        assert_eq!(count(0), "0");
        assert_eq!(count(999), "999");
        assert_eq!(counted(1, "row"), "1 row");
        assert_eq!(counted(1_234_567, "row"), "1,234,567 rows");
    }

    #[test]
    fn floats_read_back_and_look_like_floats() {
        let mut out = String::new();
        for value in [1.0, 0.1, 1e300, -2.5e-9] {
            out.clear();
            write_float(&mut out, value);
            assert_eq!(out.parse::<f64>(), Ok(value));
            assert!(out.contains(['.', 'e']));
        }
    }
}
