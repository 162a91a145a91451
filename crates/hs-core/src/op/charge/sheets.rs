//! All sheets of a workbook: the wanted columns and rows of each, and what there is to say about them
//! together.

use std::collections::HashSet;

use super::notes::fold;
use super::{ChargeOptions, chosen};
use crate::error::{Place, Result};
use crate::format::{Sheet, Sheets};
use crate::note::{Note, Topic};
use crate::table::unknown_column;
use crate::text;

/// How many sheets a line names.
const LISTED: usize = 12;

/// The wanted columns and rows of every sheet. A column that a sheet lacks is not in its table; a sheet
/// that has none of them is left out, told.
///
/// # Errors
/// [`ErrorKind::Column`](crate::ErrorKind::Column) for a column that no sheet has.
pub fn chosen_of_each(mut sheets: Sheets, options: &ChargeOptions) -> Result<Sheets> {
    let name = sheets.name.clone();
    let columns = |sheet: &Sheet| -> HashSet<String> {
        let columns = sheet.table.columns().iter();
        columns.map(|column| column.name.clone()).collect()
    };
    let all: HashSet<String> = sheets.sheets.iter().flat_map(columns).collect();
    let known = options.read.types.check(all.iter().map(String::as_str));
    known.map_err(|error| error.at(Place::source(&name)))?;
    let unknown = |wanted: &&String| !all.contains(*wanted);
    if let Some(wanted) = options.columns.iter().flatten().find(unknown) {
        let mut all: Vec<&str> = all.iter().map(String::as_str).collect();
        all.sort_unstable();
        return Err(unknown_column(wanted, all).at(Place::source(&name)));
    }
    let mut without = Vec::new();
    let mut notes = Vec::new();
    for mut sheet in std::mem::take(&mut sheets.sheets) {
        let there = columns(&sheet);
        let mut options = options.clone();
        if let Some(wanted) = &mut options.columns {
            wanted.retain(|column| there.contains(column));
            if wanted.is_empty() {
                without.push(format!("{:?} (none of the columns)", sheet.name));
                continue;
            }
        }
        let of_sheet = sheet.table.notes.clone();
        notes.push((format!("{name}, sheet {:?}", sheet.name), of_sheet));
        sheet.table = chosen(sheet.table, &options, None)?;
        sheets.sheets.push(sheet);
    }
    if !without.is_empty() {
        let line = format!("left out {}", listed(&without));
        let note = Note::new(Topic::Sheets, line);
        let count = without.len() as u64;
        sheets.notes.push(note.counted(count, Place::default()));
    }
    let shown: Vec<String> = sheets.sheets.iter().map(sized).collect();
    let count = text::counted(shown.len() as u64, "sheet");
    let line = format!("{count}: {}", listed(&shown));
    sheets.notes.insert(0, Note::new(Topic::Loaded, line));
    sheets.notes.extend(fold(notes));
    Ok(sheets)
}

fn sized(sheet: &Sheet) -> String {
    let hidden = if sheet.hidden { ", hidden" } else { "" };
    let rows = text::count(sheet.table.height() as u64);
    format!(
        "{:?} ({rows} x {}{hidden})",
        sheet.name,
        sheet.table.width()
    )
}

fn listed(shown: &[String]) -> String {
    let more = match shown.len().saturating_sub(LISTED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let shown = &shown[..shown.len().min(LISTED)];
    format!("{}{more}", shown.join(", "))
}
