//! Requests about what a session did: to search it, to write and read it as a file, to note something.

use std::path::PathBuf;

use serde::Deserialize;

use crate::context::Format;

/// Letters of a role that are kept.
const LONGEST_ROLE: usize = 64;
/// Bytes of a message.
const LONGEST_TEXT: usize = 1 << 20;

/// `search`.
#[derive(Debug, Deserialize)]
pub struct SearchRequest {
    /// Words that must all occur; quotes hold words together.
    pub query: String,
    /// Hits that are wanted at most.
    #[serde(default)]
    pub limit: Option<usize>,
    /// Another context that stays, by the name of its session.
    #[serde(default)]
    pub of: Option<String>,
}

/// `export`.
#[derive(Debug, Deserialize)]
pub struct ExportRequest {
    /// What the file is written in.
    #[serde(default)]
    pub format: Format,
    /// The file.
    pub path: PathBuf,
    /// Whether a file that is there may be replaced.
    #[serde(default)]
    pub overwrite: bool,
}

/// `import`.
#[derive(Debug, Deserialize)]
pub struct ImportRequest {
    /// A file that `export` wrote in lines of JSON.
    pub path: PathBuf,
}

/// `message`.
#[derive(Debug, Deserialize)]
pub struct MessageRequest {
    /// Who says it.
    pub role: String,
    /// What.
    pub text: String,
}

impl MessageRequest {
    /// That it is neither empty nor too long.
    pub(super) fn check(&self) -> Result<(), String> {
        let letters = self.role.chars().count();
        if !(1..=LONGEST_ROLE).contains(&letters) {
            return Err(format!(
                "message: role: expected 1 to {LONGEST_ROLE} letters, such as user, found {letters}"
            ));
        }
        if self.text.len() > LONGEST_TEXT {
            return Err(format!(
                "message: text: expected at most {LONGEST_TEXT} bytes, found {}",
                self.text.len()
            ));
        }
        Ok(())
    }
}

/// That it is the name of a context, or `off`.
pub(super) fn check_context(name: Option<&String>) -> Result<(), String> {
    match name {
        Some(name) if !super::is_name(name) => Err(format!(
            "open: context: expected a name of letters, digits, `.`, `_` and `-`, or off, found {name:?}"
        )),
        _ => Ok(()),
    }
}

/// That it is the name of a context.
pub(super) fn check_of(name: Option<&String>) -> Result<(), String> {
    match name {
        Some(name) if !super::is_name(name) => Err(format!(
            "search: of: expected a name of letters, digits, `.`, `_` and `-`, found {name:?}"
        )),
        _ => Ok(()),
    }
}
