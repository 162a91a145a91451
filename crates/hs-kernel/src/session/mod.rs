//! One session: its kernel, its cells, and who asks.
//!
//! `state` decides what happens next and knows no sockets; `supervisor` owns everything and waits; `requests` takes what
//! clients ask, `hearing` what the kernel says, `effects` does what `state` decides, `report` says what the session is at.
//! `keeping` and `restoring` have to do with checkpoints, `remembering` and `typed` with the context. `run` is a cell, `client` who asks.

mod client;
mod effects;
mod hearing;
mod keeping;
mod late;
mod remembering;
mod report;
mod requests;
mod restoring;
mod run;
mod state;
mod supervisor;
mod typed;

pub use state::{Effect, Event, How, Key, Machine, Why};
pub use supervisor::{Setup, supervise};
