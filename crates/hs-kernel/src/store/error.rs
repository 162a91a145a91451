//! The one error of the store: what kind it is, and a sentence with the place, what was found and the fix.

use std::fmt;
use std::io;
use std::path::Path;

/// What went wrong, for those who act on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A folder or file of the store is not only this user's; nothing in it was touched.
    Refused,
    /// Not the id of a checkpoint.
    Id,
    /// There is no such checkpoint, or no such value in it.
    Missing,
    /// What is there is not what was written.
    Damaged,
    /// There is such a checkpoint already.
    Exists,
    /// More than the store may hold.
    Limit,
    /// The disk is full.
    Full,
    /// The store cannot be written.
    ReadOnly,
    /// Written by a newer headstart.
    Newer,
    /// Called in a way that makes no sense.
    Misuse,
    /// Whatever else the system says.
    System,
}

impl Kind {
    /// The word for it in other languages.
    pub fn word(self) -> &'static str {
        match self {
            Self::Refused => "refused",
            Self::Id => "id",
            Self::Missing => "missing",
            Self::Damaged => "damaged",
            Self::Exists => "exists",
            Self::Limit => "limit",
            Self::Full => "full",
            Self::ReadOnly => "read_only",
            Self::Newer => "newer",
            Self::Misuse => "misuse",
            Self::System => "system",
        }
    }
}

/// An error of the store.
#[derive(Clone, Debug)]
pub struct Error {
    kind: Kind,
    message: String,
}

/// What functions of the store give.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    pub(super) fn new(kind: Kind, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { kind, message }
    }

    /// What the system said of a place.
    pub(super) fn system(place: &Path, error: impl Into<io::Error>) -> Self {
        let error: io::Error = error.into();
        let (kind, fix) = match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                (Kind::Full, "; free some space on that disk")
            }
            // As often as not this process may not write more: then a disk that is empty does not help.
            io::ErrorKind::FileTooLarge => (
                Kind::Full,
                "; files may not become that large here: raise the limit (`ulimit -f unlimited`)",
            ),
            io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::PermissionDenied => {
                (Kind::ReadOnly, "; the store must be writable for you")
            }
            _ => (Kind::System, ""),
        };
        Self::new(kind, format!("{}: {error}{fix}", place.display()))
    }

    /// What went wrong.
    pub fn kind(&self) -> Kind {
        self.kind
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for Error {}
