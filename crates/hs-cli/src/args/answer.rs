//! How to answer: the options that all commands have.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// How to answer; the same for every command.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct AnswerArgs {
    /// Format of the output [default: table, or by the extension of -o, which may also be that of
    /// any format that hs sauve writes]
    #[arg(long, global = true, value_name = "FORMAT")]
    pub format: Option<AnswerFormat>,
    /// Write to this file instead of standard output; it is replaced as a whole or not at all
    #[arg(short, long, global = true, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// No notes on standard error, only errors; data still goes to standard output
    #[arg(short, long, global = true)]
    pub quiet: bool,
    /// Colours [default: auto]
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        default_value = "auto",
        hide_default_value = true
    )]
    pub color: ColourChoice,
}

/// The format of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum AnswerFormat {
    /// Laid out for reading.
    Table,
    /// Comma-separated values.
    Csv,
    /// One object with columns, rows, data and notes.
    Json,
    /// One object a row.
    Jsonl,
    /// A Markdown table.
    Md,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ColourChoice {
    /// On a terminal, as NO_COLOR and CLICOLOR_FORCE say.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}
