//! What a kernel says, read from the parts of a Jupyter message.
//!
//! The contents are read here and not by the types of jupyter-protocol: a message that fits no type is an error there,
//! and what it carried is gone. Here a field that is missing or of another type is as if it were not there.

use bytes::Bytes;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::persistence::{Restored, Saved};
use crate::protocol::Failure;

/// Bytes that an exception's words may have.
const LONGEST_WORDS: usize = 8 << 10;

/// A message of a kernel.
#[derive(Debug)]
pub struct Message {
    /// The id of the request that it belongs to; empty when there is none.
    pub parent: String,
    /// The session of that request, which tells clients apart.
    pub session: String,
    /// What it says.
    pub said: Said,
}

/// What a kernel says.
#[derive(Debug)]
pub enum Said {
    /// It begins with the code of the request: from here on an interrupt meets it.
    Begun {
        /// The code.
        code: String,
        /// Its number in the kernel.
        number: Option<u64>,
    },
    /// It takes up the request.
    Busy,
    /// It is done with the request, and has said all.
    Idle,
    /// The answer to the request.
    Reply(Box<Reply>),
    /// Something was printed.
    Stream {
        /// On standard error.
        error: bool,
        /// What.
        text: String,
    },
    /// A value in several forms, by MIME type.
    Display {
        /// Its forms.
        data: Map<String, Value>,
        /// What later updates call it.
        id: Option<String>,
        /// Whether it takes the place of an earlier one.
        update: bool,
        /// Whether it is the value of the last expression.
        result: bool,
    },
    /// What was shown goes away; or when the next output comes.
    Clear {
        /// Only then.
        wait: bool,
    },
    /// An exception, with lines as a terminal shows them.
    Error(Failure, String),
    /// The subscription is in effect.
    Welcome,
    /// A checkpoint is there, or failed.
    Saved(Saved),
    /// It restores values, and goes on with these.
    Restoring,
    /// What is saved as this checkpoint cannot change any more.
    Frozen(String),
    /// Something that needs no answer.
    Other,
}

/// The answer to a request.
#[derive(Debug, Default)]
pub struct Reply {
    /// What went wrong, if something did.
    pub error: Option<Failure>,
    /// Lines of the traceback.
    pub traceback: String,
    /// The number of the cell.
    pub execution_count: Option<u64>,
    /// How many names the user has.
    pub names: Option<u64>,
    /// Whether it saves now, and takes the next request when it says [`Said::Frozen`].
    pub freezes: bool,
    /// What was restored.
    pub restored: Option<Restored>,
    /// Texts for a pager, as help is: there is none here, and what asked for them has printed nothing.
    pub pages: Vec<String>,
}

#[derive(Default, Deserialize)]
struct Header {
    #[serde(default)]
    msg_id: String,
    #[serde(default)]
    session: String,
    #[serde(default)]
    msg_type: String,
}

/// The message in the four parts of its JSON (header, parent, metadata, content); `None` if they are no message.
pub fn read(parts: &[Bytes]) -> Option<Message> {
    let [header, parent, _, content, ..] = parts else {
        return None;
    };
    let header: Header = serde_json::from_slice(header).ok()?;
    // Where there is none it is `{}`.
    let parent: Header = serde_json::from_slice(parent).unwrap_or_default();
    let content: Value = serde_json::from_slice(content).ok()?;
    Some(Message {
        parent: parent.msg_id,
        session: parent.session,
        said: said(&header.msg_type, content),
    })
}

fn said(kind: &str, mut content: Value) -> Said {
    match kind {
        "status" => match content["execution_state"].as_str() {
            Some("busy") => Said::Busy,
            Some("idle") => Said::Idle,
            _ => Said::Other,
        },
        "stream" => Said::Stream {
            error: content["name"] == "stderr",
            text: text(&mut content["text"]),
        },
        "display_data" | "update_display_data" | "execute_result" => Said::Display {
            id: content["transient"]["display_id"]
                .as_str()
                .map(ToOwned::to_owned),
            update: kind == "update_display_data",
            result: kind == "execute_result",
            data: match content["data"].take() {
                Value::Object(data) => data,
                _ => Map::new(),
            },
        },
        "clear_output" => Said::Clear {
            wait: content["wait"] == true,
        },
        "error" => Said::Error(failure(&mut content), traceback(&content)),
        "execute_input" => Said::Begun {
            number: content["execution_count"].as_u64(),
            code: text(&mut content["code"]),
        },
        "iopub_welcome" => Said::Welcome,
        "headstart_checkpoint" => Said::Saved(serde_json::from_value(content).unwrap_or_default()),
        "headstart_restoring" => Said::Restoring,
        "headstart_frozen" => Said::Frozen(text(&mut content["id"])),
        _ if kind.ends_with("_reply") => Said::Reply(Box::new(Reply {
            execution_count: content["execution_count"].as_u64(),
            names: content["headstart"]["names"].as_u64(),
            freezes: content["headstart"]["freezes"] == true,
            restored: serde_json::from_value(content["headstart"]["restored"].take()).ok(),
            traceback: traceback(&content),
            pages: pages(&content),
            error: (content["status"] == "error" || content["status"] == "aborted")
                .then(|| failure(&mut content)),
        })),
        _ => Said::Other,
    }
}

fn pages(content: &Value) -> Vec<String> {
    let payloads = content["payload"].as_array().into_iter().flatten();
    payloads
        .filter_map(|payload| match payload["source"].as_str()? {
            "page" => payload["data"]["text/plain"].as_str(),
            // What %load puts into the next cell of a notebook.
            "set_next_input" => payload["text"].as_str(),
            _ => None,
        })
        .map(str::to_owned)
        .collect()
}

fn failure(content: &mut Value) -> Failure {
    if content["status"] == "aborted" {
        return Failure {
            ename: "Aborted".to_owned(),
            evalue: "the kernel passed this cell over".to_owned(),
        };
    }
    Failure {
        ename: text(&mut content["ename"]),
        evalue: words(text(&mut content["evalue"])),
    }
}

/// Results are remembered, and read by models: an exception that holds a whole file is cut.
fn words(mut text: String) -> String {
    if text.len() > LONGEST_WORDS {
        let end = (0..=LONGEST_WORDS)
            .rev()
            .find(|end| text.is_char_boundary(*end));
        text.truncate(end.unwrap_or(0));
        text.push('…');
    }
    text
}

fn traceback(content: &Value) -> String {
    let lines = content["traceback"].as_array().into_iter().flatten();
    let lines: Vec<&str> = lines.filter_map(Value::as_str).collect();
    lines.join("\n")
}

fn text(value: &mut Value) -> String {
    match value.take() {
        Value::String(text) => text,
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(kind: &str, content: &Value) -> Message {
        let parts = [
            json!({"msg_id": "m", "session": "k", "msg_type": kind}),
            json!({"msg_id": "r", "session": "s"}),
            json!({}),
            content.clone(),
        ];
        let parts: Vec<Bytes> = parts
            .iter()
            .map(|part| part.to_string().into_bytes().into())
            .collect();
        read(&parts).expect("a message")
    }

    #[test]
    fn the_words_of_an_exception_have_an_end() {
        let long = format!("a{}", "é".repeat(LONGEST_WORDS));
        let said = of(
            "error",
            &json!({"ename": "E", "evalue": long, "traceback": []}),
        )
        .said;
        let Said::Error(failure, _) = said else {
            panic!("an error");
        };
        assert!(failure.evalue.len() <= LONGEST_WORDS + "…".len());
        assert!(failure.evalue.starts_with("aé") && failure.evalue.ends_with("é…"));
    }

    #[test]
    fn what_fits_no_type_is_not_lost() {
        let message = of("stream", &json!({"name": "stderr", "text": "a"}));
        assert_eq!(
            (message.parent.as_str(), message.session.as_str()),
            ("r", "s")
        );
        assert!(matches!(message.said, Said::Stream { error: true, text } if text == "a"));
        let said = of("display_data", &json!({"data": {"text/plain": 7}})).said;
        assert!(
            matches!(said, Said::Display { data, update: false, .. } if data["text/plain"] == 7)
        );
        assert!(matches!(of("news", &json!([])).said, Said::Other));
        assert!(matches!(of("status", &json!("?")).said, Said::Other));
        let Said::Reply(reply) = of(
            "execute_reply",
            &json!({"status": "error", "ename": "E", "evalue": "v", "traceback": ["a", "b"], "execution_count": 3,
                "headstart": {"names": 5}, "payload": [{"source": "ask_exit"},
                {"source": "page", "start": 0, "data": {"text/plain": "help"}},
                {"source": "set_next_input", "text": "x = 1", "replace": true}]}),
        )
        .said
        else {
            panic!("a reply");
        };
        assert_eq!(reply.traceback, "a\nb");
        assert_eq!((reply.execution_count, reply.names), (Some(3), Some(5)));
        assert_eq!(reply.pages, ["help", "x = 1"]);
        assert_eq!(reply.error.expect("an error").ename, "E");
    }

    #[test]
    fn what_is_no_message_is_none() {
        assert!(read(&[]).is_none());
        let parts: Vec<Bytes> = vec!["{".into(), "{}".into(), "{}".into(), "{}".into()];
        assert!(read(&parts).is_none());
    }
}
