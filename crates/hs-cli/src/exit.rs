//! How a run ends: the one table from kinds of errors to exit codes.

use std::io::{self, Write};

use hs_core::{Error, ErrorKind, sink};

/// All went well.
pub const DONE: u8 = 0;
/// The answer is that something differs, does not hold, or would multiply rows.
pub const DIFFERS: u8 = 1;
/// Wrong usage or unreadable input.
pub const USAGE: u8 = 2;
/// A query would cost more than its cap.
const OVER_CAP: u8 = 3;
/// Stopped by Ctrl-C: 128 and the number of SIGINT.
pub const INTERRUPTED: u8 = 130;

/// The exit code for a kind of error.
pub fn code(kind: ErrorKind) -> u8 {
    match kind {
        ErrorKind::Missing
        | ErrorKind::Exists
        | ErrorKind::Io
        | ErrorKind::Format
        | ErrorKind::Sheet
        | ErrorKind::Column
        | ErrorKind::Argument
        | ErrorKind::Type
        | ErrorKind::Credentials
        | ErrorKind::Query
        | ErrorKind::Service
        | ErrorKind::Internal => USAGE,
        ErrorKind::Merge => DIFFERS,
        ErrorKind::Cap => OVER_CAP,
        ErrorKind::Interrupted => INTERRUPTED,
    }
}

/// Ends the program without waiting for what the first Ctrl-C asked for.
#[expect(
    clippy::exit,
    reason = "the user asked twice, and nothing is waited for"
)]
pub fn at_once(told: &str) {
    let _ = writeln!(io::stderr().lock(), "hs: stopped at once; {told}");
    std::process::exit(i32::from(INTERRUPTED));
}

/// Why a command did not come to its end.
#[derive(Debug)]
pub enum Failure {
    /// Something is wrong and the user must know.
    Error(Error),
    /// What was compared differs; the answer is given, nothing is wrong.
    Differs,
    /// Something that the command ran ended like this, and has said all there is to say.
    Ended(u8),
    /// Checks do not hold, in words for the user; the answer is given.
    Failed(String),
    /// The reader of our output went away, as `head` does; nothing is wrong.
    ReaderGone,
}

impl Failure {
    /// The same where the output is a stream: there is no file that could be as it was.
    #[must_use]
    pub fn of_stream(self) -> Self {
        match self {
            Self::Error(error) if sink::is_full(&error) => {
                Self::Error(error.hint("free some space, or write to another disk"))
            }
            other => other,
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let cause = std::error::Error::source(&error);
        let cause = cause.and_then(|cause| cause.downcast_ref::<io::Error>());
        if cause.is_some_and(|cause| cause.kind() == io::ErrorKind::BrokenPipe) {
            return Self::ReaderGone;
        }
        Self::Error(error)
    }
}

/// Only writing gives bare I/O errors here; reading happens inside the library.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        sink::not_written(error).into()
    }
}
