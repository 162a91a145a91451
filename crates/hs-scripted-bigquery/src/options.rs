//! How the server behaves, and what goes wrong on purpose. Both can come as JSON; an unknown field is an error, so that
//! a test never waits for a fault that was misspelled.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::Value;

use crate::errors::Refused;

/// How a query over its cap is refused: the service is documented for none of them, and each was seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Refusal {
    /// The insert answers 200, the job is done at once with an `errorResult`.
    #[default]
    ErrorResult,
    /// The insert answers 400; there is no job.
    Http400,
    /// The insert answers 500; there is no job.
    Http500,
    /// The insert answers 200 with a running job, which fails a moment later.
    Late,
}

/// How the server behaves; each can be changed while it runs.
#[allow(clippy::struct_excessive_bools, reason = "switches, each on its own")]
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// 0: any free port.
    pub port: u16,
    /// `error_result`, `400`, `500` or `late`.
    pub cap_refused: Refusal,
    /// How long a request for results waits for its job at most, whatever `timeoutMs` says.
    pub wait: Duration,
    /// How long every job runs, beside what its statement says.
    pub run: Duration,
    /// Before every reply.
    pub delay: Duration,
    /// How long a token lives, whatever `expires_in` says (always an hour).
    pub token_lifetime: Duration,
    /// A token is good for so many requests.
    pub token_calls: Option<u32>,
    /// Where jobs run whose tables do not say it.
    pub location: String,
    /// So many times each job is not found by `jobs.get`, as just after its insert.
    pub hidden_gets: u32,
    /// Whether a repeated SELECT is answered from the cache: nothing processed, nothing billed.
    pub cache: bool,
    /// Rows of `d.big`.
    pub big_rows: usize,
    /// Rows of a page, by table without its dataset; others have what the table says.
    pub page_rows: BTreeMap<String, usize>,
    /// Whether the service's own failure inside of a job is answered as one of the request for its results: 503
    /// `backendError`, so that only the job itself says that it has failed.
    pub ambiguous: bool,
    /// Whether replies are compressed for clients that take it, as the service does.
    pub gzip: bool,
    /// Whether pages have their rows before their schema: JSON has no order.
    pub rows_first: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            port: 0,
            cap_refused: Refusal::ErrorResult,
            wait: Duration::from_secs(10),
            run: Duration::ZERO,
            delay: Duration::ZERO,
            token_lifetime: Duration::from_secs(3599),
            token_calls: None,
            location: "US".to_owned(),
            hidden_gets: 0,
            cache: false,
            big_rows: 200_000,
            page_rows: BTreeMap::new(),
            ambiguous: false,
            gzip: false,
            rows_first: false,
        }
    }
}

impl Options {
    /// Takes the fields that the JSON names; durations are in milliseconds: `wait_ms`, `run_ms`, `delay_ms`, `token_ms`.
    ///
    /// # Errors
    /// A field that does not exist, or a value of another kind; nothing is changed then.
    pub fn change(&mut self, fields: &Value) -> Result<(), String> {
        let mut new = self.clone();
        for (name, value) in object(fields)? {
            match name.as_str() {
                "port" => new.port = small(name, value)?,
                "cap_refused" => new.cap_refused = refusal(value)?,
                "wait_ms" => new.wait = milliseconds(name, value)?,
                "run_ms" => new.run = milliseconds(name, value)?,
                "delay_ms" => new.delay = milliseconds(name, value)?,
                "token_ms" => new.token_lifetime = milliseconds(name, value)?,
                "token_calls" => new.token_calls = optional(name, value)?,
                "location" => new.location = text(name, value)?,
                "hidden_gets" => new.hidden_gets = small(name, value)?,
                "cache" => new.cache = truth(name, value)?,
                "big_rows" => new.big_rows = small(name, value)?,
                "page_rows" => {
                    for (table, rows) in object(value)? {
                        new.page_rows.insert(table.clone(), small(name, rows)?);
                    }
                }
                "ambiguous" => new.ambiguous = truth(name, value)?,
                "gzip" => new.gzip = truth(name, value)?,
                "rows_first" => new.rows_first = truth(name, value)?,
                _ => return Err(format!("there is no option {name:?}")),
            }
        }
        *self = new;
        Ok(())
    }
}

/// Something that goes wrong. It meets the requests whose method, path and body fit, oldest fault first.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// `*` is any.
    pub method: String,
    /// The whole path, without its query; `*` stands for any characters: `*/jobs`, `*/queries/*`, `/token`.
    pub path: String,
    /// What the body of the request must contain, such as `dryRun` or `maximumBytesBilled`.
    pub when: String,
    /// So many fitting requests are left alone first.
    pub skip: u32,
    /// So many requests are met; none: all from then on.
    pub times: Option<u32>,
    /// 0: the usual reply (to delay it, or to cut it).
    pub status: u16,
    pub content_type: String,
    pub headers: Vec<(String, String)>,
    pub body: String,
    /// The server does first what was asked, and then answers with the fault.
    pub after: bool,
    /// The connection is closed without an answer.
    pub drop: bool,
    /// The connection is closed after so many bytes of the body.
    pub cut: Option<usize>,
    pub delay: Duration,
}

impl Fault {
    /// One answer with this status and a page of HTML, as the front end of the service gives it.
    pub fn new(method: &str, path: &str, status: u16) -> Self {
        let body = format!(
            "<!DOCTYPE html>\n<html lang=en>\n<title>Error {status} (Server Error)!!1</title>\n<p><b>{status}.</b> \
             <ins>That's an error.</ins>\n<p>The service is temporarily unable to answer. <ins>That's all we know.</ins>\n"
        );
        Self {
            method: method.to_owned(),
            path: path.to_owned(),
            when: String::new(),
            skip: 0,
            times: Some(1),
            status,
            content_type: "text/html; charset=UTF-8".to_owned(),
            headers: Vec::new(),
            body,
            after: false,
            drop: false,
            cut: None,
            delay: Duration::ZERO,
        }
    }

    /// One answer with an error as the service writes it.
    pub fn refused(method: &str, path: &str, status: u16, reason: &str, message: &str) -> Self {
        let mut fault = Self::new(method, path, status);
        fault.set_body(&Refused::new(status, reason, message).body());
        fault
    }

    fn set_body(&mut self, body: &Value) {
        self.body = body.to_string();
        "application/json; charset=UTF-8".clone_into(&mut self.content_type);
    }

    /// From its fields by name; what is left out is as in [`Fault::new`]. With `reason` and `message` the body is an
    /// error as the service writes it; a body that is no text is sent as JSON; `times: null` means for ever; the delay
    /// is `delay_ms`.
    ///
    /// # Errors
    /// A field that does not exist, or a value of another kind.
    pub fn from_json(fields: &Value) -> Result<Self, String> {
        let status = fields
            .get("status")
            .map_or(Ok(503), |value| small("status", value))?;
        let mut fault = Self::new("*", "*", status);
        // A content type that is named holds, whatever the body is.
        let named = fields
            .get("content_type")
            .map(|value| text("content_type", value))
            .transpose()?;
        for (name, value) in object(fields)? {
            match name.as_str() {
                "status" | "content_type" => {}
                "method" => fault.method = text(name, value)?,
                "path" => fault.path = text(name, value)?,
                "when" => fault.when = text(name, value)?,
                "skip" => fault.skip = small(name, value)?,
                "times" => fault.times = optional(name, value)?,
                "headers" => {
                    for (header, value) in object(value)? {
                        fault.headers.push((header.clone(), text(name, value)?));
                    }
                }
                "reason" => {
                    let message = fields.get("message").and_then(Value::as_str).unwrap_or("");
                    fault.set_body(&Refused::new(status, &text(name, value)?, message).body());
                }
                "message" if fields.get("reason").is_some() => {}
                "body" => match value {
                    Value::String(body) => fault.body.clone_from(body),
                    other => fault.set_body(other),
                },
                "after" => fault.after = truth(name, value)?,
                "drop" => fault.drop = truth(name, value)?,
                "cut" => fault.cut = optional(name, value)?,
                "delay_ms" => fault.delay = milliseconds(name, value)?,
                _ => return Err(format!("a fault has no field {name:?}")),
            }
        }
        if let Some(named) = named {
            fault.content_type = named;
        }
        Ok(fault)
    }

    pub(crate) fn meets(&self, method: &str, path: &str, body: &[u8]) -> bool {
        let method_fits = self.method == "*" || self.method.eq_ignore_ascii_case(method);
        method_fits && fits(&self.path, path) && String::from_utf8_lossy(body).contains(&self.when)
    }
}

/// Whether the text is the pattern, in which each `*` stands for any characters.
fn fits(pattern: &str, text: &str) -> bool {
    let Some((head, rest)) = pattern.split_once('*') else {
        return pattern == text;
    };
    let Some(text) = text.strip_prefix(head) else {
        return false;
    };
    let ends = text.char_indices().map(|(at, _)| at).chain([text.len()]);
    ends.into_iter().any(|at| fits(rest, &text[at..]))
}

fn object(value: &Value) -> Result<&serde_json::Map<String, Value>, String> {
    value
        .as_object()
        .ok_or_else(|| format!("expected an object, found {value}"))
}

fn small<T: TryFrom<u64>>(name: &str, value: &Value) -> Result<T, String> {
    let number = value.as_u64().and_then(|number| T::try_from(number).ok());
    number.ok_or_else(|| format!("{name}: expected a whole number, found {value}"))
}

fn optional<T: TryFrom<u64>>(name: &str, value: &Value) -> Result<Option<T>, String> {
    if value.is_null() {
        Ok(None)
    } else {
        small(name, value).map(Some)
    }
}

fn milliseconds(name: &str, value: &Value) -> Result<Duration, String> {
    small(name, value).map(Duration::from_millis)
}

fn truth(name: &str, value: &Value) -> Result<bool, String> {
    value
        .as_bool()
        .ok_or_else(|| format!("{name}: expected true or false, found {value}"))
}

fn text(name: &str, value: &Value) -> Result<String, String> {
    let text = value.as_str().map(str::to_owned);
    text.ok_or_else(|| format!("{name}: expected text, found {value}"))
}

fn refusal(value: &Value) -> Result<Refusal, String> {
    match value.as_str() {
        Some("error_result") => Ok(Refusal::ErrorResult),
        Some("400") => Ok(Refusal::Http400),
        Some("500") => Ok(Refusal::Http500),
        Some("late") => Ok(Refusal::Late),
        _ => Err(format!(
            "cap_refused: expected error_result, 400, 500 or late, found {value}"
        )),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Fault, Options, Refusal, fits};

    #[test]
    fn patterns() {
        assert!(fits("*", ""));
        assert!(fits("*/jobs", "/bigquery/v2/projects/p1/jobs"));
        assert!(!fits("*/jobs", "/bigquery/v2/projects/p1/jobs/x"));
        assert!(fits("*/queries/*", "/bigquery/v2/projects/p1/queries/x"));
        assert!(!fits("/token", "/tokens"));
    }

    #[test]
    fn a_misspelled_option_changes_nothing() {
        let mut options = Options::default();
        assert!(
            options
                .change(&json!({"cache": true, "chache": true}))
                .is_err()
        );
        assert_eq!(options, Options::default());
        options
            .change(&json!({"cap_refused": "500", "token_calls": 3}))
            .unwrap();
        assert_eq!(
            (options.cap_refused, options.token_calls),
            (Refusal::Http500, Some(3))
        );
    }

    #[test]
    fn a_fault_meets_what_fits() {
        let fault = Fault::from_json(
            &json!({"method": "POST", "path": "*/jobs", "when": "dryRun", "body": {"error": 1}}),
        );
        let fault = fault.unwrap();
        assert_eq!(
            (fault.body.as_str(), fault.status, fault.times),
            ("{\"error\":1}", 503, Some(1))
        );
        assert!(fault.meets("POST", "/x/jobs", b"{\"dryRun\":true}"));
        assert!(!fault.meets("POST", "/x/jobs", b"{}"));
        assert!(!fault.meets("GET", "/x/jobs", b"dryRun"));
        assert!(Fault::from_json(&json!({"time": 1})).is_err());
    }
}
