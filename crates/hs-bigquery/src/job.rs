//! The job that runs, never billed more than its cap, and never twice.
//!
//! Its id is made here, so that a request whose answer was lost can be sent again: the service takes an id once.

use std::time::{Duration, Instant};

use gcp_bigquery_client::model::job::Job as Request;
use gcp_bigquery_client::model::job_configuration::JobConfiguration;
use gcp_bigquery_client::model::job_configuration_query::JobConfigurationQuery;
use gcp_bigquery_client::model::job_reference::JobReference;
use hs_core::{Error, ErrorKind};
use reqwest::Method;

use crate::cap::Cap;
use crate::estimate::{Estimate, content, over_cap};
use crate::refusal::Refusal;
use crate::rows::{Page, Rows};
use crate::transport::{Call, PATIENCE, Refused, Service, until_stopped};
use crate::wire::Job;

/// How long the service waits for the end of a job before it says that there is none yet.
const WAIT: Duration = Duration::from_secs(10);
/// How long the result of a job that may have failed is asked for, before its state is.
const BETWEEN: Duration = Duration::from_secs(3);
/// How long the bill of a job that is done is asked for.
const BILL: Duration = Duration::from_secs(10);
/// How long a job that was accepted may not be found.
const UNSEEN: Duration = Duration::from_secs(20);
/// How long Ctrl-C waits for the service to take the cancellation.
const CANCEL: Duration = Duration::from_secs(8);

/// A job of this process.
pub struct Running<'a> {
    service: &'a Service<'a>,
    sql: &'a str,
    cap: Cap,
    location: Option<String>,
    /// Whether it only reads.
    pub selects: bool,
    /// Its id, which nobody else has.
    pub id: String,
}

/// Why a job gave no result.
pub enum Unfinished {
    /// The service failed, not the query; another job may do better.
    Again(Error),
    /// Anything else.
    Failed(Error),
}

impl Unfinished {
    /// The same of a query that is done.
    fn after_the_bill(self) -> Self {
        match self {
            Self::Failed(error) if error.kind() == ErrorKind::Service => Self::Failed(error.hint(
                "the query ran and is billed; the same again is free for a day, from the cache",
            )),
            other => other,
        }
    }
}

impl From<Error> for Unfinished {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl<'a> Running<'a> {
    /// A job for a query, where its dry run was.
    pub fn new(service: &'a Service<'a>, sql: &'a str, cap: Cap, estimate: &Estimate) -> Self {
        Self {
            service,
            sql,
            cap,
            location: estimate.location.clone(),
            selects: estimate.selects(),
            id: format!("hs_{}", uuid::Uuid::new_v4()),
        }
    }

    /// Starts it. A request that may have arrived is sent again with the same id, which is then taken already.
    ///
    /// # Errors
    /// What the service has against it.
    pub async fn start(&self) -> Result<(), Unfinished> {
        let call = Call {
            method: Method::POST,
            content: Some(content(&self.request())?),
            ..Call::get(&["jobs"])
        };
        let job = match self.service.ask(&call).await {
            Err(Refused::Refusal(refusal)) if refusal.status == 409 => self.seen().await?,
            job => job.map(Job).map_err(|refused| self.refused(refused))?,
        };
        self.failed(&job)
    }

    fn request(&self) -> Request {
        let labels = [("tool".to_owned(), "hs".to_owned())];
        Request {
            job_reference: Some(JobReference {
                project_id: Some(self.service.project.clone()),
                job_id: Some(self.id.clone()),
                location: self.location.clone(),
            }),
            configuration: Some(JobConfiguration {
                labels: Some(labels.into_iter().collect()),
                query: Some(JobConfigurationQuery {
                    query: self.sql.to_owned(),
                    use_legacy_sql: Some(false),
                    maximum_bytes_billed: Some(self.cap.bytes().to_string()),
                    ..JobConfigurationQuery::default()
                }),
                ..JobConfiguration::default()
            }),
            ..Request::default()
        }
    }

    /// Waits for its end, then brings all pages of its result.
    ///
    /// # Errors
    /// What the service has against it, and what in a page cannot be read.
    pub async fn rows(&self) -> Result<(Rows, Page), Unfinished> {
        let started = Instant::now();
        let control = self.service.control();
        control.wait("running", started);
        let mut rows = Rows::new();
        let mut last = loop {
            match self.page(&mut rows, None).await {
                Ok(page) if page.complete => break page,
                Ok(_) => {}
                // Of a job that failed for reasons of the service, its result may be answered in the same way.
                Err(Unfinished::Failed(error))
                    if error.kind() == ErrorKind::Service && started.elapsed() < PATIENCE => {}
                Err(unfinished) => return Err(unfinished),
            }
            let job = self.told().await?;
            self.failed(&job)?;
            let doing = match job.state() {
                Some("PENDING") => "waiting for its turn",
                _ => "running",
            };
            control.wait(doing, started);
        };
        control.start("fetching rows", 0);
        while let Some(token) = last.token.take() {
            let page = self.page(&mut rows, Some(token.clone())).await;
            let page = page.map_err(Unfinished::after_the_bill)?;
            if page.token.as_ref() == Some(&token) || !page.complete {
                let message = "expected the next page of the result, found the same one again";
                return Err(Error::new(ErrorKind::Service, message).into());
            }
            last = page;
        }
        if let Some(total) = last.total_rows
            && self.selects
            && total != rows.height() as u64
        {
            let message = format!(
                "expected {total} rows, found {} on all pages",
                rows.height()
            );
            return Err(Error::new(ErrorKind::Service, message)
                .hint("ask again")
                .into());
        }
        Ok((rows, last))
    }

    async fn page(&self, rows: &mut Rows, token: Option<String>) -> Result<Page, Unfinished> {
        let path = ["queries", &self.id];
        let call = Call {
            query: vec![
                ("location", self.location.clone()),
                ("timeoutMs", Some(WAIT.as_millis().to_string())),
                ("formatOptions.useInt64Timestamp", Some("true".to_owned())),
                ("pageToken", token),
            ],
            wait: WAIT,
            patience: if rows.has_columns() {
                PATIENCE
            } else {
                BETWEEN
            },
            ..Call::get(&path)
        };
        let body = self.service.call(&call).await;
        let body = body.map_err(|refused| self.refused(refused))?;
        self.service.control().advance(body.len() as u64);
        Ok(rows.page(&body, self.service.control())?)
    }

    /// What the service tells of it: where it is, what it cost.
    async fn told(&self) -> Result<Job, Unfinished> {
        let job = self.look(PATIENCE).await;
        job.map(Job).map_err(|refused| self.refused(refused))
    }

    /// The same of one that is done, for which nobody waits long.
    ///
    /// # Errors
    /// When the service does not tell.
    pub async fn bill(&self) -> Result<Job, Unfinished> {
        let job = self.look(BILL).await;
        job.map(Job).map_err(|refused| self.refused(refused))
    }

    /// The same of a job that was accepted a moment ago, and may not be found yet.
    async fn seen(&self) -> Result<Job, Unfinished> {
        let started = Instant::now();
        loop {
            match self.look(PATIENCE).await {
                Err(Refused::Refusal(refusal))
                    if refusal.status == 404 && started.elapsed() < UNSEEN =>
                {
                    let pause = tokio::time::sleep(Duration::from_millis(500));
                    until_stopped(self.service.control(), pause).await?;
                }
                job => return job.map(Job).map_err(|refused| self.refused(refused)),
            }
        }
    }

    async fn look(&self, patience: Duration) -> Result<serde_json::Value, Refused> {
        let path = ["jobs", &self.id];
        let query = vec![("location", self.location.clone())];
        self.service
            .ask(&Call {
                query,
                patience,
                ..Call::get(&path)
            })
            .await
    }

    /// Asks the service to stop it, after the caller has said stop; whether it was heard. Without an answer the job
    /// ends by itself, and is billed at most the cap.
    pub async fn cancel(&self) -> bool {
        self.service.go_on_after_stop();
        let path = ["jobs", &self.id, "cancel"];
        let call = || Call {
            method: Method::POST,
            query: vec![("location", self.location.clone())],
            ..Call::get(&path)
        };
        let asked = async {
            loop {
                match self.service.call(&call()).await {
                    Ok(_) => return true,
                    // It may not be found yet, if its start was just on the way.
                    Err(Refused::Refusal(refusal)) if refusal.status == 404 => {
                        tokio::time::sleep(Duration::from_millis(300)).await;
                    }
                    Err(_) => return false,
                }
            }
        };
        tokio::time::timeout(CANCEL, asked).await.unwrap_or(false)
    }

    fn failed(&self, job: &Job) -> Result<(), Unfinished> {
        match Refusal::of_job(&job.0) {
            Some(refusal) => Err(self.refused(Refused::Refusal(refusal))),
            None => Ok(()),
        }
    }

    fn refused(&self, refused: Refused) -> Unfinished {
        let refusal = match refused {
            Refused::Failed(error) => return Unfinished::Failed(error),
            Refused::Refusal(refusal) => refusal,
        };
        if refusal.is_over_cap() {
            let required = refusal
                .required()
                .unwrap_or_else(|| self.cap.bytes().saturating_add(1));
            return Unfinished::Failed(over_cap(
                refusal.message.trim_end_matches('.'),
                required,
                self.cap,
            ));
        }
        let error = refusal.error(&self.service.host(), Some(self.sql));
        if refusal.is_of_job_alone() {
            return Unfinished::Again(error);
        }
        Unfinished::Failed(error)
    }
}
