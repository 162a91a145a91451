//! The managed environment: where it is, and whether what is there can be used. Looks at files; builds and removes nothing.
//!
//! The folder holds environments `env-1`, `env-2` ... and a link `current` to the one in use: a kernel runs from the folder
//! that the link led to when it started, so that a new environment takes nothing away from under it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// The packages, one a line, each with its version.
const PACKAGES: &str = include_str!("packages.txt");
/// What an environment says of itself; written when all else is done.
const RECORD: &str = "headstart.json";
const CURRENT: &str = "current";

/// The place of the managed environment.
#[derive(Clone, Debug)]
pub struct Managed {
    folder: PathBuf,
}

/// What is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// An environment, with this Python.
    Ready(PathBuf),
    /// Nothing.
    Absent,
    /// One that cannot be used: a half sentence that says why.
    Stale(String),
}

/// What an environment says of itself.
#[derive(Debug, Deserialize, PartialEq, Serialize)]
pub struct Record {
    /// The version of headstart that it was built by and holds.
    pub headstart: String,
    /// The packages that were wanted.
    pub packages: String,
    /// The version of its Python.
    pub python: String,
    /// The program that it was built on.
    pub base: PathBuf,
    /// Whether the user named that one.
    pub named: bool,
    /// The packages that were installed, by normalised name, with their versions.
    pub installed: BTreeMap<String, String>,
}

/// The version of headstart, which both sides of a connection must have.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The packages, without comments.
pub fn wanted() -> String {
    let lines = PACKAGES.lines().filter(|line| !line.starts_with('#'));
    lines.fold(String::new(), |text, line| text + line + "\n")
}

impl Managed {
    /// `$XDG_DATA_HOME/headstart/kernel`, else in `~/.local/share`.
    ///
    /// # Errors
    /// When there is no home.
    pub fn of_user() -> Result<Self, String> {
        let data = crate::home::data().ok_or(
            "expected a home for the managed environment, found neither XDG_DATA_HOME nor HOME",
        )?;
        Ok(Self::at(data.join("headstart/kernel")))
    }

    /// In this folder.
    pub fn at(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The link that leads to the environment in use; it stays the same when another takes its place.
    pub fn link(&self) -> PathBuf {
        self.folder.join(CURRENT)
    }

    /// The environment that the link leads to, whatever state it is in.
    pub fn current(&self) -> Option<PathBuf> {
        let target = fs::read_link(self.link()).ok()?;
        Some(self.folder.join(target))
    }

    /// Whether the environment can be used as it is.
    pub fn state(&self) -> State {
        let Some(environment) = self.current() else {
            return State::Absent;
        };
        let Some(record) = record(&environment) else {
            return State::Stale("is not complete".to_owned());
        };
        if record.headstart != VERSION {
            let other = record.headstart;
            return State::Stale(format!("holds headstart {other}, not {VERSION}"));
        }
        if record.packages != wanted() {
            return State::Stale("was built from another list of packages".to_owned());
        }
        let python = environment.join("bin/python");
        // `exists` follows links, as starting it will.
        if !python.exists() {
            let base = record.base.display();
            return State::Stale(format!("was built on {base}, which is gone"));
        }
        State::Ready(python)
    }
}

/// What an environment says of itself; nothing if it was not finished.
pub fn record(environment: &Path) -> Option<Record> {
    let text = fs::read(environment.join(RECORD)).ok()?;
    serde_json::from_slice(&text).ok()
}

/// Marks an environment as finished.
///
/// # Errors
/// When it cannot be written.
pub fn finish(environment: &Path, record: &Record) -> std::io::Result<()> {
    let text = serde_json::to_vec_pretty(record)?;
    fs::write(environment.join(RECORD), text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn built(folder: &Path) -> Record {
        let environment = folder.join("env-1");
        fs::create_dir_all(environment.join("bin")).expect("a folder");
        fs::write(environment.join("bin/python"), "").expect("a file");
        symlink("env-1", folder.join(CURRENT)).expect("a link");
        Record {
            headstart: VERSION.to_owned(),
            packages: wanted(),
            python: "3.12.1".to_owned(),
            base: PathBuf::from("/usr/bin/python3.12"),
            named: false,
            installed: BTreeMap::new(),
        }
    }

    #[test]
    fn an_environment_is_used_only_when_it_is_whole_and_of_this_version() {
        let folder = tempfile::tempdir().expect("a folder");
        let managed = Managed::at(folder.path().to_owned());
        assert_eq!(managed.state(), State::Absent);
        let mut record = built(folder.path());
        let environment = folder.path().join("env-1");
        let stale = |record: &Record| {
            finish(&environment, record).expect("a file");
            match managed.state() {
                State::Stale(why) => why,
                other => format!("{other:?}"),
            }
        };
        assert_eq!(
            managed.state(),
            State::Stale("is not complete".to_owned()),
            "before it is finished"
        );
        finish(&environment, &record).expect("a file");
        assert_eq!(
            managed.state(),
            State::Ready(environment.join("bin/python")),
            "the folder itself, not the link that may lead elsewhere tomorrow"
        );
        record.headstart = "0.0.1".to_owned();
        assert!(stale(&record).contains("holds headstart 0.0.1"));
        record.headstart = VERSION.to_owned();
        record.packages = record.packages.replace("ipykernel==", "ipykernel==1");
        assert!(stale(&record).contains("another list of packages"));
        record.packages = wanted();
        fs::remove_file(environment.join("bin/python")).expect("it was there");
        symlink("/nowhere/python3.12", environment.join("bin/python")).expect("a link");
        assert!(stale(&record).contains("built on /usr/bin/python3.12, which is gone"));
    }

    #[test]
    fn every_package_has_one_version() {
        let wanted = wanted();
        assert!(wanted.lines().count() > 30);
        for line in wanted.lines() {
            let requirement = line.split(';').next().unwrap_or_default();
            assert_eq!(requirement.matches("==").count(), 1, "{line}");
        }
        for name in include_str!("wanted.txt").lines() {
            let name = name.split(['>', '<', '=']).next().unwrap_or_default();
            let locked = format!("{name}==");
            assert!(
                name.starts_with('#') || wanted.lines().any(|line| line.starts_with(&locked)),
                "{name} is wanted, but not locked"
            );
        }
    }
}
