//! Apache Arrow IPC: files (Feather 2) and streams.
//!
//! - [`read`]: either as a table; [`write()`]: a table as a file, `categories` its dictionaries

mod categories;
mod read;
mod write;

pub use read::{names, read};
pub use write::write;
