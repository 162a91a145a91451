//! `hs kernel list`: every session of this user, and what it is at.

use hs_kernel::registry;
use serde_json::Value;

use super::find::{PATIENCE, text};
use crate::exit::Failure;
use crate::output::{Facts, Output};

/// Letters of a cell that are shown.
const CODE: usize = 48;
/// What is shown on a screen, in this order.
const SHOWN: [&str; 10] = [
    "session",
    "state",
    "running",
    "since",
    "cpu",
    "memory",
    "names",
    "checkpoint",
    "generation",
    "python",
];
/// What programs get.
const GIVEN: [&str; 14] = [
    "session",
    "name",
    "detached",
    "state",
    "running",
    "elapsed_ms",
    "queued",
    "cpu_percent",
    "memory_bytes",
    "names",
    "checkpoint",
    "generation",
    "pid",
    "python",
];

/// Runs the command.
///
/// # Errors
/// When the folder of sessions cannot be read.
pub fn run(output: &Output) -> Result<(), Failure> {
    let found = registry::list(PATIENCE)?;
    let shown: Vec<Facts> = found.iter().map(shown).collect();
    let given: Vec<Facts> = found.iter().map(given).collect();
    if found.is_empty() {
        output.tell("no sessions; hs kernel start NAME starts one");
    }
    output.give_rows((&SHOWN, &shown), (&GIVEN, &given))
}

/// A session in words.
fn shown(session: &Value) -> Facts {
    let run = &session["run"];
    let since = run["elapsed_ms"].as_u64().map(time);
    let cpu = session["cpu_percent"].as_f64();
    let memory = session["memory_bytes"].as_u64();
    let checkpoint = session["checkpoint"].as_str();
    Facts::new("")
        .with("session", text(session, "session"))
        .with("state", text(session, "state"))
        .with("running", run["code"].as_str().map(first_line))
        .with("since", since)
        .with("cpu", cpu.map(|percent| format!("{percent:.0} %")))
        .with("memory", memory.map(crate::progress::bytes))
        .with("names", session["names"].as_i64())
        .with("checkpoint", checkpoint.map(|id| &id[..id.len().min(8)]))
        .with("generation", session["generation"].as_i64())
        .with("python", text(session, "python"))
}

/// A session as values.
fn given(session: &Value) -> Facts {
    let run = &session["run"];
    Facts::new("")
        .with("session", text(session, "session"))
        .with("name", text(session, "name"))
        .with("detached", session["detached"].as_bool())
        .with("state", text(session, "state"))
        .with("running", run["code"].as_str())
        .with("elapsed_ms", run["elapsed_ms"].as_i64())
        .with("queued", session["queued"].as_i64())
        .with("cpu_percent", session["cpu_percent"].as_f64())
        .with("memory_bytes", session["memory_bytes"].as_i64())
        .with("names", session["names"].as_i64())
        .with("checkpoint", session["checkpoint"].as_str())
        .with("generation", session["generation"].as_i64())
        .with("pid", session["pid"].as_i64())
        .with("python", text(session, "python"))
}

/// The first line of a cell, shortened.
pub fn first_line(code: &str) -> String {
    let mut lines = code.trim().lines();
    let line = lines.next().unwrap_or_default();
    let shown: String = line.chars().take(CODE).collect();
    if lines.next().is_some() || shown.len() < line.len() {
        format!("{shown} ...")
    } else {
        shown
    }
}

/// A time in the unit that fits.
fn time(milliseconds: u64) -> String {
    let seconds = milliseconds / 1000;
    match seconds {
        0..60 => format!("{}.{} s", seconds, milliseconds % 1000 / 100),
        60..3600 => format!("{} min {} s", seconds / 60, seconds % 60),
        _ => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn cells_are_one_line() {
        assert_eq!(super::first_line("x = 1"), "x = 1");
        assert_eq!(super::first_line("\nx = 1\ny"), "x = 1 ...");
        let long = super::first_line(&"é".repeat(60));
        assert_eq!(long.chars().count(), super::CODE + 4);
    }

    #[test]
    fn times_have_the_unit_that_fits() {
        assert_eq!(super::time(950), "0.9 s");
        assert_eq!(super::time(59_999), "59.9 s");
        assert_eq!(super::time(61_000), "1 min 1 s");
        assert_eq!(super::time(7_260_000), "2 h 1 min");
    }
}
