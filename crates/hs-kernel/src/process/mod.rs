//! Processes: how they begin, how all that they started is found and ended, and what it uses.
//!
//! `system` holds the few calls that no library offers in safe form, `tree` reads who started whom, `pages` tells which memory
//! was written to.

mod pages;
mod system;
mod tree;

pub use pages::{Addresses, Pages};
pub use system::{Signals, fork, keep_only, leave, listen_to_signals, onto_null, prepare_kernel};
pub use tree::{Use, end_descendants, end_strays, reap, usage};
