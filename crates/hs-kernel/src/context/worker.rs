//! The thread of a session that writes and reads its context. What happened is handed to it and forgotten: a cell never
//! waits for the disk, and a fault of the file is told and changes nothing else.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::database::{Database, Options};
use super::entry::Entry;
use super::error::{Error, Kind, Result};
use super::place::Held;

/// Bytes that wait to be written at most; what comes beyond them is lost, and told. The disk hangs then.
const WAITING: usize = 64 << 20;

/// Where a context is.
#[derive(Debug)]
pub enum Place {
    /// In the folder of a session, gone with it.
    Session(PathBuf),
    /// In a file that stays.
    Durable(Held),
}

/// What a context is at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// The file.
    pub path: PathBuf,
    /// Entries in it.
    pub entries: u64,
    /// Bytes of it that are in use.
    pub bytes: u64,
    /// Entries that went because the file was full.
    pub dropped: u64,
    /// Entries that could not be written.
    pub lost: u64,
}

/// The context of a session that lives.
#[derive(Debug)]
pub struct Context {
    tasks: Sender<Task>,
    facts: Arc<Mutex<Facts>>,
    waiting: Arc<AtomicUsize>,
    ended: Mutex<Receiver<()>>,
}

type Work = Box<dyn FnOnce(&mut Keeper) + Send>;
type Answer = Box<dyn FnOnce(Result<()>) + Send>;

enum Task {
    Add(Box<Entry>, Option<Answer>),
    Do(Work),
    End,
}

impl Context {
    /// Begins a thread for the file at this place, which is opened when something is first done with it. Faults are told
    /// by the function, each once until it is over.
    ///
    /// # Errors
    /// The system has no thread.
    pub fn begin(
        place: Place,
        options: Options,
        tell: impl Fn(String) + Send + 'static,
    ) -> std::io::Result<Self> {
        let (tasks, waits) = mpsc::channel();
        let (last, ended) = mpsc::channel();
        let path = match &place {
            Place::Session(path) => path.clone(),
            Place::Durable(held) => held.path().to_owned(),
        };
        let facts = Facts {
            path: path.clone(),
            ..Facts::default()
        };
        let facts = Arc::new(Mutex::new(facts));
        let waiting = Arc::new(AtomicUsize::new(0));
        let mut keeper = Keeper {
            path,
            options,
            database: None,
            facts: Arc::clone(&facts),
            tell: Box::new(tell),
            faulty: false,
        };
        let left = Arc::clone(&waiting);
        let work = move || {
            keeper.work(&waits, &left);
            // The file is closed before anybody else may have it.
            drop(keeper);
            drop(place);
            let _ = last.send(());
        };
        std::thread::Builder::new()
            .name("context".to_owned())
            .spawn(work)?;
        Ok(Self {
            tasks,
            facts,
            waiting,
            ended: Mutex::new(ended),
        })
    }

    /// Hands over what happened.
    pub fn add(&self, entry: Entry) {
        self.hand_over(entry, None);
    }

    /// The same; the function hears, on the thread, whether it was written.
    pub fn add_and_tell(&self, entry: Entry, answer: impl FnOnce(Result<()>) + Send + 'static) {
        self.hand_over(entry, Some(Box::new(answer)));
    }

    fn hand_over(&self, entry: Entry, answer: Option<Answer>) {
        let entry = entry.bounded();
        let bytes = entry.bytes();
        if self.waiting.fetch_add(bytes, Ordering::Relaxed) > WAITING {
            self.waiting.fetch_sub(bytes, Ordering::Relaxed);
            facts(&self.facts).lost += 1;
            if let Some(answer) = answer {
                let text = "it cannot be kept: the disk does not take what waits for it";
                answer(Err(Error::new(Kind::System, text)));
            }
            return;
        }
        let _ = self.tasks.send(Task::Add(Box::new(entry), answer));
    }

    /// Does something with the database, behind all that was handed over before; what came of it goes to the function, on
    /// the thread.
    pub fn ask<T: 'static>(
        &self,
        question: impl FnOnce(&mut Database) -> Result<T> + Send + 'static,
        answer: impl FnOnce(Result<T>) + Send + 'static,
    ) {
        let work: Work = Box::new(move |keeper| answer(keeper.with(question)));
        let _ = self.tasks.send(Task::Do(work));
    }

    /// What it is at, as far as the thread has come.
    pub fn facts(&self) -> Facts {
        facts(&self.facts).clone()
    }

    /// Waits until all that was handed over is written, and the file is free for others; false if it takes longer.
    pub fn end(&self, patience: Duration) -> bool {
        let _ = self.tasks.send(Task::End);
        let ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        ended.recv_timeout(patience).is_ok()
    }
}

fn facts(of: &Mutex<Facts>) -> std::sync::MutexGuard<'_, Facts> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What the thread has.
struct Keeper {
    path: PathBuf,
    options: Options,
    database: Option<Database>,
    facts: Arc<Mutex<Facts>>,
    tell: Box<dyn Fn(String) + Send>,
    /// The last thing that was tried failed, and this was told.
    faulty: bool,
}

impl Keeper {
    fn work(&mut self, tasks: &Receiver<Task>, waiting: &AtomicUsize) {
        while let Ok(task) = tasks.recv() {
            match task {
                Task::Add(entry, answer) => {
                    let added = self.add(&entry);
                    waiting.fetch_sub(entry.bytes(), Ordering::Relaxed);
                    if let Some(answer) = answer {
                        answer(added);
                    }
                }
                Task::Do(work) => work(self),
                Task::End => return,
            }
        }
    }

    fn add(&mut self, entry: &Entry) -> Result<()> {
        let added = self.with(|database| database.add(entry));
        // One that was put aside because it was damaged has a successor.
        let added = match added {
            Err(error) if error.kind() == Kind::Damaged => {
                self.with(|database| database.add(entry))
            }
            added => added,
        };
        match &added {
            Ok(()) => {
                self.faulty = false;
                if let Some(database) = &self.database {
                    look(database, &self.facts);
                }
            }
            Err(error) => {
                facts(&self.facts).lost += 1;
                if !std::mem::replace(&mut self.faulty, true) {
                    (self.tell)(format!("context: cells cannot be kept: {error}"));
                }
            }
        }
        added
    }

    /// Does something with the database, which is opened for it. One that turns out to be damaged is put aside.
    fn with<T>(&mut self, work: impl FnOnce(&mut Database) -> Result<T>) -> Result<T> {
        let database = match &mut self.database {
            Some(database) => database,
            None => {
                let (database, told) = Database::open(&self.path, self.options)?;
                if let Some(told) = told {
                    (self.tell)(told);
                }
                let database = self.database.insert(database);
                look(database, &self.facts);
                database
            }
        };
        let done = work(database);
        if let Err(error) = &done
            && error.kind() == Kind::Damaged
        {
            // Closed before its file gets another name.
            self.database = None;
            let (database, told) = Database::anew(&self.path, self.options, error)?;
            (self.tell)(told);
            self.database = Some(database);
        }
        done
    }
}

/// Writes down what the file is at.
fn look(database: &Database, of: &Mutex<Facts>) {
    if let (Ok((entries, dropped)), Ok(bytes)) = (database.count(), database.bytes()) {
        let mut facts = facts(of);
        facts.entries = entries;
        facts.dropped = dropped;
        facts.bytes = bytes;
    }
}
