//! One run of a program that builds an environment: uv, pip or Python. What it says is kept, and its last lines are told
//! when it fails.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};

/// Lines that are told of a program that failed.
const LAST: usize = 12;

/// Variables that would lead a Python, pip or uv to another environment than the one that is built.
const MISLEADING: [&str; 11] = [
    "PYTHONHOME",
    "PYTHONPATH",
    "PYTHONSTARTUP",
    "VIRTUAL_ENV",
    "CONDA_PREFIX",
    "PIP_USER",
    "PIP_TARGET",
    "PIP_PREFIX",
    "PIP_REQUIREMENT",
    "UV_PROJECT_ENVIRONMENT",
    "UV_TARGET",
];

/// A command with nothing to read and a clean environment. Settings of indexes and proxies are the user's.
pub fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    for name in MISLEADING {
        command.env_remove(name);
    }
    command
        .env("PIP_DISABLE_PIP_VERSION_CHECK", "1")
        .env("PIP_NO_INPUT", "1")
        .stdin(Stdio::null());
    command
}

/// The pip of an environment.
pub fn pip(python: &Path) -> Command {
    let mut command = command(python);
    // Isolated: no package of the user's own folders, and no file of the working folder that is called `pip`.
    command.args(["-I", "-m", "pip"]);
    command
}

/// Runs it and gives what it printed.
///
/// # Errors
/// What it was for, how it ended and its last lines.
pub fn run(command: &mut Command, purpose: &str) -> Result<String, String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command
        .output()
        .map_err(|error| format!("{purpose} failed: {program} cannot be started: {error}"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let said = if output.stderr.iter().all(u8::is_ascii_whitespace) {
        output.stdout
    } else {
        output.stderr
    };
    let status = output.status;
    Err(format!(
        "{purpose} failed: {program} ended with {status}; it said last:\n{}",
        last_lines(&String::from_utf8_lossy(&said))
    ))
}

/// The last lines that say something, indented.
fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text
        .lines()
        .map(str::trim_end)
        .filter(|line| !line.is_empty())
        .collect();
    let first = lines.len().saturating_sub(LAST);
    lines[first..]
        .iter()
        .map(|line| {
            let shown: String = line.chars().filter(|letter| !letter.is_control()).collect();
            format!("  {shown}")
        })
        .collect::<Vec<_>>()
        .join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_tells_the_last_lines() {
        let script = "seq 1 40 >&2; printf '\\033[31mred\\n\\n' >&2; exit 3";
        let error = run(command("sh").args(["-c", script]), "a test").expect_err("it fails");
        assert!(
            error.starts_with("a test failed: sh ended with exit status: 3"),
            "{error}"
        );
        let lines: Vec<&str> = error.lines().skip(1).collect();
        assert_eq!((lines.len(), lines[0]), (LAST, "  30"));
        assert_eq!(lines.last(), Some(&"  [31mred"));
        let error = run(&mut command("/nowhere/x"), "a test").expect_err("it is not there");
        assert!(error.contains("/nowhere/x cannot be started"), "{error}");
    }

    #[test]
    fn what_is_only_printed_is_told_too() {
        let error = run(command("sh").args(["-c", "echo no; exit 1"]), "x").expect_err("it fails");
        assert!(error.ends_with("  no"), "{error}");
    }
}
