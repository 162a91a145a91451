//! Values whose restore kills or hangs a kernel. A marker is in the store while a value is restored; who finds one knows what
//! the kernel died of. What is put into quarantine is in no checkpoint any more that was made until then: one small file
//! says so, because the same value stands in the checkpoint of every cell since.

use std::collections::HashMap;
use std::io::Read;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use super::error::{Error, Kind, Result};
use super::folders::{Folders, Lock};
use super::group::Group;
use super::manifest::{Manifest, Skipped};
use super::name::{Id, Name};
use super::objects::{write_beside, write_unfinished};
use super::opened::{Opened, Store};
use super::private::Folder;
use super::read::Numbered;

/// More than this is no marker.
const LONGEST: u64 = 1 << 20;

/// What a marker says.
#[derive(Serialize, Deserialize)]
struct Mark {
    by: String,
}

/// What is said of a value in quarantine.
#[derive(Serialize, Deserialize)]
struct Quarantine {
    reason: String,
    /// Checkpoints that it was found in; in these it is in quarantine whatever a clock says.
    checkpoints: Vec<Id>,
    /// Milliseconds since 1970; checkpoints that were made later have the value because somebody made it anew.
    until: u64,
}

impl Store {
    /// Marks values as being restored, by somebody. The marker outlives the process at once; that it outlives the machine is
    /// not waited for, as no restore ends one.
    ///
    /// # Errors
    /// There are no such values, or the store cannot be written.
    pub fn mark(&self, id: &Id, number: usize, by: &str) -> Result<()> {
        self.mark_values(&*self.values(id, number)?, by)
    }

    /// The same for values that are known, whose manifest is not read again.
    ///
    /// # Errors
    /// The store cannot be written.
    pub fn mark_values(&self, values: &Group, by: &str) -> Result<()> {
        let opened = self.0.opened()?;
        let folders = &opened.folders;
        let _lock = Lock::shared(&folders.root)?;
        let text = json(&Mark { by: by.to_owned() });
        let beside = write_unfinished(folders, opened.holder()?, &[&text], |_| Ok(()))?;
        let key = values.key_name().to_string();
        folders.unfinished.rename(&beside, &folders.marks, &key)
    }

    /// The restore is over.
    ///
    /// # Errors
    /// There are no such values, or the store cannot be written.
    pub fn unmark(&self, id: &Id, number: usize) -> Result<()> {
        self.unmark_values(&*self.values(id, number)?)
    }

    /// The same for values that are known.
    ///
    /// # Errors
    /// The store cannot be written.
    pub fn unmark_values(&self, values: &Group) -> Result<()> {
        let opened = self.0.opened()?;
        let _lock = Lock::shared(&opened.folders.root)?;
        let key = values.key_name().to_string();
        opened.folders.marks.remove(&key).map(drop)
    }

    fn values(&self, id: &Id, number: usize) -> Result<Arc<Group>> {
        let opened = self.0.opened()?;
        let _lock = Lock::shared(&opened.folders.root)?;
        group(&opened, id, number)
    }

    /// Who began to restore these values, here or in another checkpoint, and never said that it was over. Whether they are
    /// to blame is for the caller to know: the restore may still run, or its host may have been killed.
    ///
    /// # Errors
    /// There are no such values, or the store cannot be read.
    pub fn poisoned(&self, id: &Id, number: usize) -> Result<Option<String>> {
        let opened = self.0.opened()?;
        let _lock = Lock::shared(&opened.folders.root)?;
        let key = group(&opened, id, number)?.key_name();
        let mark: Option<Mark> = read(&opened.folders.marks, &key.to_string())?;
        Ok(mark.map(|mark| mark.by))
    }

    /// Takes values out of this checkpoint, and out of all that were made until now; they stand among those that were
    /// skipped from then on. Their marker goes.
    ///
    /// # Errors
    /// There are no such values, or the store cannot be written.
    pub fn quarantine(&self, id: &Id, number: usize, reason: &str) -> Result<()> {
        let until = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |since| since.as_millis() as u64);
        let opened = self.0.opened()?;
        let folders = &opened.folders;
        let _lock = Lock::shared(&folders.root)?;
        let key = group(&opened, id, number)?.key_name().to_string();
        let earlier: Option<Quarantine> = read(&folders.quarantine, &key).ok().flatten();
        let mut checkpoints = earlier.map_or_else(Vec::new, |earlier| earlier.checkpoints);
        checkpoints.push(*id);
        let content = Quarantine {
            reason: reason.to_owned(),
            checkpoints,
            until,
        };
        let text = json(&content);
        let beside = write_beside(folders, opened.holder()?, &[&text])?;
        folders
            .unfinished
            .rename(&beside, &folders.quarantine, &key)?;
        folders.quarantine.sync()?;
        folders.marks.remove(&key).map(drop)
    }
}

fn json(content: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(content).expect("texts and numbers are JSON")
}

fn group(opened: &Opened, id: &Id, number: usize) -> Result<Arc<Group>> {
    let manifest = Manifest::read(&opened.folders, id)?;
    manifest.groups.get(number).cloned().ok_or_else(|| {
        let text = format!("the checkpoint {id} has no values with the number {number}");
        Error::new(Kind::Missing, text)
    })
}

fn read<Content: for<'de> Deserialize<'de>>(
    folder: &Folder,
    name: &str,
) -> Result<Option<Content>> {
    let Some((file, _)) = folder.read(name)? else {
        return Ok(None);
    };
    let mut text = Vec::new();
    let told = |error: std::io::Error| Error::system(&folder.path().join(name), error);
    file.take(LONGEST).read_to_end(&mut text).map_err(told)?;
    let damaged = |error: serde_json::Error| {
        let place = folder.path().join(name);
        Error::new(
            Kind::Damaged,
            format!("{}: {error}; remove it", place.display()),
        )
    };
    serde_json::from_slice(&text).map(Some).map_err(damaged)
}

/// The groups of a checkpoint with their numbers, without those in quarantine, and what is to be said of these.
pub fn without_quarantined(
    folders: &Folders,
    manifest: &Manifest,
) -> Result<(Vec<Numbered>, Vec<Skipped>)> {
    let numbered = manifest.groups.iter().cloned().enumerate();
    let mut listed = HashMap::new();
    for name in folders.quarantine.names()? {
        if let Ok(key) = name.parse::<Name>() {
            listed.insert(key, name);
        }
    }
    // Nearly always: no key has to be made.
    if listed.is_empty() {
        return Ok((numbered.collect(), Vec::new()));
    }
    let (mut kept, mut skipped) = (Vec::new(), Vec::new());
    for (number, group) in numbered {
        let reason = match listed.get(&group.key_name()) {
            Some(name) => read::<Quarantine>(&folders.quarantine, name)?
                .filter(|found| {
                    found.checkpoints.contains(&manifest.id) || manifest.created <= found.until
                })
                .map(|found| found.reason),
            None => None,
        };
        match reason {
            Some(reason) => skipped.extend(group.names.iter().map(|name| Skipped {
                name: name.clone(),
                reason: reason.clone(),
            })),
            None => kept.push((number, group)),
        }
    }
    Ok((kept, skipped))
}
