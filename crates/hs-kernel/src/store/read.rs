//! Checkpoints and their values, read and proved. Nothing is allocated here, and nothing believed that a hash does not
//! prove.

use std::mem::MaybeUninit;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};

use super::CHUNK;
use super::encoding::Decoder;
use super::error::{Error, Kind, Result};
use super::folders::Lock;
use super::group::{Chunk, Group, Stream};
use super::hashing::{share, threads};
use super::manifest::Manifest;
use super::name::Id;
use super::objects::get;
use super::opened::{Opened, Options, Store};
use super::poison;

/// Values of a checkpoint that are being read. No collection runs while it lives.
pub struct Reading {
    opened: Arc<Opened>,
    id: Id,
    group: Arc<Group>,
    _lock: Lock,
}

/// A group and the number by which it is read.
pub type Numbered = (usize, Arc<Group>);

/// Checkpoints that cannot be read, and why.
pub type Faults = Vec<(String, String)>;

/// A checkpoint without the values that were quarantined, which stand among those that were skipped.
pub struct Shown {
    /// What it says.
    pub manifest: Manifest,
    /// Its values, each with the number by which it is read.
    pub groups: Vec<Numbered>,
}

impl Shown {
    /// All of it but the chunks, as JSON: what is said of the checkpoint, and for each group its number, names, types,
    /// bytes, and the key that tells values apart.
    pub fn summary(&self) -> Value {
        let Manifest {
            id,
            parent,
            created,
            about,
            ..
        } = &self.manifest;
        let groups = self.groups.iter().map(|(number, group)| {
            json!({
                "number": number,
                "names": group.names,
                "types": group.types,
                "one": group.one,
                "bytes": group.bytes(),
                "key": group.key_name(),
            })
        });
        json!({
            "id": id,
            "parent": parent,
            "created": created,
            "session": about.session,
            "cell": about.cell,
            "startup": about.startup,
            "skipped": about.skipped,
            "extra": about.extra,
            "groups": groups.collect::<Vec<_>>(),
        })
    }
}

impl Store {
    /// What a checkpoint says, without values that were quarantined since it was made.
    ///
    /// # Errors
    /// There is no such checkpoint, or it cannot be read.
    pub fn manifest(&self, id: &Id) -> Result<Shown> {
        let opened = self.0.opened()?;
        let _lock = Lock::shared(&opened.folders.root)?;
        shown(&opened, id)
    }

    /// The values of one group of a checkpoint, to be read.
    ///
    /// # Errors
    /// There is no such checkpoint or group, or what is said of it cannot be true.
    pub fn read(&self, id: &Id, number: usize) -> Result<Reading> {
        let opened = self.0.opened()?;
        let lock = Lock::shared(&opened.folders.root)?;
        let found = shown(&opened, id)?
            .groups
            .into_iter()
            .find(|(own, _)| *own == number);
        let Some((_, group)) = found else {
            let text = format!("the checkpoint {id} has no values with the number {number}");
            return Err(Error::new(Kind::Missing, text));
        };
        self.reading(opened, *id, group, lock)
    }

    /// The same for values that are known, whose manifest is not read again.
    ///
    /// # Errors
    /// What is said of them cannot be true.
    pub fn read_values(&self, id: &Id, values: &Arc<Group>) -> Result<Reading> {
        let opened = self.0.opened()?;
        let lock = Lock::shared(&opened.folders.root)?;
        self.reading(opened, *id, Arc::clone(values), lock)
    }

    fn reading(
        &self,
        opened: Arc<Opened>,
        id: Id,
        group: Arc<Group>,
        lock: Lock,
    ) -> Result<Reading> {
        // A limit that was lowered since must not keep values from being read.
        let most = self.0.options.limit.max(Options::default().limit);
        group
            .check(most)
            .map_err(|error| named(&id, &group, &error))?;
        Ok(Reading {
            opened,
            id,
            group,
            _lock: lock,
        })
    }

    /// The first of these checkpoints that can be read, and why those before it cannot. It counts as used now.
    ///
    /// # Errors
    /// The store itself cannot be read.
    pub fn first_readable(&self, ids: &[&str]) -> Result<(Option<Id>, Faults)> {
        let opened = self.0.opened()?;
        let _lock = Lock::shared(&opened.folders.root)?;
        let mut faults = Vec::new();
        for text in ids {
            let tried = text
                .parse()
                .and_then(|id| complete(&opened, &id).map(|()| id));
            match tried {
                Ok(id) => {
                    // A store that cannot be written can be read.
                    let _ = opened.folders.manifests.touch(&id.to_string());
                    return Ok((Some(id), faults));
                }
                Err(error) => faults.push(((*text).to_owned(), error.to_string())),
            }
        }
        Ok((None, faults))
    }

    /// That a checkpoint is there with all of its objects; whether those are undamaged is proved when they are read.
    ///
    /// # Errors
    /// What is missing or damaged.
    pub fn complete(&self, id: &Id) -> Result<()> {
        let opened = self.0.opened()?;
        let _lock = Lock::shared(&opened.folders.root)?;
        complete(&opened, id)
    }
}

fn shown(opened: &Opened, id: &Id) -> Result<Shown> {
    let mut manifest = Manifest::read(&opened.folders, id)?;
    let (groups, skipped) = poison::without_quarantined(&opened.folders, &manifest)?;
    manifest.about.skipped.extend(skipped);
    Ok(Shown { manifest, groups })
}

fn complete(opened: &Opened, id: &Id) -> Result<()> {
    for (_, group) in shown(opened, id)?.groups {
        for name in group.objects() {
            if opened.folders.objects.stat(&name.to_string())?.is_none() {
                let error = Error::new(Kind::Missing, format!("the object {name} is gone"));
                return Err(named(id, &group, &error));
            }
        }
    }
    Ok(())
}

/// An error of values, with the checkpoint and the names that they have in the session.
fn named(id: &Id, group: &Group, error: &Error) -> Error {
    let names = group.names.join(", ");
    Error::new(
        error.kind(),
        format!("the checkpoint {id} cannot give {names}: {error}"),
    )
}

impl Reading {
    /// What is said of the values.
    pub fn group(&self) -> &Group {
        &self.group
    }

    /// Reads a stream of the group into a place of exactly its length; all of it is filled when there is no error.
    ///
    /// # Errors
    /// A chunk is missing or damaged; the error names checkpoint and values.
    pub fn fill(&self, stream: &Stream, into: impl Room) -> Result<()> {
        let length = into.length();
        if length as u64 != stream.length {
            let text = format!("{length} bytes of room for {}", stream.length);
            return Err(Error::new(Kind::Misuse, text));
        }
        // Each piece is taken by one thread.
        let pieces = stream.chunks.iter().zip(into.cut(CHUNK));
        let pieces: Vec<_> = pieces.map(|piece| Mutex::new(Some(piece))).collect();
        let read = |decoder: &mut std::io::Result<Decoder>, number: usize| {
            let mut piece = pieces[number]
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            match (piece.take(), decoder) {
                (Some((Chunk::Stored(name), place)), Ok(decoder)) => {
                    let expected = place.length();
                    place.fill(get(&self.opened.folders, decoder, name, expected)?);
                }
                (Some((Chunk::Inline(bytes), place)), _) => place.fill(bytes),
                (_, Err(error)) => return Err(Error::new(Kind::System, error.to_string())),
                (None, _) => {}
            }
            Ok(())
        };
        let all = share(pieces.len(), threads(length), Decoder::new, read);
        let all: Result<()> = all.into_iter().collect();
        all.map_err(|error| named(&self.id, &self.group, &error))
    }
}

/// Memory to be filled, piece by piece on some threads. What is in it before is never looked at.
pub trait Room: Sized + Send {
    /// How many bytes it has room for.
    fn length(&self) -> usize;
    /// Cuts it into pieces of this length, the last one shorter.
    fn cut(self, length: usize) -> Vec<Self>;
    /// Fills all of it with as many bytes.
    fn fill(self, bytes: &[u8]);
}

impl Room for &mut [u8] {
    fn length(&self) -> usize {
        self.len()
    }

    fn cut(self, length: usize) -> Vec<Self> {
        self.chunks_mut(length).collect()
    }

    fn fill(self, bytes: &[u8]) {
        self.copy_from_slice(bytes);
    }
}

impl Room for &mut [MaybeUninit<u8>] {
    fn length(&self) -> usize {
        self.len()
    }

    fn cut(self, length: usize) -> Vec<Self> {
        self.chunks_mut(length).collect()
    }

    fn fill(self, bytes: &[u8]) {
        self.write_copy_of_slice(bytes);
    }
}
