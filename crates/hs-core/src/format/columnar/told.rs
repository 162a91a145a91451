//! What writers of Arrow data have to tell of columns by their kind.

use crate::error::Place;
use crate::note::{Note, Topic};
use crate::table::{Kind, Table};

/// Columns that are named in one line.
const NAMED: usize = 4;

/// A note that names the columns of a kind, if there are any.
pub fn of_kind(table: &Table, kind: Kind, told: &str) -> Option<Note> {
    let columns = table.columns().iter().filter(|info| info.kind == kind);
    let names: Vec<String> = columns.map(|info| format!("{:?}", info.name)).collect();
    let count = names.len();
    let mut shown = names.get(..NAMED.min(count)).unwrap_or_default().join(", ");
    if count > NAMED {
        shown += &format!(" and {} more", count - NAMED);
    }
    (count > 0).then(|| {
        let text = format!("{told}: {shown}");
        Note::new(Topic::Types, text).counted(count as u64, Place::default())
    })
}

/// A note on columns whose values are of several kinds, which are stored as JSON text.
pub fn mixed_as_text(table: &Table) -> Option<Note> {
    of_kind(
        table,
        Kind::Mixed,
        "values of several kinds are written as JSON text",
    )
}
