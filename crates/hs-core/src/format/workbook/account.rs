//! What there is to say about the cells of a table, gathered while its columns are typed.

use super::cells::{address, place};
use crate::error::Place;
use crate::note::{Note, Topic};
use crate::text;

/// How many addresses or names a line gives.
const SHOWN: usize = 3;

/// Cells of one sort: how many, and the first of them.
#[derive(Debug, Default)]
pub struct Tally {
    count: u64,
    first: Vec<String>,
    place: Place,
}

impl Tally {
    /// Counts a cell; row and column from 0. `what` is shown behind its address.
    pub fn add(&mut self, row: u32, column: u32, what: &str) {
        if self.count == 0 {
            self.place = place(row, column);
        }
        self.count += 1;
        if self.first.len() < SHOWN {
            let gap = if what.is_empty() { "" } else { " " };
            self.first
                .push(format!("{}{gap}{what}", address(row, column)));
        }
    }

    /// Adds those of a later column.
    fn absorb(&mut self, other: Self) {
        if self.count == 0 {
            self.place = other.place;
        }
        self.count += other.count;
        let room = SHOWN.saturating_sub(self.first.len());
        self.first.extend(other.first.into_iter().take(room));
    }

    fn note(self, topic: Topic, noun: &str, rest: &str) -> Option<Note> {
        if self.count == 0 {
            return None;
        }
        let more = if self.count > SHOWN as u64 {
            ", ..."
        } else {
            ""
        };
        let cells = text::counted(self.count, noun);
        let verb = rest.replace("{is}", if self.count == 1 { "is" } else { "are" });
        let line = format!("{cells} {verb} ({}{more})", self.first.join(", "));
        Some(Note::new(topic, line).counted(self.count, self.place))
    }
}

/// Everything there is to say about the cells of a table.
#[derive(Debug, Default)]
pub struct Account {
    /// Error values in columns that have a type.
    pub errors: Tally,
    /// Formulas without a stored value.
    pub formulas: Tally,
    /// Numbers with a date format that are no day.
    pub no_days: Tally,
    /// Whole numbers of more than 15 digits.
    pub long_ints: Tally,
    /// Empty texts in columns that have a type.
    pub blanks: Tally,
    /// Columns that are text because they mix: name, and what they mix.
    pub mixed: Vec<(String, String)>,
}

impl Account {
    /// Adds what there is to say about a later column.
    pub fn absorb(&mut self, other: Self) {
        self.errors.absorb(other.errors);
        self.formulas.absorb(other.formulas);
        self.no_days.absorb(other.no_days);
        self.long_ints.absorb(other.long_ints);
        self.blanks.absorb(other.blanks);
        self.mixed.extend(other.mixed);
    }

    /// The notes, most important first.
    pub fn notes(self) -> Vec<Note> {
        let mixed = self.mixed_note();
        let notes = [
            self.errors.note(Topic::Rows, "error cell", "{is} missing"),
            self.formulas.note(
                Topic::Rows,
                "formula",
                "without a stored value {is} missing, open and save it in Excel",
            ),
            self.no_days
                .note(Topic::Types, "date", "{is} missing: no such day"),
            self.long_ints.note(
                Topic::Types,
                "whole number",
                "of more than 15 digits, which Excel rounds",
            ),
            mixed,
            self.blanks.note(
                Topic::Rows,
                "empty text",
                "{is} missing in columns that are not text",
            ),
        ];
        notes.into_iter().flatten().collect()
    }

    fn mixed_note(&self) -> Option<Note> {
        let shown: Vec<String> = self
            .mixed
            .iter()
            .take(SHOWN)
            .map(|(name, what)| format!("{name:?} ({what})"))
            .collect();
        let more = match self.mixed.len().saturating_sub(SHOWN) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let word = if self.mixed.len() == 1 {
            "column is"
        } else {
            "columns are"
        };
        (!shown.is_empty()).then(|| {
            let line = format!("mixed {word} text: {}{more}", shown.join(", "));
            Note::new(Topic::Types, line).counted(self.mixed.len() as u64, Place::default())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_count_and_give_the_first_addresses() {
        let mut account = Account::default();
        account.errors.add(2, 0, "#DIV/0!");
        for row in 3..7 {
            account.formulas.add(row, 1, "");
        }
        account
            .mixed
            .push(("node".into(), "numbers and text".into()));
        let lines: Vec<String> = account.notes().into_iter().map(|note| note.text).collect();
        assert_eq!(
            lines,
            [
                "1 error cell is missing (A3 #DIV/0!)",
                "4 formulas without a stored value are missing, open and save it in Excel (B4, B5, B6, ...)",
                "mixed column is text: \"node\" (numbers and text)",
            ]
        );
    }
}
