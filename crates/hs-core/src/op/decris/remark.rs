//! What is worth a word about a column: that it is a key, says nothing, or is not what its type says.

use polars::prelude::Column;

use super::group::Groups;
use crate::op::look;
use crate::table::Kind;

/// Distinct values from which on all rows are looked at in a walk, which is faster than to jump between them.
const WALK: usize = 1 << 12;

/// The remarks on a column, joined by commas; none when there is nothing to say.
///
/// Words such as `n/a` beside numbers or dates do not count against them.
pub fn remark(column: &Column, kind: Kind, groups: &Groups) -> Option<String> {
    let height = column.len();
    let mut remarks = Vec::new();
    if height > 1 && groups.missing == 0 {
        if groups.distinct() == height {
            remarks.push("unique");
        } else if groups.distinct() == 1 {
            remarks.push("constant");
        }
    }
    // Mixed values are stored as JSON text, which is not the user's text.
    if kind != Kind::Mixed && kind != Kind::Bytes {
        remarks.extend(remarks_on_text(column, groups));
    }
    (!remarks.is_empty()).then(|| remarks.join(", "))
}

/// The remarks on a column of text; none for another.
fn remarks_on_text(column: &Column, groups: &Groups) -> Vec<&'static str> {
    let series = column.as_materialized_series();
    let mut looks = Looks::default();
    if let Ok(texts) = series.str() {
        let all = texts.downcast_iter().flat_map(|array| array.iter());
        let all = all.flatten().map(str::as_bytes);
        looks.all(groups, all, |row| texts.get(row).map(str::as_bytes));
    } else if let Ok(texts) = series.binary_offset() {
        let all = texts.downcast_iter().flat_map(|array| array.iter());
        looks.all(groups, all.flatten(), |row| texts.get(row));
    }
    looks.remarks()
}

/// What texts look like.
#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
struct Looks {
    /// There is something beside blanks and words for what is missing.
    values: bool,
    codes: bool,
    untrimmed: bool,
    /// Not all are numbers, dates.
    no_number: bool,
    no_date: bool,
}

impl Looks {
    /// Looks at each distinct value once; at all rows in a walk where these are not many more.
    fn all<'a>(
        &mut self,
        groups: &Groups,
        all: impl Iterator<Item = &'a [u8]>,
        get: impl Fn(usize) -> Option<&'a [u8]>,
    ) {
        if groups.distinct() > WALK {
            all.for_each(|text| self.look(text));
        } else {
            let rows = groups.first.iter().map(|row| *row as usize);
            rows.filter_map(get).for_each(|text| self.look(text));
        }
    }

    #[inline]
    fn look(&mut self, text: &[u8]) {
        let settled = self.values && self.no_number && self.no_date;
        if settled
            && text.first().is_none_or(u8::is_ascii_alphabetic)
            && text.last().is_none_or(u8::is_ascii_alphanumeric)
        {
            // Neither a code nor untrimmed.
            return;
        }
        if let Ok(text) = std::str::from_utf8(text) {
            self.look_closely(text);
        }
    }

    fn look_closely(&mut self, text: &str) {
        let trimmed = text.trim();
        self.untrimmed |= trimmed.len() != text.len();
        if self.values && self.no_number && self.no_date {
            self.codes |= look::zero_code(trimmed);
            return;
        }
        if trimmed.is_empty() || look::missing_word(trimmed) {
            return;
        }
        self.values = true;
        self.codes |= look::zero_code(trimmed);
        self.no_number |= !look::true_number(trimmed);
        self.no_date |= !look::like_date(trimmed);
    }

    fn remarks(&self) -> Vec<&'static str> {
        let mut remarks = Vec::new();
        if self.codes {
            remarks.push("codes with leading zeros");
        }
        if self.values && !self.no_number {
            remarks.push("numbers as text");
        }
        if self.values && !self.no_date {
            remarks.push("dates as text");
        }
        if self.untrimmed {
            remarks.push("untrimmed");
        }
        remarks
    }
}
