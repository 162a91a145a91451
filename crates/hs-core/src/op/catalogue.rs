//! The functions as every layer presents them: name, alias, one-line summary, parameters.
//!
//! The shell's help, the Python docstrings and the docs pages say the same; the parity test
//! compares them with this.

use crate::op::charge::ChargeOptions;
use crate::op::combien::CombienOptions;
use crate::op::compare::CompareOptions;
use crate::op::joins::JoinsOptions;
use crate::op::montre::MontreOptions;
use crate::op::sauve::SauveOptions;

/// A parameter besides the data itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name in Python; in the shell `--name`.
    pub name: &'static str,
    /// Its default as Python writes it.
    pub default: String,
}

/// One function of the product.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Its name in every layer.
    pub name: &'static str,
    /// The English alias in the shell.
    pub alias: &'static str,
    /// What it does, in one line without a full stop.
    pub summary: &'static str,
    /// Its parameters, in order.
    pub parameters: Vec<Parameter>,
}

/// What charge does, in one line.
pub const CHARGE: &str =
    "Load a table from a file of any format, types decided on the whole column";
/// What sauve does, in one line.
pub const SAUVE: &str =
    "Save a table in the format of the extension, whole or not at all, losses told";
/// What montre does, in one line.
pub const MONTRE: &str =
    "Show the head and tail of a table within a fixed budget, nothing hidden silently";
/// What combien does, in one line.
pub const COMBIEN: &str =
    "Count the rows of each value, or combination of values, the most common first";
/// What compare does, in one line.
pub const COMPARE: &str =
    "Compare two tables by a key: rows on one side only, and values that differ";
/// What joins does, in one line.
pub const JOINS: &str =
    "Join two tables by keys, rows that multiply refused, what did not match told";
/// What decris does, in one line.
pub const DECRIS: &str =
    "Describe every column in one row: type, missing, distinct, top values, range";
/// What verifie does, in one line.
pub const VERIFIE: &str =
    "Check named conditions: ok or FAIL for each, one error names all that fail";
/// What interroge does, in one line.
pub const INTERROGE: &str =
    "Ask BigQuery: a dry run first, always, and never more billed than the cap";

/// All functions, in the order they are presented.
pub fn functions() -> Vec<Function> {
    // Destructured, so that a new option cannot be forgotten here.
    let ChargeOptions {
        read,
        columns,
        rows,
    } = ChargeOptions::default();
    let crate::format::ReadOptions {
        sheet,
        at,
        encoding,
        delimiter,
        header,
        types,
        // The columns that are wanted, told to the reader; and how a caller takes texts.
        only: _,
        text: _,
        some_lack: _,
        rows: _,
    } = read;
    let MontreOptions { n } = MontreOptions::default();
    let SauveOptions {
        sheet: sheet_name,
        overwrite,
    } = SauveOptions::default();
    let CombienOptions { n: most } = CombienOptions::default();
    let CompareOptions {
        tol,
        rtol,
        ignore,
        only,
    } = CompareOptions::default();
    let JoinsOptions {
        how,
        validate,
        suffixes,
        match_missing,
    } = JoinsOptions::default();
    let none = |name, given: bool| {
        debug_assert!(!given, "the default of {name} is not None");
        Parameter {
            name,
            default: "None".to_owned(),
        }
    };
    vec![
        Function {
            name: "charge",
            alias: "load",
            summary: CHARGE,
            parameters: vec![
                none("sheet", sheet != crate::format::SheetChoice::First),
                none("at", at.is_some()),
                none("types", types != crate::format::Types::Decided),
                none("columns", columns.is_some()),
                none("rows", rows.is_some()),
                none("encoding", encoding.is_some()),
                none("delimiter", delimiter.is_some()),
                none("header", header.is_some()),
            ],
        },
        Function {
            name: "sauve",
            alias: "save",
            summary: SAUVE,
            parameters: vec![
                none("sheet", sheet_name.is_some()),
                Parameter {
                    name: "overwrite",
                    default: if overwrite { "True" } else { "False" }.to_owned(),
                },
            ],
        },
        Function {
            name: "montre",
            alias: "show",
            summary: MONTRE,
            parameters: vec![Parameter {
                name: "n",
                default: n.to_string(),
            }],
        },
        Function {
            name: "combien",
            alias: "count",
            summary: COMBIEN,
            parameters: vec![Parameter {
                name: "n",
                default: most.map_or_else(|| "None".to_owned(), |most| most.to_string()),
            }],
        },
        Function {
            name: "compare",
            alias: "diff",
            summary: COMPARE,
            parameters: vec![
                none("tol", tol.is_some()),
                none("rtol", rtol.is_some()),
                Parameter {
                    name: "ignore",
                    default: format!("({})", ignore.join(", ")),
                },
                none("only", only.is_some()),
            ],
        },
        Function {
            name: "joins",
            alias: "join",
            summary: JOINS,
            parameters: vec![
                Parameter {
                    name: "how",
                    default: format!("'{}'", how.word()),
                },
                none("validate", validate.is_some()),
                Parameter {
                    name: "suffixes",
                    default: format!(
                        "('{}', '{}')",
                        suffixes.0.unwrap_or_default(),
                        suffixes.1.unwrap_or_default()
                    ),
                },
                Parameter {
                    name: "match_missing",
                    default: if match_missing { "True" } else { "False" }.to_owned(),
                },
            ],
        },
        Function {
            name: "decris",
            alias: "describe",
            summary: DECRIS,
            parameters: Vec::new(),
        },
        Function {
            name: "verifie",
            alias: "check",
            summary: VERIFIE,
            parameters: Vec::new(),
        },
        Function {
            name: "interroge",
            alias: "query",
            summary: INTERROGE,
            // Its options stand in a crate of their own.
            parameters: vec![none("cap", false), none("price", false)],
        },
    ]
}
