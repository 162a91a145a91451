//! Which folders the store has, and its lock. It decides nothing.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::{FlockOperation, flock};
use rustix::io::{Errno, retry_on_intr};

use super::error::{Error, Result};
use super::private::Folder;

/// The folders of a store, all held open.
pub struct Folders {
    pub root: Folder,
    /// Chunks, by the BLAKE3 of their plain bytes.
    pub objects: Folder,
    /// Checkpoints, by their ids.
    pub manifests: Folder,
    /// Values that are being restored, by the BLAKE3 of what they are made of.
    pub marks: Folder,
    /// Values that must not be restored again, by the same.
    pub quarantine: Folder,
    /// Who uses the store at the moment, and what for.
    pub holders: Folder,
    /// Files that are being written, named after their holder.
    pub unfinished: Folder,
}

impl Folders {
    pub fn open(path: &Path) -> Result<Self> {
        let root = Folder::root(path)?;
        Ok(Self {
            objects: root.inside("objects")?,
            manifests: root.inside("manifests")?,
            marks: root.inside("marks")?,
            quarantine: root.inside("quarantine")?,
            holders: root.inside("holders")?,
            unfinished: root.inside("unfinished")?,
            root,
        })
    }

    /// Whether somebody removed the store, or a part of it, since it was opened.
    pub fn are_gone(&self) -> bool {
        [
            &self.root,
            &self.objects,
            &self.manifests,
            &self.holders,
            &self.unfinished,
        ]
        .iter()
        .any(|folder| folder.is_gone())
    }
}

/// The lock of a store: shared by those who use it, exclusive for a collection.
///
/// Each taker opens the file anew, because two threads that share a descriptor would share the lock as well. It is given
/// back by a call and not by closing alone: a process that user code forked holds the descriptor, too.
pub struct Lock(std::fs::File);

impl Lock {
    /// Waits until no collection runs.
    pub fn shared(root: &Folder) -> Result<Self> {
        Self::take(root, FlockOperation::LockShared).map_err(|error| lock_error(root, error))
    }

    /// `None` while a collection runs.
    pub fn try_shared(root: &Folder) -> Result<Option<Self>> {
        match Self::take(root, FlockOperation::NonBlockingLockShared) {
            Ok(lock) => Ok(Some(lock)),
            Err(Taking::System(Errno::WOULDBLOCK)) => Ok(None),
            Err(error) => Err(lock_error(root, error)),
        }
    }

    /// Waits until nobody uses the store.
    pub fn exclusive(root: &Folder) -> Result<Self> {
        Self::take(root, FlockOperation::LockExclusive).map_err(|error| lock_error(root, error))
    }

    fn take(root: &Folder, how: FlockOperation) -> std::result::Result<Self, Taking> {
        let file = match root.read("lock").map_err(Taking::Told)? {
            Some((file, _)) => file,
            None => root.read_and_write("lock").map_err(Taking::Told)?,
        };
        retry_on_intr(|| flock(&file, how)).map_err(Taking::System)?;
        Ok(Self(file))
    }
}

#[cfg(test)]
impl Lock {
    /// A second descriptor of the same opening, as a forked process has it.
    pub fn copy_as_fork_does(&self) -> std::fs::File {
        self.0.try_clone().expect("a descriptor")
    }

    /// Whether a collection could begin.
    pub fn is_free(root: &Folder) -> bool {
        Self::take(root, FlockOperation::NonBlockingLockExclusive).is_ok()
    }
}

enum Taking {
    System(Errno),
    Told(Error),
}

fn lock_error(root: &Folder, error: Taking) -> Error {
    match error {
        Taking::System(error) => Error::system(&root.path().join("lock"), error),
        Taking::Told(error) => error,
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing the file gives it back in any case, unless a forked process holds it.
        let _ = flock(&self.0, FlockOperation::Unlock);
    }
}

/// A number that no other file of this process has had in its name.
pub fn next_number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}
