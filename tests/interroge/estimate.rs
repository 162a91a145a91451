//! Without a cap: only dry runs, and what they say.

use hs_core::ErrorKind;
use serde_json::json;

use crate::world::{World, lines};

#[test]
fn nothing_but_a_dry_run_is_sent_without_a_cap() {
    for (sql, line) in [
        (
            "SELECT name FROM d.names",
            "SELECT  65935918 bytes (62.9 MiB)",
        ),
        ("SELECT 1 AS x", "SELECT  0 bytes"),
        (
            "SELECT * FROM d.clustered",
            "SELECT  at most 53687091200 bytes (50.0 GiB)",
        ),
        (
            "SELECT * FROM d.ext",
            "SELECT  at least 0 bytes (external data is not estimated)",
        ),
        (
            "SELECT * FROM d.remote",
            "SELECT  1000000 bytes (976.6 KiB), accuracy unknown",
        ),
        ("CREATE TABLE d.new (x INT64)", "CREATE_TABLE  0 bytes"),
        (
            "DELETE FROM d.names WHERE true",
            "DELETE  65935918 bytes (62.9 MiB)",
        ),
        ("SELECT all_types", "SELECT  400 bytes"),
        (
            "DECLARE x INT64; SELECT name FROM d.names",
            "SCRIPT  at least 65935918 bytes (62.9 MiB)",
        ),
    ] {
        let world = World::new();
        let answer = world.ask(sql, "").expect(sql);
        assert_eq!(lines(&answer)[0], line);
        assert!(answer.run.is_none());
        let log = world.server.log();
        let sent: Vec<(&str, &str)> = log
            .iter()
            .map(|one| (one.method.as_str(), one.path.as_str()))
            .collect();
        assert_eq!(
            sent,
            [
                ("POST", "/token"),
                ("POST", "/bigquery/v2/projects/p1/jobs")
            ],
            "{sql}"
        );
        assert_eq!(
            log[1].body,
            json!({"configuration": {"dryRun": true, "query": {"query": sql, "useLegacySql": false, "useQueryCache": false}}})
        );
        assert!(world.server.jobs().is_empty());
    }
}

#[test]
fn tables_location_and_the_next_step_are_told() {
    let world = World::new();
    let answer = world.ask(
        "SELECT a.id FROM d.a JOIN d.b USING (id) JOIN d.a AS c USING (id)",
        "",
    );
    let answer = answer.expect("an estimate");
    assert_eq!(
        lines(&answer)[1..],
        [
            "reads p1.d.a, p1.d.b in US",
            "nothing was run: cap=\"190 MB\" runs it"
        ]
    );
    let script = world
        .ask("DECLARE x INT64; SELECT name FROM d.names", "")
        .expect("an estimate");
    assert!(
        lines(&script)
            .last()
            .expect("lines")
            .starts_with("a script cannot be capped")
    );
}

#[test]
fn what_is_refused_is_told_as_bigquery_says_it() {
    let world = World::new();
    for (sql, kind, message) in [
        (
            "SELEC 1",
            ErrorKind::Query,
            "Syntax error: Unexpected identifier \"SELEC\" at [1:1] (400)",
        ),
        (
            "SELECT * FROM d.zzz",
            ErrorKind::Query,
            "Not found: Table p1:d.zzz was not found in location US",
        ),
        (
            "SELECT * FROM secret.t",
            ErrorKind::Credentials,
            "Access Denied: Table p1:secret.t",
        ),
        (
            "SELECT * FROM secret.bare",
            ErrorKind::Credentials,
            "Access Denied: Table p1:secret.bare",
        ),
    ] {
        for cap in ["", "1 GB"] {
            let error = world.ask(sql, cap).expect_err(sql);
            assert_eq!(error.kind(), kind, "{error}");
            assert!(error.message().starts_with(message), "{error}");
            assert!(error.hint_text().is_some(), "{error}");
        }
    }
    assert!(world.inserted().is_empty());
}

#[test]
fn an_empty_query_is_not_sent() {
    let world = World::new();
    let error = world.ask(" \n", "").expect_err("nothing to ask");
    assert_eq!(error.kind(), ErrorKind::Argument);
    assert!(world.server.log().is_empty());
}
