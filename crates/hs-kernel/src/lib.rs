//! The persistent kernel: one IPython process that stays attached to a session, and what keeps it alive and honest.
//!
//! `protocol` is what hosts say and hear, `session` what a session does next, `output` what a cell gives. These are the parts
//! that decide; they start nothing and read no socket. Never prints; knows no data.

pub mod output;
pub mod protocol;
pub mod session;
