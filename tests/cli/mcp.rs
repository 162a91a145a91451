//! `hs mcp` without a host. What it does with one is tested by the official client, in `tests/kernel`.

use crate::{hs, ran, ran_with_input};

run!(help_of_mcp, "mcp", "-h");

#[test]
fn a_host_that_says_nothing_ends_the_server() {
    assert_eq!(ran(hs(&["mcp"])), "exit 0\n--- stdout\n--- stderr\n");
}

#[test]
fn nothing_but_the_protocol_is_on_standard_output() {
    let said = ran_with_input(hs(&["mcp"]), b"hello\n\n{}\n");
    let (head, stderr) = said.split_once("--- stderr\n").expect("both streams");
    let stdout = head.split_once("--- stdout\n").expect("both streams").1;
    for line in stdout.lines() {
        assert!(line.starts_with("{\"jsonrpc\":\"2.0\","), "{said}");
    }
    assert!(!stderr.contains("panic"), "{said}");
}
