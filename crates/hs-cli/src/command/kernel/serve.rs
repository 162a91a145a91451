//! `hs kernel serve`: the launcher for a program, on standard input and output.

use crate::args::LaunchArgs;
use crate::exit::Failure;
use crate::inside::{Running, launch_settings};

/// Runs the command.
///
/// # Errors
/// When the launcher cannot work at all; else it says itself what is wrong.
pub fn run(args: &LaunchArgs, inside: Running<'_>) -> Result<(), Failure> {
    let settings = launch_settings(args, inside);
    match hs_kernel::serve(&settings)? {
        0 => Ok(()),
        code => Err(Failure::Ended(code)),
    }
}
