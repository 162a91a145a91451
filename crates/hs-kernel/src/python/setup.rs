//! Builds the managed environment: in a folder of its own, which takes its place in one step when all is there. Whatever
//! fails before leaves the old one as it was. Says what it does through the caller; prints nothing.

use std::fs;
use std::path::{Path, PathBuf};

use super::base::{self, Base};
use super::installer::{Ground, Installer};
use super::managed::{self, Managed, Record, State, VERSION, finish, wanted};
use super::packages::{self, Package, normalised};
use super::place::{free_folder, lock, remove_unused, take_place, told};
use super::tool;

/// The list of packages inside an environment, as it was installed.
const LIST: &str = "headstart-packages.txt";

/// What is wanted.
#[derive(Debug, Default)]
pub struct Setup {
    /// The Python to build on.
    pub python: Option<PathBuf>,
    /// Build it anew even if it is up to date.
    pub force: bool,
    /// Packages to add.
    pub with: Vec<String>,
    /// Where headstart comes from: a wheel, a folder with one, or a folder that one is built from.
    pub from: Option<PathBuf>,
    /// The Python that runs this program, which has headstart; the native binary has none.
    pub own: Option<PathBuf>,
    /// The Pythons that kernels run on now: their environments stay.
    pub in_use: Vec<PathBuf>,
}

/// What came of it.
#[derive(Debug, PartialEq, Eq)]
pub struct Built {
    /// Its Python.
    pub python: PathBuf,
    /// The version of that.
    pub version: String,
    /// Whether it was built now; else it was up to date.
    pub rebuilt: bool,
    /// Packages that were added, now or again.
    pub added: Vec<String>,
    /// Packages that the user had added and that could not be added again, with the reason.
    pub missing: Vec<String>,
}

/// Builds the environment if it is not up to date, and adds packages to it.
///
/// # Errors
/// What could not be done, with the last lines of the program that failed.
pub fn setup(wanted: &Setup, say: &mut dyn FnMut(&str)) -> Result<Built, String> {
    let managed = Managed::of_user()?;
    let folder = managed.folder();
    fs::create_dir_all(folder).map_err(|error| told(folder, &error))?;
    let _lock = lock(folder, say)?;
    remove_unused(&managed, &wanted.in_use);
    let installer = Installer::found();
    let base = match &wanted.python {
        Some(named) => Some(installer.named(named)?),
        None => None,
    };
    if let State::Ready(python) = managed.state()
        && let Some(record) = managed.current().as_deref().and_then(managed::record)
        && !wanted.force
        && base.as_ref().is_none_or(|base| base.is(&record))
    {
        let list = python.with_file_name("..").join(LIST);
        installer.add(&python, &wanted.with, &list, say)?;
        return Ok(Built {
            python,
            version: record.python,
            rebuilt: false,
            added: wanted.with.clone(),
            missing: Vec::new(),
        });
    }
    // Before anything is built.
    from_path(wanted)?;
    let environment = free_folder(folder);
    let work = Work {
        managed: &managed,
        wanted,
        installer: &installer,
        environment: &environment,
    };
    let built = work.build(base, say);
    if built.is_err() {
        // What is left of it is removed by the next setup, if it cannot be now.
        let _ = fs::remove_dir_all(&environment);
    }
    let built = built?;
    remove_unused(&managed, &wanted.in_use);
    Ok(built)
}

/// One environment that is built.
struct Work<'a> {
    managed: &'a Managed,
    wanted: &'a Setup,
    installer: &'a Installer,
    environment: &'a Path,
}

impl Work<'_> {
    fn build(&self, base: Option<Ground>, say: &mut dyn FnMut(&str)) -> Result<Built, String> {
        let environment = self.environment;
        let python = environment.join("bin/python");
        let base = self.make(base, say)?;
        // First, because it comes at once or not at all.
        let origin = self.install_headstart(&python, say)?;
        let list = environment.join(LIST);
        let lines = wanted();
        fs::write(&list, &lines).map_err(|error| told(&list, &error))?;
        let count = lines.lines().count();
        say(&format!(
            "installing {count} packages with {}",
            self.installer.word()
        ));
        let arguments = ["-r".to_owned(), list.display().to_string()];
        self.installer
            .install(&python, &arguments, "installing the packages")?;
        look_at_headstart(&python, &origin)?;
        let installed = packages::versions(environment);
        let (kept, changed) = additions(self.managed.current().as_deref());
        for (name, version) in changed {
            if let Some(now) = installed.get(&name) {
                say(&format!("{name} is {now} again; it was {version}"));
            }
        }
        let (mut added, missing) = self.add_again(&python, kept, &list, say);
        self.installer.add(&python, &self.wanted.with, &list, say)?;
        added.extend(self.wanted.with.iter().cloned());
        let record = Record {
            headstart: VERSION.to_owned(),
            packages: lines,
            python: base.version.clone(),
            base: base.program,
            named: self.wanted.python.is_some(),
            installed,
        };
        finish(environment, &record).map_err(|error| told(environment, &error))?;
        take_place(self.managed, environment)?;
        Ok(Built {
            python,
            version: base.version,
            rebuilt: true,
            added,
            missing,
        })
    }

    /// Makes the environment, empty but for pip.
    fn make(&self, base: Option<Ground>, say: &mut dyn FnMut(&str)) -> Result<Base, String> {
        let own = self.wanted.own.as_deref();
        let ground = match base {
            Some(ground) => ground,
            None => self.installer.ground(own, self.managed)?,
        };
        let shown = self.environment.display();
        say(&format!("building {shown} on Python {}", ground.version()));
        match self.installer.make(&ground, self.environment) {
            // uv could not fetch the version that is wanted most: the nearest that is there will do.
            Err(error) if matches!(ground, Ground::Version(_)) && self.wanted.python.is_none() => {
                let nearest = base::found(own, false).map_err(|_| error)?;
                say(&format!(
                    "there is no Python {}; building on {}",
                    ground.version(),
                    nearest.version
                ));
                self.installer
                    .make(&Ground::Base(nearest), self.environment)
            }
            made => made,
        }
    }

    fn install_headstart(
        &self,
        python: &Path,
        say: &mut dyn FnMut(&str),
    ) -> Result<String, String> {
        let (what, origin) = self.headstart()?;
        say(&format!("installing headstart {VERSION} {origin}"));
        let arguments = ["--no-deps".to_owned(), what];
        let purpose = format!("installing headstart {VERSION} {origin}");
        self.installer
            .install(python, &arguments, &purpose)
            .map_err(|error| match (&self.wanted.from, &self.wanted.own) {
                (None, None) => {
                    format!("{error}\nhint: hs kernel setup --from WHEEL takes it from a file")
                }
                _ => error,
            })?;
        Ok(origin)
    }

    /// What is installed as headstart, and where that is from.
    fn headstart(&self) -> Result<(String, String), String> {
        if let Some(path) = from_path(self.wanted)? {
            let text = path.display().to_string();
            return Ok((text.clone(), format!("from {text}")));
        }
        let Some(own) = &self.wanted.own else {
            return Ok((format!("headstart=={VERSION}"), "from the index".to_owned()));
        };
        let mut command = tool::command(own);
        command
            .args(["-P", "-m", "headstart.kernel.wheel"])
            .arg(self.environment);
        // What this program runs from may be found by the user's own settings.
        if let Some(value) = std::env::var_os("PYTHONPATH") {
            command.env("PYTHONPATH", value);
        }
        let wheel = tool::run(&mut command, "packing the headstart that runs")?;
        let origin = format!("as it is in {}", own.display());
        Ok((wheel.trim().to_owned(), origin))
    }

    /// Adds what the user had added to the environment before: the same versions, else those that fit.
    fn add_again(
        &self,
        python: &Path,
        kept: Vec<Package>,
        list: &Path,
        say: &mut dyn FnMut(&str),
    ) -> (Vec<String>, Vec<String>) {
        let (mut added, mut missing) = (Vec::new(), Vec::new());
        if kept.is_empty() {
            return (added, missing);
        }
        let names: Vec<&str> = kept.iter().map(|package| package.name.as_str()).collect();
        say(&format!(
            "adding again what you added: {}",
            names.join(", ")
        ));
        let constraints = ["-c".to_owned(), list.display().to_string()];
        let install = |requirements: Vec<String>| {
            let arguments = [&constraints[..], &requirements].concat();
            self.installer
                .install(python, &arguments, "adding packages again")
        };
        if install(kept.iter().flat_map(Package::requirement).collect()).is_ok() {
            let all = kept.iter().map(|package| package.requirement().join(" "));
            return (all.collect(), missing);
        }
        // Together they do not fit: one by one, what others need last, since it may come with those.
        let (asked, needed): (Vec<_>, Vec<_>) =
            kept.into_iter().partition(|package| package.requested);
        for package in asked.iter().chain(&needed) {
            let present = packages::versions(self.environment);
            if let Some(version) = present.get(&normalised(&package.name)) {
                added.push(format!("{}=={version}", package.name));
                continue;
            }
            let exact = package.requirement();
            let shown = exact.join(" ");
            match install(exact).or_else(|_| install(vec![package.name.clone()])) {
                Ok(()) => added.push(shown),
                Err(error) => {
                    let last = error.lines().last().unwrap_or_default().trim().to_owned();
                    missing.push(format!("{shown}: {last}"));
                }
            }
        }
        (added, missing)
    }
}

/// Whether the headstart of an environment can run a kernel there, and is this one.
fn look_at_headstart(python: &Path, origin: &str) -> Result<(), String> {
    // The modules of a start are compiled on the way, so that no kernel waits for it.
    let look = "import headstart.kernel.app, headstart; print(headstart.__version__)";
    let mut command = tool::command(python);
    command.args(["-I", "-c", look]);
    let version = tool::run(&mut command, "a look at headstart in the environment")?;
    if version.trim() != VERSION {
        let found = version.trim();
        return Err(format!(
            "expected headstart {VERSION}, as this program is, found {found} {origin}"
        ));
    }
    Ok(())
}

/// The wheel or folder that headstart is taken from, if the user names one.
fn from_path(wanted: &Setup) -> Result<Option<PathBuf>, String> {
    let Some(from) = &wanted.from else {
        return Ok(None);
    };
    let path = std::path::absolute(from).map_err(|error| told(from, &error))?;
    let shown = path.display();
    let about = path.metadata().map_err(|error| {
        format!("--from: expected a wheel, or a folder with one, found none: {shown}: {error}")
    })?;
    if about.is_file() {
        return Ok(Some(path));
    }
    let source = || path.join("pyproject.toml").exists().then(|| path.clone());
    let found = newest_wheel(&path).or_else(source);
    found.map(Some).ok_or_else(|| {
        format!(
            "--from: expected a folder with headstart-{VERSION}-*.whl or a pyproject.toml, found neither in {shown}"
        )
    })
}

/// What the user added to an environment, and which of the packages in the list they changed: name and version.
fn additions(environment: Option<&Path>) -> (Vec<Package>, Vec<(String, String)>) {
    let Some(environment) = environment else {
        return (Vec::new(), Vec::new());
    };
    let before = managed::record(environment)
        .map(|record| record.installed)
        .unwrap_or_default();
    let locked: Vec<String> = wanted()
        .lines()
        .filter_map(|line| Some(normalised(line.split_once("==")?.0)))
        .collect();
    let (mut kept, mut changed) = (Vec::new(), Vec::new());
    for (name, package) in packages::installed(environment) {
        let own = name == "headstart" || name == "pip";
        match before.get(&name) {
            _ if own => {}
            Some(version) if *version == package.version => {}
            _ if locked.contains(&name) => changed.push((name, package.version)),
            // One that no longer belongs to the list is left behind, unless the user changed it.
            _ => kept.push(package),
        }
    }
    (kept, changed)
}

/// The newest wheel of this version in a folder.
fn newest_wheel(folder: &Path) -> Option<PathBuf> {
    let start = format!("headstart-{VERSION}-");
    let entries = fs::read_dir(folder).ok()?.flatten();
    let wheels = entries.filter(|entry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        name.starts_with(&start) && entry.path().extension().is_some_and(|end| end == "whl")
    });
    wheels
        .max_by_key(|entry| entry.metadata().and_then(|about| about.modified()).ok())
        .map(|entry| entry.path())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn add(environment: &Path, name: &str, version: &str) {
        let folder = environment.join(format!(
            "lib/python3.12/site-packages/{name}-{version}.dist-info"
        ));
        fs::create_dir_all(&folder).expect("a folder");
        let text = format!("Name: {name}\nVersion: {version}\n");
        fs::write(folder.join("METADATA"), text).expect("a file");
    }

    #[test]
    fn what_the_user_added_is_told_from_what_was_installed() {
        let folder = tempfile::tempdir().expect("a folder");
        let environment = folder.path();
        for (name, version) in [
            ("ipykernel", "7.0.0"),
            ("pandas", "9.9.9"),
            ("headstart", "0.0.1"),
            ("requests", "2.0"),
            ("old_need", "1.0"),
        ] {
            add(environment, name, version);
        }
        let installed = [
            ("ipykernel", "7.0.0"),
            ("pandas", "3.0.0"),
            ("old-need", "1.0"),
        ];
        let installed: BTreeMap<String, String> = installed
            .into_iter()
            .map(|(name, version)| (name.to_owned(), version.to_owned()))
            .collect();
        let record = Record {
            headstart: "0.0.1".to_owned(),
            packages: String::new(),
            python: "3.12.1".to_owned(),
            base: PathBuf::from("/usr/bin/python3.12"),
            named: false,
            installed,
        };
        finish(environment, &record).expect("a file");
        let (kept, changed) = additions(Some(environment));
        let kept: Vec<String> = kept.iter().map(|package| package.name.clone()).collect();
        assert_eq!(kept, ["requests"]);
        assert_eq!(changed, [("pandas".to_owned(), "9.9.9".to_owned())]);
        assert!(additions(None).0.is_empty());
    }

    #[test]
    fn the_newest_wheel_of_this_version_is_taken() {
        let folder = tempfile::tempdir().expect("a folder");
        assert_eq!(newest_wheel(folder.path()), None);
        let name = format!("headstart-{VERSION}-cp311-abi3-linux_x86_64.whl");
        for name in ["headstart-0.0.0-py3-none-any.whl", &name, "other-1.whl"] {
            fs::write(folder.path().join(name), "").expect("a file");
        }
        assert_eq!(newest_wheel(folder.path()), Some(folder.path().join(name)));
    }
}
