//! Ctrl-C, and other wishes that a program of our own ends: the first asks the work to stop, which cancels what runs; the second does not wait.

use std::sync::Arc;

use hs_core::Control;
use tokio::signal::unix::{SignalKind, signal};

/// Turns Ctrl-C into a stop request of `control` from now on; `again` is called at the second one.
///
/// Where no signals can be had, Ctrl-C ends the process as it always did.
pub fn stop_on_interrupt(control: &Arc<Control>, again: impl FnOnce() + Send + 'static) {
    let control = Arc::clone(control);
    let (ready, is_ready) = std::sync::mpsc::channel::<()>();
    let listen = move || {
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        let Ok(runtime) = runtime.enable_io().build() else {
            return;
        };
        runtime.block_on(async {
            let listen = |kind| signal(kind).ok();
            // A terminal that is closed, and a program that is asked to end, leave no job behind either.
            let (Some(mut interrupt), Some(mut terminate), Some(mut hangup)) = (
                listen(SignalKind::interrupt()),
                listen(SignalKind::terminate()),
                listen(SignalKind::hangup()),
            ) else {
                return;
            };
            drop(ready);
            for first in [true, false] {
                tokio::select! {
                    _ = interrupt.recv() => {}
                    _ = terminate.recv() => {}
                    _ = hangup.recv() => {}
                }
                if first {
                    control.stop();
                }
            }
            again();
        });
    };
    let thread = std::thread::Builder::new().name("interrupts".to_owned());
    if thread.spawn(listen).is_ok() {
        // Until the signal is taken over, it would end the process with a job running.
        let _ = is_ready.recv();
    }
}
