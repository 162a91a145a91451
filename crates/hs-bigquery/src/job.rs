//! The job that runs, never billed more than its cap, and never twice.
//!
//! Its id is made here, so that a request whose answer was lost can be sent again: the service takes an id once. Whether
//! it failed is believed only of the job itself, never of an answer to something else.

use std::cell::RefCell;
use std::time::{Duration, Instant};

use gcp_bigquery_client::model::job::Job as Request;
use gcp_bigquery_client::model::job_configuration::JobConfiguration;
use gcp_bigquery_client::model::job_configuration_query::JobConfigurationQuery;
use gcp_bigquery_client::model::job_reference::JobReference;
use hs_core::Error;
use reqwest::Method;

use crate::cap::Cap;
use crate::estimate::{Estimate, content, over_cap};
use crate::refusal::Refusal;
use crate::transport::{Call, PATIENCE, Refused, Service, until_stopped};
use crate::unfinished::Unfinished;
use crate::wire::Job;

/// How long the bill of a job that is done is asked for.
const BILL: Duration = Duration::from_secs(5);
/// How long a job that was accepted may not be found.
const UNSEEN: Duration = Duration::from_secs(20);
/// How long Ctrl-C waits for the service to take the cancellation.
const CANCEL: Duration = Duration::from_secs(8);
/// How long a job that is to be cancelled may not be found.
const UNSEEN_TO_CANCEL: Duration = Duration::from_secs(2);

/// A job of this process.
pub struct Running<'a> {
    /// Where it runs.
    pub service: &'a Service<'a>,
    sql: &'a str,
    cap: Cap,
    location: RefCell<Option<String>>,
    /// Whether it only reads.
    pub selects: bool,
    /// Its id, which nobody else has.
    pub id: String,
}

impl<'a> Running<'a> {
    /// A job for a query, where its dry run was.
    pub fn new(service: &'a Service<'a>, sql: &'a str, cap: Cap, estimate: &Estimate) -> Self {
        Self {
            service,
            sql,
            cap,
            location: RefCell::new(estimate.location.clone()),
            selects: estimate.selects(),
            id: format!("hs_{}", uuid::Uuid::new_v4()),
        }
    }

    /// Where it runs, which every request for it names.
    pub fn location(&self) -> Option<String> {
        self.location.borrow().clone()
    }

    /// Starts it. A request that may have arrived is sent again with the same id, which is then taken already.
    ///
    /// # Errors
    /// What the service has against it.
    pub async fn start(&self) -> Result<(), Unfinished> {
        let call = Call {
            method: Method::POST,
            content: Some(content(&self.request()).map_err(Unfinished::Refused)?),
            passing: |refusal| refusal.is_passing() || refusal.is_of_job_alone(),
            ..Call::get(&["jobs"])
        };
        let refusal = match self.service.ask(&call).await {
            Ok(job) => {
                let job = Job(job);
                // Where the dry run did not say it, the job does.
                if self.location().is_none() {
                    *self.location.borrow_mut() = job.location().map(str::to_owned);
                }
                return self.verdict(&job);
            }
            Err(Refused::Failed(error)) => return Err(Unfinished::Unknown(error)),
            Err(Refused::Refusal(refusal)) => refusal,
        };
        // The id is taken, or an earlier try may have arrived: then there is a job.
        if refusal.status == 409 || refusal.resent {
            match self.seen(UNSEEN).await {
                Ok(job) => return self.verdict(&job),
                Err(Refused::Refusal(none)) if none.status == 404 => {}
                Err(refused) => return Err(Unfinished::Unknown(self.error(refused))),
            }
        }
        Err(Unfinished::Refused(self.error(Refused::Refusal(refusal))))
    }

    fn request(&self) -> Request {
        let labels = [("tool".to_owned(), "hs".to_owned())];
        Request {
            job_reference: Some(JobReference {
                project_id: Some(self.service.project.clone()),
                job_id: Some(self.id.clone()),
                location: self.location(),
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

    /// What the service tells of it.
    ///
    /// # Errors
    /// When it does not tell.
    pub async fn told(&self) -> Result<Job, Unfinished> {
        let job = self.seen(UNSEEN).await;
        job.map_err(|refused| Unfinished::Unknown(self.error(refused)))
    }

    /// The same of one that is done, for which nobody waits long.
    ///
    /// # Errors
    /// When it does not tell.
    pub async fn bill(&self) -> Result<Job, Error> {
        let job = self.look(BILL).await;
        job.map(Job).map_err(|refused| self.error(refused))
    }

    /// The same; just after its start it may not be found.
    async fn seen(&self, unseen: Duration) -> Result<Job, Refused> {
        let started = Instant::now();
        let unseen = unseen.min(self.service.patience());
        loop {
            match self.look(PATIENCE).await {
                Err(Refused::Refusal(refusal))
                    if refusal.status == 404 && started.elapsed() < unseen =>
                {
                    let pause = tokio::time::sleep(Duration::from_millis(500));
                    until_stopped(self.service.control(), pause).await?;
                }
                job => return job.map(Job),
            }
        }
    }

    async fn look(&self, patience: Duration) -> Result<serde_json::Value, Refused> {
        let path = ["jobs", &self.id];
        let query = vec![("location", self.location())];
        let call = Call {
            query,
            patience,
            ..Call::get(&path)
        };
        self.service.ask(&call).await
    }

    /// Asks the service to stop it, after the caller has said stop; whether it was heard. Without an answer the job
    /// ends by itself, and is billed at most the cap.
    pub async fn cancel(&self) -> bool {
        self.service.go_on_after_stop();
        let path = ["jobs", &self.id, "cancel"];
        let call = || Call {
            method: Method::POST,
            query: vec![("location", self.location())],
            ..Call::get(&path)
        };
        let started = Instant::now();
        let asked = async {
            loop {
                match self.service.call(&call()).await {
                    Ok(_) => return true,
                    // It may not be found yet, if its start was just on the way.
                    Err(Refused::Refusal(refusal))
                        if refusal.status == 404 && started.elapsed() < UNSEEN_TO_CANCEL =>
                    {
                        tokio::time::sleep(Duration::from_millis(300)).await;
                    }
                    Err(_) => return false,
                }
            }
        };
        tokio::time::timeout(CANCEL, asked).await.unwrap_or(false)
    }

    /// Whether the job says that it failed.
    ///
    /// # Errors
    /// Its failure.
    pub fn verdict(&self, job: &Job) -> Result<(), Unfinished> {
        let Some(refusal) = Refusal::of_job(&job.0) else {
            return Ok(());
        };
        let again = refusal.is_of_job_alone();
        let error = self.error(Refused::Refusal(refusal));
        Err(if again {
            Unfinished::Again(error)
        } else {
            Unfinished::Refused(error)
        })
    }

    /// What the service has against it, as an error.
    pub fn error(&self, refused: Refused) -> Error {
        match refused {
            Refused::Failed(error) => error,
            Refused::Refusal(refusal) if refusal.is_over_cap() => {
                let required = refusal.required();
                let required = required.unwrap_or_else(|| self.cap.bytes().saturating_add(1));
                over_cap(refusal.message.trim_end_matches('.'), required, self.cap)
            }
            Refused::Refusal(refusal) => refusal.error(&self.service.host(), Some(self.sql)),
        }
    }
}
