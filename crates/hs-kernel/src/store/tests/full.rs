//! A disk that is full, or may not be written: an error, nothing half-made, and what was there stays readable.

use std::path::Path;
use std::process::Command;

use super::{Sandbox, add, child_store, id, random, save, values};
use crate::store::{About, CHUNK, Kind, Options};

#[test]
#[ignore = "the process that another test starts, with a limit for files"]
fn child_saves_more_than_it_may() {
    let (store, _) = child_store(Options::default().limit);
    save(&store, id(1), None, &[("x", &random(1, 5000))]).expect("small files are allowed");
    let error = save(
        &store,
        id(2),
        Some(id(1)),
        &[("x", &random(1, 5000)), ("y", &random(2, 3 * CHUNK))],
    );
    let error = error.expect_err("large ones are not");
    assert_eq!(error.kind(), Kind::Full, "{error}");
    assert_eq!(
        values(&store, id(1)).expect("readable")["x"],
        random(1, 5000)
    );
    save(&store, id(3), Some(id(1)), &[("x", &random(3, 5000))]).expect("it goes on");
}

/// Where nobody may mount: files that cannot become as large as they should fail in the middle of a write as well.
#[test]
fn a_write_that_fails_in_the_middle_leaves_nothing() {
    let sandbox = Sandbox::new();
    let itself = std::env::current_exe().expect("this binary");
    let output = Command::new("sh")
        .args(["-c", r#"trap "" XFSZ; ulimit -f 400; exec "$0" "$@""#])
        .arg(itself)
        .args([
            "--exact",
            "store::tests::full::child_saves_more_than_it_may",
            "--ignored",
            "--nocapture",
        ])
        .env("HEADSTART_STORE_OF_TEST", sandbox.root())
        .env("HEADSTART_STORE_EXTRA", "")
        .output()
        .expect("a process");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stdout)
    );
    assert!(sandbox.files("unfinished").is_empty());
    assert_eq!(sandbox.files("manifests").len(), 2);
    let store = sandbox.store();
    store.collect(&[]).expect("collected");
    assert_eq!(sandbox.files("objects").len(), 2);
}

/// A small disk of its own, where this user may have one.
struct Disk<'a>(&'a Path);

impl<'a> Disk<'a> {
    fn mounted(at: &'a Path, bytes: usize) -> Option<Self> {
        std::fs::create_dir_all(at).expect("a folder");
        let options = format!("size={bytes},mode=700");
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &options, "tmpfs"])
            .arg(at)
            .output();
        mounted
            .is_ok_and(|output| output.status.success())
            .then_some(Self(at))
    }
}

impl Drop for Disk<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.0).status();
    }
}

#[test]
fn a_full_disk_is_told_and_room_is_used_again() {
    let sandbox = Sandbox::new();
    let root = sandbox.root();
    // Who may not mount has the test above.
    let Some(disk) = Disk::mounted(&root, 4 << 20) else {
        return;
    };
    let store = sandbox.store();
    let value = random(1, CHUNK);
    save(&store, id(1), None, &[("x", &value)]).expect("there is room");
    for number in 2..5 {
        let large = random(number, 4 * CHUNK);
        let error = save(
            &store,
            id(number),
            Some(id(1)),
            &[("x", &value), ("y", &large)],
        )
        .expect_err("full");
        assert_eq!(error.kind(), Kind::Full, "{error}");
        assert!(error.to_string().contains("free some space"), "{error}");
        assert_eq!(sandbox.files("manifests").len(), 1);
        assert!(sandbox.files("unfinished").is_empty());
        assert_eq!(values(&store, id(1)).expect("readable")["x"], value);
    }
    let collected = store.collect(&[]).expect("collected");
    assert!(collected.objects > 0);
    save(&store, id(9), Some(id(1)), &[("x", &random(9, CHUNK))]).expect("there is room again");
    // In the background the collection comes by itself.
    let mut making = store.begin(id(10), None).expect("begun");
    let large = random(10, 4 * CHUNK);
    add(&mut making, "y", &large);
    making
        .commit_in_background(About::default(), |saved| {
            assert_eq!(saved.expect_err("full").kind(), Kind::Full);
        })
        .expect("begun");
    drop(store);
    drop(disk);
}

#[test]
fn a_store_that_may_not_be_written_can_be_read() {
    let sandbox = Sandbox::new();
    let root = sandbox.root();
    let Some(disk) = Disk::mounted(&root, 4 << 20) else {
        return;
    };
    save(&sandbox.store(), id(1), None, &[("x", &random(1, 5000))]).expect("saved");
    let remounted = Command::new("mount")
        .args(["-o", "remount,ro"])
        .arg(&root)
        .status();
    assert!(remounted.expect("mount").success());
    let store = sandbox.store();
    assert_eq!(
        values(&store, id(1)).expect("readable")["x"],
        random(1, 5000)
    );
    let (first, _) = store.first_readable(&[&id(1).to_string()]).expect("asked");
    assert_eq!(first, Some(id(1)));
    let error = save(&store, id(2), None, &[("x", b"1")]).expect_err("read-only");
    assert_eq!(error.kind(), Kind::ReadOnly, "{error}");
    assert_eq!(
        store.collect(&[]).expect_err("read-only").kind(),
        Kind::ReadOnly
    );
    drop(store);
    drop(disk);
}
