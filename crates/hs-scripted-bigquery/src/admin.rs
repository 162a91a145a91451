//! What programs ask of the server itself, below `/_/`: its log, its jobs, its faults and options. None of it is part
//! of BigQuery, needs a token or is logged.

use serde_json::{Value, json};

use crate::http::{Reply, Request};
use crate::job::Job;
use crate::options::Fault;
use crate::server::{JobSeen, Logged, Shared};
use crate::tokens::Tokens;

pub fn reply(shared: &Shared, request: &Request) -> Reply {
    let body = if request.body.is_empty() {
        Ok(json!({}))
    } else {
        serde_json::from_slice::<Value>(&request.body).map_err(|wrong| wrong.to_string())
    };
    let mut state = shared.state();
    let done = body.and_then(
        |body| match (request.method.as_str(), request.path.as_str()) {
            ("GET", "/_/log") => Ok(state.log.iter().map(logged).collect()),
            ("GET", "/_/jobs") => Ok(state
                .jobs
                .iter()
                .map(Job::seen)
                .map(|job| seen(&job))
                .collect()),
            ("POST", "/_/clear") => {
                state.log.clear();
                if body["all"] == true {
                    state.jobs.clear();
                    state.faults.clear();
                    state.failed.clear();
                    state.cached.clear();
                    state.tokens = Tokens::default();
                }
                Ok(json!({}))
            }
            ("POST", "/_/fault") => Fault::from_json(&body).map(|fault| {
                state.faults.push(fault);
                json!({})
            }),
            ("POST", "/_/options") => state.options.change(&body).map(|()| json!({})),
            ("POST", "/_/revoke") => {
                state.tokens.revoke();
                Ok(json!({}))
            }
            (method, path) => Err(format!("there is no {method} {path}")),
        },
    );
    match done {
        Ok(value) => Reply::json(200, &value),
        Err(why) => Reply::text(
            400,
            "text/plain; charset=UTF-8",
            format!("scripted server: {why}\n"),
        ),
    }
}

fn logged(entry: &Logged) -> Value {
    let object = |pairs: &[(String, String)]| -> Value {
        let pairs = pairs
            .iter()
            .map(|(name, value)| (name.clone(), json!(value)));
        Value::Object(pairs.collect())
    };
    json!({
        "method": entry.method,
        "path": entry.path,
        "query": object(&entry.query),
        "headers": object(&entry.headers),
        "body": entry.body,
        "status": entry.status,
    })
}

fn seen(job: &JobSeen) -> Value {
    json!({
        "id": job.id, "sql": job.sql, "location": job.location, "state": job.state, "statementType": job.statement,
        "cap": job.cap, "processed": job.processed, "billed": job.billed, "cacheHit": job.cache_hit, "error": job.error,
        "labels": job.labels,
    })
}
