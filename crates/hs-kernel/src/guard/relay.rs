//! The loop of the guard: whatever is ready is passed on, until the host goes away or asks for the end.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, read};
use rustix::process::{Pid, WaitOptions, getpid, getppid, wait};
use serde_json::Value;

use super::member::Member;
use super::outlet::Outlet;
use super::start::{child, pipes};
use crate::control::Client;
use crate::process::{Signals, end_descendants, fork, listen_to_signals, onto_null};
use crate::protocol::{Event, FailureKind, Line, Lines, Request, hello, parse};
use crate::session::{Setup, supervise};
use crate::settings::Settings;
use crate::{protocol, registry};

/// How long supervisors may take when the host is gone; then all is killed.
const GONE: Duration = Duration::from_millis(500);
/// How long they may take when the host asks for the end.
const CLOSE: Duration = Duration::from_secs(12);
/// How long a host that asked for the end may read nothing of the last lines.
const LAST: Duration = Duration::from_secs(10);
/// How long a killed process may take.
const DYING: Duration = Duration::from_secs(1);
/// How long other sessions may take to answer.
const PATIENCE: Duration = Duration::from_secs(2);
/// While the host has so much to read, nothing more is taken from sessions: they keep it.
const FULL: usize = 1 << 20;

/// While sessions have so much to take, or the host to read, nothing more is taken from the host: two of the longest lines.
const MOST_WAITING: usize = 128 << 20;

/// The exit code of a guard that was asked to end by a signal, as shells give it for SIGTERM.
const TERMINATED: u8 = 143;

pub(super) struct Guard {
    input: Option<OwnedFd>,
    output: OwnedFd,
    host: Option<OwnedFd>,
    host_pid: Option<Pid>,
    signals: Signals,
    settings: Settings,
    lines: Lines,
    outgoing: Outlet,
    members: Vec<Member>,
    ending: Option<Ending>,
    code: u8,
}

struct Ending {
    why: EndedBy,
    until: Instant,
}

/// Why all ends.
enum EndedBy {
    /// The host went away, or a signal came.
    Gone,
    /// The host asked for it, with the id of its request, and hears of it.
    Close(Option<Value>),
}

/// What is ready, after a wait.
struct Ready {
    input: bool,
    host: bool,
    output: PollFlags,
    signals: bool,
    /// For each member: whether it takes something, and whether it says something.
    members: Vec<(bool, bool)>,
}

impl Guard {
    pub(super) fn new(
        input: OwnedFd,
        output: OwnedFd,
        host_pid: Option<Pid>,
        interrupts: bool,
        settings: &Settings,
    ) -> io::Result<Self> {
        #[cfg(target_os = "linux")]
        let host = {
            rustix::process::set_child_subreaper(Some(getpid()))?;
            host_pid.and_then(|pid| {
                rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty()).ok()
            })
        };
        #[cfg(not(target_os = "linux"))]
        let host = None;
        Ok(Self {
            input: Some(input),
            output,
            host,
            host_pid,
            signals: listen_to_signals(interrupts)?,
            settings: settings.clone(),
            lines: Lines::default(),
            outgoing: Outlet::default(),
            members: Vec::new(),
            ending: None,
            code: 0,
        })
    }

    pub(super) fn run(mut self) -> io::Result<u8> {
        let mut piece = vec![0; 64 << 10];
        loop {
            let ready = self.wait()?;
            if ready.signals {
                if self.signals.take() {
                    self.code = TERMINATED;
                    self.host_is_gone();
                }
                self.reap();
            }
            if ready.host || ready.output.intersects(PollFlags::ERR | PollFlags::HUP) {
                self.host_is_gone();
            }
            if ready.output.contains(PollFlags::OUT) && !self.outgoing.write(self.output.as_fd()) {
                self.host_is_gone();
            }
            self.serve_members(&ready, &mut piece);
            if ready.input {
                self.read_host(&mut piece);
            }
            if self.is_over() {
                break;
            }
        }
        self.end();
        Ok(self.code)
    }

    fn wait(&self) -> io::Result<Ready> {
        let mut fds = Vec::new();
        let mut add = |fd, flags| {
            fds.push(PollFd::from_borrowed_fd(fd, flags));
            fds.len() - 1
        };
        let wanted = if self.outgoing.is_empty() {
            PollFlags::empty()
        } else {
            PollFlags::OUT
        };
        // A host that is gone would be told again and again.
        let gone = matches!(
            self.ending,
            Some(Ending {
                why: EndedBy::Gone,
                ..
            })
        );
        let output = (!gone).then(|| add(self.output.as_fd(), wanted));
        let signals = self.signals.descriptor().map(|fd| add(fd, PollFlags::IN));
        let host = self.host.as_ref().map(|fd| add(fd.as_fd(), PollFlags::IN));
        let waiting: usize = self.members.iter().map(|one| one.outgoing.len()).sum();
        let waiting = waiting + self.outgoing.len();
        let input = self.input.as_ref().filter(|_| waiting < MOST_WAITING);
        let input = input.map(|fd| add(fd.as_fd(), PollFlags::IN));
        let members: Vec<_> = self
            .members
            .iter()
            .map(|member| {
                let to = member.to.as_ref().filter(|_| !member.outgoing.is_empty());
                let to = to.map(|fd| add(fd.as_fd(), PollFlags::OUT));
                let full = self.outgoing.len() > FULL && self.ending.is_none();
                let from = (!full).then(|| add(member.from.as_fd(), PollFlags::IN));
                (to, from)
            })
            .collect();
        let until = self.ending.as_ref().map(|ending| {
            let left = ending.until.saturating_duration_since(Instant::now());
            Timespec::try_from(left).expect("a few seconds")
        });
        // Without a descriptor of the host's process there is only its number to look at.
        let look = Timespec {
            tv_sec: 0,
            tv_nsec: 500_000_000,
        };
        let watched = self.host.is_some() || self.host_pid.is_none();
        let blind = !watched || signals.is_none();
        let until = until.or(blind.then_some(look));
        match poll(&mut fds, until.as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let is = |place: Option<usize>| place.is_some_and(|place| !fds[place].revents().is_empty());
        let orphan = !watched && getppid() != self.host_pid;
        Ok(Ready {
            input: is(input),
            host: is(host) || orphan,
            output: output.map_or(PollFlags::empty(), |place| fds[place].revents()),
            signals: signals.is_none() || is(signals),
            members: members
                .iter()
                .map(|(to, from)| (is(*to), is(*from)))
                .collect(),
        })
    }

    fn serve_members(&mut self, ready: &Ready, piece: &mut [u8]) {
        let closing = self.ending.is_some();
        let mut gone = Vec::new();
        for (place, (to, from)) in ready.members.iter().enumerate() {
            let member = &mut self.members[place];
            if *to
                && let Some(fd) = &member.to
                && !member.outgoing.write(fd.as_fd())
            {
                member.to = None;
            }
            if *from {
                match read(&member.from, &mut *piece) {
                    Ok(0) => gone.push(place),
                    Ok(count) => member.said(&piece[..count], &mut self.outgoing, closing),
                    Err(Errno::AGAIN | Errno::INTR) => {}
                    Err(_) => gone.push(place),
                }
            }
        }
        for place in gone.into_iter().rev() {
            let member = self.members.remove(place);
            member.gone(&mut self.outgoing);
        }
    }

    fn read_host(&mut self, piece: &mut [u8]) {
        let Some(input) = &self.input else { return };
        match read(input, &mut *piece) {
            Ok(0) => {
                if let Some(line) = self.lines.rest() {
                    self.take(line);
                }
                if self.ending.is_some() {
                    // It asked for the end, has nothing more to say, and reads what it hears of that.
                    self.input = None;
                } else {
                    self.host_is_gone();
                }
            }
            Ok(count) => {
                for line in self.lines.push(&piece[..count]) {
                    self.take(line);
                }
            }
            Err(Errno::AGAIN | Errno::INTR) => {}
            Err(_) => self.host_is_gone(),
        }
    }

    fn say(&mut self, id: Option<&Value>, session: &str, event: &Event) {
        self.outgoing.push_line(&event.line(id, session));
    }

    fn take(&mut self, line: Line) {
        if self.ending.is_some() {
            return;
        }
        let line = match line {
            Line::Whole(line) => line,
            Line::Bad(what) => {
                let event = Event::Error(FailureKind::BadRequest, what.to_owned());
                return self.say(None, protocol::MAIN, &event);
            }
        };
        let asked = match parse(&line) {
            Ok(asked) => asked,
            Err(bad) => {
                let event = Event::Error(FailureKind::BadRequest, bad.message);
                return self.say(bad.id.as_ref(), protocol::MAIN, &event);
            }
        };
        let id = asked.id.as_ref();
        match asked.request {
            Request::Hello(asked_version) => {
                self.say(id, &asked.session, &hello(&asked_version));
            }
            Request::Close => self.close(asked.id),
            Request::List => {
                self.ask_others(id, &asked.session, |_| registry::listed(PATIENCE));
            }
            request => {
                let is_ours = |member: &&mut Member| {
                    member.is_supervisor && !member.is_over && member.session == asked.session
                };
                if let Some(member) = self.members.iter_mut().find(is_ours) {
                    return member.ask(id, &line);
                }
                match request {
                    Request::Open(_) => self.open(&asked.session, id, &line),
                    Request::Release => self.ask_others(id, &asked.session, release),
                    _ => {
                        let name = &asked.session;
                        let text = format!("there is no session {name}: send open first");
                        let event = Event::Error(FailureKind::UnknownSession, text);
                        self.say(id, &asked.session, &event);
                    }
                }
            }
        }
    }

    fn open(&mut self, session: &str, id: Option<&Value>, line: &str) {
        let guard = getpid();
        let folder = format!("{session}.{}", guard.as_raw_nonzero());
        let host_pid = self.host_pid.or(Some(guard));
        let settings = self.settings.clone();
        let name = session.to_owned();
        let begun = self.begin(session, true, move |from_host, to_host| {
            supervise(Setup {
                name,
                folder,
                host: (from_host, to_host),
                host_pid,
                settings,
            })
        });
        match begun {
            Ok(member) => member.ask(id, line),
            Err(error) => {
                let event = Event::Error(FailureKind::Start, error.to_string());
                self.say(id, session, &event);
            }
        }
    }

    /// A question that needs waiting for others is asked by a process of its own: the guard never waits.
    fn ask_others(
        &mut self,
        id: Option<&Value>,
        session: &str,
        question: impl FnOnce(&str) -> Event,
    ) {
        let name = session.to_owned();
        let asked = id.cloned();
        let begun = self.begin(session, false, move |_, to_host| {
            let mut line = question(&name).line(asked.as_ref(), &name);
            line.push('\n');
            let mut rest = line.as_bytes();
            while !rest.is_empty() {
                let count = rustix::io::write(&to_host, rest)?;
                rest = &rest[count..];
            }
            Ok(0)
        });
        match begun {
            Ok(member) => member.owes(id),
            Err(error) => {
                let event = Event::Error(FailureKind::Internal, error.to_string());
                self.say(id, session, &event);
            }
        }
    }

    /// Splits a process off that does some work with two pipes to here.
    fn begin(
        &mut self,
        session: &str,
        is_supervisor: bool,
        work: impl FnOnce(OwnedFd, OwnedFd) -> io::Result<u8>,
    ) -> io::Result<&mut Member> {
        let (from_host, to) = pipes()?;
        let (from, to_host) = pipes()?;
        let Some(pid) = fork()? else {
            drop((to, from));
            // What belongs to the host and to other members must not be held by this one.
            self.members.clear();
            self.input = None;
            self.host = None;
            Signals::forget();
            child(move || {
                onto_null(&[0, 1])?;
                rustix::io::dup2(std::fs::File::open("/dev/null")?, &mut self.output)?;
                work(from_host, to_host)
            })
        };
        let member = Member::new(session, is_supervisor, pid, to, from);
        self.members.push(member);
        Ok(self.members.last_mut().expect("it was just put there"))
    }

    fn close(&mut self, id: Option<Value>) {
        for member in &mut self.members {
            member.outgoing.push_line("{\"type\":\"close\"}");
        }
        self.ending = Some(Ending {
            why: EndedBy::Close(id),
            until: Instant::now() + CLOSE,
        });
    }

    fn host_is_gone(&mut self) {
        if matches!(
            self.ending,
            Some(Ending {
                why: EndedBy::Gone,
                ..
            })
        ) {
            return;
        }
        self.input = None;
        self.host = None;
        self.host_pid = None;
        for member in &mut self.members {
            member.to = None;
        }
        self.ending = Some(Ending {
            why: EndedBy::Gone,
            until: Instant::now() + GONE,
        });
    }

    /// Takes the ends of children; one that no member is was left by a supervisor that died, and is ended.
    fn reap(&mut self) {
        let mut died = false;
        // Of any child: `waitpid` without a number asks for those of this process group, and each has its own.
        while let Ok(Some((_, status))) = wait(WaitOptions::NOHANG) {
            died |= status.exit_status() != Some(0);
        }
        if died && self.ending.is_none() {
            let ours: Vec<Pid> = self.members.iter().map(|member| member.pid).collect();
            crate::process::end_strays(&ours);
            registry::clean();
        }
    }

    fn is_over(&self) -> bool {
        let Some(ending) = &self.ending else {
            return false;
        };
        self.members.is_empty() || Instant::now() >= ending.until
    }

    fn end(&mut self) {
        self.members.clear();
        end_descendants(DYING);
        registry::clean();
        if let Some(Ending {
            why: EndedBy::Close(id),
            ..
        }) = self.ending.take()
        {
            self.say(id.as_ref(), protocol::MAIN, &Event::Closed);
            let left = Timespec::try_from(LAST).expect("a few seconds");
            while !self.outgoing.is_empty() {
                let mut fds = vec![PollFd::new(&self.output, PollFlags::OUT)];
                fds.extend(
                    self.host
                        .as_ref()
                        .map(|host| PollFd::new(host, PollFlags::IN)),
                );
                let Ok(1..) = poll(&mut fds, Some(&left)) else {
                    return;
                };
                let is_gone = fds.get(1).is_some_and(|host| !host.revents().is_empty());
                if is_gone || !self.outgoing.write(self.output.as_fd()) {
                    return;
                }
            }
        }
    }
}

/// Ends a session of somebody else, by the name of its folder.
fn release(session: &str) -> Event {
    let unknown = |error: io::Error| {
        let text = format!("there is no session {session}: {error}");
        Event::Error(FailureKind::UnknownSession, text)
    };
    let mut client = match Client::connect(session) {
        Ok(client) => client,
        Err(error) => return unknown(error),
    };
    match client.release() {
        Ok(()) => Event::Answer("released", serde_json::json!({})),
        Err(error) => Event::Error(FailureKind::Internal, error.to_string()),
    }
}
