//! What is asked of jobs: dry runs, inserts, what a job is now, cancels. A job id is made once; a job ends by its time,
//! by its failure or by a cancel.

use std::time::{Duration, Instant, SystemTime};

use serde_json::{Value, json};

use crate::credentials::PROJECT;
use crate::errors::Refused;
use crate::http::{Reply, Request};
use crate::job::{Job, dry_run};
use crate::options::{Options, Refusal};
use crate::plan::{Plan, plan};
use crate::server::{Shared, State};

/// How long a job runs that fails while it runs.
const A_MOMENT: Duration = Duration::from_millis(150);

/// `POST /projects/p1/jobs`
pub fn insert(shared: &Shared, request: &Request) -> Result<Reply, Refused> {
    let content = request.header("content-type").unwrap_or("");
    if !content.to_ascii_lowercase().starts_with("application/json") {
        let message = format!("Unsupported content with type: {content}");
        return Err(Refused::new(400, "badRequest", message));
    }
    let body: Value = serde_json::from_slice(&request.body).map_err(|wrong| {
        let message = format!("Invalid JSON payload received. {wrong}");
        Refused::new(400, "parseError", message)
    })?;
    let configuration = &body["configuration"];
    let query = &configuration["query"];
    let Some(sql) = query["query"].as_str().filter(|sql| !sql.is_empty()) else {
        return Err(
            Refused::new(400, "required", "Required parameter is missing: query")
                .at("configuration.query.query"),
        );
    };
    if query["useLegacySql"] != false {
        let message = "scripted server: it reads GoogleSQL only; without \"useLegacySql\": false the service reads legacy SQL";
        return Err(Refused::new(400, "invalidQuery", message).at("query"));
    }
    let dry = configuration["dryRun"] == true;
    if request
        .header("user-agent")
        .is_some_and(|agent| agent.starts_with("headstart/"))
    {
        strict(&body, sql, dry)?;
    }
    if let Some(project) = body["jobReference"]["projectId"]
        .as_str()
        .filter(|project| *project != PROJECT)
    {
        let message = format!(
            "Value for projectId '{project}' in content does not agree with value '{PROJECT}'."
        );
        return Err(Refused::new(400, "invalid", message));
    }
    let asked = body["jobReference"]["location"].as_str();
    let mut state = shared.state();
    if dry {
        let plan = plan(sql, asked, &state.options).map_err(|refused| placed(refused, "q"))?;
        return Ok(Reply::json(200, &dry_run(sql, &plan)));
    }
    let cap = cap(&query["maximumBytesBilled"])?;
    let id = match body["jobReference"]["jobId"].as_str() {
        Some(id) => valid(id)?,
        None => format!("job_{}", state.jobs.len() + 1),
    };
    if let Some(job) = state.jobs.iter().find(|job| job.id == id) {
        let message = format!("Already Exists: Job {PROJECT}:{}.{id}", job.plan.location);
        return Err(Refused::new(409, "duplicate", message));
    }
    let plan = plan(sql, asked, &state.options).map_err(|refused| placed(refused, "query"))?;
    let use_cache = query["useQueryCache"] != false;
    let job = begin(
        &mut state,
        id,
        sql,
        plan,
        cap,
        use_cache,
        configuration["labels"].clone(),
    )?;
    let resource = job.resource();
    state.jobs.push(job);
    Ok(Reply::json(200, &resource))
}

/// Errors of the statement say where; those of tables do not.
fn placed(refused: Refused, place: &'static str) -> Refused {
    if refused.reason == "invalidQuery" {
        refused.at(place)
    } else {
        refused
    }
}

/// headstart sends exactly what was agreed: what it does not ask for must not change unnoticed.
fn strict(body: &Value, sql: &str, dry: bool) -> Result<(), Refused> {
    let agreed = if dry {
        json!({"configuration": {"dryRun": true, "query": {"query": sql, "useLegacySql": false, "useQueryCache": false}}})
    } else {
        let kept = |value: &Value| {
            if value.as_str().is_some_and(|text| !text.is_empty()) {
                value.clone()
            } else {
                json!("TEXT")
            }
        };
        let cap = &body["configuration"]["query"]["maximumBytesBilled"];
        let number = cap
            .as_str()
            .is_some_and(|text| text.parse::<i64>().is_ok_and(|cap| cap > 0));
        json!({
            "jobReference": {
                "projectId": PROJECT,
                "jobId": kept(&body["jobReference"]["jobId"]),
                "location": kept(&body["jobReference"]["location"]),
            },
            "configuration": {
                "labels": {"tool": "hs"},
                "query": {"query": sql, "useLegacySql": false, "maximumBytesBilled": if number { cap.clone() } else { json!("BYTES") }},
            },
        })
    };
    if *body == agreed {
        return Ok(());
    }
    let message = format!("scripted server: headstart must send exactly {agreed}, it sent {body}");
    Err(Refused::new(400, "invalid", message))
}

/// The cap, as a number or its text; 0 is none.
fn cap(value: &Value) -> Result<Option<u64>, Refused> {
    let number = match value {
        Value::Null => return Ok(None),
        Value::String(text) => text.parse::<i64>().ok(),
        other => other.as_i64(),
    };
    let number = number.and_then(|number| u64::try_from(number).ok());
    let wrong = || {
        Refused::new(
            400,
            "invalid",
            format!("Invalid value for maximumBytesBilled: {value}"),
        )
    };
    Ok(Some(number.ok_or_else(wrong)?).filter(|&cap| cap > 0))
}

fn valid(id: &str) -> Result<String, Refused> {
    let good = !id.is_empty()
        && id.len() <= 1024
        && id
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    if good {
        return Ok(id.to_owned());
    }
    let message = format!(
        "Invalid job ID \"{id}\". Job IDs must be alphanumeric (plus underscores and dashes) and must be at most 1024 characters long."
    );
    Err(Refused::new(400, "invalid", message))
}

/// Makes the job, unless it is refused at once.
fn begin(
    state: &mut State,
    id: String,
    sql: &str,
    plan: Plan,
    cap: Option<u64>,
    use_cache: bool,
    labels: Value,
) -> Result<Job, Refused> {
    let Options {
        cap_refused,
        run,
        cache,
        hidden_gets,
        ..
    } = state.options;
    let mut run = run + plan.run;
    let mut failure = plan.failure.clone();
    let cache_hit = cache && use_cache && plan.statement == "SELECT" && state.cached.contains(sql);
    if plan.flaky && state.failed.insert(plan.statement) {
        let message = "An internal error occurred and the request could not be completed. This is usually caused by a transient \
                       issue. Retrying the job with back-off as described in the BigQuery SLA should solve the problem: \
                       https://cloud.google.com/bigquery/sla. Error: 80038528";
        failure = Some(Refused::new(503, "backendError", message));
    }
    if failure.is_some() {
        run = run.max(A_MOMENT);
    }
    if let Some(cap) = cap.filter(|&cap| cap < plan.needed && !cache_hit) {
        let message = format!(
            "Query exceeded limit for bytes billed: {cap}. {} or higher required.",
            plan.needed
        );
        let code = if cap_refused == Refusal::Http500 {
            500
        } else {
            400
        };
        let refused = Refused::new(code, "bytesBilledLimitExceeded", message);
        match cap_refused {
            Refusal::Http400 | Refusal::Http500 => return Err(refused),
            Refusal::ErrorResult => run = Duration::ZERO,
            Refusal::Late => run = A_MOMENT,
        }
        failure = Some(refused);
    } else if failure.is_none() {
        state.cached.insert(sql.to_owned());
    }
    Ok(Job {
        id,
        sql: sql.to_owned(),
        plan: plan.into(),
        cap,
        labels,
        failure,
        cache_hit,
        began: SystemTime::now(),
        ends: Instant::now() + run,
        run,
        hidden: hidden_gets,
    })
}

/// The job of this id, if the request looks for it where it ran.
pub fn find<'a>(state: &'a mut State, request: &Request, id: &str) -> Result<&'a mut Job, Refused> {
    let asked = request
        .parameter("location")
        .filter(|location| !location.is_empty());
    let found = state.jobs.iter_mut().find(|job| {
        let location = &job.plan.location;
        // Outside of the two multi-regions the service looks nowhere on its own.
        let nowhere = || location.eq_ignore_ascii_case("US") || location.eq_ignore_ascii_case("EU");
        job.id == id && asked.map_or_else(nowhere, |asked| asked.eq_ignore_ascii_case(location))
    });
    found.ok_or_else(|| missing(id))
}

fn missing(id: &str) -> Refused {
    Refused::new(404, "notFound", format!("Not found: Job {PROJECT}:{id}"))
}

/// `GET /projects/p1/jobs/ID`
pub fn get(shared: &Shared, request: &Request, id: &str) -> Result<Reply, Refused> {
    let mut state = shared.state();
    let job = find(&mut state, request, id)?;
    if job.hidden > 0 {
        job.hidden -= 1;
        return Err(missing(id));
    }
    Ok(Reply::json(200, &job.resource()))
}

/// `POST /projects/p1/jobs/ID/cancel`: a job that is done stays as it is.
pub fn cancel(shared: &Shared, request: &Request, id: &str) -> Result<Reply, Refused> {
    let mut state = shared.state();
    let job = find(&mut state, request, id)?;
    if !job.is_done() {
        job.run = job.run.saturating_sub(job.left());
        job.ends = Instant::now();
        let message = "Job execution was cancelled: User requested cancellation";
        job.failure = Some(Refused::new(499, "stopped", message));
        shared.changed.notify_all();
    }
    Ok(Reply::json(
        200,
        &json!({"kind": "bigquery#jobCancelResponse", "job": job.resource()}),
    ))
}
