//! The progress bar: one line on standard error, and only where that is a terminal. It shows when
//! work takes longer than two seconds and is gone when the work is done.
//!
//! Writes to the terminal, but never asks it anything.

use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use hs_core::Control;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// How long work takes before there is a bar.
pub const AFTER: Duration = Duration::from_secs(2);
/// How often it is drawn.
const EVERY: Duration = Duration::from_millis(100);
/// How much of a file's name it shows, in characters.
const NAME: usize = 32;

/// Two bars on one terminal would overwrite each other.
static DRAWN: AtomicBool = AtomicBool::new(false);
/// Held while a bar is drawn; true once the process ends, from when on nothing is.
static ENDED: Mutex<bool> = Mutex::new(false);

/// A bar on the screen, until it is dropped.
pub struct Bar {
    shown: ProgressBar,
    known: ProgressStyle,
    unknown: ProgressStyle,
}

impl Bar {
    /// A bar, where standard error is a terminal that has none yet.
    pub fn start() -> Option<Self> {
        let dumb = std::env::var_os("TERM").is_none_or(|value| value == "dumb");
        if dumb || !std::io::stderr().is_terminal() {
            return None;
        }
        let known = ProgressStyle::with_template("{prefix} [{wide_bar}] {msg}").ok()?;
        let unknown = ProgressStyle::with_template("{prefix} {msg}").ok()?;
        if DRAWN.swap(true, Ordering::AcqRel) {
            return None;
        }
        let target = ProgressDrawTarget::stderr();
        let bar = ProgressBar::with_draw_target(None, target);
        Some(Self {
            // Each change may draw: without a style of ours the first one would show another bar.
            shown: bar.with_style(unknown.clone()),
            known: known.progress_chars("=> "),
            unknown,
        })
    }

    /// Shows what the work is at.
    pub fn draw(&self, control: &Control) {
        let step = control.step();
        let ended = ENDED.lock().unwrap_or_else(PoisonError::into_inner);
        if step.doing.is_empty() || *ended {
            return;
        }
        let (done, total) = control.progress();
        // A file that grows, and text that is walked twice, go beyond what was expected.
        let done = if total > 0 { done.min(total) } else { done };
        let number = match step.number {
            (_, 0 | 1) => String::new(),
            (number, of) => format!("{number}/{of} "),
        };
        let name = shortened(&step.input);
        self.shown
            .set_prefix(format!("{number}{name}: {}", step.doing));
        if total == 0 || step.waiting.is_some() {
            self.shown.set_style(self.unknown.clone());
            let seconds = step.waiting.map(|since| since.elapsed().as_secs());
            let amount = seconds.map_or_else(|| bytes(done), |seconds| format!("{seconds} s"));
            self.shown.set_message(amount);
        } else {
            self.shown.set_style(self.known.clone());
            let percent = u128::from(done) * 100 / u128::from(total);
            let amounts = format!("{percent:>3} %  {} of {}", bytes(done), bytes(total));
            self.shown.set_message(amounts);
            self.shown.set_length(total);
            self.shown.set_position(done);
        }
        self.shown.tick();
    }
}

/// Takes a bar off the screen from another thread, for good: the process ends.
pub fn clear() {
    *ENDED.lock().unwrap_or_else(PoisonError::into_inner) = true;
    if DRAWN.load(Ordering::Acquire) {
        // With the terminal gone there is no bar either.
        let _ = write!(std::io::stderr().lock(), "\r\u{1b}[K");
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.shown.finish_and_clear();
        DRAWN.store(false, Ordering::Release);
    }
}

/// The end of a long path, which tells the most.
fn shortened(name: &str) -> String {
    let size = name.chars().count();
    if size <= NAME {
        return name.replace(char::is_control, "?");
    }
    let end: String = name.chars().skip(size - NAME + 3).collect();
    format!("...{}", end.replace(char::is_control, "?"))
}

/// An amount in the largest unit that leaves something before the point.
pub fn bytes(count: u64) -> String {
    const UNITS: [&str; 5] = ["bytes", "KB", "MB", "GB", "TB"];
    let mut amount = count as f64;
    let mut unit = 0;
    while amount >= 999.5 && unit + 1 < UNITS.len() {
        amount /= 1000.0;
        unit += 1;
    }
    if unit == 0 {
        format!("{count} bytes")
    } else {
        format!("{amount:.1} {}", UNITS[unit])
    }
}

/// Draws a bar from a thread of its own while work goes on elsewhere.
pub struct Watch(Mutex<Option<(Sender<()>, JoinHandle<()>)>>);

impl Watch {
    /// Watches the work that uses `control`.
    pub fn start(control: &Arc<Control>) -> Self {
        let (stop, stopped) = channel::<()>();
        let control = Arc::clone(control);
        let thread = std::thread::Builder::new().name("progress".to_owned());
        let thread = thread.spawn(move || {
            let goes_on = |time| stopped.recv_timeout(time) == Err(RecvTimeoutError::Timeout);
            if !goes_on(AFTER) {
                return;
            }
            if let Some(bar) = Bar::start() {
                bar.draw(&control);
                while goes_on(EVERY) {
                    bar.draw(&control);
                }
            }
        });
        // Without a thread there is no bar, and the work goes on.
        Self(Mutex::new(thread.ok().map(|thread| (stop, thread))))
    }

    /// Nothing to watch.
    pub fn none() -> Self {
        Self(Mutex::new(None))
    }

    /// Takes the bar off the screen; there is none afterwards.
    pub fn end(&self) {
        let watch = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some((stop, thread)) = watch {
            drop(stop);
            // The thread only draws; that it failed at it hurts nothing.
            let _ = thread.join();
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.end();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_have_three_digits_and_a_unit() {
        assert_eq!(bytes(0), "0 bytes");
        assert_eq!(bytes(999), "999 bytes");
        assert_eq!(bytes(1_234_567), "1.2 MB");
        assert_eq!(bytes(999_999_999), "1.0 GB");
    }

    #[test]
    fn long_and_hostile_names_stay_on_one_line() {
        assert_eq!(shortened("a\n\u{1b}[2Jb.csv"), "a??[2Jb.csv");
        let long = shortened(&format!("{}/2026-11.csv", "é".repeat(100)));
        assert!(long.starts_with("...é") && long.ends_with("/2026-11.csv"));
        assert_eq!(long.chars().count(), NAME);
    }
}
