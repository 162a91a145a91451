//! How large the store is, as one file that every save changes: a save never counts files. A crash leaves it too large at
//! most, because bytes are counted before they are written; a collection writes down what it found.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::time::{SystemTime, UNIX_EPOCH};

use rustix::fs::{FlockOperation, flock};
use rustix::io::retry_on_intr;

use super::error::{Error, Result};
use super::private::Folder;

const FILE: &str = "size";
/// Three numbers of twenty digits, each with what ends it.
const LENGTH: usize = 63;
/// A collection is due once a day, for what has become too old.
const DAY: u64 = 24 * 60 * 60;

/// What the file says.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Count {
    /// Bytes on the disk.
    pub bytes: u64,
    /// What the last collection left.
    pub left: u64,
    /// When that was, in seconds since 1970; 0 for never.
    pub collected: u64,
}

impl Count {
    /// Whether a collection should run. One that could not get below the limit, because everything was in use, is not
    /// repeated until there is something new.
    pub fn is_due(&self, limit: u64, now: u64) -> bool {
        self.bytes > limit && self.bytes > self.left.saturating_add(limit / 16)
            || now.saturating_sub(self.collected) > DAY
    }
}

/// Seconds since 1970.
pub fn now() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs())
}

/// What the file says; a file that says nothing, or nothing sensible, makes a collection due.
pub fn read(root: &Folder) -> Result<Count> {
    Ok(match root.read(FILE)? {
        Some((file, _)) => parsed(&file).unwrap_or_default(),
        None => Count::default(),
    })
}

/// Adds to the size, or takes away from it.
pub fn change(root: &Folder, by: i64) -> Result<Count> {
    alter(root, |count| Count {
        bytes: count.bytes.saturating_add_signed(by),
        ..count
    })
}

/// Writes down what a collection left.
pub fn set(root: &Folder, bytes: u64) -> Result<Count> {
    let collected = now();
    alter(root, |_| Count {
        bytes,
        left: bytes,
        collected,
    })
}

fn alter(root: &Folder, how: impl FnOnce(Count) -> Count) -> Result<Count> {
    let told = |error: std::io::Error| Error::system(&root.path().join(FILE), error);
    let file = root.read_and_write(FILE)?;
    retry_on_intr(|| flock(&file, FlockOperation::LockExclusive))
        .map_err(|error| told(error.into()))?;
    let count = how(parsed(&file).unwrap_or_default());
    let Count {
        bytes,
        left,
        collected,
    } = count;
    let text = format!("{bytes:020} {left:020} {collected:020}\n");
    let written = file.write_all_at(text.as_bytes(), 0);
    // A forked process may hold the file open.
    let _ = flock(&file, FlockOperation::Unlock);
    written.map_err(told)?;
    Ok(count)
}

fn parsed(file: &File) -> Option<Count> {
    let mut text = [0; LENGTH];
    file.read_exact_at(&mut text, 0).ok()?;
    let text = std::str::from_utf8(&text).ok()?;
    let mut numbers = text
        .split_ascii_whitespace()
        .map(|number| number.parse().ok());
    Some(Count {
        bytes: numbers.next()??,
        left: numbers.next()??,
        collected: numbers.next()??,
    })
}
