//! Names that stand in no file of the line: sessions, checkpoints, encodings.

use hs_kernel::{context, registry};

use super::candidates::Name;
use super::soon::soon;
use crate::command::offered_checkpoints;

/// Encodings that files come in, as the Encoding Standard calls them.
pub const ENCODINGS: [&str; 16] = [
    "utf-8",
    "utf-16le",
    "utf-16be",
    "cp1252",
    "iso-8859-1",
    "iso-8859-2",
    "iso-8859-15",
    "cp1250",
    "cp1251",
    "koi8-r",
    "macintosh",
    "shift_jis",
    "euc-jp",
    "euc-kr",
    "gb18030",
    "big5",
];

/// Words that are always the same.
pub fn fixed(words: &[&str]) -> Vec<Name> {
    words
        .iter()
        .map(|word| ((*word).to_owned(), None))
        .collect()
}

/// The sessions that live.
pub fn sessions() -> Vec<Name> {
    let names = registry::names().into_iter();
    names.map(|name| (name, None)).collect()
}

/// Those that were released, and can be gone on with.
pub fn released_sessions() -> Vec<Name> {
    let living = registry::names();
    let names = context::released().into_iter();
    let names = names.filter(|name| !living.contains(name));
    names
        .map(|name| (name, Some("released".to_owned())))
        .collect()
}

/// All that left something to look at.
pub fn all_sessions() -> Vec<Name> {
    [sessions(), released_sessions()].concat()
}

/// The newest checkpoints, of a session or of all.
pub fn checkpoints(session: Option<&str>) -> Vec<Name> {
    let session = session.map(str::to_owned);
    let found = soon(move |_| Ok(offered_checkpoints(session.as_deref())));
    let found = found.into_iter();
    found.map(|(id, what)| (id, Some(what))).collect()
}
