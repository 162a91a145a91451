//! The notes of a load: what was decided, padded, made up or kept as text, with counts and lines.
//!
//! Figures that only a note needs are counted here, in a second look at the columns concerned.

use rayon::prelude::*;

use super::TypedChunk;
use super::amounts;
use super::build::classify_field;
use super::chunks::{Body, Rooms};
use super::dialect::Dialect;
use super::index::{Index, Oddities, Tally};
use super::local::{
    Habit, decimal_commas_in_a_comma_file, undecided_commas, undecided_days, undecided_points,
};
use super::preamble::Preamble;
use super::records::line_of;
use super::types::{ColumnType, Reason, Seen};
use crate::control::Control;
use crate::error::{Error, Place, Result, quoted};
use crate::fix::Fix;
use crate::note::{Note, Topic};
use crate::text::{count, counted};

/// At most this many columns are named in one note.
const NAMED: usize = 4;

/// The delimiter, when it is not the plain comma.
pub fn dialect(dialect: Dialect) -> Option<Note> {
    let told = match dialect.delimiter {
        Some(',') => false,
        Some(_) => true,
        None => dialect.doubtful,
    };
    told.then(|| Note::new(Topic::Dialect, format!("delimiter: {}", dialect.words())))
}

/// What stands above the header and was passed over.
pub fn preamble(text: &[u8], preamble: Option<Preamble>) -> Option<Note> {
    let preamble = preamble?;
    let line = |at| line_of(text, at);
    let (start, end) = preamble.first;
    let fix = Fix::number("header", 0);
    let kind = if preamble.marked {
        "comment line"
    } else {
        "title line"
    };
    let message = format!(
        "skipped {} above the header (line {}): {}; {fix} reads every line",
        counted(preamble.records as u64, kind),
        line(preamble.header),
        quoted(&String::from_utf8_lossy(&text[start..end])),
    );
    let place = Place::default().row(line(start));
    let note = Note::new(Topic::Dialect, message).fix(fix);
    Some(note.counted(preamble.records as u64, place))
}

/// Columns that stay text although they look like numbers with a mark.
pub fn amounts(
    chunks: &[TypedChunk],
    names: &[String],
    seen: &[Seen],
    kinds: &[ColumnType],
) -> Option<Note> {
    // Codes are numbers to the end; only text may be an amount.
    let text = |column: &usize| kinds[*column] == ColumnType::Text && seen[*column].has(Seen::TEXT);
    let found: Vec<(String, String)> = (0..names.len())
        .into_par_iter()
        .filter(text)
        .filter_map(|column| {
            let pieces = chunks.iter().map(|chunk| &chunk.result[column].1);
            let example = amounts::example(pieces)?;
            Some((format!("{:?}", names[column]), example))
        })
        .collect();
    let (_, example) = found.first()?;
    let shown: Vec<&str> = found
        .iter()
        .take(NAMED)
        .map(|(name, _)| name.as_str())
        .collect();
    let more = match found.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {} more", count(more as u64)),
    };
    let message = format!(
        "amounts such as {example:?} stay text in {}{more}: without their mark they would be other numbers",
        shown.join(", ")
    );
    Some(Note::new(Topic::Types, message))
}

/// Names that were made or changed.
pub fn names(written: &[String], unique: &[String], line: u64) -> Option<Note> {
    let changed: Vec<String> = written
        .iter()
        .zip(unique)
        .enumerate()
        .filter(|(_, (written, unique))| written != unique)
        .map(|(index, (written, unique))| match written.as_str() {
            "" => format!("column {} without name is {unique:?}", index + 1),
            written => format!("repeated {written:?} is {unique:?}"),
        })
        .collect();
    let first = changed
        .iter()
        .take(NAMED)
        .cloned()
        .collect::<Vec<_>>()
        .join(", ");
    let more = changed.len().saturating_sub(NAMED);
    let more = if more > 0 {
        format!(" and {} more", count(more as u64))
    } else {
        String::new()
    };
    (!changed.is_empty()).then(|| {
        Note::new(Topic::Names, format!("{first}{more}"))
            .counted(changed.len() as u64, Place::default().row(line))
    })
}

/// Records and fields that were repaired.
pub fn rows(text: &[u8], odd: &Oddities, rows: usize, width: usize) -> Vec<Note> {
    let mut notes = Vec::new();
    let mut tell = |tally: Tally, message: &dyn Fn(&str) -> String| {
        if tally.count > 0 {
            let line = line_of(text, tally.first);
            let first = format!("(first: line {line})");
            let note = Note::new(Topic::Rows, message(&first));
            notes.push(note.counted(tally.count, Place::default().row(line)));
        }
    };
    tell(odd.short, &|first| {
        format!(
            "{} with fewer than {width} fields padded with missing {first}",
            counted(odd.short.count, "row")
        )
    });
    tell(odd.stray, &|first| {
        format!(
            "{} with text behind a closing quote kept as written {first}",
            counted(odd.stray.count, "field")
        )
    });
    if odd.long.count == rows as u64 {
        tell(odd.long, &|_| {
            "every row ends with an extra delimiter, ignored".to_owned()
        });
    } else {
        tell(odd.long, &|first| {
            format!(
                "{} with extra empty fields, ignored {first}",
                counted(odd.long.count, "row")
            )
        });
    }
    if width == 1 {
        // In a file of one column a blank line might have been meant as a missing value.
        tell(odd.blank, &|first| {
            format!("{} skipped {first}", counted(odd.blank.count, "blank line"))
        });
    }
    notes
}

/// Columns written by a local habit: as what they were read, or what would decide it.
pub fn local(names: &[String], seen: &[Seen], kinds: &[ColumnType], habit: Habit) -> Vec<Note> {
    let mut notes = Vec::new();
    let mut tell = |wanted: &dyn Fn(ColumnType) -> bool, message: &str| {
        let columns = names.iter().zip(kinds).filter(|(_, kind)| wanted(**kind));
        let columns: Vec<String> = columns.map(|(name, _)| format!("{name:?}")).collect();
        if !columns.is_empty() {
            let shown = columns
                .iter()
                .take(NAMED)
                .cloned()
                .collect::<Vec<_>>()
                .join(", ");
            let more = columns.len().saturating_sub(NAMED);
            let more = if more > 0 {
                format!(" and {} more", count(more as u64))
            } else {
                String::new()
            };
            notes.push(Note::new(
                Topic::Types,
                format!("{message} in {shown}{more}"),
            ));
        }
    };
    tell(
        &|kind| kind == ColumnType::CommaFloat,
        "decimal commas read",
    );
    tell(
        &|kind| matches!(kind, ColumnType::Grouped { .. }),
        "marks between thousands read",
    );
    tell(
        &|kind| kind == ColumnType::Day { month_first: false },
        "dates read as day, month, year",
    );
    tell(
        &|kind| kind == ColumnType::Day { month_first: true },
        "dates read as month, day, year",
    );
    for (name, seen) in names.iter().zip(seen) {
        if let Some(format) = undecided_days(*seen) {
            let fix = Fix::types(name, format!("date:{format}"));
            let line = format!(
                "column {name:?} is text: no value proves its order of day and month; if the day comes first: {fix}"
            );
            notes.push(Note::new(Topic::Types, line).fix(fix));
        } else if undecided_commas(*seen, habit) {
            let (int, float) = (Fix::types(name, "int:1,234"), Fix::types(name, "float:0,5"));
            let line = format!(
                "column {name:?} is text: its commas may stand between thousands ({int}) or before decimals ({float})"
            );
            notes.push(Note::new(Topic::Types, line).fix(int).fix(float));
        } else if undecided_points(*seen, habit) {
            let fix = Fix::types(name, "int:1.234");
            let line = format!(
                "column {name:?}: points read as before decimals; if they stand between thousands: {fix}"
            );
            notes.push(Note::new(Topic::Types, line).fix(fix));
        } else if decimal_commas_in_a_comma_file(*seen, habit) {
            let fix = Fix::types(name, "float:0,5");
            let line = format!(
                "column {name:?} is text: decimal commas in a file that is delimited by commas; to read them: {fix}"
            );
            notes.push(Note::new(Topic::Types, line).fix(fix));
        }
    }
    notes
}

/// How many fields of a kind a column has, and the first of them.
#[derive(Clone, Copy, Default)]
struct Figures {
    all: Seen,
    big: Tally,
    rounded: Tally,
    words: Tally,
}

impl Figures {
    fn add(&mut self, seen: Seen, place: impl Fn() -> usize) {
        self.all |= seen;
        for (kind, tally) in [
            (
                Seen::BIG | Seen::UNSIGNED | Seen::OUT_OF_RANGE,
                &mut self.big,
            ),
            (Seen::ROUNDED, &mut self.rounded),
            (Seen::WORD, &mut self.words),
        ] {
            if seen.has(kind) {
                tally.join(Tally {
                    count: 1,
                    first: place(),
                });
            }
        }
    }

    fn join(mut self, later: &Self) -> Self {
        self.all |= later.all;
        self.big.join(later.big);
        self.rounded.join(later.rounded);
        self.words.join(later.words);
        self
    }
}

/// Why columns are text that look typed, what was rounded, which words were read as missing.
///
/// # Errors
/// Only a stop request.
pub fn types(
    body: &Body<'_>,
    chunks: &[TypedChunk],
    names: &[String],
    seen: &[Seen],
    kinds: &[ColumnType],
    control: &Control,
) -> Result<Vec<Note>> {
    let wanted: Vec<usize> = (0..seen.len())
        .filter(|column| {
            let seen = seen[*column];
            match kinds[*column] {
                ColumnType::Text => seen.settles_text() && !seen.has(Seen::TEXT | Seen::CODE),
                _ => seen.has(Seen::WORD | Seen::ROUNDED),
            }
        })
        .collect();
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    let figures = figures(body, chunks, &wanted, control)?;
    let mut notes = Vec::new();
    let mut words: Vec<(String, Tally)> = Vec::new();
    for (column, figures) in wanted.iter().zip(figures) {
        let name = &names[*column];
        let mut tell = |line: String, tally: Tally| {
            let place = Place::default().column(name);
            let note = Note::new(Topic::Types, line);
            notes.push(match tally.count {
                0 => note,
                number => note.counted(number, place.row(body.line_of(tally.first)?)),
            });
            Ok::<_, Error>(())
        };
        if kinds[*column] != ColumnType::Text {
            if figures.rounded.count > 0 {
                let line = format!(
                    "column {name:?}: {} of more digits than a float keeps rounded (first: line {})",
                    counted(figures.rounded.count, "decimal"),
                    body.line_of(figures.rounded.first)?,
                );
                tell(line, figures.rounded)?;
            }
            if figures.words.count > 0 {
                words.push((name.clone(), figures.words));
            }
            continue;
        }
        let line = || body.line_of(figures.big.first);
        match figures.all.reason() {
            None | Some(Reason::Text) => {}
            Some(Reason::Mixed(left, right)) => {
                tell(
                    format!("column {name:?} is text: it holds {left} and {right}"),
                    Tally::default(),
                )?;
            }
            Some(Reason::Big) => {
                let line = format!(
                    "column {name:?} is text: whole numbers beyond 64 bits (first: line {})",
                    line()?
                );
                tell(line, figures.big)?;
            }
            Some(Reason::OutOfRange) => {
                let line = format!(
                    "column {name:?} is text: numbers that no float holds (first: line {})",
                    line()?
                );
                tell(line, figures.big)?;
            }
            Some(Reason::Wide) => {
                let line = format!(
                    "column {name:?} is text: whole numbers above 2^53 beside decimals, a float would change them"
                );
                tell(line, Tally::default())?;
            }
            Some(Reason::Far) => {
                let line = format!(
                    "column {name:?} is text: nanoseconds beside years that they do not reach (1677 to 2262)"
                );
                tell(line, Tally::default())?;
            }
        }
    }
    notes.extend(missing_words(body, &words)?);
    Ok(notes)
}

fn missing_words(body: &Body<'_>, words: &[(String, Tally)]) -> Result<Option<Note>> {
    let Some((name, tally)) = words.first() else {
        return Ok(None);
    };
    let total = words.iter().map(|(_, tally)| tally.count).sum();
    let columns: Vec<String> = words
        .iter()
        .take(NAMED)
        .map(|(name, tally)| format!("{name:?} {}", count(tally.count)))
        .collect();
    let more = words.len().saturating_sub(NAMED);
    let more = if more > 0 {
        format!(" and {} more columns", count(more as u64))
    } else {
        String::new()
    };
    let line = body.line_of(tally.first)?;
    let message = format!(
        "words such as NA read as missing: {}{more} (first: line {line})",
        columns.join(", ")
    );
    let place = Place::default().column(name).row(line);
    Ok(Some(Note::new(Topic::Types, message).counted(total, place)))
}

fn figures(
    body: &Body<'_>,
    chunks: &[TypedChunk],
    wanted: &[usize],
    control: &Control,
) -> Result<Vec<Figures>> {
    let rooms = Rooms::default();
    let parts: Vec<Vec<Figures>> = chunks
        .par_iter()
        .map(|chunk| {
            let count = |index: &Index, text: &[u8]| {
                let mut parts = Vec::with_capacity(wanted.len());
                for column in wanted {
                    control.check()?;
                    let mut figures = Figures::default();
                    for (row, field) in index.column(text, *column).iter().enumerate() {
                        figures.add(classify_field(field), || index.start_of(row));
                    }
                    parts.push(figures);
                }
                Ok(parts)
            };
            rooms.with(|room| body.again(chunk.start, chunk.end, room, control, count))
        })
        .collect::<Result<_>>()?;
    let mut joined = vec![Figures::default(); wanted.len()];
    for part in &parts {
        for (all, figures) in joined.iter_mut().zip(part) {
            *all = all.join(figures);
        }
    }
    Ok(joined)
}
