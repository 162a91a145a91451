//! The result of a job: its end is waited for, then all pages are brought.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use hs_core::{Error, ErrorKind};

use crate::job::Running;
use crate::refusal::Refusal;
use crate::rows::{Page, Rows};
use crate::transport::{Call, PATIENCE, Refused, until_stopped};
use crate::unfinished::Unfinished;

/// How long the service waits for the end of a job before it says that there is none yet.
const WAIT: Duration = Duration::from_secs(10);
/// How long a result is asked for that the service does not give, before the state of its job is.
const BETWEEN: Duration = Duration::from_secs(3);
/// How long a result is asked for that is refused for good: a job that was just accepted may not be found yet.
const SETTLED: Duration = Duration::from_secs(20);
/// An answer that came faster than this was not waited for; the next request comes a little later.
const FAST: Duration = Duration::from_millis(200);
/// The first pause after such an answer, and the longest.
const PAUSES: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(2));

/// Why a page was not read.
enum Missed {
    /// It did not come.
    Answer(Refused),
    /// It came, and holds something that cannot be.
    Content(Error),
}

impl Running<'_> {
    /// Waits for its end, then brings all pages of its result.
    ///
    /// # Errors
    /// What the service has against it, and what in a page cannot be read.
    pub async fn rows(&self) -> Result<(Rows, Page), Unfinished> {
        let mut rows = Rows::new();
        let mut last = self.first_page(&mut rows).await?;
        self.service.control().start("fetching rows", 0);
        let mut tokens = HashSet::new();
        while let Some(token) = last.token.take().filter(|token| !token.is_empty()) {
            if !tokens.insert(token.clone()) {
                let message =
                    "expected the next page of the result, found one that was there already";
                return Err(Unfinished::Billed(Error::new(ErrorKind::Service, message)));
            }
            last = match self.page(&mut rows, Some(token)).await {
                Ok(page) => page,
                Err(Missed::Content(error)) => return Err(Unfinished::Billed(error)),
                Err(Missed::Answer(refused)) => {
                    return Err(Unfinished::Billed(self.error(refused)));
                }
            };
        }
        if let Some(total) = last.total_rows
            && self.selects
            && total != rows.height() as u64
        {
            let message = format!(
                "expected {total} rows, found {} on all pages",
                rows.height()
            );
            return Err(Unfinished::Billed(Error::new(ErrorKind::Service, message)));
        }
        Ok((rows, last))
    }

    /// The first page, when there is one. What the service answers meanwhile is not believed without a look at the job:
    /// of one that failed, the result is refused in many ways.
    async fn first_page(&self, rows: &mut Rows) -> Result<Page, Unfinished> {
        let started = Instant::now();
        let control = self.service.control();
        control.wait("running", started);
        let patience = self.service.patience();
        let mut without_answer: Option<Instant> = None;
        let mut pause = PAUSES.0;
        loop {
            let asked = Instant::now();
            let mut limit = patience;
            let missed = match self.page(rows, None).await {
                Ok(page) if page.complete => return Ok(page),
                Ok(_) => None,
                Err(Missed::Content(error)) => return Err(Unfinished::Billed(error)),
                Err(Missed::Answer(refused)) => {
                    if matches!(&refused, Refused::Refusal(refusal) if !refusal.is_passing()) {
                        limit = limit.min(SETTLED);
                    }
                    let error = self.error(refused);
                    if error.kind() == ErrorKind::Interrupted {
                        return Err(Unfinished::Unknown(error));
                    }
                    Some(error)
                }
            };
            let job = self.told().await?;
            self.verdict(&job)?;
            let done = job.state() == Some("DONE");
            control.wait(
                match job.state() {
                    Some("PENDING") => "waiting for its turn",
                    _ => "running",
                },
                started,
            );
            if missed.is_none() && !done {
                without_answer = None;
            } else if without_answer.get_or_insert(asked).elapsed() >= limit {
                let error = missed.unwrap_or_else(|| {
                    Error::new(
                        ErrorKind::Service,
                        "the query is done, and BigQuery does not give its result",
                    )
                });
                return Err(if done {
                    Unfinished::Billed(error)
                } else {
                    Unfinished::Unknown(error)
                });
            }
            if asked.elapsed() < FAST {
                let slept = until_stopped(control, tokio::time::sleep(pause)).await;
                slept.map_err(Unfinished::Unknown)?;
                pause = (pause * 2).min(PAUSES.1);
            }
        }
    }

    async fn page(&self, rows: &mut Rows, token: Option<String>) -> Result<Page, Missed> {
        let path = ["queries", &self.id];
        let call = Call {
            query: vec![
                ("location", self.location()),
                ("timeoutMs", Some(WAIT.as_millis().to_string())),
                ("formatOptions.useInt64Timestamp", Some("true".to_owned())),
                ("pageToken", token.clone()),
            ],
            wait: WAIT,
            patience: if token.is_some() { PATIENCE } else { BETWEEN },
            ..Call::get(&path)
        };
        let body = self.service.call(&call).await.map_err(Missed::Answer)?;
        if body.trim_ascii_start().first() != Some(&b'{') {
            let said = Refusal::of_reply(200, &body).message;
            let message = format!(
                "{} answers with what is no JSON: {said}",
                self.service.host()
            );
            let error = Error::new(ErrorKind::Service, message);
            return Err(Missed::Answer(Refused::Failed(error)));
        }
        self.service.control().advance(body.len() as u64);
        rows.page(&body, self.service.control())
            .map_err(Missed::Content)
    }
}
