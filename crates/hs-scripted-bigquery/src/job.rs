//! What a job is, and how the service describes it: the resource of a real job, and that of a dry run. It decides
//! nothing: `jobs.rs` does.

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use crate::credentials::{EMAIL, PROJECT};
use crate::errors::Refused;
use crate::plan::Plan;
use crate::server::JobSeen;

/// A real job.
pub struct Job {
    pub id: String,
    pub sql: String,
    pub plan: Arc<Plan>,
    pub cap: Option<u64>,
    pub labels: Value,
    pub failure: Option<Refused>,
    pub cache_hit: bool,
    pub began: SystemTime,
    pub ends: Instant,
    pub run: Duration,
    /// So many `jobs.get` more do not find it.
    pub hidden: u32,
}

impl Job {
    pub fn left(&self) -> Duration {
        self.ends.saturating_duration_since(Instant::now())
    }

    pub fn is_done(&self) -> bool {
        self.left().is_zero()
    }

    pub fn processed(&self) -> u64 {
        if self.cache_hit || self.is_refused() {
            0
        } else {
            self.plan.processed
        }
    }

    /// Failures are free; a job that was cancelled is not.
    fn billed(&self) -> u64 {
        let free = self.cache_hit
            || self
                .failure
                .as_ref()
                .is_some_and(|failure| failure.reason != "stopped");
        if free { 0 } else { self.plan.billed }
    }

    fn is_refused(&self) -> bool {
        self.failure
            .as_ref()
            .is_some_and(|failure| failure.reason == "bytesBilledLimitExceeded")
    }

    pub fn reference(&self) -> Value {
        json!({"projectId": PROJECT, "jobId": self.id, "location": self.plan.location})
    }

    pub fn seen(&self) -> JobSeen {
        let done = self.is_done();
        JobSeen {
            id: self.id.clone(),
            sql: self.sql.clone(),
            location: self.plan.location.clone(),
            state: if done { "DONE" } else { "RUNNING" },
            statement: self.plan.statement,
            cap: self.cap,
            processed: if done { self.processed() } else { 0 },
            billed: if done { self.billed() } else { 0 },
            cache_hit: self.cache_hit,
            error: self
                .failure
                .as_ref()
                .filter(|_| done)
                .map(|failure| failure.reason.clone()),
            labels: self.labels.clone(),
        }
    }

    /// The job as the service describes it.
    pub fn resource(&self) -> Value {
        let mut query =
            json!({"query": self.sql, "priority": "INTERACTIVE", "useLegacySql": false});
        if self.plan.rows.is_some() {
            query["destinationTable"] = anonymous();
            query["writeDisposition"] = json!("WRITE_TRUNCATE");
        }
        if let Some(cap) = self.cap {
            query["maximumBytesBilled"] = json!(cap.to_string());
        }
        let mut configuration = json!({"query": query, "jobType": "QUERY"});
        if !self.labels.is_null() {
            configuration["labels"] = self.labels.clone();
        }
        let begun = milliseconds(self.began);
        let mut statistics =
            json!({"creationTime": begun.to_string(), "startTime": begun.to_string()});
        let mut status = json!({"state": if self.is_done() { "DONE" } else { "RUNNING" }});
        if self.is_done() {
            let ended = begun + self.run.as_millis().max(1);
            statistics["endTime"] = json!(ended.to_string());
            if let Some(failure) = &self.failure {
                status["errorResult"] = failure.in_job();
                status["errors"] = json!([failure.in_job()]);
            }
            if !self.is_refused() {
                statistics["totalBytesProcessed"] = json!(self.processed().to_string());
                statistics["totalSlotMs"] = json!("1");
                statistics["query"] = self.statistics();
            }
        }
        let id = format!("{PROJECT}:{}.{}", self.plan.location, self.id);
        json!({
            "kind": "bigquery#job", "etag": "e==", "id": id,
            "selfLink": format!("https://bigquery.googleapis.com/bigquery/v2/projects/{PROJECT}/jobs/{}?location={}", self.id, self.plan.location),
            "user_email": EMAIL, "principal_subject": format!("serviceAccount:{EMAIL}"),
            "configuration": configuration,
            "jobReference": self.reference(),
            "jobCreationReason": {"code": "REQUESTED"},
            "statistics": statistics,
            "status": status,
        })
    }

    fn statistics(&self) -> Value {
        let mut query = described(&self.plan);
        query["totalBytesProcessed"] = json!(self.processed().to_string());
        query["totalBytesBilled"] = json!(self.billed().to_string());
        query["billingTier"] = json!(1);
        query["cacheHit"] = json!(self.cache_hit);
        if let Some(affected) = self.plan.affected.filter(|_| self.failure.is_none()) {
            query["numDmlAffectedRows"] = json!(affected.to_string());
            let name = match self.plan.statement {
                "INSERT" => "insertedRowCount",
                "DELETE" => "deletedRowCount",
                _ => "updatedRowCount",
            };
            query["dmlStats"] = json!({name: affected.to_string()});
        }
        query
    }
}

fn milliseconds(time: SystemTime) -> u128 {
    time.duration_since(UNIX_EPOCH)
        .unwrap_or(Duration::ZERO)
        .as_millis()
}

/// The table that holds the result of a query.
fn anonymous() -> Value {
    json!({"projectId": PROJECT, "datasetId": "_anon", "tableId": "anon1"})
}

/// What a dry run and a job say of their statement alike.
fn described(plan: &Plan) -> Value {
    let mut query = json!({"statementType": plan.statement});
    if !plan.tables.is_empty() {
        query["referencedTables"] = plan.tables.iter().map(|table| table.reference()).collect();
    }
    if let Some((operation, target)) = &plan.ddl {
        query["ddlOperationPerformed"] = json!(operation);
        query["ddlTargetTable"] = target.clone();
    }
    query
}

/// `{"fields": [..]}`
pub fn schema(plan: &Plan) -> Value {
    let fields: Vec<Value> = plan
        .outputs
        .iter()
        .map(|output| output.column.schema(&output.name))
        .collect();
    json!({"fields": fields})
}

/// A dry run, as the service describes it: a job that is done and has no id.
pub fn dry_run(sql: &str, plan: &Plan) -> Value {
    let mut query = described(plan);
    query["totalBytesProcessed"] = json!(plan.estimate.to_string());
    query["totalBytesBilled"] = json!("0");
    query["cacheHit"] = json!(false);
    if let Some(accuracy) = plan.accuracy {
        query["totalBytesProcessedAccuracy"] = json!(accuracy);
    }
    let mut configured = json!({"query": sql, "priority": "INTERACTIVE", "useLegacySql": false});
    if plan.rows.is_some() {
        query["schema"] = schema(plan);
        configured["destinationTable"] = anonymous();
        configured["writeDisposition"] = json!("WRITE_TRUNCATE");
    }
    let now = milliseconds(SystemTime::now());
    json!({
        "kind": "bigquery#job", "etag": "e==", "id": format!("{PROJECT}:{}.", plan.location),
        "selfLink": format!("https://bigquery.googleapis.com/bigquery/v2/projects/{PROJECT}/jobs/?location={}", plan.location),
        "user_email": EMAIL, "principal_subject": format!("serviceAccount:{EMAIL}"),
        "configuration": {"query": configured, "dryRun": true, "jobType": "QUERY"},
        "jobReference": {"projectId": PROJECT, "location": plan.location},
        "statistics": {
            "creationTime": now.to_string(), "endTime": (now + 6).to_string(),
            "totalBytesProcessed": plan.estimate.to_string(),
            "query": query,
        },
        "status": {"state": "DONE"},
    })
}
