//! What a host hears. Fields that say nothing are left out.

use serde::Serialize;
use serde_json::{Value, json};

/// What kind of output it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum OutputKind {
    /// What the cell printed.
    Stdout,
    /// What it printed as errors or warnings.
    Stderr,
    /// The value of its last expression.
    Result,
    /// What it displayed.
    Display,
    /// The traceback.
    Error,
}

/// Something that the user must know besides the output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Notice {
    /// A word for programs.
    pub kind: String,
    /// The line for people.
    pub text: String,
}

impl Notice {
    /// A notice.
    pub fn new(kind: &str, text: impl Into<String>) -> Self {
        Self {
            kind: kind.to_owned(),
            text: text.into(),
        }
    }
}

/// A figure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Image {
    /// Its type, such as `image/png`.
    pub mime: String,
    /// Its bytes in base64.
    pub data: String,
}

/// Whether variables are still there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// The kernel answers and holds what it held.
    Kept,
    /// The kernel is gone; the next cell starts on a new one.
    Lost,
}

/// How a cell ended.
#[derive(Clone, Debug, Serialize)]
pub struct Ended {
    /// `ok` or `error`; an interrupt is an error.
    pub status: &'static str,
    /// What it gave, within the limits.
    pub output: String,
    /// Its number in the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub execution_count: Option<u64>,
    /// The exception.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Failure>,
    /// Whether there is more output than `output`.
    pub truncated: bool,
    /// The file with all of it, until the session ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub full_output_path: Option<String>,
    /// What else there is to say.
    pub notices: Vec<Notice>,
    /// The figures, within the limits.
    pub images: Vec<Image>,
    /// The checkpoint that is made after it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checkpoint: Option<String>,
    /// Which kernel of the session it was, from 1.
    pub generation: u64,
    /// How long it took, in milliseconds.
    pub duration_ms: u64,
    /// Whether variables are still there.
    pub state: State,
}

/// An exception.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Failure {
    /// Its class.
    pub ename: String,
    /// Its text.
    pub evalue: String,
}

/// Why a request failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// It is no request, or has a bad field.
    BadRequest,
    /// A cell is running.
    Busy,
    /// There is no such session.
    UnknownSession,
    /// There is no such run in the session.
    UnknownRun,
    /// The kernel is gone.
    Lost,
    /// The kernel did not start.
    Start,
    /// The time that the caller gave is over; the cell goes on.
    Timeout,
    /// Somebody stopped it.
    Cancelled,
    /// There is nothing behind this request in this version, or it is switched off.
    Unsupported,
    /// A fault of the launcher.
    Internal,
}

/// A line for a host.
#[derive(Clone, Debug)]
pub enum Event {
    /// The answer to `hello`, `status`, `list`, `read` and the like: fields of an object.
    Answer(&'static str, Value),
    /// A session has a kernel.
    Ready {
        /// Which kernel of the session it is, from 1.
        generation: u64,
        /// Its process.
        pid: u32,
        /// The file that Jupyter clients connect by.
        connection_file: String,
    },
    /// A cell begins.
    CellStart,
    /// A piece of output.
    Output(OutputKind, String),
    /// What was shown until now goes away.
    Clear,
    /// A figure.
    Image(Image),
    /// A cell goes on.
    Progress {
        /// Since its start.
        elapsed_ms: u64,
        /// What the kernel and all it started use of the processors, 100 for one of them.
        cpu_percent: f64,
        /// What they hold in memory.
        memory_bytes: u64,
    },
    /// Something besides the output.
    Notice(Notice),
    /// A cell is over.
    CellEnd,
    /// How it ended.
    Result(Box<Ended>),
    /// The kernel is gone.
    Lost {
        /// Which kernel it was.
        generation: u64,
        /// What happened.
        reason: String,
        /// What it said last on standard error.
        stderr_tail: String,
    },
    /// A request failed.
    Error(FailureKind, String),
    /// The launcher ends.
    Closed,
}

impl Event {
    /// The line for the host, without a line end; `id` is that of the request, `session` that of the session.
    pub fn line(&self, id: Option<&Value>, session: &str) -> String {
        let (kind, fields) = self.fields();
        // The type stands first, so that whoever passes lines on need not read them.
        let mut line = format!("{{\"type\":\"{kind}\"");
        if let Some(id) = id {
            line.push_str(&format!(",\"id\":{id}"));
        }
        line.push_str(&format!(",\"session\":{}", Value::from(session)));
        let fields = fields.to_string();
        if fields.len() > 2 {
            line.push(',');
            line.push_str(&fields[1..]);
        } else {
            line.push('}');
        }
        line
    }

    fn fields(&self) -> (&'static str, Value) {
        match self {
            Self::Answer(kind, fields) => (kind, fields.clone()),
            Self::Ready {
                generation,
                pid,
                connection_file,
            } => (
                "ready",
                json!({"generation": generation, "pid": pid, "connection_file": connection_file}),
            ),
            Self::CellStart => ("cell-start", json!({})),
            Self::Output(kind, text) => ("output", json!({"kind": kind, "text": text})),
            Self::Clear => ("clear", json!({})),
            Self::Image(image) => ("image", json!(image)),
            Self::Progress {
                elapsed_ms,
                cpu_percent,
                memory_bytes,
            } => (
                "progress",
                json!({"elapsed_ms": elapsed_ms, "cpu_percent": cpu_percent, "memory_bytes": memory_bytes}),
            ),
            Self::Notice(notice) => ("notice", json!(notice)),
            Self::CellEnd => ("cell-end", json!({})),
            Self::Result(ended) => ("result", json!(ended)),
            Self::Lost {
                generation,
                reason,
                stderr_tail,
            } => (
                "lost",
                json!({"generation": generation, "reason": reason, "stderr_tail": stderr_tail}),
            ),
            Self::Error(kind, message) => ("error", json!({"kind": kind, "message": message})),
            Self::Closed => ("closed", json!({})),
        }
    }
}

/// The answer to `hello`.
pub fn hello(asked: &super::Hello) -> Event {
    match asked.version {
        None | Some(super::VERSION) => {
            let version = env!("CARGO_PKG_VERSION");
            Event::Answer(
                "hello",
                json!({"version": super::VERSION, "name": "headstart", "headstart": version}),
            )
        }
        Some(other) => Event::Error(
            FailureKind::BadRequest,
            format!(
                "hello: expected the version {}, found {other}",
                super::VERSION
            ),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_names_its_request_and_leaves_out_what_says_nothing() {
        let ended = Ended {
            status: "ok",
            output: "1\n".to_owned(),
            execution_count: Some(3),
            error: None,
            truncated: false,
            full_output_path: None,
            notices: vec![Notice::new("a", "b")],
            images: Vec::new(),
            checkpoint: None,
            generation: 1,
            duration_ms: 4,
            state: State::Kept,
        };
        let line = Event::Result(Box::new(ended)).line(Some(&Value::from("r1")), "main");
        let value: Value = serde_json::from_str(&line).expect("JSON");
        assert_eq!(
            value,
            json!({"type": "result", "id": "r1", "session": "main", "status": "ok", "output": "1\n",
                "execution_count": 3, "truncated": false, "notices": [{"kind": "a", "text": "b"}], "images": [],
                "generation": 1, "duration_ms": 4, "state": "kept"})
        );
        let line = Event::Closed.line(Some(&Value::from(1)), "a");
        assert_eq!(line, r#"{"type":"closed","id":1,"session":"a"}"#);
        let line = Event::Error(FailureKind::UnknownSession, "x".to_owned()).line(None, "a");
        assert_eq!(
            line,
            r#"{"type":"error","session":"a","kind":"unknown_session","message":"x"}"#
        );
    }
}
