//! How launchers begin: as this process, as one split off on pipes, or as a session without a host.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::panic::{AssertUnwindSafe, catch_unwind};

use rustix::process::{getpid, getppid, setsid};
use serde_json::Value;

use super::relay::Guard;
use crate::control::Client;
use crate::process::{fork, keep_only, leave, onto_null};
use crate::protocol::is_name;
use crate::session::{Setup, supervise};
use crate::settings::Settings;

/// A guard of one's own, spoken to by pipes.
pub struct Launcher {
    /// Its process.
    pub pid: u32,
    /// Where requests are written.
    pub input: OwnedFd,
    /// Where events are read.
    pub output: OwnedFd,
}

/// Is the guard, on standard input and output; gives the exit code.
///
/// # Errors
/// A call to the system fails.
///
/// The process must have one thread.
pub fn serve(settings: &Settings) -> io::Result<u8> {
    let input = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdin(), 3)?;
    let output = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdout(), 3)?;
    // At a terminal Ctrl-C is meant for it; a host in a terminal has its own use for it.
    let interrupts = rustix::termios::isatty(&input);
    Guard::new(input, output, getppid(), interrupts, settings)?.run()
}

/// Starts a guard whose host is this process. Standard output stays free.
///
/// # Errors
/// A call to the system fails.
///
/// The process must have one thread.
pub fn launch(settings: &Settings) -> io::Result<Launcher> {
    let (from_host, input) = pipes()?;
    let (output, to_host) = pipes()?;
    let host = getpid();
    if let Some(pid) = fork()? {
        return Ok(Launcher {
            pid: pid.as_raw_nonzero().get().cast_unsigned(),
            input,
            output,
        });
    }
    drop((input, output));
    child(move || {
        onto_null(&[0, 1])?;
        Guard::new(from_host, to_host, Some(host), false, settings)?.run()
    })
}

/// Starts a session that has no host; gives its `ready`.
///
/// # Errors
/// There is one of this name, or its kernel does not start, as a text for the user.
///
/// The process must have one thread.
pub fn start_detached(name: &str, open: &Value, settings: &Settings) -> Result<Value, String> {
    let told = |error: io::Error| error.to_string();
    // It is the name of a folder.
    if !is_name(name) {
        return Err(format!(
            "expected a name of letters, digits, `.`, `_` and `-`, at most 64, that does not begin with `.`, found {name:?}"
        ));
    }
    let (from_host, input) = pipes().map_err(told)?;
    let (output, to_host) = pipes().map_err(told)?;
    if fork().map_err(told)?.is_none() {
        drop((input, output));
        child(move || {
            // The shell's own process waits for the first answer only: the session is nobody's child.
            if fork()?.is_some() {
                return Ok(0);
            }
            onto_null(&[0, 1, 2])?;
            keep_only(&[from_host.as_fd(), to_host.as_fd()])?;
            supervise(Setup {
                name: name.to_owned(),
                folder: name.to_owned(),
                host: (from_host, to_host),
                host_pid: None,
                settings: settings.clone(),
            })
        });
    }
    drop((from_host, to_host));
    let mut client = Client::on(input, output);
    let mut request = open.clone();
    request["type"] = Value::from("open");
    request["id"] = Value::from(0);
    client.send(&request).map_err(told)?;
    loop {
        let event = client.receive().map_err(told)?;
        let event = event.ok_or("the session ended while it was starting")?;
        match event["type"].as_str() {
            Some("ready") => return Ok(event),
            Some("error") => {
                let message = event["message"].as_str().unwrap_or_default().to_owned();
                // Nobody would look for a session that never had a kernel.
                let _ = client.release();
                return Err(message);
            }
            _ => {}
        }
    }
}

/// A pipe: where it is read, and where it is written.
pub(super) fn pipes() -> io::Result<(OwnedFd, OwnedFd)> {
    let (reader, writer) = io::pipe()?;
    Ok((reader.into(), writer.into()))
}

/// What a process that was split off does; it never comes back.
pub(super) fn child(work: impl FnOnce() -> io::Result<u8>) -> ! {
    // Signals of the terminal are not for it.
    let _ = setsid();
    let code = catch_unwind(AssertUnwindSafe(work));
    leave(code.map_or(1, |code| code.unwrap_or(1)))
}
