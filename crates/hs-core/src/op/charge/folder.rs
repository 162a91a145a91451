//! Which files of a folder are the parts of a table: those of the one format that it is made of.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::control::Control;
use crate::error::{Error, ErrorKind, Place, Result};
use crate::format::Format;
use crate::note::{Note, Topic};
use crate::source::{self, Compression};
use crate::text::counted;

/// The parts in a folder, and what was passed over.
///
/// A folder with parquet files is made of them; any other must have files of one format only.
///
/// # Errors
/// [`ErrorKind::Missing`] when it has no file of a known format, [`ErrorKind::Argument`] when it has
/// several formats; as [`source::folder`].
pub fn parts(folder: &Path, control: &Control) -> Result<(Vec<PathBuf>, Vec<Note>)> {
    let found = source::folder(folder, control)?;
    let mut by_format: BTreeMap<&str, Vec<PathBuf>> = BTreeMap::new();
    let mut others = Vec::new();
    for file in found.files {
        control.check()?;
        match format_of(&file) {
            Some(format) => by_format.entry(format.name()).or_default().push(file),
            None => others.push(file),
        }
    }
    let place = || Place::source(folder.display().to_string());
    let parquet = by_format.remove(Format::Parquet.name());
    let parts = match parquet {
        Some(parts) => {
            others.extend(by_format.into_values().flatten());
            parts
        }
        None if by_format.len() > 1 => {
            let counts: Vec<String> = by_format
                .iter()
                .map(|(format, files)| format!("{} {format}", files.len()))
                .collect();
            let message = format!(
                "expected a folder with files of one format, found {}",
                counts.join(", ")
            );
            let first = by_format.values().flatten().next();
            let pattern = folder.join(first.map_or_else(|| "*".to_owned(), |file| pattern(file)));
            return Err(Error::new(ErrorKind::Argument, message)
                .at(place())
                .hint(format!(
                    "name its files by a pattern such as {:?}",
                    pattern.display().to_string()
                )));
        }
        None => by_format.into_values().next().ok_or_else(|| {
            Error::new(
                ErrorKind::Missing,
                "expected a folder with data, found no file that is",
            )
            .at(place())
            .hint("headstart reads csv, json, jsonl, toml, parquet, arrow, xlsx, xlsb, xls and ods")
        })?,
    };
    let passed = [
        ("not of its format", others),
        ("hidden or marks", found.hidden),
    ];
    let note = |(why, files): (&str, Vec<PathBuf>)| {
        let first = files.first()?.strip_prefix(folder).ok()?;
        let passed = counted(files.len() as u64, "file");
        let text = format!(
            "passed over {passed}, {why} (first: {:?})",
            first.display().to_string()
        );
        Some(Note::new(Topic::Rows, text).counted(files.len() as u64, Place::default()))
    };
    Ok((parts, passed.into_iter().filter_map(note).collect()))
}

/// The pattern of the files that are called like this one.
fn pattern(file: &Path) -> String {
    match file.extension().and_then(|extension| extension.to_str()) {
        Some(extension) => format!("**/*.{extension}"),
        None => "**/*".to_owned(),
    }
}

/// The format by the extension; Hive writes parquet without any.
fn format_of(file: &Path) -> Option<Format> {
    let mut name = file.to_owned();
    if Compression::of_name(&file.to_string_lossy()).is_some() {
        name.set_extension("");
    }
    let extension = name.extension().and_then(|extension| extension.to_str());
    let known = extension.and_then(|extension| Format::of_extension(&extension.to_lowercase()));
    known.or_else(|| {
        let mut magic = [0; 4];
        let mut file = std::fs::File::open(file).ok()?;
        file.read_exact(&mut magic).ok()?;
        (magic == *b"PAR1").then_some(Format::Parquet)
    })
}
