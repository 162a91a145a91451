//! Ctrl-C in a program of our own: the first asks the work to stop, which cancels what runs; the second does not wait.

use std::sync::Arc;

use hs_core::Control;

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
            let interrupts =
                tokio::signal::unix::signal(tokio::signal::unix::SignalKind::interrupt());
            let Ok(mut interrupts) = interrupts else {
                return;
            };
            drop(ready);
            interrupts.recv().await;
            control.stop();
            interrupts.recv().await;
            again();
        });
    };
    let thread = std::thread::Builder::new().name("interrupts".to_owned());
    if thread.spawn(listen).is_ok() {
        // Until the signal is taken over, it would end the process with a job running.
        let _ = is_ready.recv();
    }
}
