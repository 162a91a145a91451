//! Where the user's own files are, by the variables of the XDG specification. Makes nothing.

use std::env;
use std::path::PathBuf;

/// The folder for data that is to stay: `$XDG_DATA_HOME`, else `~/.local/share`; `None` without a home.
pub fn data() -> Option<PathBuf> {
    folder("XDG_DATA_HOME", ".local/share")
}

/// The folder for data that may go: `$XDG_CACHE_HOME`, else `~/.cache`; `None` without a home.
pub fn cache() -> Option<PathBuf> {
    folder("XDG_CACHE_HOME", ".cache")
}

/// As the specification says, a relative path counts for nothing.
fn folder(name: &str, below_home: &str) -> Option<PathBuf> {
    let absolute = |name: &str| {
        let value = env::var_os(name).map(PathBuf::from);
        value.filter(|path| path.is_absolute())
    };
    absolute(name).or_else(|| absolute("HOME").map(|home| home.join(below_home)))
}
