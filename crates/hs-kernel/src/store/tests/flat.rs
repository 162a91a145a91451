//! A save takes as long in a store with ten thousand checkpoints as in an empty one.

use std::os::unix::fs::OpenOptionsExt;
use std::time::{Duration, Instant};

use super::{Sandbox, add, id, random, save, values};
use crate::store::{About, Store};

const CHECKPOINTS: u64 = 10_000;
/// A scan of all of them takes more than ten times as long as a save; this leaves room for a busy machine.
const MOST: u32 = 3;

/// As saves leave them, without waiting for the disk each time.
fn fill(sandbox: &Sandbox, store: &Store) {
    let first = random(0, 300);
    save(store, id(1 << 40), None, &[("x", &first)]).expect("saved");
    let shown = store.manifest(&id(1 << 40)).expect("readable");
    let write = |folder: &str, name: &str, parts: &[&[u8]]| {
        let path = sandbox.root().join(folder).join(name);
        let mut file = std::fs::File::options()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(path)
            .expect("a file");
        for part in parts {
            std::io::Write::write_all(&mut file, part).expect("written");
        }
    };
    for number in 0..CHECKPOINTS {
        let value = random(number + 1, 300);
        let name = crate::store::name::Name::of(&value);
        write("objects", &name.to_string(), &[&[0], &value]);
        let mut manifest = shown.manifest.clone();
        let mut group = (*manifest.groups[0]).clone();
        group.buffers[0].chunks = vec![crate::store::group::Chunk::Stored(name)];
        manifest.groups = vec![std::sync::Arc::new(group)];
        manifest.id = id((1 << 41) + number);
        let (line, body) = manifest.written();
        write(
            "manifests",
            &manifest.id.to_string(),
            &[line.as_bytes(), &body],
        );
    }
    let collected = store.collect(&[]).expect("collected");
    assert_eq!(
        (
            collected.checkpoints.len(),
            collected.damaged.len(),
            collected.objects
        ),
        (0, 0, 0)
    );
    values(store, id((1 << 41) + 77)).expect("as saves leave them");
}

#[test]
fn a_save_takes_as_long_with_ten_thousand_checkpoints() {
    let (large, empty) = (Sandbox::new(), Sandbox::new());
    let (full_store, empty_store) = (large.store(), empty.store());
    fill(&large, &full_store);
    let mut times = [Vec::new(), Vec::new()];
    // In turns, so that both meet the same machine.
    for number in 1..=21 {
        for (store, times) in [&full_store, &empty_store].into_iter().zip(&mut times) {
            let value = random(number << 20, 300);
            let begun = Instant::now();
            let mut making = store
                .begin(id(number), Some(id(number - 1)))
                .expect("begun");
            add(&mut making, "x", &value);
            making
                .commit_in_background(About::default(), |saved| saved.expect("saved"))
                .expect("begun");
            assert!(store.flush(Duration::from_mins(1)));
            times.push(begun.elapsed());
        }
    }
    let [full_time, empty_time] = times.map(|mut times| {
        times.sort();
        times[times.len() / 2]
    });
    assert!(
        full_time < empty_time * MOST,
        "{full_time:?} with many, {empty_time:?} without"
    );
}
