//! joins: two tables side by side by their keys; what does not match, what repeats and what nearly matches is told.
//!
//! The keys of both tables get numbers (`op/keyed`), the numbers are counted, what was asked for is checked, and only
//! then are rows paired. Callers whose frames are in another library take the rows there.

mod build;
mod counts;
mod names;
mod near;
mod options;
mod paired;
mod plan;
mod refuse;
mod report;
mod shown;
mod stacked;

#[cfg(test)]
mod tests;

pub use build::joins;
pub use names::{Named, Names, names};
pub(super) use near::near;
pub use options::{How, JoinsOptions, Validate};
pub use plan::{Plan, plan};
pub(super) use refuse::type_clash;
pub use stacked::stack_keys;
