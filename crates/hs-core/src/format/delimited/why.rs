//! Why each column has its type, and the facts of the file, in words and data.
//!
//! A column that is text is searched for the first value that settled it, which is near the top of
//! most; nothing else is looked at again.

use polars::prelude::Column;
use rayon::prelude::*;

use super::TypedChunk;
use super::choice::{Choice, Plan};
use super::dialect::Dialect;
use super::lines::Lines;
use super::local::{Habit, decimal_commas_in_a_comma_file, undecided_commas, undecided_days};
use super::records::line_of;
use super::types::{ColumnType, Reason, Seen, classify};
use crate::control::Control;
use crate::error::{Result, quoted};
use crate::explanation::Explanation;
use crate::table::Table;
use crate::text::counted;
use crate::value::Value;

/// What was found out about the columns of a table.
pub struct Decided<'a> {
    /// What is wanted of each.
    pub plan: &'a Plan,
    /// What was seen in each.
    pub seen: &'a [Seen],
    /// The type of each.
    pub kinds: &'a [ColumnType],
    /// Where in each to look for the value that settled that it is text: rows before it, and what
    /// was seen in those.
    pub settling: &'a [(usize, Seen)],
    /// How the file writes numbers.
    pub habit: Habit,
    /// The delimiter.
    pub dialect: Dialect,
}

/// The value that settled that a column is text.
struct Settled {
    row: usize,
    value: String,
    before: Seen,
    seen: Seen,
}

impl Decided<'_> {
    /// The reasons for all columns of the table.
    ///
    /// # Errors
    /// A stop request; [`ErrorKind::Io`](crate::ErrorKind::Io) when the file cannot be read again.
    pub fn reasons(
        &self,
        table: &Table,
        lines: &Lines<'_>,
        control: &Control,
    ) -> Result<Vec<String>> {
        let columns = table.frame().columns();
        let settled: Vec<Option<Settled>> = columns
            .par_iter()
            .enumerate()
            .map(|(position, column)| {
                control.check()?;
                let text = self.kinds[position] == ColumnType::Text;
                let decided = self.plan.choices[position] == Choice::Decide;
                if text && decided && self.seen[position].settles_text() {
                    settled(column, self.settling[position], control)
                } else {
                    Ok(None)
                }
            })
            .collect::<Result<_>>()?;
        let mut rows: Vec<usize> = settled.iter().flatten().map(|found| found.row).collect();
        rows.retain(|row| *row < lines.near());
        rows.sort_unstable();
        rows.dedup();
        let lines = lines.lines(&rows, control)?;
        // Farther down it is the row: to count lines the file would have to be read once more.
        let place = |row: usize| {
            let near = rows.binary_search(&row).ok();
            match near.and_then(|found| lines.get(found)) {
                Some(line) => format!("line {line}"),
                None => format!("row {}", row + 1),
            }
        };
        let reasons = columns.iter().zip(settled).enumerate();
        Ok(reasons
            .map(|(position, (column, settled))| {
                let missing = column.null_count();
                let there = (column.len() - missing) as u64;
                let mut reason = match settled {
                    Some(found) => found.words(&place(found.row)),
                    None => self.typed(position, there),
                };
                if missing > 0 && there > 0 {
                    reason.push_str(&format!(", {missing} missing"));
                }
                reason
            })
            .collect())
    }

    /// Why a column has its type that no single value settled.
    fn typed(&self, position: usize, there: u64) -> String {
        let seen = self.seen[position];
        match self.kinds[position] {
            _ if self.plan.choices[position] != Choice::Decide => "given: text".to_owned(),
            ColumnType::Empty => "no values".to_owned(),
            ColumnType::Int => counted(there, "whole number"),
            ColumnType::Unsigned => {
                format!(
                    "{}, some above 9223372036854775807",
                    counted(there, "whole number")
                )
            }
            ColumnType::Float if seen.has(Seen::INT) => {
                format!("{}, some with decimals", counted(there, "number"))
            }
            ColumnType::Float => counted(there, "decimal number"),
            ColumnType::Bool => "true and false".to_owned(),
            ColumnType::Date => "ISO dates".to_owned(),
            ColumnType::Datetime { zoned: true, .. } => {
                "ISO datetimes with an offset, as instants in UTC".to_owned()
            }
            ColumnType::Datetime { zoned: false, .. } => "ISO datetimes".to_owned(),
            ColumnType::Time => "times of day".to_owned(),
            ColumnType::CommaFloat => {
                format!("decimal commas, the delimiter is {}", self.dialect.words())
            }
            ColumnType::Grouped { dot: true } => "points between thousands".to_owned(),
            ColumnType::Grouped { dot: false } => "commas between thousands".to_owned(),
            ColumnType::Day { month_first: false } => {
                "day before month, as a day above 12 proves".to_owned()
            }
            ColumnType::Day { month_first: true } => {
                "month before day, as a day above 12 proves".to_owned()
            }
            ColumnType::Text if undecided_days(seen).is_some() => {
                "days in an order that no value proves".to_owned()
            }
            ColumnType::Text if undecided_commas(seen, self.habit) => {
                "commas that may stand between thousands or before decimals".to_owned()
            }
            ColumnType::Text if decimal_commas_in_a_comma_file(seen, self.habit) => {
                "decimal commas, but the delimiter is a comma".to_owned()
            }
            ColumnType::Text if seen.has(Seen::DAYS) => {
                "days in more than one order or form".to_owned()
            }
            ColumnType::Text if seen.has(Seen::LOCAL) => {
                "numbers whose marks contradict each other or the delimiter".to_owned()
            }
            ColumnType::Text if seen.has(Seen::WORD) => {
                "words for missing and nothing else".to_owned()
            }
            ColumnType::Text => "text".to_owned(),
        }
    }

    /// The dialect as a fact.
    pub fn dialect_fact(&self, text: &[u8], header: Option<usize>) -> Value {
        let header = header.map(|start| line_of(text, start) as i64);
        let end = memchr::memchr2(b'\n', b'\r', text).map(|at| &text[at..]);
        let end = match end {
            None => Value::Null,
            Some([b'\r', b'\r', b'\n', ..]) => Value::Text("CR CR LF".to_owned()),
            Some([b'\r', b'\n', ..]) => Value::Text("CRLF".to_owned()),
            Some([b'\r', ..]) => Value::Text("CR".to_owned()),
            Some(_) => Value::Text("LF".to_owned()),
        };
        let delimiter = self.dialect.delimiter;
        let field = |name: &str, value: Value| (name.to_owned(), value);
        Value::Object(vec![
            field(
                "delimiter",
                delimiter.map_or(Value::Null, |mark| Value::Text(mark.to_string())),
            ),
            field("quote", Value::Text("\"".to_owned())),
            field("line_end", end),
            field("header_line", header.map_or(Value::Null, Value::Int)),
            field(
                "skipped_lines",
                Value::Int(header.map_or(0, |line| line - 1)),
            ),
        ])
    }
}

/// Where in each column to look for the value that settled that it is text: the first chunk that may
/// hold it, as rows before it, and what was seen in those.
pub fn settling(chunks: &[TypedChunk], width: usize) -> Vec<(usize, Seen)> {
    let of = |column: usize| {
        let (mut rows, mut before) = (0, Seen::NOTHING);
        for chunk in chunks {
            let seen = chunk.result[column].0;
            if seen.has(Seen::UNLOOKED) || before.with(seen).settles_text() {
                break;
            }
            rows += chunk.rows;
            before |= seen;
        }
        (rows, before)
    };
    (0..width).map(of).collect()
}

/// Says that the file has another quote than the usual one, or none.
pub fn quote_fact(explanation: &mut Explanation, quote: Option<char>) {
    let dialect = explanation
        .facts
        .iter_mut()
        .find(|(name, _)| *name == "dialect");
    if let Some((_, Value::Object(fields))) = dialect
        && let Some((_, value)) = fields.iter_mut().find(|(name, _)| name == "quote")
    {
        *value = quote.map_or(Value::Null, |quote| Value::Text(quote.to_string()));
    }
}

/// The encoding as a fact.
pub fn encoding_fact(
    explanation: &mut Explanation,
    encoding: &'static encoding_rs::Encoding,
    given: bool,
    marked: bool,
) {
    let found = if given {
        "given"
    } else if marked {
        "byte order mark"
    } else if encoding == encoding_rs::UTF_8 {
        "valid throughout"
    } else if [encoding_rs::UTF_16LE, encoding_rs::UTF_16BE].contains(&encoding) {
        "zero bytes"
    } else {
        "detected"
    };
    let field = |name: &str, value: &str| (name.to_owned(), Value::Text(value.to_owned()));
    let fields = vec![field("name", encoding.name()), field("found_by", found)];
    explanation.facts.push(("encoding", Value::Object(fields)));
}

/// The first value with which it is settled that the column is text.
fn settled(
    column: &Column,
    (start, mut before): (usize, Seen),
    control: &Control,
) -> Result<Option<Settled>> {
    const STEP: usize = 1 << 16;
    let series = column
        .as_materialized_series()
        .slice(start as i64, usize::MAX);
    // In whichever layout.
    let texts: Box<dyn Iterator<Item = Option<&[u8]>>> =
        match (series.str(), series.binary_offset()) {
            (Ok(texts), _) => Box::new(texts.iter().map(|text| text.map(str::as_bytes))),
            (_, Ok(texts)) => Box::new(texts.iter()),
            _ => return Ok(None),
        };
    for (row, text) in texts.enumerate() {
        let row = start + row;
        if row % STEP == 0 {
            control.check()?;
        }
        let Some(text) = text else { continue };
        let seen = classify(text);
        if before.with(seen).settles_text() {
            let value = String::from_utf8_lossy(text).into_owned();
            return Ok(Some(Settled {
                row,
                value,
                before,
                seen,
            }));
        }
        before |= seen;
    }
    Ok(None)
}

impl Settled {
    fn words(&self, place: &str) -> String {
        let value = quoted(&self.value);
        let first = format!("(first: {place} {value})");
        if self.seen.has(Seen::CODE) {
            let unsigned = self.value.trim().trim_start_matches(['-', '+']);
            let zero = matches!(unsigned.as_bytes(), [b'0', b'0'..=b'9', ..]);
            let kind = if zero {
                "leading zeros"
            } else if self.value.contains(['e', 'E']) {
                "an exponent without point or sign"
            } else {
                "a plus before many digits"
            };
            return format!("codes: {kind} {first}");
        }
        if self.seen.has(Seen::TEXT) {
            return match self.before.group() {
                Some(group) => format!("mixed: {group} and text (first text: {place} {value})"),
                None => format!("text {first}"),
            };
        }
        let reason = match self.before.with(self.seen).reason() {
            Some(Reason::Mixed(left, right)) => format!("mixed: {left} and {right}"),
            Some(Reason::Big) => "whole numbers beyond 64 bits".to_owned(),
            Some(Reason::OutOfRange) => "numbers that no float holds".to_owned(),
            Some(Reason::Wide) => "whole numbers above 2^53 beside decimals".to_owned(),
            Some(Reason::Far) => "nanoseconds beside years that they do not reach".to_owned(),
            Some(Reason::Text) | None => "text".to_owned(),
        };
        format!("{reason} {first}")
    }
}
