//! A cell as text, exact: for text columns and for header names. It never rounds and never localises.

use super::cells::{Cells, Content, Moment};
use super::number_format::Shape;
use super::serial::{self, DAY};
use crate::text;

/// From this serial (a year) on, a number with a time-only format is a moment that hides its day.
pub const YEAR: f64 = 367.0;

/// The cell as text; `None` for a formula without a value.
pub fn shown(content: Content, cells: &Cells) -> Option<String> {
    Some(match content {
        Content::Text(number) => cells.text_of(number).to_owned(),
        Content::Number(value, shape) => number(value, shape, cells.system_1904),
        Content::Bool(flag) => if flag { "true" } else { "false" }.to_owned(),
        Content::Moment(Moment::Wall(micros)) => wall(micros),
        Content::Moment(Moment::Clock(micros)) => text::time(micros * 1000),
        Content::Moment(Moment::Length(micros)) => text::duration(i128::from(micros) * 1000),
        Content::Error(error) => error.text().to_owned(),
        Content::Formula => return None,
    })
}

/// True for a number without decimals that a 64-bit integer holds exactly.
pub fn is_whole(value: f64) -> bool {
    // 2^63 itself is a float, but no i64.
    let limit = 2f64.powi(63);
    value.fract() == 0.0 && (-limit..limit).contains(&value)
}

fn number(value: f64, shape: Shape, system_1904: bool) -> String {
    let length = || text::duration(i128::from(serial::micros(value)) * 1000);
    match shape {
        Shape::Padded(width) if is_whole(value) && value >= 0.0 => {
            return format!("{:0width$}", value as i64, width = usize::from(width));
        }
        Shape::Date | Shape::Time if shape == Shape::Date || value >= YEAR => {
            if let Some(micros) = serial::wall_clock(value, system_1904) {
                return wall(micros);
            }
        }
        Shape::Time if (0.0..1.0).contains(&value) => return clock(value),
        Shape::Time | Shape::Duration if value.abs() < 1e8 => return length(),
        _ => {}
    }
    if is_whole(value) {
        return (value as i64).to_string();
    }
    let mut out = String::new();
    text::write_float(&mut out, value);
    out
}

fn clock(value: f64) -> String {
    text::time(serial::micros(value).rem_euclid(DAY) * 1000)
}

/// A day when the clock is at midnight, else day and clock.
fn wall(micros: i64) -> String {
    if micros.rem_euclid(DAY) == 0 {
        return text::date((micros / DAY) as i32);
    }
    text::datetime(i128::from(micros) * 1000, false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_text_columns_look_as_typed() {
        let plain = |value| number(value, Shape::Plain, false);
        assert_eq!(plain(1001.0), "1001");
        // As Excel writes it into the file.
        assert_eq!(plain("18.600000000000001".parse().unwrap()), "18.6");
        assert_eq!(plain(-0.5), "-0.5");
        assert_eq!(plain(1e300), "1e300");
        assert_eq!(number(1234.0, Shape::Padded(5), false), "01234");
        assert_eq!(number(123_456.0, Shape::Padded(5), false), "123456");
        assert_eq!(number(1.5, Shape::Padded(5), false), "1.5");
    }

    #[test]
    fn dates_and_times_are_iso_text() {
        assert_eq!(number(46_023.0, Shape::Date, false), "2026-01-01");
        assert_eq!(number(46_023.25, Shape::Date, false), "2026-01-01 06:00:00");
        assert_eq!(number(0.25, Shape::Time, false), "06:00:00");
        assert_eq!(number(1.25, Shape::Duration, false), "1 day 06:00:00");
        assert_eq!(number(60.0, Shape::Date, false), "60", "no such day");
    }
}
