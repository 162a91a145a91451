//! What comes back before a cell, and what is said when it does not: a kernel that dies over it is followed by another, and a
//! cell is never held up for ever. The kernel restores; here it is told what, and watched.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::client::NOBODY;
use super::keeping::Held;
use super::run::{Run, Work};
use super::state::{Event, Key};
use super::supervisor::{Purpose, Session};
use crate::kernel::{Reply, hidden};
use crate::persistence::{Line, Restored};
use crate::protocol::{Event as Told, FailureKind, Notice, RunRequest};

/// How long a kernel that restores may say nothing: it gives a value ten seconds itself, and has three to stop it.
const SILENT: Duration = Duration::from_secs(13);
/// New kernels that a restore may cost.
const KERNELS: u32 = 3;

/// A kernel that restores.
pub(super) struct Restoring {
    key: Key,
    /// When it said something last.
    heard: Instant,
    branch: Line,
    by: String,
}

impl Restoring {
    /// When it has said nothing for too long.
    pub fn deadline(&self) -> Instant {
        self.heard + SILENT
    }
}
impl Session {
    /// A session that goes on where it was has its variables before anybody asks, as a console would find none.
    pub(super) fn resume(&mut self) {
        let wanted = std::mem::take(&mut self.keeping.goes_on);
        if !wanted || self.machine.word() != "idle" || !self.keeping.switches.restore {
            return;
        }
        let branch = Some(self.keeping.line.ids().to_vec());
        self.last_key += 1;
        let key = self.last_key;
        let work = (Work::Restore, RunRequest::without_code(branch, true));
        let run = Run::new(key, NOBODY, Value::Null, work, Instant::now());
        self.runs.insert(key, run);
        self.on(Event::Run(key, true));
    }

    /// Whether the session is at something that nobody asked for: a cell waits for its end without asking for it.
    pub(super) fn is_at_own_work(&self) -> bool {
        let running = self.machine.running().and_then(|key| self.runs.get(&key));
        running.is_some_and(|run| run.client == NOBODY)
    }

    /// What must be restored before the cell: nothing when the kernel holds it.
    fn branch(&mut self, key: Key) -> Option<Line> {
        let run = self.runs.get_mut(&key)?;
        let keeping = &self.keeping;
        let asked = run.request.branch.clone().map(Line::new);
        let wanted = match asked {
            Some(line) if run.work == Work::Restore => return Some(line),
            Some(line) => match (line.newest(), &keeping.held) {
                (None, Held::Startup) => return None,
                (Some(id), Held::Checkpoint(held)) if id == held => return None,
                _ => line,
            },
            None if keeping.held == Held::Startup && keeping.line.newest().is_some() => {
                keeping.line.clone()
            }
            None => return None,
        };
        if keeping.switches.restore {
            return Some(wanted);
        }
        let who = keeping.switches.off.as_deref().unwrap_or("a switch");
        let text = format!("nothing was restored: checkpoints are off ({who})");
        self.notice(key, Notice::new("restore", text));
        self.keeping.line = Line::default();
        self.keeping.held = Held::Other;
        None
    }

    /// Nothing is before the cell any more: what it goes on from comes back, then it begins.
    pub(super) fn begin(&mut self, key: Key) {
        let given_up = self
            .runs
            .get(&key)
            .is_some_and(|run| run.died_restoring > KERNELS);
        if given_up {
            let kernels = KERNELS + 1;
            let text = format!(
                "nothing was restored: {kernels} kernels in a row ended over it; this is a new one without variables"
            );
            self.restore_failed(key, text);
            return;
        }
        match self.branch(key) {
            Some(branch) => self.restore(key, branch),
            None => self.prepared(key),
        }
    }

    fn restore(&mut self, key: Key, branch: Line) {
        let Some(live) = &mut self.live else { return };
        let Some(channels) = &live.channels else {
            return;
        };
        let by = format!("{}-{}", std::process::id(), uuid::Uuid::new_v4().simple());
        let metadata = json!({"headstart": {"restore":
            {"branch": branch.ids(), "by": by, "died": self.keeping.died}}});
        let sent = channels.send_with(hidden("None"), metadata);
        live.sent.insert(sent.0, Purpose::Restore(key));
        self.keeping.restoring = Some(Restoring {
            key,
            heard: Instant::now(),
            branch,
            by,
        });
    }

    /// The kernel goes on with other values.
    pub(super) fn goes_on(&mut self) {
        if let Some(restoring) = &mut self.keeping.restoring {
            restoring.heard = Instant::now();
        }
    }

    /// The kernel says that the restore is over.
    pub(super) fn restored(&mut self, key: Key, message: &str, reply: Reply) {
        let interrupted = self.live.as_mut().is_some_and(|live| {
            live.sent.remove(message);
            std::mem::take(&mut live.interrupt_when_begun)
        });
        let restoring = self.keeping.restoring.take();
        let restoring = restoring.filter(|restoring| restoring.key == key);
        let Some(restoring) = restoring else { return };
        match reply.error {
            None => {
                let restored = reply.restored.unwrap_or_default();
                self.holds(key, &restoring, &restored);
                if interrupted {
                    self.take_back(key);
                } else {
                    self.prepared(key);
                }
            }
            // One that nobody here sent is the fault of a value: it would come again with each cell.
            Some(_) if interrupted => self.take_back(key),
            Some(error) => {
                let holds = if self.keeping.held == Held::Startup {
                    "the kernel has no variables"
                } else {
                    "the kernel holds what it held"
                };
                // The store speaks in whole sentences; of others the name is half of what they say.
                let what = match error.ename.as_str() {
                    "StoreError" => error.evalue,
                    name => format!("{name}: {}", error.evalue),
                };
                let text = format!("nothing was restored: {what}; {holds}");
                self.restore_failed(key, text);
            }
        }
    }

    fn holds(&mut self, key: Key, restoring: &Restoring, restored: &Restored) {
        let keeping = &mut self.keeping;
        keeping.line = match &restored.from {
            Some(from) => restoring.branch.from(from),
            None => Line::default(),
        };
        keeping.held = match &restored.from {
            Some(from) => Held::Checkpoint(from.clone()),
            None => Held::Startup,
        };
        keeping.write_head(false);
        if let Some(text) = restored.words() {
            self.notice(key, Notice::new("restored", text));
        }
        if let Some(run) = self.runs.get_mut(&key)
            && run.work == Work::Restore
        {
            run.failed = Some(Told::Answer("restored", json!(restored)));
        }
    }

    fn take_back(&mut self, key: Key) {
        if let Some(run) = self.runs.get_mut(&key) {
            run.taken_back();
        }
        self.on(Event::Ended(key));
    }

    /// The cell runs all the same, and says so; what asked for nothing else has failed.
    fn restore_failed(&mut self, key: Key, text: String) {
        // It is not tried again with each cell that follows.
        self.keeping.line = Line::default();
        self.keeping.held = Held::Other;
        match self.runs.get_mut(&key) {
            Some(run) if run.work == Work::Restore => {
                run.failed = Some(Told::Error(FailureKind::Internal, text.clone()));
                if run.client == NOBODY {
                    self.notice(key, Notice::new("restore", text));
                }
                self.on(Event::Ended(key));
            }
            _ => {
                self.notice(key, Notice::new("restore", text));
                self.prepared(key);
            }
        }
    }

    fn notice(&mut self, key: Key, notice: Notice) {
        if let Some(run) = self.runs.get_mut(&key) {
            if run.client == NOBODY {
                return self.keeping.notices.push(notice);
            }
            let event = run.notice(notice);
            self.clients.say(run.client, Some(&run.id), &event);
        }
    }

    /// A kernel that restores says nothing any more.
    pub(super) fn end_silent_restore(&mut self, now: Instant) {
        if self
            .keeping
            .restoring
            .as_ref()
            .is_some_and(|restoring| restoring.deadline() <= now)
        {
            self.kernel_ended("the kernel hung while it restored values");
        }
    }

    /// The kernel is gone; whether it was at a restore.
    pub(super) fn died_restoring(&mut self) -> bool {
        let keeping = &mut self.keeping;
        keeping.pending.clear();
        keeping.typing.clear();
        for saver in std::mem::take(&mut keeping.savers) {
            let text = "the kernel ended before the checkpoint was on the disk".to_owned();
            let event = Told::Error(FailureKind::Lost, text);
            self.clients.say(saver.client, Some(&saver.id), &event);
        }
        let Some(restoring) = self.keeping.restoring.take() else {
            return false;
        };
        self.keeping.died.push(restoring.by);
        if let Some(run) = self.runs.get_mut(&restoring.key) {
            run.died_restoring += 1;
        }
        true
    }
}
