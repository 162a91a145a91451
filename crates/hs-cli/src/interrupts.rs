//! Ctrl-C while a command works. The work is asked to stop, so that the bar goes, and a file that was being written; what does not
//! stop soon is ended.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use hs_core::Control;
use hs_kernel::on_interrupt;

use crate::{exit, progress};

/// How long the work has to stop: it looks every few milliseconds, but for one that waits for its input.
const SOON: Duration = Duration::from_millis(400);

/// A command does more at Ctrl-C than to stop its own work.
static HANDLED: AtomicBool = AtomicBool::new(false);

/// Has Ctrl-C stop the work that uses `control`.
pub fn stop(control: &Arc<Control>) {
    if are_ignored() {
        return;
    }
    let control = Arc::clone(control);
    let first = move || {
        if HANDLED.load(Ordering::Acquire) {
            return;
        }
        control.stop();
        std::thread::sleep(SOON);
        end();
    };
    on_interrupt(first, || {
        if !HANDLED.load(Ordering::Acquire) {
            end();
        }
    });
}

/// Says that the command itself sees to it.
pub fn are_handled() {
    HANDLED.store(true, Ordering::Release);
}

#[expect(
    clippy::exit,
    reason = "the user wants the end, and the work does not come to it"
)]
fn end() {
    progress::clear();
    let _ = std::io::stderr().lock().flush();
    std::process::exit(i32::from(exit::INTERRUPTED));
}

/// What was started with Ctrl-C ignored, in the background or by nohup, goes on ignoring it. Linux says so in a file.
fn are_ignored() -> bool {
    const SIGINT: u64 = 1 << 1;
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask & SIGINT != 0)
}
