//! The tools as a model sees them. Every word of this is read with every request, so there are few.

use std::sync::Arc;

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};

use super::answer;

/// Runs a cell.
pub const IPYTHON: &str = "ipython";
/// Says what the session is at.
pub const STATUS: &str = "status";
/// Stops the cell that runs.
pub const INTERRUPT: &str = "interrupt";
/// Gives the session a new kernel.
pub const RESTART: &str = "restart";
/// Finds what the session did.
pub const SEARCH: &str = "search";

/// What `ipython` says of itself.
const ABOUT_IPYTHON: &str = "\
Run Python in one live IPython session. Variables, imports and the working folder stay from call to call; top-level \
await, %magics and !shell commands work. Returns output, the last expression's value or the traceback as text, and \
figures as images. Calls run one at a time, in order. Past 2,000 lines or 50 KiB only the end of the output is shown, \
and a file named in the text has all of it; past 1 MiB the cell is interrupted. input() fails. Not a sandbox: code runs \
with the user's permissions.

`hs` is imported: data functions that never lose or change a value silently. They take DataFrames (pandas, polars, \
pyarrow), records or paths.
hs.charge(path, sheet=, columns=, rows=): load csv, json, parquet, Excel, ... or a list or pattern of files, types decided on all rows
hs.sauve(path, df): save in the format of the extension
hs.montre(x, n=40): show head and tail of a table or any value within a fixed budget
hs.decris(df): describe each column: type, missing, distinct, top values, range
hs.combien(df, *columns, n=20): count rows for each value or combination
hs.compare(a, b, key, tol=): rows on one side only, and values that differ
hs.joins(a, b, key, how='left'): join; rows that multiply are refused, what did not match is told
hs.verifie({name: condition}): check; one error names all that fail
hs.interroge(sql, cap='2 GB'): query BigQuery, billed at most the cap; without cap only the cost";

/// The tools; with what `ipython` gives as an object for hosts that are given one.
pub fn tools(structured: bool) -> Vec<Tool> {
    let mut ipython = Tool::new(
        IPYTHON,
        ABOUT_IPYTHON,
        object(json!({
            "type": "object",
            "properties": {
                "code": {"type": "string", "description": "the cell"},
                "timeout_s": {"type": "number", "exclusiveMinimum": 0, "description":
                    "return after so many seconds at the latest; the cell goes on"},
                "cwd": {"type": "string", "description": "change to this folder first; it stays"},
            },
            "required": ["code"],
        })),
    )
    .with_title("Run Python")
    .with_annotations(
        ToolAnnotations::new()
            .read_only(false)
            .destructive(true)
            .idempotent(false)
            .open_world(true),
    );
    if structured {
        ipython = ipython.with_raw_output_schema(Arc::new(answer::schema()));
    }
    let status = Tool::new(
        STATUS,
        "What the session is doing: state, the cell that runs and its output so far, CPU, memory; and the results of \
         cells that went on after their timeout_s.",
        nothing(),
    )
    .with_title("Kernel status")
    .with_annotations(ToolAnnotations::new().read_only(true).open_world(false));
    let interrupt = Tool::new(
        INTERRUPT,
        "Stop the cell that runs, as Ctrl-C does; variables stay. A cell that does not stop within 3 seconds is ended with \
         its kernel; the next call has a new one, with the variables of the last checkpoint. Says which it was.",
        nothing(),
    )
    .with_title("Interrupt")
    .with_annotations(
        ToolAnnotations::new()
            .read_only(false)
            .destructive(false)
            .idempotent(true)
            .open_world(false),
    );
    let restart = Tool::new(
        RESTART,
        "End the kernel and start a new one: all variables are gone.",
        nothing(),
    )
    .with_title("Restart the kernel")
    .with_annotations(
        ToolAnnotations::new()
            .read_only(false)
            .destructive(true)
            .idempotent(true)
            .open_world(false),
    );
    let search = Tool::new(
        SEARCH,
        "Find earlier cells of this session by what stands in their code, output or errors: all words must occur, parts \
         of names count, quotes hold words together. Gives the best lines, with cell and time.",
        object(json!({
            "type": "object",
            "properties": {
                "query": {"type": "string", "description": "words; none give the newest cells"},
                "limit": {"type": "integer", "minimum": 1, "maximum": 100, "description": "10 if left out"},
            },
            "required": ["query"],
        })),
    )
    .with_title("Search the session")
    .with_annotations(ToolAnnotations::new().read_only(true).open_world(false));
    vec![ipython, status, interrupt, restart, search]
}

fn nothing() -> JsonObject {
    object(json!({"type": "object", "properties": {}}))
}

fn object(value: Value) -> JsonObject {
    match value {
        Value::Object(object) => object,
        _ => JsonObject::new(),
    }
}
