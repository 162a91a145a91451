//! The dry run: what a query would read, as the service estimates it, and what follows from it. Nothing runs.

use gcp_bigquery_client::model::job::Job as Request;
use gcp_bigquery_client::model::job_configuration::JobConfiguration;
use gcp_bigquery_client::model::job_configuration_query::JobConfigurationQuery;
use hs_core::error::quoted;
use hs_core::{Error, ErrorKind, Fix};
use reqwest::Method;

use crate::bytes;
use crate::cap::Cap;
use crate::refusal::{Refusal, plain};
use crate::transport::{Call, NOTHING_RUNS, Refused, Service};
use crate::wire::Job;

/// How the bytes that are billed stand to the estimate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accuracy {
    /// They are the same.
    Precise,
    /// They are at most the estimate, as for clustered tables.
    AtMost,
    /// They are at least the estimate, as for external data and scripts.
    AtLeast,
    /// Nobody knows.
    Unknown,
}

impl Accuracy {
    /// The word in machine-readable output.
    pub fn word(self) -> &'static str {
        match self {
            Self::Precise => "precise",
            Self::AtMost => "at most",
            Self::AtLeast => "at least",
            Self::Unknown => "unknown",
        }
    }

    fn of(word: Option<&str>) -> Self {
        match word {
            Some("PRECISE") => Self::Precise,
            Some("UPPER_BOUND") => Self::AtMost,
            Some("LOWER_BOUND") => Self::AtLeast,
            _ => Self::Unknown,
        }
    }
}

/// What a query costs in US dollars for each TiB that is billed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Price(f64);

impl Price {
    /// From a number of dollars above 0.
    ///
    /// # Errors
    /// [`ErrorKind::Argument`] for anything else.
    pub fn new(dollars: f64) -> Result<Self, Error> {
        if dollars > 0.0 && dollars < 1e9 {
            return Ok(Self(dollars));
        }
        let message = format!("price: expected US dollars for a TiB, above 0, found {dollars}");
        let hint = "the list price is about 6.25";
        Err(Error::new(ErrorKind::Argument, message).hint(hint))
    }

    /// What so many bytes cost, in US dollars.
    pub fn of(self, bytes: u64) -> f64 {
        bytes as f64 / (1u64 << 40) as f64 * self.0
    }
}

/// What the dry run says of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Estimate {
    /// The kind of statement in the service's word, such as `SELECT`.
    pub statement: String,
    /// Bytes that are read.
    pub bytes: u64,
    /// How those stand to what is read in the end.
    pub accuracy: Accuracy,
    /// The tables that are read, as `project.dataset.table`.
    pub tables: Vec<String>,
    /// Where it would run.
    pub location: Option<String>,
    /// Whether a column of its result holds bytes.
    pub has_bytes: bool,
}

/// The word for a statement that the service does not name.
const UNNAMED: &str = "STATEMENT";
/// Tables that are named.
const NAMED: usize = 5;

impl Estimate {
    /// Asks the service. The kind of statement, the accuracy and the location stand only in a job, so that is
    /// what is asked for; the cache is left out, since what is in it may be gone when the query runs.
    ///
    /// # Errors
    /// What the service has against the query.
    pub async fn ask(service: &Service<'_>, sql: &str) -> Result<Self, Error> {
        let request = Request {
            configuration: Some(JobConfiguration {
                dry_run: Some(true),
                query: Some(JobConfigurationQuery {
                    query: sql.to_owned(),
                    use_legacy_sql: Some(false),
                    use_query_cache: Some(false),
                    ..JobConfigurationQuery::default()
                }),
                ..JobConfiguration::default()
            }),
            ..Request::default()
        };
        let call = Call {
            method: Method::POST,
            content: Some(content(&request)?),
            patience: NOTHING_RUNS,
            ..Call::get(&["jobs"])
        };
        let refused = |refusal: &Refusal| refusal.error(&service.host(), Some(sql));
        let job = service.ask(&call).await.map_err(|no| match no {
            Refused::Refusal(refusal) => refused(&refusal),
            Refused::Failed(error) => error,
        })?;
        if let Some(refusal) = Refusal::of_job(&job) {
            return Err(refused(&refusal));
        }
        Self::of(&Job(job), &service.host())
    }

    fn of(job: &Job, host: &str) -> Result<Self, Error> {
        if job.0.get("statistics").is_none() {
            let message =
                format!("expected an estimate from {host}, found a reply without statistics");
            return Err(Error::new(ErrorKind::Service, message));
        }
        let statement = plain(job.statement().unwrap_or(UNNAMED)).to_uppercase();
        let processed = job.processed();
        let mut accuracy = Accuracy::of(job.accuracy());
        if processed.is_none() {
            accuracy = Accuracy::Unknown;
        } else if statement == "SCRIPT" {
            // The dry run of a script stops at the first statement that depends on another.
            accuracy = Accuracy::AtLeast;
        } else if job.accuracy().is_none() && processed == Some(0) {
            accuracy = Accuracy::Precise;
        }
        Ok(Self {
            statement,
            bytes: processed.unwrap_or(0),
            accuracy,
            tables: job.tables().iter().map(|table| plain(table)).collect(),
            location: job.location().map(str::to_owned),
            has_bytes: job.has_bytes(),
        })
    }

    /// Whether the statement only reads, so that it may be tried again as another job.
    pub fn selects(&self) -> bool {
        self.statement == "SELECT"
    }

    /// Why this kind of statement cannot be held to a cap; `None` when it can.
    ///
    /// A script runs several jobs, and no document of the service says that a cap binds their sum.
    pub fn uncappable(&self) -> Option<Error> {
        let what = match self.statement.as_str() {
            "SCRIPT" => "a script",
            "CALL" => "a procedure",
            UNNAMED => "a statement of a kind that BigQuery does not name",
            _ => return None,
        };
        let message = format!(
            "{what} cannot be capped: the statements in it are billed one by one; nothing was run"
        );
        let hint = "run its statements one at a time, each with a cap";
        Some(Error::new(ErrorKind::Argument, message).hint(hint))
    }

    /// The error for a cap below the least that is billed by this estimate; `None` when it may do.
    ///
    /// The service rounds up for each table, which the estimate does not tell, so that it may still refuse.
    pub fn beyond(&self, cap: Cap) -> Option<Error> {
        let required = bytes::least_bill(self.bytes);
        if required <= cap.bytes() {
            return None;
        }
        let cause = if required == bytes::LEAST {
            format!("BigQuery bills at least 10 MiB ({} bytes)", bytes::LEAST)
        } else {
            let most = if self.accuracy == Accuracy::AtMost {
                "up to"
            } else {
                "at least"
            };
            format!("the query needs {most} {}", bytes::told(required))
        };
        let cause = format!("{cause}, cap {}", bytes::told(cap.bytes()));
        Some(over_cap(&cause, required, cap))
    }

    /// A cap that leaves room above what it needs by what is known: each table is rounded up.
    pub fn roomy_cap(&self) -> String {
        let tables = bytes::LEAST.saturating_mul(self.tables.len() as u64);
        bytes::roomy(bytes::least_bill(self.bytes).max(tables))
    }

    /// Whether the bill may be above the estimate by more than rounding.
    pub fn is_open(&self) -> bool {
        matches!(self.accuracy, Accuracy::AtLeast | Accuracy::Unknown)
    }

    /// The lines that tell it.
    pub fn lines(&self, price: Option<Price>) -> Vec<String> {
        let mut lines = vec![self.line()];
        let location = self.location.as_deref();
        let place = location
            .map(|location| format!(" in {location}"))
            .unwrap_or_default();
        if self.tables.is_empty() {
            lines.push(format!("reads no table{place}"));
        } else {
            let mut named = self
                .tables
                .iter()
                .take(NAMED)
                .cloned()
                .collect::<Vec<String>>()
                .join(", ");
            let more = self.tables.len().saturating_sub(NAMED);
            if more > 0 {
                named.push_str(&format!(" and {more} more"));
            }
            lines.push(format!("reads {named}{place}"));
        }
        lines.extend(price.map(|price| self.cost(price)));
        lines
    }

    fn line(&self) -> String {
        let amount = bytes::told(self.bytes);
        let statement = &self.statement;
        match self.accuracy {
            Accuracy::Precise => format!("{statement}  {amount}"),
            Accuracy::AtMost => format!("{statement}  at most {amount}"),
            Accuracy::AtLeast if self.bytes == 0 && statement != "SCRIPT" => {
                format!("{statement}  at least {amount} (external data is not estimated)")
            }
            Accuracy::AtLeast => format!("{statement}  at least {amount}"),
            Accuracy::Unknown => format!("{statement}  {amount}, accuracy unknown"),
        }
    }

    fn cost(&self, price: Price) -> String {
        let dollars = self.dollars(price);
        let amount = if dollars > 0.0 && dollars < 0.01 {
            "less than 0.01 USD".to_owned()
        } else {
            format!("{dollars:.2} USD")
        };
        let lead = match self.accuracy {
            Accuracy::Precise => "",
            Accuracy::AtMost => "at most ",
            Accuracy::AtLeast => "at least ",
            Accuracy::Unknown => "perhaps ",
        };
        format!("costs {lead}{amount} at {} USD for a TiB", price.0)
    }

    /// The same as a number.
    pub fn dollars(&self, price: Price) -> f64 {
        price.of(bytes::least_bill(self.bytes))
    }
}

/// The error for a cap that does not do; nothing was billed.
pub fn over_cap(cause: &str, required: u64, cap: Cap) -> Error {
    let roomy = bytes::roomy(required);
    let message = format!("{cause}; nothing was billed");
    Error::new(ErrorKind::Cap, message)
        .hint(format!("cap={} leaves some room", quoted(&roomy)))
        .fix(Fix::text("cap", roomy))
        .figure("required", required)
        .figure("cap", cap.bytes())
}

/// A request as JSON.
///
/// # Errors
/// [`ErrorKind::Internal`]; models of requests are all texts, numbers and lists.
pub fn content(request: &Request) -> Result<serde_json::Value, Error> {
    serde_json::to_value(request)
        .map_err(|error| Error::new(ErrorKind::Internal, "a request is no JSON").because(error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn estimate(statement: &str, bytes: u64, accuracy: &str) -> Estimate {
        let job = json!({"jobReference": {"location": "US"}, "statistics": {"query": {
            "statementType": statement, "totalBytesProcessed": bytes.to_string(), "totalBytesProcessedAccuracy": accuracy}}});
        Estimate::of(&Job(job), "h").expect("an estimate")
    }

    #[test]
    fn the_line_says_how_exact_it_is() {
        let line = |statement, bytes, accuracy| estimate(statement, bytes, accuracy).line();
        assert_eq!(
            line("SELECT", 65_935_918, "PRECISE"),
            "SELECT  65935918 bytes (62.9 MiB)"
        );
        assert_eq!(
            line("SELECT", 53_687_091_200, "UPPER_BOUND"),
            "SELECT  at most 53687091200 bytes (50.0 GiB)"
        );
        assert_eq!(
            line("SELECT", 0, "LOWER_BOUND"),
            "SELECT  at least 0 bytes (external data is not estimated)"
        );
        assert_eq!(line("SCRIPT", 0, "PRECISE"), "SCRIPT  at least 0 bytes");
        assert_eq!(
            line("SELECT", 12, "LATER_WORD"),
            "SELECT  12 bytes, accuracy unknown"
        );
    }

    #[test]
    fn a_reply_without_figures_is_no_estimate_of_nothing() {
        let job = Job(json!({"statistics": {"query": {}}}));
        let bare = Estimate::of(&job, "h").expect("statistics are there");
        assert_eq!((bare.accuracy, bare.bytes), (Accuracy::Unknown, 0));
        assert!(bare.uncappable().is_some());
        assert!(Estimate::of(&Job(json!({})), "h").is_err());
    }

    #[test]
    fn a_cap_must_hold_the_least_bill() {
        let cap = |text| Cap::parse(text).expect("a cap");
        assert!(estimate("SELECT", 0, "PRECISE").beyond(cap("1")).is_none());
        assert!(
            estimate("SELECT", 12, "PRECISE")
                .beyond(cap("10 MiB"))
                .is_none()
        );
        let tiny = estimate("SELECT", 12, "PRECISE")
            .beyond(cap("10 MB"))
            .expect("too small");
        assert!(
            tiny.message()
                .starts_with("BigQuery bills at least 10 MiB (10485760 bytes), cap 10000000 bytes")
        );
        let error = estimate("SELECT", 163_595_928, "PRECISE")
            .beyond(cap("163595928"))
            .expect("too small");
        assert_eq!(
            error.figures(),
            [("required", 164_626_432), ("cap", 163_595_928)]
        );
        assert_eq!(error.kind(), ErrorKind::Cap);
    }

    #[test]
    fn prices_are_told_as_exactly_as_the_estimate() {
        let price = Price::new(6.25).ok();
        let cost = |bytes, accuracy| {
            estimate("SELECT", bytes, accuracy)
                .lines(price)
                .pop()
                .unwrap_or_default()
        };
        assert_eq!(
            cost(1 << 40, "PRECISE"),
            "costs 6.25 USD at 6.25 USD for a TiB"
        );
        assert_eq!(
            cost(1 << 40, "UPPER_BOUND"),
            "costs at most 6.25 USD at 6.25 USD for a TiB"
        );
        assert_eq!(
            cost(12, "PRECISE"),
            "costs less than 0.01 USD at 6.25 USD for a TiB"
        );
        assert_eq!(cost(0, "PRECISE"), "costs 0.00 USD at 6.25 USD for a TiB");
        assert!(
            Price::new(0.0).is_err() && Price::new(f64::NAN).is_err() && Price::new(-1.0).is_err()
        );
    }
}
