//! The commands: one file each, which reads, calls one operation and hands the result over.

mod charge;
mod combien;
mod compare;
mod decris;
mod doctor;
mod interroge;
mod joins;
mod montre;
mod sauve;
mod verifie;

use std::sync::Arc;

use hs_core::Control;

use crate::args::{Arguments, Command};
use crate::exit::Failure;
use crate::output::Output;

/// Runs the command of a parsed command line.
///
/// # Errors
/// Whatever keeps the command from its end.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let control = Arc::new(Control::default());
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
        Command::Doctor => doctor::run(&output),
    }
}
