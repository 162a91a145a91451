//! From a process to a kernel that is ready: its sockets appear, it answers, and the hidden code of the session has run.

use std::path::Path;
use std::time::Duration;

use jupyter_protocol::connection_info::Transport;
use jupyter_protocol::{ConnectionInfo, KernelInfoRequest};
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep, timeout_at};

use super::channels::{Channels, Incoming, Sent};
use super::message::{Message, Said};

/// How long a kernel may take until it is ready, hidden code included: imports of a cold machine are slow.
const PATIENCE: Duration = Duration::from_mins(2);
/// How often sockets are looked for that a kernel makes as it starts.
const LOOK: Duration = Duration::from_millis(2);

/// A kernel that is ready.
pub struct Started {
    /// The way to it.
    pub channels: Channels,
    /// What comes from it.
    pub incoming: Incoming,
    /// What it said until then that no request had asked for.
    pub early: Vec<Message>,
}

/// Waits until the kernel is ready, and runs code hidden.
///
/// # Errors
/// It is not, in time; or code failed; as a text for the user.
pub async fn start(info: ConnectionInfo, code: Vec<String>) -> Result<Started, String> {
    let until = Instant::now() + PATIENCE;
    let all = async {
        while !is_there(&info).await {
            sleep(LOOK).await;
        }
        let session = uuid::Uuid::new_v4().to_string();
        let connected = Channels::connect(&info, &session).await;
        let (channels, incoming) =
            connected.map_err(|error| format!("its sockets do not answer: {error}"))?;
        let mut starting = Starting {
            channels,
            incoming,
            early: Vec::new(),
            welcome: false,
        };
        let asked = starting.channels.send(KernelInfoRequest {});
        starting.answer(&asked).await?;
        while !starting.welcome {
            starting.hear(None).await?;
        }
        for snippet in code {
            let sent = starting.channels.send_startup(&snippet);
            if let Said::Reply(reply) = starting.answer(&sent).await?
                && let Some(error) = reply.error
            {
                let mut escapes = crate::output::Escapes::default();
                let traceback = escapes.strip(&reply.traceback);
                let first = snippet.lines().next().unwrap_or_default();
                let shown: String = first.chars().take(80).collect();
                return Err(format!(
                    "startup_code failed ({shown}): {}: {}\n{traceback}",
                    error.ename, error.evalue
                ));
            }
        }
        let Starting {
            channels,
            incoming,
            early,
            ..
        } = starting;
        Ok(Started {
            channels,
            incoming,
            early,
        })
    };
    timeout_at(until, all).await.unwrap_or_else(|_| {
        let seconds = PATIENCE.as_secs();
        Err(format!("the kernel was not ready after {seconds} s"))
    })
}

/// Whether the kernel listens: a library that finds nobody waits far longer before it tries again.
async fn is_there(info: &ConnectionInfo) -> bool {
    let ports = [info.shell_port, info.iopub_port];
    match info.transport {
        Transport::IPC => ports
            .iter()
            .all(|port| Path::new(&format!("{}-{port}", info.ip)).exists()),
        Transport::TCP => {
            for port in ports {
                if TcpStream::connect((info.ip.as_str(), port)).await.is_err() {
                    return false;
                }
            }
            true
        }
    }
}

struct Starting {
    channels: Channels,
    incoming: Incoming,
    early: Vec<Message>,
    welcome: bool,
}

impl Starting {
    async fn answer(&mut self, to: &Sent) -> Result<Said, String> {
        loop {
            if let Some(said) = self.hear(Some(to)).await? {
                return Ok(said);
            }
        }
    }

    /// Takes one message; gives it if it is the reply that is waited for.
    async fn hear(&mut self, to: Option<&Sent>) -> Result<Option<Said>, String> {
        let message = self.incoming.recv().await;
        let message = message.ok_or("the connection to the kernel broke")?;
        match message.said {
            Said::Welcome => self.welcome = true,
            said @ Said::Reply(_) => {
                return Ok(to.filter(|to| to.0 == message.parent).map(|_| said));
            }
            Said::Begun { .. } | Said::Busy | Said::Idle | Said::Other => {}
            said => self.early.push(Message { said, ..message }),
        }
        Ok(None)
    }
}
