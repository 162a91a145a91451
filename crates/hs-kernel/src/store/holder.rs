//! What a process is at work on in the store, written down for collections of other processes: the checkpoints that it
//! stands on, and since when it saves. A file for each that opened the store, locked while it lives; so no lock is needed
//! while values are pickled, hashed and written.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::{Mutex, PoisonError};

use rustix::fs::{FlockOperation, Stat, flock};
use serde::{Deserialize, Serialize};

use super::error::{Error, Result};
use super::folders::{Folders, next_number};
use super::name::Id;

/// Nanoseconds since 1970, by the clock that dates files.
pub type Moment = i128;

/// What the file of a holder says.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Held {
    /// Checkpoints that must stay.
    pub checkpoints: Vec<Id>,
    /// Objects that were used since then may belong to a save in progress.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<Moment>,
}

/// The file of this process.
pub struct Holder {
    name: String,
    file: File,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    held: Vec<Id>,
    latest: Option<Id>,
    saves: Vec<(u64, Moment, Vec<Id>)>,
}

impl Holder {
    /// A new file. The caller holds the lock of the store, so that no collection takes the file for one of the dead before
    /// it is locked.
    pub fn create(folders: &Folders) -> Result<Self> {
        let name = format!("{}-{}", std::process::id(), uuid::Uuid::new_v4().simple());
        let file = folders.holders.create(&name)?;
        let told =
            |error: rustix::io::Errno| Error::system(&folders.holders.path().join(&name), error);
        flock(&file, FlockOperation::NonBlockingLockExclusive).map_err(told)?;
        let holder = Self {
            name,
            file,
            state: Mutex::default(),
        };
        holder.change(folders, |_| ())?;
        Ok(holder)
    }

    /// Takes the file away, unless a process that was forked off is ending: it is not its own.
    pub fn leave(&self, folders: &Folders) {
        if self.name.starts_with(&format!("{}-", std::process::id())) {
            let _ = folders.holders.remove(&self.name);
        }
    }

    /// A name for a file that is being written.
    pub fn unfinished(&self) -> String {
        format!("{}.{}", self.name, next_number())
    }

    /// From now on these checkpoints stay, and what is put into the store. The caller holds the lock of the store.
    pub fn begin(&self, folders: &Folders, checkpoints: Vec<Id>) -> Result<u64> {
        let number = next_number();
        // The file's own date: it is compared with those of other files.
        folders.holders.touch(&self.name)?;
        let stat = rustix::fs::fstat(&self.file)
            .map_err(|error| Error::system(&folders.holders.path().join(&self.name), error))?;
        self.change(folders, |state| {
            state.saves.push((number, used(&stat), checkpoints));
        })?;
        Ok(number)
    }

    /// A save is over; the checkpoint that it made stays in the place of the one that was made before it.
    pub fn end(&self, folders: &Folders, number: u64, made: Option<Id>) -> Result<()> {
        self.change(folders, |state| {
            state.saves.retain(|(own, ..)| *own != number);
            state.latest = made.or(state.latest);
        })
    }

    /// These checkpoints stay, and no others but those of saves to come.
    pub fn hold(&self, folders: &Folders, checkpoints: Vec<Id>) -> Result<()> {
        self.change(folders, |state| {
            state.held = checkpoints;
            state.latest = None;
        })
    }

    fn change(&self, folders: &Folders, how: impl FnOnce(&mut State)) -> Result<()> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        how(&mut state);
        let saves = || state.saves.iter();
        let held = Held {
            checkpoints: state
                .held
                .iter()
                .chain(&state.latest)
                .chain(saves().flat_map(|(.., ids)| ids))
                .copied()
                .collect(),
            since: saves().map(|(_, since, _)| *since).min(),
        };
        let text = serde_json::to_vec(&held).expect("ids and numbers are JSON");
        let written = self
            .file
            .write_all_at(&text, 0)
            .and_then(|()| self.file.set_len(text.len() as u64));
        written.map_err(|error| Error::system(&folders.holders.path().join(&self.name), error))
    }
}

/// When a file was used last.
#[allow(
    clippy::unnecessary_cast,
    clippy::useless_conversion,
    reason = "other widths on macOS"
)]
pub fn used(stat: &Stat) -> Moment {
    i128::from(stat.st_mtime as i64) * 1_000_000_000 + i128::from(stat.st_mtime_nsec as i64)
}

/// What all holders that live hold together, and their names. The files of dead ones are taken away; the caller holds the
/// exclusive lock.
pub fn living(folders: &Folders) -> Result<(Held, Vec<String>)> {
    let mut all = Held::default();
    let mut names = Vec::new();
    for name in folders.holders.names()? {
        let Some((file, stat)) = folders.holders.read(&name)? else {
            continue;
        };
        if flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok() {
            folders.holders.remove(&name)?;
            continue;
        }
        let mut text = vec![0; usize::try_from(stat.st_size).unwrap_or(0).min(1 << 20)];
        let read = file
            .read_exact_at(&mut text, 0)
            .map(|()| serde_json::from_slice::<Held>(&text));
        let held = match read {
            Ok(Ok(held)) => held,
            // It lives and cannot be asked (its disk was full as it wrote): nothing goes that it may have put.
            _ => Held {
                checkpoints: Vec::new(),
                since: Some(Moment::MIN),
            },
        };
        all.checkpoints.extend(held.checkpoints);
        all.since = [all.since, held.since].into_iter().flatten().min();
        names.push(name);
    }
    Ok((all, names))
}
