//! `hs combien`: count the values of a column, or the combinations of several.

use hs_core::fields::with_fields;
use hs_core::op::combien::{CombienOptions, combien};
use hs_core::op::named;
use hs_core::{Control, Error, Table};

use crate::args::{CombienArgs, ReadArgs};
use crate::exit::Failure;
use crate::input;
use crate::output::{Answer, Output};

/// Runs the command.
///
/// # Errors
/// Whatever keeps the file from being loaded or counted.
pub fn run(args: &CombienArgs, control: &Control, output: &Output) -> Result<(), Failure> {
    let table = match keys_alone(args, control) {
        Some(table) => table,
        None => with_fields(input::table(
            &args.file,
            args.part.sheet.as_deref(),
            &args.part.read,
            control,
        )?)?,
    };
    let infos = table.columns().iter();
    let names: Vec<&str> = infos.map(|info| info.name.as_str()).collect();
    let keys = named::columns(&names, &args.key, "key")
        .map_err(|error| apart(error, &names, &args.key).in_source(&table.origin.name))?;
    let options = CombienOptions { n: args.n.0 };
    let mut result = combien(&table, &keys, options, control)?.table;
    let share = result.columns().last().map(|info| info.name.clone());
    input::retell(&mut result, [table]);
    output.give(&Answer::Result {
        table: &result,
        shares: &[share.as_deref().unwrap_or_default()],
    })
}

/// The columns of the key, which is all that is counted, from a file that can be read again: where it goes wrong, the whole
/// says why.
fn keys_alone(args: &CombienArgs, control: &Control) -> Option<Table> {
    let read = &args.part.read;
    let again = args.file != "-" && read.columns.is_none();
    let columns = again.then(|| args.key.clone());
    let read = ReadArgs {
        columns: Some(columns?),
        ..read.clone()
    };
    input::table(&args.file, args.part.sheet.as_deref(), &read, control).ok()
}

/// The error, with the way to name several columns where one argument names them with commas between.
fn apart(error: Error, names: &[&str], keys: &[String]) -> Error {
    let several = keys.iter().find(|key| {
        let known = |part: &str| names.contains(&part);
        key.contains(',') && !known(key) && key.split(',').all(|part| known(part.trim()))
    });
    match several {
        Some(key) => {
            let parts: Vec<&str> = key.split(',').map(str::trim).collect();
            error.hint(format!("several columns stand apart: {}", parts.join(" ")))
        }
        None => error,
    }
}
