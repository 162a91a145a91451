//! What json and toml files hold when they are not tables: a value, where the tables inside it are,
//! and how one of them is taken out by its path.

use std::ops::Deref;

use crate::builder::RecordsBuilder;
use crate::error::{Error, ErrorKind, Result, quoted};
use crate::fix::Fix;
use crate::note::{Note, Topic};
use crate::table::Table;
use crate::text;
use crate::value::Value;

/// Paths that are listed at most.
const PATHS: usize = 20;
/// Items of a list that are searched for tables inside.
const ITEMS: usize = 20;

/// A document that is not a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// The whole value.
    pub value: Value,
    /// What there is to say about it, most important first.
    pub notes: Vec<Note>,
}

impl Document {
    /// A document with a note that names the lists of objects inside it, if there are any.
    pub fn new(value: Value, mut notes: Vec<Note>) -> Self {
        let paths = record_paths(&value);
        if let Some(first) = paths.first() {
            let fix = Fix::text("at", first);
            let text = format!("lists of objects at {}: {fix}", paths.join(", "));
            notes.insert(0, Note::new(Topic::Sheets, text).fix(fix));
        }
        Self { value, notes }
    }
}

impl Deref for Document {
    type Target = Value;

    fn deref(&self) -> &Value {
        &self.value
    }
}

/// The dotted paths of the lists of objects inside a value, such as `data.items`; a position in a
/// list (from 0) is a part, too. At most twenty, in document order; what is inside such a list is
/// not searched.
pub fn record_paths(value: &Value) -> Vec<String> {
    fn search(value: &Value, path: &str, found: &mut Vec<String>) {
        if found.len() >= PATHS {
            return;
        }
        let below = |part: &str| match path {
            "" => part.to_owned(),
            path => format!("{path}.{part}"),
        };
        match value {
            Value::List(_) if is_records(value) => {
                found.extend((!path.is_empty()).then(|| path.to_owned()));
            }
            Value::List(items) => {
                for (index, item) in items.iter().take(ITEMS).enumerate() {
                    search(item, &below(&index.to_string()), found);
                }
            }
            Value::Object(fields) => {
                for (name, field) in fields.iter().filter(|(name, _)| !name.is_empty()) {
                    search(field, &below(name), found);
                }
            }
            _ => {}
        }
    }
    let mut found = Vec::new();
    search(value, "", &mut found);
    found
}

/// True for a list with objects and nothing else.
fn is_records(value: &Value) -> bool {
    match value {
        Value::List(items) => {
            !items.is_empty() && items.iter().all(|item| matches!(item, Value::Object(_)))
        }
        _ => false,
    }
}

/// The table at a dotted path of a document; an empty list is a table without rows and columns.
///
/// # Errors
/// [`ErrorKind::Argument`] when there is no list of objects at the path; it lists where there are.
pub(super) fn table_at(document: &Value, path: &str, notes: Vec<Note>) -> Result<Table> {
    let refuse = |message: String| {
        let error = Error::new(ErrorKind::Argument, message);
        let paths = record_paths(document);
        match paths.first() {
            _ if is_records(document) => {
                let fix = Fix::option("at");
                let hint = format!("the document itself is a list of objects: leave out {fix}");
                error.hint(hint).fix(fix)
            }
            Some(first) => {
                let fix = Fix::text("at", first);
                let hint = format!("lists of objects at {}: {fix}", paths.join(", "));
                error.hint(hint).fix(fix)
            }
            None => {
                let fix = Fix::option("at");
                error
                    .hint(format!("no list of objects is inside: leave out {fix}"))
                    .fix(fix)
            }
        }
    };
    let Some(found) = find(document, path) else {
        return Err(refuse(format!(
            "expected a list of objects at {}, found {}",
            quoted(path),
            absence(document, path)
        )));
    };
    let records = match found {
        Value::List(items) if items.is_empty() || is_records(found) => items,
        other => {
            let other_item = match other {
                Value::List(items) => items
                    .iter()
                    .enumerate()
                    .find(|(_, item)| !matches!(item, Value::Object(_))),
                _ => None,
            };
            let what = match other_item {
                Some((at, item)) => format!("a list with {} at position {at}", kind_word(item)),
                None => kind_word(other).to_owned(),
            };
            return Err(refuse(format!(
                "expected a list of objects at {}, found {what}",
                quoted(path)
            )));
        }
    };
    let mut builder = RecordsBuilder::new();
    for record in records {
        builder.begin();
        if let Value::Object(fields) = record {
            for (name, value) in fields {
                builder.push(name, value);
            }
        }
        builder.end();
    }
    let mut table = builder.finish()?;
    table.notes.extend(notes);
    table.origin.part = Some(path.to_owned());
    Ok(table)
}

/// What there is instead of the path: where it ends, and the keys there.
fn absence(document: &Value, path: &str) -> String {
    const KEYS: usize = 12;
    // The longest part of the path, in whole keys, that leads somewhere.
    let ends = path
        .char_indices()
        .rev()
        .filter(|(_, letter)| *letter == '.');
    let reached = ends
        .filter_map(|(end, _)| Some((path.get(..end)?, path.get(end + 1..)?)))
        .find_map(|(front, rest)| Some((front, rest, find(document, front)?)));
    let (front, rest, value) = reached.unwrap_or(("", path, document));
    let place = match front {
        "" => String::new(),
        front => format!(" in {}", quoted(front)),
    };
    let there = match value {
        Value::Object(fields) if fields.is_empty() => "an object without keys".to_owned(),
        Value::Object(fields) => {
            let names: Vec<String> = fields
                .iter()
                .take(KEYS)
                .map(|(name, _)| quoted(name))
                .collect();
            let more = if fields.len() > KEYS { ", ..." } else { "" };
            format!("the keys there are {}{more}", names.join(", "))
        }
        Value::List(items) => format!("a list of {}", text::counted(items.len() as u64, "item")),
        other => format!("{} is there", kind_word(other)),
    };
    format!("no {}{place}: {there}", quoted(rest))
}

/// The value at a path. A key may itself contain dots: the longest key that fits is tried first.
fn find<'a>(value: &'a Value, path: &str) -> Option<&'a Value> {
    let ends = path
        .char_indices()
        .filter(|(_, letter)| *letter == '.')
        .map(|(at, _)| at)
        .chain([path.len()]);
    let ends: Vec<usize> = ends.collect();
    ends.iter().rev().find_map(|end| {
        let part = path.get(..*end)?;
        let inside = match value {
            Value::Object(_) => value.field(part)?,
            Value::List(items) => items.get(part.parse::<usize>().ok()?)?,
            _ => return None,
        };
        match path.get(end + 1..) {
            None => Some(inside),
            Some(rest) => find(inside, rest),
        }
    })
}

/// What a value is, with its article, for messages.
pub(super) fn kind_word(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a bool",
        Value::Int(_) | Value::UInt(_) | Value::BigInt(_) | Value::Float(_) | Value::Decimal(_) => {
            "a number"
        }
        Value::Text(_) | Value::Form(_) => "text",
        Value::Bytes(_) => "bytes",
        Value::Date(_) => "a date",
        Value::Datetime { .. } => "a datetime",
        Value::Time(_) => "a time",
        Value::Duration(_) => "a duration",
        Value::List(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object<const N: usize>(fields: [(&str, Value); N]) -> Value {
        Value::Object(fields.map(|(name, value)| (name.to_owned(), value)).into())
    }

    fn sample() -> Value {
        let rows = Value::List(vec![object([("a", Value::Int(1))])]);
        object([
            (
                "data",
                object([("items", rows.clone()), ("n", Value::Int(1))]),
            ),
            ("x.y", rows.clone()),
            ("pages", Value::List(vec![Value::Int(1), rows])),
            ("none", Value::List(vec![])),
        ])
    }

    #[test]
    fn every_listed_path_leads_to_its_table() -> Result<()> {
        let document = Document::new(sample(), Vec::new());
        assert_eq!(record_paths(&document), ["data.items", "x.y", "pages.1"]);
        assert_eq!(
            document.notes[0].text,
            "lists of objects at data.items, x.y, pages.1: at=\"data.items\""
        );
        for path in record_paths(&document) {
            let table = table_at(&document, &path, Vec::new())?;
            assert_eq!((table.height(), table.columns()[0].name.as_str()), (1, "a"));
            assert_eq!(table.origin.part, Some(path));
        }
        assert_eq!(table_at(&document, "none", Vec::new())?.height(), 0);
        Ok(())
    }

    #[test]
    fn a_wrong_path_is_told_the_right_ones() {
        let error = table_at(&sample(), "data.n", Vec::new()).expect_err("a number");
        assert_eq!(error.kind(), ErrorKind::Argument);
        assert_eq!(
            error.to_string(),
            "expected a list of objects at \"data.n\", found a number\n\
             hint: lists of objects at data.items, x.y, pages.1: at=\"data.items\""
        );
        let error = table_at(&sample(), "data.item", Vec::new()).expect_err("nothing");
        let message = "expected a list of objects at \"data.item\", found no \"item\" in \"data\": \
                       the keys there are \"items\", \"n\"";
        assert_eq!(error.message(), message);
        let found = |path| {
            let error = table_at(&sample(), path, Vec::new()).expect_err("nothing");
            error
                .message()
                .split_once(", found ")
                .map(|(_, found)| found.to_owned())
        };
        assert_eq!(
            found("dat").as_deref(),
            Some("no \"dat\": the keys there are \"data\", \"x.y\", \"pages\", \"none\"")
        );
        assert_eq!(
            found("pages.7").as_deref(),
            Some("no \"7\" in \"pages\": a list of 2 items")
        );
        assert_eq!(
            found("data.n.x").as_deref(),
            Some("no \"x\" in \"data.n\": a number is there")
        );
        assert_eq!(
            found("pages").as_deref(),
            Some("a list with a number at position 0")
        );
    }
}
