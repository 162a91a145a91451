//! Several files as one table: which files are meant, each loaded by itself, then stacked.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use super::{
    ChargeOptions, charge, check_types, chosen, folder, keys, load, refuse_repeated_columns,
    rows_read, stack,
};
use crate::control::Control;
use crate::error::{Error, ErrorKind, Place, Result};
use crate::fix::Fix;
use crate::format::{self, Format, Loaded, record_paths};
use crate::note::{Note, Topic};
use crate::source::{self, Found, Source};
use crate::table::{Kind, Table};
use crate::text;

/// The files as the user names them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Given {
    /// A path of a file or folder, or a pattern such as `2026-*.csv`.
    One(PathBuf),
    /// A list of such, also of one.
    List(Vec<PathBuf>),
}

/// The files that are meant, and how they are taken.
struct Meant {
    /// What they are called together.
    name: String,
    files: Vec<PathBuf>,
    /// They are parts of one thing, a folder: nobody asks which one a row is from.
    parts: bool,
    notes: Vec<Note>,
}

/// Loads the files that are meant. One path is loaded as it is; a list, the files that match a
/// pattern and those in a folder are stacked by column name in their order. Of a list or a pattern
/// there is a last column `source` of their names; folders such as `year=2024` are columns, too.
///
/// # Errors
/// As [`charge`]; [`ErrorKind::Missing`] for a pattern that no file matches, [`ErrorKind::Type`] for
/// a column whose types in two files have no type in common.
pub fn charge_files(given: &Given, options: &ChargeOptions, control: &Control) -> Result<Loaded> {
    let meant = match given {
        Given::One(path) => match source::find(path, control)? {
            Found::File(path) if path.is_dir() => of_folder(&path, control)?,
            Found::File(path) => return charge(Source::path(path)?, options, control),
            Found::Files(files) => of_pattern(path.display().to_string(), files),
        },
        Given::List(paths) => of_list(paths, control)?,
    };
    refuse_repeated_columns(options)?;
    let files = &meant.files;
    let mut tables = Vec::with_capacity(files.len());
    let mut left = options.rows;
    for (index, file) in files.iter().enumerate() {
        control.check()?;
        control.start_input(&file.display().to_string(), index + 1, files.len());
        let table = load_table(file, options, rows_read(options, left), control)?;
        left = left.map(|left| left.saturating_sub(table.height()));
        tables.push(table);
    }
    let mut notes: Vec<Note> = repeated(files).into_iter().chain(meant.notes).collect();
    if meant.parts || tables.iter().all(is_columnar) {
        let (types, columns) = (&options.read.types, options.columns.as_deref());
        notes.extend(keys::add(&mut tables, files, types, columns, control)?);
    }
    let reasons = Reasons::of(&tables);
    let mut table = stack::stack(tables, !meant.parts, control)?;
    reasons.tell(&mut table);
    table.origin.name = meant.name;
    check_types(&table, options)?;
    table.notes.splice(0..0, notes);
    let last = match given {
        Given::One(_) => Some(text::counted(files.len() as u64, "file")),
        // The name says it.
        Given::List(_) => None,
    };
    chosen(table, options, last.as_deref()).map(Loaded::Table)
}

fn is_columnar(table: &Table) -> bool {
    matches!(table.origin.format, Some(Format::Parquet | Format::Arrow))
}

fn of_folder(path: &Path, control: &Control) -> Result<Meant> {
    let (files, notes) = folder::parts(path, control)?;
    Ok(Meant {
        name: path.display().to_string(),
        files,
        parts: true,
        notes,
    })
}

/// The files of a pattern but for the marks that Spark leaves beside the data.
fn of_pattern(name: String, files: Vec<PathBuf>) -> Meant {
    let (marks, data): (Vec<PathBuf>, Vec<PathBuf>) = files
        .iter()
        .cloned()
        .partition(|file| source::is_mark(file));
    let (files, notes) = match marks.first() {
        Some(first) if !data.is_empty() => {
            let passed = text::counted(marks.len() as u64, "file");
            let first = first.display().to_string();
            let text = format!("passed over {passed}, marks of the writer (first: {first:?})");
            let note = Note::new(Topic::Rows, text).counted(marks.len() as u64, Place::default());
            (data, vec![note])
        }
        _ => (files, Vec::new()),
    };
    Meant {
        name,
        files,
        parts: false,
        notes,
    }
}

fn of_list(paths: &[PathBuf], control: &Control) -> Result<Meant> {
    let mut files = Vec::with_capacity(paths.len());
    let mut notes = Vec::new();
    for path in paths {
        let found = match source::find(path, control)? {
            Found::File(file) if file.is_dir() => of_folder(&file, control)?,
            Found::File(file) => {
                files.push(file);
                continue;
            }
            Found::Files(found) => of_pattern(String::new(), found),
        };
        files.extend(found.files);
        notes.extend(found.notes);
    }
    if files.is_empty() {
        let message = "expected files, found an empty list";
        return Err(Error::new(ErrorKind::Argument, message)
            .hint("name at least one file, or a pattern such as \"2026-*.csv\""));
    }
    Ok(Meant {
        name: text::counted(files.len() as u64, "file"),
        files,
        parts: false,
        notes,
    })
}

/// A file as a table, with only those of the wanted columns that it has.
fn load_table(
    path: &Path,
    options: &ChargeOptions,
    rows: Option<usize>,
    control: &Control,
) -> Result<Table> {
    let source = Source::path(path)?;
    let name = source.name().to_owned();
    let mut read = options.read.clone();
    if matches!(format::detect(&source)?, Format::Parquet | Format::Arrow) {
        read.only.clone_from(&options.columns);
        read.some_lack = true;
        read.rows = rows;
    }
    let table = match load(source, &read, control)? {
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
