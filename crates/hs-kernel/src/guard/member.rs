//! A process that the guard started: the supervisor of a session, or one that answers a single question.

use std::os::fd::OwnedFd;

use rustix::process::Pid;
use serde::Deserialize;
use serde_json::Value;

use super::outlet::Outlet;
use crate::protocol::{Event, FailureKind};

/// Such a process.
pub struct Member {
    /// The session that it is for.
    pub session: String,
    /// Whether it lives for the whole session, and takes lines.
    pub is_supervisor: bool,
    /// The process.
    pub pid: Pid,
    /// Its pipe, until nothing more is to be said to it.
    pub to: Option<OwnedFd>,
    /// What it says.
    pub from: OwnedFd,
    /// What it has not taken yet.
    pub outgoing: Outlet,
    /// A line that is not whole yet.
    begun: Vec<u8>,
    /// It has said that its session is over.
    pub is_over: bool,
    /// Requests that it has not answered.
    owed: Vec<Value>,
    /// Cells that have begun and not ended.
    cells: Vec<Value>,
}

#[derive(Deserialize)]
struct Head {
    id: Option<Value>,
}

/// Lines after which a request is still open.
const MIDDLE: [&str; 8] = [
    "output",
    "image",
    "clear",
    "progress",
    "notice",
    "cell-start",
    "cell-end",
    "lost",
];

/// What a supervisor says before the error that it ends with: the next `open` is for another one.
pub const OVER: &str = "over";

impl Member {
    /// A process that has just been started.
    pub fn new(session: &str, is_supervisor: bool, pid: Pid, to: OwnedFd, from: OwnedFd) -> Self {
        Self {
            session: session.to_owned(),
            is_supervisor,
            pid,
            to: is_supervisor.then_some(to),
            from,
            outgoing: Outlet::default(),
            begun: Vec::new(),
            is_over: false,
            owed: Vec::new(),
            cells: Vec::new(),
        }
    }

    /// Gives it a request.
    pub fn ask(&mut self, id: Option<&Value>, line: &str) {
        self.owes(id);
        self.outgoing.push_line(line);
    }

    /// It has been asked something.
    pub fn owes(&mut self, id: Option<&Value>) {
        if let Some(id) = id
            && !self.owed.contains(id)
        {
            self.owed.push(id.clone());
        }
    }

    /// It said something: whole lines go to the host.
    pub fn said(&mut self, piece: &[u8], to: &mut Outlet, closing: bool) {
        let Some(end) = piece.iter().rposition(|byte| *byte == b'\n') else {
            self.begun.extend_from_slice(piece);
            return;
        };
        let mut whole = std::mem::take(&mut self.begun);
        whole.extend_from_slice(&piece[..=end]);
        self.begun.extend_from_slice(&piece[end + 1..]);
        for line in whole.split_inclusive(|byte| *byte == b'\n') {
            let kind = kind(line);
            self.is_over |= matches!(kind, "released" | OVER);
            if kind == OVER {
                continue;
            }
            if closing && line.starts_with(b"{\"type\":\"released\",\"session\"") {
                // The host asked for the end of all, and hears of that.
                continue;
            }
            self.follow(kind, line);
            to.push(line);
        }
    }

    fn follow(&mut self, kind: &str, line: &[u8]) {
        let is_cell = matches!(kind, "cell-start" | "cell-end");
        if MIDDLE.contains(&kind) && !is_cell {
            return;
        }
        let Ok(Head { id: Some(id) }) = serde_json::from_slice(line) else {
            return;
        };
        match kind {
            "cell-start" => self.cells.push(id),
            "cell-end" => self.cells.retain(|cell| *cell != id),
            _ => self.owed.retain(|owed| *owed != id),
        }
    }

    /// It is gone: its cells have ended, and what it still owes is told to be lost.
    pub fn gone(&self, to: &mut Outlet) {
        for id in &self.cells {
            to.push_line(&Event::CellEnd.line(Some(id), &self.session));
        }
        for id in &self.owed {
            let text = "the session's supervisor is gone, and its kernel with it";
            let event = Event::Error(FailureKind::Lost, text.to_owned());
            to.push_line(&event.line(Some(id), &self.session));
        }
    }
}

/// The type of a line, which stands first in it.
fn kind(line: &[u8]) -> &str {
    let rest = line.strip_prefix(b"{\"type\":\"").unwrap_or_default();
    let end = rest.iter().position(|byte| *byte == b'"').unwrap_or(0);
    std::str::from_utf8(&rest[..end]).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsFd;

    use super::*;
    use rustix::process::getpid;

    #[test]
    fn what_is_owed_is_told_when_it_is_gone() {
        let (to, from) = (
            std::fs::File::open("/dev/null"),
            std::fs::File::open("/dev/null"),
        );
        let (to, from) = (to.expect("null").into(), from.expect("null").into());
        let mut member = Member::new("a", true, getpid(), to, from);
        for id in 1..4 {
            member.ask(Some(&Value::from(id)), "{}");
        }
        let mut out = Outlet::default();
        member.said(
            b"{\"type\":\"cell-start\",\"id\":2}\n{\"type\":\"cell-end\",\"id\":2}\n",
            &mut out,
            false,
        );
        member.said(
            b"{\"type\":\"cell-start\",\"id\":1}\n{\"type\":\"output\",\"id\":1}\n{\"type\":\"res",
            &mut out,
            false,
        );
        member.said(b"ult\",\"id\":2}\n", &mut out, false);
        let length = out.len();
        member.gone(&mut out);
        let mut text = vec![0; out.len()];
        let (read, write) = rustix::pipe::pipe().expect("a pipe");
        assert!(out.write(write.as_fd()));
        rustix::io::read(&read, &mut text).expect("the text");
        let told: Vec<Value> = text[length..]
            .split(|byte| *byte == b'\n')
            .filter(|line| !line.is_empty())
            .map(|line| serde_json::from_slice(line).expect("JSON"))
            .collect();
        let told: Vec<(&str, u64)> = told
            .iter()
            .map(|line| (line["type"].as_str().expect("a type"), line["id"].as_u64()))
            .map(|(kind, id)| (kind, id.expect("an id")))
            .collect();
        assert_eq!(told, [("cell-end", 1), ("error", 1), ("error", 3)]);
    }
}
