//! What hosts and the launcher say to each other: one JSON object a line, each with a `type`.
//!
//! `request` is what a host may ask, `event` what it hears. Both are data: nothing here reads or writes.

mod event;
mod request;

pub use event::{Ended, Event, Failure, FailureKind, Image, Notice, OutputKind, State};
pub use request::{Asked, Bad, Open, Request, RunRequest, parse};

/// The version of the protocol that `hello` names.
pub const VERSION: u64 = 1;
