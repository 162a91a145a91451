//! What is saved is what is read, whatever is in it; what did not change is neither written nor copied again; and what
//! changes while it is saved is saved as it was.

use std::collections::BTreeMap;
use std::sync::mpsc::channel;
use std::time::Duration;

use proptest::prelude::*;

use super::{Sandbox, add, id, random, save, values};
use crate::store::{About, CHUNK, Kind, Result};

/// Lengths around the borders of chunks and of what stands in the manifest.
fn lengths() -> impl Strategy<Value = usize> {
    prop_oneof![
        Just(0),
        1..600usize,
        Just(CHUNK),
        CHUNK - 2..CHUNK + 3,
        60_000..70_000usize,
        Just(3 * CHUNK + 1)
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn what_is_read_is_what_was_saved(
        pieces in proptest::collection::vec((lengths(), any::<u64>(), any::<bool>()), 0..5)
    ) {
        let sandbox = Sandbox::new();
        let store = sandbox.store();
        let contents: Vec<Vec<u8>> = pieces
            .iter()
            .map(|(length, seed, of_random)| {
                if *of_random {
                    random(*seed, *length)
                } else {
                    vec![*seed as u8; *length]
                }
            })
            .collect();
        let names: Vec<String> = (0..contents.len()).map(|number| format!("x{number}")).collect();
        let list: Vec<(&str, &[u8])> = names.iter().zip(&contents).map(|(name, value)| (name.as_str(), value.as_slice())).collect();
        save(&store, id(1), None, &list).expect("saved");
        let expected: BTreeMap<String, Vec<u8>> = names.iter().cloned().zip(contents.iter().cloned()).collect();
        prop_assert_eq!(&values(&store, id(1)).expect("readable"), &expected);
        // As another process sees it.
        prop_assert_eq!(&values(&sandbox.store(), id(1)).expect("readable"), &expected);
        // Saved again it costs the manifest.
        let before = store.size().expect("a size");
        save(&store, id(2), Some(id(1)), &list).expect("saved");
        prop_assert!(store.size().expect("a size") - before <= 8192);
        prop_assert_eq!(values(&store, id(2)).expect("readable"), expected);
    }
}

#[test]
fn everything_said_of_a_checkpoint_comes_back() {
    let sandbox = Sandbox::new();
    let store = sandbox.store();
    let about: About = serde_json::from_value(serde_json::json!({
        "session": "main",
        "cell": {"code": "x = 1", "number": 3, "time": 12.5},
        "skipped": [{"name": "f", "reason": "an open file"}],
        "startup": true,
        "extra": {"cwd": "/tmp"},
    }))
    .expect("what is said");
    let mut making = store.begin(id(2), Some(id(1))).expect("begun");
    let types = BTreeMap::from([
        ("a".to_owned(), "list".to_owned()),
        ("b".to_owned(), "dict".to_owned()),
    ]);
    making
        .add(
            vec!["a".to_owned(), "b".to_owned()],
            types.clone(),
            false,
            "pickle".into(),
            &[],
        )
        .expect("added");
    making.commit(about.clone()).expect("saved");
    let shown = store.manifest(&id(2)).expect("readable");
    assert_eq!(shown.manifest.about, about);
    assert_eq!(shown.manifest.parent, Some(id(1)));
    assert_eq!(shown.groups.len(), 1);
    assert_eq!(shown.groups[0].1.names, ["a", "b"]);
    assert_eq!(shown.groups[0].1.types, types);
    assert!(!shown.groups[0].1.one);
    assert_eq!(shown.groups[0].1.bytes(), 6);
}

#[test]
fn a_changed_chunk_is_written_and_no_other() {
    let sandbox = Sandbox::new();
    let store = sandbox.store();
    let mut value = random(1, 8 * CHUNK);
    save(&store, id(1), None, &[("x", &value)]).expect("saved");
    let before = store.size().expect("a size");
    value[5 * CHUNK + 7] ^= 1;
    save(&store, id(2), Some(id(1)), &[("x", &value)]).expect("saved");
    let written = store.size().expect("a size") - before;
    assert!(
        (1 << 20..(1 << 20) + 16_384).contains(&written),
        "{written}"
    );
    assert_eq!(values(&store, id(2)).expect("readable")["x"], value);
    assert_eq!(
        values(&store, id(1)).expect("readable")["x"],
        random(1, 8 * CHUNK)
    );
}

#[test]
fn small_values_stand_in_the_manifest() {
    let sandbox = Sandbox::new();
    let store = sandbox.store();
    save(&store, id(1), None, &[("i", b"1")]).expect("saved");
    assert!(sandbox.files("objects").is_empty());
    let manifest = std::fs::metadata(&sandbox.files("manifests")[0]).expect("a file");
    assert!(manifest.len() < 1024);
}

#[test]
fn a_buffer_that_changes_after_it_was_added_is_saved_as_it_was() {
    let sandbox = Sandbox::new();
    let store = sandbox.store();
    let mut value = random(1, 2 * CHUNK + 5);
    let mut making = store.begin(id(1), None).expect("begun");
    add(&mut making, "x", &value);
    value.fill(0);
    making.commit(About::default()).expect("saved");
    assert_eq!(
        values(&store, id(1)).expect("readable")["x"],
        random(1, 2 * CHUNK + 5)
    );
}

#[test]
fn what_did_not_change_is_taken_over_without_its_bytes() {
    let sandbox = Sandbox::new();
    let store = sandbox.store();
    let value = random(1, CHUNK + 5);
    save(&store, id(1), None, &[("x", &value), ("y", b"2")]).expect("saved");
    let groups = store.manifest(&id(1)).expect("readable").groups;
    let mut making = store.begin(id(2), Some(id(1))).expect("begun");
    making.reuse(&groups[0].1).expect("taken over");
    making.commit(About::default()).expect("saved");
    let found = values(&store, id(2)).expect("readable");
    assert_eq!(found, BTreeMap::from([("x".to_owned(), value)]));
}

#[test]
fn values_that_somebody_removed_cannot_be_taken_over() {
    let sandbox = Sandbox::new();
    let store = sandbox.store();
    save(&store, id(1), None, &[("x", &random(1, 5000))]).expect("saved");
    let group = store.manifest(&id(1)).expect("readable").groups.remove(0).1;
    std::fs::remove_file(&sandbox.files("objects")[0]).expect("removed");
    let mut making = store.begin(id(2), Some(id(1))).expect("begun");
    making.reuse(&group).expect("taken over");
    let error = making
        .commit(About::default())
        .expect_err("the object is gone");
    assert_eq!(error.kind(), Kind::Missing);
    assert_eq!(sandbox.files("manifests").len(), 1);
    assert!(sandbox.files("unfinished").is_empty());
}

#[test]
fn saves_in_the_background_are_made_in_order_and_all_told() {
    let sandbox = Sandbox::new();
    let store = sandbox.store();
    let (sender, receiver) = channel();
    let value = random(1, 3 * CHUNK);
    for number in 1..=5 {
        let mut making = store
            .begin(id(number), Some(id(number - 1)))
            .expect("begun");
        // Each stands on bytes that the one before may not have written yet.
        add(&mut making, "x", &value);
        let sender = sender.clone();
        let done = move |saved: Result<()>| sender.send((number, saved.is_ok())).expect("heard");
        making
            .commit_in_background(About::default(), done)
            .expect("begun");
    }
    assert!(store.flush(Duration::from_mins(1)));
    let told: Vec<(u64, bool)> = receiver.try_iter().collect();
    assert_eq!(
        told,
        (1..=5).map(|number| (number, true)).collect::<Vec<_>>()
    );
    for number in 1..=5 {
        assert_eq!(values(&store, id(number)).expect("readable")["x"], value);
    }
    assert_eq!(sandbox.files("objects").len(), 3);
}

#[test]
fn an_id_is_taken_once_and_what_is_given_up_is_nowhere() {
    let sandbox = Sandbox::new();
    let store = sandbox.store();
    save(&store, id(1), None, &[("x", b"1")]).expect("saved");
    let error = store.begin(id(1), None).err().expect("taken");
    assert_eq!(error.kind(), Kind::Exists);
    let (one, other) = (
        store.begin(id(2), None).expect("begun"),
        store.begin(id(2), None).expect("begun"),
    );
    one.commit(About::default()).expect("saved");
    assert_eq!(
        other.commit(About::default()).expect_err("taken").kind(),
        Kind::Exists
    );
    let mut making = store.begin(id(3), None).expect("begun");
    let big = random(3, CHUNK);
    add(&mut making, "x", &big);
    making.abort();
    assert_eq!(
        store.manifest(&id(3)).err().expect("none").kind(),
        Kind::Missing
    );
    assert!(sandbox.files("objects").is_empty());
    assert!(sandbox.files("unfinished").is_empty());
}

#[test]
fn a_damaged_or_missing_chunk_is_told_by_its_names_and_mended_by_the_next_save() {
    let sandbox = Sandbox::new();
    let store = sandbox.store();
    let value = random(1, 5000);
    save(&store, id(1), None, &[("sales", &value)]).expect("saved");
    let object = sandbox.files("objects").remove(0);
    let mut bytes = std::fs::read(&object).expect("a file");
    bytes[77] ^= 1;
    std::fs::write(&object, bytes).expect("written");
    let error = values(&store, id(1)).expect_err("damaged");
    assert_eq!(error.kind(), Kind::Damaged);
    let text = error.to_string();
    assert!(
        text.contains("sales") && text.contains(&id(1).to_string()),
        "{text}"
    );
    // It is gone now, which is seen without reading it.
    let (first, faults) = store.first_readable(&[&id(1).to_string()]).expect("asked");
    assert_eq!(first, None);
    assert!(faults[0].1.contains("sales"), "{faults:?}");
    save(&store, id(2), None, &[("sales", &value)]).expect("saved");
    assert_eq!(values(&store, id(1)).expect("mended")["sales"], value);
}

#[test]
fn the_first_readable_of_a_branch_is_found_and_the_others_told() {
    let sandbox = Sandbox::new();
    let store = sandbox.store();
    for number in 1..=3 {
        save(&store, id(number), None, &[("x", &random(number, 5000))]).expect("saved");
    }
    let manifest = sandbox.root().join("manifests").join(id(3).to_string());
    let text = std::fs::read(&manifest).expect("a file");
    std::fs::write(&manifest, &text[..text.len() - 1]).expect("written");
    let ids = [
        "../../x".to_owned(),
        id(9).to_string(),
        id(3).to_string(),
        id(2).to_string(),
        id(1).to_string(),
    ];
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let (first, faults) = store.first_readable(&ids).expect("asked");
    assert_eq!(first, Some(id(2)));
    assert_eq!(faults.len(), 3);
    assert!(faults[0].1.contains("32 digits"), "{faults:?}");
    assert!(faults[1].1.contains("no checkpoint"), "{faults:?}");
    assert!(faults[2].1.contains("damaged"), "{faults:?}");
}

#[test]
fn lengths_in_a_manifest_allocate_nothing() {
    let sandbox = Sandbox::new();
    let store = sandbox.store();
    save(&store, id(1), None, &[("x", &random(1, 5000))]).expect("saved");
    // Written by somebody with a good hash.
    for length in [u64::MAX, 1 << 40, 5001, 4999, 0] {
        let shown = store.manifest(&id(1)).expect("readable");
        let mut manifest = shown.manifest;
        let mut group = (*manifest.groups[0]).clone();
        group.buffers[0].length = length;
        manifest.groups = vec![std::sync::Arc::new(group)];
        manifest.id = id(2);
        let (line, body) = manifest.written();
        let path = sandbox.root().join("manifests").join(id(2).to_string());
        std::fs::write(&path, [line.as_bytes(), &body].concat()).expect("written");
        std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o600))
            .expect("private");
        let found = store.read(&id(2), 0).and_then(|reading| {
            let mut into = vec![0; length as usize];
            reading.fill(&reading.group().buffers[0], &mut into[..])
        });
        let error = found.expect_err("not true");
        assert!(
            matches!(error.kind(), Kind::Damaged | Kind::Limit),
            "{length}: {error}"
        );
        // The manifest is to blame, and not the object.
        assert_eq!(
            values(&store, id(1)).expect("readable")["x"],
            random(1, 5000)
        );
    }
}

#[test]
fn a_store_that_was_removed_is_made_anew() {
    let sandbox = Sandbox::new();
    let store = sandbox.store();
    save(&store, id(1), None, &[("x", &random(1, 5000))]).expect("saved");
    std::fs::remove_dir_all(sandbox.root()).expect("removed");
    save(&store, id(2), Some(id(1)), &[("x", &random(1, 5000))]).expect("saved");
    assert_eq!(
        values(&store, id(2)).expect("readable")["x"],
        random(1, 5000)
    );
}
