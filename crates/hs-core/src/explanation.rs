//! How a table was read: facts about the file, and why each column has its type.
//!
//! It is data; what shows it puts it into words. It never decides anything.

use crate::value::Value;

/// How a table was read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Explanation {
    /// Facts about the file by name, such as `dialect`, `encoding`, `sheets`.
    pub facts: Vec<(&'static str, Value)>,
    /// Why each column has its type, by position; empty where the reader had nothing to decide.
    pub reasons: Vec<String>,
}

impl Explanation {
    /// The fact of this name.
    pub fn fact(&self, name: &str) -> Option<&Value> {
        let found = self.facts.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| value)
    }

    /// Why the column at `position` has its type, if the reader had something to decide.
    pub fn reason(&self, position: usize) -> Option<&str> {
        self.reasons
            .get(position)
            .map(String::as_str)
            .filter(|reason| !reason.is_empty())
    }

    /// Sets the reason of the column at `position`.
    pub fn set_reason(&mut self, position: usize, reason: String) {
        if self.reasons.len() <= position {
            self.reasons.resize(position + 1, String::new());
        }
        self.reasons[position] = reason;
    }

    /// The same for a table of only the columns at these positions.
    #[must_use]
    pub fn select(self, positions: &[usize]) -> Self {
        let reason = |position: &usize| self.reasons.get(*position).cloned().unwrap_or_default();
        let reasons = if self.reasons.is_empty() {
            Vec::new()
        } else {
            positions.iter().map(reason).collect()
        };
        Self {
            reasons,
            facts: self.facts,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_follow_their_columns() {
        let mut explanation = Explanation::default();
        explanation.set_reason(1, "codes".into());
        let selected = explanation.select(&[1, 0, 1]);
        let reasons: Vec<_> = (0..4).map(|position| selected.reason(position)).collect();
        assert_eq!(reasons, [Some("codes"), None, Some("codes"), None]);
    }
}
