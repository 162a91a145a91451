//! What `hs doctor` says of this machine: this program, the Pythons that it would use and what they have, and what the kernel
//! keeps. It starts those Pythons, to ask them; it changes nothing.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};

use hs_bigquery::Checked;
use hs_kernel::python::choose;
use hs_kernel::store::{Options, Store};
use hs_kernel::{checkpoints_folder, registry};

use crate::args::PythonArgs;
use crate::inside::{Running, settings};
use crate::progress::bytes;

const VERSION: &str = env!("CARGO_PKG_VERSION");
/// What takes frames.
const LIBRARIES: [&str; 3] = ["pandas", "polars", "pyarrow"];
/// What a console can be.
const CONSOLES: [&str; 2] = ["euporie", "jupyter-console"];
/// Asks a Python for its version and those of packages, one a line.
const ASKED: &str = "
import sys
from importlib.metadata import PackageNotFoundError, version
print('python', '.'.join(map(str, sys.version_info[:3])))
for name in sys.argv[1:]:
    try:
        print(name, version(name))
    except PackageNotFoundError:
        pass
";

/// All that was looked at.
pub fn checks(inside: Running<'_>) -> Vec<Checked> {
    let own = inside().map(|inside| inside.python);
    let mut checks = vec![Checked {
        name: "headstart",
        ok: true,
        found: match &own {
            Some(python) => format!("{VERSION}, in {}", python.display()),
            None => format!("{VERSION}, a program by itself"),
        },
    }];
    if let Some(python) = &own {
        checks.push(frames(python));
    }
    let kernel = choose(&settings(&PythonArgs { python: None }, inside));
    checks.extend(match &kernel {
        Ok(python) => of_kernel(python),
        Err(why) => vec![Checked {
            name: "kernel",
            ok: false,
            found: why.replace("\nhint: ", "; "),
        }],
    });
    checks.extend([sessions(), checkpoints()]);
    checks
}

/// What a Python has of these, by name; or why it does not say.
fn versions(python: &Path, names: &[&str]) -> Result<BTreeMap<String, String>, String> {
    let mut command = Command::new(python);
    // Isolated, so that files of the working folder are no packages.
    command.args(["-I", "-c", ASKED]).args(names);
    let done = command.stdin(Stdio::null()).output();
    let done = done.map_err(|error| format!("{} cannot be started: {error}", python.display()))?;
    if !done.status.success() {
        let said = String::from_utf8_lossy(&done.stderr);
        let last = said.lines().last().unwrap_or("it says nothing");
        return Err(format!(
            "{} is no Python that works: {last}",
            python.display()
        ));
    }
    let text = String::from_utf8_lossy(&done.stdout);
    let pairs = text.lines().filter_map(|line| line.split_once(' '));
    Ok(pairs
        .map(|(name, version)| (name.to_owned(), version.to_owned()))
        .collect())
}

/// Of these names those that are there, with their versions, and those that are not.
fn parted(found: &BTreeMap<String, String>, names: &[&str]) -> (String, String) {
    let there = names
        .iter()
        .filter_map(|name| Some(format!("{name} {}", found.get(*name)?)));
    let there: Vec<String> = there.collect();
    let lacking = names.iter().filter(|name| !found.contains_key(**name));
    let lacking: Vec<&str> = lacking.copied().collect();
    (there.join(", "), lacking.join(", "))
}

fn frames(python: &Path) -> Checked {
    let found = versions(python, &LIBRARIES);
    let (ok, found) = match found.map(|found| parted(&found, &LIBRARIES)) {
        Err(why) => (false, why),
        Ok((there, _)) if there.is_empty() => (
            false,
            "no library for frames; pip install pandas, polars or pyarrow".to_owned(),
        ),
        Ok((there, lacking)) if lacking.is_empty() => (true, there),
        Ok((there, lacking)) => (true, format!("{there}; not there: {lacking}")),
    };
    Checked {
        name: "frames",
        ok,
        found,
    }
}

fn of_kernel(python: &Path) -> Vec<Checked> {
    let names = ["headstart", "ipykernel", CONSOLES[0], CONSOLES[1]];
    let shown = python.display();
    let found = match versions(python, &names) {
        Ok(found) => found,
        Err(why) => {
            return vec![Checked {
                name: "kernel",
                ok: false,
                found: why,
            }];
        }
    };
    let needed = ["headstart", "ipykernel"];
    let (there, lacking) = parted(&found, &needed);
    let other = found.get("headstart").filter(|version| *version != VERSION);
    let version = found.get("python").map_or("", String::as_str);
    let (ok, told) = match (lacking.as_str(), other) {
        ("", None) => (true, format!("Python {version}, {there}, {shown}")),
        ("", Some(other)) => (
            false,
            format!(
                "{shown} has headstart {other}, expected {VERSION}; install the same version there"
            ),
        ),
        (lacking, _) => (
            false,
            format!("{shown} lacks {lacking}; {shown} -m pip install 'headstart[kernel]'"),
        ),
    };
    let (console, _) = parted(&found, &CONSOLES);
    let no_console = || format!("none for hs ipython; {shown} -m pip install jupyter-console");
    vec![
        Checked {
            name: "kernel",
            ok,
            found: told,
        },
        Checked {
            name: "console",
            ok: !console.is_empty(),
            found: if console.is_empty() {
                no_console()
            } else {
                console
            },
        },
    ]
}

fn sessions() -> Checked {
    let names = registry::names();
    Checked {
        name: "sessions",
        ok: true,
        found: match names.len() {
            0 => "none".to_owned(),
            count => format!("{count}: {}", names.join(", ")),
        },
    }
}

fn checkpoints() -> Checked {
    let folder = checkpoints_folder();
    let (ok, found) = match folder.filter(|folder| folder.exists()) {
        None => (true, "none".to_owned()),
        Some(folder) => {
            let store = Store::open(&folder, Options::default());
            match store.and_then(|store| store.size()) {
                Ok(size) => (true, format!("{} in {}", bytes(size), folder.display())),
                Err(error) => (false, error.to_string()),
            }
        }
    };
    Checked {
        name: "checkpoints",
        ok,
        found,
    }
}
