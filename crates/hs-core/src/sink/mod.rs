//! The only place that creates outputs: a file is written beside its place and moved there when it
//! is whole, so that whatever happens there is the old file or the new one.
//!
//! It knows nothing of formats; it takes bytes.

mod beside;
mod packed;

#[cfg(test)]
mod tests;

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::control::Control;
use crate::error::{Error, ErrorKind, Place, Result};
use crate::fix::Fix;
use crate::source::Compression;
use beside::Beside;
use packed::Packed;

/// Symbolic links that are followed at most, as Linux does.
const LINKS: usize = 40;
/// How much is gathered before the system is asked to take it.
const BLOCK: usize = 1 << 18;

/// How to write a file.
#[derive(Clone, Copy, Debug)]
pub struct SinkOptions {
    /// Whether a file that is there may be replaced.
    pub overwrite: bool,
    /// How to pack the bytes.
    pub compression: Option<Compression>,
}

impl Default for SinkOptions {
    fn default() -> Self {
        Self {
            overwrite: true,
            compression: None,
        }
    }
}

/// Whether a file can be written there, as far as can be told before there are bytes: it is tried, and nothing is left.
///
/// # Errors
/// As [`save`].
pub fn try_place(path: &Path, options: SinkOptions) -> Result<()> {
    let tried = resolve(path).and_then(|target| {
        if is_stream(&target) {
            return Ok(());
        }
        allow(&target, options.overwrite)?;
        Beside::create(&target).map(drop)
    });
    tried.map_err(|error| error.at(Place::source(path.display().to_string())))
}

/// Writes a file: `work` puts the bytes, and what it gives comes back with the size of the file.
///
/// The bytes go to a file in the same folder, which takes the place of the old one in one step when
/// all of it is on the disk. The old file's permissions are kept, and a symbolic link stays one.
/// Devices and pipes cannot be replaced; they are written to directly.
///
/// # Errors
/// Those of `work`; [`ErrorKind::Missing`] when the folder is not there, [`ErrorKind::Exists`] when
/// a file is there that may not be replaced, [`ErrorKind::Io`] when the system refuses (the disk is
/// full, the file is write-protected), [`ErrorKind::Interrupted`] on a stop request. The old file is
/// then as it was.
pub fn save<T, E: From<Error>>(
    path: &Path,
    options: SinkOptions,
    control: &Control,
    work: impl FnOnce(&mut (dyn Write + Send)) -> Result<T, E>,
) -> Result<(T, u64), E> {
    let place = |error: Error| error.at(Place::source(path.display().to_string()));
    let target = resolve(path).map_err(place)?;
    if is_stream(&target) {
        let file = OpenOptions::new().write(true).open(&target);
        let file = file.map_err(|error| place(not_written(error)))?;
        return put(&file, options, control, work);
    }
    let old = allow(&target, options.overwrite).map_err(place)?;
    // From here on the file beside goes away, unless it takes the place of the old one.
    let (beside, file) = Beside::create(&target).map_err(place)?;
    if let Some(old) = old {
        beside::dress(&file, &old).map_err(|error| place(not_written(error)))?;
    }
    let done = put(&file, options, control, work)?;
    let finished = finish(&file, beside, &target, options.overwrite, control);
    finished.map_err(place)?;
    Ok(done)
}

/// The error for a stream that does not take what it is given.
pub fn not_written(error: io::Error) -> Error {
    if has_no_space(&error) {
        let message = "cannot write: the disk is full";
        return Error::new(ErrorKind::Io, message)
            .hint("free some space or choose another folder; a file that was there is as it was")
            .because(error);
    }
    Error::new(ErrorKind::Io, format!("cannot write: {error}")).because(error)
}

/// Whether the error says that there is no space left.
pub fn is_full(error: &Error) -> bool {
    let cause = std::error::Error::source(error);
    let cause = cause.and_then(|cause| cause.downcast_ref::<io::Error>());
    cause.is_some_and(has_no_space)
}

fn has_no_space(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded
    )
}

/// The file that a path means, its last symbolic links followed, whether or not there is a file.
fn resolve(path: &Path) -> Result<PathBuf> {
    let mut target = path.to_owned();
    for _ in 0..LINKS {
        match fs::read_link(&target) {
            Ok(next) => target = target.parent().unwrap_or(Path::new("")).join(next),
            // No link, or nothing there.
            Err(_) => return Ok(target),
        }
    }
    Err(Error::new(
        ErrorKind::Io,
        "expected a file, found symbolic links that lead nowhere",
    ))
}

/// True for devices, pipes and the like.
fn is_stream(target: &Path) -> bool {
    fs::metadata(target).is_ok_and(|there| !there.is_file() && !there.is_dir())
}

/// What is there to be replaced, if that is allowed and possible.
fn allow(target: &Path, overwrite: bool) -> Result<Option<Metadata>> {
    let Ok(there) = fs::metadata(target) else {
        let folder = folder_of(target);
        if fs::metadata(folder).is_ok_and(|there| there.is_dir()) {
            return Ok(None);
        }
        let message = format!("no such folder: {:?}", folder.display());
        return Err(Error::new(ErrorKind::Missing, message)
            .hint("create the folder first, or check its spelling"));
    };
    if there.is_dir() {
        let message = "expected a file, found a folder";
        return Err(Error::new(ErrorKind::Io, message).hint("name a file in it"));
    }
    if !overwrite {
        return Err(exists());
    }
    // Moving a file over another asks the folder only, not the file.
    match OpenOptions::new().write(true).open(target) {
        Ok(_) => Ok(Some(there)),
        Err(error) => Err(not_written(error)),
    }
}

fn exists() -> Error {
    let fix = Fix::off("overwrite");
    Error::new(ErrorKind::Exists, "expected no file there, found one")
        .hint(format!(
            "choose another name, or leave out {fix} to replace it"
        ))
        .fix(fix)
}

fn folder_of(target: &Path) -> &Path {
    match target.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Lets `work` write into an open file; what it gives, and how many bytes the file got.
fn put<T, E: From<Error>>(
    file: &File,
    options: SinkOptions,
    control: &Control,
    work: impl FnOnce(&mut (dyn Write + Send)) -> Result<T, E>,
) -> Result<(T, u64), E> {
    let account = Account {
        control,
        size: AtomicU64::new(0),
        failed: Mutex::new(None),
    };
    let counted = BufWriter::with_capacity(
        BLOCK,
        Counted {
            file,
            account: &account,
        },
    );
    let mut packed = Packed::new(options.compression, counted).map_err(not_written)?;
    let done = work(&mut packed);
    let closed = packed.finish();
    // What the system said first is why all else failed, in whatever words a writer tells it.
    let failed = account.failed.into_inner();
    if let Some(first) = failed.unwrap_or_else(PoisonError::into_inner) {
        return Err(first.into());
    }
    let done = done?;
    closed.map_err(not_written)?;
    Ok((done, account.size.into_inner()))
}

/// What happened to the bytes that were put.
struct Account<'a> {
    control: &'a Control,
    size: AtomicU64,
    failed: Mutex<Option<Error>>,
}

/// The file itself.
struct Counted<'a> {
    file: &'a File,
    account: &'a Account<'a>,
}

impl Counted<'_> {
    fn keep(&self, error: Error) {
        let mut failed = self
            .account
            .failed
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        failed.get_or_insert(error);
    }
}

impl Write for Counted<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Err(stopped) = self.account.control.check() {
            self.keep(stopped);
            return Err(io::Error::other("stopped on request"));
        }
        match self.file.write(bytes) {
            Ok(count) => {
                self.account.size.fetch_add(count as u64, Ordering::Relaxed);
                self.account.control.advance(count as u64);
                Ok(count)
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Err(error),
            Err(error) => {
                let kind = error.kind();
                self.keep(not_written(error));
                Err(kind.into())
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Puts the file on the disk and in its place.
fn finish(
    file: &File,
    beside: Beside,
    target: &Path,
    overwrite: bool,
    control: &Control,
) -> Result<()> {
    file.sync_all().map_err(not_written)?;
    // Putting a large file on the disk takes a while.
    control.check()?;
    beside.move_to(target, overwrite)?;
    // So that the new name outlives a power cut, too. Not every file system can do that for folders.
    let _ = File::open(folder_of(target)).and_then(|folder| folder.sync_all());
    Ok(())
}
