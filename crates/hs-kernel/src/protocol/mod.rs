//! What hosts and the launcher say to each other: one JSON object a line, each with a `type`.
//!
//! `lines` parts what comes into lines, `request` is what a host may ask, `event` what it hears. All are data: nothing here
//! reads or writes.

mod event;
mod lines;
mod remember;
mod request;

pub use event::{Ended, Event, Failure, FailureKind, Image, Notice, OutputKind, State, hello};
pub use lines::{Line, Lines};
pub use remember::{ExportRequest, ImportRequest, MessageRequest, SearchRequest};
pub use request::{
    Alone, Asked, Bad, Branch, Hello, MAIN, OfRun, Open, Read, Request, RunRequest, Transport,
    Wait, is_name, parse,
};

/// The version of the protocol that `hello` names.
pub const VERSION: u64 = 1;
