//! What an operation has to say besides its result. Notes are data; only the edges print them.

use crate::error::Place;
use crate::fix::{self, Face, Fix};

/// What a note is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Topic {
    /// What was loaded: rows, columns, sheet. Always the first note of a load.
    Loaded,
    /// Lines or rows that were left out, padded or repaired.
    Rows,
    /// Column names that were made or changed.
    Names,
    /// Delimiter, quote, header row: what a text file turned out to be.
    Dialect,
    /// Character encoding.
    Encoding,
    /// Types: why a column is text, what was rounded.
    Types,
    /// The other sheets of a workbook, or other tables of a document.
    Sheets,
    /// Anything else about the result.
    Result,
}

impl Topic {
    /// The word for this topic in machine-readable output.
    pub fn word(self) -> &'static str {
        match self {
            Self::Loaded => "loaded",
            Self::Rows => "rows",
            Self::Names => "names",
            Self::Dialect => "dialect",
            Self::Encoding => "encoding",
            Self::Types => "types",
            Self::Sheets => "sheets",
            Self::Result => "result",
        }
    }
}

/// One line for the user, with the figures behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// What the note is about.
    pub topic: Topic,
    /// The line, without a line end and without the file's name in front.
    pub text: String,
    /// How many values, rows or lines it speaks of.
    pub count: Option<u64>,
    /// The first of them.
    pub place: Place,
    /// The options that the text holds.
    pub fixes: Vec<Fix>,
}

impl Note {
    /// A note without figures.
    pub fn new(topic: Topic, text: impl Into<String>) -> Self {
        Self {
            topic,
            text: text.into(),
            count: None,
            place: Place::default(),
            fixes: Vec::new(),
        }
    }

    /// The same note, whose text holds this option.
    #[must_use]
    pub fn fix(mut self, fix: Fix) -> Self {
        self.fixes.push(fix);
        self
    }

    /// The text, with options as the face writes them.
    pub fn told(&self, face: Face) -> String {
        fix::told(&self.text, &self.fixes, face)
    }

    /// The note as a line of its own; `name` is the source when the note names none itself, as
    /// notes on several files do.
    pub fn line(&self, name: &str, face: Face) -> String {
        match self.place.source.as_deref().unwrap_or(name) {
            "" => self.told(face),
            name => format!("{name}: {}", self.told(face)),
        }
    }

    /// The same note, about `count` things of which the first is at `place`.
    #[must_use]
    pub fn counted(mut self, count: u64, place: Place) -> Self {
        self.count = Some(count);
        self.place = place;
        self
    }
}

/// The notes as lines, at most six, with the source's name in front of those that name none.
pub fn lines(notes: &[Note], name: &str, face: Face) -> Vec<String> {
    const LINES: usize = 6;
    let shown = notes.iter().take(LINES);
    let mut lines: Vec<String> = shown.map(|note| note.line(name, face)).collect();
    let hidden = notes.len().saturating_sub(LINES);
    if hidden > 0 {
        lines.truncate(LINES - 1);
        let more = format!("and {} more notes", hidden + 1);
        lines.push(Note::new(Topic::Result, more).line(name, face));
    }
    lines
}
