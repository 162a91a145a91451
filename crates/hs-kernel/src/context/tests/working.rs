//! The thread of a session: order, faults, its end.

use std::fs;
use std::sync::mpsc;
use std::time::Duration;

use super::super::{Context, Place, Search};
use super::*;

const DEADLINE: Duration = Duration::from_mins(1);

fn begin(path: &Path) -> (Context, mpsc::Receiver<String>) {
    let (tell, told) = mpsc::channel();
    let place = Place::Session(path.to_owned());
    let tell = move |text| {
        let _ = tell.send(text);
    };
    let context = Context::begin(place, Options::default(), tell).expect("a thread");
    (context, told)
}

fn found(context: &Context, query: &str) -> u64 {
    let (tell, told) = mpsc::channel();
    let search = Search::new(query);
    context.ask(
        move |database| database.search(&search),
        move |found| tell.send(found).expect("awaited"),
    );
    told.recv_timeout(DEADLINE)
        .expect("an answer")
        .expect("found")
        .of
}

#[test]
fn what_was_handed_over_is_found_at_once_and_written_at_the_end() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.db");
    let (context, told) = begin(&path);
    assert!(!path.exists());
    for number in 1..=100 {
        context.add(cell(number, "needle()", ""));
    }
    assert_eq!(found(&context, "needle"), 100);
    let facts = context.facts();
    assert_eq!((facts.entries, facts.lost, &facts.path), (100, 0, &path));
    assert!(facts.bytes > 0);
    context.add(cell(101, "last()", ""));
    assert!(context.end(DEADLINE));
    assert_eq!(all(&open(&path)).len(), 101);
    assert!(told.try_recv().is_err());
}

#[test]
fn a_file_that_cannot_be_written_is_told_once_until_it_can() {
    let folder = tempfile::tempdir().expect("a folder");
    let (inside, path) = (
        folder.path().join("inside"),
        folder.path().join("inside/a.db"),
    );
    let (context, told) = begin(&path);
    context.add(cell(1, "x", ""));
    context.add(cell(2, "x", ""));
    let text = told.recv_timeout(DEADLINE).expect("told");
    assert!(
        text.contains("cells cannot be kept") && text.contains("inside/a.db"),
        "{text}"
    );
    let (tell, answered) = mpsc::channel();
    context.ask(
        |database| database.count(),
        move |count| tell.send(count).expect("awaited"),
    );
    answered
        .recv_timeout(DEADLINE)
        .expect("an answer")
        .expect_err("no file");
    assert_eq!(context.facts().lost, 2);
    fs::create_dir(&inside).expect("made");
    context.add(cell(3, "needle", ""));
    assert_eq!(found(&context, "needle"), 1);
    assert!(told.try_recv().is_err());
    assert!(context.end(DEADLINE));
}

#[test]
fn a_file_that_breaks_while_it_is_used_is_put_aside() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.db");
    drop(filled(&path, &[cell(1, "x", &"y\n".repeat(20_000))]));
    let (context, told) = begin(&path);
    assert_eq!(found(&context, ""), 1);
    let mut bytes = fs::read(&path).expect("read");
    let half = bytes.len() / 4;
    bytes[half..].fill(0xa5);
    fs::write(&path, bytes).expect("written");
    // A reader of its own sees what is on the disk.
    assert!(context.end(DEADLINE));
    let (context, _) = (begin(&path), told);
    context.0.add(cell(2, "needle", ""));
    assert_eq!(found(&context.0, "needle"), 1);
    assert!(context.0.end(DEADLINE));
    let kept = all(&open(&path));
    assert!(kept.iter().any(|entry| *entry == cell(2, "needle", "")));
}
