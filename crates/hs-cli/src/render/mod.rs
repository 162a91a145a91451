//! The layouts of an answer: the only formatting code of the shell.
//!
//! Screens get text ([`view`], [`table`]); data formats are written row by row to a stream.

mod csv;
mod json;
mod markdown;
mod paint;
mod rows;
mod table;
mod view;

pub use csv::csv;
pub use json::{Lost, json, jsonl};
pub use markdown::markdown;
pub use table::table;
pub use view::{BUDGET, hidden_line, view};
