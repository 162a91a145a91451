//! The Python that an environment is built on: 3.12, or the nearest there is from 3.11 on. Starts each that it considers.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::choose::{all_on_path, named_program};
use super::tool;

/// The minor version that is wanted most.
const WANTED: u32 = 12;
/// The same as text.
pub const WANTED_VERSION: &str = "3.12";
/// The least that headstart runs on.
const LEAST: u32 = 11;
/// In the order in which they are wanted: the nearest first, of two the newer one.
const NAMES: [&str; 6] = [
    "python3.12",
    "python3.13",
    "python3.11",
    "python3.14",
    "python3.15",
    "python3",
];

/// A Python that an environment can be built on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Base {
    /// Its program, outside of any environment.
    pub program: PathBuf,
    /// Its version, such as 3.12.1.
    pub version: String,
}

impl Base {
    /// Whether it is of the version that is wanted most.
    pub fn is_wanted(&self) -> bool {
        self.version.starts_with(&format!("3.{WANTED}."))
    }
}

/// The one that the user names: a program, an environment, or a version such as 3.13.
///
/// # Errors
/// When it is none, or cannot be used.
pub fn named(named: &Path, needs_pip: bool) -> Result<Base, String> {
    let text = named.to_string_lossy();
    if let Some(minor) = minor_of(&text).filter(|minor| is_version(&text) && *minor < LEAST) {
        return Err(format!(
            "--python: expected 3.{LEAST} or later, found 3.{minor}"
        ));
    }
    let program = if is_version(&text) {
        named_program(Path::new(&format!("python{text}")), "--python")?
    } else {
        named_program(named, "--python")?
    };
    probe(&program, needs_pip)
        .map_err(|why| format!("--python: {} cannot be used: {why}", program.display()))
}

/// Whether it is a version such as 3.13.
pub fn is_version(text: &str) -> bool {
    let rest = text.strip_prefix("3.").unwrap_or_default();
    !rest.is_empty()
        && rest
            .chars()
            .all(|letter| letter.is_ascii_digit() || letter == '.')
}

/// The one that an environment was built on.
///
/// # Errors
/// When it cannot be used.
pub fn of(program: &Path) -> Result<Base, String> {
    probe(program, false).map_err(|why| format!("{}: {why}", program.display()))
}

/// The best on `PATH`, or the one that runs this program.
///
/// # Errors
/// What was found instead.
pub fn found(own: Option<&Path>, needs_pip: bool) -> Result<Base, String> {
    let mut refused = Vec::new();
    let named = NAMES.iter().flat_map(|name| all_on_path(OsStr::new(name)));
    for program in named.chain(own.map(Path::to_owned)) {
        match probe(&program, needs_pip) {
            Ok(base) => return Ok(base),
            Err(why) => refused.push(format!("\n  {}: {why}", program.display())),
        }
    }
    let found = if refused.is_empty() {
        "none on PATH".to_owned()
    } else {
        format!("only:{}", refused.concat())
    };
    Err(format!(
        "expected a Python from 3.{LEAST} on to build the environment on, found {found}\nhint: install Python 3.{WANTED}, or \
         uv, which fetches one; or name one: hs kernel setup --python PATH"
    ))
}

/// What a Python says of itself.
const PROBE: &str = "
import importlib.util, sys, sysconfig
print('%d.%d.%d' % sys.version_info[:3])
print(sys.implementation.name)
print(getattr(sys, '_base_executable', None) or sys.executable)
print(1 if sysconfig.get_config_var('Py_GIL_DISABLED') else 0)
print(1 if importlib.util.find_spec('venv') and importlib.util.find_spec('ensurepip') else 0)
";

/// Asks a Python whether an environment can be built on it.
fn probe(program: &Path, needs_pip: bool) -> Result<Base, String> {
    let answer =
        tool::run(tool::command(program).args(["-I", "-c", PROBE]), "a look").map_err(|error| {
            let last = error.lines().last().unwrap_or_default().trim();
            // Another program tells our question back at length.
            let told = Some(last).filter(|last| !last.contains("importlib"));
            told.unwrap_or("it does not answer as a Python does")
                .to_owned()
        })?;
    understood(&answer, needs_pip)
}

fn understood(answer: &str, needs_pip: bool) -> Result<Base, String> {
    let lines: Vec<&str> = answer.lines().collect();
    let [version, implementation, program, free_threaded, has_pip] = lines[..] else {
        return Err("it does not answer as a Python does".to_owned());
    };
    if minor_of(version).is_none_or(|minor| minor < LEAST) {
        return Err(format!(
            "expected Python 3.{LEAST} or later, found {version}"
        ));
    }
    if implementation != "cpython" {
        return Err(format!("expected CPython, found {implementation}"));
    }
    if free_threaded == "1" {
        return Err("expected a Python with the GIL, found a free-threaded one".to_owned());
    }
    if needs_pip && has_pip != "1" {
        return Err(
            "it lacks venv or ensurepip (Debian and Ubuntu: the package python3-venv)".to_owned(),
        );
    }
    Ok(Base {
        program: lasting(Path::new(program), version),
        version: version.to_owned(),
    })
}

/// The 12 of 3.12.1.
fn minor_of(version: &str) -> Option<u32> {
    let rest = version.strip_prefix("3.")?;
    rest.split('.').next()?.parse().ok()
}

/// The name with the version beside it, if there is one: `python3` may be another one after an upgrade.
fn lasting(program: &Path, version: &str) -> PathBuf {
    let minor: Vec<&str> = version.split('.').take(2).collect();
    let named = program.with_file_name(format!("python{}", minor.join(".")));
    if named.exists() {
        named
    } else {
        program.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_python_that_headstart_runs_on_is_taken() {
        let answer = |version: &str, implementation: &str, rest: &str| {
            let text = format!("{version}\n{implementation}\n/nowhere/python3\n{rest}\n");
            understood(&text, true).map(|base| base.version)
        };
        assert_eq!(answer("3.12.1", "cpython", "0\n1"), Ok("3.12.1".to_owned()));
        for (version, implementation, rest, words) in [
            ("3.10.9", "cpython", "0\n1", "3.11 or later, found 3.10.9"),
            ("2.7.18", "cpython", "0\n1", "3.11 or later"),
            ("3.11.1", "pypy", "0\n1", "expected CPython"),
            ("3.13.1", "cpython", "1\n1", "free-threaded"),
            ("3.12.1", "cpython", "0\n0", "python3-venv"),
            ("3.12.1", "cpython", "0", "does not answer"),
        ] {
            let error = answer(version, implementation, rest).expect_err(words);
            assert!(error.contains(words), "{error}");
        }
    }

    #[test]
    fn a_program_that_is_no_python_is_told_as_such() {
        let folder = tempfile::tempdir().expect("a folder");
        let error = named(folder.path(), false).expect_err("a folder");
        assert!(error.contains("without bin/python"), "{error}");
        let error = named(Path::new("3.98"), false).expect_err("no such version");
        assert!(error.contains("no program python3.98 on PATH"), "{error}");
        for program in ["/bin/echo", "/bin/ls"] {
            let error = named(Path::new(program), false).expect_err("another program");
            assert!(error.contains("does not answer as a Python"), "{error}");
        }
        let error = named(Path::new("3.9"), false).expect_err("too old");
        assert!(
            error.contains("expected 3.11 or later, found 3.9"),
            "{error}"
        );
    }
}
