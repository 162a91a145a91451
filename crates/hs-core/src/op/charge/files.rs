//! Several files as one table: which files are meant, each loaded by itself, then stacked.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use super::{ChargeOptions, charge, check_types, chosen, load, refuse_repeated_columns, stack};
use crate::control::Control;
use crate::error::{Error, ErrorKind, Place, Result};
use crate::fix::Fix;
use crate::format::{Loaded, record_paths};
use crate::note::{Note, Topic};
use crate::source::{self, Found, Source};
use crate::table::{Kind, Table};
use crate::text;

/// The files as the user names them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Given {
    /// A path, or a pattern such as `2026-*.csv`.
    One(PathBuf),
    /// A list of such, also of one.
    List(Vec<PathBuf>),
}

/// Loads the files that are meant. One path is loaded as it is; a list and the files that match a
/// pattern are stacked by column name in their order, with a last column `source` of their names.
///
/// # Errors
/// As [`charge`]; [`ErrorKind::Missing`] for a pattern that no file matches, [`ErrorKind::Type`] for
/// a column whose types in two files have no type in common.
pub fn charge_files(given: &Given, options: &ChargeOptions, control: &Control) -> Result<Loaded> {
    let (name, files) = match given {
        Given::One(path) => match source::find(path, control)? {
            Found::File(path) => return charge(Source::path(path)?, options, control),
            Found::Files(files) => (path.display().to_string(), files),
        },
        Given::List(paths) => {
            let mut files = Vec::with_capacity(paths.len());
            for path in paths {
                match source::find(path, control)? {
                    Found::File(file) => files.push(file),
                    Found::Files(found) => files.extend(found),
                }
            }
            if files.is_empty() {
                let message = "expected files, found an empty list";
                return Err(Error::new(ErrorKind::Argument, message)
                    .hint("name at least one file, or a pattern such as \"2026-*.csv\""));
            }
            (text::counted(files.len() as u64, "file"), files)
        }
    };
    refuse_repeated_columns(options)?;
    let mut tables = Vec::with_capacity(files.len());
    for (index, file) in files.iter().enumerate() {
        control.check()?;
        control.start_input(&file.display().to_string(), index + 1, files.len());
        tables.push(load_table(file, options, control)?);
    }
    let reasons = Reasons::of(&tables);
    let mut table = stack::stack(tables, control)?;
    reasons.tell(&mut table);
    table.origin.name = name;
    check_types(&table, options)?;
    table.notes.splice(0..0, repeated(&files));
    let last = match given {
        Given::One(_) => Some(text::counted(files.len() as u64, "file")),
        // The name says it.
        Given::List(_) => None,
    };
    chosen(table, options, last.as_deref()).map(Loaded::Table)
}

/// A file as a table, with only those of the wanted columns that it has.
fn load_table(path: &Path, options: &ChargeOptions, control: &Control) -> Result<Table> {
    let source = Source::path(path)?;
    let name = source.name().to_owned();
    let table = match load(source, &options.read, control)? {
        Loaded::Table(table) => table,
        Loaded::Sheets(_) => {
            let message = "expected one sheet of each file, found all of them";
            return Err(Error::new(ErrorKind::Argument, message)
                .at(Place::source(name))
                .hint("name a sheet that all files have, or load the workbooks one by one"));
        }
        Loaded::Value(document) => {
            let message = "expected a table in each file, found a document of another shape";
            let error = Error::new(ErrorKind::Type, message).at(Place::source(name));
            return Err(match record_paths(&document).first() {
                Some(path) => {
                    let fix = Fix::text("at", path);
                    error
                        .hint(format!("name the records in it: {fix}"))
                        .fix(fix)
                }
                None => error.hint("load it by itself"),
            });
        }
    };
    let Some(wanted) = &options.columns else {
        return Ok(table);
    };
    let there: HashSet<&str> = table
        .columns()
        .iter()
        .map(|info| info.name.as_str())
        .collect();
    let mut wanted: Vec<String> = wanted.clone();
    wanted.retain(|name| there.contains(name.as_str()));
    table.select(&wanted)
}

/// Why columns have their types, as the first file says that has them so.
struct Reasons(HashMap<(String, Kind), String>);

impl Reasons {
    fn of(tables: &[Table]) -> Self {
        let mut reasons = HashMap::new();
        for table in tables {
            for (position, info) in table.columns().iter().enumerate() {
                if let Some(reason) = table.explanation.reason(position) {
                    let key = (info.name.clone(), info.kind);
                    let first = || format!("{reason}, in {}", table.origin.name);
                    reasons.entry(key).or_insert_with(first);
                }
            }
        }
        Self(reasons)
    }

    fn tell(mut self, table: &mut Table) {
        for (position, info) in table.columns().to_vec().into_iter().enumerate() {
            if let Some(reason) = self.0.remove(&(info.name, info.kind)) {
                table.explanation.set_reason(position, reason);
            }
        }
    }
}

/// A note when the same file is there more than once: so are its rows.
fn repeated(files: &[PathBuf]) -> Option<Note> {
    let mut seen = HashSet::new();
    let mut again: Vec<&PathBuf> = Vec::new();
    for file in files {
        if !seen.insert(file.canonicalize().unwrap_or_else(|_| file.clone())) {
            again.push(file);
        }
    }
    let first = again.first()?.display().to_string();
    let text = match again.len() {
        1 => format!("{first:?} is there twice, and so are its rows"),
        more => format!(
            "{} are there again, and so are their rows (first: {first:?})",
            text::counted(more as u64, "file")
        ),
    };
    Some(Note::new(Topic::Rows, text).counted(again.len() as u64, Place::default()))
}
