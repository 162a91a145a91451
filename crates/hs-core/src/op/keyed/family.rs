//! What forms are values of, in so far as no value of one family equals one of another: whether two columns have anything
//! in common, and the word for what a column of forms holds. Compares no values.

use polars::prelude::{BinaryChunked, DataType};

use super::form::{END, TAG};

/// What a form is a value of, as far as no other form of another one equals it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family<'a> {
    /// Numbers.
    Number,
    /// Text.
    Text,
    /// True and false.
    Bool,
    /// Lists.
    List,
    /// Objects with fields.
    Object,
    /// What the tag says.
    Tagged(&'a str),
}

impl<'a> Family<'a> {
    /// That of a form.
    pub fn of(form: &'a [u8]) -> Self {
        match form.first() {
            Some(b'"') => Self::Text,
            Some(b't' | b'f') => Self::Bool,
            Some(b'[') => Self::List,
            Some(b'{') => Self::Object,
            Some(first) if char::from(*first) == TAG => {
                let end = form.iter().position(|byte| char::from(*byte) == END);
                let tag = form.get(1..end.unwrap_or(form.len())).unwrap_or_default();
                Self::Tagged(std::str::from_utf8(tag).unwrap_or_default())
            }
            _ => Self::Number,
        }
    }

    /// That of all values of a type.
    pub fn of_type(dtype: &DataType) -> Self {
        match dtype {
            DataType::Boolean => Self::Bool,
            DataType::Binary | DataType::BinaryOffset => Self::Tagged("bytes"),
            DataType::Date | DataType::Datetime(_, None) => Self::Tagged("datetime"),
            DataType::Datetime(_, Some(_)) => Self::Tagged("datetime with offset"),
            DataType::Time => Self::Tagged("time"),
            DataType::Duration(_) => Self::Tagged("duration"),
            DataType::List(_) | DataType::Array(..) => Self::List,
            DataType::Struct(_) => Self::Object,
            DataType::Decimal(..) => Self::Number,
            dtype if dtype.is_primitive_numeric() => Self::Number,
            _ => Self::Text,
        }
    }

    /// The word for users; classes without their module.
    fn word(self) -> &'a str {
        match self {
            Self::Number => "number",
            Self::Text => "text",
            Self::Bool => "bool",
            Self::List => "list",
            Self::Object => "struct",
            Self::Tagged(class) => class.rsplit('.').next().unwrap_or(class),
        }
    }
}

/// The families among forms, each once.
pub fn families(forms: &BinaryChunked) -> Vec<Family<'_>> {
    let mut found: Vec<Family<'_>> = Vec::new();
    for form in forms.iter().flatten() {
        let family = Family::of(form);
        if found.last() != Some(&family) && !found.contains(&family) {
            found.push(family);
        }
    }
    found
}

/// What a column of forms holds, in a word.
pub fn word(forms: &BinaryChunked) -> &str {
    match families(forms).as_slice() {
        [Family::Number] => {
            let broken =
                |form: &[u8]| form.contains(&b'i') || form.windows(2).any(|two| two == b"e-");
            if forms.iter().flatten().any(broken) {
                "float"
            } else {
                "int"
            }
        }
        [one] => one.word(),
        _ => "mixed",
    }
}
