//! The option that mends something, as each face writes it: `types={"d": "text"}` in Python,
//! `--types d=text` in the shell.
//!
//! Texts of notes and errors hold the Python form, so that they are whole by themselves; a face
//! with another form puts its own in place of it. Nothing here knows what an option does.

use std::fmt;

/// Who reads a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Face {
    /// A Python session.
    Python,
    /// The shell.
    Shell,
}

/// An option with its value, or to be left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    option: &'static str,
    value: Given,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Given {
    Nothing,
    Off,
    On,
    Text(String),
    Number(usize),
    Pair(String, String),
}

impl Fix {
    /// The option by its name alone: `at=`, `--at`.
    pub fn option(option: &'static str) -> Self {
        let value = Given::Nothing;
        Self { option, value }
    }

    /// The option switched off: `overwrite=False`, `--no-overwrite`.
    pub fn off(option: &'static str) -> Self {
        let value = Given::Off;
        Self { option, value }
    }

    /// The option switched on: `match_missing=True`, `--match-missing`.
    pub fn on(option: &'static str) -> Self {
        let value = Given::On;
        Self { option, value }
    }

    /// The option with a text: `at="data.items"`, `--at data.items`.
    pub fn text(option: &'static str, value: impl Into<String>) -> Self {
        let value = Given::Text(value.into());
        Self { option, value }
    }

    /// The option with a number: `header=3`, `--header 3`.
    pub fn number(option: &'static str, value: usize) -> Self {
        let value = Given::Number(value);
        Self { option, value }
    }

    /// A type for a column: `types={"d": "text"}`, `--types d=text`.
    pub fn types(column: &str, wanted: impl Into<String>) -> Self {
        Self {
            option: "types",
            value: Given::Pair(column.to_owned(), wanted.into()),
        }
    }

    /// As the face writes it.
    pub fn written(&self, face: Face) -> String {
        let option = self.option;
        match (face, &self.value) {
            (Face::Python, Given::Nothing) => format!("{option}="),
            (Face::Python, Given::Off) => format!("{option}=False"),
            (Face::Python, Given::On) => format!("{option}=True"),
            (Face::Python, Given::Text(text)) => format!("{option}={}", literal(text)),
            (Face::Python, Given::Number(number)) => format!("{option}={number}"),
            (Face::Python, Given::Pair(left, right)) => {
                format!("{option}={{{}: {}}}", literal(left), literal(right))
            }
            (Face::Shell, Given::Nothing) => format!("--{option}"),
            (Face::Shell, Given::Off) => format!("--no-{option}"),
            (Face::Shell, Given::On) => format!("--{}", option.replace('_', "-")),
            (Face::Shell, Given::Text(text)) => format!("--{option} {}", word(text)),
            (Face::Shell, Given::Number(number)) => format!("--{option} {number}"),
            (Face::Shell, Given::Pair(left, right)) => {
                format!("--{option} {}", word(&format!("{left}={right}")))
            }
        }
    }
}

impl fmt::Display for Fix {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.written(Face::Python))
    }
}

/// A text that holds these fixes in their Python form, as the face writes them.
pub fn told(text: &str, fixes: &[Fix], face: Face) -> String {
    if face == Face::Python {
        return text.to_owned();
    }
    fixes.iter().fold(text.to_owned(), |text, fix| {
        text.replace(&fix.written(Face::Python), &fix.written(face))
    })
}

/// A text as a Python literal.
fn literal(text: &str) -> String {
    let mut out = String::from("\"");
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            control if control.is_control() && control < '\u{80}' => {
                out.push_str(&format!("\\x{:02x}", control as u32));
            }
            other => out.push(other),
        }
    }
    out.push('"');
    out
}

/// A text as one word of a shell.
fn word(text: &str) -> String {
    let plain = |character: char| {
        character.is_alphanumeric()
            || matches!(
                character,
                '_' | '%' | '=' | ':' | ',' | '.' | '/' | '-' | '@' | '+'
            )
    };
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_face_has_its_own_form() {
        let both = |fix: Fix| (fix.written(Face::Python), fix.written(Face::Shell));
        let pair = |left: &str, right: &str| (left.to_owned(), right.to_owned());
        assert_eq!(both(Fix::option("at")), pair("at=", "--at"));
        assert_eq!(
            both(Fix::off("overwrite")),
            pair("overwrite=False", "--no-overwrite")
        );
        assert_eq!(
            both(Fix::on("match_missing")),
            pair("match_missing=True", "--match-missing")
        );
        assert_eq!(
            both(Fix::number("header", 3)),
            pair("header=3", "--header 3")
        );
        assert_eq!(
            both(Fix::text("at", "a.it's \"x\"")),
            pair(r#"at="a.it's \"x\"""#, r#"--at 'a.it'\''s "x"'"#)
        );
        assert_eq!(
            both(Fix::types("d", "date:%d/%m/%Y")),
            pair(r#"types={"d": "date:%d/%m/%Y"}"#, "--types d=date:%d/%m/%Y")
        );
        assert_eq!(
            both(Fix::types("my d", "float:1 234,5")),
            pair(
                r#"types={"my d": "float:1 234,5"}"#,
                "--types 'my d=float:1 234,5'"
            )
        );
    }

    #[test]
    fn a_face_takes_only_the_options_out_of_a_text() {
        let fix = Fix::text("at", "rows");
        let text = format!("lists of objects at rows: {fix}");
        assert_eq!(told(&text, &[], Face::Shell), text);
        let shell = told(&text, &[fix], Face::Shell);
        assert_eq!(shell, "lists of objects at rows: --at rows");
    }
}
