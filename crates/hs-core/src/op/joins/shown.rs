//! Keys as a reader sees them: `id 7`, `(id, year) ("x", 2024)`. Shows, and compares nothing.

use polars::prelude::AnyValue;

use crate::op::keyed::{NONE, Part, Side};
use crate::op::montre::cell;
use crate::table::Kind;
use crate::text;

/// Keys that are named.
pub const FEW: usize = 3;
/// How wide a value may get, in terminal cells.
const WIDTH: usize = 30;

/// The keys of one table.
#[derive(Clone, Copy)]
pub struct Shown<'a> {
    /// The columns of the key.
    pub parts: &'a [Part<'a>],
    /// The numbers of its keys.
    pub side: &'a Side,
}

impl Shown<'_> {
    /// The name or names of the key.
    pub fn name(&self) -> String {
        name(self.parts)
    }

    /// The values of the key with this number, from the first row that has it.
    pub fn key(&self, key: u32) -> String {
        let row = self.side.first.get(key as usize).copied().unwrap_or(NONE);
        let values: Vec<String> = self.parts.iter().map(|part| value(*part, row)).collect();
        tuple(&values)
    }

    /// `id 7, 9, 12 and 3 more keys`.
    pub fn list(&self, keys: &[u32], all: usize) -> String {
        let shown: Vec<String> = keys.iter().map(|key| self.key(*key)).collect();
        format!(
            "{} {}{}",
            self.name(),
            shown.join(", "),
            more(all, keys.len())
        )
    }
}

/// The name or names of a key.
pub fn name(parts: &[Part<'_>]) -> String {
    let names: Vec<String> = parts
        .iter()
        .map(|(info, _)| cell::name(&info.name, WIDTH))
        .collect();
    tuple(&names)
}

/// What is behind a list of which not everything is shown.
pub fn more(all: usize, shown: usize) -> String {
    match all.saturating_sub(shown) {
        0 => String::new(),
        1 => " and 1 more key".to_owned(),
        rest => format!(" and {} more keys", text::count(rest as u64)),
    }
}

fn tuple(values: &[String]) -> String {
    match values {
        [one] => one.clone(),
        values => format!("({})", values.join(", ")),
    }
}

/// Text always stands in quotes, so that spaces and digits show as what they are.
pub fn value((info, column): Part<'_>, row: u32) -> String {
    let value = column.get(row as usize).unwrap_or(AnyValue::Null);
    match &value {
        AnyValue::Null => "missing".to_owned(),
        AnyValue::String(text) if info.kind != Kind::Mixed => quoted(text),
        // Of a column of one row.
        AnyValue::StringOwned(text) if info.kind != Kind::Mixed => quoted(text),
        AnyValue::BinaryOwned(bytes) if info.kind == Kind::Text => {
            quoted(&String::from_utf8_lossy(bytes))
        }
        AnyValue::Binary(bytes) if info.kind == Kind::Text => {
            quoted(&String::from_utf8_lossy(bytes))
        }
        other => cell::cut(&text::plain(other), WIDTH),
    }
}

/// A text in quotes, cut.
pub fn quoted(text: &str) -> String {
    match text.char_indices().nth(WIDTH) {
        Some((end, _)) => format!("{:?}...", &text[..end]),
        None => format!("{text:?}"),
    }
}

/// A share in percent: `66.7 %`; never 0 or 100 for what is not quite that.
pub fn share(part: u64, whole: u64) -> String {
    if whole == 0 {
        return "0 %".to_owned();
    }
    let percent = part as f64 / whole as f64 * 100.0;
    let rounded = (percent * 10.0).round() / 10.0;
    if part > 0 && rounded < 0.1 {
        "< 0.1 %".to_owned()
    } else if part < whole && rounded > 99.9 {
        "> 99.9 %".to_owned()
    } else {
        format!("{rounded} %")
    }
}
