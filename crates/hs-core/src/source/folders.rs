//! The files below a folder, and what the names of folders say of the rows in them
//! (`year=2024/month=01`). Opens no file.

use std::path::{Component, Path, PathBuf};

use super::paths::by_name;
use crate::control::Control;
use crate::error::{Error, ErrorKind, Place, Result};

/// More files than this are a mistake, such as the folder of a user.
const MOST: usize = 100_000;
/// Links may lead around in circles.
const DEEPEST: usize = 32;
/// Logs of table formats: which of the files count is written there.
const LOGS: [(&str, &str); 2] = [("_delta_log", "Delta"), (".hoodie", "Hudi")];
/// How Hive writes a missing key.
const MISSING: &str = "__HIVE_DEFAULT_PARTITION__";

/// The files below a folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Folder {
    /// All but the hidden ones, ordered by name.
    pub files: Vec<PathBuf>,
    /// Those that begin with `.` or `_`, or are in such a folder: marks and sums of the programs that
    /// wrote the others.
    pub hidden: Vec<PathBuf>,
}

/// Looks through a folder and those in it.
///
/// # Errors
/// [`ErrorKind::Format`] for the folder of a table format such as Delta, [`ErrorKind::Argument`] for too
/// many files, [`ErrorKind::Io`] for a folder that cannot be looked into, and a stop request.
pub fn folder(path: &Path, control: &Control) -> Result<Folder> {
    for (log, format) in LOGS {
        if path.join(log).is_dir() {
            return Err(table_format(path, format));
        }
    }
    let mut found = Folder::default();
    walk(path, 0, &mut found, control)?;
    let iceberg = |file: &PathBuf| {
        let name = file.to_string_lossy();
        name.ends_with(".metadata.json") && file.parent() == Some(&path.join("metadata"))
    };
    if found.files.iter().any(iceberg) {
        return Err(table_format(path, "Iceberg"));
    }
    found.files = by_name(found.files);
    found.hidden = by_name(found.hidden);
    Ok(found)
}

fn walk(folder: &Path, depth: usize, found: &mut Folder, control: &Control) -> Result<()> {
    let place = || Place::source(folder.display().to_string());
    let refused = |error: std::io::Error| {
        let message = format!("cannot look into the folder: {error}");
        Error::new(ErrorKind::Io, message)
            .at(place())
            .because(error)
    };
    if depth > DEEPEST {
        return Ok(());
    }
    for entry in folder.read_dir().map_err(refused)? {
        control.check()?;
        let path = entry.map_err(refused)?.path();
        let hidden = is_hidden(&path);
        if path.is_dir() {
            if !hidden {
                walk(&path, depth + 1, found, control)?;
            }
        } else if hidden {
            found.hidden.push(path);
        } else {
            found.files.push(path);
        }
        if found.files.len() > MOST {
            let message = format!("expected a folder of at most {MOST} files, found more");
            let hint = "name a folder inside it, or its files by a pattern";
            return Err(Error::new(ErrorKind::Argument, message)
                .at(place())
                .hint(hint));
        }
    }
    Ok(())
}

/// As Spark has it: `_year=2024` is a key, no mark.
fn is_hidden(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with('.') || (name.starts_with('_') && !name.contains('='))
}

/// True for the marks and sums that Spark and Hadoop write beside the data, which a pattern such as
/// `*` finds, too.
pub fn is_mark(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let marks = ["_SUCCESS", "_metadata", "_common_metadata"];
    let crc = path.extension().is_some_and(|extension| extension == "crc");
    marks.contains(&name.as_ref())
        || crc
        || name.starts_with("_started_")
        || name.starts_with("_committed_")
}

fn table_format(path: &Path, format: &str) -> Error {
    let pattern = path.join("*.parquet").display().to_string();
    let message =
        format!("expected a folder of files, found a {format} table: its log says which count");
    Error::new(ErrorKind::Format, message)
        .at(Place::source(path.display().to_string()))
        .hint(format!(
            "read it with a {format} library; {pattern:?} reads all files, also those that were replaced"
        ))
}

/// The keys that the folders of a path are named after, and their values; `None` for a missing one.
pub fn keys(path: &Path) -> Vec<(String, Option<String>)> {
    let mut keys: Vec<(String, Option<String>)> = Vec::new();
    let folders = path.parent().into_iter().flat_map(Path::components);
    for folder in folders {
        let Component::Normal(name) = folder else {
            continue;
        };
        let Some((key, value)) = name.to_str().and_then(|name| name.split_once('=')) else {
            continue;
        };
        let (key, value) = (decoded(key), decoded(value));
        if key.is_empty() {
            continue;
        }
        let value = (value != MISSING).then_some(value);
        match keys.iter_mut().find(|(known, _)| *known == key) {
            Some((_, known)) => *known = value,
            None => keys.push((key, value)),
        }
    }
    keys
}

/// A name in which `%20` stands for a space: what file systems or Hive do not take is written so.
fn decoded(name: &str) -> String {
    let mut bytes = Vec::with_capacity(name.len());
    let mut rest = name.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        let code = tail.get(..2).filter(|_| *first == b'%');
        let code = code.and_then(|code| std::str::from_utf8(code).ok());
        let code = code.filter(|code| code.bytes().all(|digit| digit.is_ascii_hexdigit()));
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            None => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(files: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for file in files {
            let path = folder.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        folder
    }

    #[test]
    fn marks_are_no_data() {
        let made = made(&[
            "year=2024/part-10.parquet",
            "year=2024/part-9.parquet",
            "_year=x/a.parquet",
            "_SUCCESS",
            "year=2024/.part-9.parquet.crc",
            "_temporary/0/part.parquet",
        ]);
        let found = folder(made.path(), &Control::default()).unwrap();
        let names = |files: &[PathBuf]| -> Vec<String> {
            let inside = |file: &PathBuf| {
                file.strip_prefix(made.path())
                    .unwrap()
                    .display()
                    .to_string()
            };
            files.iter().map(inside).collect()
        };
        assert_eq!(
            names(&found.files),
            [
                "_year=x/a.parquet",
                "year=2024/part-9.parquet",
                "year=2024/part-10.parquet"
            ]
        );
        assert_eq!(
            names(&found.hidden),
            ["_SUCCESS", "year=2024/.part-9.parquet.crc"]
        );
        assert!(is_mark(Path::new("a/_SUCCESS")) && is_mark(Path::new("b.parquet.crc")));
        assert!(!is_mark(Path::new("_data.parquet")));
    }

    #[test]
    fn table_formats_are_told() {
        for (file, format) in [
            ("_delta_log/0.json", "Delta"),
            (".hoodie/hoodie.properties", "Hudi"),
            ("metadata/v1.metadata.json", "Iceberg"),
        ] {
            let made = made(&[file, "data/a.parquet"]);
            let error = folder(made.path(), &Control::default()).expect_err(format);
            assert!(error.message().contains(format), "{error}");
        }
    }

    #[test]
    fn keys_are_read_as_they_are_written() {
        let found = keys(Path::new(
            "/x/a=1=2/b%20c=d%2Fe/f=__HIVE_DEFAULT_PARTITION__/=g/h=%zz/i=j.parquet",
        ));
        let some = |key: &str, value: &str| (key.to_owned(), Some(value.to_owned()));
        let wanted = [
            some("a", "1=2"),
            some("b c", "d/e"),
            ("f".to_owned(), None),
            some("h", "%zz"),
        ];
        assert_eq!(found, wanted);
    }
}
