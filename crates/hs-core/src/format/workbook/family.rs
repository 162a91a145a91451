//! What each cell of a column is, as far as the type of the column is concerned. It decides no type.

use super::cells::{Cells, Content, Moment};
use super::number_format::Shape;
use super::shown::YEAR;

/// What a cell is, as far as its column's type is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// A number.
    Number,
    /// A zero-padded code.
    Code,
    /// A text.
    Text,
    /// True or false.
    Bool,
    /// A day, with or without a clock.
    Date,
    /// A time of day.
    Time,
    /// A length of time.
    Duration,
}

impl Family {
    /// For the line about a mixed column.
    pub fn words(self) -> &'static str {
        match self {
            Self::Number => "numbers",
            Self::Code => "zero-padded codes",
            Self::Text => "text",
            Self::Bool => "bools",
            Self::Date => "dates",
            Self::Time => "times",
            Self::Duration => "durations",
        }
    }
}

/// All families, in order.
const ALL: [Family; 7] = [
    Family::Number,
    Family::Code,
    Family::Text,
    Family::Bool,
    Family::Date,
    Family::Time,
    Family::Duration,
];

/// A set of families.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Families(u8);

impl Families {
    /// Adds one.
    pub fn insert(&mut self, family: Family) {
        self.0 |= 1 << family as u8;
    }

    /// How many there are.
    pub fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// Those that are in it, in order.
    pub fn iter(self) -> impl Iterator<Item = Family> {
        ALL.into_iter()
            .filter(move |family| self.0 & 1 << *family as u8 != 0)
    }
}

/// The extent of the cells with date and time formats: formats lie about what a number is (a
/// datetime shown as `h:mm`, a time of day shown as a date), the whole column tells.
pub struct Ranges {
    dates_are_times: bool,
    times: Family,
}

impl Ranges {
    /// From all cells of a column.
    pub fn of(contents: impl Iterator<Item = Content>) -> Self {
        let (mut dates, mut times) = (Range::NONE, Range::NONE);
        for content in contents {
            match content {
                Content::Number(value, Shape::Date) => dates.add(value),
                Content::Moment(Moment::Wall(_)) => dates.add(1.0),
                Content::Number(value, Shape::Time) => times.add(value),
                _ => {}
            }
        }
        Self {
            dates_are_times: dates.within_a_day(),
            times: if times.within_a_day() {
                Family::Time
            } else if times.low >= YEAR {
                Family::Date
            } else {
                Family::Duration
            },
        }
    }

    /// The family of a cell; `None` for what is missing in a typed column.
    pub fn family(&self, content: Content, cells: &Cells) -> Option<Family> {
        match content {
            Content::Text(_) if cells.is_blank(content) => None,
            Content::Text(_) => Some(Family::Text),
            Content::Number(_, Shape::Plain) => Some(Family::Number),
            Content::Number(_, Shape::Padded(_)) => Some(Family::Code),
            Content::Number(_, Shape::Date) if self.dates_are_times => Some(Family::Time),
            Content::Number(_, Shape::Date) | Content::Moment(Moment::Wall(_)) => {
                Some(Family::Date)
            }
            Content::Number(_, Shape::Time) => Some(self.times),
            Content::Moment(Moment::Clock(_)) => Some(Family::Time),
            Content::Number(_, Shape::Duration) | Content::Moment(Moment::Length(_)) => {
                Some(Family::Duration)
            }
            Content::Bool(_) => Some(Family::Bool),
            Content::Error(_) | Content::Formula => None,
        }
    }
}

/// Lowest and highest of some numbers.
#[derive(Clone, Copy)]
struct Range {
    low: f64,
    high: f64,
}

impl Range {
    const NONE: Self = Self {
        low: f64::INFINITY,
        high: f64::NEG_INFINITY,
    };

    fn add(&mut self, value: f64) {
        self.low = self.low.min(value);
        self.high = self.high.max(value);
    }

    fn within_a_day(self) -> bool {
        self.low >= 0.0 && self.high < 1.0
    }
}
