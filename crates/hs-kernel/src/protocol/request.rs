//! What a host may ask. Unknown fields are passed over; an unknown type or a bad field is told with the request's id.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Deserialize;
use serde_json::{Map, Value};

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
    /// Something for which there is a place, but nothing behind it yet.
    Later(String),
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
}

/// `run`: a cell.
#[derive(Clone, Debug, Deserialize)]
pub struct RunRequest {
    /// What is run.
    pub code: String,
    /// The folder that it runs in, from then on.
    #[serde(default)]
    pub cwd: Option<PathBuf>,
    /// When to answer the caller at the latest; the cell goes on.
    #[serde(default)]
    pub timeout_s: Option<f64>,
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
const MAIN: &str = "main";
/// Characters that a session's name may have.
const LONGEST: usize = 64;

/// What a line asks.
///
/// # Errors
/// What is wrong with it, with its id if that can be told.
pub fn parse(line: &str) -> Result<Asked, Bad> {
    let value: Value = serde_json::from_str(line).map_err(|error| Bad {
        id: None,
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
        "open" => Request::Open(fields(kind, object)?),
        "run" => {
            let run: RunRequest = fields(kind, object)?;
            if run
                .timeout_s
                .is_some_and(|seconds| !(0.0..1e9).contains(&seconds))
            {
                return Err("run: timeout_s: expected seconds from 0".to_owned());
            }
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
        "wait" => Request::Wait(fields(kind, object)?),
        "read" => Request::Read(fields(kind, object)?),
        "status" => Request::Status,
        "list" => Request::List,
        "release" => Request::Release,
        "restart" => Request::Restart,
        "close" => Request::Close,
        "checkpoint" | "restore" | "search" | "export" | "message" => {
            Request::Later(kind.to_owned())
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
