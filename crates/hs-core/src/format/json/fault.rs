//! What is wrong with a piece of JSON, in words: expected before found, with line and fix.

use jiter::{JiterError, JiterErrorType, JsonErrorType};

use crate::error::{Error, ErrorKind, Place, quoted};

/// Something that is not JSON, at a byte of the text.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    what: What,
    index: usize,
}

#[derive(Clone, Debug)]
enum What {
    Json(JsonErrorType),
    TooDeep(usize),
    NotAnObject,
}

impl From<JiterError> for Fault {
    fn from(error: JiterError) -> Self {
        let what = match error.error_type {
            JiterErrorType::JsonError(kind) => What::Json(kind),
            JiterErrorType::WrongType { .. } => What::Json(JsonErrorType::ExpectedSomeValue),
        };
        Self {
            what,
            index: error.index,
        }
    }
}

impl Fault {
    /// Lists and objects inside each other beyond `limit`.
    pub fn too_deep(limit: usize, index: usize) -> Self {
        Self {
            what: What::TooDeep(limit),
            index,
        }
    }

    /// Another value where an object has to be.
    pub fn not_an_object(index: usize) -> Self {
        Self {
            what: What::NotAnObject,
            index,
        }
    }

    /// True when the text holds one object and then more on a later line.
    pub fn is_second_object(&self, text: &[u8]) -> bool {
        let first = text.trim_ascii_start();
        matches!(self.what, What::Json(JsonErrorType::TrailingCharacters))
            && first.starts_with(b"{")
            && line_of(text, self.index) > 1
    }

    /// `expected ..., found ...`.
    pub fn message(&self, text: &[u8]) -> String {
        let expected = match &self.what {
            What::TooDeep(limit) => {
                return format!("expected at most {limit} levels of nesting, found more");
            }
            What::NotAnObject => "a JSON object",
            What::Json(kind) => expected(kind),
        };
        format!("expected {expected}, found {}", self.found(text))
    }

    /// The fix, where the fault shows one.
    pub fn hint(&self, text: &[u8]) -> Option<&'static str> {
        let at = text.get(self.index..).unwrap_or_default();
        let bare = at.strip_prefix(b"-").unwrap_or(at);
        if bare.starts_with(b"NaN") || bare.starts_with(b"nan") || bare.starts_with(b"Inf") {
            return Some("JSON has no NaN and no Infinity: write null instead");
        }
        if at.starts_with(b"'") {
            return Some("JSON text is in double quotes");
        }
        if at.starts_with(b"//") || at.starts_with(b"/*") || at.starts_with(b"#") {
            return Some("JSON has no comments: remove them");
        }
        match &self.what {
            What::Json(JsonErrorType::TrailingComma) => Some("remove the comma before the bracket"),
            What::Json(JsonErrorType::TrailingCharacters) if at.starts_with(b"{") => {
                Some("for one object a line, give the file the extension .jsonl")
            }
            What::Json(JsonErrorType::LoneLeadingSurrogateInHexEscape) => {
                Some("half a pair is no character: the text was cut there when it was written")
            }
            What::Json(JsonErrorType::InvalidUnicodeCodePoint) => {
                Some("write the file again as UTF-8")
            }
            What::Json(
                JsonErrorType::EofWhileParsingList
                | JsonErrorType::EofWhileParsingObject
                | JsonErrorType::EofWhileParsingString
                | JsonErrorType::EofWhileParsingValue,
            ) => Some("the file is cut off: fetch or write it again"),
            _ => None,
        }
    }

    /// As an error; `text` is the whole file.
    pub fn into_error(self, text: &[u8]) -> Error {
        let error = Error::new(ErrorKind::Format, self.message(text)).at(Place::default()
            .row(line_of(text, self.index))
            .byte(self.index as u64));
        match self.hint(text) {
            Some(hint) => error.hint(hint),
            None => error,
        }
    }

    /// The letters at the fault, up to the next blank, quoted.
    fn found(&self, text: &[u8]) -> String {
        let mut at = text.get(self.index..).unwrap_or_default();
        // After a sign, jiter points behind it.
        if let Some(before) = self.index.checked_sub(1)
            && text.get(before) == Some(&b'-')
            && (at.starts_with(b"I") || at.starts_with(b"N"))
        {
            at = text.get(before..).unwrap_or_default();
        }
        let Some(first) = at.first() else {
            return "the end".to_owned();
        };
        let stops = |byte: &u8| byte.is_ascii_whitespace() || b",]}:".contains(byte);
        let end = at.iter().position(stops).unwrap_or(at.len()).clamp(1, 40);
        match std::str::from_utf8(at.get(..end).unwrap_or_default()) {
            Ok(found) => quoted(found),
            Err(error) if error.valid_up_to() > 0 => quoted(&String::from_utf8_lossy(
                at.get(..error.valid_up_to()).unwrap_or_default(),
            )),
            Err(_) => format!("byte 0x{first:02x}"),
        }
    }
}

fn expected(kind: &JsonErrorType) -> &'static str {
    match kind {
        JsonErrorType::ExpectedColon => "`:` after a key",
        JsonErrorType::ExpectedListCommaOrEnd | JsonErrorType::EofWhileParsingList => {
            "`,` or `]` in a list"
        }
        JsonErrorType::ExpectedObjectCommaOrEnd | JsonErrorType::EofWhileParsingObject => {
            "`,` or `}` in an object"
        }
        JsonErrorType::EofWhileParsingString => "the closing quote of a text",
        JsonErrorType::EofWhileParsingValue
        | JsonErrorType::ExpectedSomeValue
        | JsonErrorType::ExpectedSomeIdent => "a value",
        JsonErrorType::TrailingComma => "another value after the comma",
        JsonErrorType::InvalidEscape => "an escape such as \\n or \\u0041",
        JsonErrorType::UnexpectedEndOfHexEscape => "four hexadecimal digits after \\u",
        JsonErrorType::LoneLeadingSurrogateInHexEscape => {
            "both halves of a surrogate pair (\\ud83d\\ude00)"
        }
        JsonErrorType::InvalidNumber => "a number",
        // The parser's own limit, against the time that longer ones cost.
        JsonErrorType::NumberOutOfRange => "a number of at most 4300 digits",
        JsonErrorType::InvalidUnicodeCodePoint => "UTF-8 text",
        JsonErrorType::ControlCharacterWhileParsingString => {
            "control characters escaped (\\n, \\t, \\u0000)"
        }
        JsonErrorType::KeyMustBeAString => "a key in double quotes",
        JsonErrorType::TrailingCharacters => "the end after one value",
        _ => "JSON",
    }
}

/// The line, from 1, of a byte.
pub(crate) fn line_of(text: &[u8], index: usize) -> u64 {
    let before = text.get(..index.min(text.len())).unwrap_or_default();
    memchr::memchr_iter(b'\n', before).count() as u64 + 1
}
