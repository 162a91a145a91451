//! The command line of what belongs to the shell: `hs completions` and `hs man`.

use std::path::PathBuf;

use clap::Args;

use crate::complete::Shell;

/// Options of `hs completions`.
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub shell: Shell,
}

/// Options of `hs man`.
#[derive(Debug, Args)]
pub struct ManArgs {
    /// The command whose page it is, such as combien or kernel run [default: hs itself]
    #[arg(value_name = "COMMAND", conflicts_with = "out")]
    pub command: Vec<String>,
    /// Write all pages into this folder, which is made if it is not there
    #[arg(long, value_name = "FOLDER")]
    pub out: Option<PathBuf>,
}
