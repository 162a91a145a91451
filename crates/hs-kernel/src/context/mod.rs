//! What a session did, to be found again: its cells with their output, and what its host noted, in a database with a
//! full-text index. One file for each session; nobody else's is read unless asked.
//!
//! `entry` is what is kept, `database` the file, `place` where it is and who has it, `query` what a person typed, `search`
//! finds and ranks, `snippet` shows the line that fits; `export` and `import` are files for others, `transcript` the whole as
//! plain text. `worker` is a thread that does all of it: a session never waits for the disk. Knows no kernel and no protocol.

mod database;
mod entry;
mod error;
mod export;
mod fold;
mod import;
mod markdown;
mod place;
mod query;
mod search;
mod snippet;
mod target;
mod transcript;
mod worker;

#[cfg(test)]
mod tests;

pub use database::{Database, Options};
pub use entry::{Cell, Client, Entry, Message, What};
pub use error::{Error, Kind, Result};
pub use export::Format;
pub use place::{Held, durable, named, released};
pub use search::{Found, Hit, Search};
pub use worker::{Context, Facts, Place};
