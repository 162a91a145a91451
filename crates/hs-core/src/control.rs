//! How a long piece of work is stopped and watched from outside. It never draws or prints.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use crate::error::{Error, ErrorKind, Result};

/// Shared between the thread that works and the one that waits: a stop request one way, progress
/// the other. Work calls [`Control::check`] at least every few milliseconds.
#[derive(Debug, Default)]
pub struct Control {
    stop: AtomicBool,
    done: AtomicU64,
    total: AtomicU64,
    step: Mutex<Step>,
}

/// What the work is at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// The input's name; empty when there is none.
    pub input: String,
    /// Which of how many inputs it is, from 1.
    pub number: (usize, usize),
    /// What is done with it, such as "reading".
    pub doing: &'static str,
    /// Since when something else is waited for; there are no bytes to count then.
    pub waiting: Option<Instant>,
}

impl Control {
    /// The message of work that stopped and has nothing else to say.
    pub const STOPPED: &str = "stopped on request";

    /// Asks the work to stop at its next check.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// # Errors
    /// [`ErrorKind::Interrupted`] once [`Control::stop`] was called.
    pub fn check(&self) -> Result<()> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(Error::new(ErrorKind::Interrupted, Self::STOPPED));
        }
        Ok(())
    }

    /// Says which input comes now, and that it is number `number` (from 1) of `of`.
    pub fn start_input(&self, name: &str, number: usize, of: usize) {
        *self.step_now() = Step {
            input: name.to_owned(),
            number: (number, of),
            doing: "loading",
            waiting: None,
        };
        self.start("loading", 0);
    }

    /// Says what is done now, with how many bytes (0 when unknown); none of them is done yet.
    pub fn start(&self, doing: &'static str, total: u64) {
        let mut step = self.step_now();
        (step.doing, step.waiting) = (doing, None);
        drop(step);
        self.total.store(total, Ordering::Relaxed);
        self.done.store(0, Ordering::Relaxed);
    }

    /// Says what is waited for since `since`.
    pub fn wait(&self, doing: &'static str, since: Instant) {
        let mut step = self.step_now();
        (step.doing, step.waiting) = (doing, Some(since));
    }

    /// Says that so many more bytes are done.
    pub fn advance(&self, bytes: u64) {
        self.done.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Says how many bytes are done in all.
    pub fn reach(&self, bytes: u64) {
        self.done.store(bytes, Ordering::Relaxed);
    }

    /// Bytes done and bytes expected (0 when unknown).
    pub fn progress(&self) -> (u64, u64) {
        (
            self.done.load(Ordering::Relaxed),
            self.total.load(Ordering::Relaxed),
        )
    }

    /// What the work is at.
    pub fn step(&self) -> Step {
        self.step_now().clone()
    }

    fn step_now(&self) -> MutexGuard<'_, Step> {
        self.step.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stop_turns_checks_into_errors() {
        let control = Control::default();
        assert!(control.check().is_ok());
        control.stop();
        assert_eq!(
            control.check().map_err(|error| error.kind()),
            Err(ErrorKind::Interrupted)
        );
    }

    #[test]
    fn each_step_counts_from_nothing() {
        let control = Control::default();
        control.start_input("a.csv", 2, 3);
        control.start("reading", 10);
        control.advance(4);
        control.advance(6);
        assert_eq!(control.progress(), (10, 10));
        control.start("parsing", 10);
        assert_eq!(control.progress(), (0, 10));
        control.reach(3);
        assert_eq!(control.progress(), (3, 10));
        let step = Step {
            input: "a.csv".to_owned(),
            number: (2, 3),
            doing: "parsing",
            waiting: None,
        };
        assert_eq!(control.step(), step);
    }
}
