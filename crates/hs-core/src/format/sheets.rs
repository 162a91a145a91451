//! The tables of all sheets of a workbook. It reads nothing.

use crate::fix::Face;
use crate::note::Note;
use crate::table::Table;

/// Lines that are shown at most.
const LINES: usize = 6;

/// A sheet with its table.
#[derive(Clone, Debug)]
pub struct Sheet {
    /// The sheet's name.
    pub name: String,
    /// It is hidden or very hidden.
    pub hidden: bool,
    /// Its table.
    pub table: Table,
}

/// The tables of a workbook.
#[derive(Clone, Debug)]
pub struct Sheets {
    /// The file's name as the user gave it.
    pub name: String,
    /// Each sheet with a table, in the order of the tabs.
    pub sheets: Vec<Sheet>,
    /// What there is to say about the workbook, most important first. The tables have their own notes.
    pub notes: Vec<Note>,
}

impl Sheets {
    /// The notes on the workbook as lines for the user, each with the file's name in front; at most six.
    pub fn account_for(&self, face: Face) -> Vec<String> {
        let lines = self.notes.iter().map(|note| note.line(&self.name, face));
        let mut lines: Vec<String> = lines.collect();
        let hidden = lines.len().saturating_sub(LINES);
        if hidden > 0 {
            lines.truncate(LINES - 1);
            lines.push(format!("{}: and {} more notes", self.name, hidden + 1));
        }
        lines
    }
}
