//! The launcher as seen from here: requests go out in the order in which they are made, answers come back to whom they
//! belong by their `id`. It decides nothing and never waits for a reader: what nobody asked for is dropped.

use std::collections::HashMap;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Map, Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::unix::pipe;
use tokio::sync::{mpsc, watch};

/// The one session of this server.
pub const SESSION: &str = "main";
/// Lines that hosts of figures and of live output want. They come again in the result; a figure may be of megabytes.
const PASSED_OVER: [&[u8]; 3] = [b"\"output\"", b"\"image\"", b"\"clear\""];

/// What is added to `cell-start`: why the kernel before went away, if nobody was told.
pub const LOST_BEFORE: &str = "lost_before";

/// A connection to the launcher. Clones are the same connection.
#[derive(Clone, Debug)]
pub struct Link(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    /// Lines on their way out; none closes the pipe, which ends the launcher and all that it started.
    out: mpsc::UnboundedSender<Option<String>>,
    routes: Mutex<Routes>,
    next: AtomicU64,
    gone: watch::Sender<bool>,
}

#[derive(Debug, Default)]
struct Routes {
    by_id: HashMap<String, mpsc::UnboundedSender<Value>>,
    /// Why the kernel went away, until a host was told.
    lost: Option<String>,
    gone: bool,
}

/// What comes for one request, until it is dropped.
#[derive(Debug)]
pub struct Answers {
    /// The id of the request.
    pub id: String,
    events: mpsc::UnboundedReceiver<Value>,
    link: Link,
    end: Option<End>,
}

/// The last event of a request; none when the launcher is gone.
pub type End = Option<Value>;

impl Link {
    /// A connection over the launcher's two pipes. It needs a runtime.
    ///
    /// # Errors
    /// When they are no pipes.
    pub fn over(input: OwnedFd, output: OwnedFd) -> io::Result<Self> {
        let writer = pipe::Sender::from_owned_fd(input)?;
        let reader = pipe::Receiver::from_owned_fd(output)?;
        let (out, lines) = mpsc::unbounded_channel();
        let link = Self(Arc::new(Shared {
            out,
            routes: Mutex::default(),
            next: AtomicU64::new(1),
            gone: watch::Sender::new(false),
        }));
        tokio::spawn(write(writer, lines));
        tokio::spawn(read(reader, link.clone()));
        Ok(link)
    }

    /// Asks something. The line is on its way when this returns, so that the order of calls is that of requests.
    pub fn ask(&self, kind: &str, fields: Value) -> Answers {
        let number = self.0.next.fetch_add(1, Ordering::Relaxed);
        let id = format!("{kind}-{number}");
        let (route, events) = mpsc::unbounded_channel();
        {
            let mut routes = self.routes();
            // Without a launcher the route is dropped here, which ends the answers.
            if !routes.gone {
                routes.by_id.insert(id.clone(), route);
            }
        }
        let mut line = json!({"type": kind, "id": id, "session": SESSION});
        if let (Some(line), Value::Object(fields)) = (line.as_object_mut(), fields) {
            line.extend(fields);
        }
        let _ = self.0.out.send(Some(line.to_string()));
        Answers {
            id,
            events,
            link: self.clone(),
            end: None,
        }
    }

    /// Tells something to which no answer is awaited.
    pub fn tell(&self, kind: &str, fields: Value) {
        drop(self.ask(kind, fields));
    }

    /// The host was told that variables are gone, or knows it.
    pub fn told(&self) {
        self.routes().lost = None;
    }

    /// Ends the launcher and all that it started.
    pub fn close(&self) {
        let _ = self.0.out.send(None);
    }

    /// Waits until the launcher is gone.
    pub async fn gone(&self) {
        // The sender lives in `self`.
        let _ = self.0.gone.subscribe().wait_for(|gone| *gone).await;
    }

    fn routes(&self) -> MutexGuard<'_, Routes> {
        self.0.routes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn receive(&self, line: &[u8]) {
        if is_passed_over(line) {
            return;
        }
        let Ok(mut event) = serde_json::from_slice::<Value>(line) else {
            return;
        };
        let mut routes = self.routes();
        if event["type"] == "lost" {
            routes.lost = Some(text(&event, "reason"));
        }
        // A cell that begins after the loss runs on a new kernel, and its answer says so. One whose answer is on its way
        // has nothing to do with it.
        if event["type"] == "cell-start"
            && let Some(reason) = &routes.lost
        {
            event[LOST_BEFORE] = Value::from(reason.clone());
        }
        if let Some(id) = event["id"].as_str()
            && let Some(route) = routes.by_id.get(id)
        {
            let _ = route.send(event);
        }
    }

    fn ended(&self) {
        {
            let mut routes = self.routes();
            routes.gone = true;
            routes.by_id.clear();
        }
        self.0.gone.send_replace(true);
    }
}

impl Answers {
    /// The next event of this request; none when the launcher is gone.
    pub async fn next(&mut self) -> Option<Value> {
        self.events.recv().await
    }

    /// The first event of this request.
    pub async fn only(mut self) -> Option<Value> {
        self.next().await
    }

    /// How it ended, if it did; without waiting.
    pub fn end(&mut self) -> Option<End> {
        while self.end.is_none() {
            match self.events.try_recv() {
                Ok(event) if event["type"] == "result" || event["type"] == "error" => {
                    self.end = Some(Some(event));
                }
                Ok(_) => {}
                Err(mpsc::error::TryRecvError::Disconnected) => self.end = Some(None),
                Err(mpsc::error::TryRecvError::Empty) => break,
            }
        }
        self.end.clone()
    }
}

impl Drop for Answers {
    fn drop(&mut self) {
        self.link.routes().by_id.remove(&self.id);
    }
}

/// A field of an event that is text, or nothing.
pub fn text(event: &Value, field: &str) -> String {
    event[field].as_str().unwrap_or_default().to_owned()
}

/// Whether a line is of a kind that is not read. The type comes first in every line, so the rest need not be parsed.
fn is_passed_over(line: &[u8]) -> bool {
    let Some(rest) = line.strip_prefix(b"{\"type\":") else {
        return false;
    };
    PASSED_OVER.iter().any(|kind| rest.starts_with(kind))
}

async fn write(mut pipe: pipe::Sender, mut lines: mpsc::UnboundedReceiver<Option<String>>) {
    while let Some(Some(mut line)) = lines.recv().await {
        line.push('\n');
        // A launcher that does not read any more is one that ends; its output tells.
        if pipe.write_all(line.as_bytes()).await.is_err() {
            return;
        }
    }
}

async fn read(pipe: pipe::Receiver, link: Link) {
    let mut reader = BufReader::with_capacity(1 << 16, pipe);
    let mut line = Vec::new();
    while let Ok(count) = reader.read_until(b'\n', &mut line).await {
        if count == 0 {
            break;
        }
        link.receive(&line);
        line.clear();
        // A line of figures leaves no buffer of its size behind.
        line.shrink_to(1 << 20);
    }
    link.ended();
}

/// The fields of an event that are the result's own.
pub fn fields(event: &Value) -> Map<String, Value> {
    let mut fields = event.as_object().cloned().unwrap_or_default();
    for name in ["type", "id", "session", "run"] {
        fields.remove(name);
    }
    fields
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::{BufRead, Write};

    use super::*;

    #[test]
    fn lines_of_live_output_are_not_read() {
        assert!(is_passed_over(
            br#"{"type":"image","id":"run-1","data":""}"#
        ));
        assert!(!is_passed_over(
            br#"{"type":"result","id":"run-1","output":"image"}"#
        ));
        assert!(!is_passed_over(br#"{"id":"run-1","type":"image"}"#));
    }

    /// A connection, and the launcher's ends of its pipes.
    fn linked() -> (Link, std::io::BufReader<File>, File) {
        let (requests, input) = rustix::pipe::pipe().expect("a pipe");
        let (output, events) = rustix::pipe::pipe().expect("a pipe");
        let link = Link::over(input, output).expect("pipes");
        let requests = std::io::BufReader::new(File::from(requests));
        (link, requests, File::from(events))
    }

    fn runtime() -> tokio::runtime::Runtime {
        let mut builder = tokio::runtime::Builder::new_current_thread();
        builder.enable_all().build().expect("a runtime")
    }

    #[test]
    fn answers_find_their_request_and_end_with_the_launcher() {
        runtime().block_on(async {
            let (link, mut requests, mut events) = linked();
            let mut first = link.ask("run", json!({"code": "1"}));
            let mut second = link.ask("status", json!({}));
            assert_eq!(first.end(), None);
            // Written by a task of this thread, which runs while this waits.
            events
                .write_all(
                    b"{\"type\":\"output\",\"id\":\"run-1\",\"text\":\"x\"}\nno JSON\n\
                      {\"type\":\"lost\",\"generation\":3,\"reason\":\"killed\"}\n\
                      {\"type\":\"cell-start\",\"id\":\"run-1\"}\n{\"type\":\"status\",\"id\":\"status-2\"}\n",
                )
                .expect("written");
            let status = second.next().await.expect("an answer");
            assert_eq!(status["type"], "status");
            let mut line = String::new();
            requests.read_line(&mut line).expect("a line");
            let asked: Value = serde_json::from_str(&line).expect("JSON");
            assert_eq!(
                asked,
                json!({"type": "run", "id": "run-1", "session": "main", "code": "1"})
            );
            let began = first.next().await.expect("an event");
            assert_eq!(began[LOST_BEFORE], "killed");
            link.told();
            let rest = b"{\"type\":\"cell-start\",\"id\":\"run-1\"}\n{\"type\":\"result\",\"id\":\"run-1\"}\n";
            events.write_all(rest).expect("written");
            let began = first.next().await.expect("an event");
            assert!(began.get(LOST_BEFORE).is_none());
            drop(events);
            link.gone().await;
            // What came is kept for who asks late; the end comes behind it.
            let end = first.end().expect("an end").expect("an event");
            assert_eq!(end["type"], "result");
            assert_eq!(second.next().await, None);
            assert_eq!(link.ask("status", json!({})).only().await, None);
        });
    }

    #[test]
    fn a_close_ends_the_input_of_the_launcher() {
        runtime().block_on(async {
            let (link, requests, _events) = linked();
            link.tell("close", json!({}));
            link.close();
            let lines = tokio::task::spawn_blocking(move || requests.lines().count());
            assert_eq!(lines.await.expect("no panic"), 1);
        });
    }
}
