//! `hs interroge` against the scripted server. Nothing here leaves the machine.

use std::process::Command;

use hs_scripted_bigquery::{Options, Server};

use crate::{hs, ran, ran_with_input};

const VARIABLES: [&str; 4] = [
    "GOOGLE_APPLICATION_CREDENTIALS",
    "CLOUDSDK_CORE_PROJECT",
    "BIGQUERY_EMULATOR_HOST",
    "HEADSTART_BIGQUERY_DEADLINE",
];

/// The command with nothing set.
fn unset(arguments: &[&str]) -> Command {
    let mut command = hs(arguments);
    for name in VARIABLES {
        command.env_remove(name);
    }
    command
}

/// A run of `hs interroge` that asks the server.
fn asked(arguments: &[&str], input: &[u8]) -> String {
    let server = Server::start(Options::default()).expect("a free port");
    let folder = tempfile::tempdir().expect("a folder");
    let credentials = server.service_account(folder.path()).expect("a file");
    let mut command = unset(&[&["interroge"], arguments].concat());
    command
        .env(VARIABLES[0], credentials)
        .env(VARIABLES[1], "p1")
        .env(VARIABLES[2], server.url());
    ran_with_input(command, input)
}

run!(help_of_interroge, "interroge", "-h");

#[test]
fn interroge_with_nothing_set() {
    insta::assert_snapshot!(ran(unset(&["interroge", "SELECT 1"])));
}

#[test]
fn an_estimate() {
    insta::assert_snapshot!(asked(&["SELECT name FROM d.names", "--price", "6.25"], b""));
}

#[test]
fn an_estimate_of_standard_input_as_data() {
    insta::assert_snapshot!(asked(
        &["-", "--format", "jsonl"],
        b"SELECT a.id FROM d.a JOIN d.b USING (id)"
    ));
}

#[test]
fn over_the_cap() {
    insta::assert_snapshot!(asked(&["SELECT name FROM d.names", "--cap", "1 MB"], b""));
}

#[test]
fn rows_under_the_cap() {
    insta::assert_snapshot!(asked(
        &[
            "SELECT * FROM d.names LIMIT 2",
            "--cap",
            "1 GB",
            "-q",
            "--format",
            "csv"
        ],
        b""
    ));
}

#[test]
fn a_cap_that_is_none() {
    insta::assert_snapshot!(asked(&["SELECT 1", "--cap", "1,5 GB"], b""));
}

#[test]
fn a_syntax_error() {
    insta::assert_snapshot!(asked(
        &["-- names\nSELEC name FROM d.names", "--cap", "1 GB"],
        b""
    ));
}
