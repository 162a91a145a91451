//! `hs kernel export` and `hs kernel import`: what a session did, as a file.

use std::path::{Path, absolute};

use hs_core::{Error, ErrorKind, Place};
use serde_json::json;

use super::memory::{imported, memory};
use crate::args::{ExportArgs, ImportArgs};
use crate::exit::Failure;
use crate::output::{Facts, Output};

/// Writes the file.
///
/// # Errors
/// When there is no such session, or the file is there or cannot be written.
pub fn run(args: &ExportArgs, output: &Output) -> Result<(), Failure> {
    let format = format_of(&args.file)?;
    let path = absolute(&args.file)?;
    let session = args.session.as_str();
    let rows = memory(session)?.export(session, (format, &path), args.overwrite)?;
    let line = format!("{rows} cells and messages are in {}", args.file.display());
    given(output, line, session, &path, rows)
}

/// Reads the file.
///
/// # Errors
/// When there is no such session, or the file is none that was exported.
pub fn import(args: &ImportArgs, output: &Output) -> Result<(), Failure> {
    let path = absolute(&args.file)?;
    let session = args.session.as_str();
    let rows = imported(session, json!({"type": "import", "path": path}))?;
    let line = format!("{rows} new cells and messages from {}", args.file.display());
    given(output, line, session, &path, rows)
}

fn given(
    output: &Output,
    line: String,
    session: &str,
    path: &Path,
    rows: u64,
) -> Result<(), Failure> {
    let facts = Facts::new(line).with("session", session);
    let facts = facts.with("path", path.display().to_string());
    output.give_facts(&[facts.with("rows", rows as i64)])
}

fn format_of(path: &Path) -> Result<&'static str, Failure> {
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    match &*extension {
        "jsonl" => Ok("jsonl"),
        "md" => Ok("markdown"),
        "txt" => Ok("text"),
        _ => {
            let message = "expected a file that ends in .jsonl, .md or .txt, found another name";
            let place = Place::source(path.display().to_string());
            Err(Error::new(ErrorKind::Argument, message).at(place).into())
        }
    }
}
