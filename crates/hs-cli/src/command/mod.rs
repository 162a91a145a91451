//! The commands: one file each, which reads, calls one operation and hands the result over.

mod charge;
mod combien;
mod compare;
mod completions;
mod decris;
mod doctor;
mod interroge;
mod joins;
mod kernel;
mod man;
mod mcp;
mod montre;
mod sauve;
mod verifie;

use std::sync::Arc;

use hs_core::Control;

use crate::args::{Arguments, Command};
use crate::exit::Failure;
use crate::inside::Running;
use crate::interrupts;
use crate::output::Output;

pub use kernel::offered_checkpoints;

/// Runs the command of a parsed command line.
///
/// # Errors
/// Whatever keeps the command from its end.
pub fn run(arguments: &Arguments, inside: Running<'_>) -> Result<(), Failure> {
    // These fork, which a process with threads must not: nothing that starts one comes before.
    match &arguments.command {
        Command::Kernel(args) => return kernel::run(args, &arguments.answer, inside),
        Command::Ipython(args) => return kernel::ipython(args, &arguments.answer, inside),
        Command::Mcp(args) => return mcp::run(args, &arguments.answer, inside),
        Command::Completions(args) => return completions::run(args, &arguments.answer),
        Command::Man(args) => return man::run(args, &arguments.answer),
        _ => {}
    }
    let control = Arc::new(Control::default());
    interrupts::stop(&control);
    let output = Output::new(&arguments.answer, &control)?;
    match &arguments.command {
        Command::Charge(args) => charge::run(args, &control, &output),
        Command::Sauve(args) => sauve::run(args, &control, &output),
        Command::Montre(args) => montre::run(args, &control, &output),
        Command::Combien(args) => combien::run(args, &control, &output),
        Command::Compare(args) => compare::run(args, &control, &output),
        Command::Joins(args) => joins::run(args, &control, &output),
        Command::Decris(args) => decris::run(args, &control, &output),
        Command::Verifie(args) => verifie::run(args, &control, &output),
        Command::Interroge(args) => interroge::run(args, &control, &output),
        Command::Doctor => doctor::run(&output, inside),
        Command::Kernel(_)
        | Command::Ipython(_)
        | Command::Mcp(_)
        | Command::Completions(_)
        | Command::Man(_) => Ok(()),
    }
}
