//! The sessions of this user on this machine: a folder each, with a lock that is held while the session lives.
//!
//! `folder` makes and removes them, `listing` finds them and asks what they are at. Nothing else is shared: there is no
//! daemon.

mod folder;
mod listing;

pub use folder::{Folder, LONGEST_SOCKET, create, root};
pub use listing::{Found, clean, list, listed, names, sessions};

pub(crate) use folder::private_file;
