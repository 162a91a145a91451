//! A file that appears in one step, whole or not at all, and never takes the place of another unasked.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, ErrorKind as Io, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use super::error::{Error, Kind, Result};

/// Writes a file by this function. Only its owner may read it: it says what somebody's session did.
///
/// # Errors
/// It is there already and is not to be replaced, it cannot be written, or the function fails.
pub fn write<T>(
    path: &Path,
    overwrite: bool,
    work: impl FnOnce(&mut dyn Write) -> Result<T>,
) -> Result<T> {
    if !path.is_absolute() {
        let text = format!("path: expected an absolute path, found {}", path.display());
        return Err(Error::new(Kind::Format, text));
    }
    if path.is_dir() {
        let text = format!("{}: expected a file, found a folder", path.display());
        return Err(Error::new(Kind::Format, text));
    }
    if !overwrite && path.symlink_metadata().is_ok() {
        return Err(exists(path));
    }
    let told = |error: io::Error| Error::system(path, error);
    let (beside, file) = beside(path).map_err(told)?;
    let done = written(file, work).and_then(|made| place(&beside, path, overwrite).map(|()| made));
    if done.is_err() {
        let _ = fs::remove_file(&beside);
    }
    done.map_err(|error| match error {
        Trouble::Io(error) => told(error),
        Trouble::Told(error) => error,
        Trouble::Exists => exists(path),
    })
}

enum Trouble {
    Io(io::Error),
    Told(Error),
    Exists,
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

fn exists(path: &Path) -> Error {
    let text = format!(
        "{}: there is such a file already; name another, or ask for it to be replaced",
        path.display()
    );
    Error::new(Kind::Exists, text)
}

/// A new file in the same folder.
fn beside(path: &Path) -> io::Result<(PathBuf, File)> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut number = 0;
    loop {
        let beside = path.with_file_name(format!(".{name}.hs-{}-{number}.tmp", std::process::id()));
        let file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&beside);
        match file {
            Ok(file) => return Ok((beside, file)),
            Err(error) if error.kind() == Io::AlreadyExists => number += 1,
            Err(error) => return Err(error),
        }
    }
}

fn written<T>(
    file: File,
    work: impl FnOnce(&mut dyn Write) -> Result<T>,
) -> std::result::Result<T, Trouble> {
    let mut writer = BufWriter::with_capacity(1 << 16, file);
    let made = work(&mut writer).map_err(Trouble::Told)?;
    let file = writer
        .into_inner()
        .map_err(io::IntoInnerError::into_error)?;
    file.sync_all()?;
    Ok(made)
}

fn place(beside: &Path, path: &Path, overwrite: bool) -> std::result::Result<(), Trouble> {
    if overwrite {
        return Ok(fs::rename(beside, path)?);
    }
    match fs::hard_link(beside, path) {
        Ok(()) => {
            // It has its name; the other one is only in the way.
            let _ = fs::remove_file(beside);
            Ok(())
        }
        Err(error) if error.kind() == Io::AlreadyExists => Err(Trouble::Exists),
        // A file system without second names.
        Err(_) if path.symlink_metadata().is_err() => Ok(fs::rename(beside, path)?),
        Err(_) => Err(Trouble::Exists),
    }
}
