//! Which checkpoints there are: what each says of itself, without its values. Reads manifests and nothing else.

use serde_json::Value;

use super::error::{Error, Kind, Result};
use super::folders::Lock;
use super::manifest::Manifest;
use super::name::Id;
use super::opened::Store;
use super::read::Faults;

/// A checkpoint in a list.
#[derive(Clone, Debug, PartialEq)]
pub struct Listed {
    /// Its id.
    pub id: Id,
    /// The checkpoint that the kernel held before its cell.
    pub parent: Option<Id>,
    /// When it was made: milliseconds since 1970.
    pub created: u64,
    /// The session that it belongs to.
    pub session: String,
    /// The cell after which it was made, as the kernel wrote it.
    pub cell: Value,
    /// How many names it has.
    pub names: usize,
    /// How many names were skipped.
    pub skipped: usize,
    /// Plain bytes of its values.
    pub bytes: u64,
}

impl From<Manifest> for Listed {
    fn from(manifest: Manifest) -> Self {
        let groups = &manifest.groups;
        Self {
            id: manifest.id,
            parent: manifest.parent,
            created: manifest.created,
            names: groups.iter().map(|group| group.names.len()).sum(),
            skipped: manifest.about.skipped.len(),
            bytes: groups
                .iter()
                .fold(0, |sum, group| sum.saturating_add(group.bytes())),
            session: manifest.about.session,
            cell: manifest.about.cell,
        }
    }
}

/// Digits of an id that are asked for at least.
const SHORTEST: usize = 4;

impl Store {
    /// All checkpoints of all sessions, in no order, and those that cannot be read, with the reason.
    ///
    /// # Errors
    /// The store itself cannot be read.
    pub fn list(&self) -> Result<(Vec<Listed>, Faults)> {
        let opened = self.0.opened()?;
        let _lock = Lock::shared(&opened.folders.root)?;
        let (mut found, mut faults) = (Vec::new(), Vec::new());
        for name in opened.folders.manifests.names()? {
            let Ok(id) = name.parse() else { continue };
            match Manifest::read(&opened.folders, &id) {
                Ok(manifest) => found.push(manifest.into()),
                Err(error) => faults.push((name, error.to_string())),
            }
        }
        Ok((found, faults))
    }

    /// The checkpoint whose id begins so.
    ///
    /// # Errors
    /// There is none, or more than one.
    pub fn find(&self, beginning: &str) -> Result<Id> {
        let digit = |letter: u8| matches!(letter, b'0'..=b'9' | b'a'..=b'f');
        let asked = beginning.to_ascii_lowercase();
        if asked.len() < SHORTEST || asked.len() > 32 || !asked.bytes().all(digit) {
            let found: String = beginning.chars().take(80).collect();
            let text = format!(
                "expected the id of a checkpoint, or {SHORTEST} or more of its first digits, found {found:?}"
            );
            return Err(Error::new(Kind::Id, text));
        }
        let opened = self.0.opened()?;
        let _lock = Lock::shared(&opened.folders.root)?;
        let names = opened.folders.manifests.names()?;
        let fits = names.into_iter().filter(|name| name.starts_with(&asked));
        let fits: Vec<Id> = fits.filter_map(|name| name.parse().ok()).collect();
        match fits.as_slice() {
            [id] => Ok(*id),
            [] => {
                let text = format!("there is no checkpoint {beginning}");
                Err(Error::new(Kind::Missing, text))
            }
            [first, second, ..] => {
                let count = fits.len();
                let text = format!(
                    "{count} checkpoints begin with {beginning}, among them {first} and {second}: give more digits"
                );
                Err(Error::new(Kind::Missing, text))
            }
        }
    }
}
