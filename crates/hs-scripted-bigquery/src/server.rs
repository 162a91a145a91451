//! The running server: its state, the thread that accepts, one thread for each connection. It listens on the loopback
//! address only, and stops when it is dropped.

use std::collections::{HashMap, HashSet};
use std::io::{self, BufReader};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use serde_json::Value;

use crate::answer::{self, Answer};
use crate::http::{self, Reply};
use crate::job::Job;
use crate::options::{Fault, Options};
use crate::results::Pages;
use crate::tokens::Tokens;

/// A request, as it came.
#[derive(Clone, Debug, PartialEq)]
pub struct Logged {
    pub method: String,
    pub path: String,
    pub query: Vec<(String, String)>,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    /// JSON as it is, a form as an object of texts, anything else as text, null for none.
    pub body: Value,
    /// The status that was answered: 0 while it is not, or when the connection was closed instead.
    pub status: u16,
    number: u64,
}

impl Logged {
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.as_str())
    }

    pub fn parameter(&self, name: &str) -> Option<&str> {
        let found = self.query.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.as_str())
    }
}

/// A real job, as the server knows it now.
#[derive(Clone, Debug, PartialEq)]
pub struct JobSeen {
    pub id: String,
    pub sql: String,
    pub location: String,
    /// `RUNNING` or `DONE`.
    pub state: &'static str,
    pub statement: &'static str,
    pub cap: Option<u64>,
    pub processed: u64,
    pub billed: u64,
    pub cache_hit: bool,
    /// The reason of its error.
    pub error: Option<String>,
    pub labels: Value,
}

/// What changes while the server runs.
pub(crate) struct State {
    pub options: Options,
    pub faults: Vec<Fault>,
    pub log: Vec<Logged>,
    pub logged: u64,
    pub tokens: Tokens,
    pub jobs: Vec<Job>,
    /// The kinds of statements that have failed on `d.flaky`.
    pub failed: HashSet<&'static str>,
    /// The statements whose results are in the cache.
    pub cached: HashSet<String>,
}

pub(crate) struct Shared {
    pub url: String,
    state: Mutex<State>,
    /// Told when a job ends before its time, or the server stops.
    pub changed: Condvar,
    pub pages: Pages,
    stopping: AtomicBool,
    connections: Mutex<HashMap<u64, TcpStream>>,
}

impl Shared {
    pub fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::SeqCst)
    }

    fn connections(&self) -> MutexGuard<'_, HashMap<u64, TcpStream>> {
        self.connections
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// A server that answers as BigQuery does; see the crate's page.
pub struct Server {
    shared: Arc<Shared>,
    address: SocketAddr,
    accepting: Option<JoinHandle<()>>,
}

impl Server {
    /// Starts on 127.0.0.1.
    ///
    /// # Errors
    /// The port is taken.
    pub fn start(options: Options) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, options.port))?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            url: format!("http://{address}"),
            state: Mutex::new(State {
                options,
                faults: Vec::new(),
                log: Vec::new(),
                logged: 0,
                tokens: Tokens::default(),
                jobs: Vec::new(),
                failed: HashSet::new(),
                cached: HashSet::new(),
            }),
            changed: Condvar::new(),
            pages: Pages::default(),
            stopping: AtomicBool::new(false),
            connections: Mutex::new(HashMap::new()),
        });
        let inner = Arc::clone(&shared);
        let accepting = std::thread::Builder::new().spawn(move || accept(&inner, &listener))?;
        Ok(Self {
            shared,
            address,
            accepting: Some(accepting),
        })
    }

    /// `http://127.0.0.1:PORT`, without a slash at the end.
    pub fn url(&self) -> &str {
        &self.shared.url
    }

    /// Every request since the start or the last clear, in the order in which they came.
    pub fn log(&self) -> Vec<Logged> {
        self.shared.state().log.clone()
    }

    pub fn clear_log(&self) {
        self.shared.state().log.clear();
    }

    /// The real jobs, in the order in which they were made; dry runs make none.
    pub fn jobs(&self) -> Vec<JobSeen> {
        self.shared.state().jobs.iter().map(Job::seen).collect()
    }

    /// From now on this goes wrong.
    pub fn fault(&self, fault: Fault) {
        self.shared.state().faults.push(fault);
    }

    pub fn clear_faults(&self) {
        self.shared.state().faults.clear();
    }

    /// Changes how it behaves while it runs; the port stays.
    pub fn change(&self, change: impl FnOnce(&mut Options)) {
        change(&mut self.shared.state().options);
    }

    /// Every token that was given out is refused from now on.
    pub fn revoke_tokens(&self) {
        self.shared.state().tokens.revoke();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.stopping.store(true, Ordering::SeqCst);
        self.shared.changed.notify_all();
        for stream in self.shared.connections().values() {
            // It may be closed already.
            let _ = stream.shutdown(Shutdown::Both);
        }
        // Wakes the thread that accepts; it goes out at once.
        let _ = TcpStream::connect(self.address);
        if let Some(accepting) = self.accepting.take() {
            let _ = accepting.join();
        }
    }
}

fn accept(shared: &Arc<Shared>, listener: &TcpListener) {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    for stream in listener.incoming() {
        if shared.is_stopping() {
            return;
        }
        let Ok(stream) = stream else { continue };
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        if let Ok(copy) = stream.try_clone() {
            shared.connections().insert(number, copy);
        }
        let inner = Arc::clone(shared);
        let started = std::thread::Builder::new().spawn(move || {
            // A client that goes away is no fault of the server.
            let _ = converse(&inner, stream);
            inner.connections().remove(&number);
        });
        if started.is_err() {
            shared.connections().remove(&number);
        }
    }
}

/// Answers the requests of one connection, until either side closes it.
fn converse(shared: &Shared, stream: TcpStream) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut out = stream.try_clone()?;
    let mut stream = BufReader::new(stream);
    loop {
        let request = match http::read(&mut stream) {
            Ok(Some(request)) => request,
            Ok(None) => break,
            Err(wrong) => {
                Reply::text(400, "text/plain; charset=UTF-8", format!("{wrong}\n"))
                    .write(&mut out, None)?;
                break;
            }
        };
        let last = request
            .header("connection")
            .is_some_and(|value| value.eq_ignore_ascii_case("close"));
        match answer::answer(shared, &request) {
            Answer::Close => break,
            Answer::Reply(reply, None) => reply.write(&mut out, None)?,
            Answer::Reply(reply, cut) => {
                reply.write(&mut out, cut)?;
                break;
            }
        }
        if last || shared.is_stopping() {
            break;
        }
    }
    out.shutdown(Shutdown::Both)
}

impl State {
    /// Notes a request; its number is for [`State::answered`].
    pub fn note(&mut self, request: &http::Request) -> u64 {
        self.logged += 1;
        self.log.push(Logged {
            method: request.method.clone(),
            path: request.path.clone(),
            query: request.query.clone(),
            headers: request.headers.clone(),
            body: body(request),
            status: 0,
            number: self.logged,
        });
        self.logged
    }

    pub fn answered(&mut self, number: u64, status: u16) {
        if let Some(logged) = self.log.iter_mut().rfind(|logged| logged.number == number) {
            logged.status = status;
        }
    }
}

fn body(request: &http::Request) -> Value {
    if request.body.is_empty() {
        return Value::Null;
    }
    if request
        .header("content-type")
        .is_some_and(|kind| kind.starts_with("application/x-www-form-urlencoded"))
    {
        let fields = request
            .form()
            .into_iter()
            .map(|(name, value)| (name, Value::String(value)));
        return Value::Object(fields.collect());
    }
    serde_json::from_slice(&request.body)
        .unwrap_or_else(|_| String::from_utf8_lossy(&request.body).into())
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpStream;
    use std::time::{Duration, Instant};

    use super::Server;
    use crate::options::{Fault, Options};

    /// What comes back for one request on a connection of its own.
    fn ask(server: &Server, head: &str) -> String {
        let mut stream = TcpStream::connect(server.address).unwrap();
        write!(stream, "{head} HTTP/1.1\r\nConnection: close\r\n\r\n").unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        text
    }

    #[test]
    fn every_request_is_logged_with_what_it_got() {
        let server = Server::start(Options::default()).unwrap();
        server.fault(Fault {
            drop: true,
            ..Fault::new("GET", "/bigquery/*", 0)
        });
        let path = "/bigquery/v2/projects/p1/queries/x";
        assert_eq!(ask(&server, &format!("GET {path}?a=b%20c")), "");
        let refused = ask(&server, &format!("GET {path}"));
        assert!(refused.starts_with("HTTP/1.1 401 "), "{refused}");
        assert!(refused.contains("\"reason\": \"authError\""), "{refused}");
        assert!(ask(&server, "GET /nowhere").contains("Content-Type: text/html"));
        // As Google's front end: a POST says how long it is.
        assert!(ask(&server, "POST /token").starts_with("HTTP/1.1 411 "));
        let log = server.log();
        let statuses: Vec<u16> = log.iter().map(|logged| logged.status).collect();
        assert_eq!(statuses, [0, 401, 404, 411]);
        assert_eq!(log[0].parameter("a"), Some("b c"));
        assert_eq!(log[0].header("connection"), Some("close"));
    }

    #[test]
    fn it_stops_while_somebody_is_connected() {
        let server = Server::start(Options::default()).unwrap();
        let mut idle = TcpStream::connect(server.address).unwrap();
        idle.set_read_timeout(Some(Duration::from_secs(2))).unwrap();
        let began = Instant::now();
        drop(server);
        assert!(began.elapsed() < Duration::from_secs(2));
        // The connection is closed: its end or a reset, no waiting.
        if let Err(wrong) = idle.read(&mut [0; 1]) {
            assert_eq!(wrong.kind(), std::io::ErrorKind::ConnectionReset);
        }
    }
}
