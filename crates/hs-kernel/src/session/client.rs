//! Who talks to a session: the host, and whoever connects to its control socket. Each has a queue of lines of its own,
//! so that one who does not read costs nobody else. Output that is not read is left out, and this is told.

use std::cell::Cell;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;

use crate::protocol::{Event, Line, Lines, Notice};

/// What the session calls a client.
pub type ClientId = u64;
/// The host.
pub const HOST: ClientId = 0;
/// Nobody: what the session does by itself.
pub const NOBODY: ClientId = ClientId::MAX;

/// What comes from clients.
#[derive(Debug)]
pub enum FromClient {
    /// A line.
    Line(ClientId, Line),
    /// It is gone.
    Gone(ClientId),
}

/// All clients of a session.
pub struct Clients {
    session: String,
    queues: HashMap<ClientId, Queue>,
    lines: mpsc::Sender<FromClient>,
    last: ClientId,
    writers: Vec<tokio::task::JoinHandle<()>>,
}

/// Bytes that wait for one reader; output beyond these is left out, answers never are.
const UNREAD: usize = 4 << 20;

/// What waits for one reader.
struct Queue {
    lines: Sender,
    /// How much output was left out since the last line.
    left_out: Cell<usize>,
}

/// The way into a queue.
#[derive(Clone)]
struct Sender {
    lines: mpsc::UnboundedSender<String>,
    /// Bytes that are not written yet.
    unread: Arc<AtomicUsize>,
}

impl Sender {
    fn push(&self, line: String) {
        self.unread.fetch_add(line.len(), Ordering::Relaxed);
        let _ = self.lines.send(line);
    }

    fn is_full(&self) -> bool {
        self.unread.load(Ordering::Relaxed) > UNREAD
    }
}

/// Lines of clients that wait to be taken: beyond these the sender waits.
const QUEUE: usize = 64;

impl Clients {
    /// Nobody yet; lines come by the receiver.
    pub fn new(session: &str) -> (Self, mpsc::Receiver<FromClient>) {
        let (lines, receiver) = mpsc::channel(QUEUE);
        let clients = Self {
            session: session.to_owned(),
            queues: HashMap::new(),
            lines,
            last: HOST,
            writers: Vec::new(),
        };
        (clients, receiver)
    }

    /// The host.
    pub fn add_host<R, W>(&mut self, from: R, to: W)
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        self.join(HOST, from, to);
    }

    /// One more.
    pub fn add<R, W>(&mut self, from: R, to: W)
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        self.last += 1;
        self.join(self.last, from, to);
    }

    fn join<R, W>(&mut self, id: ClientId, from: R, to: W)
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let (lines, waiting) = mpsc::unbounded_channel();
        let unread = Arc::new(AtomicUsize::new(0));
        let written = Arc::clone(&unread);
        let queue = Queue {
            lines: Sender { lines, unread },
            left_out: Cell::new(0),
        };
        self.queues.insert(id, queue);
        tokio::spawn(listen(id, from, self.lines.clone()));
        self.writers.retain(|writer| !writer.is_finished());
        self.writers.push(tokio::spawn(write(to, waiting, written)));
    }

    /// It is gone.
    pub fn remove(&mut self, id: ClientId) {
        self.queues.remove(&id);
    }

    /// Says something to one; `id` is that of the request.
    pub fn say(&self, to: ClientId, id: Option<&Value>, event: &Event) {
        let Some(queue) = self.queues.get(&to) else {
            return;
        };
        let line = event.line(id, &self.session);
        let is_output = matches!(
            event,
            Event::Output(..) | Event::Image(_) | Event::Progress { .. } | Event::Notice(_)
        );
        let left_out = queue.left_out.get();
        if is_output && queue.lines.is_full() {
            queue.left_out.set(left_out + line.len());
            return;
        }
        if left_out > 0 {
            queue.left_out.set(0);
            let text = format!(
                "{left_out} bytes of events were left out, since nobody read them; results have their output, and read gives it"
            );
            let notice = Event::Notice(Notice::new("unread", text));
            queue.lines.push(notice.line(None, &self.session));
        }
        queue.lines.push(line);
    }

    /// How to say something to one from another thread.
    pub fn whisper(&self, to: ClientId) -> impl FnOnce(Option<&Value>, &Event) + Send + 'static {
        let queue = self.queues.get(&to).map(|queue| queue.lines.clone());
        let session = self.session.clone();
        move |id, event| {
            if let Some(lines) = queue {
                lines.push(event.line(id, &session));
            }
        }
    }

    /// Says something to all.
    pub fn say_to_all(&self, event: &Event) {
        for client in self.queues.keys() {
            self.say(*client, None, event);
        }
    }

    /// Waits until all that was said is written. Who does not read makes this last: the caller sets an end.
    pub async fn flush(&mut self) {
        self.queues.clear();
        for writer in self.writers.drain(..) {
            let _ = writer.await;
        }
    }
}

async fn listen<R: AsyncRead + Unpin>(id: ClientId, mut from: R, to: mpsc::Sender<FromClient>) {
    let mut lines = Lines::default();
    let mut piece = vec![0; 64 << 10];
    loop {
        let count = from.read(&mut piece).await.unwrap_or(0);
        let found = if count == 0 {
            lines.rest().into_iter().collect()
        } else {
            lines.push(&piece[..count])
        };
        for line in found {
            if to.send(FromClient::Line(id, line)).await.is_err() {
                return;
            }
        }
        if count == 0 {
            let _ = to.send(FromClient::Gone(id)).await;
            return;
        }
    }
}

async fn write<W: AsyncWrite + Unpin>(
    mut to: W,
    mut lines: mpsc::UnboundedReceiver<String>,
    unread: Arc<AtomicUsize>,
) {
    while let Some(mut line) = lines.recv().await {
        // What waits goes out together: a cell that prints much costs few calls.
        let mut taken = line.len();
        line.push('\n');
        while line.len() < 64 << 10 {
            let Ok(next) = lines.try_recv() else { break };
            taken += next.len();
            line.push_str(&next);
            line.push('\n');
        }
        if to.write_all(line.as_bytes()).await.is_err() {
            return;
        }
        unread.fetch_sub(taken, Ordering::Relaxed);
    }
    let _ = to.flush().await;
}
