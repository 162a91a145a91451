//! The results of a job, page by page, as `getQueryResults` gives them. Pages of many rows are made once and kept, so
//! that a bench measures the client and not this server.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::errors::{Refused, code_of};
use crate::http::{Reply, Request};
use crate::job::{Job, schema};
use crate::jobs::find;
use crate::options::{Options, Refusal};
use crate::plan::Plan;
use crate::server::Shared;
use crate::tables::Column;
use crate::timestamp;

/// The most bytes of rows in a page, however many rows are asked for.
const MOST_BYTES: usize = 10_000_000;
/// Results of more rows are kept.
const KEPT_FROM: usize = 1000;
/// What the service waits when `timeoutMs` is not given.
const USUAL_WAIT: Duration = Duration::from_secs(10);

/// How a TIMESTAMP is written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Format {
    Seconds,
    Micros,
    Iso,
}

/// The rows of one page as JSON, and where the next begins.
struct Page {
    rows: Arc<Vec<u8>>,
    next: usize,
}

/// The pages that were made.
#[derive(Default)]
pub struct Pages {
    kept: Mutex<HashMap<Key, Arc<Page>>>,
}

#[derive(PartialEq, Eq, Hash)]
struct Key {
    columns: String,
    rows: usize,
    start: usize,
    most: usize,
    format: Format,
}

/// `GET /projects/p1/queries/ID`
pub fn get(shared: &Shared, request: &Request, id: &str) -> Result<Reply, Refused> {
    let format = match (
        request.is_true("formatOptions.useInt64Timestamp"),
        request.parameter("formatOptions.timestampOutputFormat"),
    ) {
        (true, None) => Format::Micros,
        (false, Some("ISO8601_STRING")) => Format::Iso,
        (true, Some(_)) => {
            let message = "Only one of useInt64Timestamp and timestampOutputFormat can be set.";
            return Err(Refused::new(400, "invalid", message));
        }
        _ => Format::Seconds,
    };
    let start = match request
        .parameter("pageToken")
        .filter(|token| !token.is_empty())
    {
        Some(token) => {
            offset(token).ok_or_else(|| Refused::new(400, "invalid", "Invalid page token"))?
        }
        None => number(request, "startIndex")?.unwrap_or(0) as usize,
    };
    let most = number(request, "maxResults")?;
    let wait = number(request, "timeoutMs")?.map_or(USUAL_WAIT, Duration::from_millis);
    let asked = Instant::now();
    let mut state = shared.state();
    loop {
        let limit = wait.min(state.options.wait);
        let job = find(&mut state, request, id)?;
        if job.is_done() {
            break;
        }
        let left = limit.saturating_sub(asked.elapsed()).min(job.left());
        if left.is_zero() || shared.is_stopping() {
            let parts = [
                ("kind", part(&json!("bigquery#getQueryResultsResponse"))),
                ("etag", part(&json!("e"))),
                ("jobReference", part(&job.reference())),
                ("jobComplete", part(&json!(false))),
            ];
            return Ok(Reply {
                parts: object(&parts, request),
                ..Reply::json(200, &Value::Null)
            });
        }
        let waited = shared.changed.wait_timeout(state, left);
        state = waited.unwrap_or_else(PoisonError::into_inner).0;
    }
    let Options {
        cap_refused,
        rows_first,
        ambiguous,
        ..
    } = state.options;
    let job = find(&mut state, request, id)?;
    if let Some(failure) = &job.failure {
        return Err(of_results(failure, cap_refused, ambiguous));
    }
    let plan = Arc::clone(&job.plan);
    let mut parts = answered(job);
    // Pages are made without holding up other requests.
    drop(state);
    if let Some(total) = plan.rows {
        let mut of_rows = Vec::new();
        let asked = most.map_or(usize::MAX, |most| most as usize);
        let most = if plan.page > 0 {
            plan.page.min(asked)
        } else {
            asked
        };
        let page = shared.pages.page(&plan, start, most, format);
        if asked > 0 && page.next < total {
            of_rows.push(("pageToken", part(&json!(token(page.next)))));
        }
        if page.next > start {
            of_rows.push(("rows", Arc::clone(&page.rows)));
        }
        let at = if rows_first { 0 } else { parts.len() - 3 };
        parts.splice(at..at, of_rows);
    }
    Ok(Reply {
        parts: object(&parts, request),
        ..Reply::json(200, &Value::Null)
    })
}

/// The failure of a job, as the request for its results is refused with.
fn of_results(failure: &Refused, cap_refused: Refusal, ambiguous: bool) -> Refused {
    let mut refused = failure.clone();
    refused.code = code_of(&failure.reason);
    match failure.reason.as_str() {
        "bytesBilledLimitExceeded" if cap_refused == Refusal::Http500 => refused.code = 500,
        "backendError" if ambiguous => refused.code = 503,
        // What failed in the job and not in this request has a name of its own, so that nobody asks for it again.
        "backendError" => "jobBackendError".clone_into(&mut refused.reason),
        _ => {}
    }
    refused
}

type Part = Arc<Vec<u8>>;

fn part(value: &Value) -> Part {
    Arc::new(value.to_string().into_bytes())
}

/// All of the reply but its rows, in the order of the service.
fn answered(job: &Job) -> Vec<(&'static str, Part)> {
    let plan = &job.plan;
    let mut parts = vec![
        ("kind", part(&json!("bigquery#getQueryResultsResponse"))),
        ("etag", part(&json!("e"))),
    ];
    if let Some(rows) = plan.rows {
        parts.push(("schema", part(&schema(plan))));
        parts.push(("jobReference", part(&job.reference())));
        parts.push(("totalRows", part(&json!(rows.to_string()))));
    } else {
        parts.push(("jobReference", part(&job.reference())));
    }
    if let Some(affected) = plan.affected {
        parts.push(("numDmlAffectedRows", part(&json!(affected.to_string()))));
    }
    parts.push((
        "totalBytesProcessed",
        part(&json!(job.processed().to_string())),
    ));
    parts.push(("jobComplete", part(&json!(true))));
    parts.push(("cacheHit", part(&json!(job.cache_hit))));
    parts
}

/// The parts as one object; only those of the parameter `fields`, if it is there.
fn object(parts: &[(&'static str, Part)], request: &Request) -> Vec<Part> {
    let fields = request
        .parameter("fields")
        .filter(|fields| !fields.contains('('));
    let wanted = |name: &str| {
        fields.is_none_or(|fields| fields.split(',').any(|field| field.trim() == name))
    };
    let mut out = Vec::new();
    let mut before = "{";
    for (name, part) in parts.iter().filter(|(name, _)| wanted(name)) {
        out.push(Arc::new(format!("{before}\"{name}\":").into_bytes()));
        out.push(Arc::clone(part));
        before = ",";
    }
    let end = if out.is_empty() { "{}" } else { "}" };
    out.push(Arc::new(end.as_bytes().to_vec()));
    out
}

fn number(request: &Request, name: &str) -> Result<Option<u64>, Refused> {
    let Some(text) = request.parameter(name) else {
        return Ok(None);
    };
    let number = text.parse().map(Some);
    number.map_err(|_| {
        Refused::new(
            400,
            "invalidParameter",
            format!("Invalid value '{text}' for {name}."),
        )
        .at("parameter")
    })
}

/// A token that an address must escape, as those of the service.
fn token(row: usize) -> String {
    format!("B+/{row:08}A==")
}

fn offset(token: &str) -> Option<usize> {
    token.strip_prefix("B+/")?.strip_suffix("A==")?.parse().ok()
}

impl Pages {
    fn page(&self, plan: &Plan, start: usize, most: usize, format: Format) -> Arc<Page> {
        let total = plan.rows.unwrap_or(0);
        if total < KEPT_FROM {
            return Arc::new(render(plan, start, most, format));
        }
        let key = Key {
            columns: format!("{:?}", plan.outputs),
            rows: total,
            start,
            most,
            format,
        };
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        // Made under the lock: who asks for the same page waits for it.
        let page = kept
            .entry(key)
            .or_insert_with(|| Arc::new(render(plan, start, most, format)));
        Arc::clone(page)
    }
}

fn render(plan: &Plan, start: usize, most: usize, format: Format) -> Page {
    let total = plan.rows.unwrap_or(0);
    let end = start.saturating_add(most).min(total);
    let mut rows = vec![b'['];
    let mut next = start;
    while next < end {
        let before = rows.len();
        rows.extend_from_slice(if next > start {
            b",{\"f\":["
        } else {
            b"{\"f\":["
        });
        for (at, output) in plan.outputs.iter().enumerate() {
            rows.extend_from_slice(if at > 0 { b",{\"v\":" } else { b"{\"v\":" });
            let cell = written(&output.column, output.cell(next), format);
            serde_json::to_writer(&mut rows, &cell).expect("a value of JSON goes into a vector");
            rows.push(b'}');
        }
        rows.extend_from_slice(b"]}");
        if rows.len() > MOST_BYTES && next > start {
            rows.truncate(before);
            break;
        }
        next += 1;
    }
    rows.push(b']');
    Page {
        rows: Arc::new(rows),
        next,
    }
}

/// The cell with its timestamps in the form that was asked for.
fn written(column: &Column, cell: Value, format: Format) -> Value {
    if format == Format::Micros || cell.is_null() {
        return cell;
    }
    if column.repeated {
        let single = Column {
            repeated: false,
            ..*column
        };
        let Value::Array(items) = cell else {
            return cell;
        };
        return items
            .into_iter()
            .map(|mut item| json!({"v": written(&single, item["v"].take(), format)}))
            .collect();
    }
    match (column.kind, cell) {
        ("RECORD", mut record) => {
            for (at, field) in column.fields.iter().enumerate() {
                let inner = &mut record["f"][at]["v"];
                *inner = written(field, inner.take(), format);
            }
            record
        }
        ("TIMESTAMP", Value::String(micros)) => json!(moment(
            &micros,
            format,
            column.timestamp_precision == Some(12)
        )),
        ("RANGE", Value::String(range)) if column.element == Some("TIMESTAMP") => {
            let ends = range
                .trim_start_matches('[')
                .trim_end_matches(')')
                .split(", ");
            let ends: Vec<String> = ends.map(|end| moment(end, format, false)).collect();
            json!(format!("[{})", ends.join(", ")))
        }
        (_, cell) => cell,
    }
}

fn moment(micros: &str, format: Format, picoseconds: bool) -> String {
    let Ok(number) = micros.parse::<i64>() else {
        return micros.to_owned();
    };
    match format {
        Format::Micros => micros.to_owned(),
        Format::Seconds => timestamp::seconds(number),
        Format::Iso => timestamp::iso(number, picoseconds),
    }
}

#[cfg(test)]
mod tests {
    use super::{Format, offset, render, token};
    use crate::options::Options;
    use crate::plan::plan;

    fn rows(sql: &str, start: usize, most: usize, format: Format) -> (String, usize) {
        let page = render(
            &plan(sql, None, &Options::default()).unwrap(),
            start,
            most,
            format,
        );
        (String::from_utf8(page.rows.to_vec()).unwrap(), page.next)
    }

    #[test]
    fn pages_begin_where_the_last_ended() {
        let first = rows("SELECT id FROM d.tiny", 0, 1, Format::Micros);
        assert_eq!(first, (r#"[{"f":[{"v":"1"}]}]"#.to_owned(), 1));
        assert_eq!(
            rows("SELECT id FROM d.tiny", 1, 9, Format::Micros),
            (r#"[{"f":[{"v":"2"}]}]"#.to_owned(), 2)
        );
        assert_eq!(offset(&token(70)), Some(70));
        assert_eq!(offset("70"), None);
    }

    #[test]
    fn no_page_is_larger_than_ten_megabytes() {
        let (text, next) = rows("SELECT * FROM d.big", 0, usize::MAX, Format::Micros);
        assert!(
            text.len() <= 10_000_001 && text.len() > 9_990_000 && next < 200_000,
            "{} {next}",
            text.len()
        );
    }

    #[test]
    fn timestamps_in_three_forms() {
        let at = |format| rows("SELECT at FROM d.moments", 1, 1, format).0;
        assert_eq!(at(Format::Micros), r#"[{"f":[{"v":"1577934245123456"}]}]"#);
        assert_eq!(
            at(Format::Seconds),
            r#"[{"f":[{"v":"1.577934245123456E9"}]}]"#
        );
        assert_eq!(
            at(Format::Iso),
            r#"[{"f":[{"v":"2020-01-02T03:04:05.123456Z"}]}]"#
        );
        let nested = rows("SELECT rts, recs FROM d.types", 0, 1, Format::Seconds).0;
        assert!(
            nested.contains(r#"{"v":"[1.577934245123456E9, UNBOUNDED)"}"#),
            "{nested}"
        );
        assert!(
            nested.contains(r#"{"v":"first"},{"v":"1.577934245123456E9"}"#),
            "{nested}"
        );
        assert!(
            nested.contains(r#"{"v":null},{"v":null},{"v":[]},{"v":null}"#),
            "{nested}"
        );
    }
}
