//! The store as its callers see it: where it is, how much it may hold, and what is open of it. It reads and writes nothing
//! itself.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use super::background::Worker;
use super::collect::{self, Collected};
use super::counter;
use super::error::{Error, Kind, Result};
use super::flight::Flight;
use super::folders::{Folders, Lock};
use super::holder::Holder;
use super::name::Id;

/// How much the store may hold, and for how long.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// Bytes on the disk; over it the checkpoints go that were not used for longest.
    pub limit: u64,
    /// Checkpoints that were not used for longer go.
    pub most_age: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            limit: 2 << 30,
            most_age: Duration::from_hours(30 * 24),
        }
    }
}

/// A store of checkpoints in a folder. It may be open in several processes at once.
///
/// ```
/// use hs_kernel::store::{About, Options, Store};
///
/// let folder = tempfile::tempdir().expect("a folder");
/// let store = Store::open(&folder.path().join("checkpoints"), Options::default())?;
/// let id = "00112233445566778899aabbccddeeff".parse()?;
/// let mut save = store.begin(id, None)?;
/// save.add(vec!["x".to_owned()], Default::default(), true, "a pickle of 1".into(), &[])?;
/// save.commit(About::default())?;
///
/// let reading = store.read(&id, 0)?;
/// let mut pickle = vec![0; reading.group().pickle.length as usize];
/// reading.fill(&reading.group().pickle, &mut pickle[..])?;
/// assert_eq!(pickle, b"a pickle of 1");
/// # Ok::<(), hs_kernel::store::Error>(())
/// ```
#[derive(Clone)]
pub struct Store(pub(super) Arc<Inner>);

pub struct Inner {
    pub path: PathBuf,
    pub options: Options,
    pub flight: Flight,
    opened: Mutex<Arc<Opened>>,
    worker: Mutex<Option<Worker>>,
    /// A process that was forked off has neither the thread that writes nor a file that says what it holds.
    process: u32,
}

/// The folders, and what this process holds in them.
pub struct Opened {
    pub folders: Folders,
    holder: OnceLock<Holder>,
    making: Mutex<()>,
}

impl Opened {
    /// The file that says what this process holds, made if it is not there. The caller holds the lock of the store. Not
    /// made on opening: a store that cannot be written can be read all the same.
    pub fn holder(&self) -> Result<&Holder> {
        let _making = self.making.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(holder) = self.holder.get() {
            return Ok(holder);
        }
        let made = Holder::create(&self.folders)?;
        Ok(self.holder.get_or_init(|| made))
    }
}

impl Store {
    /// Opens the store in this folder, which is made if it is not there.
    ///
    /// # Errors
    /// The folder, or one in it, is a link, belongs to somebody else, or lets others in; or it cannot be made.
    pub fn open(path: &Path, options: Options) -> Result<Self> {
        let path = std::path::absolute(path).map_err(|error| Error::system(path, error))?;
        let opened = Mutex::new(Arc::new(Opened::new(&path)?));
        Ok(Self(Arc::new(Inner {
            path,
            options,
            flight: Flight::default(),
            opened,
            worker: Mutex::default(),
            process: std::process::id(),
        })))
    }

    /// Bytes that the store takes on the disk, as counted; a collection makes the count exact.
    ///
    /// # Errors
    /// The count cannot be read.
    pub fn size(&self) -> Result<u64> {
        Ok(counter::read(&self.0.opened()?.folders.root)?.bytes)
    }

    /// The checkpoints that this process stands on: they stay in the store, and count as used now. The newest one that it
    /// makes afterwards stays as well, by itself.
    ///
    /// # Errors
    /// The store cannot be written.
    pub fn hold(&self, ids: &[Id]) -> Result<()> {
        let opened = self.0.opened()?;
        let _lock = Lock::shared(&opened.folders.root)?;
        for id in ids {
            opened.folders.manifests.touch(&id.to_string())?;
        }
        opened.holder()?.hold(&opened.folders, ids.to_vec())
    }

    /// Takes away what is too old or too much, what no checkpoint needs, and what killed processes left. These checkpoints
    /// stay, and all that processes hold.
    ///
    /// # Errors
    /// The store cannot be read or written; what has gone until then belongs to no checkpoint.
    pub fn collect(&self, keep: &[Id]) -> Result<Collected> {
        let opened = self.0.opened()?;
        collect::collect(&opened.folders, &self.0.options, keep)
    }

    /// Waits until saves in the background are on the disk; false if it takes longer.
    pub fn flush(&self, patience: Duration) -> bool {
        // Not held while it waits: others begin saves meanwhile.
        let progress = self.0.worker().as_ref().map(Worker::progress);
        progress.is_none_or(|progress| progress.wait(patience))
    }
}

impl Inner {
    /// Whether this is the process that opened it.
    pub fn is_ours(&self) -> bool {
        self.process == std::process::id()
    }

    /// What is open of the store; opened anew if somebody removed it, as people do with caches.
    pub fn opened(&self) -> Result<Arc<Opened>> {
        if !self.is_ours() {
            let text = "this store belongs to the process that opened it; open it anew in a process that was forked off";
            return Err(Error::new(Kind::Misuse, text));
        }
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if opened.folders.are_gone() {
            *opened = Arc::new(Opened::new(&self.path)?);
        }
        Ok(Arc::clone(&opened))
    }

    pub fn worker(&self) -> MutexGuard<'_, Option<Worker>> {
        self.worker.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        if let Some(holder) = self.holder.get() {
            holder.leave(&self.folders);
        }
    }
}

impl Opened {
    fn new(path: &Path) -> Result<Self> {
        Ok(Self {
            folders: Folders::open(path)?,
            holder: OnceLock::new(),
            making: Mutex::default(),
        })
    }
}
