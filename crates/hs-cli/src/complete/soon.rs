//! Work that a user waits for between two keys: soon or not at all.

use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread::Builder;
use std::time::Duration;

use hs_core::{Control, Result};

/// How long a shell waits for names; the user waits with it.
const PATIENCE: Duration = Duration::from_millis(500);

/// What the work finds, if it finds it soon. Where it does not it is left alone: the process ends in a moment.
pub fn soon<Found: Default + Send + 'static>(
    work: impl FnOnce(&Control) -> Result<Found> + Send + 'static,
) -> Found {
    let control = Arc::new(Control::default());
    let (send, found) = channel();
    let own = Arc::clone(&control);
    let thread = Builder::new().spawn(move || {
        // Where nobody listens any more it was too late.
        let _ = send.send(work(&own).unwrap_or_default());
    });
    // Without a thread nothing is sent.
    drop(thread);
    let found = found.recv_timeout(PATIENCE);
    control.stop();
    found.unwrap_or_default()
}
