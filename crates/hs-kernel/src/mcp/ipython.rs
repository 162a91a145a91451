//! The tool `ipython`: a cell from the call to its answer, with progress, a time limit and a host that changes its mind.

use std::time::{Duration, Instant};

use rmcp::RoleServer;
use rmcp::model::{JsonObject, ProgressNotificationParam};
use rmcp::service::RequestContext;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::task::JoinHandle;
use tokio::time::{MissedTickBehavior, interval_at, sleep_until};

use super::answer::Answer;
use super::control;
use super::handler::Server;
use super::link::{Answers, LOST_BEFORE, text};
use super::memory::{Left, first_line};

/// How often a host hears that a cell goes on; the contract says every ten seconds at least.
const PROGRESS: Duration = Duration::from_secs(5);
/// When it hears so first: early enough for a person who watches.
const FIRST: Duration = Duration::from_secs(2);
/// Lines that are shown of what a cell printed before its kernel died.
const LAST_LINES: u64 = 100;

/// What a model gives.
#[derive(Debug, Deserialize)]
struct Arguments {
    code: String,
    #[serde(default)]
    timeout_s: Option<f64>,
    #[serde(default)]
    cwd: Option<String>,
}

/// Runs a cell. Its request is on its way when the future is polled first, so that cells run in the order of calls.
pub async fn call(
    server: &Server,
    arguments: JsonObject,
    context: RequestContext<RoleServer>,
) -> Answer {
    let arguments: Arguments = match serde_json::from_value(Value::Object(arguments)) {
        Ok(arguments) => arguments,
        Err(error) => return Answer::failed(&format!("ipython: {error}")),
    };
    let limit = match arguments.timeout_s.map(Duration::try_from_secs_f64) {
        Some(Ok(limit)) if !limit.is_zero() => Some(limit),
        None => None,
        Some(_) => return Answer::failed("ipython: timeout_s: expected seconds above 0"),
    };
    // Taken back before it was begun.
    if context.ct.is_cancelled() {
        return taken_back();
    }
    let fresh = server.open();
    let mut request = json!({"code": arguments.code, "queue": true});
    if let Some(cwd) = arguments.cwd {
        request["cwd"] = Value::from(cwd);
    }
    let run = server.link.ask("run", request.clone());
    let cell = Cell {
        server,
        request,
        run,
        fresh,
        again: false,
        began: false,
        lost_before: None,
        load: String::new(),
    };
    cell.follow(limit, &context).await
}

struct Cell<'a> {
    server: &'a Server,
    request: Value,
    run: Answers,
    /// It is the first of its session.
    fresh: bool,
    /// The session was gone, and it was asked for again.
    again: bool,
    began: bool,
    /// It runs on a new kernel, for a reason that nobody was told.
    lost_before: Option<String>,
    /// What it takes of the machine, in words.
    load: String,
}

impl Cell<'_> {
    async fn follow(
        mut self,
        limit: Option<Duration>,
        context: &RequestContext<RoleServer>,
    ) -> Answer {
        let since = Instant::now();
        let mut progress = Progress::of(context, since);
        let over = limit.map(|limit| tokio::time::Instant::from_std(since + limit));
        loop {
            tokio::select! {
                biased;
                event = self.run.next() => {
                    let Some(event) = event else { return Answer::without_launcher() };
                    match event["type"].as_str().unwrap_or_default() {
                        "cell-start" => {
                            self.began = true;
                            self.lost_before = event[LOST_BEFORE].as_str().map(str::to_owned);
                        }
                        "progress" => self.load = control::load(&event),
                        "result" => {
                            progress.finish().await;
                            return self.result(&event);
                        }
                        // Nothing ran, as the session was gone.
                        "error" if event["kind"] == "unknown_session" && !self.again => {
                            self.server.forget_session();
                            self.server.open();
                            self.again = true;
                            self.run = self.server.link.ask("run", self.request.clone());
                        }
                        "error" => {
                            progress.finish().await;
                            return self.failure(&event).await;
                        }
                        _ => {}
                    }
                }
                // The host takes the call back, or its input ended: hardly anybody hears the answer. A kernel that had to be ended for it
                // is told with the next one.
                () = context.ct.cancelled() => {
                    self.server.link.tell("cancel", json!({"run": self.run.id}));
                    return taken_back();
                }
                () = progress.tick() => {
                    let doing = self.doing();
                    progress.tell(&doing);
                }
                () = at(over) => {
                    progress.finish().await;
                    return self.leave(limit.unwrap_or_default());
                }
            }
        }
    }

    fn result(&self, event: &Value) -> Answer {
        let mut answer = Answer::of_result(event);
        if self.again {
            self.server.link.told();
            answer.note_first(
                "a new session ran this, as the one before is gone, with all its variables",
            );
        }
        if let Some(reason) = &self.lost_before {
            self.server.link.told();
            let notices = event["notices"].as_array().into_iter().flatten();
            let mut kinds = notices.map(|notice| text(notice, "kind"));
            let then = if kinds.any(|kind| kind == "restored") {
                "variables came back as a notice says"
            } else {
                "variables from before are gone, too"
            };
            answer.note_first(&format!(
                "a new kernel ran this, as the one before is gone ({reason}): {then}"
            ));
        }
        if answer.is_error() {
            self.server.link.told();
        }
        let ended = self.server.ended();
        if ended > 0 {
            answer
                .note("a cell that went on after its timeout_s has ended: `status` has its result");
        }
        answer
    }

    async fn failure(&self, event: &Value) -> Answer {
        let mut printed = String::new();
        match event["kind"].as_str().unwrap_or_default() {
            "lost" => {
                self.server.link.told();
                printed = control::last_lines(&self.server.link, &self.run.id, LAST_LINES).await;
            }
            // Nothing is behind the session's name: the next call asks for one again.
            "start" | "unknown_session" => self.server.forget_session(),
            _ => {}
        }
        Answer::of_failure(event, &printed)
    }

    /// Leaves the cell to itself.
    fn leave(self, limit: Duration) -> Answer {
        let what = if self.began {
            "The cell still runs"
        } else {
            "The cell has not begun, as another one runs or the kernel starts; it is going to run"
        };
        let said = format!(
            "{what} after {} s. `status` has its output so far, and its result when it ended; `interrupt` stops what runs; \
             further cells wait for it.",
            limit.as_secs_f64()
        );
        self.server.memory().left.push(Left {
            code: first_line(&text(&self.request, "code")),
            answers: self.run,
        });
        Answer::still_running(&said)
    }

    fn doing(&self) -> String {
        match (self.began, self.load.is_empty()) {
            (true, true) => "running".to_owned(),
            (true, false) => format!("running, {}", self.load),
            (false, _) if self.fresh => "the kernel starts".to_owned(),
            (false, _) => "waits for the cell before".to_owned(),
        }
    }
}

fn taken_back() -> Answer {
    Answer::failed(
        "there is no answer: the call was taken back, or the host closed its end, before the cell was done. The cell is stopped.",
    )
}

async fn at(time: Option<tokio::time::Instant>) {
    match time {
        Some(time) => sleep_until(time).await,
        None => std::future::pending().await,
    }
}

/// Notices to the host that a call goes on, if it asked for them.
struct Progress<'a> {
    context: &'a RequestContext<RoleServer>,
    since: Instant,
    ticks: tokio::time::Interval,
    /// The notice that is on its way. A host that does not read gets no second one.
    sending: Option<JoinHandle<()>>,
}

impl<'a> Progress<'a> {
    fn of(context: &'a RequestContext<RoleServer>, since: Instant) -> Self {
        let mut ticks = interval_at(tokio::time::Instant::from_std(since + FIRST), PROGRESS);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Self {
            context,
            since,
            ticks,
            sending: None,
        }
    }

    async fn tick(&mut self) {
        self.ticks.tick().await;
    }

    fn tell(&mut self, message: &str) {
        let Some(token) = self.context.meta.get_progress_token() else {
            return;
        };
        if self
            .sending
            .as_ref()
            .is_some_and(|task| !task.is_finished())
        {
            return;
        }
        let seconds = self.since.elapsed().as_secs_f64();
        let notice = ProgressNotificationParam::new(token, seconds)
            .with_message(format!("{seconds:.0} s: {message}"));
        let peer = self.context.peer.clone();
        self.sending = Some(tokio::spawn(async move {
            // A host that is gone needs no notice.
            let _ = peer.notify_progress(notice).await;
        }));
    }

    /// No notice may come behind the answer.
    async fn finish(&mut self) {
        if let Some(task) = self.sending.take() {
            let _ = task.await;
        }
    }
}
