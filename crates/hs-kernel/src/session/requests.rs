//! What clients ask of a session.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::client::ClientId;
use super::run::{Run, Work};
use super::state::{Event, Key};
use super::supervisor::{Session, Waiter};
use crate::protocol::{
    Alone, Asked, Branch, Event as Told, FailureKind, Line, MAIN, Open, Read, Request, RunRequest,
    Wait, hello, parse,
};

/// How long other sessions may take to say what they are at.
const PATIENCE: Duration = Duration::from_secs(2);
/// Cells that may wait: code is kept for each.
const MOST_WAITING: usize = 1000;

impl Session {
    pub(super) fn asked(&mut self, client: ClientId, line: Line) {
        let asked = match line {
            Line::Whole(line) => parse(&line).map_err(|bad| (bad.id, bad.message)),
            Line::Bad(what) => Err((None, what.to_owned())),
        };
        match asked {
            Ok(asked) => self.take(client, asked),
            Err((id, message)) => {
                self.refuse(client, id.as_ref(), FailureKind::BadRequest, message);
            }
        }
    }

    fn running_ends(&mut self, why: &'static str) {
        if self.machine.running().is_some() {
            self.why_ended = Some(why);
        }
    }

    fn refuse(
        &self,
        client: ClientId,
        id: Option<&Value>,
        kind: FailureKind,
        message: impl Into<String>,
    ) {
        let event = Told::Error(kind, message.into());
        self.clients.say(client, id, &event);
    }

    fn answer(&self, client: ClientId, id: Option<&Value>, kind: &'static str, fields: Value) {
        self.clients.say(client, id, &Told::Answer(kind, fields));
    }

    fn take(&mut self, client: ClientId, asked: Asked) {
        let id = asked.id;
        // A request that names no session says `main`.
        let own = [self.name.as_str(), self.folder.name(), MAIN];
        if !own.contains(&asked.session.as_str()) {
            let text = format!(
                "this is the session {}, not {}: each has a socket of its own",
                self.folder.name(),
                asked.session
            );
            return self.refuse(client, id.as_ref(), FailureKind::UnknownSession, text);
        }
        match asked.request {
            Request::Hello(asked) => self.clients.say(client, id.as_ref(), &hello(&asked)),
            Request::Open(open) => self.open(client, id, open),
            Request::Run(run) => self.run(client, id, Work::Cell, run),
            Request::Cancel(of) => self.cancel(client, id.as_ref(), of.run),
            Request::Wait(wait) => self.wait_for(client, id, &wait),
            Request::Read(read) => self.read(client, id.as_ref(), &read),
            Request::Status => {
                let status = self.status();
                self.answer(client, id.as_ref(), "status", status);
            }
            Request::List => self.list(client, id),
            Request::Checkpoint(Alone { queue }) => {
                self.run(
                    client,
                    id,
                    Work::Checkpoint,
                    RunRequest::without_code(None, queue),
                );
            }
            Request::Restore(Branch { branch, queue }) => {
                let request = RunRequest::without_code(Some(branch), queue);
                self.run(client, id, Work::Restore, request);
            }
            Request::Release | Request::Close => {
                self.keeping.released();
                self.releasers.push((client, id));
                self.running_ends("the session was released");
                self.on(Event::Close);
            }
            Request::Restart => {
                self.keeping.forget();
                self.openers.push((client, id));
                self.running_ends("the kernel was restarted");
                self.on(Event::Restart);
            }
            Request::Search(asked) => self.search(client, id, asked),
            Request::Export(asked) => self.export(client, id, asked),
            Request::Import(asked) => self.import(client, id, asked),
            Request::Message(asked) => self.note(client, id, asked),
        }
    }

    fn open(&mut self, client: ClientId, id: Option<Value>, open: Open) {
        if self.machine.word() == "down" {
            if let Err((kind, text)) = self.remember(&open) {
                return self.refuse(client, id.as_ref(), kind, text);
            }
            self.open = open;
        }
        self.openers.push((client, id));
        self.on(Event::Open);
    }

    fn run(&mut self, client: ClientId, id: Option<Value>, work: Work, request: RunRequest) {
        let Some(id) = id else {
            let text = "run: expected an id, which its events repeat";
            return self.refuse(client, None, FailureKind::BadRequest, text);
        };
        if self.pending(client, &id).is_some() {
            let text = format!("run: the id {id} is that of a cell that has not ended");
            return self.refuse(client, Some(&id), FailureKind::BadRequest, text);
        }
        if self.machine.queued() >= MOST_WAITING {
            let text = format!("{MOST_WAITING} cells are waiting already");
            return self.refuse(client, Some(&id), FailureKind::Busy, text);
        }
        self.last_key += 1;
        let key = self.last_key;
        let may_wait = request.queue || self.is_at_own_work();
        let run = Run::new(key, client, id, (work, request), Instant::now());
        self.runs.insert(key, run);
        self.on(Event::Run(key, may_wait));
    }

    /// The newest cell of this name: of this client, else of any.
    fn find(&self, client: ClientId, id: &Value) -> Option<Key> {
        let named = || self.runs.values().rev().filter(|run| run.id == *id);
        let own = named().find(|run| run.client == client);
        own.or_else(|| named().next()).map(|run| run.key)
    }

    fn pending(&self, client: ClientId, id: &Value) -> Option<Key> {
        let key = self.find(client, id)?;
        let run = &self.runs[&key];
        (run.client == client && !run.is_over()).then_some(key)
    }

    fn cancel(&mut self, client: ClientId, id: Option<&Value>, run: Option<Value>) {
        let key = match &run {
            Some(run) => {
                let key = self.find(client, run);
                key.filter(|key| !self.runs[key].is_over())
            }
            None => self.machine.running(),
        };
        // When the request has no id of its own, the result of the cell is the answer.
        if run.as_ref() != id || key.is_none() {
            let mut fields = json!({"found": key.is_some()});
            if let Some(run) = key.map(|key| self.runs[&key].id.clone()).or(run) {
                fields["run"] = run;
            }
            self.answer(client, id, "cancelled", fields);
        }
        if key.is_some() {
            self.on(Event::Cancel(key));
        }
    }

    fn wait_for(&mut self, client: ClientId, id: Option<Value>, wait: &Wait) {
        let Some(key) = self.find(client, &wait.run) else {
            return self.unknown(client, id.as_ref(), &wait.run);
        };
        let timeout = wait.timeout_s.map(Duration::from_secs_f64);
        self.waiters.push(Waiter {
            client,
            id,
            key,
            until: timeout.map(|timeout| Instant::now() + timeout),
        });
        let run = &self.runs[&key];
        let over = run.failed.clone().or_else(|| {
            let ended = run.ended()?.clone();
            Some(Told::Result(Box::new(ended)))
        });
        if let Some(event) = over {
            self.tell_waiters(key, &event);
        }
    }

    fn unknown(&self, client: ClientId, id: Option<&Value>, run: &Value) {
        let text = format!("no cell {run} is known in this session: the last 200 are");
        self.refuse(client, id, FailureKind::UnknownRun, text);
    }

    /// The cell is over: all who wait for it hear how.
    pub(super) fn tell_waiters(&mut self, key: Key, event: &Told) {
        let name = self.runs.get(&key).map(|run| run.id.clone());
        let (told, others): (Vec<Waiter>, Vec<Waiter>) = std::mem::take(&mut self.waiters)
            .into_iter()
            .partition(|waiter| waiter.key == key);
        self.waiters = others;
        for waiter in told {
            let event = match event {
                Told::Result(ended) => {
                    let mut fields = json!(ended);
                    fields["run"] = json!(name);
                    Told::Answer("result", fields)
                }
                other => other.clone(),
            };
            self.clients.say(waiter.client, waiter.id.as_ref(), &event);
        }
    }

    /// Who wanted an answer until now hears that there is none yet.
    pub(super) fn tell_timeouts(&mut self, now: Instant) {
        let text = "time is over and the cell goes on: wait for it, read its output, or cancel it";
        let event = Told::Error(FailureKind::Timeout, text.to_owned());
        for run in self.runs.values_mut() {
            if !run.is_over() && !run.given_up && run.deadline.is_some_and(|at| at <= now) {
                run.given_up = true;
                self.clients.say(run.client, Some(&run.id), &event);
            }
        }
        let (over, others): (Vec<Waiter>, Vec<Waiter>) = std::mem::take(&mut self.waiters)
            .into_iter()
            .partition(|waiter| waiter.until.is_some_and(|at| at <= now));
        self.waiters = others;
        for waiter in over {
            self.clients.say(waiter.client, waiter.id.as_ref(), &event);
        }
    }

    fn read(&self, client: ClientId, id: Option<&Value>, read: &Read) {
        let Some(key) = self.find(client, &read.run) else {
            return self.unknown(client, id, &read.run);
        };
        match self.runs[&key].whole() {
            Ok(text) => {
                let mut fields = read.lines_of(&text);
                fields["run"] = read.run.clone();
                self.answer(client, id, "lines", fields);
            }
            Err(error) => {
                let text = format!("its output cannot be read any more: {error}");
                self.refuse(client, id, FailureKind::Internal, text);
            }
        }
    }

    /// Others are asked on a thread of its own, since this session is one of them.
    fn list(&self, client: ClientId, id: Option<Value>) {
        let asked = self.clients.whisper(client);
        tokio::task::spawn_blocking(move || {
            let event = crate::registry::listed(PATIENCE);
            asked(id.as_ref(), &event);
        });
    }
}
