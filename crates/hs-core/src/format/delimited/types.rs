//! The type lattice: what was seen in a column, joined over all its fields, and the type that
//! follows from it.
//!
//! What was seen is a set, joining is union, so neither the order nor the borders of chunks can
//! change the outcome. No sample is ever taken.

use std::ops::{BitOr, BitOrAssign};

use super::local;
use super::scalar::{self, Number};

/// The kinds of field seen in a column, as a set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen(u64);

impl Seen {
    /// Nothing yet.
    pub const NOTHING: Self = Self(0);
    /// The empty field.
    pub const EMPTY: Self = Self(1);
    /// A word that means missing beside typed values, or only spaces.
    pub const WORD: Self = Self(1 << 1);
    /// A whole number.
    pub const INT: Self = Self(1 << 2);
    /// A whole number below zero.
    pub const NEGATIVE: Self = Self(1 << 3);
    /// A whole number above i64.
    pub const UNSIGNED: Self = Self(1 << 4);
    /// A whole number of more than 64 bits.
    pub const BIG: Self = Self(1 << 5);
    /// A whole number of a size where floats have gaps.
    pub const WIDE: Self = Self(1 << 6);
    /// A decimal.
    pub const FLOAT: Self = Self(1 << 7);
    /// A decimal with more digits than a float keeps.
    pub const ROUNDED: Self = Self(1 << 8);
    /// A decimal of a size that no float has.
    pub const OUT_OF_RANGE: Self = Self(1 << 9);
    /// `inf` or `-inf`.
    pub const INFINITY: Self = Self(1 << 10);
    /// `true` or `false`.
    pub const BOOL: Self = Self(1 << 11);
    /// A day.
    pub const DATE: Self = Self(1 << 12);
    /// A point in time without offset.
    pub const NAIVE: Self = Self(1 << 13);
    /// A point in time with offset.
    pub const ZONED: Self = Self(1 << 14);
    /// A point in time that needs nanoseconds.
    pub const NANOS: Self = Self(1 << 15);
    /// A point in time outside of what nanoseconds reach (1677 to 2262).
    pub const FAR: Self = Self(1 << 16);
    /// A time of day.
    pub const TIME: Self = Self(1 << 17);
    /// Digits that are a code.
    pub const CODE: Self = Self(1 << 18);
    /// Anything else.
    pub const TEXT: Self = Self(1 << 19);
    /// Fields that nobody looked at, because another part of the column had settled on text.
    pub const UNLOOKED: Self = Self(1 << 20);
    /// A decimal whose point cannot be one between thousands.
    pub const POINT: Self = Self(1 << 21);
    /// A whole number of four or more digits without marks between thousands.
    pub const UNGROUPED: Self = Self(1 << 22);
    /// `0,5`, `1.234,56`: a number with a decimal comma.
    pub const COMMA: Self = Self(1 << 23);
    /// `1,234`: a number with a comma between thousands or before decimals.
    pub const COMMA_EITHER: Self = Self(1 << 24);
    /// `1,204,000`: a number with commas between thousands.
    pub const COMMA_GROUPS: Self = Self(1 << 25);
    /// `1.204.000`: a number with points between thousands.
    pub const DOT_GROUPS: Self = Self(1 << 26);
    /// `31/12/2022`: a day that must come before the month.
    pub const DAY_FIRST: Self = Self(1 << 27);
    /// `12/31/2022`: a month that must come before the day.
    pub const MONTH_FIRST: Self = Self(1 << 28);
    /// `03/04/2022`: a day in an order that it does not tell.
    pub const EITHER_FIRST: Self = Self(1 << 29);
    /// A day written with `/`.
    pub const SLASH: Self = Self(1 << 30);
    /// A day written with `.`.
    pub const DOT: Self = Self(1 << 31);
    /// A day written with `-`, year last.
    pub const DASH: Self = Self(1 << 32);
    /// Such a day with a year of two digits.
    pub const SHORT_YEAR: Self = Self(1 << 33);
    /// Such a day with a year of four digits.
    pub const LONG_YEAR: Self = Self(1 << 34);
    /// What `local` decides.
    pub const LOCAL: Self = Self(
        Self::COMMA.0
            | Self::COMMA_EITHER.0
            | Self::COMMA_GROUPS.0
            | Self::DOT_GROUPS.0
            | Self::DAYS.0,
    );
    /// Days in numbers, in either order.
    pub const DAYS: Self = Self(Self::DAY_FIRST.0 | Self::MONTH_FIRST.0 | Self::EITHER_FIRST.0);

    /// Both sets together.
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// True when any of `other` is in this set.
    pub fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// True when no later field can change that the column is text.
    pub fn settles_text(self) -> bool {
        self.reason().is_some()
    }

    /// True when only fields that nobody looked at speak for text.
    pub fn is_unproven_text(self) -> bool {
        self.has(Self::UNLOOKED) && !Self(self.0 & !Self::UNLOOKED.0).settles_text()
    }

    /// Why the column is text whatever else comes; `None` when it may become something else.
    pub fn reason(self) -> Option<Reason> {
        if self.has(Self::TEXT | Self::CODE | Self::UNLOOKED) {
            return Some(Reason::Text);
        }
        let mut there = self.groups();
        match (there.next(), there.next()) {
            (Some("numbers"), Some("inf")) => {}
            (Some(first), Some(second)) => return Some(Reason::Mixed(first, second)),
            _ => {}
        }
        if self.has(Self::BIG) || self.has(Self::UNSIGNED) && self.has(Self::NEGATIVE) {
            Some(Reason::Big)
        } else if self.has(Self::OUT_OF_RANGE) {
            Some(Reason::OutOfRange)
        } else if self.has(Self::WIDE | Self::UNSIGNED) && self.has(Self::FLOAT | Self::INFINITY) {
            Some(Reason::Wide)
        } else if self.has(Self::NANOS) && self.has(Self::FAR) {
            Some(Reason::Far)
        } else {
            None
        }
    }

    /// The groups of values that were seen, in words; text and codes are none of them.
    fn groups(self) -> impl Iterator<Item = &'static str> {
        let numbers = Self::INT | Self::UNSIGNED | Self::BIG | Self::FLOAT | Self::OUT_OF_RANGE;
        let groups = [
            (numbers | (Self(Self::LOCAL.0 & !Self::DAYS.0)), "numbers"),
            (Self::DAYS, "days such as 31/12/2026"),
            (Self::BOOL, "true/false"),
            (Self::DATE, "dates"),
            (Self::NAIVE, "datetimes"),
            (Self::ZONED, "datetimes with an offset"),
            (Self::TIME, "times"),
            (Self::INFINITY, "inf"),
        ];
        let there = groups
            .into_iter()
            .filter(move |(group, _)| self.has(*group));
        there.map(|(_, name)| name)
    }

    /// The first group of values that was seen, in words.
    pub fn group(self) -> Option<&'static str> {
        self.groups().next()
    }

    /// The type of a column where exactly this was seen, local habits left out (see `local`).
    pub fn resolve(self) -> ColumnType {
        if self.settles_text() || self.has(Self::LOCAL) {
            return ColumnType::Text;
        }
        if self.has(Self::FLOAT) || self.has(Self::INT) && self.has(Self::INFINITY) {
            ColumnType::Float
        } else if self.has(Self::UNSIGNED) {
            ColumnType::Unsigned
        } else if self.has(Self::INT) {
            ColumnType::Int
        } else if self.has(Self::BOOL) {
            ColumnType::Bool
        } else if self.has(Self::DATE) {
            ColumnType::Date
        } else if self.has(Self::NAIVE | Self::ZONED) {
            ColumnType::Datetime {
                zoned: self.has(Self::ZONED),
                nanos: self.has(Self::NANOS),
            }
        } else if self.has(Self::TIME) {
            ColumnType::Time
        } else if self.has(Self::WORD | Self::INFINITY) {
            // "NA" alone proves no typed column, "inf" alone no float: the text loses nothing.
            ColumnType::Text
        } else {
            ColumnType::Empty
        }
    }
}

impl BitOr for Seen {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOrAssign for Seen {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

/// Why a column is text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// It holds text or codes: nothing to tell.
    Text,
    /// Two kinds of typed values stand side by side.
    Mixed(&'static str, &'static str),
    /// Whole numbers that 64 bits do not hold.
    Big,
    /// Decimals that floats do not hold.
    OutOfRange,
    /// Large whole numbers beside decimals.
    Wide,
    /// Nanoseconds, and years that nanoseconds do not reach.
    Far,
}

/// The type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnType {
    /// Nothing but empty fields.
    Empty,
    /// i64.
    Int,
    /// u64.
    Unsigned,
    /// f64.
    Float,
    /// True or false.
    Bool,
    /// Days.
    Date,
    /// Points in time: instants when zoned; in nanoseconds, else microseconds.
    Datetime {
        /// With offset.
        zoned: bool,
        /// Needs nanoseconds.
        nanos: bool,
    },
    /// Times of day.
    Time,
    /// f64 with a decimal comma.
    CommaFloat,
    /// i64 with points or commas between thousands.
    Grouped {
        /// Points.
        dot: bool,
    },
    /// Days like `31/12/2022`.
    Day {
        /// Month before day.
        month_first: bool,
    },
    /// Text.
    Text,
}

impl ColumnType {
    const ALL: [Self; 12] = [
        Self::Empty,
        Self::Int,
        Self::Unsigned,
        Self::Float,
        Self::Bool,
        Self::Date,
        Self::Datetime {
            zoned: false,
            nanos: false,
        },
        Self::Datetime {
            zoned: false,
            nanos: true,
        },
        Self::Datetime {
            zoned: true,
            nanos: false,
        },
        Self::Datetime {
            zoned: true,
            nanos: true,
        },
        Self::Time,
        Self::Text,
    ];

    /// A number for this type, for an atomic; see [`ColumnType::of_code`].
    pub fn code(self) -> u8 {
        Self::ALL.iter().position(|kind| *kind == self).unwrap_or(0) as u8
    }

    /// The type of a number.
    pub fn of_code(code: u8) -> Option<Self> {
        Self::ALL.get(usize::from(code)).copied()
    }
}

/// What a field is, by its content (without quotes).
pub fn classify(content: &[u8]) -> Seen {
    let (Some(first), Some(last)) = (content.first(), content.last()) else {
        return Seen::EMPTY;
    };
    if first.is_ascii_whitespace() || last.is_ascii_whitespace() {
        // Spaces around a typed value mean nothing; text keeps them.
        return match content.trim_ascii() {
            [] => Seen::WORD,
            trimmed => classify_trimmed(trimmed),
        };
    }
    classify_trimmed(content)
}

fn classify_trimmed(content: &[u8]) -> Seen {
    let found = match content[0] {
        b'0'..=b'9' => match content {
            // A year and a month, or `1.5e-3`.
            [_, _, _, _, b'-', ..] => classify_day(content).or_else(|| classify_number(content)),
            [_, _, b':', ..] => scalar::time(content).map(|_| Seen::TIME),
            _ => classify_number(content),
        },
        b'-' | b'+' | b'.' => match classify_number(content) {
            None => scalar::infinity(content).map(|_| Seen::INFINITY),
            found => found,
        },
        b'i' | b'I' => scalar::infinity(content).map(|_| Seen::INFINITY),
        b't' | b'T' | b'f' | b'F' => scalar::boolean(content).map(|_| Seen::BOOL),
        _ => None,
    };
    let found = found.or_else(|| match content[0] {
        b'0'..=b'9' | b'-' | b'+' => local::classify(content),
        _ => None,
    });
    match found {
        Some(seen) => seen,
        None if scalar::missing_word(content) => Seen::WORD,
        None => Seen::TEXT,
    }
}

fn classify_number(content: &[u8]) -> Option<Seen> {
    Some(match scalar::number(content)? {
        Number::Int(value) => seen_int(value),
        Number::Unsigned(_) => Seen::UNSIGNED,
        Number::Big => Seen::BIG,
        Number::Float(_, rounded) => seen_float(content, rounded),
        Number::Code => Seen::CODE,
        Number::OutOfRange => Seen::OUT_OF_RANGE,
    })
}

/// What a decimal adds to the set.
#[inline]
pub fn seen_float(content: &[u8], rounded: bool) -> Seen {
    let mut seen = Seen::FLOAT;
    if rounded {
        seen |= Seen::ROUNDED;
    }
    if !local::may_group(content) {
        seen |= Seen::POINT;
    }
    seen
}

/// What a whole number adds to the set.
#[inline]
pub fn seen_int(value: i64) -> Seen {
    let mut seen = Seen::INT;
    if value < 0 {
        seen |= Seen::NEGATIVE;
    }
    if value.unsigned_abs() > scalar::EXACT {
        seen |= Seen::WIDE;
    }
    if value.unsigned_abs() >= 1000 {
        seen |= Seen::UNGROUPED;
    }
    seen
}

/// What all these whole numbers add to the set.
pub fn seen_ints(values: &[i64]) -> Seen {
    // The bits that any value needs tell enough for most columns, and take no branch a value.
    let sizes = values
        .iter()
        .fold(0, |bits, value| bits | (value ^ (value >> 63)) as u64);
    let extreme = match sizes {
        0..999 => 0,
        // A bit from 1,024 up is some value's own.
        1024..scalar::EXACT => 1000,
        _ => {
            let low = values.iter().copied().min().unwrap_or_default();
            let high = values.iter().copied().max().unwrap_or_default();
            return seen_int(low) | seen_int(high);
        }
    };
    let negative = values.iter().fold(0, |bits, value| bits | value) < 0;
    seen_int(if negative { -1 } else { 0 }) | seen_int(extreme)
}

fn classify_day(content: &[u8]) -> Option<Seen> {
    if content.len() == 10 {
        return scalar::date(content).map(|_| Seen::DATE);
    }
    scalar::moment(content).map(seen_moment)
}

/// What a point in time adds to the set.
#[inline]
pub fn seen_moment(moment: scalar::Moment) -> Seen {
    let mut seen = if moment.zoned {
        Seen::ZONED
    } else {
        Seen::NAIVE
    };
    if moment.nanos != 0 {
        seen |= Seen::NANOS;
    }
    if in_nanos(moment).is_none() {
        seen |= Seen::FAR;
    }
    seen
}

/// A point in time in nanoseconds, where they reach.
#[inline]
pub fn in_nanos(moment: scalar::Moment) -> Option<i64> {
    moment
        .micros
        .checked_mul(1000)?
        .checked_add(i64::from(moment.nanos))
}

#[cfg(test)]
#[path = "types_tests.rs"]
mod tests;
