//! The Python that runs a kernel. Looks at files only: starting a Python to ask it would cost a tenth of a kernel's start.

use std::env;
use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf, absolute};

use super::managed::{Managed, State};
use crate::settings::Settings;

/// The environment variable that names it as `--python` does.
const VARIABLE: &str = "HEADSTART_PYTHON";

/// The Python that runs a kernel: the one of `--python`, of `HEADSTART_PYTHON`, the one that headstart is installed in if
/// it has ipykernel, or that of the managed environment. What the user names is never passed over.
///
/// # Errors
/// A sentence, and a line with the fix, when the one that is named cannot be run, or there is none.
pub fn choose(settings: &Settings) -> Result<PathBuf, String> {
    let variable = env::var_os(VARIABLE).filter(|value| !value.is_empty());
    chosen(
        settings,
        variable.map(PathBuf::from).as_deref(),
        Managed::of_user().as_ref(),
    )
}

fn chosen(
    settings: &Settings,
    variable: Option<&Path>,
    managed: Result<&Managed, &String>,
) -> Result<PathBuf, String> {
    if let Some(named) = &settings.python {
        return named_program(named, "--python");
    }
    if let Some(named) = variable {
        return named_program(named, VARIABLE);
    }
    if let Some(own) = settings.own_python.as_ref().filter(|own| is_program(own)) {
        return Ok(own.clone());
    }
    let managed = managed.map_err(Clone::clone)?;
    let folder = managed.folder().display();
    let built = "hs kernel setup builds it; what you added to it stays";
    match managed.state() {
        State::Ready(python) => Ok(python),
        State::Stale(why) => Err(format!(
            "the managed environment in {folder} {why}\nhint: {built}"
        )),
        State::Absent => Err(format!(
            "expected a Python with ipykernel for the kernel, found none: --python and {VARIABLE} name none, headstart is \
             not installed in one, and there is no managed environment in {folder}\nhint: hs kernel setup builds it, or: \
             pip install 'headstart[kernel]'"
        )),
    }
}

/// The program that is meant by what the user names at `place`.
///
/// # Errors
/// When there is none, or it may not be run.
pub(super) fn named_program(named: &Path, place: &str) -> Result<PathBuf, String> {
    let shown = named.display();
    let is_name = named.components().count() == 1 && !named.to_string_lossy().contains('/');
    let path = match on_path(named.as_os_str()).filter(|_| is_name) {
        Some(program) => program,
        None if named.is_dir() => {
            let inside = named.join("bin/python");
            if inside.symlink_metadata().is_err() {
                return Err(format!(
                    "{place}: expected a Python, or the folder of an environment, found the folder {shown} without \
                     bin/python"
                ));
            }
            inside
        }
        None if is_name => {
            return Err(format!(
                "{place}: expected a Python, found no program {shown} on PATH\nhint: name it with its folder"
            ));
        }
        None => named.to_owned(),
    };
    // Not resolved further: a link into an environment is that environment, what it leads to is not.
    let path = absolute(&path).map_err(|error| format!("{place}: {shown}: {error}"))?;
    let shown = path.display();
    if !path.exists() {
        let found = match path.read_link() {
            Ok(target) => format!("{shown}, a link to {}, which is gone", target.display()),
            Err(_) => format!("no file {shown}"),
        };
        return Err(format!("{place}: expected a Python, found {found}"));
    }
    if !is_program(&path) {
        return Err(format!(
            "{place}: expected a Python, found {shown}, which may not be run\nhint: chmod +x {shown}, if it is one"
        ));
    }
    Ok(path)
}

/// The first program of that name on `PATH`.
pub(super) fn on_path(name: &OsStr) -> Option<PathBuf> {
    all_on_path(name).next()
}

/// All of them.
pub(super) fn all_on_path(name: &OsStr) -> impl Iterator<Item = PathBuf> {
    let folders: Vec<PathBuf> = env::var_os("PATH")
        .map(|value| env::split_paths(&value).collect())
        .unwrap_or_default();
    let name = name.to_owned();
    let paths = folders.into_iter().map(move |folder| folder.join(&name));
    paths.filter(|path| is_program(path))
}

/// Whether it is a file that somebody may run.
fn is_program(path: &Path) -> bool {
    path.metadata()
        .is_ok_and(|about| about.is_file() && about.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    fn program(path: &Path) -> PathBuf {
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, "#!/bin/sh\n").expect("a file");
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("a mode");
        path.to_owned()
    }

    #[test]
    fn the_first_that_is_named_runs_the_kernel() {
        let folder = tempfile::tempdir().expect("a folder");
        let [named, variable, own] =
            ["a/python", "b/python", "c/python"].map(|name| program(&folder.path().join(name)));
        let managed = Managed::at(folder.path().join("kernel"));
        let all = Settings {
            python: Some(named.clone()),
            own_python: Some(own.clone()),
            ..Settings::default()
        };
        let of = |settings: &Settings, variable: Option<&PathBuf>| {
            chosen(settings, variable.map(PathBuf::as_path), Ok(&managed))
        };
        assert_eq!(of(&all, Some(&variable)), Ok(named));
        let unnamed = Settings {
            python: None,
            ..all
        };
        assert_eq!(of(&unnamed, Some(&variable)), Ok(variable));
        assert_eq!(of(&unnamed, None), Ok(own));
        let error = of(&Settings::default(), None).expect_err("none is left");
        assert!(error.contains("hs kernel setup builds it"), "{error}");
        let homeless = chosen(&Settings::default(), None, Err(&"no home".to_owned()));
        assert_eq!(homeless, Err("no home".to_owned()));
    }

    #[test]
    fn a_named_one_that_cannot_be_run_is_an_error_even_where_another_could() {
        let folder = tempfile::tempdir().expect("a folder");
        let own = program(&folder.path().join("own/python"));
        let text = folder.path().join("text");
        fs::write(&text, "").expect("a file");
        let gone = folder.path().join("gone");
        symlink("/nowhere/python", &gone).expect("a link");
        let managed = Managed::at(folder.path().join("kernel"));
        for (named, words) in [
            (folder.path().join("absent"), "found no file"),
            (text, "which may not be run"),
            (gone, "a link to /nowhere/python, which is gone"),
            (folder.path().to_owned(), "without bin/python"),
            (PathBuf::from("python9.99"), "no program python9.99 on PATH"),
        ] {
            let settings = Settings {
                python: Some(named.clone()),
                own_python: Some(own.clone()),
                ..Settings::default()
            };
            let error = chosen(&settings, None, Ok(&managed)).expect_err("it cannot be run");
            assert!(error.starts_with("--python: expected a Python"), "{error}");
            assert!(error.contains(words), "{error}");
            let unnamed = Settings {
                python: None,
                ..settings
            };
            let error = chosen(&unnamed, Some(&named), Ok(&managed)).expect_err("nor from there");
            assert!(error.starts_with("HEADSTART_PYTHON: expected"), "{error}");
        }
    }

    #[test]
    fn the_folder_of_an_environment_means_its_python_and_links_stay() {
        let folder = tempfile::tempdir().expect("a folder");
        let base = program(&folder.path().join("base/python3"));
        let inside = folder.path().join("venv/bin/python");
        fs::create_dir_all(folder.path().join("venv/bin")).expect("a folder");
        symlink(base, &inside).expect("a link");
        let venv = folder.path().join("venv");
        assert_eq!(named_program(&venv, "--python"), Ok(inside));
    }
}
