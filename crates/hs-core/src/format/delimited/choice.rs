//! What is wanted of each column before anything is known of its values: to be decided, to be text
//! because its type is given, or nothing because it is not asked for. It looks at names only.

use std::sync::atomic::AtomicU8;

use super::texts::TextLayout;
use super::types::{ColumnType, Seen};
use crate::error::Result;
use crate::format::{ReadOptions, Wanted};
use crate::table::{Kind, unknown_column};

/// What is wanted of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// The type that its values have.
    Decide,
    /// Its exact text, as the user says.
    Text,
    /// Its exact text, which is then turned into the type that the user gives.
    Source,
    /// Nothing.
    Skip,
}

impl Choice {
    /// How the text of such a column is to lie: what is turned into another type is read as views.
    pub fn layout(self, wanted: TextLayout) -> TextLayout {
        match self {
            Self::Source => TextLayout::Views,
            Self::Decide | Self::Text | Self::Skip => wanted,
        }
    }
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
        let missing = only
            .into_iter()
            .flatten()
            .find(|name| !known.contains(name.as_str()));
        if let (Some(missing), false) = (missing, options.some_lack) {
            return Err(unknown_column(missing, names.iter().map(String::as_str)));
        }
        if only.is_some() && !options.some_lack {
            // What is not asked for is left out, so nobody can look these names up later.
            options.types.check(names.iter().map(String::as_str))?;
        }
        let only: Option<std::collections::HashSet<&str>> =
            only.map(|only| only.iter().map(String::as_str).collect());
        let choice = |name: &String| match &only {
            Some(only) if !only.contains(name.as_str()) => Choice::Skip,
            _ => match options.types.of(name).map(Wanted::kind) {
                None => Choice::Decide,
                Some(Kind::Text) => Choice::Text,
                Some(_) => Choice::Source,
            },
        };
        let choices: Vec<Choice> = names.iter().map(choice).collect();
        Ok(Self {
            evidence: comma_free && choices.contains(&Choice::Decide),
            hints: names.iter().map(|_| AtomicU8::new(u8::MAX)).collect(),
            choices,
        })
    }

    /// How the text of each column is to lie.
    pub fn layouts(&self, wanted: TextLayout) -> Vec<TextLayout> {
        let choices = self.choices.iter();
        choices.map(|choice| choice.layout(wanted)).collect()
    }

    /// The types of the columns as far as they are chosen.
    pub fn choose(&self, kinds: &mut [ColumnType]) {
        for (kind, choice) in kinds.iter_mut().zip(&self.choices) {
            match choice {
                Choice::Decide => {}
                Choice::Text | Choice::Source => *kind = ColumnType::Text,
                Choice::Skip => *kind = ColumnType::Empty,
            }
        }
    }

    /// What was seen of the columns that are decided; of the others nothing that would be told.
    pub fn untold(&self, seen: &mut [Seen]) {
        for (seen, choice) in seen.iter_mut().zip(&self.choices) {
            match choice {
                Choice::Decide => {}
                Choice::Text | Choice::Source => *seen = Seen::TEXT,
                Choice::Skip => *seen = Seen::NOTHING,
            }
        }
    }
}
