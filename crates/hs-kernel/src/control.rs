//! A client of a session's control socket, for programs that wait for each answer.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::time::Duration;

use serde_json::{Value, json};

use crate::{protocol, registry};

/// Bytes that an event may have: 8 MiB of figures in base64, in a result and its text, are below.
const LONGEST: u64 = 256 << 20;
/// How long the end of a session may take.
const RELEASE: Duration = Duration::from_secs(15);

/// A connection to a session.
pub struct Client {
    from: BufReader<Box<dyn Read>>,
    to: Box<dyn Write>,
    stream: Option<UnixStream>,
}

impl Client {
    /// Connects to a session, by the name of its folder.
    ///
    /// # Errors
    /// There is none of this name, or it does not answer.
    pub fn connect(session: &str) -> io::Result<Self> {
        if !protocol::is_name(session) {
            let text = "expected a name of letters, digits, `.`, `_` and `-`";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
        }
        let socket = registry::root()?.join(session).join("control.sock");
        if socket.as_os_str().len() > registry::LONGEST_SOCKET {
            let text = "no session can have so long a name here";
            return Err(io::Error::new(io::ErrorKind::NotFound, text));
        }
        let stream = UnixStream::connect(socket)?;
        Ok(Self {
            from: BufReader::new(Box::new(stream.try_clone()?)),
            to: Box::new(stream.try_clone()?),
            stream: Some(stream),
        })
    }

    /// A client on two pipes.
    pub(crate) fn on(to: OwnedFd, from: OwnedFd) -> Self {
        Self {
            from: BufReader::new(Box::new(File::from(from))),
            to: Box::new(File::from(to)),
            stream: None,
        }
    }

    /// How long [`Client::receive`] waits at most; it fails with [`io::ErrorKind::WouldBlock`] then.
    ///
    /// # Errors
    /// What the system says.
    pub fn set_patience(&self, patience: Option<Duration>) -> io::Result<()> {
        match &self.stream {
            Some(stream) => stream.set_read_timeout(patience),
            None => Ok(()),
        }
    }

    /// Asks something.
    ///
    /// # Errors
    /// The session is gone.
    pub fn send(&mut self, request: &Value) -> io::Result<()> {
        self.to.write_all(format!("{request}\n").as_bytes())?;
        self.to.flush()
    }

    /// The next event; `None` when the session is gone.
    ///
    /// # Errors
    /// It is no JSON, or cannot be read.
    pub fn receive(&mut self) -> io::Result<Option<Value>> {
        let mut line = Vec::new();
        let count = (&mut self.from)
            .take(LONGEST)
            .read_until(b'\n', &mut line)?;
        if count == 0 {
            return Ok(None);
        }
        Ok(Some(serde_json::from_slice(&line)?))
    }

    /// Ends the session, and waits until it has.
    ///
    /// # Errors
    /// It does not end in time.
    pub fn release(&mut self) -> io::Result<()> {
        self.set_patience(Some(RELEASE))?;
        self.send(&json!({"type": "release", "id": "release"}))?;
        while let Some(event) = self.receive()? {
            if event["type"] == "released" {
                return Ok(());
            }
        }
        // It went away without a word, which is what was wanted.
        Ok(())
    }
}
