//! The xlsx writer: tables as sheets of one workbook, streamed. It opens no file, and checks
//! everything that a workbook cannot hold before the first byte leaves.
//!
//! - [`names`]: the rules for names of sheets
//! - `plan`: one walk over all values: how each column is written, how wide it is, what is refused or told
//! - `loose`: columns whose cells are of more than one kind; `measure`: how wide a text is
//! - `words`: which texts of a column are stored once
//! - `skeleton`: every part but the cells, by rust_xlsxwriter
//! - `sheet`, `strings`: rows and shared texts as XML, in chunks; `cell`: values as the text in a cell
//! - `pack`: chunks deflated on all cores; `package`: the zip archive as a stream
//! - `account`: what there is to say

mod account;
mod cell;
mod loose;
mod measure;
pub mod names;
mod pack;
mod package;
mod plan;
mod scan;
mod scan_text;
mod sheet;
mod skeleton;
mod strings;
mod words;

#[cfg(test)]
mod tests;

use std::io::Write;

use crate::control::Control;
use crate::error::Result;
use crate::note::Note;
use crate::table::Table;

use account::Account;
use package::Package;
use plan::SheetPlan;

/// Writes a workbook with a sheet for each named table, and says what it could not carry.
///
/// The bytes depend on the tables alone: no clock, no machine, no order of threads. Beside the
/// tables, memory is needed for some chunks of rows and for the texts that are stored once.
///
/// # Errors
/// [`ErrorKind::Argument`](crate::ErrorKind::Argument) for a name that no sheet can have, and for a table
/// or text that is too large for a sheet; [`ErrorKind::Type`](crate::ErrorKind::Type) for bytes; all
/// of them before anything is written. Then only what `out` raises, and a stop request.
pub fn write(
    sheets: &[(String, &Table)],
    out: &mut (dyn Write + Send),
    control: &Control,
) -> Result<Vec<Note>> {
    names::check(sheets.iter().map(|(name, _)| name.as_str()))?;
    for (name, table) in sheets {
        plan::check_size(name, table)?;
    }
    let size = |table: &Table| table.frame().estimated_size() as u64;
    let size: u64 = sheets.iter().map(|(_, table)| size(table)).sum();
    control.start("measuring", size);
    let mut account = Account::default();
    let mut plans = Vec::with_capacity(sheets.len());
    for (name, table) in sheets {
        plans.push(SheetPlan::of(name, table, &mut account, control)?);
    }
    let skeleton = skeleton::build(&plans)?;
    let texts = strings::number(&mut plans, &skeleton);
    control.start("writing", size);
    let mut package = Package::new(out);
    for (name, bytes) in &skeleton.parts {
        package.part(name, bytes)?;
    }
    for (plan, frame) in plans.iter().zip(&skeleton.sheets) {
        sheet::write(plan, frame, &mut package, control)?;
    }
    if texts.any() {
        strings::write(&plans, &skeleton, &texts, &mut package, control)?;
    }
    package.finish()?;
    Ok(account.notes())
}
