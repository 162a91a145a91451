//! Why a job gave no result, and whether it is billed.

use hs_core::{Error, ErrorKind};

/// Why a job gave no result.
#[derive(Debug)]
pub enum Unfinished {
    /// The job itself says that the service failed in it. Nothing is billed, and another one may do better.
    Again(Error),
    /// Nothing runs, and nothing is billed: it was refused, or says itself that it failed.
    Refused(Error),
    /// It may run.
    Unknown(Error),
    /// It ran, and is billed.
    Billed(Error),
}

impl Unfinished {
    /// The error for the user, where nothing is left to be done about the job; `selects` says that it only read.
    pub fn told(self, job: &str, selects: bool) -> Error {
        let (error, hint) = match self {
            Self::Again(error) | Self::Refused(error) => return error,
            Self::Unknown(error) => (
                error,
                format!(
                    "job {job} may run: BigQuery was asked to stop it, and bills at most the cap"
                ),
            ),
            Self::Billed(error) if selects => (
                error,
                format!(
                    "job {job} ran and is billed; the same again is free for a day, if the cache has it"
                ),
            ),
            Self::Billed(error) => (
                error,
                format!(
                    "job {job} ran and is billed, and what it changed stays: do not run it again unseen"
                ),
            ),
        };
        // Ctrl-C has no hints.
        if error.kind() == ErrorKind::Interrupted {
            return Error::new(error.kind(), format!("{}; {hint}", error.message()));
        }
        error.also(&hint)
    }
}
