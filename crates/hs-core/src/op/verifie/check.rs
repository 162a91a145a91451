//! What the user wrote: `name=condition`, or a condition alone.

use super::compile::{Compiled, compile};
use super::tree::What;
use crate::error::{Error, ErrorKind, Place, Result};
use crate::table::Table;

/// A check that was read.
#[derive(Debug)]
pub struct Check {
    /// Its name; the condition itself where it has none.
    pub name: String,
    /// What must hold.
    pub condition: Compiled,
}

/// Reads a check. `=` parts a name from its condition and also compares: a text is a condition
/// alone where it is one as a whole and what stands behind `=` is none, or looks at nothing.
///
/// # Errors
/// As [`compile`], with the name of the check; [`ErrorKind::Argument`] when both readings make sense.
pub fn read(table: &Table, written: &str) -> Result<Check> {
    let found = read_named(table, written);
    match (found, written.split_once(':')) {
        (Err(error), Some((name, text))) if compile(table, text).is_ok() => {
            Err(error.hint(format!("'{}={}'", name.trim(), text.trim())))
        }
        (found, _) => found,
    }
}

fn read_named(table: &Table, written: &str) -> Result<Check> {
    let whole = compile(table, written);
    let Some(mark) = name_mark(written) else {
        return named(table, written.trim(), whole);
    };
    let (name, text) = (written[..mark].trim(), &written[mark + 1..]);
    let part = compile(table, text);
    match (part, whole) {
        (Ok(part), Ok(whole)) => {
            if looks_at_nothing(&part) {
                return named(table, written.trim(), Ok(whole));
            }
            let message = format!(
                "expected one meaning, found two: a check called {name:?}, that {} holds, or the \
                 condition {}",
                text.trim(),
                written.trim()
            );
            let hint = format!("write '{name} holds={text}' or '({written})'");
            let error = Error::new(ErrorKind::Argument, message).hint(hint);
            named(table, written.trim(), Err(error))
        }
        (Ok(part), Err(_)) => named(table, name, Ok(part)),
        (Err(_), Ok(whole)) => named(table, written.trim(), Ok(whole)),
        (Err(part), Err(whole)) => {
            // `amuont = 5` is meant as a whole: 5 alone is no condition.
            let alone = part
                .message()
                .starts_with("expected a condition, true or false");
            let column = table.columns().iter().any(|column| column.name == name);
            if alone || column {
                return named(table, written.trim(), Err(whole));
            }
            named(table, name, Err(part))
        }
    }
}

fn named(table: &Table, name: &str, condition: Result<Compiled>) -> Result<Check> {
    match condition {
        Ok(condition) => Ok(Check {
            name: name.to_owned(),
            condition,
        }),
        Err(error) => {
            let lead = match name.chars().nth(60) {
                Some(_) => name.chars().take(60).chain("...".chars()).collect(),
                None => name.to_owned(),
            };
            let error = error.prefixed(&format!("check {lead:?}: "));
            Err(if table.origin.name.is_empty() {
                error
            } else {
                error.at(Place::source(&table.origin.name))
            })
        }
    }
}

/// Where the name ends: the first `=` that is no part of `<=`, `>=`, `!=` or `==`.
fn name_mark(written: &str) -> Option<usize> {
    let bytes = written.as_bytes();
    let mark = bytes.iter().position(|byte| *byte == b'=')?;
    let before = written[..mark].trim_end().bytes().next_back();
    let compares = matches!(bytes.get(mark + 1), Some(b'=' | b'>'))
        || matches!(bytes[..mark].last(), Some(b'<' | b'>' | b'!'));
    (!compares && before.is_some()).then_some(mark)
}

/// True for a condition that is the same whatever the table holds.
fn looks_at_nothing(condition: &Compiled) -> bool {
    condition.columns.is_empty()
        && condition.aggregates.is_empty()
        && !matches!(condition.node.what, What::Aggregate(_))
}
