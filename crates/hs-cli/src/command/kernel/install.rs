//! `hs kernel install`: the entry in Jupyter's list of kernels.

use std::process::{Command, Stdio};

use hs_core::{Error, ErrorKind};
use hs_kernel::python::{Managed, choose};

use super::told;
use crate::args::InstallArgs;
use crate::exit::Failure;
use crate::inside::{Running, settings};
use crate::output::{Facts, Output};

/// Runs the command.
///
/// # Errors
/// When there is no Python for a kernel, or the entry cannot be written.
pub fn run(args: &InstallArgs, output: &Output, inside: Running<'_>) -> Result<(), Failure> {
    let python = choose(&settings(&args.python, inside)).map_err(|text| told(&text))?;
    // The next environment that setup builds has another folder; the link leads to it.
    let lasting = match Managed::of_user() {
        Ok(managed) if python.starts_with(managed.folder()) => managed.link().join("bin/python"),
        _ => python.clone(),
    };
    let mut command = Command::new(&python);
    // Without the working folder, whose files may have the names of modules.
    command.args(["-P", "-m", "headstart.kernel.kernelspec", "--python"]);
    command.arg(&lasting).args(["--name", &args.name]);
    if let Some(prefix) = &args.prefix {
        command.arg("--prefix").arg(std::path::absolute(prefix)?);
    }
    let wrong = |message: String| Error::new(ErrorKind::Service, message);
    let done = command.stdin(Stdio::null()).output();
    let done = done.map_err(|error| wrong(format!("{}: {error}", python.display())))?;
    if !done.status.success() {
        let said = String::from_utf8_lossy(&done.stderr);
        let last = said.lines().last().unwrap_or_default().to_owned();
        return Err(wrong(format!("{}: {last}", python.display())).into());
    }
    let folder = String::from_utf8_lossy(&done.stdout).trim().to_owned();
    let line = format!(
        "\"Python (headstart)\" is in {folder}, on {}",
        lasting.display()
    );
    let facts = Facts::new(line)
        .with("folder", folder)
        .with("name", args.name.clone());
    output.give_facts(&[facts.with("python", lasting.display().to_string())])
}
