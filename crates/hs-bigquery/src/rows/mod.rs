//! From the pages of a query's result to a table: every cell straight into the column of its type.
//!
//! Nothing of a page is trusted: a cell that is not what its type says is an error with its column and
//! row. Nothing here fetches, waits or prints.

mod column;
mod decimal;
mod finish;
mod moment;
mod page;
#[cfg(test)]
mod random_tests;
mod reader;
mod scalar;
mod schema;
mod storage;
#[cfg(test)]
mod tests;
mod values;

pub use page::{Page, Rows};
