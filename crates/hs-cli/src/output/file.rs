//! An output file: written beside its place, then moved there, so that it is whole or as it was.

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use hs_core::{Error, ErrorKind, Place};

use crate::args::AnswerFormat;
use crate::exit::Failure;

/// The format that the extension of an output file asks for.
///
/// # Errors
/// [`ErrorKind::Argument`] for an extension that is no format of an answer.
pub fn format_of(path: &Path) -> Result<AnswerFormat, Error> {
    let extension = path.extension().map(OsStr::to_ascii_lowercase);
    match extension.as_ref().and_then(|text| text.to_str()) {
        None | Some("txt") => Ok(AnswerFormat::Table),
        Some("csv") => Ok(AnswerFormat::Csv),
        Some("json") => Ok(AnswerFormat::Json),
        Some("jsonl" | "ndjson") => Ok(AnswerFormat::Jsonl),
        Some("md") => Ok(AnswerFormat::Md),
        Some(other) => {
            let message =
                format!("expected -o with .csv, .json, .jsonl, .md or .txt, found .{other}");
            Err(Error::new(ErrorKind::Argument, message)
                .at(Place::source(path.display().to_string()))
                .hint("name the format: --format csv"))
        }
    }
}

/// Writes a file by way of a temporary one in the same folder, which replaces it at the end.
///
/// Devices and pipes cannot be replaced; they are written to directly. A symbolic link stays one.
///
/// # Errors
/// When the file cannot be written; the old file is then as it was.
pub fn replace(
    path: &Path,
    work: impl FnOnce(&mut dyn Write) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let failed = |error: io::Error| {
        let message = format!("cannot write: {error}");
        Failure::Error(
            Error::new(ErrorKind::Io, message)
                .at(Place::source(path.display().to_string()))
                .because(error),
        )
    };
    let target = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let old = fs::metadata(&target).ok();
    if old
        .as_ref()
        .is_some_and(|old| !old.is_file() && !old.is_dir())
    {
        let mut out = File::create(&target).map_err(failed)?;
        work(&mut out)?;
        return out.flush().map_err(failed);
    }
    let (beside, file) = create_beside(&target).map_err(failed)?;
    let mut out = BufWriter::with_capacity(1 << 16, file);
    let done = work(&mut out).and_then(|()| {
        let file = out
            .into_inner()
            .map_err(|error| failed(error.into_error()))?;
        if let Some(old) = &old {
            file.set_permissions(old.permissions()).map_err(failed)?;
        }
        file.sync_all().map_err(failed)?;
        fs::rename(&beside, &target).map_err(failed)
    });
    if done.is_err() {
        // The error that is already on its way matters more than a file left behind.
        let _ = fs::remove_file(&beside);
    }
    done
}

fn create_beside(target: &Path) -> io::Result<(PathBuf, File)> {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    let process = std::process::id();
    for attempt in 0..1000 {
        let beside = target.with_file_name(format!(".{name}.{process}.{attempt}.tmp"));
        match OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&beside)
        {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            result => return result.map(|file| (beside, file)),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_leaves_the_old_file_and_nothing_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv");
        fs::write(&path, "old").unwrap();
        let failed = replace(&path, |out| {
            out.write_all(b"new")?;
            Err(Error::new(ErrorKind::Io, "no").into())
        });
        assert!(failed.is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        replace(&path, |out| Ok(out.write_all(b"new")?)).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(folder.path().read_dir().unwrap().count(), 1);
    }

    #[test]
    fn a_folder_that_is_not_there_is_an_error_with_the_path() {
        let failed = replace(Path::new("/no such folder/a.csv"), |_| Ok(()));
        let Err(Failure::Error(error)) = failed else {
            panic!("expected an error");
        };
        assert!(
            error
                .to_string()
                .starts_with("/no such folder/a.csv: cannot write")
        );
    }
}
