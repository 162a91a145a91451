//! The folder of a session: private, locked while the session lives, gone when it ends.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};
use serde_json::Value;

/// Bytes that the path of a socket may have on every system here (108 with the zero at its end on Linux, 104 on macOS).
pub const LONGEST_SOCKET: usize = 103;

/// The folder of a session that lives.
pub struct Folder {
    path: PathBuf,
    name: String,
    /// Held as long as this value is.
    _lock: File,
}

impl Folder {
    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What it is called, which is how others call the session.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Takes it away with all that is in it. The lock is held until then, so nobody else is at it.
    pub fn remove(self) {
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// The folder of all sessions; made if it is not there.
///
/// # Errors
/// It cannot be made, or is not only this user's.
pub fn root() -> io::Result<PathBuf> {
    let own = rustix::process::getuid().as_raw();
    let base = base(own);
    let sessions = base.join("sessions");
    for folder in [&base, &sessions] {
        private_folder(folder, own)?;
    }
    Ok(sessions)
}

/// The same, if it is there and only this user's; nothing is made.
pub(super) fn place() -> Option<PathBuf> {
    let own = rustix::process::getuid().as_raw();
    let sessions = base(own).join("sessions");
    let found = fs::symlink_metadata(&sessions).ok()?;
    (found.is_dir() && found.uid() == own).then_some(sessions)
}

fn base(own: u32) -> PathBuf {
    match std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from) {
        // One that is relative is none, says the specification, and would be another one for a kernel in another folder;
        // one that is not there was inherited from a login that is over.
        Some(folder) if folder.is_absolute() && folder.is_dir() => folder.join("headstart"),
        _ => std::env::temp_dir().join(format!("headstart-{own}")),
    }
}

/// Makes a folder that only its owner enters; one that is there must be such a folder.
fn private_folder(folder: &Path, own: u32) -> io::Result<()> {
    let told = |what: &str| {
        let folder = folder.display();
        let fix = "remove it, or set XDG_RUNTIME_DIR to a folder of your own";
        io::Error::other(format!(
            "{folder}: expected a folder that only you can enter, found {what}; {fix}"
        ))
    };
    match DirBuilder::new().mode(0o700).create(folder) {
        Ok(()) => return Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        Err(error) => {
            let text = format!("{}: {error}", folder.display());
            return Err(io::Error::new(error.kind(), text));
        }
    }
    let found = fs::symlink_metadata(folder)?;
    if found.file_type().is_symlink() {
        return Err(told("a link"));
    }
    if !found.is_dir() {
        return Err(told("a file"));
    }
    if found.uid() != own {
        return Err(told("one of another user"));
    }
    if found.mode() & 0o077 != 0 {
        return Err(told(&format!("the mode {:o}", found.mode() & 0o777)));
    }
    Ok(())
}

/// The folder for a new session.
///
/// # Errors
/// There is a session of this name, or the folder cannot be made.
pub fn create(name: &str) -> io::Result<Folder> {
    let root = root()?;
    let path = root.join(name);
    let longest = path.join("control.sock").as_os_str().len();
    if longest > LONGEST_SOCKET {
        let most = LONGEST_SOCKET.saturating_sub(longest - name.len());
        let place = root.display();
        return Err(io::Error::other(format!(
            "the name {name} is too long for a socket in {place}: at most {most} letters fit"
        )));
    }
    // Held while folders come and go, so that a listing never takes one for stale that is just being made.
    let whole = File::open(&root)?;
    flock(&whole, FlockOperation::LockExclusive)?;
    match DirBuilder::new().mode(0o700).create(&path) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            if is_alive(&path) {
                let text = format!("there is a session {name} already");
                return Err(io::Error::new(io::ErrorKind::AlreadyExists, text));
            }
            remove_stale(&path)?;
            DirBuilder::new().mode(0o700).create(&path)?;
        }
        Err(error) => return Err(error),
    }
    let lock = private_file(&path.join("lock"))?;
    flock(&lock, FlockOperation::NonBlockingLockExclusive)?;
    Ok(Folder {
        path,
        name: name.to_owned(),
        _lock: lock,
    })
}

impl Folder {
    /// Writes down what the session is.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn describe(&self, about: &Value) -> io::Result<()> {
        let file = self.path.join("session.json");
        let beside = self.path.join("session.json.new");
        let mut writer = private_file(&beside)?;
        writer.write_all(about.to_string().as_bytes())?;
        fs::rename(beside, file)
    }
}

/// A new file that only its owner reads.
pub(crate) fn private_file(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .custom_flags(libc::O_NOFOLLOW)
        .open(path)
}

/// Whether somebody holds the lock of a session's folder.
pub(super) fn is_alive(path: &Path) -> bool {
    let lock = OpenOptions::new()
        .read(true)
        .custom_flags(libc::O_NOFOLLOW)
        .open(path.join("lock"));
    match lock {
        Ok(lock) => flock(&lock, FlockOperation::NonBlockingLockExclusive).is_err(),
        Err(_) => false,
    }
}

/// Takes the folder of a session away that lives no more; a link is taken away, never what it shows.
pub(super) fn remove_stale(path: &Path) -> io::Result<()> {
    if fs::symlink_metadata(path)?.is_dir() {
        fs::remove_dir_all(path)
    } else {
        fs::remove_file(path)
    }
}
