//! Checkpoints of a session, as far as the supervisor has to do with them: which one the kernel holds, which are on their
//! way to the disk, on which the session stands. The kernel saves; here it is told when. What comes back is in `restoring`.

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};

use super::client::{ClientId, NOBODY};
use super::restoring::Restoring;
use super::run::Work;
use super::state::{Event, Key};
use super::supervisor::{Purpose, Session};
use crate::kernel::{hidden, visible};
use crate::persistence::{Head, Line, Saved, Switches, store, switches};
use crate::protocol::{Event as Told, FailureKind, Notice};

/// How long saves may take when the session ends.
pub(super) const SAVING: Duration = Duration::from_secs(10);
/// Letters of a cell's code that stand in its checkpoint.
const CODE: usize = 2000;

/// What the kernel holds.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) enum Held {
    /// What startup made.
    #[default]
    Startup,
    /// What a checkpoint has; it may still be on its way to the disk.
    Checkpoint(String),
    /// Something that no checkpoint has.
    Other,
}

/// Somebody who waits until a checkpoint is on the disk.
pub(super) struct Saver {
    pub client: ClientId,
    pub id: Value,
    checkpoint: String,
    /// What the kernel held until then.
    parent: Option<String>,
}

/// What a session knows of its checkpoints.
#[derive(Default)]
pub(super) struct Keeping {
    pub switches: Switches,
    store: Option<PathBuf>,
    /// Where a session with a name writes down on what it stands.
    head: Option<Head>,
    pub(super) line: Line,
    pub(super) held: Held,
    /// Checkpoints that are on their way to the disk.
    pub(super) pending: HashMap<String, (ClientId, Value)>,
    pub(super) savers: Vec<Saver>,
    pub(super) restoring: Option<Restoring>,
    /// Kernels that ended while they restored: what they were at is to blame.
    pub(super) died: Vec<String>,
    /// Why saves failed since one succeeded, as it was told.
    told: Vec<String>,
    /// What the next result says.
    pub(super) notices: Vec<Notice>,
    /// It was looked up where a session of this name stood.
    taken_up: bool,
    /// It stood somewhere, and goes on there.
    pub(super) goes_on: bool,
    /// The cell of a console that runs: its request and code.
    typed: Option<(String, String)>,
    /// Checkpoints of what was typed, by the requests that save them.
    pub(super) typing: HashMap<String, String>,
}

impl Keeping {
    /// The kernel holds what this checkpoint has, or will have.
    fn stand_on(&mut self, id: &str) {
        self.line.push(id.to_owned());
        self.held = Held::Checkpoint(id.to_owned());
    }

    /// Whether anything is on its way to the disk.
    pub fn is_saving(&self) -> bool {
        !self.pending.is_empty()
    }

    /// The checkpoint that the kernel holds.
    pub fn held(&self) -> Option<&str> {
        match &self.held {
            Held::Checkpoint(id) => Some(id),
            _ => None,
        }
    }

    /// Whether somebody waits for a checkpoint.
    pub fn waits(&self, client: ClientId) -> bool {
        self.savers.iter().any(|saver| saver.client == client)
    }

    /// What the user is told of the variables when a kernel was lost.
    pub fn after_loss(&self) -> &'static str {
        if self.switches.restore && self.line.newest().is_some() {
            "the next cell has a new kernel, with the variables of the last checkpoint"
        } else {
            "all variables are gone, and the next cell has a new kernel"
        }
    }

    /// Another client of the kernel, as a console is, runs something.
    pub fn disturbed(&mut self, request: &str, code: &str) {
        self.typed = Some((request.to_owned(), code.chars().take(CODE).collect()));
        if self.held == Held::Startup {
            self.held = Held::Other;
        }
    }

    /// The kernel is a new one on purpose: nothing comes back.
    pub fn forget(&mut self) {
        self.line = Line::default();
        self.write_head(false);
    }

    /// The session is released: one that is called so later begins anew.
    pub fn released(&mut self) {
        // One that never had anything does not take away what the one before it had.
        if self.line.newest().is_some() {
            self.write_head(true);
        }
    }

    pub(super) fn write_head(&mut self, released: bool) {
        if let Some(head) = &self.head
            && self.taken_up
            && let Err(error) = head.write(&self.line, released)
        {
            let text = format!("where the session stands cannot be written down: {error}");
            self.tell_once(text);
        }
    }

    /// A failure that stays the same is told once.
    fn tell_once(&mut self, text: String) {
        if !self.told.contains(&text) {
            self.notices.push(Notice::new("checkpoint", &text));
            self.told.push(text);
        }
    }
}

impl Session {
    /// What the next kernel is to know of checkpoints, as a variable of its environment.
    ///
    /// # Errors
    /// A file of the project cannot be understood.
    pub(super) fn kept_by(&mut self, cwd: &std::path::Path) -> Result<Option<String>, String> {
        let keeping = &mut self.keeping;
        keeping.switches = switches(cwd, self.open.checkpoints, self.settings.checkpoints)?;
        keeping.held = Held::Startup;
        keeping.restoring = None;
        keeping.pending.clear();
        keeping.typing.clear();
        if keeping.store.is_none() {
            keeping.store = store();
            if keeping.store.is_none() {
                keeping.switches = Switches::default();
                keeping.switches.off =
                    Some("no folder: neither XDG_CACHE_HOME nor HOME is set".to_owned());
            }
        }
        if self.detached && !keeping.taken_up {
            keeping.taken_up = true;
            keeping.head = Head::of(&self.name);
            let written = keeping.head.as_ref().and_then(Head::read);
            if let Some((line, released)) = written
                && (self.open.resume || !released)
            {
                keeping.goes_on = line.newest().is_some();
                keeping.line = line;
            }
        }
        let any = keeping.switches.save || keeping.switches.restore;
        Ok(keeping.store.as_ref().filter(|_| any).map(|store| {
            let limits = keeping.switches.limits;
            json!({"root": store, "session": self.name, "limits": limits}).to_string()
        }))
    }

    /// Gives the kernel the cell, or what stands in its place.
    pub(super) fn give(&mut self, key: Key) {
        let Some(run) = self.runs.get_mut(&key) else {
            return;
        };
        if run.work == Work::Restore {
            return self.on(Event::Ended(key));
        }
        let mut metadata = json!({});
        if self.keeping.switches.save {
            let id = uuid::Uuid::new_v4().simple().to_string();
            let code: String = run.request.code.chars().take(CODE).collect();
            metadata = json!({"headstart": {"checkpoint": {"id": id, "parent": self.keeping.held(),
                "cell": {"code": code, "id": run.id}}}});
            run.checkpoint = Some(id);
        } else if run.work == Work::Checkpoint {
            let who = self.keeping.switches.off.as_deref().unwrap_or("a switch");
            let text = format!("nothing was saved: checkpoints are off ({who})");
            run.failed = Some(Told::Error(FailureKind::Unsupported, text));
            return self.on(Event::Ended(key));
        }
        let (purpose, request) = match run.work {
            Work::Cell => (Purpose::Cell(key), visible(&run.request.code)),
            _ => (Purpose::Save(key), hidden("None")),
        };
        if let Some(live) = &mut self.live
            && let Some(channels) = &live.channels
        {
            let sent = channels.send_with(request, metadata);
            live.sent.insert(sent.0, purpose);
            run.given = true;
            if let Some(id) = run.checkpoint.clone() {
                let who = (run.client, run.id.clone());
                self.keeping.pending.insert(id, who);
            }
        }
    }

    /// A cell has ended and the kernel lives: it holds what the checkpoint of the cell will have.
    pub(super) fn kept(&mut self, key: Key) {
        let Some(run) = self.runs.get_mut(&key) else {
            return;
        };
        if !run.given {
            return;
        }
        let keeping = &mut self.keeping;
        if run.work == Work::Cell {
            match &run.checkpoint {
                Some(id) => keeping.stand_on(id),
                None => keeping.held = Held::Other,
            }
            for notice in std::mem::take(&mut keeping.notices) {
                run.notice(notice);
            }
        }
    }

    /// Who asked for a checkpoint hears of it when it is on the disk, which the session does not wait for.
    pub(super) fn await_checkpoint(&mut self, key: Key) {
        let Some(run) = self.runs.get_mut(&key) else {
            return;
        };
        if let Some(checkpoint) = run.checkpoint.clone()
            && run.failed.is_none()
        {
            let parent = self.keeping.held().map(str::to_owned);
            self.keeping.savers.push(Saver {
                client: run.client,
                id: run.id.clone(),
                checkpoint,
                parent,
            });
        }
    }

    /// The cell is over, and the kernel may be saving what it holds.
    pub(super) fn saves(&mut self, key: Key, freezes: bool) {
        let run = self.runs.get(&key);
        if let Some(id) = run.and_then(|run| run.checkpoint.clone()) {
            self.freezes(id, freezes);
        }
    }

    fn freezes(&mut self, id: String, freezes: bool) {
        if let Some(live) = &mut self.live
            && freezes
            // That came by another socket, and may have come before.
            && live.frozen.as_ref() != Some(&id)
        {
            live.freezing = Some(id);
        }
    }

    /// A cell that somebody typed in a console has ended: what it made is saved for a crash. The checkpoint is one of the
    /// session's own line only. A host that goes on from its own branch gets what was typed with its next cell, as ever.
    pub(super) fn save_typed(&mut self, request: &str) {
        let typed = &mut self.keeping.typed;
        let Some((_, code)) = typed.take_if(|(typed, _)| typed == request) else {
            return;
        };
        if !self.keeping.switches.save || self.keeping.restoring.is_some() {
            return;
        }
        let Some(live) = &mut self.live else { return };
        let Some(channels) = &live.channels else {
            return;
        };
        let id = uuid::Uuid::new_v4().simple().to_string();
        let metadata = json!({"headstart": {"checkpoint": {"id": id, "parent": self.keeping.line.newest(),
            "cell": {"code": code, "id": null}}}});
        let sent = channels.send_with(hidden("None"), metadata);
        live.sent.insert(sent.0.clone(), Purpose::Typed);
        self.keeping.typing.insert(sent.0, id.clone());
        self.keeping.pending.insert(id, (NOBODY, Value::Null));
    }

    /// The kernel has taken up the save of what was typed.
    pub(super) fn typed_is_held(&mut self, request: &str, freezes: bool) {
        if let Some(live) = &mut self.live {
            live.sent.remove(request);
        }
        if let Some(id) = self.keeping.typing.remove(request) {
            self.keeping.line.push(id.clone());
            self.freezes(id, freezes);
        }
    }

    /// What is saved cannot change any more: the next cell may begin.
    pub(super) fn frozen(&mut self, id: &str) {
        let Some(live) = &mut self.live else { return };
        live.frozen = Some(id.to_owned());
        if live.freezing.as_deref() == Some(id) {
            live.freezing = None;
            self.begin_held();
        }
    }

    /// Begins the cell that waited, if nothing is before it any more.
    pub(super) fn begin_held(&mut self) {
        if let Some(live) = &mut self.live
            && live.foreign.is_empty()
            && live.freezing.is_none()
            && let Some(key) = live.held.take()
        {
            self.begin(key);
        }
    }

    /// A checkpoint is on the disk, or failed.
    pub(super) fn saved(&mut self, saved: &Saved) {
        self.frozen(&saved.id);
        let keeping = &mut self.keeping;
        let who = keeping.pending.remove(&saved.id);
        match &saved.error {
            None => {
                keeping.told.clear();
                // One that was asked for is what the kernel holds only now: had it failed, its id would be nobody's.
                let mut asked = keeping.savers.iter();
                if let Some(saver) = asked.find(|saver| saver.checkpoint == saved.id)
                    && saver.parent.as_deref() == keeping.held()
                {
                    keeping.stand_on(&saved.id);
                }
                keeping.write_head(false);
            }
            Some(error) => {
                let text = format!(
                    "the state after the last cell was not saved: {error}; it lives in the kernel only"
                );
                keeping.tell_once(text);
            }
        }
        let (ready, others): (Vec<Saver>, _) = std::mem::take(&mut keeping.savers)
            .into_iter()
            .partition(|saver| saver.checkpoint == saved.id);
        keeping.savers = others;
        if ready.is_empty()
            && let Some((client, id)) = who
        {
            self.clients
                .say(client, Some(&id), &Told::Answer("saved", json!(saved)));
        }
        for saver in ready {
            let event = match &saved.error {
                Some(error) => {
                    Told::Error(FailureKind::Internal, format!("nothing was saved: {error}"))
                }
                None => Told::Answer("checkpoint", json!(saved)),
            };
            self.clients.say(saver.client, Some(&saver.id), &event);
        }
    }
}
