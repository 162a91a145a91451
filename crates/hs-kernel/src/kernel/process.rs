//! The process of a kernel: started with a connection file that only its owner reads, watched, and asked for the last
//! words when it ends.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::net::{Ipv4Addr, TcpListener};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jupyter_protocol::ConnectionInfo;
use jupyter_protocol::connection_info::Transport;
use rustix::process::{Pid, Signal, WaitOptions, WaitStatus, kill_process_group, waitpid};
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::process::prepare_kernel;
use crate::protocol::Transport as Wanted;
use crate::registry::{LONGEST_SOCKET, private_file};

/// How long its last words may take.
const LAST_WORDS: Duration = Duration::from_millis(100);
/// Bytes of its last words that are kept.
const TAIL: usize = 8 << 10;

/// What a kernel is started with.
pub struct Spawn<'a> {
    /// The Python that runs it.
    pub python: &'a Path,
    /// The folder of its session.
    pub folder: &'a Path,
    /// Which kernel of its session it is.
    pub generation: u64,
    /// Its working folder.
    pub cwd: &'a Path,
    /// Variables that only it gets.
    pub env: &'a BTreeMap<String, String>,
    /// How clients reach it.
    pub transport: Wanted,
}

/// A kernel's process.
pub struct Kernel {
    /// Which kernel of its session it is, from 1.
    pub generation: u64,
    /// Its process, which leads its group.
    pub pid: Pid,
    /// How to connect to it.
    pub info: ConnectionInfo,
    /// The same as a file.
    pub connection_file: PathBuf,
    tail: Arc<Mutex<Vec<u8>>>,
    readers: Vec<JoinHandle<()>>,
}

impl Kernel {
    /// Starts the process; that it is ready shows only later.
    ///
    /// # Errors
    /// It cannot be started, with a text for the user.
    pub fn spawn(spawn: &Spawn<'_>) -> io::Result<Self> {
        if !spawn.cwd.is_dir() {
            let text = format!(
                "cwd: expected a folder, found {}; make it, or name another",
                spawn.cwd.display()
            );
            return Err(io::Error::new(io::ErrorKind::NotFound, text));
        }
        let generation = spawn.generation;
        let (transport, ip, ports) = match spawn.transport {
            Wanted::Ipc => (Transport::IPC, prefix(spawn)?, [1, 2, 3, 4, 5]),
            Wanted::Tcp => (Transport::TCP, Ipv4Addr::LOCALHOST.to_string(), ports()?),
        };
        let [shell_port, iopub_port, stdin_port, control_port, hb_port] = ports;
        let info = ConnectionInfo {
            ip,
            transport,
            shell_port,
            iopub_port,
            stdin_port,
            control_port,
            hb_port,
            key: uuid::Uuid::new_v4().to_string(),
            signature_scheme: "hmac-sha256".to_owned(),
            kernel_name: Some("headstart".to_owned()),
        };
        let connection_file = spawn.folder.join(format!("kernel-{generation}.json"));
        let text = serde_json::to_string(&info)?;
        private_file(&connection_file)?.write_all(text.as_bytes())?;

        let mut command = Command::new(spawn.python);
        // -P: a folder or file in the working folder that is called as one of Python's modules must not be started.
        command.args(["-P", "-m", "headstart.kernel", "-f"]);
        command.arg(&connection_file).current_dir(spawn.cwd);
        // Of a kernel around this one: it would end with that one, or wait for its parent.
        for foreign in ["JPY_PARENT_PID", "JPY_INTERRUPT_EVENT", "JPY_SESSION_NAME"] {
            command.env_remove(foreign);
        }
        command.envs(spawn.env);
        command.stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        prepare_kernel(&mut command);
        let mut child = command.spawn().map_err(|error| {
            let text = format!("{}: {error}", spawn.python.display());
            io::Error::new(error.kind(), text)
        })?;
        let tail = Arc::default();
        let mut readers = Vec::new();
        for pipe in [
            child.stdout.take().map(OwnedFd::from),
            child.stderr.take().map(OwnedFd::from),
        ] {
            let pipe = pipe.expect("both were asked for");
            let pipe = pipe::Receiver::from_owned_fd(pipe)?;
            readers.push(tokio::spawn(keep_tail(pipe, Arc::clone(&tail))));
        }
        let pid = Pid::from_raw(child.id().cast_signed()).expect("a child has a number");
        Ok(Self {
            generation,
            pid,
            info,
            connection_file,
            tail,
            readers,
        })
    }

    /// Sends the signal of Ctrl-C to it and what runs in its group.
    pub fn interrupt(&self) {
        let _ = kill_process_group(self.pid, Signal::INT);
    }

    /// Ends its group, where what it started cannot be found in another way. On Linux it can; and a number that was
    /// given to another group meanwhile would be hit here.
    pub fn kill(&self) {
        if !cfg!(target_os = "linux") {
            let _ = kill_process_group(self.pid, Signal::KILL);
        }
    }

    /// Waits until all that it wrote past Jupyter is read, once it has ended; not for ever, since somebody who outlived it
    /// may hold its pipes.
    pub fn last_words(&mut self) -> impl Future<Output = ()> + Send + 'static {
        let readers = std::mem::take(&mut self.readers);
        async move {
            for reader in readers {
                let _ = timeout(LAST_WORDS, reader).await;
            }
        }
    }

    /// What it wrote last, past Jupyter.
    pub fn tail(&self) -> String {
        let tail = self.tail.lock().unwrap_or_else(PoisonError::into_inner);
        let text = String::from_utf8_lossy(&tail).into_owned();
        let mut escapes = crate::output::Escapes::default();
        escapes.strip(&text).trim().to_owned()
    }

    /// Takes away what it left in the folder of its session.
    pub fn clean(&self) {
        let _ = fs::remove_file(&self.connection_file);
        if self.info.transport == Transport::IPC {
            for number in 1..=5 {
                let _ = fs::remove_file(format!("{}-{number}", self.info.ip));
            }
        }
    }
}

/// What the paths of its sockets begin with; `-1` to `-5` follow.
fn prefix(spawn: &Spawn<'_>) -> io::Result<String> {
    let prefix = spawn.folder.join(format!("k{}", spawn.generation));
    let longest = prefix.as_os_str().len() + 2;
    match prefix.to_str().filter(|_| longest <= LONGEST_SOCKET) {
        Some(prefix) => Ok(prefix.to_owned()),
        None => Err(io::Error::other(format!(
            "{}: too long for a socket, or no text",
            prefix.display()
        ))),
    }
}

/// Ports that nobody listens at. Somebody may take one before the kernel does: it does not start then, and says so.
fn ports() -> io::Result<[u16; 5]> {
    // All are held until all are known, so that none comes twice.
    let mut held = Vec::new();
    let mut ports = [0; 5];
    for port in &mut ports {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        *port = listener.local_addr()?.port();
        held.push(listener);
    }
    Ok(ports)
}

async fn keep_tail(mut pipe: pipe::Receiver, tail: Arc<Mutex<Vec<u8>>>) {
    let mut piece = vec![0; 8 << 10];
    while let Ok(count) = pipe.read(&mut piece).await {
        if count == 0 {
            return;
        }
        let mut tail = tail.lock().unwrap_or_else(PoisonError::into_inner);
        tail.extend_from_slice(&piece[..count]);
        let beyond = tail.len().saturating_sub(TAIL);
        tail.drain(..beyond);
    }
}

/// How a child ended, if it has: as words for the user.
pub fn ended(pid: Pid) -> Option<String> {
    match waitpid(Some(pid), WaitOptions::NOHANG) {
        Ok(None) => None,
        Ok(Some((_, status))) => Some(words(status)),
        Err(_) => Some("the kernel's process is gone".to_owned()),
    }
}

fn words(status: WaitStatus) -> String {
    if let Some(code) = status.exit_status() {
        return format!("the kernel's process ended with exit code {code}");
    }
    let number = status.terminating_signal().unwrap_or_default();
    let name = match number {
        libc::SIGKILL => " (SIGKILL: by the system when memory ran out, or by somebody)",
        libc::SIGSEGV => " (SIGSEGV: a crash in compiled code)",
        libc::SIGABRT => " (SIGABRT: compiled code gave up)",
        libc::SIGBUS => " (SIGBUS: a file or memory was cut off below it)",
        libc::SIGILL => " (SIGILL: compiled code for another processor, or a crash)",
        libc::SIGFPE => " (SIGFPE: a crash in compiled code)",
        libc::SIGTERM => " (SIGTERM)",
        libc::SIGHUP => " (SIGHUP)",
        _ => "",
    };
    format!("the kernel's process was ended by signal {number}{name}")
}
