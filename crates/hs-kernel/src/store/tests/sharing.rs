//! Several processes use one store at once: none ever loses what it stands on, and none waits for another one's pickling.

use std::collections::BTreeMap;
use std::process::Child;

use super::{Sandbox, add, child, child_store, id, random, save, values};
use crate::store::{About, CHUNK, Kind};

/// So small that each collection evicts.
const LIMIT: u64 = 6 << 20;

#[test]
#[ignore = "the process that another test starts"]
fn child_saves_and_collects() {
    let (store, extra) = child_store(LIMIT);
    let own: u64 = extra.parse().expect("a number");
    let mut last = None;
    for number in 0..40 {
        let current = id(own << 32 | number);
        let mut save = store.begin(current, last).expect("begun");
        // The other process saves the same bytes, and collections take them away in between.
        let (shared, mine) = (
            random(number / 4, CHUNK + 100),
            random(own << 32 | number, 70_000),
        );
        for (name, value) in [("shared", &shared), ("mine", &mine)] {
            add(&mut save, name, value);
        }
        if number % 2 == 0 {
            store.collect(&[]).expect("collected");
        }
        save.commit(About::default()).expect("saved");
        store.collect(&[]).expect("collected");
        // It is the checkpoint that this process stands on.
        let found = values(&store, current).expect("readable");
        assert_eq!(
            found,
            BTreeMap::from([("shared".to_owned(), shared), ("mine".to_owned(), mine)])
        );
        last = Some(current);
    }
}

#[test]
fn processes_that_save_and_collect_at_once_lose_nothing() {
    let sandbox = Sandbox::new();
    let processes: Vec<Child> = (1..=3)
        .map(|own| {
            child(
                "sharing::child_saves_and_collects",
                &sandbox.root(),
                &own.to_string(),
            )
        })
        .collect();
    for process in processes {
        let output = process.wait_with_output().expect("its end");
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stdout)
        );
    }
    let store = sandbox.store_of(LIMIT);
    let collected = store.collect(&[]).expect("collected");
    assert!(collected.bytes <= LIMIT);
    for file in sandbox.files("manifests") {
        let name = file
            .file_name()
            .and_then(|name| name.to_str())
            .expect("a name")
            .to_owned();
        values(&store, name.parse().expect("an id")).expect("whole");
    }
}

#[test]
fn what_a_save_in_progress_stands_on_survives_a_collection_of_another_process() {
    let sandbox = Sandbox::new();
    let (store, other) = (sandbox.store_of(LIMIT), sandbox.store_of(LIMIT));
    let (one, two) = (random(1, 2 * CHUNK), random(2, 2 * CHUNK));
    save(&store, id(1), None, &[("x", &one)]).expect("saved");
    save(&store, id(2), None, &[("y", &two)]).expect("saved");
    store.hold(&[]).expect("held");
    let group = store.manifest(&id(1)).expect("readable").groups.remove(0).1;
    let mut making = store.begin(id(3), Some(id(1))).expect("begun");
    // One is taken over from the parent, one is only found to be there.
    making.reuse(&group).expect("taken over");
    add(&mut making, "y", &two);
    save(&other, id(4), None, &[("z", &random(3, 3 * CHUNK))]).expect("saved");
    let collected = other.collect(&[]).expect("collected");
    assert_eq!(collected.checkpoints, [id(2)]);
    making.commit(About::default()).expect("saved");
    let found = values(&store, id(3)).expect("readable");
    assert_eq!(
        found,
        BTreeMap::from([("x".to_owned(), one), ("y".to_owned(), two)])
    );
}

#[test]
fn a_save_begins_and_takes_values_while_a_collection_runs() {
    let sandbox = Sandbox::new();
    let store = sandbox.store();
    let value = random(1, 2 * CHUNK);
    save(&store, id(1), None, &[("x", &value)]).expect("saved");
    let folders = crate::store::folders::Folders::open(&sandbox.root()).expect("folders");
    let collecting = crate::store::folders::Lock::exclusive(&folders.root).expect("locked");
    // None of this waits; the test would never end.
    let mut making = store.begin(id(2), Some(id(1))).expect("begun");
    add(&mut making, "x", &value);
    // What the collection may take away meanwhile.
    for object in sandbox.files("objects") {
        std::fs::remove_file(object).expect("removed");
    }
    drop(collecting);
    making.commit(About::default()).expect("saved");
    assert_eq!(values(&store, id(2)).expect("readable")["x"], value);
}

#[test]
fn a_lock_that_a_forked_process_holds_open_is_given_back() {
    let sandbox = Sandbox::new();
    let folders = crate::store::folders::Folders::open(&sandbox.root()).expect("folders");
    let lock = crate::store::folders::Lock::shared(&folders.root).expect("locked");
    let copy = lock.copy_as_fork_does();
    drop(lock);
    drop(crate::store::folders::Lock::exclusive(&folders.root).expect("locked"));
    drop(copy);
}

#[test]
fn values_that_are_read_are_not_collected_meanwhile() {
    let sandbox = Sandbox::new();
    let store = sandbox.store();
    save(&store, id(1), None, &[("x", &random(1, 5000))]).expect("saved");
    let reading = store.read(&id(1), 0).expect("begun");
    let folders = crate::store::folders::Folders::open(&sandbox.root()).expect("folders");
    assert!(!crate::store::folders::Lock::is_free(&folders.root));
    drop(reading);
    assert!(crate::store::folders::Lock::is_free(&folders.root));
    assert_eq!(
        store.read(&id(1), 1).err().expect("none").kind(),
        Kind::Missing
    );
}

#[test]
fn a_store_that_is_closed_leaves_nothing_of_its_holder() {
    let sandbox = Sandbox::new();
    let store = sandbox.store();
    save(&store, id(1), None, &[("x", b"1")]).expect("saved");
    let making = store.begin(id(2), None).expect("begun");
    assert_eq!(sandbox.files("holders").len(), 1);
    drop(store);
    assert_eq!(sandbox.files("holders").len(), 1, "a save goes on");
    drop(making);
    assert!(sandbox.files("holders").is_empty());
}
