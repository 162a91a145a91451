//! Chunks that are kept in memory until they are on the disk, so that two saves in a row do not copy the same bytes twice.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use bytes::Bytes;

use super::name::Name;

/// The chunks of all saves in progress.
#[derive(Default)]
pub struct Flight(Mutex<HashMap<Name, (Bytes, usize)>>);

impl Flight {
    fn held(&self) -> MutexGuard<'_, HashMap<Name, (Bytes, usize)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The bytes of a chunk that is held, held once more.
    pub fn share(&self, name: &Name) -> Option<Bytes> {
        let mut held = self.held();
        let (bytes, holders) = held.get_mut(name)?;
        *holders += 1;
        Some(bytes.clone())
    }

    /// Holds a chunk; if it is held already, what is given is let go.
    pub fn hold(&self, name: Name, bytes: Bytes) -> Bytes {
        let mut held = self.held();
        let (bytes, holders) = held.entry(name).or_insert((bytes, 0));
        *holders += 1;
        bytes.clone()
    }

    /// Lets a chunk go, once.
    pub fn release(&self, name: &Name) {
        let mut held = self.held();
        if let Some((_, holders)) = held.get_mut(name) {
            *holders -= 1;
            if *holders == 0 {
                held.remove(name);
            }
        }
    }
}
