//! What a kernel says of checkpoints, and the words for it. A field that is missing is as if it said nothing.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::store::Skipped;

/// Names that a notice lists.
const LISTED: usize = 8;
/// Letters of a cell's code in a notice.
const CODE: usize = 60;

/// A save is over.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct Saved {
    /// The checkpoint.
    #[serde(rename(serialize = "checkpoint"))]
    pub id: String,
    /// Why there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// How many names it has.
    pub names: u64,
    /// Names that it does not have, and why.
    pub skipped: Vec<Skipped>,
}

/// The cell that a checkpoint was made after, as far as the words need it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Source {
    /// What ran.
    pub code: String,
    /// Its number.
    pub number: Option<u64>,
}

/// What a restore did.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct Restored {
    /// The checkpoint; nothing when the kernel went back to what startup made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The cell that it was made after.
    #[serde(skip_serializing_if = "Value::is_null")]
    pub cell: Value,
    /// Newer checkpoints that cannot be read, and why.
    pub faults: Vec<(String, String)>,
    /// Names that came back.
    pub names: Vec<String>,
    /// Names that were there, unchanged.
    pub held: Vec<String>,
    /// Names that went away.
    pub removed: Vec<String>,
    /// Names that did not come back, and why.
    pub skipped: Vec<Skipped>,
    /// Names that showed the memory of others, and have their own now.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub copies: Vec<String>,
}

impl Restored {
    /// One line for the user; nothing when nothing happened.
    pub fn words(&self) -> Option<String> {
        let mut parts = Vec::new();
        let from = match &self.from {
            Some(_) => self.source(),
            None => "the startup state".to_owned(),
        };
        let listed = |word: &str, names: &[String]| {
            (!names.is_empty()).then(|| format!("{word} {}", list(names)))
        };
        parts.extend(listed("restored", &self.names));
        parts.extend(listed("removed", &self.removed));
        if !self.held.is_empty() {
            parts.push(format!("{} unchanged", self.held.len()));
        }
        let changed = !self.names.is_empty() || !self.removed.is_empty();
        if !changed && self.skipped.is_empty() && self.faults.is_empty() {
            return None;
        }
        let done = if parts.is_empty() {
            "nothing to restore".to_owned()
        } else {
            parts.join(", ")
        };
        let mut text = format!("back to {from}: {done}");
        if !self.skipped.is_empty() {
            let skipped: Vec<String> = self
                .skipped
                .iter()
                .map(|one| format!("{} ({})", one.name, one.reason))
                .collect();
            text.push_str(&format!("; not there: {}", list(&skipped)));
        }
        if !self.copies.is_empty() {
            text.push_str(&format!("; copies now, no views: {}", list(&self.copies)));
        }
        if !self.faults.is_empty() {
            let faults: Vec<String> = self
                .faults
                .iter()
                .map(|(id, why)| format!("{} ({why})", short(id)))
                .collect();
            let count = if faults.len() == 1 {
                "a newer checkpoint"
            } else {
                "newer checkpoints"
            };
            text.push_str(&format!("; {count} cannot be read: {}", list(&faults)));
        }
        Some(text)
    }

    fn source(&self) -> String {
        let source: Source = serde_json::from_value(self.cell.clone()).unwrap_or_default();
        let whole = source.code.trim();
        let first = whole.lines().next().unwrap_or_default().trim_end();
        let mut code: String = first.chars().take(CODE).collect();
        if code.len() < whole.len() {
            code.push('…');
        }
        match source.number {
            // One that was asked for has no code.
            Some(number) if !code.is_empty() => format!("cell {number} (`{code}`)"),
            _ => format!(
                "checkpoint {}",
                short(self.from.as_deref().unwrap_or_default())
            ),
        }
    }
}

/// As much of an id as people compare.
fn short(id: &str) -> String {
    id.chars().take(8).collect()
}

fn list(names: &[String]) -> String {
    let mut text = names[..names.len().min(LISTED)].join(", ");
    if names.len() > LISTED {
        text.push_str(&format!(" and {} more", names.len() - LISTED));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn told(value: Value) -> Restored {
        serde_json::from_value(value).expect("an answer")
    }

    #[test]
    fn the_words_name_the_cell_the_names_and_what_is_missing() {
        let id = "0123456789abcdef0123456789abcdef";
        let restored = told(
            json!({"from": id, "cell": {"code": "\n x = 1\ny = 2", "number": 3, "time": 5},
            "names": ["x", "y"], "held": ["z"], "removed": ["t"],
            "skipped": [{"name": "f", "reason": "an open file ('a.csv')"}],
            "faults": [["fedcba9876543210", "no such checkpoint"]]}),
        );
        assert_eq!(
            restored.words().expect("words"),
            "back to cell 3 (`x = 1…`): restored x, y, removed t, 1 unchanged; not there: f (an open file ('a.csv')); \
             a newer checkpoint cannot be read: fedcba98 (no such checkpoint)"
        );
        let names: Vec<String> = (0..10).map(|number| format!("v{number}")).collect();
        let restored = told(json!({"removed": names}));
        assert_eq!(
            restored.words().expect("words"),
            "back to the startup state: removed v0, v1, v2, v3, v4, v5, v6, v7 and 2 more"
        );
    }

    #[test]
    fn what_changed_nothing_needs_no_words() {
        assert_eq!(told(json!({"from": "a", "held": ["x"]})).words(), None);
        assert_eq!(told(json!({})).words(), None);
        assert!(told(json!({"faults": [["a", "b"]]})).words().is_some());
    }
}
