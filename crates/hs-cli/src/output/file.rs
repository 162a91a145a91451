//! What the name of an output file asks for. Opens nothing.

use std::path::Path;

use hs_core::op::sauve::Target;
use hs_core::source::Compression;
use hs_core::{Error, ErrorKind, Format, Place};

use crate::args::AnswerFormat;

/// The format of the answer that the extension of an output file asks for; `None` for the formats
/// that data is saved in. A `.json` file holds the answer, with its columns and notes.
///
/// # Errors
/// [`ErrorKind::Argument`] for an extension that is no format of either kind.
pub fn format_of(path: &Path) -> Result<Option<AnswerFormat>, Error> {
    let refused = match Target::of(path) {
        Ok(target) if target.format == Format::Json => return Ok(Some(AnswerFormat::Json)),
        Ok(_) => return Ok(None),
        Err(error) => error,
    };
    let extension = path.extension().map(std::ffi::OsStr::to_ascii_lowercase);
    match extension.as_ref().and_then(|text| text.to_str()) {
        None | Some("txt") => Ok(Some(AnswerFormat::Table)),
        Some("md") => Ok(Some(AnswerFormat::Md)),
        Some(other) if refused.message().contains("as the extension") => {
            let message = format!(
                "expected -o with .csv, .tsv, .json, .jsonl, .parquet, .arrow, .xlsx, .md or .txt, \
                 found .{other}"
            );
            let asked = refused.hint_text();
            let asked = asked.filter(|hint| hint.starts_with("did you mean"));
            Err(Error::new(ErrorKind::Argument, message)
                .at(Place::source(path.display().to_string()))
                .hint(asked.unwrap_or("name the format: --format csv")))
        }
        Some(_) => Err(refused),
    }
}

/// Refuses to write another format under the name of a binary one: nothing would read it again.
///
/// # Errors
/// [`ErrorKind::Argument`] for a `.parquet`, `.arrow` or `.xlsx` file.
pub fn refuse_other_format(path: &Path) -> Result<(), Error> {
    match Target::of(path) {
        Ok(target) if !matches!(target.format, Format::Csv | Format::Json | Format::Jsonl) => {
            let message = format!(
                "expected no --format with a .{} file, found one",
                target.word
            );
            Err(Error::new(ErrorKind::Argument, message)
                .at(Place::source(path.display().to_string()))
                .hint("leave out --format: the extension says the format"))
        }
        _ => Ok(()),
    }
}

/// How the bytes of an output file are packed by its name.
///
/// # Errors
/// [`ErrorKind::Argument`] for a packing that is only read.
pub fn compression_of(path: &Path) -> Result<Option<Compression>, Error> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    match Compression::of_name(&name) {
        Some(packed @ (Compression::Bzip2 | Compression::Xz)) => {
            let message = format!(
                "expected .gz or .zst for packed text, found .{}",
                packed.extension()
            );
            Err(Error::new(ErrorKind::Argument, message)
                .at(Place::source(path.display().to_string()))
                .hint("those are written; .bz2 and .xz are only read"))
        }
        packed => Ok(packed),
    }
}
