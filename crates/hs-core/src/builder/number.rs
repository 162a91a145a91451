//! Numbers of a column that holds more than plain `i64`s or plain floats, and what is known of all
//! numbers of a column: that decides which type holds them exactly.

use crate::value::Value;

use super::cells::Cells;
use super::state::State;

/// Whole numbers up to here are floats without loss.
const EXACT_IN_FLOAT: u64 = 1 << 53;

/// A number of a column of several widths.
#[derive(Clone, Debug)]
pub(super) enum Number {
    Null,
    Int(i64),
    UInt(u64),
    Float(f64),
    /// A whole number beyond `u64` or below `i64`. Boxed twice over, to keep the common ones small.
    #[expect(clippy::box_collection, reason = "16 bytes a number instead of 32")]
    Digits(Box<String>),
}

impl Number {
    pub fn write(&self, out: &mut String) {
        use std::fmt::Write as _;
        match self {
            Self::Null => out.push_str("null"),
            Self::Int(value) => drop(write!(out, "{value}")),
            Self::UInt(value) => drop(write!(out, "{value}")),
            Self::Float(value) => Value::Float(*value).write_json(out),
            Self::Digits(digits) => out.push_str(digits),
        }
    }
}

/// The type that holds all numbers of a column, or why none does.
pub(super) enum NumberType {
    Int,
    UInt,
    Float,
    Text(String),
    Mixed(String),
}

/// What is known of the numbers of a column so far.
#[derive(Default)]
pub(super) struct Numbers {
    any: bool,
    floats: bool,
    wide: bool,
    negative: bool,
    digits: bool,
    /// The first that a float cannot hold exactly.
    inexact: Option<String>,
}

impl Numbers {
    /// Takes the numbers of a state into account; false when it holds something else.
    pub fn add(&mut self, state: &State) -> bool {
        match state {
            State::Int(cells) => self.add_ints(cells),
            State::Float(_) => self.floats = true,
            State::Numbers(numbers) => numbers.iter().for_each(|number| self.add_number(number)),
            _ => return false,
        }
        self.any = true;
        true
    }

    /// True when there was a number.
    pub fn any(&self) -> bool {
        self.any
    }

    fn add_ints(&mut self, cells: &Cells<i64>) {
        // Missing values are zeros, which change nothing.
        let least = cells.values.iter().min().copied().unwrap_or_default();
        let most = cells.values.iter().max().copied().unwrap_or_default();
        self.negative |= least < 0;
        let exact = |value: i64| value.unsigned_abs() <= EXACT_IN_FLOAT;
        if self.inexact.is_none() && !(exact(least) && exact(most)) {
            let first = cells.values.iter().find(|value| !exact(**value));
            self.inexact = first.map(ToString::to_string);
        }
    }

    fn add_number(&mut self, number: &Number) {
        let exact = match number {
            Number::Null => true,
            Number::Float(_) => {
                self.floats = true;
                true
            }
            Number::Int(value) => {
                self.negative |= *value < 0;
                value.unsigned_abs() <= EXACT_IN_FLOAT
            }
            Number::UInt(value) => {
                self.wide |= i64::try_from(*value).is_err();
                *value <= EXACT_IN_FLOAT
            }
            Number::Digits(_) => {
                self.digits = true;
                false
            }
        };
        if !exact && self.inexact.is_none() {
            let mut shown = String::new();
            number.write(&mut shown);
            self.inexact = Some(shown);
        }
    }

    /// The narrowest type that holds all numbers exactly.
    pub fn decide(self) -> NumberType {
        match self.inexact {
            Some(mut shown) if self.floats => {
                if shown.len() > 40 {
                    shown.truncate(40);
                    shown.push_str("...");
                }
                NumberType::Mixed(format!(
                    "int and float, and a float cannot hold {shown} exactly"
                ))
            }
            None if self.floats => NumberType::Float,
            _ if self.digits => NumberType::Text("whole numbers beyond 64 bits".to_owned()),
            _ if self.wide && self.negative => NumberType::Text(
                "negative whole numbers together with ones above 9223372036854775807".to_owned(),
            ),
            _ if self.wide => NumberType::UInt,
            _ => NumberType::Int,
        }
    }
}

/// The type of the numbers of one column.
pub(super) fn number_type(state: &State) -> NumberType {
    let mut numbers = Numbers::default();
    numbers.add(state);
    numbers.decide()
}
