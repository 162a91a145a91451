//! Days and times as people write them, and their numbers found by counting: an account of its own
//! that shares nothing with the code under test.

use proptest::prelude::*;

const MONTHS: [i64; 12] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
pub const DAY_NANOS: i128 = 86_400_000_000_000;

/// A day of the years that ISO 8601 writes with four digits.
#[derive(Clone, Copy, Debug)]
pub struct Day {
    year: i64,
    month: usize,
    of_month: i64,
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn month_length(year: i64, month: usize) -> i64 {
    MONTHS[month - 1] + i64::from(month == 2 && is_leap(year))
}

impl Day {
    /// Any day of these years.
    pub fn within(first: i64, last: i64) -> impl Strategy<Value = Self> + Clone {
        (first..=last, 1usize..=12, 0i64..31).prop_map(|(year, month, day)| Self {
            year,
            month,
            of_month: 1 + day % month_length(year, month),
        })
    }

    /// Days since 1970-01-01.
    pub fn number(self) -> i64 {
        let year_length = |year| 365 + i64::from(is_leap(year));
        let years: i64 = if self.year >= 1970 {
            (1970..self.year).map(year_length).sum()
        } else {
            -(self.year..1970).map(year_length).sum::<i64>()
        };
        let months: i64 = (1..self.month)
            .map(|month| month_length(self.year, month))
            .sum();
        years + months + self.of_month - 1
    }

    pub fn text(self) -> String {
        format!("{:04}-{:02}-{:02}", self.year, self.month, self.of_month)
    }
}

/// A time of day.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    hour: i64,
    minute: i64,
    second: i64,
    nanos: i64,
}

impl Clock {
    /// Any time of day; fractions are multiples of `unit` nanoseconds, or none.
    pub fn every(unit: i64) -> impl Strategy<Value = Self> + Clone {
        let fraction = prop_oneof![Just(0), Just(500_000_000), 0..1_000_000_000 / unit];
        (0i64..24, 0i64..60, 0i64..60, fraction).prop_map(
            move |(hour, minute, second, fraction)| {
                let nanos = if fraction < 1_000_000_000 / unit {
                    fraction * unit
                } else {
                    fraction
                };
                Self {
                    hour,
                    minute,
                    second,
                    nanos,
                }
            },
        )
    }

    /// Nanoseconds since midnight.
    pub fn nanos(self) -> i64 {
        ((self.hour * 60 + self.minute) * 60 + self.second) * 1_000_000_000 + self.nanos
    }

    /// With as many digits of the fraction as are needed, in threes.
    pub fn text(self) -> String {
        let clock = format!("{:02}:{:02}:{:02}", self.hour, self.minute, self.second);
        let mut digits = format!("{:09}", self.nanos);
        while digits.ends_with("000") {
            digits.truncate(digits.len() - 3);
        }
        if digits.is_empty() {
            clock
        } else {
            format!("{clock}.{digits}")
        }
    }
}

/// A day and a time of it.
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    pub day: Day,
    pub clock: Clock,
}

impl Moment {
    /// Nanoseconds since 1970-01-01T00:00:00.
    pub fn nanos(self) -> i128 {
        i128::from(self.day.number()) * DAY_NANOS + i128::from(self.clock.nanos())
    }

    pub fn text(self, instant: bool) -> String {
        let zone = if instant { "+00:00" } else { "" };
        format!("{} {}{zone}", self.day.text(), self.clock.text())
    }
}

#[test]
fn known_days_have_their_numbers() {
    let number = |year, month, of_month| {
        let day = Day {
            year,
            month,
            of_month,
        };
        day.number()
    };
    assert_eq!(number(1970, 1, 1), 0);
    assert_eq!(number(2000, 3, 1), 11_017);
    assert_eq!(number(1969, 12, 31), -1);
    assert_eq!(number(1, 1, 1), -719_162);
    assert_eq!(number(9999, 12, 31), 2_932_896);
}
