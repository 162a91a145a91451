//! The command line of `hs kernel` and `hs ipython`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::TEMPLATE;
use super::history::{
    CheckpointArgs, DiffArgs, ExportArgs, ImportArgs, LogArgs, NamedArgs, RestoreArgs, SearchArgs,
    WaitArgs,
};

/// `hs kernel`.
#[derive(Debug, Args)]
pub struct KernelArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: KernelCommand,
}

/// What is done with kernels.
#[derive(Debug, Subcommand)]
pub enum KernelCommand {
    /// `hs kernel start`.
    #[command(
        about = "Start a session that lives until it is released",
        help_template = TEMPLATE,
        before_help = "Examples:
  hs kernel start work
  hs kernel start work --cwd ~/data --env REGION=eu --startup imports.py"
    )]
    Start(StartArgs),
    /// `hs kernel run`.
    #[command(
        about = "Run a cell in a session that is there, and show its output as it comes",
        help_template = TEMPLATE,
        after_help = "Exit code: 0 done, 1 the cell raised or was interrupted, 2 wrong usage, or no result: the kernel \
            is lost, or the time is over",
        before_help = "Examples:
  hs kernel run -s work 'x = 41; x + 1'
  hs kernel run -s work - < cell.py
  hs kernel run -s work 'plot()' --images figures
  hs kernel run -s work 'x' --format json          the whole result"
    )]
    Run(RunArgs),
    /// `hs kernel list`.
    #[command(
        about = "Show every session: what runs and since when, CPU, memory, names",
        help_template = TEMPLATE,
        before_help = "Examples:
  hs kernel list
  hs kernel list --format json"
    )]
    List,
    /// `hs kernel wait`.
    #[command(
        about = "Wait for the cell that runs in a session, and show its result",
        help_template = TEMPLATE,
        after_help = "Exit code: as that of hs kernel run; 0 when nothing runs",
        before_help = "Examples:
  hs kernel wait work
  hs kernel wait work --timeout 60"
    )]
    Wait(WaitArgs),
    /// `hs kernel interrupt`.
    #[command(
        about = "Stop the cell that runs in a session, as Ctrl-C does; variables stay",
        help_template = TEMPLATE,
        before_help = "Examples:
  hs kernel interrupt work"
    )]
    Interrupt(NamedArgs),
    /// `hs kernel console`.
    #[command(
        about = "Show what ran in a session, and attach a console to it",
        help_template = TEMPLATE,
        after_help = "Leaving the console, with exit or Ctrl-D, never ends the session",
        before_help = "Examples:
  hs kernel console work"
    )]
    Console(NamedArgs),
    /// `hs kernel search`.
    #[command(
        about = "Find cells and messages of a session by what stands in code, output or errors",
        help_template = TEMPLATE,
        after_help = "Exit code: 0 found, 1 nothing found, 2 wrong usage or no such session",
        before_help = "Examples:
  hs kernel search -s work groupby             half a name finds all of it
  hs kernel search -s work df.merge KeyError   both must occur
  hs kernel search -s work 'total amount'      these words in this order"
    )]
    Search(SearchArgs),
    /// `hs kernel export`.
    #[command(
        about = "Write all cells and messages of a session into a file",
        help_template = TEMPLATE,
        before_help = "Examples:
  hs kernel export -s work work.md         to be read
  hs kernel export -s work work.jsonl      can be imported"
    )]
    Export(ExportArgs),
    /// `hs kernel import`.
    #[command(
        about = "Add the cells and messages of an export to those of a session; nothing runs",
        help_template = TEMPLATE,
        before_help = "Examples:
  hs kernel import -s work work.jsonl"
    )]
    Import(ImportArgs),
    /// `hs kernel log`.
    #[command(
        about = "Show the checkpoints of a session, the newest first; * is the one it stands on",
        help_template = TEMPLATE,
        before_help = "Examples:
  hs kernel log -s work
  hs kernel log -s work --graph            which was made on which"
    )]
    Log(LogArgs),
    /// `hs kernel diff`.
    #[command(
        about = "Show what differs between two checkpoints: names, types, sizes",
        help_template = TEMPLATE,
        after_help = "Exit code: 0 the same, 1 they differ, 2 wrong usage or no such checkpoint",
        before_help = "Examples:
  hs kernel diff 1a2b3c4d 9f8e7d6c         ids as hs kernel log shows them"
    )]
    Diff(DiffArgs),
    /// `hs kernel checkpoint`.
    #[command(
        about = "Save the variables of a session now, as is done after each cell",
        help_template = TEMPLATE,
        before_help = "Examples:
  hs kernel checkpoint work"
    )]
    Checkpoint(CheckpointArgs),
    /// `hs kernel restore`.
    #[command(
        about = "Give a session the variables of a checkpoint",
        help_template = TEMPLATE,
        before_help = "Examples:
  hs kernel restore work 1a2b3c4d
  hs kernel restore work startup           the state before the first cell"
    )]
    Restore(RestoreArgs),
    /// `hs kernel release`.
    #[command(
        about = "End sessions: their kernels and all that those started",
        help_template = TEMPLATE,
        before_help = "Examples:
  hs kernel release work
  hs kernel release --all"
    )]
    Release(ReleaseArgs),
    /// `hs kernel restart`.
    #[command(
        about = "Give a session a new kernel, without the variables of the old one",
        help_template = TEMPLATE,
        before_help = "Examples:
  hs kernel restart work"
    )]
    Restart(RestartArgs),
    /// `hs kernel setup`.
    #[command(
        about = "Build the managed environment: a Python with all that a kernel needs",
        help_template = TEMPLATE,
        before_help = "Examples:
  hs kernel setup                           if it is not up to date
  hs kernel setup --with scikit-learn --with 'statsmodels<1'
  hs kernel setup --python 3.13 --force"
    )]
    Setup(SetupArgs),
    /// `hs kernel install`.
    #[command(
        about = "Offer the kernel in Jupyter, as \"Python (headstart)\"",
        help_template = TEMPLATE,
        before_help = "Examples:
  hs kernel install                         for all of the user's Jupyters
  hs kernel install --prefix .venv          for the one of an environment"
    )]
    Install(InstallArgs),
    /// `hs kernel serve`.
    #[command(
        about = "Serve a program: requests and events as lines of JSON on standard streams",
        help_template = TEMPLATE,
        before_help = "Examples:
  hs kernel serve                           the lines: docs/kernel.md"
    )]
    Serve(LaunchArgs),
}

/// Which Python runs a kernel.
#[derive(Debug, Args)]
pub struct PythonArgs {
    /// The Python that runs the kernel: a program, or the folder of an environment [default: HEADSTART_PYTHON, the one
    /// headstart is installed in, or the managed environment]
    #[arg(long, value_name = "PATH")]
    pub python: Option<PathBuf>,
}

/// How kernels are run.
#[derive(Debug, Args)]
pub struct LaunchArgs {
    /// The Python.
    #[command(flatten)]
    pub python: PythonArgs,
    /// Neither save the variables after each cell nor bring them back
    #[arg(long)]
    pub no_checkpoints: bool,
    /// Keep nothing of what cells did for search and export
    #[arg(long)]
    pub no_context: bool,
}

/// Options of `hs kernel start`.
#[derive(Debug, Args)]
pub struct StartArgs {
    /// Its name: letters, digits, `.`, `_` and `-`
    #[arg(value_name = "NAME")]
    pub name: String,
    /// Go on with the variables that a session of this name had when it was released
    #[arg(long)]
    pub resume: bool,
    /// How it begins.
    #[command(flatten)]
    pub begin: BeginArgs,
}

/// How a session begins.
#[derive(Debug, Args)]
pub struct BeginArgs {
    /// The working folder of the kernel [default: this one]
    #[arg(long, value_name = "FOLDER")]
    pub cwd: Option<PathBuf>,
    /// A variable of the environment that only the kernel gets; repeat it for more
    #[arg(long, value_name = "NAME=VALUE", value_parser = variable)]
    pub env: Vec<(String, String)>,
    /// A file of Python that runs, unseen, whenever the session gets a kernel; repeat it for more
    #[arg(long, value_name = "FILE")]
    pub startup: Vec<PathBuf>,
    /// How its kernel is run.
    #[command(flatten)]
    pub launch: LaunchArgs,
}

/// Options of `hs kernel run`.
#[derive(Debug, Args)]
pub struct RunArgs {
    /// The session
    #[arg(short, long, value_name = "NAME", default_value = "main")]
    pub session: String,
    /// The cell, as in IPython; `-` reads it from standard input
    #[arg(value_name = "CODE", allow_hyphen_values = true)]
    pub code: String,
    /// Wait no longer than so many seconds; the cell goes on
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_negative_numbers = true)]
    pub timeout: Option<f64>,
    /// The folder that the cell runs in; the session stays there
    #[arg(long, value_name = "FOLDER")]
    pub cwd: Option<PathBuf>,
    /// Wait for the cell that runs, instead of an error
    #[arg(long)]
    pub queue: bool,
    /// Save figures in this folder
    #[arg(long, value_name = "FOLDER")]
    pub images: Option<PathBuf>,
}

/// Options of `hs kernel release`.
#[derive(Debug, Args)]
pub struct ReleaseArgs {
    /// The sessions, as `hs kernel list` names them
    #[arg(
        value_name = "NAME",
        required_unless_present = "all",
        conflicts_with = "all"
    )]
    pub names: Vec<String>,
    /// All of yours, those of other programs too
    #[arg(long)]
    pub all: bool,
}

/// Options of `hs kernel restart`.
#[derive(Debug, Args)]
pub struct RestartArgs {
    /// The session
    #[arg(value_name = "NAME")]
    pub name: String,
}

/// Options of `hs kernel setup`.
#[derive(Debug, Args)]
pub struct SetupArgs {
    /// The Python to build on: a program, or a version such as 3.13 [default: 3.12, or the nearest there is from 3.11 on]
    #[arg(long, value_name = "PATH|VERSION")]
    pub python: Option<PathBuf>,
    /// Build it anew even if it is up to date; what was added to it stays
    #[arg(long)]
    pub force: bool,
    /// Add a package, as pip names it; repeat it for more
    #[arg(long, value_name = "PACKAGE")]
    pub with: Vec<String>,
    /// Take headstart from here: a wheel, a folder with one, or its source [default: the one that runs this, or the index]
    #[arg(long, value_name = "PATH")]
    pub from: Option<PathBuf>,
}

/// Options of `hs kernel install`.
#[derive(Debug, Args)]
pub struct InstallArgs {
    /// The Python.
    #[command(flatten)]
    pub python: PythonArgs,
    /// The environment whose Jupyter gets it
    #[arg(long, value_name = "FOLDER", conflicts_with = "user")]
    pub prefix: Option<PathBuf>,
    /// For all of the user's Jupyters; so without --prefix, too
    #[arg(long)]
    pub user: bool,
    /// Its name, as in: jupyter console --kernel NAME
    #[arg(long, value_name = "NAME", default_value = "headstart")]
    pub name: String,
}

/// Options of `hs ipython`.
#[derive(Debug, Args)]
pub struct IpythonArgs {
    /// The session: attach to it, or start it
    #[arg(value_name = "NAME", default_value = "main")]
    pub name: String,
    /// How it begins, if it is not there.
    #[command(flatten)]
    pub begin: BeginArgs,
}

fn variable(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("expected NAME=VALUE".to_owned()),
    }
}

pub fn seconds(text: &str) -> Result<f64, String> {
    let number: Option<f64> = text.parse().ok();
    number
        .filter(|seconds| (0.0..1e9).contains(seconds))
        .ok_or_else(|| "expected seconds, from 0".to_owned())
}

#[cfg(test)]
mod tests {
    #[test]
    fn variables_have_a_name_and_a_value() {
        let pair = |name: &str, value: &str| Ok((name.to_owned(), value.to_owned()));
        assert_eq!(super::variable("A=b=c"), pair("A", "b=c"));
        assert_eq!(super::variable("A="), pair("A", ""));
        assert!(super::variable("=b").is_err() && super::variable("A").is_err());
    }

    #[test]
    fn times_are_seconds() {
        assert_eq!(super::seconds("1.5"), Ok(1.5));
        for wrong in ["-1", "x", "nan", "inf"] {
            assert!(super::seconds(wrong).is_err(), "{wrong}");
        }
    }
}
