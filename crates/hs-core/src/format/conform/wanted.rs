//! The type that a user wants a column to have, and its form in writing: `text`, `date:%d/%m/%Y`,
//! `float:1.234,56`. It reads the wish; it never looks at a value.

use std::collections::BTreeMap;
use std::fmt;

use super::marks::Marks;
use super::pattern::{Pattern, Scope};
use crate::error::{Error, ErrorKind, Result, close_names, quoted};
use crate::table::{Kind, unknown_column};

/// The words of all types.
pub const WORDS: [&str; 8] = [
    "text", "int", "float", "bool", "date", "datetime", "time", "decimal",
];
/// What other programs call them, for hints.
const OTHERS: [(&str, &str); 16] = [
    ("str", "text"),
    ("string", "text"),
    ("object", "text"),
    ("varchar", "text"),
    ("integer", "int"),
    ("int32", "int"),
    ("int64", "int"),
    ("bigint", "int"),
    ("float64", "float"),
    ("double", "float"),
    ("number", "float"),
    ("real", "float"),
    ("boolean", "bool"),
    ("timestamp", "datetime"),
    ("datetime64", "datetime"),
    ("numeric", "decimal"),
];

/// The types that the user wants.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Types {
    /// None: every column is what its values say.
    #[default]
    Decided,
    /// One for all columns.
    All(Wanted),
    /// Some columns, by name.
    Columns(BTreeMap<String, Wanted>),
}

impl Types {
    /// The type wanted for a column.
    pub fn of(&self, column: &str) -> Option<&Wanted> {
        match self {
            Self::Decided => None,
            Self::All(wanted) => Some(wanted),
            Self::Columns(columns) => columns.get(column),
        }
    }

    /// Reads pairs of column and type.
    ///
    /// # Errors
    /// [`ErrorKind::Argument`] for an unknown type or a column that is named twice.
    pub fn parse_columns<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Self> {
        let mut columns = BTreeMap::new();
        for (column, wanted) in pairs {
            let wanted = Wanted::parse(wanted)?;
            let message = format!("types: column {column:?} has two types: {wanted}");
            if let Some(before) = columns.insert(column.to_owned(), wanted) {
                return Err(
                    Error::new(ErrorKind::Argument, format!("{message} and {before}"))
                        .hint("leave out one of them"),
                );
            }
        }
        Ok(Self::Columns(columns))
    }

    /// Refuses a type for a column that is not there.
    ///
    /// # Errors
    /// [`ErrorKind::Column`] with the close names.
    pub fn check<'a>(&self, names: impl IntoIterator<Item = &'a str> + Clone) -> Result<()> {
        let Self::Columns(columns) = self else {
            return Ok(());
        };
        let known: std::collections::HashSet<&str> = names.clone().into_iter().collect();
        match columns
            .keys()
            .find(|column| !known.contains(column.as_str()))
        {
            None => Ok(()),
            Some(column) => Err(unknown_column(column, names)),
        }
    }
}

/// A wanted type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    written: String,
    /// The type and how its values are written.
    pub form: Form,
}

/// A type, and how its values are written where that is not the usual way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Form {
    /// Text as it stands.
    Text,
    /// Whole numbers.
    Int(Option<Marks>),
    /// Floating-point numbers.
    Float(Option<Marks>),
    /// Exact decimals.
    Decimal(Option<Marks>),
    /// True or false.
    Bool,
    /// Days.
    Date(Option<Pattern>),
    /// Points in time.
    Datetime(Option<Pattern>),
    /// Times of day.
    Time(Option<Pattern>),
}

impl Wanted {
    /// The words for types, as they are listed.
    pub const WORDS: [&str; WORDS.len()] = WORDS;

    /// Reads a type: a word, for some of them with `:` and a pattern or an example.
    ///
    /// # Errors
    /// [`ErrorKind::Argument`] for an unknown type (lists them), a pattern with an unknown directive
    /// or an example that shows no marks.
    pub fn parse(written: &str) -> Result<Self> {
        let (word, how) = match written.split_once(':') {
            Some((word, how)) => (word, Some(how)),
            None => (written, None),
        };
        let marks = |whole: bool| {
            how.map(|example| {
                Marks::of_example(example, whole).ok_or_else(|| not_an_example(word, example))
            })
            .transpose()
        };
        let pattern = |scope: Scope| {
            how.map(|pattern| {
                Pattern::parse(pattern, scope).map_err(|reason| {
                    let message = format!(
                        "types: expected a pattern behind {word}:, found {}",
                        quoted(pattern)
                    );
                    Error::new(ErrorKind::Argument, message).hint(reason)
                })
            })
            .transpose()
        };
        let form = match word {
            "text" => Form::Text,
            "bool" => Form::Bool,
            "int" => Form::Int(marks(true)?),
            "float" => Form::Float(marks(false)?),
            "decimal" => Form::Decimal(marks(false)?),
            "date" => Form::Date(pattern(Scope::Date)?),
            "datetime" => Form::Datetime(pattern(Scope::Datetime)?),
            "time" => Form::Time(pattern(Scope::Time)?),
            _ => return Err(unknown(written, word)),
        };
        if how.is_some() && matches!(form, Form::Text | Form::Bool) {
            let message = format!("types: expected {word} alone, found {}", quoted(written));
            let hint =
                "patterns go with date, datetime and time, examples with int, float and decimal";
            return Err(Error::new(ErrorKind::Argument, message).hint(hint));
        }
        let written = written.to_owned();
        Ok(Self { written, form })
    }

    /// The kind of a column of this type.
    pub fn kind(&self) -> Kind {
        match self.form {
            Form::Text => Kind::Text,
            Form::Int(_) => Kind::Int,
            Form::Float(_) => Kind::Float,
            Form::Decimal(_) => Kind::Decimal,
            Form::Bool => Kind::Bool,
            Form::Date(_) => Kind::Date,
            Form::Datetime(_) => Kind::Datetime,
            Form::Time(_) => Kind::Time,
        }
    }

    /// The marks of its numbers.
    pub fn marks(&self) -> Option<Marks> {
        match self.form {
            Form::Int(marks) | Form::Float(marks) | Form::Decimal(marks) => marks,
            _ => None,
        }
    }

    /// The same type without its way of writing: for values that were not text in the file.
    #[must_use]
    pub fn plain(&self) -> Self {
        let form = match self.form {
            Form::Int(_) => Form::Int(None),
            Form::Float(_) => Form::Float(None),
            Form::Decimal(_) => Form::Decimal(None),
            Form::Date(_) => Form::Date(None),
            Form::Datetime(_) => Form::Datetime(None),
            Form::Time(_) => Form::Time(None),
            Form::Text => Form::Text,
            Form::Bool => Form::Bool,
        };
        let written = self.written.clone();
        Self { written, form }
    }
}

impl fmt::Display for Wanted {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.written)
    }
}

fn unknown(written: &str, word: &str) -> Error {
    let message = format!("types: expected a type, found {}", quoted(written));
    let lower = word.to_lowercase();
    let other = OTHERS.iter().find(|(other, _)| *other == lower);
    let close = match other {
        Some((_, ours)) => vec![*ours],
        None => close_names(word, WORDS),
    };
    let lead = match close.first() {
        Some(close) => format!("did you mean {close}? "),
        None => String::new(),
    };
    Error::new(ErrorKind::Argument, message).hint(format!(
        "{lead}the types are {}; also date:%d/%m/%Y, float:1.234,56 and the like",
        WORDS.join(", ")
    ))
}

fn not_an_example(word: &str, example: &str) -> Error {
    let message = format!(
        "types: expected behind {word}: an example that shows its marks, found {}",
        quoted(example)
    );
    let hint = if word == "int" {
        "int:1.234 or int:1 234 shows the mark between thousands"
    } else {
        "the last mark is the one before decimals, the other stands between thousands: float:1.234,56, float:1 234.5, float:0,5"
    };
    Error::new(ErrorKind::Argument, message)
        .hint(hint.replace("float", if word == "int" { "float" } else { word }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_patterns_and_examples() -> Result<()> {
        for word in WORDS {
            assert_eq!(Wanted::parse(word)?.kind().word(), word);
        }
        assert_eq!(Wanted::parse("date:%d/%m/%Y")?.to_string(), "date:%d/%m/%Y");
        assert_eq!(
            Wanted::parse("datetime:%d/%m/%Y %H:%M")?.kind(),
            Kind::Datetime
        );
        assert!(Wanted::parse("float:1.234,56")?.marks().is_some());
        Ok(())
    }

    #[test]
    fn a_wrong_type_is_told_the_right_ones() {
        let told = |written: &str| Wanted::parse(written).expect_err(written).to_string();
        let list = "the types are text, int, float, bool, date, datetime, time, decimal";
        assert!(told("string").contains(&format!("did you mean text? {list}")));
        assert!(told("Float").contains("did you mean float?"));
        assert!(told("wibble").contains(&format!("hint: {list}")));
        assert!(told("float:12").contains("found \"12\"\nhint: the last mark"));
        assert!(told("decimal:12").contains("decimal:1.234,56"));
        assert!(told("date:%d").contains("found \"%d\"\nhint: it must tell"));
        assert!(told("text:%d").contains("expected text alone"));
    }

    #[test]
    fn columns_are_checked() -> Result<()> {
        let types = Types::parse_columns([("zip", "text"), ("d", "date")])?;
        assert_eq!(types.of("zip").map(Wanted::kind), Some(Kind::Text));
        assert_eq!(types.of("n"), None);
        assert!(types.check(["d", "n", "zip"]).is_ok());
        let error = types.check(["d", "zipp"]).expect_err("no zip");
        assert_eq!(
            error.to_string(),
            "no column \"zip\"\nhint: did you mean \"zipp\"?"
        );
        assert!(Types::parse_columns([("d", "text"), ("d", "date")]).is_err());
        Ok(())
    }
}
