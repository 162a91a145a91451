//! The folder of the managed environment while a setup has it: its lock, names that are free, and the step in which a new
//! environment takes the place of the old one.

use std::fs::{self, File, TryLockError};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use super::managed::Managed;

/// A folder name that is free.
pub fn free_folder(folder: &Path) -> PathBuf {
    let mut number = 1;
    loop {
        let path = folder.join(format!("env-{number}"));
        if path.symlink_metadata().is_err() {
            return path;
        }
        number += 1;
    }
}

/// Lets the link lead to the environment, in one step.
///
/// # Errors
/// When a file cannot be made there.
pub fn take_place(managed: &Managed, environment: &Path) -> Result<(), String> {
    let new = managed.folder().join("current.new");
    let _ = fs::remove_file(&new);
    let name = environment.file_name().unwrap_or(environment.as_os_str());
    symlink(name, &new)
        .and_then(|()| fs::rename(&new, managed.link()))
        .map_err(|error| told(&new, &error))
}

/// Removes environments that nothing leads to and no kernel runs on, half-built ones too. Held by the lock.
pub fn remove_unused(managed: &Managed, in_use: &[PathBuf]) {
    let current = managed.current();
    let entries = fs::read_dir(managed.folder())
        .into_iter()
        .flatten()
        .flatten();
    for path in entries.map(|entry| entry.path()) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let used = in_use.iter().any(|python| python.starts_with(&path));
        if name.starts_with("env-") && Some(&path) != current.as_ref() && !used {
            // What cannot be removed is tried again by the next setup.
            let _ = fs::remove_dir_all(&path);
        }
    }
}

/// One setup at a time; held until it is dropped.
///
/// # Errors
/// When a file cannot be made there.
pub fn lock(folder: &Path, say: &mut dyn FnMut(&str)) -> Result<File, String> {
    let path = folder.join("lock");
    let file = File::create(&path).map_err(|error| told(&path, &error))?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            say("waiting for another hs kernel setup to end");
            file.lock().map_err(|error| told(&path, &error))?;
        }
        Err(TryLockError::Error(error)) => return Err(told(&path, &error)),
    }
    Ok(file)
}

/// An error of the file system, with its place.
pub fn told(path: &Path, error: &std::io::Error) -> String {
    format!("{}: {error}", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_environment_takes_the_place_and_what_is_in_use_stays() {
        let folder = tempfile::tempdir().expect("a folder");
        let managed = Managed::at(folder.path().to_owned());
        let mut made = Vec::new();
        for number in 1..=3 {
            let environment = free_folder(folder.path());
            assert!(environment.ends_with(format!("env-{number}")));
            fs::create_dir(&environment).expect("a folder");
            take_place(&managed, &environment).expect("a link");
            assert_eq!(managed.current(), Some(environment.clone()));
            made.push(environment);
        }
        remove_unused(&managed, &[made[0].join("bin/python")]);
        let there: Vec<bool> = made.iter().map(|path| path.exists()).collect();
        assert_eq!(there, [true, false, true]);
        assert!(free_folder(folder.path()).ends_with("env-2"));
    }

    #[test]
    fn a_second_setup_waits_for_the_first() {
        let folder = tempfile::tempdir().expect("a folder");
        let held = lock(folder.path(), &mut |line| panic!("{line}")).expect("a lock");
        let (told, is_told) = std::sync::mpsc::channel();
        let (done, is_done) = std::sync::mpsc::channel();
        let path = folder.path().to_owned();
        let second = std::thread::spawn(move || {
            let got = lock(&path, &mut |line| {
                told.send(line.to_owned()).expect("a listener");
            });
            done.send(got.is_ok()).expect("a listener");
        });
        let deadline = std::time::Duration::from_secs(30);
        let line = is_told
            .recv_timeout(deadline)
            .expect("it says that it waits");
        assert!(line.contains("another hs kernel setup"), "{line}");
        assert!(is_done.try_recv().is_err());
        drop(held);
        assert_eq!(is_done.recv_timeout(deadline), Ok(true));
        second.join().expect("it ends");
    }
}
