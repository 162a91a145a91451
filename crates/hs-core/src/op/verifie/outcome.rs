//! What came of the checks: lines for people, a table for programs.

use polars::prelude::{NamedFrom, Series};

use super::evaluate::{Tally, Trouble};
use crate::error::{Place, Result};
use crate::note::{Note, Topic};
use crate::op::montre::cell;
use crate::table::{ColumnInfo, Kind, Table};
use crate::text;

/// What came of one check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Its name.
    pub name: String,
    /// Whether it holds.
    pub holds: bool,
    /// Rows for which it does not, missing values included; none for a check without rows.
    pub failed: Option<u64>,
    /// Why it does not hold, or what else there is to say.
    pub reason: Option<String>,
}

/// What came of all checks.
#[derive(Clone, Debug)]
pub struct Verified {
    /// One for each check, in order.
    pub outcomes: Vec<Outcome>,
    /// Divisions by zero and the like.
    pub notes: Vec<Note>,
}

impl Verified {
    /// How many checks failed.
    pub fn failures(&self) -> usize {
        self.outcomes
            .iter()
            .filter(|outcome| !outcome.holds)
            .count()
    }

    /// `ok name` or `FAIL name: reason`, a line for each check.
    pub fn lines(&self) -> Vec<String> {
        let lines = self.outcomes.iter().map(|outcome| {
            let word = if outcome.holds { "ok" } else { "FAIL" };
            // A name with a line end would be two lines.
            let name = cell::name(&outcome.name, 120);
            match &outcome.reason {
                Some(reason) => format!("{word} {name}: {reason}"),
                None => format!("{word} {name}"),
            }
        });
        lines.collect()
    }

    /// `2 of 3 checks failed`.
    pub fn summary(&self) -> String {
        let of = text::counted(self.outcomes.len() as u64, "check");
        format!("{} of {of} failed", text::count(self.failures() as u64))
    }

    /// The columns `check`, `ok`, `failed` (rows; missing for a check of the whole table) and `reason`.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Internal`] when the columns do not fit together.
    pub fn table(&self) -> Result<Table> {
        let outcomes = &self.outcomes;
        let names: Vec<&str> = outcomes
            .iter()
            .map(|outcome| outcome.name.as_str())
            .collect();
        let holds: Vec<bool> = outcomes.iter().map(|outcome| outcome.holds).collect();
        let failed: Vec<Option<i64>> = outcomes
            .iter()
            .map(|outcome| outcome.failed.map(|rows| rows as i64))
            .collect();
        let reasons: Vec<Option<&str>> = outcomes
            .iter()
            .map(|outcome| outcome.reason.as_deref())
            .collect();
        let columns = [
            ("check", Kind::Text, Series::new("".into(), names)),
            ("ok", Kind::Bool, Series::new("".into(), holds)),
            ("failed", Kind::Int, Series::new("".into(), failed)),
            ("reason", Kind::Text, Series::new("".into(), reasons)),
        ];
        let columns = columns.map(|(name, kind, series)| {
            let name = name.to_owned();
            (ColumnInfo { name, kind }, series.into())
        });
        let mut table = Table::from_columns(outcomes.len(), columns)?;
        table.notes.clone_from(&self.notes);
        Ok(table)
    }
}

/// What was odd while a check ran.
pub fn trouble_notes(name: &str, trouble: &Trouble) -> Vec<Note> {
    let told = |tally: Tally, one: &str, many: &str| {
        if tally.count == 0 {
            return None;
        }
        let what = if tally.count == 1 {
            format!("one {one} is null")
        } else {
            format!("{} {many} are null", text::count(tally.count))
        };
        let place = tally.first.map_or_else(String::new, |row| {
            format!(" (first: row {})", text::count(row as u64))
        });
        let name = cell::name(name, 60);
        let note = Note::new(Topic::Result, format!("check {name}: {what}{place}"));
        Some(note.counted(tally.count, Place::default()))
    };
    let zero = told(trouble.zero, "division by zero", "divisions by zero");
    let beyond = told(
        trouble.overflow,
        "number beyond 38 digits",
        "numbers beyond 38 digits",
    );
    zero.into_iter().chain(beyond).collect()
}
