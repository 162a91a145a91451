//! All sheets of a workbook, each as a table of its own. It stacks nothing.

use super::open::Book;
use super::part::Part;
use super::sheets::SheetInfo;
use crate::control::Control;
use crate::error::{Error, ErrorKind, Place, Result};
use crate::format::{ReadOptions, Sheet, Sheets};
use crate::note::{Note, Topic};

/// How many sheets a line names.
const LISTED: usize = 12;

/// Reads every sheet that has cells. Sheets without any, and charts, are left out and told.
///
/// # Errors
/// Those of a single sheet, with its name; [`ErrorKind::Format`] when no sheet has cells.
pub fn read(
    book: &mut dyn Book,
    list: &[SheetInfo],
    options: &ReadOptions,
    control: &Control,
) -> Result<Sheets> {
    let mut sheets = Vec::new();
    let mut left_out = Vec::new();
    for (position, info) in list.iter().enumerate() {
        if let Some(instead) = info.instead {
            left_out.push(format!("{:?} ({instead})", info.name));
            continue;
        }
        let part = Part::whole(list, position);
        match super::part_table(book, list, &part, options, control)? {
            None => left_out.push(format!("{:?} (empty)", info.name)),
            Some(table) => sheets.push(Sheet {
                name: info.name.clone(),
                hidden: info.hidden,
                table,
            }),
        }
    }
    if sheets.is_empty() {
        let message = "expected a sheet with cells, found none";
        return Err(Error::new(ErrorKind::Format, message)
            .hint("open it in the program that wrote it and look whether anything is in it"));
    }
    let notes = (!left_out.is_empty()).then(|| {
        let shown = &left_out[..left_out.len().min(LISTED)];
        let more = match left_out.len() - shown.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let line = format!("left out {}{more}", shown.join(", "));
        Note::new(Topic::Sheets, line).counted(left_out.len() as u64, Place::default())
    });
    Ok(Sheets {
        name: String::new(),
        sheets,
        notes: notes.into_iter().collect(),
    })
}
