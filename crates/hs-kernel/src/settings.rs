//! What the shell knows and the launcher does not.

use std::path::PathBuf;

/// Where the Python of a kernel is looked for.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The one that the user named.
    pub python: Option<PathBuf>,
    /// The interpreter that headstart runs in, if it can run a kernel; the native program has none.
    pub own_python: Option<PathBuf>,
    /// Whether the user wants a context, if they said so.
    pub context: Option<bool>,
    /// Whether the user wants checkpoints, if they said so.
    pub checkpoints: Option<bool>,
}
