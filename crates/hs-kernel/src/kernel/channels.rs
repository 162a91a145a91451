//! The sockets to a kernel. A task of its own empties each at all times, so that nothing is lost there, whatever the
//! session or its host is doing.

use std::time::Duration;

use jupyter_protocol::{
    ConnectionInfo, ExecuteRequest, JupyterMessage, JupyterMessageContent, ShutdownRequest,
};
use jupyter_zmq_client::{
    Connection, RawMessage, create_client_iopub_connection,
    create_client_shell_connection_with_identity, peer_identity_for_session,
};
use serde_json::Value;
use tokio::sync::{mpsc, watch};
use tokio::time::timeout;
use zeromq::SocketRecv;

use super::message::{self, Message};

/// Messages that wait for the session. It takes them at once; beyond these the kernel's own queue holds them, which has
/// no limit.
const QUEUE: usize = 4096;
/// How long nothing may come, after the process has ended, until all it said has been heard.
const QUIET: Duration = Duration::from_millis(30);
/// Errors in a row after which a socket is given up.
const ERRORS: u32 = 20;

/// What comes from a kernel.
pub type Incoming = mpsc::Receiver<Message>;

/// A request that was given to a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Sent(pub String);

/// The way to a kernel.
pub struct Channels {
    requests: mpsc::UnboundedSender<JupyterMessage>,
    session: String,
    gone: watch::Sender<bool>,
}

/// A cell.
pub fn visible(code: &str) -> ExecuteRequest {
    ExecuteRequest {
        code: code.to_owned(),
        silent: false,
        store_history: true,
        user_expressions: None,
        allow_stdin: false,
        stop_on_error: false,
    }
}

/// Code that gives no output and has no number.
pub fn hidden(code: &str) -> ExecuteRequest {
    ExecuteRequest {
        silent: true,
        store_history: false,
        ..visible(code)
    }
}

/// That the kernel is to end by itself.
pub fn shutdown() -> ShutdownRequest {
    ShutdownRequest { restart: false }
}

impl Channels {
    /// Connects, which needs the kernel's sockets to be there.
    ///
    /// # Errors
    /// What the sockets say.
    pub async fn connect(
        info: &ConnectionInfo,
        session: &str,
    ) -> jupyter_zmq_client::Result<(Self, Incoming)> {
        let iopub = create_client_iopub_connection(info, "", session).await?;
        let identity = peer_identity_for_session(session)?;
        let shell = create_client_shell_connection_with_identity(info, session, identity).await?;
        let (mut send, replies) = shell.split();
        let (to, incoming) = mpsc::channel(QUEUE);
        let (gone, watched) = watch::channel(false);
        tokio::spawn(empty(replies, to.clone(), watched.clone()));
        tokio::spawn(empty(iopub, to, watched));
        let (requests, mut waiting) = mpsc::unbounded_channel();
        tokio::spawn(async move {
            while let Some(request) = waiting.recv().await {
                // A kernel that does not take it has ended, which is noticed elsewhere.
                let _ = send.send(request).await;
            }
        });
        let session = session.to_owned();
        Ok((
            Self {
                requests,
                session,
                gone,
            },
            incoming,
        ))
    }

    /// Gives the kernel a request.
    pub fn send(&self, request: impl Into<JupyterMessageContent>) -> Sent {
        self.send_with(request, serde_json::json!({}))
    }

    /// Gives the kernel code that runs before the first cell: the names that it defines are not the user's.
    pub fn send_startup(&self, code: &str) -> Sent {
        self.send_with(
            hidden(code),
            serde_json::json!({"headstart": {"startup": true}}),
        )
    }

    /// Gives the kernel a request with something that only the launcher and its kernel know.
    pub fn send_with(&self, request: impl Into<JupyterMessageContent>, metadata: Value) -> Sent {
        let message = JupyterMessage::new(request, None).with_session(&self.session);
        let message = message.with_metadata(metadata);
        let sent = Sent(message.header.msg_id.clone());
        let _ = self.requests.send(message);
        sent
    }

    /// Whether a message answers this client.
    pub fn is_ours(&self, message: &Message) -> bool {
        message.session == self.session
    }

    /// The process has ended: what it said is read to the end, then [`Incoming`] ends.
    pub fn process_ended(&self) {
        let _ = self.gone.send(true);
    }
}

async fn empty<S: SocketRecv>(
    mut connection: Connection<S>,
    to: mpsc::Sender<Message>,
    mut gone: watch::Receiver<bool>,
) {
    let mut errors = 0;
    loop {
        let received = if *gone.borrow() {
            match timeout(QUIET, connection.socket.recv()).await {
                Ok(received) => received,
                Err(_) => return,
            }
        } else {
            tokio::select! {
                received = connection.socket.recv() => received,
                changed = gone.changed() => {
                    if changed.is_err() {
                        return;
                    }
                    continue;
                }
            }
        };
        let read = received
            .ok()
            .and_then(|parts| RawMessage::from_multipart(parts, &connection.mac).ok())
            .and_then(|raw| message::read(&raw.jparts));
        if let Some(message) = read {
            errors = 0;
            if to.send(message).await.is_err() {
                return;
            }
        } else {
            errors += 1;
            if errors == ERRORS {
                return;
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }
}
