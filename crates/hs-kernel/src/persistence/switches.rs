//! Whether a session saves and restores. Whoever says no first is right: the environment, the command line, the host, the
//! project. A file that cannot be understood is an error, since it may have been meant to say no.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The variable that turns both off.
const VARIABLE: &str = "HEADSTART_PERSISTENCE";
/// The file of a project.
const FILE: &str = ".headstart.json";
const MIB: u64 = 1 << 20;

/// What a host or a project wants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Both.
    #[default]
    Auto,
    /// Neither.
    Off,
    /// Only saving.
    Save,
    /// Only restoring.
    Restore,
}

/// Sizes that a project may set, in bytes and days.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Limits {
    /// A value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<u64>,
    /// All that one cell changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cell: Option<u64>,
    /// The store, of all sessions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub store: Option<u64>,
    /// How long a checkpoint that nobody uses stays.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub days: Option<u64>,
}

/// What a session does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Switches {
    /// Its cells are saved.
    pub save: bool,
    /// What was saved comes back.
    pub restore: bool,
    /// How much of it.
    pub limits: Limits,
    /// Who said that one of them is off, for the user.
    pub off: Option<String>,
}

/// The project's file. An unknown field may be a no that was misspelt.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    persistence: Value,
    #[serde(default)]
    checkpoints: Sizes,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Each {
    #[serde(default = "yes")]
    save: bool,
    #[serde(default = "yes")]
    restore: bool,
}

fn yes() -> bool {
    true
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Sizes {
    value_mib: Option<u64>,
    cell_mib: Option<u64>,
    store_mib: Option<u64>,
    days: Option<u64>,
}

impl Sizes {
    fn each(&self) -> [(&'static str, Option<u64>); 4] {
        [
            ("value_mib", self.value_mib),
            ("cell_mib", self.cell_mib),
            ("store_mib", self.store_mib),
            ("days", self.days),
        ]
    }
}

impl File {
    /// Whether to save, and whether to restore.
    fn switches(&self) -> Result<(bool, bool), String> {
        match &self.persistence {
            Value::Null => Ok((true, true)),
            Value::Bool(both) => Ok((*both, *both)),
            Value::Object(_) => {
                let each: Each = serde_json::from_value(self.persistence.clone())
                    .map_err(|error| format!("persistence: {error}"))?;
                Ok((each.save, each.restore))
            }
            other => Err(format!(
                "persistence: expected true, false or an object with save and restore, found {other}"
            )),
        }
    }
}

/// What a session whose kernel works in `cwd` does.
///
/// # Errors
/// A file of the project cannot be read or understood, as a text for the user.
pub fn switches(cwd: &Path, mode: Mode, command_line: Option<bool>) -> Result<Switches, String> {
    let variable = std::env::var(VARIABLE).ok();
    decided(cwd, mode, command_line, variable.as_deref())
}

fn decided(
    cwd: &Path,
    mode: Mode,
    command_line: Option<bool>,
    variable: Option<&str>,
) -> Result<Switches, String> {
    let path = found(cwd);
    let (file, of_file) = match &path {
        Some(path) => read(path)?,
        None => (File::default(), (true, true)),
    };
    let sizes = file.checkpoints;
    let mib = |count: Option<u64>| count.map(|count| count.saturating_mul(MIB));
    let limits = Limits {
        value: mib(sizes.value_mib),
        cell: mib(sizes.cell_mib),
        store: mib(sizes.store_mib),
        days: sizes.days,
    };
    let of_mode = match mode {
        Mode::Auto => (true, true),
        Mode::Off => (false, false),
        Mode::Save => (true, false),
        Mode::Restore => (false, true),
    };
    let of_variable = match variable {
        Some("0" | "false" | "off" | "no") => (false, false),
        _ => (true, true),
    };
    let of_line = match command_line {
        Some(false) => (false, false),
        _ => (true, true),
    };
    let named = path.map(|path| path.display().to_string());
    let sources = [
        (of_variable, format!("{VARIABLE}=0")),
        (of_line, "--no-checkpoints".to_owned()),
        (of_mode, "checkpoints of open".to_owned()),
        (of_file, named.unwrap_or_default()),
    ];
    let mut switches = Switches {
        save: true,
        restore: true,
        limits,
        off: None,
    };
    for ((save, restore), who) in sources {
        switches.save &= save;
        switches.restore &= restore;
        if !(save && restore) && switches.off.is_none() {
            switches.off = Some(who);
        }
    }
    Ok(switches)
}

/// The file that counts for a folder: there, or in a parent, up to where the repository begins.
fn found(cwd: &Path) -> Option<PathBuf> {
    for folder in cwd.ancestors() {
        let file = folder.join(FILE);
        if file.symlink_metadata().is_ok() {
            return Some(file);
        }
        if folder.join(".git").exists() {
            return None;
        }
    }
    None
}

fn read(path: &Path) -> Result<(File, (bool, bool)), String> {
    let named = |what: String| {
        format!(
            "{}: {what}; it may say {{\"persistence\": false}}",
            path.display()
        )
    };
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Err(named("expected a file, found a link to nothing".to_owned()));
        }
        Err(error) => return Err(format!("{}: {error}", path.display())),
    };
    // Of a list serde would make an object, by the order of the fields.
    let object: Map<String, Value> = serde_json::from_str(&text)
        .map_err(|error| named(format!("expected a JSON object: {error}")))?;
    if object.get("checkpoints").is_some_and(Value::is_array) {
        return Err(named(
            "checkpoints: expected an object, found a list".to_owned(),
        ));
    }
    let file: File =
        serde_json::from_value(object.into()).map_err(|error| named(error.to_string()))?;
    for (size, count) in file.checkpoints.each() {
        if count == Some(0) {
            return Err(named(format!(
                "checkpoints: {size}: expected 1 or more, found 0"
            )));
        }
    }
    let switches = file.switches().map_err(named)?;
    Ok((file, switches))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(
        file: Option<&str>,
        mode: Mode,
        line: Option<bool>,
        variable: Option<&str>,
    ) -> (bool, bool) {
        let folder = tempfile::tempdir().expect("a folder");
        if let Some(text) = file {
            fs::write(folder.path().join(FILE), text).expect("a file");
        }
        let inner = folder.path().join("a/b");
        fs::create_dir_all(&inner).expect("a folder");
        let found = decided(&inner, mode, line, variable).expect("switches");
        assert_eq!(found.off.is_some(), !(found.save && found.restore));
        (found.save, found.restore)
    }

    #[test]
    fn both_are_on_until_somebody_says_no() {
        assert_eq!(of(None, Mode::Auto, None, None), (true, true));
        assert_eq!(of(None, Mode::Auto, Some(true), Some("1")), (true, true));
        assert_eq!(of(None, Mode::Auto, None, Some("0")), (false, false));
        assert_eq!(of(None, Mode::Auto, Some(false), None), (false, false));
        assert_eq!(of(None, Mode::Save, None, None), (true, false));
        let file = r#"{"persistence": {"restore": false}}"#;
        assert_eq!(of(Some(file), Mode::Auto, None, None), (true, false));
        assert_eq!(of(Some(file), Mode::Restore, None, None), (false, false));
        let file = r#"{"persistence": false}"#;
        assert_eq!(of(Some(file), Mode::Auto, None, None), (false, false));
    }

    #[test]
    fn a_project_ends_where_its_repository_begins() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join(FILE), r#"{"persistence": false}"#).expect("a file");
        let inner = folder.path().join("project/sub");
        fs::create_dir_all(&inner).expect("a folder");
        let saves = || {
            decided(&inner, Mode::Auto, None, None)
                .expect("switches")
                .save
        };
        assert!(!saves());
        fs::create_dir(folder.path().join("project/.git")).expect("a folder");
        assert!(saves());
        fs::write(folder.path().join("project").join(FILE), "{}").expect("a file");
        assert!(saves());
    }

    #[test]
    fn sizes_are_the_projects() {
        let folder = tempfile::tempdir().expect("a folder");
        let text = r#"{"checkpoints": {"value_mib": 1, "days": 2}}"#;
        fs::write(folder.path().join(FILE), text).expect("a file");
        let found = decided(folder.path(), Mode::Auto, None, None).expect("switches");
        assert_eq!(
            (found.limits.value, found.limits.days),
            (Some(MIB), Some(2))
        );
    }

    #[test]
    fn what_cannot_be_understood_names_the_file() {
        for text in [
            "",
            "[]",
            "{\"persistance\": false}",
            "{\"persistence\": 0}",
            "{\"persistence\": []}",
            "{\"persistence\": {\"saves\": false}}",
            "{\"checkpoints\": {\"value_mib\": 0}}",
            "{\"checkpoints\": {\"cell_mib\": 0}}",
            "{\"checkpoints\": {\"store_mib\": 0}}",
            "{\"checkpoints\": {\"days\": 0}}",
            "{\"checkpoints\": {\"cell_mib\": -1}}",
        ] {
            let folder = tempfile::tempdir().expect("a folder");
            let path = folder.path().join(FILE);
            fs::write(&path, text).expect("a file");
            let error = decided(folder.path(), Mode::Auto, None, None).expect_err(text);
            assert!(error.starts_with(&path.display().to_string()), "{error}");
            assert!(!error.contains("untagged"), "{error}");
        }
    }
}
