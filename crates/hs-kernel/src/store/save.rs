//! A checkpoint in the making. What is added is hashed, and copied if it is new; the session may go on when that is done.
//! Writing comes later and elsewhere. Nothing can be seen of it before all of it is on the disk.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use bytes::Bytes;

use super::counter;
use super::encoding::Encoder;
use super::error::{Error, Kind, Result};
use super::folders::Lock;
use super::group::Group;
use super::hashing::share;
use super::manifest::{About, Manifest};
use super::name::{Id, Name};
use super::objects::{put, taken, write_beside};
use super::opened::{Inner, Opened, Store};

/// Threads that write: most of the time they wait for the disk, which puts the files of all of them down at once.
const WRITERS: usize = 8;

/// A checkpoint in the making; without a commit nothing comes of it.
pub struct Save {
    pub(super) inner: Arc<Inner>,
    pub(super) opened: Arc<Opened>,
    id: Id,
    parent: Option<Id>,
    pub(super) groups: Vec<Arc<Group>>,
    /// Chunks that were not in the store when they were added.
    pub(super) fresh: Vec<(Name, Bytes)>,
    bytes: u64,
    /// The number under which the holder knows it. Without one, because a collection ran when it began, nothing is taken
    /// to be in the store.
    number: Option<u64>,
}

impl Store {
    /// Begins a checkpoint. Never waits for a collection.
    ///
    /// # Errors
    /// There is a checkpoint of this id already, or the store cannot be written.
    pub fn begin(&self, id: Id, parent: Option<Id>) -> Result<Save> {
        let opened = self.0.opened()?;
        if opened.folders.manifests.stat(&id.to_string())?.is_some() {
            return Err(taken_already(&id));
        }
        let mut save = Save {
            inner: Arc::clone(&self.0),
            opened,
            id,
            parent,
            groups: Vec::new(),
            fresh: Vec::new(),
            bytes: 0,
            number: None,
        };
        if let Some(lock) = Lock::try_shared(&save.opened.folders.root)? {
            save.enter(&lock)?;
        }
        Ok(save)
    }
}

fn taken_already(id: &Id) -> Error {
    Error::new(
        Kind::Exists,
        format!("there is a checkpoint {id} already; each needs an id of its own"),
    )
}

impl Save {
    /// The id of the checkpoint.
    pub fn id(&self) -> Id {
        self.id
    }

    pub(super) fn enter(&mut self, _lock: &Lock) -> Result<()> {
        if self.number.is_none() {
            let stay = self.parent.into_iter().chain([self.id]).collect();
            self.number = Some(self.opened.holder()?.begin(&self.opened.folders, stay)?);
        }
        Ok(())
    }

    /// Takes values over as an earlier checkpoint has them. None of their bytes are touched; that they are all in the
    /// store is checked by the commit.
    ///
    /// # Errors
    /// With them the checkpoint would hold more than the store may.
    pub fn reuse(&mut self, group: &Arc<Group>) -> Result<()> {
        self.grow(group.bytes())?;
        self.groups.push(Arc::clone(group));
        Ok(())
    }

    pub(super) fn grow(&mut self, by: u64) -> Result<()> {
        let (bytes, limit) = (self.bytes.saturating_add(by), self.inner.options.limit);
        if bytes > limit {
            let text = format!(
                "a checkpoint of {bytes} bytes is more than the store may hold ({limit}); keep less, or allow more"
            );
            return Err(Error::new(Kind::Limit, text));
        }
        self.bytes = bytes;
        Ok(())
    }

    /// Puts everything on the disk, and then makes the checkpoint visible.
    ///
    /// # Errors
    /// The disk is full, the store cannot be written, or values that were taken over from an earlier checkpoint are not
    /// there any more. Then there is no checkpoint, and nothing is left of it but objects for the next collection.
    pub fn commit(mut self, about: About) -> Result<()> {
        let opened = Arc::clone(&self.opened);
        let root = &opened.folders.root;
        if self.number.is_none() {
            let lock = Lock::shared(root)?;
            self.enter(&lock)?;
        }
        let manifest = Manifest {
            id: self.id,
            parent: self.parent,
            created: SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .map_or(0, |since| since.as_millis() as u64),
            about,
            groups: std::mem::take(&mut self.groups),
        };
        let (line, body) = manifest.written();
        let own = taken((line.len() + body.len()) as u64);
        // Counted before it is written, so that a crash leaves the count too large and never too small.
        let most = self
            .fresh
            .iter()
            .fold(own, |sum, (_, bytes)| sum + taken(bytes.len() as u64 + 1));
        counter::change(root, most.cast_signed())?;
        let written = self.write(&manifest, &line, &body);
        let real = written.as_ref().map_or(0, |objects| objects + own);
        // The next collection mends the count; the checkpoint is there all the same.
        let _ = counter::change(root, real.cast_signed() - most.cast_signed());
        written.map(drop)
    }

    /// Writes objects and manifest; the bytes that the objects take.
    fn write(&mut self, manifest: &Manifest, line: &str, body: &[u8]) -> Result<u64> {
        let opened = Arc::clone(&self.opened);
        let (folders, holder) = (&opened.folders, opened.holder()?);
        let mut fresh = self.fresh.clone();
        fresh.sort_unstable_by_key(|(name, _)| *name);
        fresh.dedup_by_key(|(name, _)| *name);
        let mut bytes = self.put_all(&fresh)?;
        let beside = write_beside(folders, holder, &[line.as_bytes(), body])?;
        let shown = (|| {
            // From here on no collection can come between.
            let _lock = Lock::shared(&folders.root)?;
            let mut seen = HashSet::new();
            let ours: HashMap<&Name, &Bytes> =
                fresh.iter().map(|(name, bytes)| (name, bytes)).collect();
            for name in manifest.objects().filter(|name| seen.insert(**name)) {
                if folders.objects.stat(&name.to_string())?.is_some() {
                    continue;
                }
                // It was there, and a collection took it before this save said that it needs it.
                let Some(plain) = ours.get(name) else {
                    let place = folders.objects.path().display();
                    let text = format!(
                        "{place}: expected {name}, a value that an earlier checkpoint saved, but it is gone; the next \
                         checkpoint saves all values anew"
                    );
                    return Err(Error::new(Kind::Missing, text));
                };
                let mut encoder =
                    Encoder::new().map_err(|error| Error::system(folders.objects.path(), error))?;
                bytes += put(folders, holder, &mut encoder, name, plain)?;
            }
            folders.objects.sync()?;
            let id = self.id;
            if !folders
                .unfinished
                .rename_to_new(&beside, &folders.manifests, &id.to_string())?
            {
                return Err(taken_already(&id));
            }
            if let Err(error) = folders.manifests.sync() {
                let _ = folders.manifests.remove(&id.to_string());
                return Err(error);
            }
            // It is made. What else there is to write down is written with the next one at the latest.
            if let Some(parent) = &self.parent {
                let _ = folders.manifests.touch(&parent.to_string());
            }
            if let Some(number) = self.number.take() {
                let _ = holder.end(folders, number, Some(id));
            }
            Ok(())
        })();
        if shown.is_err() {
            let _ = folders.unfinished.remove(&beside);
        }
        shown.map(|()| bytes)
    }

    fn put_all(&self, fresh: &[(Name, Bytes)]) -> Result<u64> {
        let (folders, holder) = (&self.opened.folders, self.opened.holder()?);
        // After one fault the rest would only fill the disk further.
        let stop = AtomicBool::new(false);
        let all = share(fresh.len(), WRITERS, Encoder::new, |encoder, number| {
            if stop.load(Ordering::Relaxed) {
                return Ok(0);
            }
            let put = match encoder {
                Ok(encoder) => put(folders, holder, encoder, &fresh[number].0, &fresh[number].1),
                Err(error) => Err(Error::new(Kind::System, error.to_string())),
            };
            stop.fetch_or(put.is_err(), Ordering::Relaxed);
            put
        });
        all.into_iter().sum()
    }

    /// Gives it up, as dropping it does.
    pub fn abort(self) {
        drop(self);
    }

    pub(super) fn inner(&self) -> &Arc<Inner> {
        &self.inner
    }
}

impl Drop for Save {
    fn drop(&mut self) {
        for (name, _) in &self.fresh {
            self.inner.flight.release(name);
        }
        if let Some(number) = self.number.take()
            && self.inner.is_ours()
        {
            // The next change of the file says it as well.
            let _ = self
                .opened
                .holder()
                .and_then(|holder| holder.end(&self.opened.folders, number, None));
        }
    }
}
