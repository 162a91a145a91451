//! The file beside the one that is written: `.NAME.hs-0.tmp` in the same folder, and how what a
//! killed process left there is told from what another one writes at this moment.
//!
//! Whoever writes such a file holds a lock on it, which the system takes back when the process dies.
//! That holds across containers, too, where process numbers mean nothing.

use std::ffi::OsString;
use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use super::{exists, not_written};
use crate::error::{Error, ErrorKind, Result};

/// So many saves of one file may go on at a time.
const SLOTS: usize = 32;
/// Attempts at one slot, each of which fails only when another process does the same this instant.
const ATTEMPTS: usize = 64;
/// The longest name that leaves room for what is added to it; most file systems end at 255 bytes.
const NAME: usize = 240;

/// A file that goes away when this is dropped, unless it was moved.
pub struct Beside {
    path: PathBuf,
    moved: bool,
}

impl Beside {
    /// A new file beside the target; what killed processes left there of it is removed.
    pub fn create(target: &Path) -> Result<(Self, File)> {
        let mut made = None;
        for slot in 0..SLOTS {
            let path = slot_path(target, slot);
            if made.is_some() {
                clear(&path);
            } else if let Some(file) = take(&path).map_err(not_written)? {
                made = Some((Self { path, moved: false }, file));
            }
        }
        made.ok_or_else(|| {
            let message = format!("cannot write: {SLOTS} other saves of this file are going on");
            Error::new(ErrorKind::Io, message).hint("save it again later")
        })
    }

    /// Moves the file to its place in one step.
    pub fn move_to(mut self, target: &Path, overwrite: bool) -> Result<()> {
        if !overwrite {
            match fs::hard_link(&self.path, target) {
                // The first name goes away as this is dropped.
                Ok(()) => return Ok(()),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(exists()),
                // A file system without hard links: the place is taken, then filled.
                Err(_) => {
                    let taken = OpenOptions::new().write(true).create_new(true).open(target);
                    taken.map_err(|error| match error.kind() {
                        io::ErrorKind::AlreadyExists => exists(),
                        _ => not_written(error),
                    })?;
                }
            }
        }
        fs::rename(&self.path, target).map_err(not_written)?;
        self.moved = true;
        Ok(())
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        if !self.moved {
            // An error that is already on its way matters more than a file left behind.
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn slot_path(target: &Path, slot: usize) -> PathBuf {
    let name = target.file_name().unwrap_or_default();
    let mut beside = OsString::from(".");
    if name.len() <= NAME {
        beside.push(name);
    } else {
        let name = name.to_string_lossy();
        let cut = (0..=NAME).rev().find(|at| name.is_char_boundary(*at));
        beside.push(&name[..cut.unwrap_or_default()]);
    }
    beside.push(format!(".hs-{slot}.tmp"));
    target.with_file_name(beside)
}

/// A new file at the path, which is locked; `None` when a living process writes one there.
fn take(path: &Path) -> io::Result<Option<File>> {
    for _ in 0..ATTEMPTS {
        match OpenOptions::new().write(true).create_new(true).open(path) {
            Ok(file) => {
                // Between the two steps another process may have taken it for one left behind.
                let locked = !matches!(file.try_lock(), Err(TryLockError::WouldBlock));
                if locked && is_at(&file, path) {
                    return Ok(Some(file));
                }
                std::thread::yield_now();
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                if !clear(path) {
                    return Ok(None);
                }
            }
            Err(error) => return Err(error),
        }
    }
    Ok(None)
}

/// Removes a file that no living process writes; false when there is one that must stay.
fn clear(path: &Path) -> bool {
    match fs::symlink_metadata(path) {
        Err(_) => return true,
        Ok(there) if !there.is_file() => return false,
        Ok(_) => {}
    }
    let Ok(file) = File::open(path) else {
        return false;
    };
    // Held until the end: nobody else can be at the same.
    if file.try_lock().is_err() {
        return false;
    }
    // Its writer may have moved it to its place, and another one begun here.
    !is_at(&file, path) || fs::remove_file(path).is_ok()
}

/// True when the open file is the one that has the path.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let identity = |metadata: Metadata| (metadata.dev(), metadata.ino());
    let there = fs::symlink_metadata(path).map(identity);
    file.metadata()
        .map(identity)
        .is_ok_and(|own| there.is_ok_and(|there| own == there))
}

/// Elsewhere an open file keeps its name.
#[cfg(not(unix))]
fn is_at(_: &File, path: &Path) -> bool {
    path.exists()
}

/// Gives a file the permissions of the one that it replaces, and its owner where that is allowed.
pub fn dress(file: &File, old: &Metadata) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, fchown};
        // Only the superuser can give files away; for all others the owner is the same.
        let _ = fchown(file, Some(old.uid()), Some(old.gid()));
    }
    file.set_permissions(old.permissions())
}
