//! What the files of a line have: columns, sheets, lists of records. Only the front of a file is read, and not for long.

use std::path::PathBuf;

use hs_core::op::charge::front;
use hs_core::{Control, ReadOptions, Result, SheetChoice, Wanted};

use super::candidates::{Given, Name};
use super::names;
use super::soon::soon;
use crate::input::with_sheet;

/// So many columns are offered.
const MOST: usize = 2000;

/// The files that a line names, and how they are read.
pub struct Files {
    paths: Vec<PathBuf>,
    read: ReadOptions,
    /// Columns that the line names already.
    named: Vec<String>,
}

/// Which of two files a column is to be in.
#[derive(Clone, Copy)]
pub enum Which {
    /// In either.
    Any,
    /// In the first.
    First,
    /// In the second.
    Second,
}

impl Files {
    /// Those of the line.
    pub fn of(given: &Given) -> Self {
        let ids = ["file", "files", "a", "b", "left", "right"];
        let texts = ids.iter().flat_map(|id| given.texts(id));
        let mut sheet = given.texts("sheet").pop();
        let paths = texts.map(|text| {
            let (path, part) = located(&text);
            sheet = sheet.take().or(part);
            path
        });
        let paths = paths.collect();
        Self {
            paths,
            read: ReadOptions {
                sheet: sheet.map_or(SheetChoice::First, SheetChoice::named),
                at: given.texts("at").pop(),
                encoding: given.texts("encoding").pop(),
                delimiter: given.value("delimiter"),
                header: given.value("header"),
                ..ReadOptions::default()
            },
            named: ["key", "keys", "columns", "ignore", "only"]
                .iter()
                .flat_map(|id| given.texts(id))
                .collect(),
        }
    }

    /// The sheets of `FILE#`, each as `FILE#SHEET`, where the word is that.
    pub fn sheet_of(word: &str) -> Option<Vec<Name>> {
        let (file, _) = word.rsplit_once('#')?;
        let (path, part) = located(word);
        // Without a part it is a file whose name has that sign, or no file at all.
        part?;
        let sheets = soon(move |control| front::sheets(&path, control));
        let named = sheets.into_iter().map(|name| format!("{file}#{name}"));
        Some(plain(named))
    }

    /// Whether a word of `hs sauve` is `NAME=FILE`, not a file in a folder such as `year=2026`.
    pub fn behind_a_name(word: &str) -> bool {
        let in_folder = word.rsplit_once('/').is_some_and(|(folder, _)| {
            let folder = located(folder).0;
            folder.is_dir()
        });
        word.contains('=') && !in_folder
    }

    /// The sheets of the files.
    pub fn sheets(&self) -> Vec<Name> {
        let paths = self.paths.clone();
        let each = move |control: &Control| {
            let each = paths.iter().map(|path| front::sheets(path, control));
            Ok(once_each(each.flat_map(Result::unwrap_or_default)))
        };
        plain(soon(each))
    }

    /// The columns that are not named yet, each with `end` behind it.
    pub fn columns(&self, which: Which, end: &str) -> Vec<Name> {
        let names = self.names(which).into_iter();
        let new = names.filter(|name| !self.named.contains(name));
        plain(new.map(|name| format!("{name}{end}")))
    }

    /// Keys of two files: columns that both have, else `LEFT=RIGHT`.
    pub fn pairs(&self, current: &str) -> Vec<Name> {
        let left = self.names(Which::First);
        let right = self.names(Which::Second);
        let mut marks = current.match_indices('=').map(|(at, _)| &current[..at]);
        if let Some(name) = marks.find(|name| left.iter().any(|column| column == name)) {
            return plain(right.into_iter().map(|column| format!("{name}={column}")));
        }
        let new = |name: &&String| !self.named.contains(name);
        let both = left.iter().filter(|name| right.contains(name));
        let both: Vec<String> = both.filter(new).cloned().collect();
        if both.iter().any(|name| name.starts_with(current)) {
            return plain(both);
        }
        plain(left.iter().filter(new).map(|name| format!("{name}=")))
    }

    /// Columns with `=` behind them, then the types.
    pub fn types(&self, current: &str) -> Vec<Name> {
        match current.rsplit_once('=') {
            Some((column, _)) => {
                let types = Wanted::WORDS.iter();
                plain(types.map(|word| format!("{column}={word}")))
            }
            None => {
                let mut found = plain(self.names(Which::Any).iter().map(|name| format!("{name}=")));
                if found.iter().all(|(name, _)| !name.starts_with(current)) {
                    found = names::fixed(&Wanted::WORDS);
                }
                found
            }
        }
    }

    /// Paths of records in the document.
    pub fn records(&self) -> Vec<Name> {
        let Some(path) = self.paths.first().cloned() else {
            return Vec::new();
        };
        plain(soon(move |control| front::records(&path, control)))
    }

    fn names(&self, which: Which) -> Vec<String> {
        let paths = match which {
            Which::Any => self.paths.iter().collect(),
            Which::First => self.paths.iter().take(1).collect(),
            Which::Second => self.paths.iter().skip(1).take(1).collect::<Vec<_>>(),
        };
        let paths: Vec<PathBuf> = paths.into_iter().cloned().collect();
        let read = self.read.clone();
        let mut names = soon(move |control| {
            let each = paths
                .iter()
                .map(|path| front::columns(path, &read, control));
            Ok(once_each(each.flat_map(Result::unwrap_or_default)))
        });
        names.truncate(MOST);
        names
    }
}

/// The path of `FILE` or `FILE#SHEET` with a home at its front, and the sheet.
fn located(text: &str) -> (PathBuf, Option<String>) {
    let home = text.strip_prefix("~/").zip(std::env::home_dir());
    let path = home.map_or_else(|| PathBuf::from(text), |(rest, home)| home.join(rest));
    with_sheet(path.as_os_str(), &Control::default())
}

fn once_each(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut seen = std::collections::HashSet::new();
    names.filter(|name| seen.insert(name.clone())).collect()
}

fn plain(names: impl IntoIterator<Item = String>) -> Vec<Name> {
    names.into_iter().map(|name| (name, None)).collect()
}
