//! Where checkpoints and what belongs to them lie. Makes nothing.

use std::path::PathBuf;

use crate::home;

/// The folder of the store, if there is a home.
pub fn store() -> Option<PathBuf> {
    Some(home::cache()?.join("headstart/checkpoints"))
}

/// The folder for what sessions with a name stand on, if there is a home.
pub(super) fn heads() -> Option<PathBuf> {
    Some(home::data()?.join("headstart/heads"))
}
