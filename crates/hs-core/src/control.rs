//! How a long piece of work is stopped and watched from outside.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::error::{Error, ErrorKind, Result};

/// Shared between the thread that works and the one that waits: a stop request one way, progress
/// the other. Work calls [`Control::check`] at least every few milliseconds.
#[derive(Debug, Default)]
pub struct Control {
    stop: AtomicBool,
    done: AtomicU64,
    total: AtomicU64,
}

impl Control {
    /// Asks the work to stop at its next check.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// # Errors
    /// [`ErrorKind::Interrupted`] once [`Control::stop`] was called.
    pub fn check(&self) -> Result<()> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(Error::new(ErrorKind::Interrupted, "stopped on request"));
        }
        Ok(())
    }

    /// Says how many bytes there are to do.
    pub fn expect_bytes(&self, total: u64) {
        self.total.store(total, Ordering::Relaxed);
    }

    /// Says that so many more bytes are done.
    pub fn advance(&self, bytes: u64) {
        self.done.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Bytes done and bytes expected (0 when unknown).
    pub fn progress(&self) -> (u64, u64) {
        (
            self.done.load(Ordering::Relaxed),
            self.total.load(Ordering::Relaxed),
        )
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
}
