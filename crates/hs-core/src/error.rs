//! The crate's only error: what went wrong, where, and how to mend it.
//!
//! Foreign errors are turned into [`Error`] in the file that calls the foreign crate, nowhere else.

use std::fmt;

use crate::fix::{self, Face, Fix};

/// What kind of thing went wrong. Small and closed: every layer maps it with one exhaustive table
/// (to an exit code in the shell, to an exception class in Python).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// The input, or the folder of an output, is not there.
    Missing,
    /// A file is there that may not be replaced.
    Exists,
    /// The operating system refused to read or write.
    Io,
    /// The content is not what its format promises: broken, cut, encrypted, or no data at all.
    Format,
    /// A sheet, table or range that the workbook does not have.
    Sheet,
    /// A column that the frame does not have.
    Column,
    /// An argument that makes no sense.
    Argument,
    /// A value or column of a type that the operation does not take.
    Type,
    /// Keys that repeat where they must not, so that a join would multiply rows.
    Merge,
    /// What says who asks is missing, is not understood, or was not accepted.
    Credentials,
    /// A query that the service refused or that failed there.
    Query,
    /// A service that does not answer, or not in a way that can be understood.
    Service,
    /// A query that would cost more than its cap.
    Cap,
    /// The caller asked to stop.
    Interrupted,
    /// A fault in headstart itself.
    Internal,
}

impl ErrorKind {
    /// The word for this kind in machine-readable output.
    pub fn word(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::Exists => "exists",
            Self::Io => "io",
            Self::Format => "format",
            Self::Sheet => "sheet",
            Self::Column => "column",
            Self::Argument => "argument",
            Self::Type => "type",
            Self::Merge => "merge",
            Self::Credentials => "credentials",
            Self::Query => "query",
            Self::Service => "service",
            Self::Cap => "cap",
            Self::Interrupted => "interrupted",
            Self::Internal => "internal",
        }
    }
}

/// Where something is, counted as the user's own program counts: lines and rows from 1,
/// columns by name or by the sheet's letters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// File name as the user gave it.
    pub source: Option<String>,
    /// Sheet of a workbook, or the path inside a document.
    pub sheet: Option<String>,
    /// Line of a text file or row of a sheet, from 1.
    pub row: Option<u64>,
    /// Column name, or letters in a sheet.
    pub column: Option<String>,
    /// Byte offset from 0, for formats without lines.
    pub byte: Option<u64>,
}

impl Place {
    /// A place that is only a source.
    pub fn source(name: impl Into<String>) -> Self {
        Self {
            source: Some(name.into()),
            ..Self::default()
        }
    }

    /// The same place, at a line or row (from 1).
    #[must_use]
    pub fn row(mut self, row: u64) -> Self {
        self.row = Some(row);
        self
    }

    /// The same place, in a column.
    #[must_use]
    pub fn column(mut self, column: impl Into<String>) -> Self {
        self.column = Some(column.into());
        self
    }

    /// The same place, in a sheet.
    #[must_use]
    pub fn sheet(mut self, sheet: impl Into<String>) -> Self {
        self.sheet = Some(sheet.into());
        self
    }

    /// The same place, at a byte (from 0).
    #[must_use]
    pub fn byte(mut self, byte: u64) -> Self {
        self.byte = Some(byte);
        self
    }

    /// True when nothing is known.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl fmt::Display for Place {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts: Vec<String> = Vec::new();
        parts.extend(self.source.clone());
        parts.extend(self.sheet.as_ref().map(|sheet| format!("sheet {sheet:?}")));
        let row = if self.sheet.is_some() { "row" } else { "line" };
        parts.extend(self.row.map(|number| format!("{row} {number}")));
        parts.extend(
            self.column
                .as_ref()
                .map(|column| format!("column {column:?}")),
        );
        parts.extend(self.byte.map(|byte| format!("byte {byte}")));
        out.write_str(&parts.join(", "))
    }
}

/// The one error of this crate.
///
/// ```
/// use hs_core::{Error, ErrorKind, Place};
/// let error = Error::new(ErrorKind::Format, "expected a value, found `]`")
///     .at(Place::source("a.json").row(3))
///     .hint("remove the trailing comma");
/// assert_eq!(
///     error.to_string(),
///     "a.json, line 3: expected a value, found `]`\nhint: remove the trailing comma"
/// );
/// ```
#[derive(Debug)]
pub struct Error(Box<Inner>);

#[derive(Debug)]
struct Inner {
    kind: ErrorKind,
    message: String,
    place: Place,
    hint: Option<String>,
    fixes: Vec<Fix>,
    figures: Vec<(&'static str, u64)>,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    /// An error without a place yet. The message says what was expected before what was found.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self(Box::new(Inner {
            kind,
            message: message.into(),
            place: Place::default(),
            hint: None,
            fixes: Vec::new(),
            figures: Vec::new(),
            source: None,
        }))
    }

    /// Sets the place; what the new place leaves open keeps its old value.
    #[must_use]
    pub fn at(mut self, place: Place) -> Self {
        let old = std::mem::take(&mut self.0.place);
        self.0.place = Place {
            source: place.source.or(old.source),
            sheet: place.sheet.or(old.sheet),
            row: place.row.or(old.row),
            column: place.column.or(old.column),
            byte: place.byte.or(old.byte),
        };
        self
    }

    /// Names the source if no name is known yet.
    #[must_use]
    pub fn in_source(mut self, name: &str) -> Self {
        self.0.place.source.get_or_insert_with(|| name.to_owned());
        self
    }

    /// Sets the fix, as code where possible.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.0.hint = Some(hint.into());
        self
    }

    /// Sets another hint behind the one that there may be.
    #[must_use]
    pub fn also(self, hint: &str) -> Self {
        let hint = match self.hint_text() {
            Some(first) => format!("{first}; {hint}"),
            None => hint.to_owned(),
        };
        self.hint(hint)
    }

    /// Says that the hint (or the message) holds this option, so that each face can write it its way.
    #[must_use]
    pub fn fix(mut self, fix: Fix) -> Self {
        self.0.fixes.push(fix);
        self
    }

    /// Keeps a figure of the message by its name, for programs.
    #[must_use]
    pub fn figure(mut self, name: &'static str, value: u64) -> Self {
        self.0.figures.push((name, value));
        self
    }

    /// Puts words before the message.
    #[must_use]
    pub fn prefixed(mut self, lead: &str) -> Self {
        self.0.message.insert_str(0, lead);
        self
    }

    /// Keeps the foreign error that caused this one.
    #[must_use]
    pub fn because(mut self, source: impl std::error::Error + Send + Sync + 'static) -> Self {
        self.0.source = Some(Box::new(source));
        self
    }

    /// What kind of error this is.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The message alone, without place and hint.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The figures that programs may ask for, by name.
    pub fn figures(&self) -> &[(&'static str, u64)] {
        &self.0.figures
    }

    /// Where it happened.
    pub fn place(&self) -> &Place {
        &self.0.place
    }

    /// The whole text, with options as the face writes them.
    pub fn told(&self, face: Face) -> String {
        fix::told(&self.to_string(), &self.0.fixes, face)
    }

    /// How to mend it.
    pub fn hint_text(&self) -> Option<&str> {
        self.0.hint.as_deref()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.0.place.is_empty() {
            write!(out, "{}: ", self.0.place)?;
        }
        out.write_str(&self.0.message)?;
        if let Some(hint) = &self.0.hint {
            write!(out, "\nhint: {hint}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source.as_deref().map(|source| source as _)
    }
}

/// Result with this crate's error.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A value from a file for an error message: quoted, control characters escaped, cut at 60 characters.
pub fn quoted(value: &str) -> String {
    const SHOWN: usize = 60;
    match value.char_indices().nth(SHOWN) {
        Some((cut, _)) => format!(
            "{:?}... ({} characters)",
            &value[..cut],
            value.chars().count()
        ),
        None => format!("{value:?}"),
    }
}

/// The up to three candidates closest to `wanted`, for "did you mean" hints.
///
/// Distance is Damerau-Levenshtein on lower-case text; a candidate counts when at most a third of
/// its letters differ, or when one contains the other.
pub fn close_names<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let wanted = wanted.to_lowercase();
    let mut scored: Vec<(usize, &str)> = names
        .into_iter()
        .filter_map(|name| {
            let lower = name.to_lowercase();
            let distance = edit_distance(&wanted, &lower);
            let near = distance * 3 <= lower.chars().count().max(wanted.chars().count());
            let inside = wanted.chars().count() >= 3 && lower.contains(&wanted)
                || lower.chars().count() >= 3 && wanted.contains(&lower);
            (near || inside).then_some((distance, name))
        })
        .collect();
    scored.sort_by_key(|(distance, _)| *distance);
    scored.into_iter().take(3).map(|(_, name)| name).collect()
}

/// The question which of the names was meant; none where no name is close.
pub fn did_you_mean<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let close: Vec<String> = close_names(wanted, names)
        .into_iter()
        .map(|name| format!("{name:?}"))
        .collect();
    (!close.is_empty()).then(|| format!("did you mean {}?", close.join(" or ")))
}

fn edit_distance(left: &str, right: &str) -> usize {
    // Names are short; a cut keeps a hostile name from costing quadratic time.
    let left: Vec<char> = left.chars().take(64).collect();
    let right: Vec<char> = right.chars().take(64).collect();
    let mut before: Vec<usize> = Vec::new();
    let mut previous: Vec<usize> = (0..=right.len()).collect();
    for i in 1..=left.len() {
        let mut current = vec![i; right.len() + 1];
        for j in 1..=right.len() {
            let cost = usize::from(left[i - 1] != right[j - 1]);
            let mut best = (previous[j] + 1)
                .min(current[j - 1] + 1)
                .min(previous[j - 1] + cost);
            if i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1] {
                best = best.min(before[j - 2] + 1);
            }
            current[j] = best;
        }
        before = std::mem::replace(&mut previous, current);
    }
    previous[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn close_names_finds_swaps_and_parts() {
        let names = ["amount", "customer_id", "city"];
        assert_eq!(close_names("amuont", names), ["amount"]);
        assert_eq!(close_names("customer", names), ["customer_id"]);
        assert!(close_names("zzz", names).is_empty());
        let asked = did_you_mean("citty", names);
        assert_eq!(asked.as_deref(), Some("did you mean \"city\"?"));
        assert_eq!(did_you_mean("zzz", names), None);
    }

    #[test]
    fn a_later_place_fills_in_an_earlier_one() {
        let error = Error::new(ErrorKind::Format, "bad").at(Place::default().row(2));
        let error = error.in_source("a.csv").in_source("b.csv");
        assert_eq!(error.to_string(), "a.csv, line 2: bad");
    }
}
