//! The tools beside the cell: `status`, `interrupt`, `restart`. They are answered while a cell runs.

use serde_json::{Value, json};

use super::answer::Answer;
use super::handler::Server;
use super::link::{End, Link, text};
use super::memory::{Left, first_line};

/// Lines that are shown of what a cell has printed so far.
const SO_FAR: u64 = 20;

/// What the session is doing, and what became of cells that went on after their calls.
pub async fn status(server: &Server) -> Answer {
    if !server.memory().opened {
        return Answer::plain("No kernel yet: the first call of `ipython` starts one.");
    }
    let Some(event) = server.link.ask("status", json!({})).only().await else {
        return Answer::without_launcher();
    };
    if event["type"] == "error" {
        return Answer::failed(&text(&event, "message"));
    }
    let mut answer = Answer::plain(&sentence(&event));
    if let Some(run) = event["run"]["id"].as_str() {
        let so_far = last_lines(&server.link, run, SO_FAR).await;
        if !so_far.is_empty() {
            answer.say("Its output so far, the last lines:");
            answer.say(&so_far);
        }
    }
    for (left, event) in server.take_ended() {
        let ended = match event {
            Some(event) if event["type"] == "result" => Answer::of_result(&event),
            Some(event) => Answer::of_failure(&event, ""),
            None => Answer::without_launcher(),
        };
        answer.add(
            &format!("The cell `{}`, which went on, ended:", left.code),
            ended,
        );
    }
    answer
}

/// Stops what runs, and says how that ended.
pub async fn interrupt(server: &Server) -> Answer {
    if !server.memory().opened {
        return Answer::plain(NOTHING_RUNS);
    }
    let link = &server.link;
    let Some(status) = link.ask("status", json!({})).only().await else {
        return Answer::without_launcher();
    };
    let Some(run) = status["run"]["id"].as_str() else {
        return Answer::plain(NOTHING_RUNS);
    };
    // The end of the cell is asked for before it is stopped, so that it is that of this cell.
    let mut end = link.ask("wait", json!({"run": run}));
    link.tell("cancel", json!({"run": run}));
    let code = first_line(&text(&status["run"], "code"));
    match end.next().await {
        None => Answer::without_launcher(),
        Some(end) if end["error"]["ename"] == "KeyboardInterrupt" && end["state"] == "kept" => {
            Answer::plain(&format!("Stopped `{code}`; variables are kept."))
        }
        Some(end) if end["state"] == "kept" => {
            let how = text(&end, "status");
            Answer::plain(&format!(
                "`{code}` came to its own end ({how}); variables are kept."
            ))
        }
        Some(end) if end["type"] == "result" => Answer::plain(&format!(
            "`{code}` did not stop within 3 seconds, so its kernel was ended; {}.",
            lost_words(&end)
        )),
        Some(end) => Answer::failed(&text(&end, "message")),
    }
}

/// What became of the variables of a kernel that was ended.
fn lost_words(end: &Value) -> String {
    let notices = end["notices"].as_array().into_iter().flatten();
    let mut lost = notices.filter(|notice| notice["kind"] == "lost");
    lost.next().map_or_else(
        || "all variables are gone".to_owned(),
        |notice| text(notice, "text"),
    )
}

/// Gives the session a new kernel.
pub async fn restart(server: &Server) -> Answer {
    if !server.memory().opened {
        return Answer::plain("No kernel yet: the next call of `ipython` starts a fresh one.");
    }
    match server.link.ask("restart", json!({})).only().await {
        None => Answer::without_launcher(),
        Some(event) if event["type"] == "ready" => {
            // The model asked for it.
            server.link.told();
            Answer::plain("A new kernel is ready; all variables are gone.")
        }
        Some(event) => {
            server.forget_session();
            Answer::failed(&text(&event, "message"))
        }
    }
}

/// The last lines that a cell printed, with a line before them that says how many there are in all.
pub async fn last_lines(link: &Link, run: &str, most: u64) -> String {
    let first = json!({"run": run, "from_line": 1, "to_line": 1});
    let Some(first) = link.ask("read", first).only().await else {
        return String::new();
    };
    let of = first["of"].as_u64().unwrap_or_default();
    if of <= 1 {
        return text(&first, "text");
    }
    let from = of.saturating_sub(most) + 1;
    let rest = json!({"run": run, "from_line": from.max(1), "to_line": of});
    let Some(rest) = link.ask("read", rest).only().await else {
        return String::new();
    };
    let head = if of > most {
        format!("(the last {most} of {of} lines)\n")
    } else {
        String::new()
    };
    head + &text(&rest, "text")
}

/// What an event says of the machine that a cell takes.
pub fn load(event: &Value) -> String {
    let mut words = Vec::new();
    if let Some(percent) = event["cpu_percent"].as_f64() {
        words.push(format!("CPU {percent:.0} %"));
    }
    if let Some(bytes) = event["memory_bytes"].as_f64() {
        words.push(format!("memory {:.0} MiB", bytes / f64::from(1 << 20)));
    }
    words.join(", ")
}

const NOTHING_RUNS: &str = "Nothing runs.";

/// A status in words.
fn sentence(status: &Value) -> String {
    let mut words = text(status, "state");
    if let Some(run) = status["run"].as_object() {
        let seconds = run
            .get("elapsed_ms")
            .and_then(Value::as_f64)
            .unwrap_or_default()
            / 1000.0;
        let code = run.get("code").and_then(Value::as_str).unwrap_or_default();
        words.push_str(&format!(" `{}` since {seconds:.1} s ago", first_line(code)));
    }
    match status["queued"].as_u64() {
        None | Some(0) => {}
        Some(1) => words.push_str(", 1 more cell waits"),
        Some(more) => words.push_str(&format!(", {more} more cells wait")),
    }
    let load = load(status);
    if !load.is_empty() {
        words.push_str(&format!(", {load}"));
    }
    if let Some(names) = status["names"].as_u64() {
        words.push_str(&format!(", {names} variables"));
    }
    if let Some(generation) = status["generation"].as_u64() {
        words.push_str(&format!("; kernel {generation}"));
    }
    for (field, word) in [("python", "python"), ("cwd", "folder")] {
        if let Some(value) = status[field].as_str() {
            words.push_str(&format!(", {word} {value}"));
        }
    }
    words
}

impl Server {
    /// How many cells that went on have ended since, and wait for `status`.
    pub fn ended(&self) -> usize {
        let mut memory = self.memory();
        let ended = |left: &mut Left| left.answers.end().is_some();
        memory
            .left
            .iter_mut()
            .map(ended)
            .filter(|ended| *ended)
            .count()
    }

    /// Cells that went on and ended since, with their results; they are forgotten. None is one that has no end any more.
    fn take_ended(&self) -> Vec<(Left, End)> {
        let mut ended = Vec::new();
        let mut memory = self.memory();
        for mut left in std::mem::take(&mut memory.left) {
            match left.answers.end() {
                Some(end) => ended.push((left, end)),
                None => memory.left.push(left),
            }
        }
        ended
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_a_sentence() {
        let status = json!({"type": "status", "state": "running", "generation": 2, "python": "/p", "cwd": "/w",
            "run": {"id": "run-1", "code": "x = 1\ny", "elapsed_ms": 12_340}, "queued": 1, "cpu_percent": 98.2,
            "memory_bytes": 220_200_960, "names": 3});
        assert_eq!(
            sentence(&status),
            "running `x = 1...` since 12.3 s ago, 1 more cell waits, CPU 98 %, memory 210 MiB, 3 variables; kernel 2, \
             python /p, folder /w"
        );
        assert_eq!(
            sentence(&json!({"state": "down", "generation": 1, "queued": 0})),
            "down; kernel 1"
        );
    }
}
