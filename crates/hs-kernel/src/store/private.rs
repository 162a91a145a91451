//! Folders that are only their owner's, and files in them, all by descriptor: between the look at a folder and what is done
//! in it nobody can put another one in its place. A link, another owner, or a mode that lets others in is refused, and
//! nothing behind it is touched. It knows nothing of checkpoints.

use std::ffi::CStr;
use std::fs::{DirBuilder, File};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use rustix::fs::{
    AtFlags, Dir, FileType, Mode, OFlags, Stat, Timespec, Timestamps, UTIME_NOW, fstat, linkat,
    mkdirat, openat, renameat, statat, unlinkat, utimensat,
};
use rustix::io::Errno;

use super::error::{Error, Kind, Result};

/// A folder that was found to be private, held open.
pub struct Folder {
    descriptor: OwnedFd,
    path: PathBuf,
}

/// What helps against something that was put there.
const REMOVE: &str = "remove it, or set XDG_CACHE_HOME to a folder of your own";

const FOLDER: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);
/// A pipe that somebody put there must not make us wait.
const FILE: OFlags = OFlags::NOFOLLOW
    .union(OFlags::CLOEXEC)
    .union(OFlags::NONBLOCK);

impl Folder {
    /// The folder of the store, made with what is above it if it is not there. What is above it may be links, as a user
    /// sets them up; the folder itself may not.
    pub fn root(path: &Path) -> Result<Self> {
        let path = std::path::absolute(path).map_err(|error| Error::system(path, error))?;
        let (Some(above), Some(name)) = (path.parent(), path.file_name()) else {
            let text = format!("{}: expected a folder for checkpoints", path.display());
            return Err(Error::new(Kind::Refused, text));
        };
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(above)
            .map_err(|error| Error::system(above, error))?;
        let beside = rustix::fs::open(
            above,
            OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC,
            Mode::empty(),
        )
        .map_err(|error| Error::system(above, error))?;
        Self::open(&beside, &path, Path::new(name))
    }

    /// A folder in this one, made if it is not there.
    pub fn inside(&self, name: &str) -> Result<Self> {
        Self::open(&self.descriptor, &self.path.join(name), Path::new(name))
    }

    fn open(above: &OwnedFd, path: &Path, name: &Path) -> Result<Self> {
        let found = match openat(above, name, FOLDER, Mode::empty()) {
            Err(Errno::NOENT) => {
                match mkdirat(above, name, Mode::RWXU) {
                    // Another process may have made it meanwhile.
                    Ok(()) | Err(Errno::EXIST) => {}
                    Err(error) => return Err(Error::system(path, error)),
                }
                openat(above, name, FOLDER, Mode::empty())
            }
            found => found,
        };
        let descriptor = found.map_err(|error| match error {
            // Which of the two a link gives depends on the system.
            Errno::LOOP | Errno::NOTDIR => {
                let link = statat(above, name, AtFlags::SYMLINK_NOFOLLOW)
                    .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode).is_symlink());
                refused(
                    path,
                    "a folder",
                    if link { "a link" } else { "a file" },
                    REMOVE,
                )
            }
            error => Error::system(path, error),
        })?;
        let stat = fstat(&descriptor).map_err(|error| Error::system(path, error))?;
        only_ours(path, &stat, "a folder")?;
        let path = path.to_owned();
        Ok(Self { descriptor, path })
    }

    /// Where it is, to tell people.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether somebody has removed it since it was opened.
    pub fn is_gone(&self) -> bool {
        fstat(&self.descriptor).is_ok_and(|stat| stat.st_nlink == 0)
    }

    /// A file in it to be read; `None` if there is none.
    pub fn read(&self, name: &str) -> Result<Option<(File, Stat)>> {
        match self.file(name, OFlags::RDONLY) {
            Ok(found) => Ok(Some(found)),
            Err(Trouble::System(Errno::NOENT)) => Ok(None),
            Err(trouble) => Err(trouble.told(&self.path.join(name))),
        }
    }

    /// A file in it to be read and written, made if it is not there.
    pub fn read_and_write(&self, name: &str) -> Result<File> {
        let found = self.file(name, OFlags::RDWR | OFlags::CREATE);
        let (file, _) = found.map_err(|trouble| trouble.told(&self.path.join(name)))?;
        Ok(file)
    }

    /// A new file in it.
    pub fn create(&self, name: &str) -> Result<File> {
        let found = self.file(name, OFlags::RDWR | OFlags::CREATE | OFlags::EXCL);
        let (file, _) = found.map_err(|trouble| trouble.told(&self.path.join(name)))?;
        Ok(file)
    }

    fn file(&self, name: &str, how: OFlags) -> std::result::Result<(File, Stat), Trouble> {
        let mode = Mode::RUSR | Mode::WUSR;
        let file = match openat(&self.descriptor, name, how | FILE, mode) {
            Ok(file) => file,
            Err(Errno::LOOP) => {
                return Err(Trouble::Refused(refused(
                    &self.path.join(name),
                    "a file",
                    "a link",
                    REMOVE,
                )));
            }
            Err(error) => return Err(Trouble::System(error)),
        };
        let stat = fstat(&file).map_err(Trouble::System)?;
        let path = self.path.join(name);
        if !FileType::from_raw_mode(stat.st_mode).is_file() {
            return Err(Trouble::Refused(refused(
                &path,
                "a file",
                "something else",
                REMOVE,
            )));
        }
        only_ours(&path, &stat, "a file").map_err(Trouble::Refused)?;
        Ok((File::from(file), stat))
    }

    /// What the system knows of a file in it; `None` if there is none.
    pub fn stat(&self, name: &str) -> Result<Option<Stat>> {
        match statat(&self.descriptor, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(Some(stat)),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(Error::system(&self.path.join(name), error)),
        }
    }

    /// Marks a file as used now; false if there is none. One call says both.
    pub fn touch(&self, name: &str) -> Result<bool> {
        let now = Timespec {
            tv_sec: 0,
            tv_nsec: UTIME_NOW,
        };
        let times = Timestamps {
            last_access: now,
            last_modification: now,
        };
        match utimensat(&self.descriptor, name, &times, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(()) => Ok(true),
            Err(Errno::NOENT) => Ok(false),
            Err(error) => Err(Error::system(&self.path.join(name), error)),
        }
    }

    /// Puts a file of this folder into another one, in the place of what is there.
    pub fn rename(&self, name: &str, to: &Self, new: &str) -> Result<()> {
        renameat(&self.descriptor, name, &to.descriptor, new)
            .map_err(|error| Error::system(&to.path.join(new), error))
    }

    /// Puts a file of this folder into another one; false if there is one of that name.
    pub fn rename_to_new(&self, name: &str, to: &Self, new: &str) -> Result<bool> {
        match linkat(
            &self.descriptor,
            name,
            &to.descriptor,
            new,
            AtFlags::empty(),
        ) {
            Ok(()) => {
                self.remove(name)?;
                Ok(true)
            }
            Err(Errno::EXIST) => Ok(false),
            // A file system without second names.
            Err(Errno::PERM | Errno::OPNOTSUPP | Errno::NOSYS) if to.stat(new)?.is_none() => {
                self.rename(name, to, new)?;
                Ok(true)
            }
            Err(error) => Err(Error::system(&to.path.join(new), error)),
        }
    }

    /// Takes a file away; false if there was none.
    pub fn remove(&self, name: &str) -> Result<bool> {
        match unlinkat(&self.descriptor, name, AtFlags::empty()) {
            Ok(()) => Ok(true),
            Err(Errno::NOENT) => Ok(false),
            Err(error) => Err(Error::system(&self.path.join(name), error)),
        }
    }

    /// Puts the names of its files on the disk.
    pub fn sync(&self) -> Result<()> {
        let told = |error: io::Error| Error::system(&self.path, error);
        let own = self.descriptor.try_clone().map_err(told)?;
        File::from(own).sync_all().map_err(told)
    }

    /// The names in it. Those that are no text are none of ours.
    pub fn names(&self) -> Result<Vec<String>> {
        let told = |error: Errno| Error::system(&self.path, error);
        let mut names = Vec::new();
        for entry in Dir::read_from(self.descriptor.as_fd()).map_err(told)? {
            let entry = entry.map_err(told)?;
            let name: &CStr = entry.file_name();
            if let Ok(name) = name.to_str()
                && !matches!(name, "." | "..")
            {
                names.push(name.to_owned());
            }
        }
        Ok(names)
    }
}

enum Trouble {
    System(Errno),
    Refused(Error),
}

impl Trouble {
    fn told(self, path: &Path) -> Error {
        match self {
            Self::System(error) => Error::system(path, error),
            Self::Refused(error) => error,
        }
    }
}

fn only_ours(path: &Path, stat: &Stat, what: &str) -> Result<()> {
    let own = rustix::process::geteuid().as_raw();
    if stat.st_uid != own {
        return Err(refused(
            path,
            what,
            &format!("that it belongs to user {}", stat.st_uid),
            REMOVE,
        ));
    }
    #[allow(clippy::useless_conversion, reason = "narrower on macOS")]
    let mode = u32::from(stat.st_mode) & 0o777;
    if mode & 0o077 != 0 {
        let meant = if FileType::from_raw_mode(stat.st_mode).is_dir() {
            700
        } else {
            600
        };
        let fix = format!(
            "if you trust what is in it, run `chmod {meant} {}`",
            path.display()
        );
        return Err(refused(path, what, &format!("the mode 0{mode:o}"), &fix));
    }
    Ok(())
}

fn refused(path: &Path, what: &str, found: &str, fix: &str) -> Error {
    let path = path.display();
    Error::new(
        Kind::Refused,
        format!("{path}: expected {what} that only you can enter or read, found {found}; {fix}"),
    )
}
