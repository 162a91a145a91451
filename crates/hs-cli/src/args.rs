//! The command line: every command, option, help text and example.

mod answer;
mod history;
mod kernel;
mod read;
mod shell;

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, Parser, Subcommand};
use hs_core::op::catalogue;
use hs_core::op::combien::CombienOptions;
use hs_core::op::joins::JoinsOptions;
use hs_core::op::montre::MontreOptions;

pub use answer::{AnswerArgs, AnswerFormat, ColourChoice};
pub use history::{
    CheckpointArgs, DiffArgs, ExportArgs, ImportArgs, LogArgs, NamedArgs, RestoreArgs, SearchArgs,
    WaitArgs,
};
pub use kernel::{
    BeginArgs, InstallArgs, IpythonArgs, KernelArgs, KernelCommand, LaunchArgs, PythonArgs,
    ReleaseArgs, RestartArgs, RunArgs, SetupArgs, StartArgs,
};
use read::number;
pub use read::{FileArgs, PartArgs, ReadArgs};
pub use shell::{CompletionsArgs, ManArgs};

const TEMPLATE: &str =
    "{about-with-newline}\n{before-help}{usage-heading} {usage}\n\n{all-args}{after-help}";

/// What `hs` says without a command.
pub const FIRST: &str = "\
hs loads, shows and describes data files without losing a value silently

  hs charge orders.csv                  show a file: its first and last rows
  hs decris orders.csv                  describe every column
  hs combien orders.csv country         count the values of a column
  hs compare old.csv new.csv id         what differs
  hs joins orders.csv customers.csv id  put two files side by side
  hs sauve orders.xlsx orders.parquet   turn a file into another format

hs --help lists all commands, hs charge --help the options of one
";

/// Load, show and describe data files without losing a value silently.
#[derive(Debug, Parser)]
#[command(
    name = "hs",
    bin_name = "hs",
    version,
    help_template = TEMPLATE,
    before_help = "Examples:
  hs charge orders.csv                  show a file: its first and last rows
  hs charge orders.xlsx#Jan -o jan.csv  turn a sheet into csv
  hs sauve orders.xlsx orders.parquet   turn a file into another format
  hs montre -n 10 orders.parquet        ten rows
  hs combien orders.csv country         count the values of a column
  hs compare old.csv new.csv id         what differs
  hs decris orders.csv                  describe every column
  hs verifie orders.csv 'amount > 0'    say whether it holds on every row
  hs joins orders.csv customers.csv id  put two files side by side
  hs interroge 'SELECT name FROM d.t'   what a query in BigQuery would cost
  cat orders.json | hs charge - --at data.items --format csv
  hs mcp                                Python as a tool for coding agents
  hs ipython                            a session of IPython that stays",
    arg_required_else_help = true,
    max_term_width = 80
)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// How to answer.
    #[command(flatten)]
    pub answer: AnswerArgs,
}

/// The commands, each in its own file.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// `hs charge`.
    #[command(
        about = catalogue::CHARGE,
        visible_alias = "load",
        help_template = TEMPLATE,
        before_help = "Examples:
  hs charge orders.csv
  hs charge orders.xlsx#Jan --columns id,amount
  hs charge 'orders.xlsx#Jan!A3:F90' -o jan.csv
  hs charge 'orders.xlsx#*'            every sheet
  hs charge '2026-*.csv' -o 2026.csv
  hs charge orders.json --at data.items --format jsonl
  hs charge orders.csv --types zip=text --types d=date:%d/%m/%Y
  hs charge orders.csv --explain       why each column has its type
  hs charge export.txt --encoding cp1252 --delimiter ';' -o clean.csv"
    )]
    Charge(ChargeArgs),
    /// `hs sauve`.
    #[command(
        about = catalogue::SAUVE,
        visible_alias = "save",
        help_template = TEMPLATE,
        override_usage = "hs sauve [OPTIONS] IN OUT\n       hs sauve [OPTIONS] OUT.xlsx NAME=IN...",
        before_help = "Examples:
  hs sauve orders.xlsx orders.parquet
  hs sauve orders.xlsx#Jan jan.csv.gz
  hs sauve '2026-*.csv' 2026.xlsx --sheet Orders
  hs sauve year.xlsx Jan=jan.csv Feb=feb.csv
  cat orders.jsonl | hs sauve - orders.csv"
    )]
    Sauve(SauveArgs),
    /// `hs montre`.
    #[command(
        about = catalogue::MONTRE,
        visible_alias = "show",
        help_template = TEMPLATE,
        before_help = "Examples:
  hs montre orders.csv
  hs montre -n 10 orders.parquet
  hs montre orders.xlsx --sheet Jan"
    )]
    Montre(MontreArgs),
    /// `hs combien`.
    #[command(
        about = catalogue::COMBIEN,
        visible_alias = "count",
        help_template = TEMPLATE,
        before_help = "Examples:
  hs combien orders.csv country
  hs combien orders.csv country city -n 5
  hs combien orders.xlsx#Jan customer -n all --format csv
  cat orders.jsonl | hs combien - status"
    )]
    Combien(CombienArgs),
    /// `hs compare`.
    #[command(
        about = catalogue::COMPARE,
        visible_alias = "diff",
        help_template = TEMPLATE,
        after_help = "Exit code: 0 no difference, 1 a difference, 2 an error",
        before_help = "Examples:
  hs compare old.csv new.csv id
  hs compare old.csv new.parquet id day --tol 0.01
  hs compare old.csv new.csv id --tol amount=0.01 --tol rate=1e-6
  hs compare year.xlsx#2025 year.xlsx#2026 id --ignore updated,source
  hs compare old.csv new.csv id -q > /dev/null && echo no difference"
    )]
    Compare(CompareArgs),
    /// `hs joins`.
    #[command(
        about = catalogue::JOINS,
        visible_alias = "join",
        help_template = TEMPLATE,
        before_help = "Examples:
  hs joins orders.csv customers.csv customer_id
  hs joins orders.csv customers.csv customer=id      a key of two names
  hs joins a.xlsx#Jan b.xlsx#Feb id year --how inner
  hs joins orders.csv lines.csv id --validate 1:m    orders may have many lines
  hs joins orders.csv paid.csv id --how anti -o unpaid.csv"
    )]
    Joins(JoinsArgs),
    /// `hs decris`.
    #[command(
        about = catalogue::DECRIS,
        visible_alias = "describe",
        help_template = TEMPLATE,
        before_help = "Examples:
  hs decris orders.csv
  hs decris orders.csv --format json
  cat orders.csv | hs decris -"
    )]
    Decris(FileArgs),
    /// `hs verifie`.
    #[command(
        about = catalogue::VERIFIE,
        visible_alias = "check",
        help_template = TEMPLATE,
        before_help = "Examples:
  hs verifie orders.csv 'positive=amount > 0'
  hs verifie orders.csv 'unique=count(distinct id) = count(*)'
  hs verifie orders.csv 'no gaps=id IS NOT NULL' 'positive=amount > 0'
  hs verifie orders.xlsx --sheet Jan \"country IN ('FR', 'DE')\"
  hs verifie orders.csv 'paid=sum(amount) > 5' --format json"
    )]
    Verifie(VerifieArgs),
    /// `hs interroge`.
    #[command(
        about = catalogue::INTERROGE,
        visible_alias = "query",
        help_template = TEMPLATE,
        after_help = "Exit code: 0 done, 2 an error, 3 the query would be billed more than the cap\n\n\
            Environment: GOOGLE_APPLICATION_CREDENTIALS names the file with the credentials, \
            CLOUDSDK_CORE_PROJECT the project that is billed, BIGQUERY_EMULATOR_HOST another place than \
            Google's own, HEADSTART_BIGQUERY_DEADLINE the seconds in which requests that fail are sent again",
        before_help = "Examples:
  hs interroge 'SELECT name FROM d.t'               what it reads; nothing runs
  hs interroge 'SELECT name FROM d.t' --price 6.25  and what that costs
  hs interroge 'SELECT name FROM d.t' --cap '2 GB'  runs it, billed at most that
  hs interroge -f report.sql --cap '2 GB' -o report.parquet
  cat report.sql | hs interroge - --format json"
    )]
    Interroge(InterrogeArgs),
    /// `hs mcp`.
    #[command(
        about = "Give coding agents and other hosts of MCP a live IPython session as a tool",
        help_template = TEMPLATE,
        after_help = "Environment: HEADSTART_PYTHON is the Python that runs the kernel, after --python\n\n\
            It is no sandbox: code runs with your permissions. See docs/mcp.md.",
        before_help = "A host starts it. Most take this in their configuration:
  {\"mcpServers\": {\"headstart\": {\"command\": \"hs\", \"args\": [\"mcp\"]}}}

Or on the command line:
  claude mcp add headstart -- hs mcp
  codex mcp add headstart -- hs mcp"
    )]
    Mcp(McpArgs),
    /// `hs ipython`.
    #[command(
        about = "A console on a session of IPython that stays: start it, or attach to it",
        help_template = TEMPLATE,
        after_help = "Leaving the console, with exit or Ctrl-D, never ends the session: hs kernel release does",
        before_help = "Examples:
  hs ipython                           the session main
  hs ipython work --cwd ~/data"
    )]
    Ipython(IpythonArgs),
    /// `hs kernel`.
    #[command(
        about = "Sessions of IPython that stay: start, run, list, release; what they run on",
        help_template = TEMPLATE,
        arg_required_else_help = true,
        before_help = "Examples:
  hs kernel start work
  hs kernel run -s work 'x = 41; x + 1'
  hs kernel list
  hs kernel search -s work groupby
  hs kernel release work"
    )]
    Kernel(KernelArgs),
    /// `hs completions`.
    #[command(
        about = "Print what makes a shell complete commands, options, columns and sheets",
        help_template = TEMPLATE,
        before_help = "Examples:
  hs completions bash > ~/.local/share/bash-completion/completions/hs
  hs completions zsh > ~/.zfunc/_hs        a folder of your fpath
  hs completions fish > ~/.config/fish/completions/hs.fish
  source <(hs completions bash)            in this shell only"
    )]
    Completions(CompletionsArgs),
    /// `hs man`.
    #[command(
        about = "Print a manual page, or write all of them",
        help_template = TEMPLATE,
        before_help = "Examples:
  hs man | man -l -
  hs man combien | man -l -
  hs man --out ~/.local/share/man/man1     then: man hs-combien"
    )]
    Man(ManArgs),
    /// `hs doctor`.
    #[command(
        about = "Say what is installed, what is missing, and how to mend that",
        help_template = TEMPLATE,
        after_help = "A line begins with ok, or with -- where something is missing or not set; only what uses it needs it",
        before_help = "Examples:
  hs doctor
  hs doctor --format json"
    )]
    Doctor,
}

/// Options of `hs interroge`.
#[derive(Debug, Args)]
pub struct InterrogeArgs {
    /// The query in GoogleSQL; `-` reads it from standard input
    #[arg(value_name = "SQL", required_unless_present = "file")]
    pub sql: Option<String>,
    /// Read the query from a file
    #[arg(short, long, value_name = "FILE", conflicts_with = "sql")]
    pub file: Option<PathBuf>,
    /// Run the query, billed at most so much: bytes, or text such as "20 GB" or "1.5 TiB"
    #[arg(long, value_name = "BYTES", allow_hyphen_values = true)]
    pub cap: Option<String>,
    /// Say what it costs, at so many US dollars for a TiB
    #[arg(long, value_name = "USD", allow_negative_numbers = true)]
    pub price: Option<f64>,
}

/// Options of `hs mcp`.
#[derive(Debug, Args)]
pub struct McpArgs {
    /// How the kernel is run.
    #[command(flatten)]
    pub launch: LaunchArgs,
}

/// Options of `hs charge`.
#[derive(Debug, Args)]
pub struct ChargeArgs {
    /// The file.
    #[command(flatten)]
    pub file: FileArgs,
    /// Instead of the data: what the file is, and why each column has its type
    #[arg(long)]
    pub explain: bool,
}

/// Options of `hs sauve`.
#[derive(Debug, Args)]
pub struct SauveArgs {
    /// The file to read, then the file to write: csv, tsv, json, jsonl, parquet, arrow or xlsx by
    /// its extension, text also packed (.gz, .zst). Or a workbook to write, then its sheets
    #[arg(value_name = "FILE", required = true, num_args = 2..)]
    pub files: Vec<OsString>,
    /// Name of the sheet in the workbook that is written [default: Sheet1]
    #[arg(long, value_name = "NAME")]
    pub sheet: Option<String>,
    /// Refuse to replace a file that is there
    #[arg(long)]
    pub no_overwrite: bool,
    /// How to read.
    #[command(flatten)]
    pub read: ReadArgs,
}

/// Options of `hs montre`.
#[derive(Debug, Args)]
pub struct MontreArgs {
    /// The file.
    #[command(flatten)]
    pub file: FileArgs,
    /// Rows to show, half from the head and half from the tail
    #[arg(short, value_name = "N", allow_negative_numbers = true, value_parser = number,
        default_value_t = MontreOptions::default().n)]
    pub n: usize,
}

/// Options of `hs verifie`.
#[derive(Debug, Args)]
pub struct VerifieArgs {
    /// The file; `-` is standard input, FILE#SHEET a sheet of a workbook. Several files that match a
    /// quoted pattern are stacked by column name
    #[arg(value_name = "FILE")]
    pub file: OsString,
    /// What must hold: a condition in SQL on the columns, with a name before it and = between, or
    /// alone. It must hold on every row, or, with count, sum, min, max or avg, for the whole file
    #[arg(value_name = "NAME=CONDITION", required = true)]
    pub checks: Vec<String>,
    /// Part of a workbook: a sheet by name or by position from 0 (negative from the end), a table or
    /// defined name, or a range such as Jan!A1:F90
    #[arg(long, allow_hyphen_values = true, value_name = "NAME")]
    pub sheet: Option<String>,
    /// How to read it.
    #[command(flatten)]
    pub read: ReadArgs,
}

/// Options of `hs combien`.
#[derive(Debug, Args)]
pub struct CombienArgs {
    /// The file; `-` is standard input, FILE#SHEET a sheet of a workbook. Files that match a quoted
    /// pattern are stacked by column name
    #[arg(value_name = "FILE")]
    pub file: OsString,
    /// The column whose values are counted; of several, their combinations
    #[arg(value_name = "KEY", required = true)]
    pub key: Vec<String>,
    /// Groups to give, the most common first: a number, or all
    #[arg(short, value_name = "N", allow_negative_numbers = true,
        default_value_t = Most(CombienOptions::default().n))]
    pub n: Most,
    /// How to read it.
    #[command(flatten)]
    pub part: PartArgs,
}

/// Options of `hs compare`.
#[derive(Debug, Args)]
pub struct CompareArgs {
    /// The first file; `-` is standard input, FILE#SHEET a sheet of a workbook
    #[arg(value_name = "A")]
    pub a: OsString,
    /// The second file
    #[arg(value_name = "B")]
    pub b: OsString,
    /// The columns that tell which rows belong together; no two rows of a file have the same
    #[arg(value_name = "KEY", required = true)]
    pub key: Vec<String>,
    /// Numbers are the same when they differ by at most this, for all columns of numbers or for one;
    /// repeat it for more columns
    #[arg(
        long,
        value_name = "NUMBER|COLUMN=NUMBER",
        allow_negative_numbers = true
    )]
    pub tol: Vec<String>,
    /// The same as a share of the value in B, added to --tol
    #[arg(
        long,
        value_name = "NUMBER|COLUMN=NUMBER",
        allow_negative_numbers = true
    )]
    pub rtol: Vec<String>,
    /// Leave out these columns
    #[arg(long, value_delimiter = ',', value_name = "X,Y")]
    pub ignore: Vec<String>,
    /// Compare only these columns
    #[arg(long, value_delimiter = ',', value_name = "X,Y")]
    pub only: Option<Vec<String>>,
    /// How to read both.
    #[command(flatten)]
    pub part: PartArgs,
}

/// Options of `hs joins`.
#[derive(Debug, Args)]
pub struct JoinsArgs {
    /// The left file, a; `-` is standard input, FILE#SHEET a sheet of a workbook
    #[arg(value_name = "A")]
    pub left: OsString,
    /// The right file, b
    #[arg(value_name = "B")]
    pub right: OsString,
    /// A column that both have, or LEFT=RIGHT for a column of each; several make one key
    #[arg(value_name = "KEY", required = true, num_args = 1..)]
    pub keys: Vec<String>,
    /// Rows to keep: left, inner, right, outer, semi (rows of a with a match) or anti (those without)
    #[arg(long, value_name = "HOW", default_value = JoinsOptions::default().how.word())]
    pub how: String,
    /// On which sides each key must be unique: 1:1, 1:m, m:1 or m:m; without it rows of a that multiply
    /// are an error
    #[arg(long, value_name = "SIDES")]
    pub validate: Option<String>,
    /// What columns of one name get behind it, in a and in b
    #[arg(long, value_name = "A,B", allow_hyphen_values = true, default_value_t = suffixes())]
    pub suffixes: String,
    /// Missing keys match missing keys
    #[arg(long)]
    pub match_missing: bool,
    /// How to read both files.
    #[command(flatten)]
    pub part: PartArgs,
}

/// A number of groups, or `all`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Most(pub Option<usize>);

impl fmt::Display for Most {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(most) => write!(out, "{most}"),
            None => out.write_str("all"),
        }
    }
}

impl FromStr for Most {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "all" => Ok(Self(None)),
            text => number(text)
                .map(|most| Self(Some(most)))
                .map_err(|_| "expected a whole number, 0 or more, or all"),
        }
    }
}

/// The default suffixes as one word.
fn suffixes() -> String {
    let (left, right) = JoinsOptions::default().suffixes;
    [left, right].map(Option::unwrap_or_default).join(",")
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        super::Arguments::command().debug_assert();
    }
}
