//! Values that kill kernels: marked before, told after, and out of all checkpoints that have them.

use super::{Sandbox, id, random, save};
use crate::store::{Kind, Store};

fn made(sandbox: &Sandbox) -> Store {
    let store = sandbox.store();
    for number in 1..=2 {
        let (bad, good) = (random(1, 5000), random(2, 300));
        save(
            &store,
            id(number),
            None,
            &[("bad", &bad), ("good", &good), ("small", b"3")],
        )
        .expect("saved");
    }
    store
}

fn names(store: &Store, number: u64) -> Vec<String> {
    let groups = store.manifest(&id(number)).expect("readable").groups;
    groups
        .into_iter()
        .map(|(_, group)| group.names[0].clone())
        .collect()
}

#[test]
fn a_marker_survives_its_process_and_is_found_in_every_checkpoint() {
    let sandbox = Sandbox::new();
    let store = made(&sandbox);
    assert_eq!(store.poisoned(&id(1), 0).expect("asked"), None);
    store.mark(&id(1), 0, "main generation 3").expect("marked");
    let later = sandbox.store();
    assert_eq!(
        later.poisoned(&id(2), 0).expect("asked").as_deref(),
        Some("main generation 3")
    );
    assert_eq!(later.poisoned(&id(2), 1).expect("asked"), None);
    later.unmark(&id(2), 0).expect("unmarked");
    assert_eq!(store.poisoned(&id(1), 0).expect("asked"), None);
}

#[test]
fn what_is_in_quarantine_is_in_no_checkpoint_that_was_made_until_then() {
    let sandbox = Sandbox::new();
    let store = made(&sandbox);
    store.mark(&id(2), 0, "main").expect("marked");
    store
        .quarantine(&id(2), 0, "its restore ended the kernel")
        .expect("taken out");
    for number in 1..=2 {
        assert_eq!(names(&store, number), ["good", "small"]);
        let about = store
            .manifest(&id(number))
            .expect("readable")
            .manifest
            .about;
        assert_eq!(about.skipped.len(), 1);
        assert_eq!(about.skipped[0].name, "bad");
        assert_eq!(about.skipped[0].reason, "its restore ended the kernel");
        assert_eq!(
            store.read(&id(number), 0).err().expect("gone").kind(),
            Kind::Missing
        );
        // The others have the numbers that they had.
        let reading = store.read(&id(number), 2).expect("readable");
        assert_eq!(reading.group().names, ["small"]);
        store.complete(&id(number)).expect("the rest is whole");
    }
    assert_eq!(store.poisoned(&id(1), 0).expect("asked"), None);
    // What somebody made anew is another matter. Dates count milliseconds.
    let before = store.manifest(&id(2)).expect("readable").manifest.created;
    let mut number = 3;
    while names_after(&store, number, before).is_none() {
        number += 1;
    }
    assert_eq!(names(&store, number), ["bad"]);
}

/// Saves the bad value anew; its names if the quarantine is over by the date of the checkpoint.
fn names_after(store: &Store, number: u64, before: u64) -> Option<Vec<String>> {
    save(store, id(number), None, &[("bad", &random(1, 5000))]).expect("saved");
    let shown = store.manifest(&id(number)).expect("readable");
    assert!(shown.manifest.created >= before);
    let names = names(store, number);
    (!names.is_empty()).then_some(names)
}

#[test]
fn what_is_not_there_cannot_be_marked() {
    let sandbox = Sandbox::new();
    let store = made(&sandbox);
    for (number, group) in [(1, 3), (9, 0)] {
        assert_eq!(
            store
                .mark(&id(number), group, "main")
                .expect_err("none")
                .kind(),
            Kind::Missing
        );
        assert_eq!(
            store
                .quarantine(&id(number), group, "so")
                .expect_err("none")
                .kind(),
            Kind::Missing
        );
        assert_eq!(
            store.poisoned(&id(number), group).expect_err("none").kind(),
            Kind::Missing
        );
    }
    assert!(sandbox.files("marks").is_empty());
}
