//! What there is to say about a saved workbook: values that a cell holds in another form than the frame.

use std::collections::BTreeMap;

use crate::error::Place;
use crate::note::{Note, Topic};
use crate::text;

/// How many columns a line names.
const SHOWN: usize = 3;

/// What can happen to a value, most important first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Told {
    /// No cell can hold it.
    Infinite,
    /// Digits beyond the microsecond are lost.
    Cut,
    /// The nearest serial number reads back as another microsecond.
    Rounded,
    /// A whole number that Excel would round, kept as text.
    LongInt,
    /// A decimal that Excel would round, kept as text.
    LongDecimal,
    /// A point in time with a zone, kept as text.
    Zoned,
    /// A day that Excel does not know, kept as text.
    NoDay,
    /// A list or object, kept as JSON text.
    Nested,
    /// A length of time below zero, which Excel keeps but does not show.
    Negative,
}

impl Told {
    /// What it is (one, and what stands behind the plural), and what was done.
    fn words(self) -> (&'static str, &'static str, &'static str) {
        let long = " of more than 15 digits";
        let text = "saved as text, which keeps every digit";
        match self {
            Self::Infinite => ("infinite number", "", "saved as empty cells"),
            Self::Cut => ("time", " finer than a microsecond", "cut to microseconds"),
            Self::Rounded => (
                "time",
                " finer than Excel's serial numbers",
                "off by some microseconds",
            ),
            Self::LongInt => ("whole number", long, text),
            Self::LongDecimal => ("decimal", long, text),
            Self::Zoned => ("datetime", " with a zone", "saved as ISO text with offset"),
            Self::NoDay => (
                "date",
                " outside 1900-03-01 to 9999-12-31",
                "saved as ISO text",
            ),
            Self::Nested => ("nested value", "", "saved as JSON text"),
            Self::Negative => (
                "negative duration",
                "",
                "saved, but Excel shows #### in place of it",
            ),
        }
    }
}

/// Values of one sort in one column: how many, and the first.
#[derive(Clone, Debug)]
struct Tally {
    count: u64,
    row: u64,
    value: String,
}

/// What happened to the values of one column.
#[derive(Clone, Debug, Default)]
pub struct Seen(BTreeMap<Told, Tally>);

impl Seen {
    /// Counts a value; `row` counts from 0.
    pub fn add(&mut self, told: Told, row: usize, value: impl FnOnce() -> String) {
        let tally = self.0.entry(told).or_insert_with(|| Tally {
            count: 0,
            row: row as u64 + 1,
            value: value(),
        });
        tally.count += 1;
    }

    /// True when there was nothing.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Without the values of other sorts.
    #[must_use]
    pub fn only(mut self, told: Told) -> Self {
        self.0.retain(|other, _| *other == told);
        self
    }

    /// True when there was a value of this sort.
    pub fn has(&self, told: Told) -> bool {
        self.0.contains_key(&told)
    }
}

#[derive(Debug, Default)]
struct Total {
    count: u64,
    columns: Vec<String>,
    place: Place,
    value: String,
}

/// Everything there is to say.
#[derive(Debug, Default)]
pub struct Account {
    totals: BTreeMap<Told, Total>,
    /// Columns without a name, and what they are called on the sheet.
    unnamed: Vec<String>,
    /// Sheets whose last rows are blank, and how many.
    blank: Vec<(String, u64)>,
}

impl Account {
    /// Takes over what happened to a column.
    pub fn take(&mut self, sheet: &str, column: &str, seen: Seen) {
        for (told, tally) in seen.0 {
            let total = self.totals.entry(told).or_default();
            if total.count == 0 {
                total.place = Place::default().sheet(sheet).row(tally.row).column(column);
                total.value = tally.value;
            }
            total.count += tally.count;
            total.columns.push(column.to_owned());
        }
    }

    /// A column without a name is called `name` on the sheet.
    pub fn unnamed(&mut self, name: &str) {
        self.unnamed.push(name.to_owned());
    }

    /// The last `rows` rows of a sheet are blank.
    pub fn blank(&mut self, sheet: &str, rows: usize) {
        if rows > 0 {
            self.blank.push((sheet.to_owned(), rows as u64));
        }
    }

    /// The notes, most important first.
    pub fn notes(self) -> Vec<Note> {
        let mut notes: Vec<Note> = self.totals.into_iter().map(note).collect();
        if !self.unnamed.is_empty() {
            let count = self.unnamed.len() as u64;
            let columns = text::counted(count, "column");
            let line = format!("named {columns} without a name: {}", listed(&self.unnamed));
            notes.push(Note::new(Topic::Names, line).counted(count, Place::default()));
        }
        if let Some((sheet, _)) = self.blank.first() {
            let count = self.blank.iter().map(|(_, rows)| rows).sum();
            let rows = text::counted(count, "blank row");
            let line = format!("{rows} at the end: readers of workbooks leave such rows out");
            let place = Place::default().sheet(sheet);
            notes.push(Note::new(Topic::Rows, line).counted(count, place));
        }
        notes
    }
}

fn note((told, total): (Told, Total)) -> Note {
    let (noun, which, done) = told.words();
    let values = text::counted(total.count, noun);
    let word = if total.columns.len() == 1 {
        "column"
    } else {
        "columns"
    };
    let columns = listed(&total.columns);
    let row = text::count(total.place.row.unwrap_or_default());
    let value = match total.value.as_str() {
        "" => String::new(),
        value => format!(", {value}"),
    };
    let line = format!("{values}{which} in {word} {columns}: {done} (first: row {row}{value})");
    Note::new(Topic::Types, line).counted(total.count, total.place)
}

fn listed(names: &[String]) -> String {
    let shown: Vec<String> = names
        .iter()
        .take(SHOWN)
        .map(|name| format!("{name:?}"))
        .collect();
    let more = match names.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{}{more}", shown.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_counts_the_values_of_all_columns() {
        let mut account = Account::default();
        for column in ["id", "ref"] {
            let mut seen = Seen::default();
            seen.add(Told::LongInt, 4, || "1234567890123456789".into());
            seen.add(Told::LongInt, 9, String::new);
            seen.add(Told::Infinite, 0, || "inf".into());
            account.take("Sheet1", column, seen);
        }
        account.blank("Sheet1", 2);
        let notes = account.notes();
        let lines: Vec<&str> = notes.iter().map(|note| note.text.as_str()).collect();
        assert_eq!(
            lines,
            [
                "2 infinite numbers in columns \"id\", \"ref\": saved as empty cells (first: row 1, inf)",
                "4 whole numbers of more than 15 digits in columns \"id\", \"ref\": saved as text, which keeps every digit (first: row 5, 1234567890123456789)",
                "2 blank rows at the end: readers of workbooks leave such rows out",
            ]
        );
        assert_eq!(notes[1].count, Some(4));
        assert_eq!(notes[1].place.row, Some(5));
    }
}
