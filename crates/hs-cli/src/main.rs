//! The `hs` command. Everything is in the library, so that the wheel's script is the same program.

use std::process::ExitCode;

fn main() -> ExitCode {
    // Panics become errors with exit code 2 where they are caught; the hook would print them twice.
    std::panic::set_hook(Box::new(|_| {}));
    ExitCode::from(hs_cli::run(std::env::args_os()))
}
