//! `hs mcp`: the kernel as tools for coding agents and other hosts of the Model Context Protocol.

use std::io::{IsTerminal, Write, stderr, stdin};

use hs_kernel::launch;
use hs_kernel::mcp::serve;

use crate::args::{AnswerArgs, McpArgs};
use crate::exit::Failure;
use crate::inside::{Running, launch_settings};
use crate::output::refuse_format;

/// Runs the command.
///
/// # Errors
/// When the launcher cannot be started, or the host speaks something else.
pub fn run(args: &McpArgs, answer: &AnswerArgs, inside: Running<'_>) -> Result<(), Failure> {
    refuse_format(answer, "hs mcp")?;
    if stdin().is_terminal() {
        let told =
            "hs: an MCP host starts this and speaks on standard input; `hs mcp --help` says how";
        // With standard error gone there is nobody to tell.
        let _ = writeln!(stderr().lock(), "{told}");
    }
    // Forks, so it comes before any thread.
    let launcher = launch(&launch_settings(&args.launch, inside))?;
    Ok(serve(launcher)?)
}
