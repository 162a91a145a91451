//! A condition as a tree in which every part has a type. Nothing here knows SQL.

use std::ops::Range;

use super::vector::Vector;
use crate::table::Kind;

/// What an expression gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// Nothing but missing values: the literal NULL, an empty column.
    Nothing,
    /// True or false.
    Bool,
    /// Whole numbers.
    Int,
    /// Exact decimal numbers.
    Decimal,
    /// Floating-point numbers.
    Float,
    /// Text.
    Text,
    /// Days; as nanoseconds since 1970.
    Date,
    /// Wall clocks; as nanoseconds since 1970.
    Datetime,
    /// Instants; as nanoseconds since 1970.
    Instant,
    /// Times of day in nanoseconds.
    Time,
    /// Lengths of time in nanoseconds.
    Duration,
    /// Values that have neither order nor arithmetic here; as text.
    Opaque(Kind),
}

impl Type {
    /// The word shown to users.
    pub fn word(self) -> &'static str {
        match self {
            Self::Nothing => "null",
            Self::Bool => "bool",
            Self::Int => "int",
            Self::Decimal => "decimal",
            Self::Float => "float",
            Self::Text => "text",
            Self::Date => "date",
            Self::Datetime | Self::Instant => "datetime",
            Self::Time => "time",
            Self::Duration => "duration",
            Self::Opaque(kind) => kind.word(),
        }
    }

    /// True for ints, decimals and floats.
    pub fn is_number(self) -> bool {
        matches!(self, Self::Int | Self::Decimal | Self::Float)
    }

    /// True for days, wall clocks and instants.
    pub fn is_moment(self) -> bool {
        matches!(self, Self::Date | Self::Datetime | Self::Instant)
    }

    /// The type of values of either type; none when they do not go together.
    pub fn with(self, other: Self) -> Option<Self> {
        match (self, other) {
            (Self::Nothing, other) | (other, Self::Nothing) => Some(other),
            (left, right) if left == right => Some(left),
            (left, right) if left.is_number() && right.is_number() => {
                Some(if left == Self::Float || right == Self::Float {
                    Self::Float
                } else {
                    Self::Decimal
                })
            }
            (left, right) if left.is_moment() && right.is_moment() => {
                Some(if left == Self::Instant || right == Self::Instant {
                    Self::Instant
                } else {
                    Self::Datetime
                })
            }
            _ => None,
        }
    }
}

/// A part of a condition.
#[derive(Clone, Debug)]
pub struct Node {
    /// What it does.
    pub what: What,
    /// What it gives.
    pub kind: Type,
    /// Where it stands in the text, in characters from 0.
    pub at: Range<usize>,
}

/// What a part of a condition does.
#[derive(Clone, Debug)]
pub enum What {
    /// The column at this position of the table.
    Column(usize),
    /// A value.
    Literal(Vector<'static>),
    /// The aggregate of this number.
    Aggregate(usize),
    /// The other truth.
    Not(Box<Node>),
    /// The number with the other sign.
    Negate(Box<Node>),
    /// Two numbers.
    Arithmetic(Operator, Box<Node>, Box<Node>),
    /// Days between two dates, from nanoseconds.
    Days(Box<Node>),
    /// Two values of types that go together.
    Compare(Comparison, Box<Node>, Box<Node>),
    /// Whether two values differ, where two missing ones do not.
    Differ(Box<Node>, Box<Node>),
    /// True when all are.
    And(Vec<Node>),
    /// True when one is.
    Or(Vec<Node>),
    /// One of many.
    In(Box<Node>, Vec<Node>),
    /// A text like a pattern.
    Like {
        /// The text.
        value: Box<Node>,
        /// The pattern.
        pattern: Box<Node>,
        /// The letter that takes the meaning from the next one.
        escape: Option<char>,
        /// Whether upper and lower case are the same.
        fold: bool,
    },
    /// True where there is no value.
    IsMissing(Box<Node>),
    /// True where there is this truth.
    Is(Box<Node>, bool),
    /// The first result whose condition is true, else the last.
    Case(Vec<(Node, Node)>, Box<Node>),
    /// Characters of a text.
    Length(Box<Node>),
    /// A text in lower (false) or upper case.
    Cased(Box<Node>, bool),
    /// A number without its sign.
    Abs(Box<Node>),
    /// A number with so many digits behind the point.
    Round(Box<Node>, i32),
}

/// Arithmetic on two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// `+`.
    Add,
    /// `-`.
    Subtract,
    /// `*`.
    Multiply,
    /// `/`: always a float.
    Divide,
    /// `%`: with the sign of the left number.
    Remainder,
}

/// A question to the order of two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `=`.
    Equal,
    /// `<>`.
    Unequal,
    /// `<`.
    Less,
    /// `<=`.
    AtMost,
    /// `>`.
    Greater,
    /// `>=`.
    AtLeast,
}

/// An aggregate: one value for all rows.
#[derive(Clone, Debug)]
pub struct Aggregate {
    /// What is asked.
    pub function: Summary,
    /// Of what; none for `count(*)`.
    pub of: Option<Node>,
    /// What it gives.
    pub kind: Type,
    /// As the user wrote it, about.
    pub label: String,
}

/// What an aggregate asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Summary {
    /// How many values, or rows.
    Count,
    /// How many different values.
    CountDistinct,
    /// The sum.
    Sum,
    /// The smallest.
    Min,
    /// The largest.
    Max,
    /// The mean, a float.
    Avg,
}

impl Node {
    /// True where evaluating a row may give a division by zero or an overflow.
    pub fn is_risky(&self) -> bool {
        match &self.what {
            What::Column(_) | What::Literal(_) | What::Aggregate(_) => false,
            What::Arithmetic(..) | What::Negate(_) | What::Abs(_) | What::Round(..) => true,
            What::Not(inner)
            | What::Days(inner)
            | What::IsMissing(inner)
            | What::Is(inner, _)
            | What::Length(inner)
            | What::Cased(inner, _) => inner.is_risky(),
            What::Compare(_, left, right) | What::Differ(left, right) => {
                left.is_risky() || right.is_risky()
            }
            What::Like { value, pattern, .. } => value.is_risky() || pattern.is_risky(),
            What::And(parts) | What::Or(parts) => parts.iter().any(Self::is_risky),
            What::In(value, list) => value.is_risky() || list.iter().any(Self::is_risky),
            What::Case(branches, last) => {
                last.is_risky()
                    || branches
                        .iter()
                        .any(|(condition, result)| condition.is_risky() || result.is_risky())
            }
        }
    }
}
