//! Runs work that must end, must not panic and must not take much memory.

use std::sync::mpsc;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use proptest::test_runner::TestCaseError;

use crate::allocation;

/// Inputs here are read in milliseconds; what takes this long on any machine does not end.
const HANGS: Duration = Duration::from_mins(1);
/// What a load may take, whatever it reads: a megabyte of room for decoding, another of padding and
/// the index for each of a few chunks at once, and what polars keeps.
const ANY: usize = 64 << 20;
/// What a load may take for each byte: a field of one digit and its comma becomes a mark (4 bytes),
/// a value or a view (16), the same once more while columns are joined, and the text itself is there
/// twice when it is decoded.
const EACH: usize = 40;

static ALONE: Mutex<()> = Mutex::new(());
/// Source files where panics began, while someone was alone.
static PANICS: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// The files of the panics since the last call, also of those that were caught.
pub fn panics() -> Vec<String> {
    std::mem::take(&mut *PANICS.lock().unwrap_or_else(PoisonError::into_inner))
}

/// From the first call on, panics are noted before anything else is done about them.
fn note_panics() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            let place = panic.location().map(std::panic::Location::file);
            let mut panics = PANICS.lock().unwrap_or_else(PoisonError::into_inner);
            panics.extend(place.map(str::to_owned));
            drop(panics);
            // Work that is guarded runs on threads without a name; its failure says all.
            if std::thread::current().name().is_some() {
                usual(panic);
            }
        }));
    });
}

/// Keeps other measuring tests waiting.
pub fn alone() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The result of the work on `input`, or why it must not be as it was. How much memory it took
/// counts when it is `measured`.
pub fn guarded<T: Send + 'static>(
    input: Vec<u8>,
    measured: bool,
    work: impl FnOnce(Vec<u8>) -> T + Send + 'static,
) -> Result<T, TestCaseError> {
    let _alone = alone();
    note_panics();
    panics();
    let allowed = ANY + EACH * input.len();
    let (answer, wait) = mpsc::channel();
    let worker = std::thread::spawn(move || {
        let done = allocation::peak(|| work(input));
        // Nobody waits any more for work that took too long.
        let _ = answer.send(done);
    });
    match wait.recv_timeout(HANGS) {
        Ok((_, peak)) if measured && peak > allowed => Err(TestCaseError::fail(format!(
            "took {peak} bytes, more than the {allowed} allowed"
        ))),
        Ok((result, _)) => Ok(result),
        Err(mpsc::RecvTimeoutError::Timeout) => Err(TestCaseError::fail("does not end")),
        Err(mpsc::RecvTimeoutError::Disconnected) => {
            let panic = worker.join().expect_err("it answers unless it panics");
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).into()));
            Err(TestCaseError::fail(format!(
                "panicked: {}",
                text.unwrap_or_default()
            )))
        }
    }
}
