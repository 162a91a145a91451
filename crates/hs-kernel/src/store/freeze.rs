//! Values on their way into a checkpoint: cut, hashed, and copied where they are new. The session goes on when this is done,
//! so it writes nothing, and never waits for another process.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;

use super::CHUNK;
use super::error::Result;
use super::folders::Lock;
use super::group::{Chunk, Group, INLINE, Stream};
use super::hashing::{share, threads};
use super::name::Name;
use super::save::Save;

/// Chunks that are shorter are copied without a look whether the store has them.
const WORTH_A_LOOK: usize = 64 << 10;

/// Bytes to be added.
pub enum Memory<'a> {
    /// They never change, and are kept as they are.
    Frozen(Bytes),
    /// They may change as soon as the call is over.
    Live(&'a [u8]),
}

impl From<Vec<u8>> for Memory<'_> {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Frozen(bytes.into())
    }
}

impl From<&'static str> for Memory<'_> {
    fn from(text: &'static str) -> Self {
        Self::Frozen(text.into())
    }
}

impl Memory<'_> {
    fn bytes(&self) -> &[u8] {
        match self {
            Self::Frozen(bytes) => bytes,
            Self::Live(bytes) => bytes,
        }
    }
}

impl Save {
    /// Adds values that were pickled together, and says what they are in the store; `one` is for the caller, who says with
    /// it whether all names are those of one object. The buffers may change afterwards.
    ///
    /// A chunk that changes during the call, because another thread writes to it, is saved as it was at one moment.
    ///
    /// # Errors
    /// With them the checkpoint would hold more than the store may, or the store cannot be used.
    pub fn add(
        &mut self,
        names: Vec<String>,
        types: BTreeMap<String, String>,
        one: bool,
        pickle: Memory<'_>,
        buffers: &[&[u8]],
    ) -> Result<Arc<Group>> {
        let buffers = buffers.iter().map(|bytes| Memory::Live(bytes));
        let sources: Vec<Memory<'_>> = [pickle].into_iter().chain(buffers).collect();
        self.grow(
            sources
                .iter()
                .map(|source| source.bytes().len() as u64)
                .sum(),
        )?;
        let pieces: Vec<(usize, usize)> = sources
            .iter()
            .enumerate()
            .flat_map(|(source, found)| {
                (0..found.bytes().len())
                    .step_by(CHUNK)
                    .map(move |at| (source, at))
            })
            .collect();
        let largest = sources
            .iter()
            .map(|source| source.bytes().len())
            .max()
            .unwrap_or(0);
        // Held while it is looked up what the store has: what is found then cannot go any more, because this save has begun.
        let lock = if largest >= WORTH_A_LOOK {
            Lock::try_shared(&self.opened.folders.root)?
        } else {
            None
        };
        if let Some(lock) = &lock {
            self.enter(lock)?;
        }
        let look = lock.is_some();
        let total = sources.iter().map(|source| source.bytes().len()).sum();
        let made = share(
            pieces.len(),
            threads(total),
            || false,
            |expected_new, piece| {
                let (source, at) = pieces[piece];
                self.freeze(&sources[source], at, look, expected_new)
            },
        );
        drop(lock);
        let mut chunks: Vec<Vec<Chunk>> = sources.iter().map(|_| Vec::new()).collect();
        for ((source, _), (chunk, fresh)) in pieces.iter().zip(made) {
            chunks[*source].push(chunk);
            self.fresh.extend(fresh);
        }
        let lengths = sources.iter().map(|source| source.bytes().len() as u64);
        let mut streams = lengths
            .zip(chunks)
            .map(|(length, chunks)| Stream { length, chunks });
        let group = Arc::new(Group {
            names,
            types,
            one,
            pickle: streams.next().unwrap_or_default(),
            buffers: streams.collect(),
        });
        self.groups.push(Arc::clone(&group));
        Ok(group)
    }

    /// A chunk of a source, and its bytes if they must be written.
    ///
    /// The name is always that of the bytes that are kept. Hashing what is there, and then copying what another thread has
    /// changed meanwhile, would make an object that nobody can read. So where new bytes are to be expected, as after a chunk
    /// that was new, they are copied first and hashed once; else they are hashed where they lie, and again in the copy if
    /// one has to be made.
    fn freeze(
        &self,
        source: &Memory<'_>,
        at: usize,
        look: bool,
        expected_new: &mut bool,
    ) -> (Chunk, Option<(Name, Bytes)>) {
        let whole = source.bytes();
        let live = &whole[at..whole.len().min(at + CHUNK)];
        if whole.len() <= INLINE {
            return (Chunk::Inline(live.to_vec()), None);
        }
        let copy = |source: &Memory<'_>| match source {
            Memory::Frozen(bytes) => bytes.slice(at..at + live.len()),
            Memory::Live(_) => Bytes::copy_from_slice(live),
        };
        let look = look && live.len() >= WORTH_A_LOOK;
        if look && !*expected_new {
            let name = Name::of(live);
            if let Some(found) = self.found(name) {
                return found;
            }
            *expected_new = true;
        }
        let bytes = copy(source);
        let name = Name::of(&bytes);
        if look && let Some(found) = self.found(name) {
            *expected_new = false;
            return found;
        }
        let bytes = self.inner.flight.hold(name, bytes);
        (Chunk::Stored(name), Some((name, bytes)))
    }

    /// The chunk if another save is at it, or the store has it.
    fn found(&self, name: Name) -> Option<(Chunk, Option<(Name, Bytes)>)> {
        if let Some(bytes) = self.inner.flight.share(&name) {
            return Some((Chunk::Stored(name), Some((name, bytes))));
        }
        // If that cannot be told, the bytes are kept, and writing them says what is wrong.
        let there = self.opened.folders.objects.touch(&name.to_string());
        there
            .unwrap_or(false)
            .then_some((Chunk::Stored(name), None))
    }
}
