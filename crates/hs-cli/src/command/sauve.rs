//! `hs sauve`: a file in another format, or several as the sheets of a workbook.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use hs_core::op::sauve::{Data, SauveOptions, Target, sauve};
use hs_core::{Control, Error, ErrorKind, Face, Format, Loaded, Result, Table};

use crate::args::SauveArgs;
use crate::exit::Failure;
use crate::output::{Output, named};
use crate::{document, input};

/// Runs the command.
///
/// # Errors
/// Whatever keeps the files from being loaded or saved.
pub fn run(args: &SauveArgs, control: &Control, output: &Output) -> Result<(), Failure> {
    output.refuse_path()?;
    let options = SauveOptions {
        sheet: args.sheet.clone(),
        overwrite: !args.no_overwrite,
    };
    if let Some((out, sheets)) = workbook(&args.files) {
        let mut tables: Vec<(String, Table)> = Vec::with_capacity(sheets.len());
        for (name, file) in sheets {
            tables.push((name, input::table(&file, None, &args.read, control)?));
        }
        let sheets: Vec<(String, &Table)> = tables
            .iter()
            .map(|(name, table)| (name.clone(), table))
            .collect();
        let saved = sauve(Path::new(out), Data::Sheets(&sheets), &options, control)?;
        let lines = tables
            .iter()
            .flat_map(|(_, table)| table.account_for(Face::Shell));
        return output.saved(lines.collect(), &saved);
    }
    let [file, out] = args.files.as_slice() else {
        return Err(too_many().into());
    };
    // Before a large file is read.
    let target = Target::of(Path::new(out))?;
    if is_same(file, out) {
        output.tell(&format!(
            "{}: the file to read is the file to write: it is replaced",
            Path::new(out).display()
        ));
    }
    match load(file, args, control)? {
        Loaded::Table(table) => {
            let saved = sauve(Path::new(out), Data::Table(&table), &options, control)?;
            output.saved(table.account_for(Face::Shell), &saved)
        }
        Loaded::Sheets(sheets) => {
            let saved = sauve(
                Path::new(out),
                Data::Sheets(&named(&sheets)),
                &options,
                control,
            )?;
            output.saved(sheets.account_for(Face::Shell), &saved)
        }
        Loaded::Value(value) if target.format != Format::Json => {
            let name = input::name(std::slice::from_ref(file));
            Err(document::not_a_table(&name, &value).into())
        }
        Loaded::Value(value) => {
            let saved = sauve(Path::new(out), Data::Value(&value), &options, control)?;
            output.saved(Vec::new(), &saved)
        }
    }
}

/// Whether both name one file that is there.
fn is_same(file: &OsStr, out: &OsStr) -> bool {
    let real = |name: &OsStr| Path::new(name).canonicalize().ok();
    real(file).is_some_and(|file| real(out) == Some(file))
}

/// The workbook and its sheets, where the arguments say so: `OUT.xlsx NAME=FILE ...`. What stands
/// before the `=` is no name of a sheet if it is part of a path.
fn workbook(files: &[OsString]) -> Option<(&OsStr, Vec<(String, OsString)>)> {
    let (out, sheets) = files.split_first()?;
    let extension = Path::new(out).extension()?;
    if !extension.eq_ignore_ascii_case("xlsx") {
        return None;
    }
    let pair = |argument: &OsString| {
        let (name, file) = argument.to_str()?.split_once('=')?;
        // A folder of a partition: `hs sauve orders.xlsx year=2024/orders.parquet` writes into it.
        let folder = Path::new(argument).parent();
        let in_folder =
            folder.is_some_and(|folder| !folder.as_os_str().is_empty() && folder.is_dir());
        (!name.contains(['/', '\\']) && !in_folder).then(|| (name.to_owned(), OsString::from(file)))
    };
    let sheets: Option<Vec<(String, OsString)>> = sheets.iter().map(pair).collect();
    Some((out, sheets?))
}

fn load(file: &OsString, args: &SauveArgs, control: &Control) -> Result<Loaded> {
    input::load_from(std::slice::from_ref(file), None, &args.read, control)
}

fn too_many() -> Error {
    let message = "expected a file to read and a file to write, found more";
    Error::new(ErrorKind::Argument, message).hint(
        "quote a pattern to stack files: hs sauve '2026-*.csv' 2026.parquet; \
         sheets of a workbook: hs sauve year.xlsx Jan=jan.csv Feb=feb.csv",
    )
}
