//! What a collection takes and what it leaves.

use std::fs::File;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use super::{Sandbox, add, id, random, save, values};
use crate::store::{About, CHUNK, Id, Kind, Store};

fn age(sandbox: &Sandbox, number: u64, seconds: u64) {
    let path = sandbox
        .root()
        .join("manifests")
        .join(id(number).to_string());
    let file = File::options().write(true).open(path).expect("a file");
    file.set_modified(SystemTime::now() - Duration::from_secs(seconds))
        .expect("dated");
}

/// Five checkpoints of a megabyte each, the first one the oldest; nobody holds them.
fn five(sandbox: &Sandbox, store: &Store) {
    for number in 1..=5 {
        save(store, id(number), None, &[("x", &random(number, CHUNK))]).expect("saved");
        age(sandbox, number, 1000 - number * 100);
    }
    store.hold(&[]).expect("held");
}

fn left(sandbox: &Sandbox) -> Vec<Id> {
    let name = |path: PathBuf| {
        path.file_name()
            .and_then(|name| name.to_str())
            .expect("a name")
            .parse()
    };
    sandbox
        .files("manifests")
        .into_iter()
        .map(|path| name(path).expect("an id"))
        .collect()
}

#[test]
fn what_was_not_used_for_longest_goes_first() {
    let sandbox = Sandbox::new();
    let store = sandbox.store_of(4 << 20);
    five(&sandbox, &store);
    // The oldest is restored, the next one becomes a parent; the third one is named by the caller.
    store.first_readable(&[&id(1).to_string()]).expect("asked");
    save(&store, id(6), Some(id(2)), &[("x", b"1")]).expect("saved");
    let collected = store.collect(&[id(3)]).expect("collected");
    assert_eq!(collected.checkpoints, [id(4), id(5)]);
    assert_eq!(left(&sandbox), [id(1), id(2), id(3), id(6)]);
    assert_eq!(sandbox.files("objects").len(), 3);
    assert_eq!(store.size().expect("a size"), collected.bytes);
    for id in left(&sandbox) {
        values(&store, id).expect("readable");
    }
}

#[test]
fn nothing_goes_below_the_limit() {
    let sandbox = Sandbox::new();
    let store = sandbox.store();
    five(&sandbox, &store);
    let before = store.size().expect("a size");
    let collected = store.collect(&[]).expect("collected");
    assert_eq!((collected.checkpoints.len(), collected.objects), (0, 0));
    assert_eq!(collected.bytes, before);
}

#[test]
fn what_was_not_used_for_a_month_goes() {
    let sandbox = Sandbox::new();
    let store = sandbox.store();
    five(&sandbox, &store);
    for number in [1, 2, 3] {
        age(&sandbox, number, 31 * 24 * 60 * 60);
    }
    store.hold(&[id(2)]).expect("held");
    let collected = store.collect(&[]).expect("collected");
    assert_eq!(collected.checkpoints.len(), 2);
    assert_eq!(left(&sandbox), [id(2), id(4), id(5)]);
    assert_eq!(collected.objects, 2);
}

#[test]
fn objects_of_two_checkpoints_stay_with_the_second() {
    let sandbox = Sandbox::new();
    let store = sandbox.store_of(1_056_000);
    let value = random(1, CHUNK);
    for number in 1..=2 {
        save(&store, id(number), None, &[("x", &value)]).expect("saved");
    }
    let collected = store.collect(&[]).expect("collected");
    assert_eq!((collected.checkpoints, collected.objects), (vec![id(1)], 0));
    assert_eq!(values(&store, id(2)).expect("readable")["x"], value);
}

#[test]
fn the_count_is_mended_and_what_dead_processes_left_is_taken_away() {
    let sandbox = Sandbox::new();
    let store = sandbox.store();
    five(&sandbox, &store);
    let real = store.size().expect("a size");
    std::fs::write(sandbox.root().join("size"), "nonsense").expect("written");
    for (folder, name) in [("unfinished", "1-dead.7"), ("holders", "1-dead")] {
        let file = sandbox.root().join(folder).join(name);
        std::fs::write(&file, "{}").expect("written");
        std::fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o600))
            .expect("private");
    }
    let nobodys = random(9, 100);
    let name = blake3::hash(&nobodys).to_hex().to_string();
    std::fs::write(sandbox.root().join("objects").join(name), nobodys).expect("written");
    let foreign = sandbox.root().join("objects").join("README");
    std::fs::write(&foreign, "not ours").expect("written");
    let collected = store.collect(&[]).expect("collected");
    assert_eq!(collected.objects, 1);
    assert_eq!(store.size().expect("a size"), real);
    assert!(sandbox.files("unfinished").is_empty());
    assert_eq!(sandbox.files("holders").len(), 1);
    assert!(foreign.exists());
}

#[test]
fn a_damaged_checkpoint_goes_and_one_of_a_newer_headstart_stops_the_collection() {
    let sandbox = Sandbox::new();
    let store = sandbox.store();
    five(&sandbox, &store);
    let path = |number: u64| {
        sandbox
            .root()
            .join("manifests")
            .join(id(number).to_string())
    };
    let change = |number: u64, from: &str, to: &str| {
        let text = std::fs::read_to_string(path(number)).expect("a file");
        std::fs::write(path(number), text.replacen(from, to, 1)).expect("written");
    };
    change(1, "\"names\":[\"x\"]", "\"names\":[\"y\"]");
    let collected = store.collect(&[]).expect("collected");
    assert_eq!((collected.damaged, collected.objects), (vec![id(1)], 1));
    change(2, "checkpoint 1 ", "checkpoint 2 ");
    std::fs::remove_file(path(3)).expect("removed");
    let error = store.collect(&[]).expect_err("newer");
    assert_eq!(error.kind(), Kind::Newer);
    assert_eq!(sandbox.files("objects").len(), 4);
}

#[test]
fn a_save_in_the_background_collects_when_the_count_says_so() {
    let sandbox = Sandbox::new();
    let store = sandbox.store_of(3 << 20);
    let mut last = None;
    for number in 1..=12 {
        let mut making = store.begin(id(number), last).expect("begun");
        let value = random(number, CHUNK / 2);
        add(&mut making, "x", &value);
        making
            .commit_in_background(About::default(), |saved| saved.expect("saved"))
            .expect("begun");
        last = Some(id(number));
    }
    assert!(store.flush(Duration::from_mins(1)));
    // The thread collects after it told of the save; a collection here waits for it.
    store.collect(&[]).expect("collected");
    assert!(store.size().expect("a size") <= 3 << 20);
    let left = left(&sandbox);
    assert!((2..12).contains(&left.len()), "{left:?}");
    assert_eq!(left.last(), Some(&id(12)));
}
