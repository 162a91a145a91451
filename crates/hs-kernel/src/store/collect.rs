//! Garbage collection: the only scan of the store, and the only one that takes away. It runs when the count says so, under
//! the exclusive lock, and keeps what holders hold.

use std::collections::{HashMap, HashSet};

use super::counter;
use super::error::{Kind, Result};
use super::folders::{Folders, Lock};
use super::holder::{Moment, living, used};
use super::manifest::Manifest;
use super::name::{Id, Name};
use super::objects::taken_by;
use super::opened::Options;
use super::private::Folder;

/// What a collection did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Collected {
    /// Checkpoints that went, because they were not used for longest.
    pub checkpoints: Vec<Id>,
    /// Checkpoints that went because they were damaged.
    pub damaged: Vec<Id>,
    /// Objects that went.
    pub objects: usize,
    /// Bytes that the store takes now.
    pub bytes: u64,
}

struct Object {
    bytes: u64,
    used: Moment,
    needed: u32,
}

struct Checkpoint {
    id: Id,
    bytes: u64,
    used: Moment,
    objects: Vec<Name>,
}

/// Collects; see [`super::Store::collect`].
pub fn collect(folders: &Folders, options: &Options, keep: &[Id]) -> Result<Collected> {
    let _lock = Lock::exclusive(&folders.root)?;
    let (held, holders) = living(folders)?;
    take_unfinished(folders, &holders)?;
    let kept: HashSet<Id> = keep.iter().chain(&held.checkpoints).copied().collect();
    let mut collected = Collected::default();
    let mut objects = objects(folders)?;
    let mut checkpoints = checkpoints(folders, &mut collected.damaged)?;
    for name in checkpoints.iter().flat_map(|one| &one.objects) {
        if let Some(object) = objects.get_mut(name) {
            object.needed = object.needed.saturating_add(1);
        }
    }
    // Those that a save in progress may need stay, whoever else needs them.
    let goes =
        |object: &Object| object.needed == 0 && held.since.is_none_or(|since| object.used < since);
    let mut bytes: u64 = checkpoints.iter().map(|one| one.bytes).sum();
    bytes += objects
        .values()
        .filter(|object| !goes(object))
        .map(|object| object.bytes)
        .sum::<u64>();
    let now = i128::from(counter::now()) * 1_000_000_000;
    let oldest = now - i128::try_from(options.most_age.as_nanos()).unwrap_or(i128::MAX / 2);
    // A tenth below the limit, so that the next save does not make another collection due.
    let target = if bytes > options.limit {
        options.limit / 10 * 9
    } else {
        options.limit
    };
    checkpoints.sort_unstable_by_key(|one| one.used);
    for one in checkpoints {
        if kept.contains(&one.id) || (one.used >= oldest && bytes <= target) {
            continue;
        }
        folders.manifests.remove(&one.id.to_string())?;
        collected.checkpoints.push(one.id);
        bytes -= one.bytes;
        for name in &one.objects {
            if let Some(object) = objects.get_mut(name) {
                object.needed -= 1;
                if goes(object) {
                    bytes -= object.bytes;
                }
            }
        }
    }
    for id in &collected.damaged {
        folders.manifests.remove(&id.to_string())?;
    }
    // A checkpoint must be gone for good before the first of its objects goes.
    folders.manifests.sync()?;
    for (name, _) in objects.iter().filter(|(_, object)| goes(object)) {
        folders.objects.remove(&name.to_string())?;
        collected.objects += 1;
    }
    for folder in [&folders.marks, &folders.quarantine] {
        take_older(folder, oldest)?;
    }
    collected.bytes = bytes;
    counter::set(&folders.root, bytes)?;
    Ok(collected)
}

/// Takes away files that nobody alive is writing.
fn take_unfinished(folders: &Folders, holders: &[String]) -> Result<()> {
    for name in folders.unfinished.names()? {
        let holder = name.split('.').next().unwrap_or_default();
        if !holders.iter().any(|living| living == holder) {
            folders.unfinished.remove(&name)?;
        }
    }
    Ok(())
}

/// Nothing says anything any more of values that old.
fn take_older(folder: &Folder, oldest: Moment) -> Result<()> {
    for name in folder.names()? {
        if name.parse::<Name>().is_ok()
            && folder.stat(&name)?.is_some_and(|stat| used(&stat) < oldest)
        {
            folder.remove(&name)?;
        }
    }
    Ok(())
}

fn objects(folders: &Folders) -> Result<HashMap<Name, Object>> {
    let mut objects = HashMap::new();
    for text in folders.objects.names()? {
        // What is not ours stays.
        let Ok(name) = text.parse() else { continue };
        if let Some(stat) = folders.objects.stat(&text)? {
            let object = Object {
                bytes: taken_by(&stat),
                used: used(&stat),
                needed: 0,
            };
            objects.insert(name, object);
        }
    }
    Ok(objects)
}

/// All checkpoints. One that cannot be read for the moment, or was written by a newer headstart, ends the collection: what
/// it needs is not known.
fn checkpoints(folders: &Folders, damaged: &mut Vec<Id>) -> Result<Vec<Checkpoint>> {
    let mut checkpoints = Vec::new();
    for text in folders.manifests.names()? {
        let Ok(id) = text.parse() else { continue };
        let Some(stat) = folders.manifests.stat(&text)? else {
            continue;
        };
        match Manifest::read(folders, &id) {
            Ok(manifest) => checkpoints.push(Checkpoint {
                id,
                bytes: taken_by(&stat),
                used: used(&stat),
                objects: manifest.objects().copied().collect(),
            }),
            Err(error) if error.kind() == Kind::Damaged => damaged.push(id),
            Err(error) => return Err(error),
        }
    }
    Ok(checkpoints)
}
