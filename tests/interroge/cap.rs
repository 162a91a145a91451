//! With a cap: what is refused here, what by the service, and what runs.

use hs_core::{Error, ErrorKind};
use hs_scripted_bigquery::{Options, Refusal};

use crate::world::{World, lines};

fn figures(error: &Error) -> (u64, u64) {
    assert_eq!(error.kind(), ErrorKind::Cap, "{error}");
    let figure = |name: &str| {
        error
            .figures()
            .iter()
            .find(|(key, _)| *key == name)
            .map(|(_, value)| *value)
    };
    (
        figure("required").expect("required"),
        figure("cap").expect("cap"),
    )
}

#[test]
fn what_cannot_fit_is_refused_before_it_is_sent() {
    for (sql, cap, required) in [
        ("SELECT name FROM d.names", "1000000", 66_060_288),
        (
            "SELECT a.id FROM d.a JOIN d.b USING (id)",
            "163595928",
            164_626_432,
        ),
        ("SELECT * FROM d.clustered", "1 GiB", 53_687_091_200),
        ("SELECT * FROM d.tiny", "10 MB", 10_485_760),
        ("DELETE FROM d.names WHERE true", "66060287", 66_060_288),
    ] {
        let world = World::new();
        let error = world.ask(sql, cap).expect_err(sql);
        let bytes = hs_bigquery::Cap::parse(cap).expect("a cap").bytes();
        assert_eq!(figures(&error), (required, bytes), "{sql}");
        assert_eq!(world.sent("POST", "/jobs").len(), 1, "{sql}");
        assert!(world.server.jobs().is_empty(), "{sql}");
    }
    let tiny = World::new()
        .ask("SELECT * FROM d.tiny", "10 MB")
        .expect_err("too small");
    assert!(
        tiny.message()
            .starts_with("BigQuery bills at least 10 MiB (10485760 bytes)"),
        "{tiny}"
    );
}

#[test]
fn what_the_service_refuses_is_one_outcome_in_all_its_shapes() {
    for cap_refused in [
        Refusal::ErrorResult,
        Refusal::Http400,
        Refusal::Http500,
        Refusal::Late,
    ] {
        let world = World::with(Options {
            cap_refused,
            ..Options::default()
        });
        let error = world
            .ask("SELECT a.id FROM d.a JOIN d.b USING (id)", "170000000")
            .expect_err("too small");
        assert_eq!(
            figures(&error),
            (174_063_616, 170_000_000),
            "{cap_refused:?}"
        );
        assert_eq!(error.hint_text(), Some("cap=\"200 MB\" leaves some room"));
        assert_eq!(world.inserted().len(), 1, "{cap_refused:?}");
        assert_eq!(
            world
                .server
                .jobs()
                .iter()
                .map(|job| job.billed)
                .sum::<u64>(),
            0
        );
    }
}

#[test]
fn what_fits_runs_and_is_billed_at_most_the_cap() {
    for (sql, cap, billed, line) in [
        (
            "SELECT name FROM d.names",
            "20 GB",
            66_060_288,
            "SELECT  65935918 bytes (62.9 MiB)",
        ),
        (
            "SELECT * FROM d.clustered",
            "60 GB",
            10_485_760,
            "SELECT  at most 53687091200 bytes (50.0 GiB)",
        ),
        (
            "SELECT * FROM d.ext",
            "1 GB",
            734_003_200,
            "SELECT  at least 0 bytes (external data is not estimated)",
        ),
        (
            "SELECT * FROM d.tiny",
            "10 MiB",
            10_485_760,
            "SELECT  12 bytes",
        ),
        ("SELECT 1 AS x", "1", 0, "SELECT  0 bytes"),
    ] {
        let world = World::new();
        let answer = world.ask(sql, cap).expect(sql);
        assert_eq!(lines(&answer)[0], line);
        let run = answer.run.as_ref().expect("it ran");
        assert_eq!(
            (run.billed, run.cache_hit),
            (Some(billed), Some(false)),
            "{sql}"
        );
        let bytes = hs_bigquery::Cap::parse(cap).expect("a cap").bytes();
        let inserted = world.inserted();
        assert_eq!(inserted.len(), 1);
        let query = &inserted[0].body["configuration"]["query"];
        assert_eq!(query["maximumBytesBilled"], bytes.to_string());
        assert_eq!(query["useLegacySql"], false);
        assert!(billed <= bytes);
    }
}

#[test]
fn scripts_and_procedures_are_never_run() {
    for sql in [
        "DECLARE x INT64; SELECT name FROM d.names",
        "SELECT 1; SELECT 2",
        "CALL d.refresh()",
    ] {
        let world = World::new();
        let error = world.ask(sql, "1 GB").expect_err(sql);
        assert_eq!(error.kind(), ErrorKind::Argument);
        assert!(error.message().contains("cannot be capped"), "{error}");
        assert!(world.inserted().is_empty());
    }
    // A function of its own makes no script.
    let world = World::new();
    let answer = world.ask(
        "CREATE TEMP FUNCTION f() AS (1); SELECT name FROM d.names",
        "1 GB",
    );
    assert!(answer.expect("a statement").run.is_some());
}
