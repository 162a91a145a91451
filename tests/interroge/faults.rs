//! What goes wrong on the way: nothing is lost, nothing is billed twice, nobody waits for ever.

use std::time::{Duration, Instant};

use hs_core::ErrorKind;
use hs_scripted_bigquery::{Fault, Options};
use serde_json::json;

use crate::world::{World, column};

const NAMES: &str = "SELECT name FROM d.names";

#[test]
fn a_dry_run_that_fails_for_the_moment_is_sent_again() {
    let world = World::new();
    world.server.fault(Fault::new("POST", "*/jobs", 503));
    let answer = world.ask(NAMES, "").expect("the second one is answered");
    assert_eq!(answer.estimate.bytes, 65_935_918);
    assert_eq!(world.sent("POST", "/jobs").len(), 2);
}

#[test]
fn a_lost_answer_starts_no_second_job() {
    let broken = |fault: Fault| Fault {
        when: "maximumBytesBilled".to_owned(),
        after: true,
        ..fault
    };
    for fault in [
        broken(Fault::new("POST", "*/jobs", 503)),
        Fault {
            drop: true,
            ..broken(Fault::new("POST", "*/jobs", 0))
        },
        Fault {
            cut: Some(10),
            ..broken(Fault::new("POST", "*/jobs", 0))
        },
    ] {
        // The job is not found at first, as may be just after its start.
        let world = World::with(Options {
            hidden_gets: 1,
            ..Options::default()
        });
        world.server.fault(fault.clone());
        let answer = world
            .ask(NAMES, "1 GB")
            .unwrap_or_else(|error| panic!("{fault:?}: {error}"));
        assert_eq!(column(&answer, "name").len(), 25);
        let inserted = world.inserted();
        assert_eq!(inserted.len(), 2, "{fault:?}");
        let id = |index: usize| inserted[index].body["jobReference"]["jobId"].clone();
        assert_eq!(id(0), id(1));
        assert_eq!(inserted[1].status, 409);
        let jobs = world.server.jobs();
        assert_eq!(jobs.len(), 1);
        assert_eq!(jobs[0].billed, 66_060_288);
    }
}

#[test]
fn pages_that_fail_are_asked_for_again() {
    for fault in [
        Fault {
            skip: 1,
            ..Fault::new("GET", "*/queries/*", 502)
        },
        Fault {
            skip: 1,
            drop: true,
            ..Fault::new("GET", "*/queries/*", 0)
        },
        Fault {
            skip: 2,
            cut: Some(40),
            ..Fault::new("GET", "*/queries/*", 0)
        },
        Fault::new("GET", "*/jobs/*", 500),
    ] {
        let world = World::new();
        world.server.fault(fault.clone());
        let answer = world
            .ask(NAMES, "1 GB")
            .unwrap_or_else(|error| panic!("{fault:?}: {error}"));
        assert_eq!(column(&answer, "name"), hs_scripted_bigquery::NAMES);
        assert_eq!(world.server.jobs().len(), 1);
    }
}

#[test]
fn rows_are_given_when_nobody_tells_their_bill() {
    let mut world = World::new();
    world.deadline = Some(Duration::from_secs(1));
    world.server.fault(Fault {
        times: None,
        ..Fault::new("GET", "*/jobs/*", 503)
    });
    let answer = world.ask(NAMES, "1 GB").expect("rows");
    assert_eq!(column(&answer, "name").len(), 25);
    assert_eq!(answer.run.and_then(|run| run.billed), None);
}

#[test]
fn a_page_that_is_lost_for_good_says_what_it_cost() {
    let mut world = World::new();
    world.deadline = Some(Duration::from_secs(1));
    world.server.fault(Fault {
        skip: 1,
        times: None,
        ..Fault::new("GET", "*/queries/*", 503)
    });
    let error = world
        .ask(NAMES, "1 GB")
        .expect_err("the second page is gone");
    assert_eq!(error.kind(), ErrorKind::Service);
    assert!(
        error
            .hint_text()
            .is_some_and(|hint| hint.contains("is billed")),
        "{error}"
    );
}

#[test]
fn a_service_that_stays_away_is_told_by_the_deadline() {
    let mut world = World::new();
    world.deadline = Some(Duration::from_secs(2));
    world.server.fault(Fault {
        times: None,
        ..Fault::new("POST", "*/jobs", 503)
    });
    let started = Instant::now();
    let error = world.ask(NAMES, "1 GB").expect_err("nobody answers");
    assert!(started.elapsed() < Duration::from_secs(3));
    assert_eq!(error.kind(), ErrorKind::Service);
    let host = world.server.url().replace("http://", "");
    assert!(
        error
            .message()
            .starts_with(&format!("{host} answers 503: Error 503 (Server Error)!!1")),
        "{error}"
    );
    assert!(!error.to_string().contains('<'), "{error}");
    assert!(error.hint_text().is_some());
}

#[test]
fn a_job_whose_start_nobody_answers_is_cancelled() {
    let mut world = World::new();
    world.deadline = Some(Duration::from_secs(1));
    world.server.fault(Fault {
        when: "maximumBytesBilled".to_owned(),
        after: true,
        times: None,
        ..Fault::new("POST", "*/jobs", 503)
    });
    let error = world
        .ask("SELECT slow(60)", "1 GB")
        .expect_err("nobody answers");
    assert_eq!(error.kind(), ErrorKind::Service);
    assert_eq!(world.sent("POST", "/cancel").len(), 1);
    assert_eq!(world.server.jobs()[0].state, "DONE");
}

#[test]
fn nobody_at_all_is_told_by_the_deadline() {
    let mut world = World::new();
    world.deadline = Some(Duration::from_secs(1));
    // A port that was free a moment ago, and answers nobody.
    let port = std::net::TcpListener::bind("127.0.0.1:0").and_then(|socket| socket.local_addr());
    let port = port.expect("a free port").port();
    let text = std::fs::read_to_string(&world.credentials).expect("credentials");
    let text = text.replace(world.server.url(), &format!("http://127.0.0.1:{port}"));
    std::fs::write(&world.credentials, text).expect("a file that can be written");
    let started = Instant::now();
    let error = world.ask(NAMES, "").expect_err("nobody answers");
    assert!(started.elapsed() < Duration::from_secs(3));
    assert!(
        error
            .message()
            .contains("does not answer: Connection refused"),
        "{error}"
    );
}

#[test]
fn a_page_of_a_proxy_is_no_answer() {
    let world = World::new();
    let page = Fault {
        status: 200,
        body: "<html><title>Log in to the hotel</title></html>".to_owned(),
        ..Fault::new("POST", "*/jobs", 200)
    };
    world.server.fault(page);
    let error = world.ask(NAMES, "1 GB").expect_err("no JSON");
    assert_eq!(error.kind(), ErrorKind::Service);
    assert!(error.message().contains("Log in to the hotel"), "{error}");
    assert_eq!(world.server.jobs().len(), 0);
}

#[test]
fn an_answer_without_an_estimate_runs_nothing() {
    for body in [
        json!({}),
        json!({"statistics": {}}),
        json!({"jobReference": {"location": "US"}, "statistics": {"query": {"statementType": "SELECT"}}}),
    ] {
        let world = World::new();
        let reply = Fault {
            body: body.to_string(),
            content_type: "application/json".to_owned(),
            ..Fault::new("POST", "*/jobs", 200)
        };
        world.server.fault(reply);
        let asked = world.ask(NAMES, "100 MB");
        // Where the kind of statement is known the service itself holds the cap.
        assert_eq!(
            asked.is_ok(),
            body.pointer("/statistics/query/statementType").is_some(),
            "{body}"
        );
    }
}

#[test]
fn too_many_requests_are_slowed_down_and_quotas_are_not() {
    let reply = |status: u16, reason: &str| {
        Fault {
        body: json!({"error": {"code": status, "message": "Too much", "errors": [{"reason": reason}]}}).to_string(),
        content_type: "application/json".to_owned(),
        ..Fault::new("POST", "*/jobs", status)
    }
    };
    let world = World::new();
    world.server.fault(reply(429, "rateLimitExceeded"));
    assert!(world.ask(NAMES, "").is_ok());
    let world = World::new();
    world.server.fault(reply(403, "quotaExceeded"));
    let error = world.ask(NAMES, "").expect_err("a quota");
    assert_eq!(
        (error.kind(), error.message()),
        (ErrorKind::Query, "Too much")
    );
    assert_eq!(world.sent("POST", "/jobs").len(), 1);
}

#[test]
fn a_query_that_reads_is_run_again_when_its_job_fails() {
    let world = World::new();
    let answer = world.ask("SELECT flaky", "1 GB").expect("the second job");
    assert!(answer.run.is_some());
    let inserted = world.inserted();
    assert_eq!(inserted.len(), 2);
    assert_ne!(
        inserted[0].body["jobReference"]["jobId"],
        inserted[1].body["jobReference"]["jobId"]
    );
    // One that changes something is not.
    let world = World::new();
    let error = world
        .ask("DELETE FROM d.flaky WHERE true", "1 GB")
        .expect_err("its job failed");
    assert_eq!(world.inserted().len(), 1, "{error}");
}
