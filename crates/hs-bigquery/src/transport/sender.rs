//! Sends a request until there is an answer: what fails for the moment is sent again, ever less often, until a deadline.

use std::cell::Cell;
use std::error::Error as _;
use std::future::Future;
use std::pin::pin;
use std::task::Poll;
use std::time::{Duration, Instant};

use hs_core::{Control, Error, ErrorKind};

use super::client::Clients;
use super::message::{Message, NOTHING_RUNS};
use crate::refusal::Refusal;

/// The first pause; each one after it is twice as long.
const FIRST: Duration = Duration::from_secs(1);
/// The longest pause.
const LONGEST: Duration = Duration::from_mins(1);
/// How long a program on this machine is waited for.
const HERE: Duration = Duration::from_secs(3);
/// How often it is looked whether the caller wants to stop.
const LOOK: Duration = Duration::from_millis(20);
/// A page has at most 10 MB; a reply far beyond that is none of the service.
const LARGEST: usize = 256 << 20;

/// Why a request has no good answer.
#[derive(Debug)]
pub enum Stop {
    /// It was answered with this status and body; whether it was sent before, without a good answer.
    Refused(u16, Vec<u8>, bool),
    /// It was not answered, or the caller stopped.
    Failed(Error),
}

/// What came of one try.
enum Tried {
    Answered(u16, Vec<u8>),
    /// Nobody answered; whether to try again, and what happened.
    Lost(bool, String),
}

/// Sends requests.
pub struct Sender<'a> {
    clients: Clients,
    control: &'a Control,
    /// Whether the caller has stopped and this is what is done afterwards.
    afterwards: Cell<bool>,
    deadline: Option<Duration>,
}

impl<'a> Sender<'a> {
    /// Sends until `control` says stop; `deadline` takes the place of every request's own patience.
    pub fn new(control: &'a Control, deadline: Option<Duration>) -> Self {
        Self {
            clients: Clients::default(),
            control,
            afterwards: Cell::new(false),
            deadline,
        }
    }

    /// What says when to stop.
    pub fn control(&self) -> &'a Control {
        self.control
    }

    /// How long to try: as the user says, but what is short on purpose stays so.
    pub fn patience(&self, otherwise: Duration) -> Duration {
        match self.deadline {
            Some(deadline) if otherwise >= NOTHING_RUNS => deadline,
            Some(deadline) => deadline.min(otherwise),
            None => otherwise,
        }
    }

    /// From now on nothing stops a request but its deadline.
    pub fn go_on_after_stop(&self) {
        self.afterwards.set(true);
    }

    async fn unless_stopped<T>(&self, work: impl Future<Output = T>) -> Result<T, Error> {
        if self.afterwards.get() {
            return Ok(work.await);
        }
        until_stopped(self.control, work).await
    }

    /// The body of the first good answer.
    ///
    /// # Errors
    /// [`Stop::Refused`] for an answer that will not change; [`Stop::Failed`] of the kind [`ErrorKind::Service`] when
    /// there is none until the deadline, [`ErrorKind::Interrupted`] when the caller stops.
    pub async fn persistently(&self, message: &Message) -> Result<Vec<u8>, Stop> {
        let mut patience = self.patience(message.patience);
        let started = Instant::now();
        let mut tries = 0;
        loop {
            let tried = self.unless_stopped(self.once(message)).await;
            let tried = tried.and_then(|tried| tried).map_err(Stop::Failed)?;
            tries += 1;
            let said = match tried {
                Tried::Answered(200..=299, body) => return Ok(body),
                Tried::Answered(status, body) => {
                    let refusal = Refusal::of_reply(status, &body);
                    if !(message.passing)(&refusal) {
                        return Err(Stop::Refused(status, body, tries > 1));
                    }
                    format!("answers {status}: {}", refusal.message)
                }
                Tried::Lost(true, said) => {
                    // A program on this machine that is not there does not come by itself.
                    if message.url.scheme() == "http" && said.starts_with("Connection refused") {
                        patience = patience.min(HERE);
                    }
                    format!("does not answer: {said}")
                }
                Tried::Lost(false, said) => {
                    return Err(Stop::Failed(unreachable(&message.host(), &said)));
                }
            };
            let pause = pause(tries);
            if started.elapsed() + pause > patience {
                return Err(Stop::Failed(given_up(
                    &message.host(),
                    &said,
                    tries,
                    started,
                )));
            }
            self.control.wait("no good answer, trying again", started);
            let slept = self.unless_stopped(tokio::time::sleep(pause)).await;
            slept.map_err(Stop::Failed)?;
        }
    }

    async fn once(&self, message: &Message) -> Result<Tried, Error> {
        let client = self.clients.of(&message.url)?;
        let answer = self.deadline.map_or(message.answer, |deadline| {
            message.answer.min(deadline.max(FIRST))
        });
        let request = message
            .request(client)
            .timeout(answer)
            .build()
            .map_err(|error| {
                // A header or body that is none; what it holds may be secret.
                let message = format!("a request to {} cannot be made", message.host());
                Error::new(ErrorKind::Credentials, message).because(error.without_url())
            })?;
        let mut response = match client.execute(request).await {
            Ok(response) => response,
            Err(error) => return Ok(lost(&error)),
        };
        let status = response.status().as_u16();
        let mut body = Vec::new();
        loop {
            match response.chunk().await {
                Ok(Some(chunk)) if body.len() + chunk.len() > LARGEST => {
                    let message =
                        format!("{} answers with more than {LARGEST} bytes", message.host());
                    return Err(Error::new(ErrorKind::Service, message));
                }
                Ok(Some(chunk)) => body.extend_from_slice(&chunk),
                Ok(None) => return Ok(Tried::Answered(status, body)),
                Err(error) => return Ok(lost(&error)),
            }
        }
    }
}

/// What an error of the client means.
fn lost(error: &reqwest::Error) -> Tried {
    if error.is_timeout() && !error.is_connect() {
        return Tried::Lost(true, "no answer in time".to_owned());
    }
    // The innermost cause says it best: "Connection refused".
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    let said = match error.source() {
        None => "the connection broke".to_owned(),
        Some(_) => cause.to_string(),
    };
    let lasting = said.to_lowercase().contains("certificate");
    Tried::Lost(!lasting, said)
}

fn unreachable(host: &str, said: &str) -> Error {
    let message = format!("no safe connection to {host}: {said}");
    let hint = "behind a proxy that opens https, name the file of its roots: export SSL_CERT_FILE=/path/to/roots.pem";
    Error::new(ErrorKind::Service, message).hint(hint)
}

fn given_up(host: &str, said: &str, tries: u32, started: Instant) -> Error {
    let seconds = started.elapsed().as_secs_f64();
    let noun = if tries == 1 { "try" } else { "tries" };
    let message = format!("{host} {said} ({tries} {noun} in {seconds:.1} s)");
    let hint = if said.starts_with("answers") {
        "the service is down or busy: try again later"
    } else {
        "is there a network? A proxy is named with HTTPS_PROXY"
    };
    Error::new(ErrorKind::Service, message).hint(hint)
}

/// How long to wait after so many tries: somewhere in the second half of what it could be, so that many clients that
/// failed together do not come back together.
pub fn pause(tries: u32) -> Duration {
    let whole = FIRST.saturating_mul(1 << (tries - 1).min(6)).min(LONGEST);
    let random = uuid::Uuid::new_v4().as_u128() as u32;
    whole / 2 + (whole / 2).mul_f64(f64::from(random) / f64::from(u32::MAX))
}

/// The outcome of `work`, unless the caller stops first.
///
/// # Errors
/// [`ErrorKind::Interrupted`].
pub async fn until_stopped<T>(
    control: &Control,
    work: impl Future<Output = T>,
) -> Result<T, Error> {
    let mut work = pin!(work);
    let mut look = tokio::time::interval(LOOK);
    std::future::poll_fn(|context| {
        if let Poll::Ready(done) = work.as_mut().poll(context) {
            return Poll::Ready(Ok(done));
        }
        while look.poll_tick(context).is_ready() {
            if let Err(stopped) = control.check() {
                return Poll::Ready(Err(stopped));
            }
        }
        Poll::Pending
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_and_differ() {
        for tries in 1..40 {
            let longest = f64::from(1u32 << (tries - 1).min(6)).min(60.0);
            let pause = pause(tries).as_secs_f64();
            assert!(
                pause >= longest / 2.0 && pause <= longest,
                "{tries}: {pause}"
            );
        }
        let pauses: Vec<Duration> = (0..8).map(|_| pause(3)).collect();
        assert!(pauses.iter().any(|other| *other != pauses[0]));
    }
}
