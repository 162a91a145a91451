//! Queries that run: pages, locations, long jobs, statements without rows, Ctrl-C.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hs_core::{Control, ErrorKind};
use hs_scripted_bigquery::{NAMES, Options};

use crate::world::{World, column, lines};

#[test]
fn all_pages_come_in_order() {
    let world = World::new();
    let answer = world
        .ask("SELECT name FROM d.names", "20 GB")
        .expect("rows");
    assert_eq!(column(&answer, "name"), NAMES);
    let log = world.server.log();
    let pages: Vec<Option<&str>> = log
        .iter()
        .filter(|one| one.path.contains("/queries/"))
        .map(|one| one.parameter("pageToken"))
        .collect();
    assert_eq!(pages.len(), 3);
    assert!(pages[0].is_none() && pages[1].is_some() && pages[2].is_some() && pages[1] != pages[2]);
    let told = lines(&answer)[2];
    let start = "billed 66060288 bytes (63.0 MiB), at most 20000000000 bytes (18.6 GiB) allowed; processed 65935918 bytes \
                 (62.9 MiB), not from the cache; job hs_";
    assert!(told.starts_with(start), "{told}");
}

#[test]
fn a_page_may_have_its_rows_first() {
    let world = World::with(Options {
        rows_first: true,
        ..Options::default()
    });
    let answer = world
        .ask("SELECT name FROM d.names", "20 GB")
        .expect("rows");
    assert_eq!(column(&answer, "name"), NAMES);
}

#[test]
fn every_request_for_a_job_says_where_it_is() {
    let world = World::new();
    let answer = world.ask("SELECT * FROM d.west", "1 GB").expect("rows");
    assert!(lines(&answer)[1].ends_with(" in europe-west9"));
    assert_eq!(
        world.inserted()[0].body["jobReference"]["location"],
        "europe-west9"
    );
    let log = world.server.log();
    let gets: Vec<_> = log.iter().filter(|one| one.method == "GET").collect();
    assert!(gets.len() >= 2);
    for get in gets {
        assert_eq!(
            get.parameter("location"),
            Some("europe-west9"),
            "{}",
            get.path
        );
    }
}

#[test]
fn a_job_may_take_longer_than_a_request_waits() {
    // Waits of the server and the job in the proportion of ten seconds to eleven, and much beyond.
    for run in [220, 700] {
        let options = Options {
            wait: Duration::from_millis(200),
            run: Duration::from_millis(run),
            ..Options::default()
        };
        let world = World::with(options);
        let answer = world.ask("SELECT * FROM d.tiny", "1 GB").expect("rows");
        assert_eq!(column(&answer, "id").len(), 2);
        let log = world.server.log();
        let asked = log
            .iter()
            .filter(|one| one.path.contains("/queries/"))
            .count();
        assert!(asked > 1, "{asked}");
    }
}

#[test]
fn statements_without_rows_say_what_they_changed() {
    let world = World::new();
    let answer = world
        .ask("DELETE FROM d.names WHERE true", "1 GB")
        .expect("it runs");
    let run = answer.run.as_ref().expect("it ran");
    assert!(run.table.is_none());
    assert_eq!((run.changed, run.billed), (Some(25), Some(66_060_288)));
    assert!(lines(&answer).contains(&"25 rows changed"));
    let answer = world
        .ask("CREATE TABLE d.new (x INT64)", "1 GB")
        .expect("it runs");
    let run = answer.run.as_ref().expect("it ran");
    assert!(run.table.is_none() && run.changed.is_none());
    let summary = answer.summary().expect("a table");
    assert_eq!((summary.height(), summary.width()), (1, 10));
}

#[test]
fn no_rows_are_a_table_with_columns() {
    let world = World::new();
    let answer = world
        .ask("SELECT name FROM d.names LIMIT 0", "1 GB")
        .expect("it runs");
    let table = answer.run.expect("it ran").table.expect("a table");
    assert_eq!((table.height(), table.width()), (0, 1));
}

#[test]
fn what_is_in_the_cache_is_free() {
    let world = World::with(Options {
        cache: true,
        ..Options::default()
    });
    let first = world.ask("SELECT name FROM d.names", "1 GB").expect("rows");
    let again = world.ask("SELECT name FROM d.names", "1 GB").expect("rows");
    assert_eq!(first.run.map(|run| run.cache_hit), Some(Some(false)));
    let run = again.run.as_ref().expect("it ran");
    assert_eq!((run.cache_hit, run.billed), (Some(true), Some(0)));
    assert!(lines(&again)[2].contains("from the cache"));
}

#[test]
fn a_query_that_fails_while_it_runs_says_why() {
    let world = World::new();
    let error = world
        .ask("SELECT 1 / 0 AS x", "1 GB")
        .expect_err("a division by zero");
    assert_eq!(error.kind(), ErrorKind::Query);
    assert!(error.message().contains("division by zero"), "{error}");
    assert_eq!(world.inserted().len(), 1);
}

#[test]
fn a_stop_cancels_the_job_where_it_is() {
    let world = Arc::new(World::with(Options {
        run: Duration::from_mins(1),
        page_rows: BTreeMap::new(),
        ..Options::default()
    }));
    let control = Arc::new(Control::default());
    let asking = {
        let (world, control) = (Arc::clone(&world), Arc::clone(&control));
        std::thread::spawn(move || world.ask_until("SELECT * FROM d.west", "1 GB", &control))
    };
    // Until it is there.
    let deadline = Instant::now() + Duration::from_secs(20);
    while world.server.jobs().is_empty() {
        assert!(Instant::now() < deadline, "no job was started");
        std::thread::yield_now();
    }
    let stopped = Instant::now();
    control.stop();
    let error = asking
        .join()
        .expect("no panic")
        .expect_err("it was stopped");
    assert_eq!(error.kind(), ErrorKind::Interrupted);
    assert!(stopped.elapsed() < Duration::from_secs(5));
    let cancels = world.sent("POST", "/cancel");
    assert_eq!(cancels.len(), 1);
    assert_eq!(cancels[0].parameter("location"), Some("europe-west9"));
    assert_eq!(world.server.jobs()[0].state, "DONE");
}
