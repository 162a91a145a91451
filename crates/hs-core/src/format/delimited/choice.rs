//! What is wanted of each column before anything is known of its values: to be decided, to be text
//! because its type is given, or nothing because it is not asked for. It looks at names only.

use std::sync::atomic::AtomicU8;

use super::types::{ColumnType, Seen};
use crate::error::Result;
use crate::format::ReadOptions;
use crate::table::unknown_column;

/// What is wanted of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// The type that its values have.
    Decide,
    /// Its exact text; the type is given.
    Text,
    /// Nothing.
    Skip,
}

/// The choices for all columns, and what chunks tell each other while they are typed.
pub struct Plan {
    /// One for each column.
    pub choices: Vec<Choice>,
    /// The type that chunks so far had, for each column.
    pub hints: Vec<AtomicU8>,
    /// True when columns whose type is not decided are looked at all the same, for what they tell
    /// about the habit of the file: a decimal comma in one says what `1.200` is in another.
    pub evidence: bool,
}

impl Plan {
    /// For columns of these names, in a file whose delimiter is not the comma or is.
    ///
    /// # Errors
    /// [`ErrorKind::Column`](crate::ErrorKind::Column) when a wanted column is not there.
    pub fn new(names: &[String], comma_free: bool, options: &ReadOptions) -> Result<Self> {
        let known: std::collections::HashSet<&str> = names.iter().map(String::as_str).collect();
        let only = options.only.as_ref();
        if let Some(missing) = only
            .into_iter()
            .flatten()
            .find(|name| !known.contains(name.as_str()))
        {
            return Err(unknown_column(missing, names.iter().map(String::as_str)));
        }
        let only: Option<std::collections::HashSet<&str>> =
            only.map(|only| only.iter().map(String::as_str).collect());
        let choice = |name: &String| match &only {
            Some(only) if !only.contains(name.as_str()) => Choice::Skip,
            _ if options.types.of(name).is_some() => Choice::Text,
            _ => Choice::Decide,
        };
        let choices: Vec<Choice> = names.iter().map(choice).collect();
        Ok(Self {
            evidence: comma_free && choices.contains(&Choice::Decide),
            hints: names.iter().map(|_| AtomicU8::new(u8::MAX)).collect(),
            choices,
        })
    }

    /// The types of the columns as far as they are chosen.
    pub fn choose(&self, kinds: &mut [ColumnType]) {
        for (kind, choice) in kinds.iter_mut().zip(&self.choices) {
            match choice {
                Choice::Decide => {}
                Choice::Text => *kind = ColumnType::Text,
                Choice::Skip => *kind = ColumnType::Empty,
            }
        }
    }

    /// What was seen of the columns that are decided; of the others nothing that would be told.
    pub fn untold(&self, seen: &mut [Seen]) {
        for (seen, choice) in seen.iter_mut().zip(&self.choices) {
            match choice {
                Choice::Decide => {}
                Choice::Text => *seen = Seen::TEXT,
                Choice::Skip => *seen = Seen::NOTHING,
            }
        }
    }
}
