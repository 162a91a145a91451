//! `hs kernel` and `hs ipython` where no session is: help, and what is wrong with a call. The native binary runs in no Python.

use std::process::Command;

use crate::{hs, ran};

run!(help_of_kernel, "kernel", "-h");
run!(help_of_kernel_start, "kernel", "start", "-h");
run!(help_of_kernel_run, "kernel", "run", "-h");
run!(help_of_kernel_search, "kernel", "search", "-h");
run!(help_of_kernel_log, "kernel", "log", "-h");
run!(help_of_kernel_setup, "kernel", "setup", "-h");
run!(help_of_ipython, "ipython", "-h");
run!(kernel_alone, "kernel");
run!(
    a_variable_without_a_value,
    "kernel",
    "start",
    "x",
    "--env",
    "A"
);
run!(a_time_that_is_none, "kernel", "run", "1", "--timeout", "-1");
run!(release_without_a_name, "kernel", "release");

/// A run whose home, data and sessions are in an empty folder, which the snapshot calls HOME.
fn alone(arguments: &[&str], change: impl FnOnce(&mut Command)) -> String {
    let home = tempfile::Builder::new()
        .prefix("hs-")
        .tempdir_in("/tmp")
        .expect("a folder");
    let mut command = hs(arguments);
    for name in ["HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR"] {
        command.env(name, home.path());
    }
    command.env_remove("HEADSTART_PYTHON");
    change(&mut command);
    let shown = home.path().display().to_string();
    ran(command).replace(&shown, "HOME")
}

#[test]
fn no_python_for_a_kernel() {
    insta::assert_snapshot!(alone(&["kernel", "start", "x"], |_| {}));
}

#[test]
fn a_python_that_is_not_there() {
    insta::assert_snapshot!(alone(&["kernel", "start", "x"], |command| {
        command.env("HEADSTART_PYTHON", "/nowhere/python");
    }));
}

#[test]
fn no_session() {
    insta::assert_snapshot!(alone(&["kernel", "run", "-s", "x", "1"], |_| {}));
}

#[test]
fn nothing_remembered() {
    insta::assert_snapshot!(alone(&["kernel", "search", "-s", "x", "a"], |_| {}));
}

#[test]
fn no_log() {
    insta::assert_snapshot!(alone(&["kernel", "log", "-s", "x"], |_| {}));
}

#[test]
fn no_checkpoint_of_this_id() {
    let arguments = ["kernel", "diff", "1234", "5678"];
    insta::assert_snapshot!(alone(&arguments, |_| {}));
}

#[test]
fn no_sessions() {
    insta::assert_snapshot!(alone(&["kernel", "list"], |_| {}));
}

#[test]
fn a_name_that_is_none() {
    insta::assert_snapshot!(alone(&["kernel", "start", "../x"], |_| {}));
}

#[test]
fn setup_from_nowhere() {
    let arguments = ["kernel", "setup", "--from", "/nowhere.whl"];
    insta::assert_snapshot!(alone(&arguments, |_| {}));
}

#[test]
fn no_console_without_a_terminal() {
    insta::assert_snapshot!(alone(&["ipython"], |_| {}));
}
