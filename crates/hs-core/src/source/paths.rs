//! Which files a path means: one, or all that match a pattern such as `2026-*.csv`. Opens none.

use std::cmp::Ordering;
use std::iter::Peekable;
use std::path::{Path, PathBuf};
use std::str::Chars;

use glob::MatchOptions;

use crate::control::Control;
use crate::error::{Error, ErrorKind, Place, Result};

/// As in a shell: a `*` stands for no `/`, and for no dot at the front.
const MATCHING: MatchOptions = MatchOptions {
    case_sensitive: true,
    require_literal_separator: true,
    require_literal_leading_dot: true,
};

/// What a path was found to mean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// One file. Whether it is there, opening it tells.
    File(PathBuf),
    /// The files that match a pattern, at least one, ordered by name: `part-2` before `part-10`.
    Files(Vec<PathBuf>),
}

/// Looks up what a path means. A file that is there under that very name is no pattern.
///
/// # Errors
/// [`ErrorKind::Missing`] when no file matches, [`ErrorKind::Argument`] for a broken pattern,
/// [`ErrorKind::Io`] for a folder that cannot be looked into, and a stop request.
pub fn find(path: &Path, control: &Control) -> Result<Found> {
    let Some(text) = path.to_str().filter(|text| is_pattern(text)) else {
        return Ok(Found::File(path.to_owned()));
    };
    if path.exists() {
        return Ok(Found::File(path.to_owned()));
    }
    let place = || Place::source(text);
    let hidden = path
        .file_name()
        .is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
    let matching = MatchOptions {
        // The crate takes the dot of a pattern for no dot at the front of a name.
        require_literal_leading_dot: !hidden,
        ..MATCHING
    };
    let matches = glob::glob_with(text, matching).map_err(|error| {
        let message = format!("expected a pattern of file names: {}", error.msg);
        Error::new(ErrorKind::Argument, message)
            .at(place())
            .hint("* stands for any letters, ? for one, [ab] for a or b, ** for folders")
            .because(error)
    })?;
    let (mut files, mut folders) = (Vec::new(), 0);
    for entry in matches {
        control.check()?;
        // A folder that is left out could hold a part of the data.
        let entry = entry.map_err(|error| {
            let name = error.path().display().to_string();
            let message = format!("cannot look into the folder: {}", error.error());
            Error::new(ErrorKind::Io, message)
                .at(Place::source(name))
                .because(error)
        })?;
        if entry.is_dir() {
            folders += 1;
        } else {
            files.push(entry);
        }
    }
    if files.is_empty() {
        let message = match folders {
            0 => "no file matches the pattern",
            _ => "expected files, found only folders that match the pattern",
        };
        return Err(Error::new(ErrorKind::Missing, message)
            .at(place())
            .hint(advice(text, folders > 0)));
    }
    Ok(Found::Files(by_name(files)))
}

/// The files in the order that people count in.
pub(super) fn by_name(mut files: Vec<PathBuf>) -> Vec<PathBuf> {
    files.sort_by_cached_key(|file| Natural(file.to_string_lossy().into_owned()));
    files
}

/// True for a pattern that some file matches.
pub fn matches(path: &Path, control: &Control) -> bool {
    matches!(find(path, control), Ok(Found::Files(_)))
}

fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?', '['])
}

fn advice(pattern: &str, folders: bool) -> String {
    if folders {
        return format!(
            "name the files in them, such as {:?}",
            format!("{pattern}/*")
        );
    }
    let fixed: PathBuf = Path::new(pattern)
        .components()
        .take_while(|part| {
            part.as_os_str()
                .to_str()
                .is_some_and(|part| !is_pattern(part))
        })
        .collect();
    if !fixed.as_os_str().is_empty() && !fixed.is_dir() {
        return format!(
            "the folder {:?} does not exist",
            fixed.display().to_string()
        );
    }
    "check the folder and the spelling".to_owned()
}

/// A name whose runs of digits compare as numbers, and whose letters compare in any case first.
#[derive(PartialEq, Eq)]
struct Natural(String);

impl Ord for Natural {
    fn cmp(&self, other: &Self) -> Ordering {
        let (mut left, mut right) = (self.0.chars().peekable(), other.0.chars().peekable());
        loop {
            let digits = |letters: &mut Peekable<Chars<'_>>| {
                letters.peek().is_some_and(char::is_ascii_digit)
            };
            let order = if digits(&mut left) && digits(&mut right) {
                let (left, right) = (number(&mut left), number(&mut right));
                left.len().cmp(&right.len()).then(left.cmp(&right))
            } else {
                match (left.next(), right.next()) {
                    (None, None) => return self.0.cmp(&other.0),
                    (left, right) => left.map(rank).cmp(&right.map(rank)),
                }
            };
            if order.is_ne() {
                return order;
            }
        }
    }
}

impl PartialOrd for Natural {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The digits in front without leading zeros.
fn number(letters: &mut Peekable<Chars<'_>>) -> String {
    let mut digits = String::new();
    while let Some(digit) = letters.next_if(char::is_ascii_digit) {
        if digit != '0' || !digits.is_empty() {
            digits.push(digit);
        }
    }
    digits
}

/// Files of a folder stand together: what ends a folder's name comes before any letter.
fn rank(letter: char) -> (bool, String) {
    (
        !std::path::is_separator(letter),
        letter.to_lowercase().collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(files: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for file in files {
            let path = folder.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "a\n1\n").unwrap();
        }
        folder
    }

    fn found(folder: &tempfile::TempDir, pattern: &str) -> Result<Vec<String>> {
        let inside = |path: PathBuf| {
            let path = path.strip_prefix(folder.path()).unwrap();
            path.to_str().unwrap().replace('\\', "/")
        };
        match find(&folder.path().join(pattern), &Control::default())? {
            Found::File(file) => Ok(vec![format!("just {}", inside(file))]),
            Found::Files(files) => Ok(files.into_iter().map(inside).collect()),
        }
    }

    #[test]
    fn files_come_in_the_order_that_people_count_in() {
        let files = [
            "part-10.csv",
            "part-2.csv",
            "part-02.csv",
            "Part-1.csv",
            "part-1.txt",
            ".part-3.csv",
            "b/part-1.csv",
            "a b/part-1.csv",
            "b/c/part-7.csv",
        ];
        let folder = folder(&files);
        assert_eq!(
            found(&folder, "[pP]art-*.csv").unwrap(),
            ["Part-1.csv", "part-02.csv", "part-2.csv", "part-10.csv"]
        );
        assert_eq!(
            found(&folder, "**/part-?.csv").unwrap(),
            [
                "a b/part-1.csv",
                "b/c/part-7.csv",
                "b/part-1.csv",
                "part-2.csv"
            ]
        );
        assert_eq!(found(&folder, "b*").unwrap_err().kind(), ErrorKind::Missing);
    }

    #[test]
    fn a_file_of_that_very_name_is_no_pattern() {
        let folder = folder(&["a[1].csv", "a1.csv"]);
        assert_eq!(found(&folder, "a[1].csv").unwrap(), ["just a[1].csv"]);
        assert_eq!(found(&folder, "a[0-9].csv").unwrap(), ["a1.csv"]);
        assert_eq!(found(&folder, "b.csv").unwrap(), ["just b.csv"]);
    }

    #[test]
    fn no_match_says_so() {
        let folder = folder(&["a.csv"]);
        let message = |pattern| found(&folder, pattern).unwrap_err().to_string();
        assert!(message("b*.csv").contains("b*.csv: no file matches the pattern\nhint: "));
        let missing = message("x/y/*.csv");
        assert!(missing.contains("x/y\" does not exist"), "{missing}");
        let broken = message("a***.csv");
        assert!(
            broken.contains("expected a pattern of file names"),
            "{broken}"
        );
        let control = Control::default();
        control.stop();
        let stopped = find(&folder.path().join("a*"), &control).unwrap_err();
        assert_eq!(stopped.kind(), ErrorKind::Interrupted);
    }
}
