//! What makes environments and installs packages: uv where it is there, else venv and pip of a Python.

use std::path::{Path, PathBuf};

use super::base::{self, Base};
use super::choose::on_path;
use super::managed::{self, Managed, Record};
use super::tool;

/// What an environment is built on.
#[derive(Debug)]
pub enum Ground {
    /// A Python that is there.
    Base(Base),
    /// A version that uv finds, or fetches.
    Version(String),
}

impl Ground {
    /// The version that it will have, as far as it is known.
    pub fn version(&self) -> &str {
        match self {
            Self::Base(base) => &base.version,
            Self::Version(version) => version,
        }
    }

    /// Whether an environment was built on it.
    pub fn is(&self, record: &Record) -> bool {
        match self {
            Self::Base(base) => base.program == record.base,
            Self::Version(version) => record.python.starts_with(&format!("{version}.")),
        }
    }
}

/// What builds environments and installs packages.
#[derive(Debug)]
pub enum Installer {
    Uv(PathBuf),
    Pip,
}

impl Installer {
    /// uv where it is on `PATH`, else pip.
    pub fn found() -> Self {
        on_path("uv".as_ref()).map_or(Self::Pip, Self::Uv)
    }

    /// Its name.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Uv(_) => "uv",
            Self::Pip => "pip",
        }
    }

    /// The Python that the user names.
    ///
    /// # Errors
    /// When it is none, or cannot be used.
    pub fn named(&self, named: &Path) -> Result<Ground, String> {
        let text = named.to_string_lossy();
        match base::named(named, matches!(self, Self::Pip)) {
            Ok(base) => Ok(Ground::Base(base)),
            // uv looks in more places, and fetches what it does not find.
            Err(error)
                if matches!(self, Self::Uv(_))
                    && base::is_version(&text)
                    && error.contains("on PATH") =>
            {
                Ok(Ground::Version(text.into_owned()))
            }
            Err(error) => Err(error),
        }
    }

    /// The Python that it is built on when the user names none now: the one they named before, else the best there is.
    ///
    /// # Errors
    /// When there is none.
    pub fn ground(&self, own: Option<&Path>, managed: &Managed) -> Result<Ground, String> {
        let needs_pip = matches!(self, Self::Pip);
        let record = managed.current().as_deref().and_then(managed::record);
        if let Some(before) = record.filter(|record| record.named)
            && let Ok(base) = base::named(&before.base, needs_pip)
        {
            return Ok(Ground::Base(base));
        }
        match base::found(own, needs_pip) {
            Ok(base) if base.is_wanted() || needs_pip => Ok(Ground::Base(base)),
            Err(error) if needs_pip => Err(error),
            _ => Ok(Ground::Version(base::WANTED_VERSION.to_owned())),
        }
    }

    /// Makes an environment with nothing but pip in it.
    ///
    /// # Errors
    /// The last lines of what failed.
    pub fn make(&self, ground: &Ground, environment: &Path) -> Result<Base, String> {
        let mut command = match (self, ground) {
            (Self::Uv(uv), ground) => {
                let mut command = tool::command(uv);
                command.args(["venv", "--seed", "--no-project", "--python"]);
                match ground {
                    Ground::Base(base) => command.arg(&base.program),
                    Ground::Version(version) => command.arg(version),
                };
                command
            }
            (Self::Pip, Ground::Base(base)) => {
                let mut command = tool::command(&base.program);
                command.args(["-I", "-m", "venv"]);
                command
            }
            (Self::Pip, Ground::Version(version)) => {
                return Err(format!("expected uv to fetch Python {version}, found none"));
            }
        };
        command.arg(environment);
        tool::run(&mut command, "building the environment")?;
        match ground {
            Ground::Base(base) => Ok(base.clone()),
            Ground::Version(_) => base::of(&environment.join("bin/python")),
        }
    }

    /// Installs what the arguments name.
    ///
    /// # Errors
    /// The last lines of what failed.
    pub fn install(
        &self,
        python: &Path,
        arguments: &[String],
        purpose: &str,
    ) -> Result<(), String> {
        let mut command = match self {
            Self::Uv(uv) => {
                let mut command = tool::command(uv);
                // Compiled at once, as pip does: where PYTHONDONTWRITEBYTECODE is set, each kernel would do it anew.
                command.args(["pip", "install", "--compile-bytecode", "--python"]);
                command.arg(python);
                command
            }
            Self::Pip => {
                let mut command = tool::pip(python);
                command.args(["install", "--progress-bar", "off"]);
                command
            }
        };
        tool::run(command.args(arguments), purpose).map(drop)
    }

    /// Adds the packages that the user names, without changing those of the list.
    ///
    /// # Errors
    /// The last lines of what failed.
    pub fn add(
        &self,
        python: &Path,
        with: &[String],
        list: &Path,
        say: &mut dyn FnMut(&str),
    ) -> Result<(), String> {
        if with.is_empty() {
            return Ok(());
        }
        say(&format!("adding {}", with.join(" ")));
        let constraints = ["-c".to_owned(), list.display().to_string()];
        let arguments = [&constraints[..], with].concat();
        self.install(python, &arguments, "adding packages")
    }
}
