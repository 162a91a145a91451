//! One session: its kernel, its cells, and who asks.

mod state;

pub use state::{Effect, Event, How, Key, Machine, Why};
