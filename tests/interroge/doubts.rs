//! Answers that may be misunderstood: whether a job runs, failed, or is billed is believed only of the job itself.

use std::time::{Duration, Instant};

use hs_core::ErrorKind;
use hs_scripted_bigquery::{Fault, Options};
use serde_json::{Value, json};

use crate::world::{World, column, lines};

const NAMES: &str = "SELECT name FROM d.names";

/// An answer of the service's own form.
fn refusal(method: &str, path: &str, status: u16, reason: &str) -> Fault {
    let error = json!({"code": status, "message": format!("It says {reason}"), "errors": [{"reason": reason}]});
    answer(method, path, status, &json!({ "error": error }))
}

fn answer(method: &str, path: &str, status: u16, body: &Value) -> Fault {
    Fault {
        body: body.to_string(),
        content_type: "application/json".to_owned(),
        ..Fault::new(method, path, status)
    }
}

#[test]
fn a_result_that_is_refused_for_the_moment_starts_no_second_job() {
    for (status, reason) in [
        (400, "jobBackendError"),
        (400, "jobInternalError"),
        (403, "jobRateLimitExceeded"),
        (404, "notFound"),
        (500, "internalError"),
    ] {
        for skip in [0, 1] {
            let world = World::new();
            let fault = refusal("GET", "*/queries/*", status, reason);
            world.server.fault(Fault { skip, ..fault });
            let asked = world.ask(NAMES, "1 GB");
            assert_eq!(world.server.jobs().len(), 1, "{reason} after {skip}");
            // The first page is waited for; of a later one it is told that the query is billed.
            match asked {
                Ok(answer) => assert_eq!(column(&answer, "name").len(), 25),
                Err(error) => {
                    let id = &world.server.jobs()[0].id;
                    let told = error.to_string();
                    assert!(
                        skip == 1 && told.contains("is billed") && told.contains(id.as_str()),
                        "{told}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_start_that_is_refused_after_it_was_accepted_starts_no_second_job() {
    for (status, reason) in [
        (503, "jobBackendError"),
        (400, "jobInternalError"),
        (503, "backendError"),
    ] {
        let world = World::new();
        world.server.fault(Fault {
            when: "maximumBytesBilled".to_owned(),
            after: true,
            ..refusal("POST", "*/jobs", status, reason)
        });
        let answer = world
            .ask(NAMES, "1 GB")
            .unwrap_or_else(|error| panic!("{reason}: {error}"));
        assert_eq!(column(&answer, "name").len(), 25);
        assert_eq!(world.server.jobs().len(), 1, "{reason}");
    }
}

#[test]
fn a_start_that_is_refused_once_it_arrived_is_looked_for() {
    let world = World::new();
    for fault in [
        Fault {
            after: true,
            ..Fault::new("POST", "*/jobs", 503)
        },
        refusal("POST", "*/jobs", 403, "accessDenied"),
    ] {
        world.server.fault(Fault {
            when: "maximumBytesBilled".to_owned(),
            ..fault
        });
    }
    let answer = world.ask(NAMES, "1 GB").expect("the job is there");
    assert_eq!(column(&answer, "name").len(), 25);
    assert_eq!(world.server.jobs().len(), 1);
}

#[test]
fn the_deadline_holds_while_a_result_is_waited_for() {
    for fault in [
        Fault::new("GET", "*/queries/*", 503),
        Fault {
            drop: true,
            ..Fault::new("GET", "*/queries/*", 0)
        },
        Fault {
            cut: Some(30),
            ..Fault::new("GET", "*/queries/*", 0)
        },
        answer("GET", "*/queries/*", 200, &json!({"jobComplete": false})),
        Fault {
            status: 200,
            body: "<html><title>Log in</title>".to_owned(),
            ..Fault::new("GET", "*/queries/*", 200)
        },
        refusal("GET", "*/queries/*", 403, "accessDenied"),
    ] {
        let mut world = World::new();
        world.deadline = Some(Duration::from_secs(1));
        world.server.fault(Fault {
            times: None,
            ..fault.clone()
        });
        let started = Instant::now();
        let error = world.ask(NAMES, "1 GB").expect_err("there is no result");
        assert!(started.elapsed() < Duration::from_secs(6), "{fault:?}");
        let asked = world
            .sent("GET", "")
            .iter()
            .filter(|one| one.path.contains("/queries/"))
            .count();
        assert!(asked < 40, "{asked} requests: {fault:?}");
        let told = error.to_string();
        let id = &world.server.jobs()[0].id;
        assert!(
            told.contains(&format!("job {id} ran and is billed")),
            "{told}"
        );
        assert_ne!(error.kind(), ErrorKind::Format);
    }
}

#[test]
fn nobody_is_told_to_run_a_change_again() {
    let mut world = World::new();
    world.deadline = Some(Duration::from_secs(1));
    world.server.fault(Fault {
        times: None,
        ..Fault::new("GET", "*/queries/*", 503)
    });
    let error = world
        .ask("DELETE FROM d.names WHERE true", "1 GB")
        .expect_err("there is no result");
    let told = error.to_string();
    assert!(
        told.contains("what it changed stays") && !told.contains("again is free"),
        "{told}"
    );
}

#[test]
fn a_job_that_may_run_is_cancelled_and_named() {
    let mut world = World::with(Options {
        run: Duration::from_mins(1),
        ..Options::default()
    });
    world.deadline = Some(Duration::from_secs(1));
    for path in ["*/queries/*", "*/jobs/hs*"] {
        world.server.fault(Fault {
            times: None,
            ..refusal("GET", path, 403, "accessDenied")
        });
    }
    let error = world.ask(NAMES, "1 GB").expect_err("nobody tells");
    let jobs = world.server.jobs();
    assert_eq!((jobs.len(), jobs[0].state), (1, "DONE"));
    assert_eq!(world.sent("POST", "/cancel").len(), 1);
    assert!(
        error
            .to_string()
            .contains(&format!("job {} may run", jobs[0].id)),
        "{error}"
    );
}

#[test]
fn no_failure_is_none() {
    // Of the job when its bill is asked for, and of the dry run.
    let world = World::new();
    let done = json!({"status": {"state": "DONE", "errorResult": null}, "statistics": {"query": {"totalBytesBilled": 7}}});
    world.server.fault(answer("GET", "*/jobs/*", 200, &done));
    let run = world.ask(NAMES, "1 GB").expect("rows").run.expect("it ran");
    assert_eq!(run.billed, Some(7));
    let failed = json!({"status": {"state": "DONE", "errorResult": {"reason": "invalidQuery", "message": "No\u{1b}[31m\nway"}},
        "statistics": {"totalBytesProcessed": "1", "query": {"statementType": "SELECT"}}});
    for cap in ["", "1 GB"] {
        let world = World::new();
        world.server.fault(answer("POST", "*/jobs", 200, &failed));
        let error = world.ask(NAMES, cap).expect_err("the dry run failed");
        assert_eq!(
            (error.kind(), error.message()),
            (ErrorKind::Query, "No [31m way")
        );
        assert!(world.inserted().is_empty());
    }
}

#[test]
fn nothing_of_the_service_moves_a_terminal() {
    let world = World::new();
    let reply = json!({"jobReference": {"location": "US"}, "statistics": {"totalBytesProcessed": "1", "query": {
        "statementType": "SEL\u{1b}[2JECT", "referencedTables": [{"projectId": "p\n1", "datasetId": "d", "tableId": "\u{7}t"}]}}});
    world.server.fault(answer("POST", "*/jobs", 200, &reply));
    let answer = world.ask(NAMES, "").expect("an estimate");
    for line in lines(&answer) {
        assert!(!line.contains(char::is_control), "{line:?}");
    }
}

#[test]
fn a_proposed_cap_is_enough_for_every_table() {
    let world = World::new();
    let five = "SELECT a.id FROM d.tiny a, d.b, d.types, d.moments, d.flaky";
    let answer = world.ask(five, "").expect("an estimate");
    let last = lines(&answer)
        .last()
        .copied()
        .unwrap_or_default()
        .to_owned();
    let cap = last.split('"').nth(1).expect("a cap");
    assert!(last.ends_with(" runs it"), "{last}");
    assert!(world.ask(five, cap).is_ok(), "{cap}");
    // Of what is not estimated nobody can say it.
    let answer = world.ask("SELECT * FROM d.ext", "").expect("an estimate");
    assert!(
        lines(&answer)
            .last()
            .is_some_and(|line| line.contains("if that is enough"))
    );
}

#[test]
fn bytes_that_have_no_place_are_refused_before_they_are_paid_for() {
    let world = World::new();
    let url = world.server.url().to_owned();
    let settings = hs_bigquery::Settings::new(world.credentials.clone(), "p1", Some(&url), None)
        .expect("settings");
    let options = hs_bigquery::InterrogeOptions {
        cap: hs_bigquery::Cap::parse("1 GB").ok(),
        without_bytes: true,
        ..hs_bigquery::InterrogeOptions::default()
    };
    let ask = |sql: &str| {
        let control = hs_core::Control::default();
        hs_bigquery::interroge_with(&settings, sql, &options, &control, &mut |_| ())
    };
    let error = ask("SELECT all_types").expect_err("there is a column of bytes");
    assert_eq!(error.kind(), ErrorKind::Type);
    assert!(world.inserted().is_empty());
    assert!(ask(NAMES).is_ok());
}
