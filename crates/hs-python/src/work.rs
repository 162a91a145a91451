//! Work beside the interpreter: the GIL is released, Ctrl-C is heeded, a panic becomes an error.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use hs_cli::progress::{self, Bar};
use hs_core::{Control, Error, ErrorKind, Result};
use pyo3::prelude::*;

use crate::errors;

/// How often the waiting thread looks for signals.
const LOOK: Duration = Duration::from_millis(50);
/// How long work may take to notice a stop request before it is left behind.
const GRACE: Duration = Duration::from_millis(300);
/// Deeply nested documents are walked recursively.
const STACK: usize = 32 << 20;

/// What the last panic said and where, for the error that reports it.
static LAST_PANIC: Mutex<String> = Mutex::new(String::new());

/// Runs `task` on a thread of its own and waits for it without the GIL.
///
/// Python signal handlers run while waiting (CPython does so on the main thread only); when one
/// raises, as Ctrl-C does, the task is asked to stop and the exception is passed on. Long work
/// shows a progress bar where the user sees a terminal.
pub fn run<T: Send + 'static>(
    py: Python<'_>,
    task: impl FnOnce(&Control) -> Result<T> + Send + 'static,
) -> PyResult<T> {
    run_with_grace(py, GRACE, task)
}

/// The same for work that has something to put right after a stop, which may take as long as `grace`. Another signal
/// in that time does not wait for it.
pub fn run_with_grace<T: Send + 'static>(
    py: Python<'_>,
    grace: Duration,
    task: impl FnOnce(&Control) -> Result<T> + Send + 'static,
) -> PyResult<T> {
    let control = Arc::new(Control::default());
    let (sender, receiver) = channel();
    let theirs = Arc::clone(&control);
    let started = std::thread::Builder::new()
        .name("headstart".to_owned())
        .stack_size(STACK)
        .spawn(move || {
            let result = guarded(|| task(&theirs));
            // The receiver is gone when the work was left behind.
            drop(sender.send(result));
        });
    if let Err(error) = started {
        let error = Error::new(
            ErrorKind::Internal,
            format!("cannot start a thread: {error}"),
        );
        return Err(errors::raise(py, &error));
    }
    // A receiver cannot be shared between threads, but this one never leaves the calling thread.
    let receiver = Mutex::new(receiver);
    let wait = |time| {
        py.detach(|| {
            let receiver = receiver.lock().unwrap_or_else(PoisonError::into_inner);
            receiver.recv_timeout(time)
        })
    };
    let started = Instant::now();
    let (mut bar, mut asked) = (None, false);
    loop {
        match wait(LOOK) {
            Ok(result) => return result.map_err(|error| errors::raise(py, &error)),
            Err(RecvTimeoutError::Disconnected) => {
                let error = Error::new(ErrorKind::Internal, "the working thread ended early");
                return Err(errors::raise(py, &error));
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
        if let Err(signal) = py.check_signals() {
            control.stop();
            let asked = Instant::now();
            while asked.elapsed() < grace && py.check_signals().is_ok() {
                match wait(LOOK) {
                    Err(RecvTimeoutError::Timeout) => {}
                    Ok(Err(error)) => {
                        errors::add_note(py, &signal, &error);
                        break;
                    }
                    _ => break,
                }
            }
            return Err(signal);
        }
        if started.elapsed() >= progress::AFTER {
            if !asked {
                asked = true;
                bar = shows_progress(py).then(Bar::start).flatten();
            }
            if let Some(bar) = &bar {
                py.detach(|| bar.draw(&control));
            }
        }
    }
}

/// What the Python side says about a progress bar; without an answer there is none.
fn shows_progress(py: Python<'_>) -> bool {
    let talk = py.import("headstart.talk");
    let answer = talk.and_then(|talk| talk.call_method0("shows_progress")?.extract());
    answer.unwrap_or(false)
}

/// Runs short work on the calling thread, holding the GIL.
pub fn here<T>(py: Python<'_>, task: impl FnOnce() -> Result<T>) -> PyResult<T> {
    guarded(task).map_err(|error| errors::raise(py, &error))
}

/// A panic inside `task` as an [`ErrorKind::Internal`] error.
fn guarded<T>(task: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(task)).unwrap_or_else(|_| {
        let mut last = LAST_PANIC.lock().unwrap_or_else(PoisonError::into_inner);
        let message = format!("a fault in headstart: {}", std::mem::take(&mut *last));
        Err(Error::new(ErrorKind::Internal, message)
            .hint("your data is untouched; please report this line"))
    })
}

/// Keeps panics from writing to the terminal: they are caught, and told as an error.
///
/// The hook belongs to the Rust code inside this module; other Rust modules have their own.
pub fn keep_panics_quiet() {
    std::panic::set_hook(Box::new(|panic| {
        let reason = panic.payload_as_str().unwrap_or("unknown reason");
        let place = panic
            .location()
            .map(|place| format!(" ({}:{})", place.file(), place.line()))
            .unwrap_or_default();
        let mut last = LAST_PANIC.lock().unwrap_or_else(PoisonError::into_inner);
        *last = format!("{reason}{place}");
    }));
}
