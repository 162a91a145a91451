//! Builds columns and tables from values that arrive one by one, the type of a column decided on
//! all of them. It never looks at a sample and never changes a value: what has no common type is
//! kept as JSON text and told.

mod append;
mod arrays;
mod cells;
mod column;
mod finish;
mod gaps;
mod json;
mod number;
mod object;
mod parts;
mod records;
mod state;
#[cfg(test)]
mod tests;
mod texts;

pub use column::ColumnBuilder;
pub use finish::BuiltColumn;
pub(crate) use parts::RecordsParts;
pub use records::RecordsBuilder;
