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
run!(
    an_option_of_another_program,
    "charge",
    "orders.csv",
    "--sep",
    ";"
);
run!(
    a_key_as_another_program_has_it,
    "joins",
    "orders.csv",
    "customers.csv",
    "--on",
    "customer"
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

#[test]
fn a_view_behind_an_arrow_is_told() {
    let into_file = |arguments: &[&str]| {
        let mut command = hs(arguments);
        command.stdout(tempfile::tempfile().expect("a temporary file"));
        let output = command.stderr(std::process::Stdio::piped()).spawn();
        let output = output.and_then(std::process::Child::wait_with_output);
        String::from_utf8(output.expect("hs runs").stderr).expect("output is UTF-8")
    };
    let told = "a file got a view of the table";
    assert!(into_file(&["charge", "orders.csv"]).contains(told));
    for arguments in [
        &["charge", "orders.csv", "--format", "csv"][..],
        &["charge", "orders.csv", "--format", "table"],
        &["charge", "orders.csv", "-q"],
        &["decris", "orders.csv"],
    ] {
        assert!(!into_file(arguments).contains(told), "{arguments:?}");
    }
    assert!(!ran(hs(&["charge", "orders.csv"])).contains(told));
}

#[test]
fn a_file_that_is_saved_onto_itself_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.csv");
    std::fs::write(&path, "a,b\n1,2\n").expect("a file is written");
    let name = path.to_str().expect("a name in UTF-8");
    let told = "the file to read is the file to write";
    assert!(ran(hs(&["sauve", name, name])).contains(told));
    let other = folder.path().join("b.csv");
    let other = other.to_str().expect("a name in UTF-8");
    assert!(!ran(hs(&["sauve", name, other])).contains(told));
}
