//! The command line of what a session did and what it stands on: `hs kernel search`, `export`, `log`, `console` and the like.

use std::path::PathBuf;

use clap::Args;

use super::kernel::seconds;

/// A session, by its name.
#[derive(Debug, Args)]
pub struct NamedArgs {
    /// The session
    #[arg(value_name = "NAME", default_value = "main")]
    pub name: String,
}

/// Options of `hs kernel search`.
#[derive(Debug, Args)]
pub struct SearchArgs {
    /// The session; one that was released, too
    #[arg(short, long, value_name = "NAME", default_value = "main")]
    pub session: String,
    /// Words that must all occur; one with blanks in it is one text
    #[arg(value_name = "WORDS", required = true)]
    pub words: Vec<String>,
    /// Hits that are shown
    #[arg(short = 'n', long, value_name = "COUNT", default_value_t = 10)]
    pub limit: usize,
}

/// Options of `hs kernel export`.
#[derive(Debug, Args)]
pub struct ExportArgs {
    /// The session; one that was released, too
    #[arg(short, long, value_name = "NAME", default_value = "main")]
    pub session: String,
    /// The file: .jsonl can be imported, .md and .txt are to be read
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Replace a file that is there
    #[arg(long)]
    pub overwrite: bool,
}

/// Options of `hs kernel import`.
#[derive(Debug, Args)]
pub struct ImportArgs {
    /// The session; one that was released, too
    #[arg(short, long, value_name = "NAME", default_value = "main")]
    pub session: String,
    /// A file that `hs kernel export` wrote as .jsonl
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
}

/// Options of `hs kernel log`.
#[derive(Debug, Args)]
pub struct LogArgs {
    /// The session; one that was released, too
    #[arg(short, long, value_name = "NAME", default_value = "main")]
    pub session: String,
    /// Draw which checkpoint was made on which
    #[arg(long)]
    pub graph: bool,
    /// Checkpoints that are shown, the newest [default: all]
    #[arg(short = 'n', long, value_name = "COUNT")]
    pub limit: Option<usize>,
}

/// Options of `hs kernel diff`.
#[derive(Debug, Args)]
pub struct DiffArgs {
    /// A checkpoint: its id, or the first four or more of its digits
    #[arg(value_name = "A")]
    pub before: String,
    /// Another one
    #[arg(value_name = "B")]
    pub after: String,
}

/// Options of `hs kernel checkpoint`.
#[derive(Debug, Args)]
pub struct CheckpointArgs {
    /// The session.
    #[command(flatten)]
    pub session: NamedArgs,
    /// Wait for the cell that runs, instead of an error
    #[arg(long)]
    pub queue: bool,
}

/// Options of `hs kernel restore`.
#[derive(Debug, Args)]
pub struct RestoreArgs {
    /// The session
    #[arg(value_name = "NAME")]
    pub name: String,
    /// The checkpoint: its id, or the first four or more of its digits; `startup` for the state before the first cell
    #[arg(value_name = "ID")]
    pub id: String,
    /// Wait for the cell that runs, instead of an error
    #[arg(long)]
    pub queue: bool,
}

/// Options of `hs kernel wait`.
#[derive(Debug, Args)]
pub struct WaitArgs {
    /// The session.
    #[command(flatten)]
    pub session: NamedArgs,
    /// Wait no longer than so many seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_negative_numbers = true)]
    pub timeout: Option<f64>,
    /// Save figures in this folder
    #[arg(long, value_name = "FOLDER")]
    pub images: Option<PathBuf>,
}
