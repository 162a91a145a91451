//! The supervisor of one session: one process, one thread, and the only one that changes anything. Everything else tells it
//! what happened.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use rustix::process::Pid;
use serde_json::{Value, json};
use tokio::net::UnixListener;
use tokio::net::unix::pipe;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::client::{ClientId, Clients, FromClient, HOST};
use super::keeping::Keeping;
use super::late::Late;
use super::remembering::Remembering;
use super::report::Sample;
use super::restoring::Restoring;
use super::run::Run;
use super::state::{Event, Key, Machine};
use crate::kernel::{Channels, Incoming, Kernel, Message, Started};
use crate::process::{end_descendants, reap};
use crate::protocol::{Event as Told, FailureKind, Open};
use crate::registry::{Folder, create};
use crate::settings::Settings;

/// How long all that a kernel started may take to go away once it was killed.
pub(super) const DYING: Duration = Duration::from_millis(500);
/// How long what was said last may take to reach its readers.
const FLUSH: Duration = Duration::from_millis(300);
/// The same when somebody asked for the end: results that were there before are still to be read.
pub(super) const LAST: Duration = Duration::from_secs(10);

/// What a supervisor is started with.
pub struct Setup {
    /// What the host calls the session.
    pub name: String,
    /// What its folder is called.
    pub folder: String,
    /// The pipes of the host, from it and to it.
    pub host: (OwnedFd, OwnedFd),
    /// The process that goes away with its sessions; a detached session has none, and outlives its host.
    pub host_pid: Option<Pid>,
    /// Where Python is looked for.
    pub settings: Settings,
}

/// What happens inside.
pub(super) enum Inside {
    /// A kernel is ready, or not.
    Started(u64, Result<Started, String>),
    /// A kernel that ended before it was ready has said all.
    Heard(u64),
    /// Something is wrong with the context.
    Context(String),
}

/// Where a request to a kernel comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// A cell.
    Cell(Key),
    /// The working folder for a cell.
    Folder(Key),
    /// What the cell goes on from.
    Restore(Key),
    /// A save that is no cell's.
    Save(Key),
    /// A save of what was typed in a console.
    Typed,
    /// A sign of life.
    Probe,
}

/// The kernel that there is.
pub(super) struct Live {
    pub kernel: Kernel,
    pub channels: Option<Channels>,
    pub starting: Option<JoinHandle<()>>,
    /// Requests whose end is not known.
    pub sent: HashMap<String, Purpose>,
    /// Cells that have ended, by their request: the number that the kernel gave them.
    pub past: HashMap<String, String>,
    /// Why its process ended, once it has.
    pub ended: Option<String>,
    /// Requests for a working folder of which either the reply or the end of what is printed has come, not yet both. An error
    /// is told in both; they come by two ways, and what is printed may be long behind.
    pub folders: HashSet<String>,
    /// An interrupt that waits for its cell to begin.
    pub interrupt_when_begun: bool,
    /// Requests of other clients of the kernel, as consoles are, that it is at.
    pub foreign: HashSet<String>,
    /// The checkpoint that it is at: what it saves must not change meanwhile.
    pub freezing: Option<String>,
    /// The last one that it was done with.
    pub frozen: Option<String>,
    /// A cell that waits until those are done: in the kernel's own queue it could not be taken back.
    pub held: Option<Key>,
}

/// Cells that are remembered: for `wait`, `read` and late output.
pub(super) const REMEMBERED: usize = 200;

/// A session, whole.
pub(super) struct Session {
    /// What the host calls it.
    pub name: String,
    pub folder: Folder,
    pub detached: bool,
    pub settings: Settings,
    pub open: Open,
    pub python: Option<PathBuf>,
    pub clients: Clients,
    /// Those of them that say nothing more.
    pub leaving: Vec<ClientId>,
    pub machine: Machine,
    pub live: Option<Live>,
    pub incoming: Option<Incoming>,
    pub runs: BTreeMap<Key, Run>,
    pub last_key: Key,
    /// Who waits for a kernel.
    pub openers: Vec<(ClientId, Option<Value>)>,
    /// Who waits for the end of the session.
    pub releasers: Vec<(ClientId, Option<Value>)>,
    /// Who waits for the result of a cell.
    pub waiters: Vec<Waiter>,
    pub late: Late,
    pub keeping: Keeping,
    pub remembering: Remembering,
    /// What the kernel that ended last wrote past Jupyter.
    pub last_tail: String,
    /// Which one that was.
    pub last_generation: u64,
    /// Why a kernel is ended that runs a cell, when somebody asked for it.
    pub why_ended: Option<&'static str>,
    /// Messages of a kernel that no cell asked for, until there is one.
    pub early: Vec<Message>,
    pub names: Option<u64>,
    pub sample: Sample,
    pub next_progress: Option<Instant>,
    /// When a kernel that was asked to end is killed.
    pub kill_at: Option<Instant>,
    pub inside: mpsc::UnboundedSender<Inside>,
    pub over: bool,
}

/// Somebody who waits for a cell.
pub(super) struct Waiter {
    pub client: ClientId,
    pub id: Option<Value>,
    pub key: Key,
    pub until: Option<Instant>,
}

/// Runs a session to its end; gives the exit code. The process must have one thread.
///
/// # Errors
/// The session's folder or socket cannot be made, or a call to the system fails.
pub fn supervise(setup: Setup) -> io::Result<u8> {
    #[cfg(target_os = "linux")]
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let code = runtime.block_on(whole(setup));
    // Readers of pipes that nobody closes must not hold this up.
    runtime.shutdown_background();
    code
}

async fn whole(setup: Setup) -> io::Result<u8> {
    let (from, to) = setup.host;
    let (mut clients, mut lines) = Clients::new(&setup.name);
    clients.add_host(
        pipe::Receiver::from_owned_fd(from)?,
        pipe::Sender::from_owned_fd(to)?,
    );
    let about = json!({
        "name": setup.name,
        "pid": std::process::id(),
        "host_pid": setup.host_pid.map(|pid| pid.as_raw_nonzero().get()),
        "started": unix_seconds(),
    });
    let made = create(&setup.folder).and_then(|folder| match furnish(&folder, &about) {
        Ok(listener) => Ok((folder, listener)),
        Err(error) => {
            let text = format!("{}: {error}", folder.path().display());
            folder.remove();
            Err(io::Error::new(error.kind(), text))
        }
    });
    let (folder, listener) = match made {
        Ok(made) => made,
        Err(error) => return refuse(&mut clients, &mut lines, &error).await,
    };
    let mut children = signal(SignalKind::child())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let (inside, mut happened) = mpsc::unbounded_channel();
    let mut session = Session {
        name: setup.name,
        detached: setup.host_pid.is_none(),
        folder,
        settings: setup.settings,
        open: Open::default(),
        python: None,
        clients,
        leaving: Vec::new(),
        machine: Machine::default(),
        live: None,
        incoming: None,
        runs: BTreeMap::new(),
        last_key: 0,
        openers: Vec::new(),
        releasers: Vec::new(),
        waiters: Vec::new(),
        late: Late::default(),
        keeping: Keeping::default(),
        remembering: Remembering::default(),
        last_tail: String::new(),
        last_generation: 0,
        why_ended: None,
        early: Vec::new(),
        names: None,
        sample: Sample::default(),
        next_progress: None,
        kill_at: None,
        inside,
        over: false,
    };
    while !session.over {
        session
            .wait(
                &mut lines,
                &listener,
                &mut children,
                &mut terminate,
                &mut happened,
            )
            .await;
    }
    session.end().await;
    Ok(0)
}

/// Puts into the folder what others find the session by.
fn furnish(folder: &Folder, about: &Value) -> io::Result<UnixListener> {
    let socket = folder.path().join("control.sock");
    let listener = UnixListener::bind(&socket)?;
    std::fs::set_permissions(socket, std::fs::Permissions::from_mode(0o600))?;
    folder.describe(about)?;
    Ok(listener)
}

/// The session cannot begin: whoever asked for it is told.
async fn refuse(
    clients: &mut Clients,
    lines: &mut mpsc::Receiver<FromClient>,
    error: &io::Error,
) -> io::Result<u8> {
    use crate::protocol::{Event, Line, parse};
    if let Some(FromClient::Line(client, Line::Whole(line))) = lines.recv().await {
        let id = parse(&line).ok().and_then(|asked| asked.id);
        // Whoever hears the error may ask again at once, and not this one.
        clients.say(client, None, &Event::Answer(crate::guard::OVER, json!({})));
        let event = Event::Error(FailureKind::Start, error.to_string());
        clients.say(client, id.as_ref(), &event);
    }
    let _ = tokio::time::timeout(FLUSH, clients.flush()).await;
    Ok(1)
}

fn unix_seconds() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.map_or(0, |since| since.as_secs())
}

impl Session {
    /// Waits for whatever comes first, and takes it.
    async fn wait(
        &mut self,
        lines: &mut mpsc::Receiver<FromClient>,
        listener: &UnixListener,
        children: &mut Signal,
        terminate: &mut Signal,
        happened: &mut mpsc::UnboundedReceiver<Inside>,
    ) {
        let deadline = self.next_deadline();
        let time = async {
            match deadline {
                Some(deadline) => tokio::time::sleep_until(deadline.into()).await,
                None => std::future::pending().await,
            }
        };
        let message = async {
            match &mut self.incoming {
                Some(incoming) => incoming.recv().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            message = message => match message {
                Some(message) => self.hear(message),
                None => self.silent(),
            },
            Some(from) = lines.recv() => match from {
                FromClient::Line(client, line) => self.asked(client, line),
                FromClient::Gone(HOST) if !self.detached => self.over = true,
                FromClient::Gone(client) => self.leaving.push(client),
            },
            Ok((stream, _)) = listener.accept() => {
                let (from, to) = stream.into_split();
                self.clients.add(from, to);
            }
            _ = children.recv() => self.child_ended(),
            _ = terminate.recv() => self.on(Event::Close),
            Some(inside) = happened.recv() => match inside {
                Inside::Started(generation, started) => self.started(generation, started),
                Inside::Heard(generation) => self.heard(generation),
                Inside::Context(text) => {
                    let notice = self.remembering.told(text);
                    self.clients.say_to_all(&Told::Notice(notice));
                }
            },
            () = time => self.time(),
        }
        self.let_go();
    }

    /// Clients that say nothing more may still listen: they leave when all that they asked for is answered.
    fn let_go(&mut self) {
        let waits = |client: ClientId| {
            let mut runs = self.runs.values();
            let asked = [&self.openers, &self.releasers].into_iter().flatten();
            runs.any(|run| run.client == client && !run.is_over() && !run.given_up)
                || self.waiters.iter().any(|waiter| waiter.client == client)
                || self.keeping.waits(client)
                || asked.into_iter().any(|(asker, _)| *asker == client)
        };
        let (stay, go): (Vec<ClientId>, Vec<ClientId>) =
            self.leaving.iter().partition(|client| waits(**client));
        for client in go {
            self.clients.remove(client);
        }
        self.leaving = stay;
    }

    /// Feeds the machine, and does what it decides.
    pub fn on(&mut self, event: Event) {
        let gentle = self.machine.word() == "idle";
        for effect in self.machine.on(event, Instant::now()) {
            self.take_effect(effect, gentle);
        }
    }

    fn next_deadline(&self) -> Option<Instant> {
        let runs = self
            .runs
            .values()
            .filter(|run| !run.is_over() && !run.given_up)
            .filter_map(|run| run.deadline);
        let waiters = self.waiters.iter().filter_map(|waiter| waiter.until);
        let others = [
            self.machine.deadline(),
            self.keeping.restoring.as_ref().map(Restoring::deadline),
            self.next_progress,
            self.kill_at,
        ];
        runs.chain(waiters)
            .chain(others.into_iter().flatten())
            .min()
    }

    fn time(&mut self) {
        let now = Instant::now();
        if self.kill_at.is_some_and(|at| at <= now) {
            self.kill_now();
        }
        self.end_silent_restore(now);
        self.tell_timeouts(now);
        if self.next_progress.is_some_and(|at| at <= now) {
            self.tell_progress(now);
        }
        self.on(Event::Tick);
    }

    /// A child has ended: the kernel, or one that it left behind.
    fn child_ended(&mut self) {
        let Some(live) = &mut self.live else {
            reap(None);
            return;
        };
        if live.ended.is_some() {
            reap(None);
            return;
        }
        if let Some(reason) = crate::kernel::ended(live.kernel.pid) {
            self.kernel_ended(&reason);
        } else {
            reap(Some(live.kernel.pid));
        }
    }

    /// The kernel's process is gone: all that it started goes, too, and what it said is heard to the end.
    pub fn kernel_ended(&mut self, reason: &str) {
        let Some(live) = &mut self.live else { return };
        live.kernel.kill();
        end_descendants(DYING);
        live.ended = Some(reason.to_owned());
        if let Some(starting) = live.starting.take() {
            starting.abort();
        }
        match &live.channels {
            Some(channels) => channels.process_ended(),
            None => {
                let words = live.kernel.last_words();
                let (inside, generation) = (self.inside.clone(), live.kernel.generation);
                tokio::spawn(async move {
                    words.await;
                    let _ = inside.send(Inside::Heard(generation));
                });
            }
        }
    }

    fn heard(&mut self, generation: u64) {
        let live = self.live.as_ref();
        let live = live.filter(|live| live.kernel.generation == generation);
        if let Some(reason) = live.and_then(|live| live.ended.clone()) {
            self.exited(&reason);
        }
    }

    /// Nothing more comes from the kernel.
    fn silent(&mut self) {
        self.incoming = None;
        match self.live.as_ref().and_then(|live| live.ended.clone()) {
            Some(reason) => self.exited(&reason),
            None => {
                // Sockets that break while the process lives leave nothing to hold on to.
                if let Some(live) = &self.live {
                    live.kernel.kill();
                }
                end_descendants(DYING);
                self.exited("the connection to the kernel broke");
            }
        }
    }

    /// The host is gone, or the session was released: everything goes.
    async fn end(mut self) {
        let live = self.live.take();
        if let Some(live) = &live {
            live.kernel.kill();
        }
        end_descendants(DYING);
        if let Some(live) = live {
            live.kernel.clean();
        }
        let patience = if self.releasers.is_empty() {
            FLUSH
        } else {
            LAST
        };
        self.remembering.end(patience).await;
        self.folder.remove();
        // Whoever hears this may begin a session of the same name at once.
        let text = "the session ended while its kernel was starting".to_owned();
        let event = Told::Error(FailureKind::Start, text);
        for (client, id) in std::mem::take(&mut self.openers) {
            self.clients.say(client, id.as_ref(), &event);
        }
        let asked = std::mem::take(&mut self.releasers);
        for (client, id) in &asked {
            let answer = Told::Answer("released", json!({}));
            self.clients.say(*client, id.as_ref(), &answer);
        }
        let _ = tokio::time::timeout(patience, self.clients.flush()).await;
    }
}
