//! Where the database of a session is, and which session has it. Folders and files are only their owner's: a link, another
//! owner, or a mode that lets others in is refused, and nothing behind it is touched.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{ErrorKind as Io, Read, Seek, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};

use super::error::{Error, Kind, Result};
use crate::home;

/// A file of a session that stays, taken: no other session has it as long as this value is.
#[derive(Debug)]
pub struct Held {
    path: PathBuf,
    _lock: File,
}

impl Held {
    /// Where the database is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Takes the file of this name; `who` is told to others that want it.
///
/// # Errors
/// Another session has it, or the folder cannot be had.
pub fn durable(name: &str, who: &str) -> Result<Held> {
    let folder = folder()?;
    private_folder(&folder)?;
    let path = folder.join(format!("{name}.db"));
    let place = folder.join(format!("{name}.lock"));
    let told = |error: std::io::Error| Error::system(&place, error);
    let mut lock = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK)
        .open(&place)
        .map_err(told)?;
    match flock(&lock, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => {}
        Err(rustix::io::Errno::WOULDBLOCK) => {
            let mut holder = String::new();
            // Whoever has just taken it may not have written yet.
            let _ = (&mut lock).take(400).read_to_string(&mut holder);
            let holder = match holder.trim() {
                "" => "another session",
                holder => holder,
            };
            let text = format!("context {name}: {holder} has it; release that, or name another");
            return Err(Error::new(Kind::Busy, text));
        }
        Err(error) => return Err(told(error.into())),
    }
    lock.set_len(0).map_err(told)?;
    lock.rewind().map_err(told)?;
    writeln!(lock, "{who}").map_err(told)?;
    Ok(Held { path, _lock: lock })
}

/// The file of this name, if there is one.
///
/// # Errors
/// There is none, or the folder is not only this user's.
pub fn named(name: &str) -> Result<PathBuf> {
    let folder = folder()?;
    let path = folder.join(format!("{name}.db"));
    if !path.exists() {
        let names = names(&folder);
        let found = if names.is_empty() {
            "found none".to_owned()
        } else {
            format!("found {}", names.join(", "))
        };
        let text = format!("expected the context of a session {name}, {found}");
        return Err(Error::new(Kind::Missing, text));
    }
    private_folder(&folder)?;
    Ok(path)
}

/// The names of all sessions that left one, for shells; nothing is made.
pub fn released() -> Vec<String> {
    folder().map_or_else(|_| Vec::new(), |folder| names(&folder))
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter_map(|name| name.strip_suffix(".db").map(str::to_owned))
        .collect();
    names.sort();
    names
}

fn folder() -> Result<PathBuf> {
    let data = home::data().ok_or_else(|| {
        let text = "expected a home for the context, found neither XDG_DATA_HOME nor HOME";
        Error::new(Kind::Missing, text)
    })?;
    Ok(data.join("headstart/context"))
}

/// Makes a folder that only its owner enters; one that is there must be such a folder.
fn private_folder(folder: &Path) -> Result<()> {
    let above = folder.parent().unwrap_or(folder);
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(above)
        .map_err(|error| Error::system(above, error))?;
    match DirBuilder::new().mode(0o700).create(folder) {
        Ok(()) => return Ok(()),
        Err(error) if error.kind() == Io::AlreadyExists => {}
        Err(error) => return Err(Error::system(folder, error)),
    }
    let found = fs::symlink_metadata(folder).map_err(|error| Error::system(folder, error))?;
    only_ours(
        folder,
        &found,
        found.is_dir(),
        "a folder that only you can enter",
    )
}

/// That the file of a database is a file of this user's alone, if it is there.
pub(super) fn private_file(path: &Path) -> Result<()> {
    match fs::symlink_metadata(path) {
        Ok(found) => only_ours(
            path,
            &found,
            found.is_file(),
            "a file that only you can read",
        ),
        Err(error) if error.kind() == Io::NotFound => Ok(()),
        Err(error) => Err(Error::system(path, error)),
    }
}

fn only_ours(path: &Path, found: &fs::Metadata, is_kind: bool, expected: &str) -> Result<()> {
    let what = if found.file_type().is_symlink() {
        "a link".to_owned()
    } else if !is_kind {
        "something else".to_owned()
    } else if found.uid() != rustix::process::geteuid().as_raw() {
        "that it belongs to another user".to_owned()
    } else if found.mode() & 0o077 != 0 {
        format!("the mode 0{:o}", found.mode() & 0o777)
    } else {
        return Ok(());
    };
    let path = path.display();
    let text = format!(
        "{path}: expected {expected}, found {what}; remove it, or set XDG_DATA_HOME to a folder of your own"
    );
    Err(Error::new(Kind::Refused, text))
}
