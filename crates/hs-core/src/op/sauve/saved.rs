//! What was saved, as lines and as a table.

use polars::prelude::{Column, DataFrame};

use crate::error::{Error, ErrorKind, Result};
use crate::fix::Face;
use crate::note::{self, Note};
use crate::table::Table;
use crate::text;

/// What was saved, and what there is to say of it.
#[derive(Clone, Debug)]
pub struct Saved {
    /// The file as it was named.
    pub name: String,
    /// Name (none for the only one), rows and columns of each table.
    pub tables: Vec<(Option<String>, usize, usize)>,
    /// Size of the file.
    pub bytes: u64,
    /// What the format could not carry.
    pub notes: Vec<Note>,
}

impl Saved {
    /// The lines for the user: what was saved, then the notes; at most six.
    pub fn account(&self, face: Face) -> Vec<String> {
        const LINES: usize = 6;
        let bytes = text::counted(self.bytes, "byte");
        let what = match self.tables.as_slice() {
            [] => String::new(),
            [(None, rows, columns)] => {
                let rows = text::counted(*rows as u64, "row");
                format!("{rows} x {}, ", text::counted(*columns as u64, "column"))
            }
            sheets => {
                const NAMED: usize = 6;
                let mut named: Vec<String> = sheets
                    .iter()
                    .take(NAMED)
                    .map(|(name, rows, columns)| {
                        let name = name.as_deref().unwrap_or_default();
                        let rows = text::count(*rows as u64);
                        format!("{name:?} ({rows} x {})", text::count(*columns as u64))
                    })
                    .collect();
                if sheets.len() > NAMED {
                    named.push("...".to_owned());
                }
                let count = text::counted(sheets.len() as u64, "sheet");
                format!("{count}, {}, ", named.join(", "))
            }
        };
        let first = format!("{}: {what}{bytes}", self.name);
        let mut lines = vec![first];
        lines.extend(note::lines(&self.notes, &self.name, face));
        if lines.len() > LINES {
            let hidden = lines.len() - LINES + 1;
            lines.truncate(LINES - 1);
            lines.push(format!("{}: and {hidden} more notes", self.name));
        }
        lines
    }

    /// The same as a table: a row for each table that was saved.
    ///
    /// # Errors
    /// Never: the columns are of one height.
    pub fn table(&self) -> Result<Table> {
        let sheets = self.tables.iter().any(|(name, ..)| name.is_some());
        let number = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
        let height = self.tables.len().max(1);
        let bytes = i64::try_from(self.bytes).unwrap_or(i64::MAX);
        let mut columns = vec![Column::new("file".into(), vec![self.name.as_str(); height])];
        if sheets {
            let names = self.tables.iter().map(|(name, ..)| name.as_deref());
            columns.push(Column::new("sheet".into(), names.collect::<Vec<_>>()));
        }
        if !self.tables.is_empty() {
            let rows = self.tables.iter().map(|(_, rows, _)| number(*rows));
            columns.push(Column::new("rows".into(), rows.collect::<Vec<_>>()));
            let widths = self.tables.iter().map(|(.., columns)| number(*columns));
            columns.push(Column::new("columns".into(), widths.collect::<Vec<_>>()));
        }
        columns.push(Column::new("bytes".into(), vec![bytes; height]));
        let frame = DataFrame::new(height, columns).map_err(|error| {
            Error::new(ErrorKind::Internal, "columns of different heights").because(error)
        })?;
        let mut table = Table::new(frame);
        table.origin.name.clone_from(&self.name);
        table.notes.clone_from(&self.notes);
        Ok(table)
    }
}
