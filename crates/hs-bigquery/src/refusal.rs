//! A request or job that was refused: what the service says, in whichever of its shapes.

use hs_core::error::quoted;
use hs_core::{Error, ErrorKind};
use serde_json::Value;

/// What the service says, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The status of the reply; 200 where a job says that it failed.
    pub status: u16,
    /// The service's word for the reason; often missing.
    pub reason: String,
    /// Its sentence, or what can be made out of a page that is none of its own.
    pub message: String,
    /// Whether the same was sent before, without an answer that was understood.
    pub resent: bool,
}

/// The reason of a query that would be billed more than its cap. It stands in no official table of errors.
const OVER_CAP: &str = "bytesBilledLimitExceeded";
/// Characters of a message; those of the service are far shorter.
const LONGEST: usize = 4000;
/// Characters of a reply that is not understood.
const SHOWN: usize = 200;

impl Refusal {
    /// What a reply with this status and body says.
    pub fn of_reply(status: u16, body: &[u8]) -> Self {
        let value: Option<Value> = serde_json::from_slice(body).ok();
        let error = value.as_ref().and_then(|value| value.get("error"));
        // Not every error has a list of errors.
        let first = error.and_then(|error| error.pointer("/errors/0"));
        let text = |value: Option<&Value>, name: &str| {
            let text = value.and_then(|value| value.get(name)?.as_str());
            text.map(str::to_owned)
        };
        let message = text(error, "message").or_else(|| text(first, "message"));
        Self {
            status,
            reason: text(first, "reason").unwrap_or_default(),
            message: message.map_or_else(|| page(body), |message| plain(&message)),
            resent: false,
        }
    }

    /// What a job says of itself, if it failed.
    pub fn of_job(job: &Value) -> Option<Self> {
        let result = job.pointer("/status/errorResult")?.as_object();
        let result = result.filter(|result| !result.is_empty())?;
        let text = |name: &str| {
            let text = result.get(name).and_then(Value::as_str);
            text.unwrap_or_default().to_owned()
        };
        Some(Self {
            status: 200,
            reason: text("reason"),
            message: match plain(&text("message")) {
                message if message.is_empty() => {
                    "the query failed, and BigQuery does not say why".to_owned()
                }
                message => message,
            },
            resent: false,
        })
    }

    /// Whether the same request may do better in a moment.
    pub fn is_passing(&self) -> bool {
        match self.reason.as_str() {
            "" => matches!(self.status, 429 | 500 | 502 | 503 | 504),
            reason => matches!(
                reason,
                "rateLimitExceeded" | "backendError" | "internalError" | "badGateway"
            ),
        }
    }

    /// Whether another job with the same query may do better in a moment.
    pub fn is_of_job_alone(&self) -> bool {
        matches!(
            self.reason.as_str(),
            "backendError"
                | "internalError"
                | "jobBackendError"
                | "jobInternalError"
                | "jobRateLimitExceeded"
        )
    }

    /// Whether the query would be billed more than its cap. The reason decides: the status is 200, 400 or 500.
    pub fn is_over_cap(&self) -> bool {
        self.reason == OVER_CAP
    }

    /// The number of bytes that a cap must have, where the message of a refused one tells it.
    pub fn required(&self) -> Option<u64> {
        let before = self.message.split(" or higher required").next()?;
        if before.len() == self.message.len() {
            return None;
        }
        before.rsplit([' ', '.', ':']).next()?.parse().ok()
    }

    /// As an error, with the fix where one is known; `sql` is what was asked.
    pub fn error(&self, host: &str, sql: Option<&str>) -> Error {
        let message = self.message.as_str();
        let error = |kind, message: &str| Error::new(kind, message);
        let status = match self.status {
            200 => String::new(),
            status => format!(" ({status})"),
        };
        match (self.status, self.reason.as_str()) {
            (401, _) | (_, "authError") => error(ErrorKind::Credentials, message).hint(
                "make new credentials: these are not accepted (revoked, or of another service?)",
            ),
            (_, "quotaExceeded") => error(ErrorKind::Query, message).hint(
                "a quota of the project is used up; it is shown in the console under IAM, Quotas",
            ),
            (_, "rateLimitExceeded") | (429, _) => error(ErrorKind::Service, message)
                .hint("too many requests at once: try again in a minute"),
            (403, _) | (_, "accessDenied") => {
                let hint = "the account needs the roles bigquery.jobUser on the project and bigquery.dataViewer on \
                            the data; an administrator of each gives them";
                error(ErrorKind::Credentials, message).hint(hint)
            }
            (404, _) | (_, "notFound") => {
                let hint = "is the name right (project.dataset.table), and the data in that location? Tables of one \
                            query must be in one location";
                error(ErrorKind::Query, message).hint(hint)
            }
            (300..=399 | 500.., "") => {
                let message = format!("{host} answers {}: {message}", self.status);
                error(ErrorKind::Service, &message).hint("try again later")
            }
            _ => {
                let refused = error(ErrorKind::Query, &format!("{message}{status}"));
                match sql.and_then(|sql| line_of(message, sql)) {
                    Some(line) => refused.hint(line),
                    None => refused,
                }
            }
        }
    }
}

/// The line of a query that a message points at with `[line:column]`.
fn line_of(message: &str, sql: &str) -> Option<String> {
    let place = message.rsplit_once('[')?.1;
    let (line, rest) = place.split_once(':')?;
    let column: usize = rest.split(']').next()?.parse().ok()?;
    let line: usize = line.parse().ok()?;
    let text = sql.lines().nth(line.checked_sub(1)?)?;
    let from: String = text.chars().skip(column.checked_sub(1)?).collect();
    let from = if from.is_empty() { text } else { &from };
    Some(format!("line {line} has there {}", quoted(from)))
}

/// A text of the service in one line, without what would move a terminal.
pub fn plain(text: &str) -> String {
    let shown = text
        .chars()
        .map(|letter| if letter.is_control() { ' ' } else { letter });
    let shown: String = shown.take(LONGEST).collect();
    shown.split_whitespace().collect::<Vec<&str>>().join(" ")
}

/// What a page says that is no reply of the service: the title of HTML, else its first characters.
fn page(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    let title = text
        .split_once("<title>")
        .and_then(|(_, rest)| rest.split_once("</title>"));
    let text = title.map_or(&*text, |(title, _)| title);
    let words: String = plain(text).chars().take(SHOWN).collect();
    if words.is_empty() {
        "without a word".to_owned()
    } else {
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CAP: &str =
        "Query exceeded limit for bytes billed: 170000000. 174063616 or higher required.";

    #[test]
    fn every_shape_of_an_error_is_read() {
        let whole = br#"{"error":{"code":400,"message":"Bad","errors":[{"message":"Bad","reason":"invalidQuery"}]}}"#;
        let refusal = Refusal::of_reply(400, whole);
        assert_eq!(
            (refusal.reason.as_str(), refusal.message.as_str()),
            ("invalidQuery", "Bad")
        );
        let bare = Refusal::of_reply(403, br#"{"error":{"code":403,"message":"No."}}"#);
        assert_eq!((bare.reason.as_str(), bare.message.as_str()), ("", "No."));
        assert_eq!(bare.error("h", None).kind(), ErrorKind::Credentials);
        let html = Refusal::of_reply(
            503,
            b"<html><head><title>Error 503\n (Server Error)!!1</title></head>",
        );
        assert_eq!(
            html.error("h", None).message(),
            "h answers 503: Error 503 (Server Error)!!1"
        );
        assert!(html.is_passing());
        for odd in [
            &b""[..],
            b"\xff\xfe",
            b"[]",
            b"{\"error\":7}",
            b"{\"error\":{\"errors\":{}}}",
        ] {
            assert!(!Refusal::of_reply(502, odd).message.is_empty());
        }
    }

    #[test]
    fn the_reason_says_whether_a_cap_was_too_small() {
        for status in [400, 500] {
            let body = format!(
                r#"{{"error":{{"message":"{CAP}","errors":[{{"reason":"bytesBilledLimitExceeded"}}]}}}}"#
            );
            let refusal = Refusal::of_reply(status, body.as_bytes());
            assert!(refusal.is_over_cap() && !refusal.is_passing());
            assert_eq!(refusal.required(), Some(174_063_616));
        }
        let job = serde_json::json!({"status": {"errorResult": {"reason": OVER_CAP, "message": "no figure"}}});
        assert_eq!(
            Refusal::of_job(&job).and_then(|refusal| refusal.required()),
            None
        );
        assert_eq!(Refusal::of_job(&serde_json::json!({"status": {}})), None);
    }

    #[test]
    fn a_syntax_error_shows_its_line() {
        let message = "Syntax error: Unexpected identifier \"SELEC\" at [2:3]";
        let body = serde_json::json!({"error": {"message": message, "errors": [{"reason": "invalidQuery"}]}});
        let refusal = Refusal::of_reply(400, body.to_string().as_bytes());
        let error = refusal.error("h", Some("-- x\n  SELEC 1"));
        assert_eq!(error.hint_text(), Some("line 2 has there \"SELEC 1\""));
        assert_eq!(line_of("at [9:1]", "a"), None);
        assert_eq!(
            line_of("at [1:99]", "abc").as_deref(),
            Some("line 1 has there \"abc\"")
        );
    }
}
