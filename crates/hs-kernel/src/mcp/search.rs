//! The tool `search`: what the session did before, also what the model has no words of any more.

use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Map, Value, json};

use super::answer::Answer;
use super::handler::Server;
use super::link::text;

/// Finds cells and messages of the session.
pub async fn call(server: &Server, arguments: Map<String, Value>) -> Answer {
    let Some(query) = arguments.get("query").and_then(Value::as_str) else {
        return Answer::failed("query: expected the words to look for, as a text");
    };
    if !server.memory().opened {
        return Answer::plain("Nothing ran yet: the first call of `ipython` starts a kernel.");
    }
    let mut fields = json!({"query": query});
    if let Some(limit) = arguments.get("limit") {
        fields["limit"] = limit.clone();
    }
    match server.link.ask("search", fields).only().await {
        None => Answer::without_launcher(),
        Some(event) if event["type"] == "error" => Answer::failed(&text(&event, "message")),
        Some(event) => {
            let now = SystemTime::now().duration_since(UNIX_EPOCH);
            let mut answer = Answer::plain(&words(&event, now.unwrap_or_default().as_secs_f64()));
            answer.give("hits", event["hits"].clone());
            answer.give("of", event["of"].clone());
            answer
        }
    }
}

/// What was found, a line each.
fn words(found: &Value, now: f64) -> String {
    let hits: &[Value] = found["hits"].as_array().map_or(&[], Vec::as_slice);
    if hits.is_empty() {
        return "Nothing found: all words must occur in one cell.".to_owned();
    }
    let mut lines: Vec<String> = hits.iter().map(|hit| line(hit, now)).collect();
    let of = found["of"].as_u64().unwrap_or_default();
    if of > hits.len() as u64 {
        lines.push(format!("({of} in all; more words find fewer)"));
    }
    lines.join("\n")
}

fn line(hit: &Value, now: f64) -> String {
    let what = match (hit["cell"].as_u64(), hit["generation"].as_u64()) {
        (Some(cell), Some(generation)) => format!("cell {cell} of kernel {generation}"),
        _ if hit["kind"] == "cell" => "a cell".to_owned(),
        _ => format!("message by {}", text(hit, "role")),
    };
    let mut about = vec![minutes(now - hit["time"].as_f64().unwrap_or(now))];
    if let Some(status) = hit["status"].as_str() {
        about.push(status.to_owned());
    }
    about.push(format!("in its {}", text(hit, "in")));
    format!("{what} ({}): {}", about.join(", "), text(hit, "snippet"))
}

fn minutes(seconds: f64) -> String {
    match (seconds / 60.0).floor() {
        minutes if minutes < 1.0 => "just now".to_owned(),
        minutes if minutes < 120.0 => format!("{minutes} min ago"),
        minutes => format!("{} h ago", (minutes / 60.0).floor()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_hit_is_a_line() {
        let found = json!({"of": 3, "hits": [
            {"kind": "cell", "cell": 12, "generation": 2, "status": "error", "time": 1000.0, "in": "error",
             "snippet": "KeyError: 'x'"},
            {"kind": "message", "role": "user", "time": 10_000.0, "in": "text", "snippet": "load x"},
        ]});
        assert_eq!(
            words(&found, 10_010.0),
            "cell 12 of kernel 2 (2 h ago, error, in its error): KeyError: 'x'\n\
             message by user (just now, in its text): load x\n(3 in all; more words find fewer)"
        );
        assert!(words(&json!({"of": 0, "hits": []}), 0.0).starts_with("Nothing found"));
    }
}
