//! The layouts of an answer: the only formatting code of the shell.
//!
//! Screens get text ([`view`], [`table`]); data formats are those of the library's writers, with an
//! envelope around them in [`json`].

mod graph;
mod json;
mod markdown;
mod paint;
mod rows;
mod table;
mod view;

pub use graph::graph;
pub use json::json;
pub use markdown::markdown;
pub use table::table;
pub use view::{BUDGET, hidden_line, view};
