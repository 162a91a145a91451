//! What a host may ask. Unknown fields are passed over; an unknown type or a bad field is told with the request's id.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::remember::{
    ExportRequest, ImportRequest, MessageRequest, SearchRequest, check_context, check_of,
};
use crate::persistence::Mode;

/// A line of a host, understood.
#[derive(Debug)]
pub struct Asked {
    /// What the host calls it; every answer repeats it.
    pub id: Option<Value>,
    /// The session that it is for.
    pub session: String,
    /// What is asked.
    pub request: Request,
}

/// What is asked.
#[derive(Debug)]
pub enum Request {
    /// Which version the host speaks.
    Hello(Hello),
    /// A kernel for the session.
    Open(Open),
    /// A cell.
    Run(RunRequest),
    /// Stop a cell.
    Cancel(OfRun),
    /// The result of a cell, again or when it is there.
    Wait(Wait),
    /// Lines of a cell's whole output.
    Read(Read),
    /// What the session is at.
    Status,
    /// What all sessions of this machine and user are at.
    List,
    /// End a session.
    Release,
    /// A new kernel for the session.
    Restart,
    /// End all, and the launcher.
    Close,
    /// Save what the kernel holds.
    Checkpoint(Alone),
    /// Let the kernel hold what a checkpoint has.
    Restore(Branch),
    /// Find what the session did.
    Search(SearchRequest),
    /// Write it as a file.
    Export(ExportRequest),
    /// Take such a file back.
    Import(ImportRequest),
    /// Keep a message beside the cells.
    Message(MessageRequest),
}

/// `hello`.
#[derive(Debug, Deserialize)]
pub struct Hello {
    /// The version that the host speaks.
    #[serde(default)]
    pub version: Option<u64>,
}

/// `open`: how a session begins.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Open {
    /// The working folder of the kernel.
    #[serde(default)]
    pub cwd: Option<PathBuf>,
    /// Variables of the environment that only the kernel gets.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// Code that runs hidden at every start.
    #[serde(default)]
    pub startup_code: Vec<String>,
    /// The Python that runs the kernel.
    #[serde(default)]
    pub python: Option<PathBuf>,
    /// How clients reach it.
    #[serde(default)]
    pub transport: Transport,
    /// Whether cells are saved, and come back.
    #[serde(default)]
    pub checkpoints: Mode,
    /// The name of a context that stays, or `off`; a detached session has one of its own name.
    #[serde(default)]
    pub context: Option<String>,
    /// A session with a name that was released goes on where it was.
    #[serde(default)]
    pub resume: bool,
}

/// How clients reach a kernel. Messages are signed either way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Transport {
    /// By sockets in a folder that only the user enters.
    #[default]
    Ipc,
    /// By ports of this machine, for clients that know nothing else: every program here can reach them.
    Tcp,
}

/// `run`: a cell.
#[derive(Clone, Debug, Deserialize)]
pub struct RunRequest {
    /// What is run.
    pub code: String,
    /// The folder that it runs in, from then on.
    #[serde(default)]
    pub cwd: Option<PathBuf>,
    /// The checkpoint that the cell goes on from, and those before it, newest first; an empty list is what startup made.
    /// Without one the cell goes on from what the kernel holds.
    #[serde(default)]
    pub branch: Option<Vec<String>>,
    /// When to answer the caller at the latest; the cell goes on.
    #[serde(default)]
    pub timeout_s: Option<f64>,
    /// Wait for the cell that runs instead of being refused.
    #[serde(default)]
    pub queue: bool,
}

impl RunRequest {
    /// One that runs nothing.
    pub fn without_code(branch: Option<Vec<String>>, queue: bool) -> Self {
        Self {
            code: String::new(),
            cwd: None,
            branch,
            timeout_s: None,
            queue,
        }
    }
}

/// `checkpoint`.
#[derive(Debug, Deserialize)]
pub struct Alone {
    /// Wait for the cell that runs instead of being refused.
    #[serde(default)]
    pub queue: bool,
}

/// `restore`.
#[derive(Debug, Deserialize)]
pub struct Branch {
    /// The checkpoint, and those before it, newest first; an empty list is what startup made.
    pub branch: Vec<String>,
    /// Wait for the cell that runs instead of being refused.
    #[serde(default)]
    pub queue: bool,
}

/// A request about a cell.
#[derive(Debug, Deserialize)]
pub struct OfRun {
    /// The id of its `run`; the one that runs when left out.
    #[serde(default)]
    pub run: Option<Value>,
}

/// `wait`.
#[derive(Debug, Deserialize)]
pub struct Wait {
    /// The id of its `run`.
    pub run: Value,
    /// When to answer at the latest.
    #[serde(default)]
    pub timeout_s: Option<f64>,
}

/// `read`.
#[derive(Debug, Deserialize)]
pub struct Read {
    /// The id of its `run`.
    pub run: Value,
    /// The first line, from 1.
    #[serde(default = "one")]
    pub from_line: u64,
    /// The last line; the end when left out.
    #[serde(default)]
    pub to_line: Option<u64>,
}

/// Bytes of text that one answer to `read` has at most.
const MOST_READ: usize = 50 << 10;

impl Read {
    /// The lines that are asked for, as far as one answer goes: `to_line` says where it ends.
    pub fn lines_of(&self, text: &str) -> Value {
        let of = text.lines().count() as u64;
        let from = self.from_line.max(1);
        let to = self.to_line.unwrap_or(of).min(of);
        let mut found = String::new();
        let mut last = from.saturating_sub(1);
        let wanted = text
            .split_inclusive('\n')
            .skip((from - 1) as usize)
            .take((to + 1).saturating_sub(from) as usize);
        for line in wanted {
            if found.len() + line.len() > MOST_READ {
                if found.is_empty() {
                    // One line that is too long is cut, so that the next one can be reached.
                    let end = (0..=MOST_READ)
                        .rev()
                        .find(|end| line.is_char_boundary(*end));
                    found.push_str(&line[..end.unwrap_or(0)]);
                    last += 1;
                }
                break;
            }
            found.push_str(line);
            last += 1;
        }
        serde_json::json!({"from_line": from, "to_line": last, "of": of, "text": found})
    }
}

fn one() -> u64 {
    1
}

/// A line that is no request.
#[derive(Debug)]
pub struct Bad {
    /// Its id, if it has one.
    pub id: Option<Value>,
    /// What is wrong with it.
    pub message: String,
}

/// The session of a request that names none.
pub const MAIN: &str = "main";
/// Characters that a session's name may have.
const LONGEST: usize = 64;

/// What is read of a line whose other fields are not understood.
#[derive(Deserialize)]
struct Head {
    id: Option<Value>,
}

/// What a line asks.
///
/// # Errors
/// What is wrong with it, with its id if that can be told.
pub fn parse(line: &str) -> Result<Asked, Bad> {
    let value: Value = serde_json::from_str(line).map_err(|error| Bad {
        // Half a surrogate in the code is no text, but whoever sent it waits for an answer by this id.
        id: serde_json::from_str::<Head>(line)
            .ok()
            .and_then(|head| head.id),
        message: format!("expected one JSON object a line, found something else: {error}"),
    })?;
    let Value::Object(object) = value else {
        let message = "expected a JSON object with a \"type\", found another value".to_owned();
        return Err(Bad { id: None, message });
    };
    let id = object.get("id").cloned();
    let bad = |message: String| Bad {
        id: id.clone(),
        message,
    };
    let session = match object.get("session") {
        None | Some(Value::Null) => MAIN.to_owned(),
        Some(Value::String(name)) if is_name(name) => name.clone(),
        Some(_) => {
            let expected =
                "session: expected a name of letters, digits, `.`, `_` and `-`, at most 64";
            return Err(bad(format!("{expected}, that does not begin with `.`")));
        }
    };
    let kind = object.get("type").and_then(Value::as_str);
    let kind = kind
        .ok_or_else(|| bad("type: expected the name of a request, found none".to_owned()))?
        .to_owned();
    let request = request(&kind, object).map_err(bad)?;
    Ok(Asked {
        id,
        session,
        request,
    })
}

/// Whether a session may have this name, which becomes that of a folder.
pub fn is_name(name: &str) -> bool {
    let fits = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '_' | '-');
    !name.is_empty() && name.len() <= LONGEST && !name.starts_with('.') && name.chars().all(fits)
}

fn request(kind: &str, mut object: Map<String, Value>) -> Result<Request, String> {
    Ok(match kind {
        "hello" => Request::Hello(fields(kind, object)?),
        "open" => {
            let open: Open = fields(kind, object)?;
            variables(&open.env)?;
            check_context(open.context.as_ref())?;
            Request::Open(open)
        }
        "run" => {
            let run: RunRequest = fields(kind, object)?;
            seconds(kind, run.timeout_s)?;
            Request::Run(run)
        }
        "cancel" => {
            // The id of a request to cancel is that of the run, unless it has an id of its own.
            if !object.contains_key("run")
                && let Some(id) = object.get("id").cloned()
            {
                object.insert("run".to_owned(), id);
            }
            Request::Cancel(fields(kind, object)?)
        }
        "wait" => {
            let wait: Wait = fields(kind, object)?;
            seconds(kind, wait.timeout_s)?;
            Request::Wait(wait)
        }
        "read" => Request::Read(fields(kind, object)?),
        "status" => Request::Status,
        "list" => Request::List,
        "release" => Request::Release,
        "restart" => Request::Restart,
        "close" => Request::Close,
        "checkpoint" => Request::Checkpoint(fields(kind, object)?),
        "restore" => Request::Restore(fields(kind, object)?),
        "search" => {
            let search: SearchRequest = fields(kind, object)?;
            check_of(search.of.as_ref())?;
            Request::Search(search)
        }
        "export" => Request::Export(fields(kind, object)?),
        "import" => Request::Import(fields(kind, object)?),
        "message" => {
            let message: MessageRequest = fields(kind, object)?;
            message.check()?;
            Request::Message(message)
        }
        other => {
            let other: String = other
                .chars()
                .filter(|letter| !letter.is_control())
                .take(40)
                .collect();
            return Err(format!("type: expected a request, found \"{other}\""));
        }
    })
}

/// The system takes these for others, or for none, without a word.
fn variables(env: &BTreeMap<String, String>) -> Result<(), String> {
    let bad = |(name, value): &(&String, &String)| {
        name.is_empty() || name.contains(['=', '\0']) || value.contains('\0')
    };
    match env.iter().find(bad) {
        Some((name, _)) => Err(format!(
            "open: env: expected names without = and texts without NUL, found {name:?}"
        )),
        None => Ok(()),
    }
}

fn seconds(kind: &str, timeout: Option<f64>) -> Result<(), String> {
    match timeout {
        Some(seconds) if !(0.0..1e9).contains(&seconds) => Err(format!(
            "{kind}: timeout_s: expected seconds from 0, found {seconds}"
        )),
        _ => Ok(()),
    }
}

fn fields<T: for<'de> Deserialize<'de>>(
    kind: &str,
    object: Map<String, Value>,
) -> Result<T, String> {
    serde_json::from_value(Value::Object(object)).map_err(|error| format!("{kind}: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_has_a_meaning() {
        let asked = parse(r#"{"type":"run","id":7,"code":"x","later":[1]}"#).expect("a request");
        assert_eq!(
            (asked.session.as_str(), asked.id),
            ("main", Some(Value::from(7)))
        );
        assert!(
            matches!(asked.request, Request::Run(run) if run.code == "x" && !run.queue && run.cwd.is_none())
        );
        let asked = parse(r#"{"type":"cancel","id":"a"}"#).expect("a request");
        assert!(matches!(asked.request, Request::Cancel(of) if of.run == Some(Value::from("a"))));
    }

    #[test]
    fn a_text_that_is_none_is_refused_by_its_id() {
        let bad = parse(r#"{"type":"run","code":"\ud800","id":7}"#).expect_err("no text");
        assert_eq!(bad.id, Some(Value::from(7)));
        assert_eq!(parse("{").expect_err("no object").id, None);
    }

    #[test]
    fn lines_are_numbered_from_one() {
        let of = |from_line, to_line, text: &str| {
            let run = Value::from(1);
            Read {
                run,
                from_line,
                to_line,
            }
            .lines_of(text)
        };
        let found = of(2, Some(3), "a\nb\nc\nd");
        assert_eq!(
            found,
            serde_json::json!({"from_line": 2, "to_line": 3, "of": 4, "text": "b\nc\n"})
        );
        assert_eq!(of(4, None, "a\nb\nc\nd")["text"], "d");
        assert_eq!(of(9, None, "a\n")["text"], "");
        assert_eq!(of(3, Some(1), "a\nb\nc\n")["text"], "");
        let long = "x\n".repeat(100_000);
        let found = of(1, None, &long);
        assert_eq!(
            (&found["to_line"], &found["of"]),
            (&25_600.into(), &100_000.into())
        );
        let one = "é".repeat(60_000) + "\nb";
        let found = of(1, None, &one);
        assert_eq!(found["text"].as_str().map(str::len), Some(51_200));
        assert_eq!(found["to_line"], 1);
    }

    #[test]
    fn what_is_wrong_is_told_with_the_id() {
        for (line, words) in [
            ("{", "one JSON object a line"),
            ("[]", "found another value"),
            (r#"{"id":1}"#, "type: expected"),
            (r#"{"id":1,"type":"fly"}"#, "found \"fly\""),
            (r#"{"id":1,"type":"run"}"#, "missing field `code`"),
            (r#"{"id":1,"type":"run","code":7}"#, "run: invalid type"),
            (
                r#"{"id":1,"type":"run","code":"x","timeout_s":-1}"#,
                "timeout_s",
            ),
            (
                r#"{"id":1,"type":"open","env":{"A=B":""}}"#,
                "env: expected",
            ),
            (
                r#"{"id":1,"type":"open","env":{"A":"\u0000"}}"#,
                "env: expected",
            ),
            (
                r#"{"id":1,"type":"status","session":"../x"}"#,
                "session: expected a name",
            ),
            (
                r#"{"id":1,"type":"status","session":".x"}"#,
                "session: expected a name",
            ),
        ] {
            let bad = parse(line).expect_err(line);
            assert!(bad.message.contains(words), "{line}: {}", bad.message);
            assert_eq!(bad.id.is_some(), line.contains("id"), "{line}");
        }
    }
}
