//! `hs compare`: data on standard output, the account on standard error, the exit code says whether anything differs.

use super::{FIXTURES, hs, ran, ran_in, ran_with_input};

run!(help_of_compare, "compare", "-h");
run!(
    compare_identical,
    "compare",
    "orders.xlsx#2026",
    "orders.csv",
    "order_id"
);
run!(
    compare_nothing_in_common,
    "diff",
    "orders.xlsx#2025",
    "orders.xlsx#2026",
    "order_id",
    "--only",
    "month",
    "-o",
    "/dev/null",
    "--format",
    "csv"
);
run!(
    compare_key_of_several_rows,
    "compare",
    "orders.csv",
    "orders.tsv",
    "customer"
);
run!(
    compare_tolerance_of_text,
    "compare",
    "orders.csv",
    "orders.tsv",
    "order_id",
    "--tol",
    "code=1"
);
run!(
    compare_unknown_key,
    "compare",
    "orders.csv",
    "orders.tsv",
    "order"
);
run!(
    compare_bad_tolerance,
    "compare",
    "orders.csv",
    "orders.tsv",
    "order_id",
    "--tol",
    "much"
);
run!(compare_standard_input_twice, "compare", "-", "-", "id");
run!(compare_without_key, "compare", "orders.csv", "orders.tsv");

/// The orders with another amount, another name, one order less, one more.
fn edited() -> Vec<u8> {
    let orders = std::fs::read_to_string(format!("{FIXTURES}/orders.csv")).expect("the orders");
    let mut lines: Vec<String> = orders
        .lines()
        .filter(|line| !line.starts_with("26003"))
        .map(|line| {
            line.replace("42.76", "42.8")
                .replace("\u{c5}ngstr\u{f6}m", "Angstrom")
        })
        .collect();
    lines.push("26099,99,,New,2026-08,2026-08-01,,1,1.0,false".to_owned());
    lines[1..].reverse();
    (lines.join("\n") + "\n").into_bytes()
}

#[test]
fn what_differs_is_on_standard_output() {
    for (number, options) in [
        &["--ignore", "customer"][..],
        &["--ignore", "customer", "--format", "json"],
        &["--only", "amount", "--tol", "amount=0.1", "--format", "csv"],
        &["--ignore", "customer", "-q", "--format", "md"],
    ]
    .iter()
    .enumerate()
    {
        let arguments = [&["compare", "orders.csv", "-", "order_id"], *options].concat();
        let run = ran_with_input(hs(&arguments), &edited());
        insta::assert_snapshot!(format!("what_differs_{number}"), run);
    }
}

#[test]
fn the_result_may_go_to_a_file() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text);
    write("a.csv", "id,x\n1,1\n2,2\n").expect("the input");
    write("b.csv", "id,x\n2,3\n1,1.0\n").expect("the input");
    let arguments = ["compare", "a.csv", "b.csv", "id", "-o", "out.csv"];
    insta::assert_snapshot!(ran_in(folder.path(), &arguments, &["out.csv"]));
}

/// A reader that goes away, as `head` does: the account stays on standard error, and the code is that of the answer.
#[cfg(unix)]
#[test]
fn the_code_is_that_of_the_answer_when_nobody_reads_on() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let rows = |last: u32| {
        let rows = (1..=20_000).map(|id| format!("{id},{}\n", id + last));
        format!("id,n\n{}", rows.collect::<String>())
    };
    for (name, last) in [("a.csv", 0), ("b.csv", 1)] {
        std::fs::write(folder.path().join(name), rows(last)).expect("a file is written");
    }
    let runs: [(&[&str], i32, &str); 4] = [
        (
            &["compare", "a.csv", "b.csv", "id"],
            1,
            "20,000 changed (n 20,000)",
        ),
        (&["compare", "a.csv", "a.csv", "id"], 0, "identical"),
        (
            &["verifie", "a.csv", "low=n < 9"],
            1,
            "hs: 1 of 1 check failed",
        ),
        (&["combien", "a.csv", "n", "-n", "all"], 0, ""),
    ];
    for (arguments, code, told) in runs {
        for format in ["table", "csv", "json", "jsonl", "md"] {
            let (reader, writer) = std::io::pipe().expect("a pipe");
            drop(reader);
            let mut command = hs(arguments);
            command
                .current_dir(folder.path())
                .args(["--format", format]);
            let output = command.stdout(writer).output().expect("hs starts");
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(
                output.status.code(),
                Some(code),
                "{arguments:?} {format}: {said}"
            );
            assert!(said.contains(told), "{arguments:?} {format}: {said}");
        }
    }
}

#[test]
fn keys_and_names_that_are_nearly_the_same() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let files = [
        ("a.csv", "id,Amount\nX01,5\nx2,6\n"),
        ("b.csv", "id,amount\nx01,5\nx2,6\n"),
        ("text.csv", "id\n000001\n000002\n"),
        ("number.csv", "id\n1\n2\n"),
    ];
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).expect("a file is written");
    }
    insta::assert_snapshot!(ran_in(
        folder.path(),
        &["compare", "a.csv", "b.csv", "id"],
        &[]
    ));
    insta::assert_snapshot!(ran_in(
        folder.path(),
        &["compare", "text.csv", "number.csv", "id"],
        &[]
    ));
}
