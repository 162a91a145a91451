//! Who asks: every kind of credentials, tokens that end, and what is told when there are none.

use std::path::PathBuf;

use hs_core::{Error, ErrorKind};
use hs_scripted_bigquery::{Options, Server};

use crate::world::World;

const NAMES: &str = "SELECT name FROM d.names";

fn with(make: impl FnOnce(&Server, &std::path::Path) -> PathBuf) -> World {
    let mut world = World::new();
    world.credentials = make(&world.server, world.folder.path());
    world
}

fn refused(world: &World) -> Error {
    let error = world.ask(NAMES, "1 GB").expect_err("no token");
    assert_eq!(error.kind(), ErrorKind::Credentials, "{error}");
    assert!(error.hint_text().is_some(), "{error}");
    assert!(world.sent("POST", "/jobs").is_empty());
    error
}

#[test]
fn every_kind_gets_a_token_and_asks() {
    let worlds = [
        with(|server, folder| server.service_account(folder).expect("a file")),
        with(|server, folder| server.authorized_user(folder).expect("a file")),
        with(|server, folder| {
            server
                .external_account(folder, false, false)
                .expect("a file")
        }),
        with(|server, folder| {
            server
                .external_account(folder, true, false)
                .expect("a file")
        }),
        with(|server, folder| {
            server
                .external_account(folder, false, true)
                .expect("a file")
        }),
        with(|server, folder| server.external_account(folder, true, true).expect("a file")),
    ];
    for world in worlds {
        let answer = world.ask(NAMES, "1 GB");
        let answer = answer.unwrap_or_else(|error| panic!("{:?}: {error}", world.credentials));
        assert!(answer.run.is_some());
        assert_eq!(world.sent("POST", "/token").len(), 1);
    }
}

#[test]
fn a_key_that_is_not_accepted_is_told_with_the_fix() {
    let world = with(|server, folder| server.wrong_key(folder).expect("a file"));
    let error = refused(&world);
    assert!(
        error
            .message()
            .contains("invalid_grant: Invalid JWT Signature."),
        "{error}"
    );
    let impersonated = with(|server, folder| server.impersonated(folder).expect("a file"));
    assert!(refused(&impersonated).message().contains(
        "credentials of type 'impersonated_service_account' are not supported; use service_account, authorized_user or \
         external_account"
    ));
    assert!(impersonated.server.log().is_empty());
}

#[test]
fn a_token_that_ends_in_the_middle_is_had_anew() {
    // Good for the dry run, the insert and the first page.
    let world = World::with(Options {
        token_calls: Some(3),
        ..Options::default()
    });
    let answer = world.ask(NAMES, "1 GB").expect("rows");
    assert_eq!(crate::world::column(&answer, "name").len(), 25);
    assert_eq!(world.sent("POST", "/token").len(), 2);
    assert_eq!(world.server.jobs().len(), 1);
}

#[test]
fn tokens_that_are_never_accepted_end_it() {
    let world = World::with(Options {
        token_calls: Some(0),
        ..Options::default()
    });
    let error = world.ask(NAMES, "").expect_err("no token is good");
    assert_eq!(error.kind(), ErrorKind::Credentials, "{error}");
    assert_eq!(world.sent("POST", "/token").len(), 2);
}

#[test]
fn a_quota_project_is_named_only_where_the_file_has_one() {
    let world = World::new();
    world.ask(NAMES, "").expect("an estimate");
    assert_eq!(
        world.sent("POST", "/jobs")[0].header("x-goog-user-project"),
        None
    );
    let text = std::fs::read_to_string(&world.credentials).expect("credentials");
    let text = text.replacen('{', "{\"quota_project_id\": \"other\", ", 1);
    std::fs::write(&world.credentials, text).expect("a file that can be written");
    world.server.clear_log();
    // The server takes it or not; here it counts that it is sent.
    let _ = world.ask(NAMES, "");
    assert_eq!(
        world.sent("POST", "/jobs")[0].header("x-goog-user-project"),
        Some("other")
    );
    assert!(
        world.sent("POST", "/jobs")[0]
            .header("user-agent")
            .is_some_and(|agent| agent.starts_with("headstart/"))
    );
}

#[test]
fn no_error_holds_a_secret() {
    let world = with(|server, folder| server.wrong_key(folder).expect("a file"));
    let key = std::fs::read_to_string(&world.credentials).expect("credentials");
    let secret = key
        .split("PRIVATE KEY-----")
        .nth(1)
        .expect("a key")
        .chars()
        .skip(4)
        .take(40)
        .collect::<String>();
    let error = refused(&world);
    let told = format!("{error} {error:?}");
    assert!(
        !told.contains(&secret) && !told.contains("assertion"),
        "{told}"
    );
}
