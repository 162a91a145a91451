//! What belongs to the shell: completions, manual pages, `hs doctor`, misspelt words, formats where there are none.

use std::process::Command;

use crate::{hs, ran};

run!(help_of_completions, "completions", "-h");
run!(help_of_man, "man", "-h");
run!(an_unknown_shell, "completions", "bsh");
run!(a_manual_page, "man", "compare");
run!(a_manual_page_of_no_command, "man", "kernel", "strat");
run!(a_manual_page_as_json, "man", "--format", "json");
run!(mcp_as_json, "mcp", "--format", "json");
run!(serve_into_a_file, "kernel", "serve", "-o", "x.json");
run!(
    misspelt_how,
    "joins",
    "orders.csv",
    "customers.csv",
    "customer",
    "--how",
    "lefft"
);
run!(
    misspelt_validate,
    "joins",
    "orders.csv",
    "customers.csv",
    "customer",
    "--validate",
    "n:1"
);
run!(misspelt_sheet, "charge", "orders.xlsx", "--sheet", "rate");
run!(misspelt_extension, "sauve", "orders.csv", "orders.cvs");
run!(
    misspelt_output,
    "charge",
    "orders.csv",
    "-o",
    "orders.prquet"
);
run!(
    misspelt_option_value,
    "decris",
    "orders.csv",
    "--format",
    "jsn"
);

/// A run without a home and without what would change the answer.
fn alone(arguments: &[&str], change: impl FnOnce(&mut Command)) -> String {
    let sessions = tempfile::tempdir().expect("a folder");
    let mut command = hs(arguments);
    command.env("XDG_RUNTIME_DIR", sessions.path());
    for name in ["HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"] {
        command.env(name, "/nowhere");
    }
    for name in [
        "HEADSTART_PYTHON",
        "GOOGLE_APPLICATION_CREDENTIALS",
        "CLOUDSDK_CORE_PROJECT",
        "BIGQUERY_EMULATOR_HOST",
    ] {
        command.env_remove(name);
    }
    change(&mut command);
    ran(command)
}

#[test]
fn doctor_with_nothing_set() {
    insta::assert_snapshot!(alone(&["doctor"], |_| {}));
}

#[test]
fn doctor_with_a_python_that_is_none() {
    insta::assert_snapshot!(alone(&["doctor", "--format", "jsonl"], |command| {
        command.env("HEADSTART_PYTHON", "/bin/false");
    }));
}

#[test]
fn scripts_of_completions_go_where_they_are_wanted() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("hs.fish");
    let path = path.to_str().expect("a path of letters");
    let said = ran(hs(&["completions", "fish", "-o", path]));
    assert_eq!(said, "exit 0\n--- stdout\n--- stderr\n");
    let written = std::fs::read_to_string(path).expect("a file");
    let shown = hs(&["completions", "fish"]).output().expect("hs starts");
    assert_eq!(written.as_bytes(), shown.stdout);
}
