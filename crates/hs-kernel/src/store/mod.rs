//! The store of checkpoints: what a session's names held after a cell, on the disk of this machine.
//!
//! Values come as pickles with their buffers; both are cut into chunks of 1 MiB, and each chunk is an object named by its
//! BLAKE3, written once (`objects`). A `manifest` says which objects a checkpoint is made of; it appears in one step, when
//! all of them are on the disk. `save` makes one (`freeze` takes the values), `read` gives values back, `listing` says what there is, `collect` takes away what is old or too much.
//! `hashing` tells what changed, `watch` what need not be read for that.
//! Folders and files are only their owner's (`private`). No lock is held while the caller pickles or unpickles: what a save
//! is at work on is written down by `holder`, and a collection heeds it. The store knows bytes, never Python.

mod background;
mod collect;
mod counter;
mod encoding;
mod error;
mod flight;
mod folders;
mod freeze;
mod group;
mod hashing;
mod holder;
mod listing;
mod manifest;
mod name;
mod objects;
mod opened;
mod poison;
mod private;
mod read;
mod save;
mod watch;

#[cfg(test)]
mod tests;

pub use collect::Collected;
pub use error::{Error, Kind, Result};
pub use freeze::Memory;
pub use group::{Group, Stream};
pub use hashing::{change, digest};
pub use listing::Listed;
pub use manifest::{About, Manifest, Skipped};
pub use name::Id;
pub use opened::{Options, Store};
pub use read::{Faults, Numbered, Reading, Room, Shown};
pub use save::Save;
pub use watch::change as change_in_place;

/// Plain bytes of an object, at most: a change in a large buffer writes the pieces that it is in, not all of it.
pub const CHUNK: usize = 1 << 20;
