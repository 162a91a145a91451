//! Ctrl-C for a program that waits for a cell: the first one is turned into a wish, the second one does not wait.

use tokio::signal::unix::{SignalKind, signal};

/// Calls `first` at the first Ctrl-C from now on, and `again` at the second one, both in a thread of their own.
///
/// Where no signals can be had, Ctrl-C ends the process as it always did.
pub fn on_interrupt(first: impl FnOnce() + Send + 'static, again: impl FnOnce() + Send + 'static) {
    let (ready, is_ready) = std::sync::mpsc::channel::<()>();
    let listen = move || {
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        let Ok(runtime) = runtime.enable_io().build() else {
            return;
        };
        runtime.block_on(async {
            let Ok(mut interrupts) = signal(SignalKind::interrupt()) else {
                return;
            };
            drop(ready);
            interrupts.recv().await;
            // It may wait for an answer, and the second one must not.
            let asked = std::thread::Builder::new().spawn(first);
            interrupts.recv().await;
            drop(asked);
            again();
        });
    };
    let thread = std::thread::Builder::new().name("interrupts".to_owned());
    if thread.spawn(listen).is_ok() {
        // Until the signal is taken over, it would end the process.
        let _ = is_ready.recv();
    }
}
