//! Tests of the store through its own functions, with real files and real processes.

mod collecting;
mod flat;
mod full;
mod kills;
mod listing;
mod poisoned;
mod privacy;
mod round_trip;
mod sharing;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use super::{About, Id, Options, Result, Save, Store};

/// A folder for a store, gone after the test.
struct Sandbox(tempfile::TempDir);

impl Sandbox {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    fn root(&self) -> PathBuf {
        self.0.path().join("cache").join("checkpoints")
    }

    fn store(&self) -> Store {
        self.store_of(Options::default().limit)
    }

    fn store_of(&self, limit: u64) -> Store {
        let options = Options {
            limit,
            ..Options::default()
        };
        Store::open(&self.root(), options).expect("a store")
    }

    fn files(&self, folder: &str) -> Vec<PathBuf> {
        let list = std::fs::read_dir(self.root().join(folder)).expect("a folder");
        let mut list: Vec<PathBuf> = list.map(|entry| entry.expect("an entry").path()).collect();
        list.sort();
        list
    }
}

fn id(number: u64) -> Id {
    format!("{number:032x}").parse().expect("an id")
}

/// Bytes that no compression helps with.
fn random(seed: u64, length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length];
    let mut reader = blake3::Hasher::new()
        .update(&seed.to_le_bytes())
        .finalize_xof();
    reader.fill(&mut bytes);
    bytes
}

/// Saves values as buffers; the name is their pickle.
fn save(store: &Store, id: Id, parent: Option<Id>, values: &[(&str, &[u8])]) -> Result<()> {
    let mut save = store.begin(id, parent)?;
    for (name, value) in values {
        try_add(&mut save, name, value)?;
    }
    save.commit(About::default())
}

fn try_add(save: &mut Save, name: &str, value: &[u8]) -> Result<()> {
    let pickle = name.as_bytes().to_vec().into();
    save.add(
        vec![name.to_owned()],
        BTreeMap::new(),
        true,
        pickle,
        &[value],
    )?;
    Ok(())
}

/// Adds one value to a checkpoint that is being made.
fn add(save: &mut Save, name: &str, value: &[u8]) {
    try_add(save, name, value).expect("added");
}

/// The values of a checkpoint by their names.
fn values(store: &Store, id: Id) -> Result<BTreeMap<String, Vec<u8>>> {
    let mut values = BTreeMap::new();
    for (number, group) in store.manifest(&id)?.groups {
        let reading = store.read(&id, number)?;
        let mut pickle = vec![0; group.pickle.length as usize];
        reading.fill(&group.pickle, &mut pickle[..])?;
        assert_eq!(pickle, group.names[0].as_bytes());
        let mut value = Vec::new();
        for buffer in &group.buffers {
            let mut bytes = vec![0; buffer.length as usize];
            reading.fill(buffer, &mut bytes[..])?;
            value.extend(bytes);
        }
        values.insert(group.names[0].clone(), value);
    }
    Ok(values)
}

/// Runs an ignored test of this binary as a process of its own, which finds the store in its environment.
fn child(test: &str, root: &std::path::Path, extra: &str) -> Child {
    let itself = std::env::current_exe().expect("this binary");
    Command::new(itself)
        .args([
            "--exact",
            &format!("store::tests::{test}"),
            "--ignored",
            "--nocapture",
            "--test-threads=1",
        ])
        .env("HEADSTART_STORE_OF_TEST", root)
        .env("HEADSTART_STORE_EXTRA", extra)
        .stdout(Stdio::piped())
        .spawn()
        .expect("a process")
}

/// In such a process: the store, and what else was said.
fn child_store(limit: u64) -> (Store, String) {
    let root = std::env::var_os("HEADSTART_STORE_OF_TEST").expect("run by another test");
    let options = Options {
        limit,
        ..Options::default()
    };
    let store = Store::open(&PathBuf::from(root), options).expect("a store");
    (
        store,
        std::env::var("HEADSTART_STORE_EXTRA").expect("run by another test"),
    )
}
