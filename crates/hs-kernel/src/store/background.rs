//! Saves in the background: one thread, one save after another, so that a checkpoint never appears before its parent.

use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::collect;
use super::counter;
use super::error::{Error, Kind, Result};
use super::manifest::About;
use super::opened::Inner;
use super::save::Save;

/// Called with what became of a save.
type Done = Box<dyn FnOnce(Result<()>) + Send>;

/// How long no collection is tried after one that was of no use.
const REST: Duration = Duration::from_mins(1);

/// The thread that writes.
pub struct Worker {
    sender: Sender<(Save, About, Done)>,
    progress: Arc<Progress>,
}

/// How many saves are not over.
#[derive(Default)]
pub struct Progress {
    open: Mutex<usize>,
    changed: Condvar,
}

impl Progress {
    fn change(&self, how: impl FnOnce(&mut usize)) {
        how(&mut self.open.lock().unwrap_or_else(PoisonError::into_inner));
        self.changed.notify_all();
    }

    /// Waits until all saves are over; false if it takes longer.
    pub fn wait(&self, patience: Duration) -> bool {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self
            .changed
            .wait_timeout_while(open, patience, |open| *open > 0);
        *waited.unwrap_or_else(PoisonError::into_inner).0 == 0
    }
}

impl Worker {
    fn start() -> std::io::Result<Self> {
        let (sender, receiver) = channel::<(Save, About, Done)>();
        let progress = Arc::new(Progress::default());
        let own = Arc::clone(&progress);
        std::thread::Builder::new()
            .name("checkpoints".to_owned())
            .spawn(move || {
                let mut rest = None;
                for (save, about, done) in receiver {
                    let inner = Arc::clone(save.inner());
                    let saved = save.commit(about);
                    let full = saved
                        .as_ref()
                        .is_err_and(|error| error.kind() == Kind::Full);
                    done(saved);
                    own.change(|open| *open -= 1);
                    tidy(&inner, full, &mut rest);
                }
            })?;
        Ok(Self { sender, progress })
    }

    pub fn progress(&self) -> Arc<Progress> {
        Arc::clone(&self.progress)
    }
}

/// Collects when the count says so, or when the disk was full: what the save put there belongs to nothing. After one that
/// was of no use there is a rest, so that it does not become a scan for each save.
fn tidy(inner: &Inner, full: bool, rest: &mut Option<Instant>) {
    if rest.is_some_and(|until| Instant::now() < until) {
        return;
    }
    let Ok(opened) = inner.opened() else { return };
    let due = counter::read(&opened.folders.root)
        .is_ok_and(|count| count.is_due(inner.options.limit, counter::now()));
    if due || full {
        let collected = collect::collect(&opened.folders, &inner.options, &[]);
        let useless = collected.map_or(true, |collected| full && collected.objects == 0);
        *rest = useless.then(|| Instant::now() + REST);
    }
}

impl Save {
    /// Commits in the background; `done` is called there with what became of it. Afterwards the store is collected if that
    /// is due.
    ///
    /// # Errors
    /// No thread can be started.
    pub fn commit_in_background(
        self,
        about: About,
        done: impl FnOnce(Result<()>) + Send + 'static,
    ) -> Result<()> {
        let inner = Arc::clone(self.inner());
        let mut worker = inner.worker();
        let running = match &mut *worker {
            Some(running) => running,
            none => {
                none.insert(Worker::start().map_err(|error| Error::system(&inner.path, error))?)
            }
        };
        running.progress.change(|open| *open += 1);
        let sent = running.sender.send((self, about, Box::new(done)));
        if sent.is_err() {
            running.progress.change(|open| *open -= 1);
            return Err(Error::new(
                Kind::System,
                "the thread that writes checkpoints is gone",
            ));
        }
        Ok(())
    }
}
