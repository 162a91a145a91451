//! Exports, and what comes back of them.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use proptest::prelude::*;
use serde_json::json;

use super::super::{Client, Format, Kind};
use super::*;

fn entries() -> impl Strategy<Value = Entry> {
    let cell = (
        (
            any::<String>(),
            any::<String>(),
            any::<Option<String>>(),
            any::<Option<String>>(),
        ),
        (
            any::<Option<i64>>(),
            any::<i64>(),
            any::<i64>(),
            any::<Option<String>>(),
            any::<bool>(),
            any::<Option<i32>>(),
        ),
    )
        .prop_map(
            |(
                (code, output, ename, evalue),
                (number, generation, duration_ms, checkpoint, console, run),
            )| {
                What::Cell(Cell {
                    code,
                    output,
                    status: if ename.is_some() { "error" } else { "ok" }.to_owned(),
                    ename,
                    evalue,
                    number,
                    generation,
                    duration_ms,
                    checkpoint,
                    run: run.map(|number| json!({"of": [number, null]})),
                    client: if console {
                        Client::Console
                    } else {
                        Client::Host
                    },
                })
            },
        );
    let message = (any::<String>(), any::<String>())
        .prop_map(|(role, text)| What::Message(Message { role, text }));
    (
        any::<String>(),
        0..253_402_300_799_000i64,
        prop_oneof![cell, message],
    )
        .prop_map(|(session, time, what)| Entry {
            session,
            time,
            what,
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_is_imported_is_what_was_exported(mut written in proptest::collection::vec(entries(), 0..8), twice in any::<bool>()) {
        if twice && let Some(first) = written.first().cloned() {
            written.push(first);
        }
        let folder = tempfile::tempdir().expect("a folder");
        let (file, again) = (folder.path().join("a.jsonl"), folder.path().join("b.jsonl"));
        let one = filled(&folder.path().join("one.db"), &written);
        prop_assert_eq!(all(&one), written.clone());
        prop_assert_eq!(one.export(Format::Jsonl, &file, false).expect("exported"), written.len() as u64);
        let mut other = open(&folder.path().join("other.db"));
        prop_assert_eq!(other.import(&file).expect("imported"), written.len() as u64);
        prop_assert_eq!(all(&other), written.clone());
        other.export(Format::Jsonl, &again, false).expect("exported");
        prop_assert_eq!(fs::read(&file).expect("read"), fs::read(&again).expect("read"));
        // What is there is not added again.
        prop_assert_eq!(other.import(&file).expect("imported"), 0);
        prop_assert_eq!(all(&other), written);
    }
}

#[test]
fn what_is_imported_is_found() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("a.jsonl");
    let one = filled(&folder.path().join("one.db"), &[cell(1, "needle()", "")]);
    one.export(Format::Jsonl, &file, false).expect("exported");
    let mut other = filled(&folder.path().join("other.db"), &[cell(9, "x", "")]);
    assert_eq!(other.import(&file).expect("imported"), 1);
    let found = other
        .search(&super::super::Search::new("needle"))
        .expect("found");
    assert_eq!((found.of, found.hits[0].cell), (1, Some(1)));
}

#[test]
fn texts_that_are_too_long_are_cut_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let long = cell(1, &"é".repeat(600_000), "").bounded();
    assert!(long.bytes() <= (1 << 20) + 64);
    assert_eq!(long.clone().bounded(), long);
    let What::Cell(cut) = &long.what else {
        panic!("a cell")
    };
    assert!(
        cut.code.ends_with("é\n[151424 bytes more were not kept]"),
        "{:?}",
        &cut.code[cut.code.len() - 60..]
    );
    filled(&folder.path().join("a.db"), &[long]);
}

#[test]
fn a_file_is_replaced_only_when_asked_and_never_half() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("out.md");
    let database = filled(&folder.path().join("a.db"), &[cell(1, "x", "")]);
    fs::write(&file, "mine").expect("written");
    let error = database
        .export(Format::Markdown, &file, false)
        .expect_err("refused");
    assert_eq!(error.kind(), Kind::Exists);
    assert!(
        error.to_string().contains("there is such a file already"),
        "{error}"
    );
    assert_eq!(fs::read_to_string(&file).expect("read"), "mine");
    database
        .export(Format::Markdown, &file, true)
        .expect("exported");
    assert!(
        fs::read_to_string(&file)
            .expect("read")
            .contains("```python\nx\n```")
    );
    assert_eq!(
        fs::metadata(&file).expect("there").permissions().mode() & 0o777,
        0o600
    );
    let relative = database.export(Format::Jsonl, Path::new("a.jsonl"), false);
    assert_eq!(relative.expect_err("refused").kind(), Kind::Format);
    for wrong in [
        folder.path(),
        &folder.path().join("nowhere/a.jsonl"),
        Path::new("/dev/null/a"),
    ] {
        database
            .export(Format::Jsonl, wrong, true)
            .expect_err("refused");
    }
    let names = fs::read_dir(folder.path()).expect("a folder").flatten();
    let left = names.filter(|entry| entry.file_name().to_string_lossy().contains(".tmp"));
    assert_eq!(left.count(), 0);
}

#[test]
fn a_file_that_is_no_export_changes_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("a.jsonl");
    let mut database = filled(&folder.path().join("a.db"), &[cell(1, "x", "")]);
    let title = super::super::export::TITLE;
    let good = cell(2, "y", "").line();
    for (text, words) in [
        (String::new(), "line 1: expected an export"),
        (
            "{\"headstart\":\"other\",\"version\":1}\n".to_owned(),
            "line 1: expected an export",
        ),
        (
            "{\"headstart\":\"context\",\"version\":2}\n".to_owned(),
            "update headstart",
        ),
        (
            format!("{title}\n{good}\n{{}}\n"),
            "line 3: expected an entry",
        ),
        (
            format!(
                "{title}\n{good}\n{}\n",
                good.replace("1796000002.123", "-1")
            ),
            "expected seconds since 1970",
        ),
        (
            format!("{title}\n{good}\n{}", &good[..20]),
            "line 3: expected an entry",
        ),
    ] {
        fs::write(&file, &text).expect("written");
        let error = database.import(&file).expect_err(&text);
        assert!(error.to_string().contains(words), "{text}: {error}");
        assert_eq!(all(&database).len(), 1);
    }
    database
        .import(&folder.path().join("nowhere"))
        .expect_err("missing");
    fs::write(&file, format!("{title}\n\n{good}\n")).expect("written");
    assert_eq!(database.import(&file).expect("imported"), 1);
}

#[test]
fn markdown_and_text_show_all_of_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut failed = cell(2, "s = '```'", "");
    if let What::Cell(cell) = &mut failed.what {
        cell.status = "error".to_owned();
        cell.ename = Some("KeyboardInterrupt".to_owned());
        cell.evalue = Some(String::new());
        cell.checkpoint = Some("ab".repeat(16));
        cell.client = Client::Console;
    }
    let entries = [
        message("user", "load\n# it"),
        cell(1, "x = 1\nx", "1\n"),
        failed,
    ];
    let database = filled(&folder.path().join("a.db"), &entries);
    let file = folder.path().join("a.md");
    assert_eq!(
        database
            .export(Format::Markdown, &file, false)
            .expect("exported"),
        3
    );
    let text = fs::read_to_string(&file).expect("read");
    assert_eq!(
        text,
        "# Cells and messages\n\n## Message by user in work, 2026-11-30 00:53:20 UTC\n\n> load\n> # it\n\n\
         ## Cell 1 of work, 2026-11-30 00:53:21 UTC\n\nok after 0.004 s, kernel 1, by the host\n\n\
         ```python\nx = 1\nx\n```\n\n```text\n1\n```\n\n\
         ## Cell 2 of work, 2026-11-30 00:53:22 UTC\n\nerror after 0.004 s, kernel 1, by the console, \
         checkpoint abababababababababababababababab\n\n````python\ns = '```'\n````\n\n\
         ```text\nKeyboardInterrupt: \n```\n"
    );
    let file = folder.path().join("a.txt");
    database
        .export(Format::Text, &file, false)
        .expect("exported");
    assert_eq!(
        fs::read_to_string(&file).expect("read"),
        "user: load\n# it\n\nIn [1]: x = 1\n   ...: x\n1\n\nIn [2]: s = '```'\nKeyboardInterrupt: \n\n"
    );
}

#[test]
fn the_text_is_the_newest_sixteen_megabytes() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = "x".repeat(1 << 20);
    let entries: Vec<Entry> = (1..=20)
        .map(|number| cell(number, "big()", &output))
        .collect();
    let database = filled(&folder.path().join("a.db"), &entries);
    let file = folder.path().join("a.txt");
    assert_eq!(
        database
            .export(Format::Text, &file, false)
            .expect("exported"),
        15
    );
    let text = fs::read_to_string(&file).expect("read");
    assert!(
        text.starts_with(
            "[5 older ones are not shown; hs kernel export has them]\n\nIn [6]: big()\n"
        )
    );
    assert!(text.len() <= (16 << 20) + 100);
}
