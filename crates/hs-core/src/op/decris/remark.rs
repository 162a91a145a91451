//! What is worth a word about a column: that it is a key, says nothing, or is not what its type says.

use polars::prelude::{AnyValue, Column, DataType};

use super::group::Groups;
use crate::op::look;
use crate::table::Kind;

/// The remarks on a column, joined by commas; none when there is nothing to say.
///
/// Only distinct values are looked at, each once. Words such as `n/a` beside numbers or dates do not
/// count against them.
pub fn remark(column: &Column, kind: Kind, groups: &Groups) -> Option<String> {
    let height = column.len();
    let mut remarks = Vec::new();
    if height > 1 && groups.missing() == 0 {
        if groups.distinct() == height {
            remarks.push("unique");
        } else if groups.distinct() == 1 {
            remarks.push("constant");
        }
    }
    // Mixed values are stored as JSON text, which is not the user's text.
    if *column.dtype() == DataType::String && kind != Kind::Mixed {
        remarks.extend(remarks_on_text(column, groups));
    }
    (!remarks.is_empty()).then(|| remarks.join(", "))
}

fn remarks_on_text(column: &Column, groups: &Groups) -> Vec<&'static str> {
    let (mut codes, mut untrimmed) = (false, false);
    let (mut numbers, mut dates, mut values) = (true, true, false);
    for row in &groups.values.first {
        let Ok(AnyValue::String(text)) = column.get(*row as usize) else {
            continue;
        };
        let trimmed = text.trim();
        untrimmed = untrimmed || trimmed.len() != text.len();
        if trimmed.is_empty() || look::missing_word(trimmed) {
            continue;
        }
        values = true;
        codes = codes || look::zero_code(trimmed);
        numbers = numbers && look::true_number(trimmed);
        dates = dates && look::like_date(trimmed);
        if untrimmed && codes && !numbers && !dates {
            break;
        }
    }
    let mut remarks = Vec::new();
    if codes {
        remarks.push("codes with leading zeros");
    }
    if values && numbers {
        remarks.push("numbers as text");
    }
    if values && dates {
        remarks.push("dates as text");
    }
    if untrimmed {
        remarks.push("untrimmed");
    }
    remarks
}
