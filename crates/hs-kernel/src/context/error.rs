//! The one error of the context: what kind it is, and a sentence with the place, what was expected and the fix.

use std::fmt;
use std::io;
use std::path::Path;

/// What went wrong, for those who act on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Another session has the file.
    Busy,
    /// There is no such context or file.
    Missing,
    /// A file is there that was not to be replaced.
    Exists,
    /// What was given is none of what was expected.
    Format,
    /// The file is no database, or a broken one.
    Damaged,
    /// A newer headstart wrote it.
    Newer,
    /// A folder or file is not only this user's; nothing in it was touched.
    Refused,
    /// Whatever else the system says.
    System,
}

/// An error of the context.
#[derive(Clone, Debug)]
pub struct Error {
    kind: Kind,
    message: String,
}

/// What functions of the context give.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    pub(super) fn new(kind: Kind, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { kind, message }
    }

    /// What the system said of a place.
    pub(super) fn system(place: &Path, error: impl Into<io::Error>) -> Self {
        let error: io::Error = error.into();
        let kind = match error.kind() {
            io::ErrorKind::NotFound => Kind::Missing,
            io::ErrorKind::AlreadyExists => Kind::Exists,
            _ => Kind::System,
        };
        Self::new(kind, format!("{}: {error}", place.display()))
    }

    /// What SQLite said of a file.
    pub(super) fn sqlite(place: &Path, error: &rusqlite::Error) -> Self {
        use rusqlite::ErrorCode;
        let (kind, fix) = match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => (Kind::Damaged, ""),
            Some(ErrorCode::DiskFull) => (Kind::System, "; free some space on that disk"),
            Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => {
                (Kind::System, "; it must be writable for you")
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
