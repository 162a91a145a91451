//! Does what the state machine decides: kernels begin and end, cells are given to them, results go out.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::keeping::SAVING;
use super::run::{Run, Work};
use super::state::{Effect, Event, How, Key, Why};
use super::supervisor::{DYING, Inside, Live, Purpose, REMEMBERED, Session};
use crate::kernel::{Kernel, Said, Spawn, Started, hidden, shutdown, start};
use crate::process::end_descendants;
use crate::protocol::{Event as Told, FailureKind, Notice, State};

/// How long a kernel may take to end by itself, when it is asked to and runs nothing: programs close their files then.
const GENTLE: Duration = Duration::from_secs(1);

impl Session {
    pub(super) fn take_effect(&mut self, effect: Effect, gentle: bool) {
        match effect {
            Effect::Start(generation) => {
                if let Err(text) = self.start(generation) {
                    self.on(Event::StartFailed(text));
                }
            }
            Effect::TellReady => self.tell_ready(),
            Effect::TellNotStarted(reason) => self.tell_not_started(&reason),
            Effect::Execute(key) => self.execute(key),
            Effect::Interrupt => self.interrupt(),
            Effect::Probe => self.probe(),
            Effect::Kill => self.kill(gentle),
            Effect::TellLost(reason) => self.tell_lost(reason),
            Effect::Finish(key, how, state) => self.finish(key, how, state),
            Effect::Fail(key, why) => self.fail(key, &why),
            Effect::Closed => self.over = true,
        }
    }

    fn start(&mut self, generation: u64) -> Result<(), String> {
        let mut settings = self.settings.clone();
        if let Some(python) = &self.open.python {
            settings.python = Some(python.clone());
        }
        let python = crate::python::choose(&settings)?;
        let here = || std::env::current_dir().map_err(|error| format!("cwd: {error}"));
        let cwd: PathBuf = match &self.open.cwd {
            Some(cwd) => cwd.clone(),
            None => here()?,
        };
        let mut env = self.open.env.clone();
        if let Some(checkpoints) = self.kept_by(&cwd)? {
            env.insert("HEADSTART_KERNEL_CHECKPOINTS".to_owned(), checkpoints);
        }
        let kernel = Kernel::spawn(&Spawn {
            python: &python,
            folder: self.folder.path(),
            generation,
            cwd: &cwd,
            env: &env,
            transport: self.open.transport,
        })
        .map_err(|error| error.to_string())?;
        self.python = Some(python);
        self.names = None;
        self.sample = super::report::Sample::default();
        let ready = start(kernel.info.clone(), self.open.startup_code.clone());
        let inside = self.inside.clone();
        let starting = tokio::spawn(async move {
            let _ = inside.send(Inside::Started(generation, ready.await));
        });
        self.live = Some(Live {
            kernel,
            channels: None,
            starting: Some(starting),
            sent: std::collections::HashMap::new(),
            past: std::collections::HashMap::new(),
            ended: None,
            interrupt_when_begun: false,
            foreign: std::collections::HashSet::new(),
            freezing: None,
            frozen: None,
            held: None,
            folders: std::collections::HashSet::new(),
        });
        Ok(())
    }

    /// A kernel that was being started is ready, or not.
    pub(super) fn started(&mut self, generation: u64, started: Result<Started, String>) {
        let Some(live) = &mut self.live else { return };
        if live.kernel.generation != generation || live.ended.is_some() {
            return;
        }
        live.starting = None;
        match started {
            Ok(started) => {
                live.channels = Some(started.channels);
                self.incoming = Some(started.incoming);
                self.early = started.early;
                self.on(Event::Started);
                self.resume();
            }
            Err(text) => {
                live.kernel.kill();
                end_descendants(DYING);
                let text = self.with_tail(&text);
                self.forget_kernel();
                self.on(Event::StartFailed(text));
            }
        }
    }

    fn with_tail(&self, text: &str) -> String {
        let tail = self.live.as_ref().map(|live| live.kernel.tail());
        match tail.filter(|tail| !tail.is_empty()) {
            Some(tail) => format!("{text}\n{tail}"),
            None => text.to_owned(),
        }
    }

    /// What a user needs who must find out why a program ended that was to become a kernel.
    fn with_python(&self, text: &str) -> String {
        let python = self.python.as_deref().unwrap_or(std::path::Path::new(""));
        let python = python.display();
        format!(
            "{text}: {python}, which must be a Python with headstart[kernel]; name another with --python or \
             HEADSTART_PYTHON"
        )
    }

    fn forget_kernel(&mut self) {
        self.kill_at = None;
        self.next_progress = None;
        self.incoming = None;
        if let Some(live) = self.live.take() {
            live.kernel.clean();
        }
    }

    /// The kernel is gone and all it said is heard.
    pub(super) fn exited(&mut self, reason: &str) {
        let starting = self.machine.word() == "starting";
        let reason = if starting {
            self.with_tail(&self.with_python(reason))
        } else {
            reason.to_owned()
        };
        let tail = self.live.as_ref().map(|live| live.kernel.tail());
        self.last_tail = tail.unwrap_or_default();
        self.last_generation = self.machine.generation();
        self.forget_kernel();
        if self.died_restoring() {
            self.on(Event::ExitedRestoring(reason));
        } else {
            self.on(Event::Exited(reason));
        }
    }

    fn tell_ready(&mut self) {
        for (client, id) in std::mem::take(&mut self.openers) {
            if let Some(live) = &self.live {
                let ready = Told::Ready {
                    generation: live.kernel.generation,
                    pid: live.kernel.pid.as_raw_nonzero().get().cast_unsigned(),
                    connection_file: live.kernel.connection_file.display().to_string(),
                };
                self.clients.say(client, id.as_ref(), &ready);
            }
        }
    }

    fn tell_not_started(&mut self, reason: &str) {
        let text = format!("the kernel did not start: {reason}");
        for (client, id) in std::mem::take(&mut self.openers) {
            let event = Told::Error(FailureKind::Start, text.clone());
            self.clients.say(client, id.as_ref(), &event);
        }
    }

    fn tell_lost(&mut self, reason: String) {
        let lost = Told::Lost {
            generation: self.last_generation,
            reason,
            stderr_tail: std::mem::take(&mut self.last_tail),
        };
        self.clients.say_to_all(&lost);
    }

    fn execute(&mut self, key: Key) {
        let now = Instant::now();
        // Short cells pay for no look at what the kernel uses.
        self.next_progress = Some(now + super::report::SHORTEST);
        let Some(run) = self.runs.get_mut(&key) else {
            return;
        };
        // After a kernel that ended before the cell began it is the same cell.
        if run.started.replace(now).is_none() && run.work == Work::Cell {
            self.clients
                .say(run.client, Some(&run.id), &Told::CellStart);
        }
        run.generation = self.machine.generation();
        for message in std::mem::take(&mut self.early) {
            if let Said::Stream { text, .. } = message.said {
                let notice = Notice::new("startup", format!("the start printed: {text}"));
                let event = run.notice(notice);
                self.clients.say(run.client, Some(&run.id), &event);
            } else if let Said::Display { data, .. } = message.said {
                for event in run.display(data, None, false, false) {
                    self.clients.say(run.client, Some(&run.id), &event);
                }
            }
        }
        if let Some(live) = &mut self.live
            && live.freezing.is_some()
        {
            live.held = Some(key);
            return;
        }
        if let Some(live) = &mut self.live
            && !live.foreign.is_empty()
        {
            live.held = Some(key);
            let text = "waits for a cell of another client of this kernel";
            let event = Told::Notice(Notice::new("waits", text));
            return self.clients.say(run.client, Some(&run.id), &event);
        }
        self.begin(key);
    }

    /// The kernel holds what the cell goes on from.
    pub(super) fn prepared(&mut self, key: Key) {
        let Some(run) = self.runs.get(&key) else {
            return;
        };
        match &run.request.cwd {
            Some(cwd) => {
                // Text of Rust is text of Python here: quotes, backslashes and controls are escaped alike in JSON.
                let folder = serde_json::Value::from(cwd.display().to_string());
                let code = format!("__import__('os').chdir({folder})");
                self.send(Purpose::Folder(key), &code);
            }
            None => self.give(key),
        }
    }

    fn send(&mut self, purpose: Purpose, code: &str) {
        let Some(live) = &mut self.live else { return };
        let Some(channels) = &live.channels else {
            return;
        };
        let sent = channels.send(hidden(code));
        live.sent.insert(sent.0, purpose);
    }

    fn probe(&mut self) {
        // A cell that the kernel never had has done nothing to it, and others may keep it busy.
        let running = self.machine.running().and_then(|key| self.runs.get(&key));
        if running.is_some_and(Run::never_given) {
            self.on(Event::Proved);
        } else {
            self.send(Purpose::Probe, "None");
        }
    }

    /// A signal that comes before the kernel has begun with the cell would hit nothing: it waits until then.
    fn interrupt(&mut self) {
        let begun = self
            .machine
            .running()
            .and_then(|key| self.runs.get(&key))
            .is_some_and(|run| run.begun);
        if let Some(live) = &mut self.live {
            if let Some(key) = live.held.take() {
                if let Some(run) = self.runs.get_mut(&key) {
                    run.taken_back();
                }
                self.on(Event::Ended(key));
            } else if self.keeping.restoring.is_some() {
                // Whether the signal meets the restore or comes before it: the cell does not begin.
                live.interrupt_when_begun = true;
                live.kernel.interrupt();
            } else if begun {
                live.kernel.interrupt();
            } else {
                // Asked again: what an earlier cell left behind may be what the kernel does not come past.
                if std::mem::replace(&mut live.interrupt_when_begun, true) {
                    live.kernel.interrupt();
                }
            }
        }
    }

    fn kill(&mut self, gentle: bool) {
        if let Some(live) = &self.live
            && let Some(channels) = &live.channels
            && gentle
            && live.ended.is_none()
        {
            channels.send(shutdown());
            let patience = if self.keeping.is_saving() {
                SAVING
            } else {
                GENTLE
            };
            self.kill_at = Some(Instant::now() + patience);
        } else {
            self.kill_now();
        }
    }

    pub(super) fn kill_now(&mut self) {
        self.kill_at = None;
        if self.live.as_ref().is_some_and(|live| live.ended.is_none()) {
            self.kernel_ended("the launcher ended the kernel");
        }
    }

    fn finish(&mut self, key: Key, how: How, state: State) {
        self.next_progress = None;
        let why = std::mem::take(&mut self.why_ended).unwrap_or("the cell did not stop");
        if state == State::Lost {
            self.tell_lost(format!("{why}; its kernel was ended"));
        }
        self.move_to_past(key);
        if state == State::Kept {
            self.kept(key);
        }
        let late = self.late.take(self.folder.path());
        let generation = self.machine.generation();
        let Some(run) = self.runs.get_mut(&key) else {
            return;
        };
        let was_started = run.started.is_some();
        if !was_started {
            run.generation = generation;
        }
        for notice in late.into_iter().chain(self.remembering.notices()) {
            // Whoever listens has heard it when it came.
            run.notice(notice);
        }
        let now = Instant::now();
        let how = (how, why);
        if run.work != Work::Cell {
            return self.finish_other(key, state);
        }
        if state == State::Lost {
            run.notice(Notice::new("lost", self.keeping.after_loss()));
        }
        let ended = run.end(how, state, self.folder.path(), now).clone();
        let result = Told::Result(Box::new(ended.clone()));
        if was_started {
            self.clients.say(run.client, Some(&run.id), &Told::CellEnd);
        }
        if !run.given_up {
            self.clients.say(run.client, Some(&run.id), &result);
        }
        self.tell_waiters(key, &result);
        self.remember_cell(key, &ended);
        self.forget_old_runs();
    }

    /// A restore or a save is over, or was stopped.
    fn finish_other(&mut self, key: Key, state: State) {
        let Some(run) = self.runs.get_mut(&key) else {
            return;
        };
        if state == State::Kept && run.checkpoint.is_some() && run.failed.is_none() {
            self.await_checkpoint(key);
        } else {
            let text = match state {
                State::Kept => "it was cancelled",
                State::Lost => "it did not stop, and its kernel was ended",
            };
            let event = run
                .failed
                .take()
                .unwrap_or_else(|| Told::Error(FailureKind::Cancelled, text.to_owned()));
            if !run.given_up {
                self.clients.say(run.client, Some(&run.id), &event);
            }
            self.tell_waiters(key, &event);
        }
        self.runs.remove(&key);
    }

    /// What the kernel still says for this cell comes late.
    fn move_to_past(&mut self, key: Key) {
        let Some(run) = self.runs.get(&key) else {
            return;
        };
        let label = match run.execution_count {
            Some(count) => format!("cell {count}, which had ended,"),
            None => "a cell that had ended".to_owned(),
        };
        if let Some(live) = &mut self.live {
            let cell = Purpose::Cell(key);
            let of = live.sent.iter().find(|(_, purpose)| **purpose == cell);
            if let Some(message) = of.map(|(message, _)| message.clone()) {
                live.sent.remove(&message);
                live.past.insert(message, label);
            }
        }
    }

    fn forget_old_runs(&mut self) {
        let old: Vec<Key> = self.runs.keys().copied().collect();
        for key in old.iter().rev().skip(4) {
            if let Some(run) = self.runs.get_mut(key) {
                run.slim();
            }
        }
        while self.runs.len() > REMEMBERED
            && let Some(oldest) = self.runs.first_entry()
            && oldest.get().is_over()
        {
            oldest.remove();
        }
    }

    fn fail(&mut self, key: Key, why: &Why) {
        let (kind, text) = match why {
            Why::Busy => (
                FailureKind::Busy,
                "a cell is running: wait for its result, cancel it, or send queue: true".to_owned(),
            ),
            Why::Lost(reason) => (
                FailureKind::Lost,
                format!("{reason}; {}", self.keeping.after_loss()),
            ),
            Why::NotStarted(reason) => (
                FailureKind::Start,
                format!("the kernel did not start: {reason}"),
            ),
            Why::TooManyDeaths => (
                FailureKind::Lost,
                "four kernels in a row ended without a cell that came to its end; the next run tries again"
                    .to_owned(),
            ),
            Why::Closing => (FailureKind::Lost, "the session ends".to_owned()),
        };
        let Some(mut run) = self.runs.remove(&key) else {
            return;
        };
        let event = Told::Error(kind, text);
        if run.started.is_some() && run.work == Work::Cell {
            self.clients.say(run.client, Some(&run.id), &Told::CellEnd);
        }
        if !run.given_up {
            self.clients.say(run.client, Some(&run.id), &event);
        }
        self.tell_waiters(key, &event);
        if let Why::Lost(reason) = why {
            self.remember_lost(&run, reason);
        }
        // What it gave until then can still be read.
        run.failed = Some(event);
        if !matches!(why, Why::Busy) {
            self.runs.insert(key, run);
            self.forget_old_runs();
        }
    }
}
