//! What the session remembers: cells go into its context as they end, and clients search it and note things. All that waits
//! for the disk is done on the thread of the context; here it is decided whether there is one, and where.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use super::client::ClientId;
use super::run::{Run, Work};
use super::state::Key;
use super::supervisor::{Inside, Session};
use super::typed::Typed;
use crate::context::{
    Cell, Client, Context, Database, Entry, Error, Kind, Message, Options, Place, Search, What,
    durable, named,
};
use crate::output::shown;
use crate::persistence::switches;
use crate::protocol::{
    Ended, Event as Told, ExportRequest, FailureKind, ImportRequest, MessageRequest, Notice, Open,
    SearchRequest,
};

/// The variable that turns it off.
const VARIABLE: &str = "HEADSTART_CONTEXT";
/// What a host says in `open` to turn it off.
const OFF: &str = "off";
/// What a session knows of its context.
#[derive(Default)]
pub(super) struct Remembering {
    state: State,
    /// Cells of other clients of the kernel that have not ended, by their request.
    pub typed: HashMap<String, Typed>,
    /// What the next result says.
    notices: Vec<Notice>,
}

#[derive(Default)]
enum State {
    /// Nothing asked for it yet.
    #[default]
    Undecided,
    /// There is none; who said so.
    Off(String),
    /// There is one; of which name, if it stays.
    On(Option<String>, Arc<Context>),
}

impl Remembering {
    fn context(&self) -> Option<&Arc<Context>> {
        match &self.state {
            State::On(_, context) => Some(context),
            _ => None,
        }
    }

    /// What the next result says.
    pub fn notices(&mut self) -> Vec<Notice> {
        std::mem::take(&mut self.notices)
    }

    /// Something is wrong with the file.
    pub fn told(&mut self, text: String) -> Notice {
        let notice = Notice::new("context", text);
        self.notices.push(notice.clone());
        notice
    }

    /// What `status` says of it.
    pub fn status(&self) -> Value {
        let Some(context) = self.context() else {
            return Value::Null;
        };
        let facts = context.facts();
        let mut status =
            json!({"path": facts.path, "entries": facts.entries, "bytes": facts.bytes});
        for (name, count) in [("dropped", facts.dropped), ("lost", facts.lost)] {
            if count > 0 {
                status[name] = json!(count);
            }
        }
        status
    }

    /// Waits, at the end of the session, until all is written and the file is free.
    pub async fn end(&mut self, patience: Duration) {
        if let State::On(_, context) = std::mem::take(&mut self.state) {
            let _ = tokio::task::spawn_blocking(move || context.end(patience)).await;
        }
    }
}

impl Session {
    /// Decides whether there is a context and where, as `open` says.
    ///
    /// # Errors
    /// The file that was named cannot be had: for the host.
    pub(super) fn remember(&mut self, open: &Open) -> Result<(), (FailureKind, String)> {
        let wanted = open.context.as_deref();
        let variable = std::env::var(VARIABLE).unwrap_or_default();
        let off = match (variable.as_str(), self.settings.context, wanted) {
            ("0" | "false" | "off" | "no", _, _) => Some(format!("{VARIABLE}={variable}")),
            (_, Some(false), _) => Some("--no-context".to_owned()),
            (_, _, Some(OFF)) => Some("context of open".to_owned()),
            _ => None,
        };
        let name = wanted.map(str::to_owned).or_else(|| {
            (self.detached && self.may_stay(open)).then(|| self.folder.name().to_owned())
        });
        let before = match (&self.remembering.state, off) {
            (State::On(of, _), None) if *of == name => return Ok(()),
            (_, Some(off)) => std::mem::replace(&mut self.remembering.state, State::Off(off)),
            (_, None) => {
                let begun = self.begin_context(name, wanted.is_some())?;
                std::mem::replace(&mut self.remembering.state, begun)
            }
        };
        if let State::On(_, context) = before {
            // A host that begins its session anew may want another one.
            tokio::task::spawn_blocking(move || context.end(super::supervisor::LAST));
        }
        Ok(())
    }

    /// Where nothing of a session is to be saved, what it did goes with it, too.
    fn may_stay(&self, open: &Open) -> bool {
        let cwd = open.cwd.clone().or_else(|| std::env::current_dir().ok());
        let saves = |cwd: PathBuf| switches(&cwd, open.checkpoints, self.settings.checkpoints);
        cwd.is_none_or(|cwd| saves(cwd).is_ok_and(|switches| switches.save))
    }

    fn begin_context(
        &mut self,
        name: Option<String>,
        is_wanted: bool,
    ) -> Result<State, (FailureKind, String)> {
        let own = || Place::Session(self.folder.path().join("context.db"));
        let mut trouble = None;
        let (place, name) = match name {
            None => (own(), None),
            Some(name) => {
                let who = format!(
                    "the session {} (process {})",
                    self.folder.name(),
                    std::process::id()
                );
                match durable(&name, &who) {
                    Ok(held) => (Place::Durable(held), Some(name)),
                    Err(error) if is_wanted || error.kind() == Kind::Busy => {
                        return Err((failure(&error), error.to_string()));
                    }
                    // The session is worth more than what it remembers.
                    Err(error) => {
                        trouble =
                            Some(format!("context: it does not outlive the session: {error}"));
                        (own(), None)
                    }
                }
            }
        };
        let inside = self.inside.clone();
        let tell = move |text| {
            let _ = inside.send(Inside::Context(text));
        };
        let context = Context::begin(place, Options::default(), tell)
            .map_err(|error| (FailureKind::Internal, format!("context: {error}")))?;
        if let Some(text) = trouble {
            self.remembering.told(text);
        }
        Ok(State::On(name, Arc::new(context)))
    }

    /// The context, which is decided on when something needs it first.
    fn context(&mut self) -> Result<Arc<Context>, (FailureKind, String)> {
        if matches!(self.remembering.state, State::Undecided) {
            let open = self.open.clone();
            self.remember(&open)?;
        }
        match &self.remembering.state {
            State::On(_, context) => Ok(Arc::clone(context)),
            State::Off(who) => Err((
                FailureKind::Unsupported,
                format!("there is no context: it is off ({who})"),
            )),
            State::Undecided => Err((FailureKind::Internal, "context: undecided".to_owned())),
        }
    }

    fn entry(&self, what: What, began: SystemTime) -> Entry {
        Entry {
            session: self.folder.name().to_owned(),
            time: milliseconds(began),
            what,
        }
    }

    pub(super) fn keep(&mut self, what: What, began: SystemTime) {
        // Who wants it gone has said so; what is wrong with it was told.
        let Ok(context) = self.context() else { return };
        context.add(self.entry(what, began));
    }

    /// A cell has ended.
    pub(super) fn remember_cell(&mut self, key: Key, ended: &Ended) {
        let Some(run) = self.runs.get(&key) else {
            return;
        };
        if run.never_given() || run.started.is_none() {
            return;
        }
        let lost = ended.state == crate::protocol::State::Lost;
        let cell = Cell {
            output: ended.output.clone(),
            status: if lost { "lost" } else { ended.status }.to_owned(),
            ename: ended.error.as_ref().map(|error| error.ename.clone()),
            evalue: ended.error.as_ref().map(|error| error.evalue.clone()),
            checkpoint: ended.checkpoint.clone().filter(|_| !lost),
            duration_ms: ended.duration_ms as i64,
            ..begun(run)
        };
        self.keep(What::Cell(cell), before(ended.duration_ms));
    }

    /// A cell was lost with its kernel.
    pub(super) fn remember_lost(&mut self, run: &Run, reason: &str) {
        let Some(started) = run.started.filter(|_| run.work == Work::Cell) else {
            return;
        };
        let output = run.whole().unwrap_or_default();
        let duration = started.elapsed().as_millis() as u64;
        let cell = Cell {
            output: shown(&output).text.to_owned(),
            status: "lost".to_owned(),
            evalue: Some(reason.to_owned()),
            duration_ms: duration as i64,
            ..begun(run)
        };
        self.keep(What::Cell(cell), before(duration));
    }

    pub(super) fn search(&mut self, client: ClientId, id: Option<Value>, asked: SearchRequest) {
        let mut search = Search::new(&asked.query);
        if let Some(limit) = asked.limit {
            search = search.with_limit(limit);
        }
        let own = match &self.remembering.state {
            State::On(Some(name), _) => Some(name.clone()),
            _ => None,
        };
        match asked.of.filter(|of| own.as_ref() != Some(of)) {
            Some(of) => {
                let tell = self.clients.whisper(client);
                tokio::task::spawn_blocking(move || {
                    let found = named(&of)
                        .and_then(|path| Database::open_to_read(&path))
                        .and_then(|database| database.search(&search));
                    tell(
                        id.as_ref(),
                        &answer("found", found.map(|found| json!(found))),
                    );
                });
            }
            None => self.ask(client, id, "found", move |database| {
                database.search(&search).map(|found| json!(found))
            }),
        }
    }

    pub(super) fn export(&mut self, client: ClientId, id: Option<Value>, asked: ExportRequest) {
        self.ask(client, id, "exported", move |database| {
            let rows = database.export(asked.format, &asked.path, asked.overwrite)?;
            Ok(json!({"path": asked.path, "rows": rows}))
        });
    }

    pub(super) fn import(&mut self, client: ClientId, id: Option<Value>, asked: ImportRequest) {
        self.ask(client, id, "imported", move |database| {
            let rows = database.import(&asked.path)?;
            Ok(json!({"path": asked.path, "rows": rows}))
        });
    }

    pub(super) fn note(&mut self, client: ClientId, id: Option<Value>, asked: MessageRequest) {
        let MessageRequest { role, text } = asked;
        match self.context() {
            Ok(context) => {
                let tell = self.clients.whisper(client);
                let entry = self.entry(What::Message(Message { role, text }), SystemTime::now());
                context.add_and_tell(entry, move |noted| {
                    tell(id.as_ref(), &answer("noted", noted.map(|()| json!({}))));
                });
            }
            Err((kind, text)) => {
                let event = Told::Error(kind, text);
                self.clients.say(client, id.as_ref(), &event);
            }
        }
    }

    /// Asks the thread of the context; it answers the client itself.
    fn ask(
        &mut self,
        client: ClientId,
        id: Option<Value>,
        kind: &'static str,
        question: impl FnOnce(&mut Database) -> crate::context::Result<Value> + Send + 'static,
    ) {
        match self.context() {
            Ok(context) => {
                let tell = self.clients.whisper(client);
                context.ask(question, move |fields| {
                    tell(id.as_ref(), &answer(kind, fields));
                });
            }
            Err((kind, text)) => self
                .clients
                .say(client, id.as_ref(), &Told::Error(kind, text)),
        }
    }
}

fn answer(kind: &'static str, fields: crate::context::Result<Value>) -> Told {
    match fields {
        Ok(fields) => Told::Answer(kind, fields),
        Err(error) => Told::Error(failure(&error), error.to_string()),
    }
}

/// What a fault of the context is to a host.
fn failure(error: &Error) -> FailureKind {
    match error.kind() {
        Kind::Busy => FailureKind::Busy,
        Kind::Missing | Kind::Exists | Kind::Format => FailureKind::BadRequest,
        Kind::Damaged | Kind::Newer | Kind::Refused | Kind::System => FailureKind::Internal,
    }
}

/// What is known of a cell from its beginning.
fn begun(run: &Run) -> Cell {
    Cell {
        code: run.request.code.clone(),
        number: run.execution_count.map(|number| number as i64),
        generation: run.generation as i64,
        run: Some(run.id.clone()),
        client: Client::Host,
        ..Cell::default()
    }
}

/// So many milliseconds ago.
fn before(milliseconds: u64) -> SystemTime {
    let now = SystemTime::now();
    now.checked_sub(Duration::from_millis(milliseconds))
        .unwrap_or(now)
}

fn milliseconds(time: SystemTime) -> i64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    since.as_millis() as i64
}
