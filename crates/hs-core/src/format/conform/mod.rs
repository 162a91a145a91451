//! Columns as the types that the user wants (`types=`), whatever the format: the one step that turns
//! columns, behind all readers.
//!
//! - [`wanted`]: the wish as it is written; `marks` and `pattern`: ways to write numbers and days
//! - `as_text`: the exact text of any value; `read`: one text to one value; `column`: one column to another
//!
//! A column that has the wanted type already is left alone. Any other goes through the exact text of
//! its values; a value that does not fit is an error, never a missing value.

mod as_text;
mod column;
mod marks;
mod pattern;
mod read;
mod suggest;
mod wanted;

#[cfg(test)]
mod tests;

pub use marks::Marks;
pub use wanted::{Types, Wanted};

use crate::control::Control;
use crate::error::{Error, ErrorKind, Place, Result, quoted};
use crate::fix::Fix;
use crate::note::{Note, Topic};
use crate::table::{ColumnInfo, Kind, Table};
use crate::text::{count, counted};
use column::{Figure, Report};

/// At most this many columns are named in one note.
const NAMED: usize = 4;

/// Where a row is for the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spot {
    /// The line of a text file, from 1.
    Line(u64),
    /// The row of the table, from 1.
    Row(u64),
}

impl Spot {
    fn words(self) -> String {
        match self {
            Self::Line(line) => format!("line {line}"),
            Self::Row(row) => format!("row {}", count(row)),
        }
    }

    fn place(self, column: &str) -> Place {
        let place = Place::default().column(column);
        match self {
            Self::Line(line) => place.row(line),
            Self::Row(_) => place,
        }
    }
}

/// The table with the columns that have a wanted type turned into it; `spot` says where a row
/// (from 0) is. Names that no column has are not looked at, see [`Types::check`].
///
/// # Errors
/// [`ErrorKind::Format`] for the first column with a value that does not fit, with how many there are;
/// a stop request.
pub fn conform(
    table: Table,
    types: &Types,
    spot: &dyn Fn(usize) -> Result<Spot>,
    control: &Control,
) -> Result<Table> {
    let pending = |info: &ColumnInfo| {
        let wanted = types.of(&info.name)?;
        (info.kind != wanted.kind()).then_some(wanted)
    };
    if !table.columns().iter().any(|info| pending(info).is_some()) {
        return Ok(table);
    }
    let mut columns = Vec::with_capacity(table.width());
    let mut explanation = table.explanation.clone();
    let mut notes = table.notes.clone();
    let mut words: Vec<(String, Figure)> = Vec::new();
    for (position, (info, values)) in table.iter().enumerate() {
        control.check()?;
        let Some(wanted) = pending(info) else {
            columns.push((info.clone(), values.clone()));
            continue;
        };
        let place = Place::default().column(&info.name);
        let (turned, report) =
            column::turn(values, info.kind, wanted, control).map_err(|error| {
                let fix = Fix::types(&info.name, "text");
                match error.kind() {
                    ErrorKind::Format => error.at(place).hint(fix.to_string()).fix(fix),
                    _ => error,
                }
            })?;
        let Report {
            misfits,
            words: missing,
            rounded,
        } = report;
        if misfits.count > 0 {
            return Err(misfit(
                &info.name,
                info.kind,
                wanted,
                types,
                &misfits,
                spot(misfits.row)?,
            ));
        }
        // What was said about the type that the column had before is no longer true.
        notes.retain(|note| {
            note.topic != Topic::Types || note.place.column.as_deref() != Some(&info.name)
        });
        if rounded.count > 0 {
            let spot = spot(rounded.row)?;
            let line = format!(
                "column {:?}: {} of more digits than a float keeps rounded (first: {})",
                info.name,
                counted(rounded.count, "number"),
                spot.words()
            );
            let note = Note::new(Topic::Types, line);
            notes.push(note.counted(rounded.count, spot.place(&info.name)));
        }
        if missing.count > 0 {
            words.push((info.name.clone(), missing));
        }
        let name = info.name.clone();
        let kind = wanted.kind();
        columns.push((ColumnInfo { name, kind }, turned));
        explanation.set_reason(position, format!("given: {wanted}"));
    }
    notes.extend(missing_words(&words, spot)?);
    let mut conformed = Table::from_columns(table.height(), columns)?;
    conformed.origin = table.origin;
    conformed.notes = notes;
    conformed.explanation = explanation;
    conformed.left_out = table.left_out;
    Ok(conformed)
}

fn misfit(
    name: &str,
    kind: Kind,
    wanted: &Wanted,
    types: &Types,
    misfits: &Figure,
    spot: Spot,
) -> Error {
    let found = match spot {
        Spot::Line(_) => quoted(&misfits.value),
        Spot::Row(_) => format!("{} in {}", quoted(&misfits.value), spot.words()),
    };
    let more = match misfits.count {
        1 => String::new(),
        number => format!(" ({} in all do not fit)", counted(number, "value")),
    };
    let message = format!("expected {wanted}, found {found}{more}");
    let error = Error::new(ErrorKind::Format, message).at(spot.place(name));
    let (lead, fix) = match (types, suggest::form(&misfits.value, wanted, kind)) {
        (Types::All(_), _) => (
            "name the columns that have this type: ",
            Fix::types("...", wanted.to_string()),
        ),
        (_, Some(form)) => ("if that is how it is written: ", Fix::types(name, form)),
        (_, None) => ("look at its values as text: ", Fix::types(name, "text")),
    };
    error.hint(format!("{lead}{fix}")).fix(fix)
}

/// The line about words that were read as missing.
fn missing_words(
    words: &[(String, Figure)],
    spot: &dyn Fn(usize) -> Result<Spot>,
) -> Result<Option<Note>> {
    let Some((name, figure)) = words.first() else {
        return Ok(None);
    };
    let columns: Vec<String> = words
        .iter()
        .take(NAMED)
        .map(|(name, figure)| format!("{name:?} {}", count(figure.count)))
        .collect();
    let more = match words.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {} more columns", count(more as u64)),
    };
    let first = spot(figure.row)?;
    let message = format!(
        "words such as NA read as missing: {}{more} (first: {})",
        columns.join(", "),
        first.words()
    );
    let total = words.iter().map(|(_, figure)| figure.count).sum();
    Ok(Some(
        Note::new(Topic::Types, message).counted(total, first.place(name)),
    ))
}
