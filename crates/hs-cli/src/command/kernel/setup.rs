//! `hs kernel setup`: the managed environment.

use hs_kernel::python::{Built, Setup, setup};

use super::told;
use crate::args::SetupArgs;
use crate::exit::Failure;
use crate::inside::Running;
use crate::output::{Facts, Output};

/// Runs the command.
///
/// # Errors
/// Whatever keeps the environment from being built; [`Failure::Failed`] when something that the user had added is not in it.
pub fn run(args: &SetupArgs, output: &Output, inside: Running<'_>) -> Result<(), Failure> {
    let wanted = Setup {
        python: args.python.clone(),
        force: args.force,
        with: args.with.clone(),
        from: args.from.clone(),
        own: inside().map(|inside| inside.python),
        in_use: super::find::pythons(),
    };
    let built = setup(&wanted, &mut |line| output.tell(line)).map_err(|text| told(&text))?;
    output.give_facts(&[facts(&built)])?;
    if built.missing.is_empty() {
        return Ok(());
    }
    let text = format!(
        "what you had added could not all be added again:\n  {}",
        built.missing.join("\n  ")
    );
    Err(Failure::Failed(text))
}

fn facts(built: &Built) -> Facts {
    let python = built.python.display().to_string();
    let word = if built.rebuilt { "built" } else { "up to date" };
    let mut line = format!("{word}: {python} (Python {})", built.version);
    if !built.added.is_empty() {
        line += &format!(", with {}", built.added.join(", "));
    }
    Facts::new(line)
        .with("python", python)
        .with("version", built.version.clone())
        .with("built", built.rebuilt)
        .with("added", built.added.join(" "))
        .with("missing", built.missing.join("; "))
}
