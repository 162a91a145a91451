//! What is installed in an environment, read from its files: no Python is started, so that one whose base is gone can
//! still be asked. The names are those of <https://packaging.python.org/en/latest/specifications/>.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// A package that is installed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Package {
    /// Its name as it gives it.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Where it came from, if not from an index: what pip takes as a requirement.
    pub origin: Option<Origin>,
    /// Whether somebody asked for it; others came because one of those needs them.
    pub requested: bool,
}

/// Where a package came from that is not from an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// An address.
    Address(String),
    /// A folder that it still runs from.
    Editable(PathBuf),
}

impl Package {
    /// What pip and uv take to install the very same again.
    pub fn requirement(&self) -> Vec<String> {
        match &self.origin {
            Some(Origin::Editable(folder)) => {
                vec!["-e".to_owned(), folder.display().to_string()]
            }
            Some(Origin::Address(address)) => vec![format!("{} @ {address}", self.name)],
            None => vec![format!("{}=={}", self.name, self.version)],
        }
    }
}

/// The packages of an environment by normalised name.
pub fn installed(environment: &Path) -> BTreeMap<String, Package> {
    let mut found = BTreeMap::new();
    for folder in site_folders(environment) {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        for entry in entries.map(|entry| entry.path()) {
            if entry
                .extension()
                .is_some_and(|extension| extension == "dist-info")
                && let Some(package) = read(&entry)
            {
                found.insert(normalised(&package.name), package);
            }
        }
    }
    found
}

/// Their versions alone.
pub fn versions(environment: &Path) -> BTreeMap<String, String> {
    let packages = installed(environment).into_iter();
    packages
        .map(|(name, package)| (name, package.version))
        .collect()
}

/// A name in the form in which two spellings are the same.
pub fn normalised(name: &str) -> String {
    let mut text = String::new();
    for letter in name.chars() {
        if matches!(letter, '-' | '_' | '.') {
            if !text.ends_with('-') {
                text.push('-');
            }
        } else {
            text.extend(letter.to_lowercase());
        }
    }
    text
}

fn site_folders(environment: &Path) -> Vec<PathBuf> {
    let versions = fs::read_dir(environment.join("lib"))
        .into_iter()
        .flatten()
        .flatten();
    let pythons =
        versions.filter(|entry| entry.file_name().to_string_lossy().starts_with("python"));
    pythons
        .map(|entry| entry.path().join("site-packages"))
        .collect()
}

fn read(folder: &Path) -> Option<Package> {
    let text = fs::read_to_string(folder.join("METADATA")).ok()?;
    let field = |name: &str| {
        // Fields stand above the first blank line; a description follows that may hold anything.
        let mut lines = text.lines().take_while(|line| !line.is_empty());
        lines.find_map(|line| Some(line.strip_prefix(name)?.trim().to_owned()))
    };
    Some(Package {
        name: field("Name:")?,
        version: field("Version:")?,
        origin: origin(folder),
        requested: folder.join("REQUESTED").exists(),
    })
}

/// What `direct_url.json` says.
fn origin(folder: &Path) -> Option<Origin> {
    let bytes = fs::read(folder.join("direct_url.json")).ok()?;
    let direct: Value = serde_json::from_slice(&bytes).ok()?;
    let url = direct.get("url")?.as_str()?;
    if direct.pointer("/dir_info/editable") == Some(&Value::Bool(true)) {
        return Some(Origin::Editable(PathBuf::from(
            url.strip_prefix("file://")?,
        )));
    }
    let mut address = url.to_owned();
    if let Some(system) = direct.pointer("/vcs_info/vcs").and_then(Value::as_str) {
        let commit = direct
            .pointer("/vcs_info/commit_id")
            .and_then(Value::as_str)?;
        address = format!("{system}+{url}@{commit}");
    }
    if let Some(part) = direct.get("subdirectory").and_then(Value::as_str) {
        address += &format!("#subdirectory={part}");
    }
    Some(Origin::Address(address))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn add(environment: &Path, folder: &str, files: &[(&str, &str)]) {
        let folder = environment
            .join("lib/python3.12/site-packages")
            .join(folder);
        fs::create_dir_all(&folder).expect("a folder");
        for (name, text) in files {
            fs::write(folder.join(name), text).expect("a file");
        }
    }

    #[test]
    fn packages_are_found_with_where_they_came_from() {
        let folder = tempfile::tempdir().expect("a folder");
        let metadata = "Metadata-Version: 2.4\nName: Some.Thing\nVersion: 1.0\n\nName: no field\n";
        add(
            folder.path(),
            "some_thing-1.0.dist-info",
            &[("METADATA", metadata), ("REQUESTED", "")],
        );
        let metadata = "Name: other\nVersion: 2\n";
        let git = r#"{"url":"https://x.org/o.git","vcs_info":{"vcs":"git","commit_id":"abc"},"subdirectory":"p"}"#;
        add(
            folder.path(),
            "other-2.dist-info",
            &[("METADATA", metadata), ("direct_url.json", git)],
        );
        let metadata = "Name: mine\nVersion: 3\n";
        let mine = r#"{"url":"file:///home/me/mine","dir_info":{"editable":true}}"#;
        add(
            folder.path(),
            "mine-3.dist-info",
            &[("METADATA", metadata), ("direct_url.json", mine)],
        );
        add(folder.path(), "broken-1.dist-info", &[]);
        let found = installed(folder.path());
        let asked: Vec<(&str, String, bool)> = found
            .iter()
            .map(|(name, package)| {
                (
                    name.as_str(),
                    package.requirement().join(" "),
                    package.requested,
                )
            })
            .collect();
        assert_eq!(
            asked,
            [
                ("mine", "-e /home/me/mine".to_owned(), false),
                (
                    "other",
                    "other @ git+https://x.org/o.git@abc#subdirectory=p".to_owned(),
                    false
                ),
                ("some-thing", "Some.Thing==1.0".to_owned(), true),
            ]
        );
        assert!(installed(&folder.path().join("nowhere")).is_empty());
    }

    #[test]
    fn spellings_of_one_name_are_one() {
        for name in ["Jupyter_Client", "jupyter.client", "jupyter-_client"] {
            assert_eq!(normalised(name), "jupyter-client");
        }
    }
}
