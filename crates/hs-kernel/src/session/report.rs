//! What a session is at: for `status`, for `list`, and for those who wait for a cell.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::supervisor::Session;
use crate::process::{Use, usage};
use crate::protocol::Event as Told;

/// How often a cell that goes on is told.
pub(super) const PROGRESS: Duration = Duration::from_secs(2);
/// Over less than this, time of processors is too coarse: the system counts in hundredths of a second.
pub(super) const SHORTEST: Duration = Duration::from_millis(100);

/// What the kernel used when it was looked at last.
#[derive(Default)]
pub(super) struct Sample {
    taken: Option<(Instant, Use)>,
    cpu_percent: f64,
}

impl Session {
    /// Looks at what the kernel uses now.
    pub(super) fn take_sample(&mut self, now: Instant) -> Option<Use> {
        let live = self.live.as_ref()?;
        let used = usage(live.kernel.pid);
        match self.sample.taken {
            Some((then, _)) if now - then < SHORTEST => {}
            Some((then, before)) => {
                // Children that ended meanwhile take their time with them.
                let cpu = (used.cpu - before.cpu).max(0.0) / (now - then).as_secs_f64();
                self.sample.cpu_percent = (cpu * 1000.0).round() / 10.0;
                self.sample.taken = Some((now, used));
            }
            None => self.sample.taken = Some((now, used)),
        }
        Some(used)
    }

    pub(super) fn tell_progress(&mut self, now: Instant) {
        self.next_progress = Some(now + PROGRESS);
        let used = self.take_sample(now);
        if let Some(run) = self.machine.running().and_then(|key| self.runs.get(&key))
            && let Some(started) = run.started
            && let Some(used) = used
            && !run.given_up
            && now - started >= PROGRESS
        {
            let event = Told::Progress {
                elapsed_ms: (now - started).as_millis() as u64,
                cpu_percent: self.sample.cpu_percent,
                memory_bytes: used.memory,
            };
            self.clients.say(run.client, Some(&run.id), &event);
        }
    }

    /// The word for what the session is at; it also runs when another client of its kernel does.
    fn word(&self) -> &'static str {
        let others = self
            .live
            .as_ref()
            .is_some_and(|live| !live.foreign.is_empty());
        match self.machine.word() {
            "idle" if others => "running",
            word => word,
        }
    }

    /// The answer to `status`.
    pub(super) fn status(&mut self) -> Value {
        let now = Instant::now();
        let used = self.take_sample(now);
        let mut status = json!({
            "state": self.word(),
            "generation": self.machine.generation(),
            "queued": self.machine.queued(),
        });
        let mut add = |name: &str, value: Value| {
            if !value.is_null() {
                status[name] = value;
            }
        };
        if let Some(live) = &self.live {
            add("pid", json!(live.kernel.pid.as_raw_nonzero().get()));
            let file = live.kernel.connection_file.display().to_string();
            add("connection_file", json!(file));
            add("cpu_percent", json!(self.sample.cpu_percent));
            add("memory_bytes", json!(used.map(|used| used.memory)));
            let cwd = format!("/proc/{}/cwd", live.kernel.pid.as_raw_nonzero());
            let cwd = std::fs::read_link(cwd).ok();
            add("cwd", json!(cwd.map(|cwd| cwd.display().to_string())));
        }
        let python = self.python.as_ref();
        add(
            "python",
            json!(python.map(|python| python.display().to_string())),
        );
        add("names", json!(self.names));
        add("checkpoint", json!(self.keeping.held()));
        add("context", self.remembering.status());
        if let Some(run) = self.machine.running().and_then(|key| self.runs.get(&key)) {
            let elapsed = run.started.map_or(0, |started| (now - started).as_millis());
            add(
                "run",
                json!({"id": run.id, "code": run.request.code, "elapsed_ms": elapsed as u64}),
            );
        }
        status
    }
}
