//! What is kept of a session: a cell, or a message that its host noted. Its JSON is that of an export.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::Value;

use super::error::{Error, Kind, Result};

/// Bytes of a text that are kept at most. Output that a result shows is far below; code with a file pasted into it may be more.
pub const LONGEST: usize = 1 << 20;
/// The last second of the year 9999: times behind it have no date that people write.
const LAST_SECOND: f64 = 253_402_300_799.0;

/// Something that happened in a session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// The session that it happened in.
    pub session: String,
    /// When it began: milliseconds since 1970. In JSON it is seconds.
    #[serde(serialize_with = "write_time", deserialize_with = "read_time")]
    pub time: i64,
    /// What it was.
    #[serde(flatten)]
    pub what: What,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum What {
    /// A cell ran.
    Cell(Cell),
    /// The host noted something.
    Message(Message),
}

/// A cell that has ended.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    /// What ran.
    pub code: String,
    /// What it gave, as its result showed it.
    pub output: String,
    /// `ok`, `error`, or `lost` with its kernel.
    pub status: String,
    /// The class of its exception.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ename: Option<String>,
    /// The text of its exception.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evalue: Option<String>,
    /// Its number in the kernel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<i64>,
    /// Which kernel of the session it ran in, from 1.
    pub generation: i64,
    /// How long it took, in milliseconds.
    pub duration_ms: i64,
    /// The checkpoint of what it left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkpoint: Option<String>,
    /// What its host called it.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "some_value"
    )]
    pub run: Option<Value>,
    /// Who ran it.
    pub client: Client,
}

/// Who ran a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Client {
    /// A program, over the protocol.
    #[default]
    Host,
    /// Somebody who typed it into a console on the same kernel.
    Console,
}

impl Client {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Host => "host",
            Self::Console => "console",
        }
    }

    pub(super) fn of_word(word: &str) -> Option<Self> {
        [Self::Host, Self::Console]
            .into_iter()
            .find(|client| client.word() == word)
    }
}

/// What a host noted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// Who says it, such as `user` or `assistant`.
    pub role: String,
    /// What.
    pub text: String,
}

impl Entry {
    /// The same, with texts that are too long cut; the last line says so.
    #[must_use]
    pub fn bounded(mut self) -> Self {
        match &mut self.what {
            What::Cell(cell) => {
                cut(&mut cell.code);
                cut(&mut cell.output);
                cell.evalue.as_mut().map(cut);
            }
            What::Message(message) => cut(&mut message.text),
        }
        self
    }

    /// Bytes of its texts.
    pub fn bytes(&self) -> usize {
        match &self.what {
            What::Cell(cell) => cell.code.len() + cell.output.len(),
            What::Message(message) => message.text.len(),
        }
    }

    /// The line of an export, without its end.
    pub(super) fn line(&self) -> String {
        serde_json::to_string(self).expect("texts and numbers are JSON")
    }

    /// What a line of an export says.
    ///
    /// # Errors
    /// It is none; says what was expected.
    pub fn parse(line: &[u8]) -> Result<Self> {
        serde_json::from_slice(line).map_err(|error| {
            let text =
                format!("expected an entry, as export writes it, found another text: {error}");
            Error::new(Kind::Format, text)
        })
    }
}

fn cut(text: &mut String) {
    // Room for the line below: what was cut is not cut again when it is imported.
    if text.len() <= LONGEST + 64 {
        return;
    }
    let mut end = LONGEST;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let more = text.len() - end;
    text.truncate(end);
    text.push_str(&format!("\n[{more} bytes more were not kept]"));
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
fn write_time<S: Serializer>(time: &i64, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    serializer.serialize_f64(*time as f64 / 1000.0)
}

fn read_time<'de, D: Deserializer<'de>>(deserializer: D) -> std::result::Result<i64, D::Error> {
    let seconds = f64::deserialize(deserializer)?;
    if (0.0..=LAST_SECOND).contains(&seconds) {
        return Ok((seconds * 1000.0).round() as i64);
    }
    let text = format!("time: expected seconds since 1970, found {seconds}");
    Err(de::Error::custom(text))
}

/// An id that is null is an id.
fn some_value<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> std::result::Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}
