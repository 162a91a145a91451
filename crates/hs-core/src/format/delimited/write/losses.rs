//! What delimited text does not carry. A file without types says nothing of text that looks like
//! numbers: the project's own reader is asked what it would make of such a column.

use polars::prelude::{Column, DataType, TimeUnit};
use polars_arrow::array::{PrimitiveArray, Utf8ViewArray};

use super::{Empty, lines};
use crate::control::Control;
use crate::error::{Error, ErrorKind, Place, Result};
use crate::fix::Fix;
use crate::format::delimited;
use crate::format::rows::losses::{decimals, kinds, names, quoted, refuse_bytes, some, zones};
use crate::format::{Format, ReadOptions};
use crate::note::{Note, Topic};
use crate::source::Source;
use crate::table::{ColumnInfo, Kind, Table, unique_names};
use crate::text;

/// Refuses what the text cannot hold at all.
///
/// # Errors
/// [`ErrorKind::Type`] for bytes, and for a table without columns.
pub fn refuse(table: &Table) -> Result<()> {
    if table.width() == 0 {
        let message = "expected at least one column, found none";
        return Err(Error::new(ErrorKind::Type, message)
            .hint("a frame without columns has a form only in json and parquet"));
    }
    refuse_bytes(table, Format::Csv)
}

/// What there is to say of a table that was written.
///
/// # Errors
/// Only a stop request.
pub fn notes(table: &Table, delimiter: u8, empty: &Empty, control: &Control) -> Result<Vec<Note>> {
    let mut notes = Vec::new();
    notes.extend(look_like_data(table, delimiter, control)?);
    notes.extend(empty_texts(table, empty));
    notes.extend(decimals(table));
    notes.extend(kinds(
        table,
        |kind, column| match kind {
            Kind::Float if is_endless(column) => Some("nothing but infinities"),
            Kind::Date | Kind::Datetime if is_far(column) => Some("years beyond 9999"),
            Kind::Category => Some("category"),
            Kind::Duration => Some("duration"),
            Kind::List => Some("list, as JSON"),
            Kind::Struct => Some("struct, as JSON"),
            Kind::Mixed => Some("mixed, as JSON"),
            _ => None,
        },
        |kind| (kind == Kind::Float).then_some("float"),
    ));
    notes.extend(zones(table));
    let known = table.columns().iter().map(|info| info.name.as_str());
    notes.extend(names(table, &unique_names(known)));
    Ok(notes)
}

/// Texts that the reader takes for values of another type.
fn look_like_data(table: &Table, delimiter: u8, control: &Control) -> Result<Option<Note>> {
    let mut found: Vec<(&str, Kind)> = Vec::new();
    for (info, column) in table.iter() {
        let text = matches!(info.kind, Kind::Text | Kind::Category);
        if !text || column.null_count() == column.len() || proves_text(column) {
            continue;
        }
        control.check()?;
        let kind = kind_read(info, column, delimiter, control)?;
        if !matches!(kind, Kind::Text | Kind::Empty) {
            found.push((&info.name, kind));
        }
    }
    let Some((first, _)) = found.first() else {
        return Ok(None);
    };
    let fix = Fix::types(first, "text");
    let shown: Vec<String> = found
        .iter()
        .map(|(name, kind)| format!("{name:?} loads as {}", kind.word()))
        .collect();
    let line = format!(
        "text that looks like data: {}; {fix} keeps it text",
        some(&shown)
    );
    Ok(Some(Note {
        count: Some(found.len() as u64),
        place: Place::default(),
        ..Note::new(Topic::Types, line).fix(fix)
    }))
}

/// True when a value of the column is plainly text; in doubt false. Most columns have one in front.
fn proves_text(column: &Column) -> bool {
    let series = column.as_materialized_series();
    series.chunks().iter().any(|chunk| {
        let texts = chunk.as_any().downcast_ref::<Utf8ViewArray>();
        texts.is_some_and(|texts| texts.iter().flatten().any(is_plain_text))
    })
}

/// True for a text that makes a whole column text: a word that is none of those for true, false,
/// missing and infinity, or digits with a zero in front.
fn is_plain_text(text: &str) -> bool {
    /// As long as the words for true, false, missing and infinity at most.
    const WORD: usize = 9;
    match text.as_bytes() {
        [b'0', rest @ ..] => !rest.is_empty() && rest.iter().all(u8::is_ascii_digit),
        [first, ..] if first.is_ascii_alphabetic() => {
            let word = matches!(first.to_ascii_lowercase(), b't' | b'f' | b'n' | b'i');
            !word || text.len() > WORD
        }
        _ => false,
    }
}

/// What the reader makes of the column.
fn kind_read(info: &ColumnInfo, column: &Column, delimiter: u8, control: &Control) -> Result<Kind> {
    let alone = Table::from_columns(
        column.len(),
        [(
            ColumnInfo {
                name: "x".to_owned(),
                kind: info.kind,
            },
            column.clone(),
        )],
    )?;
    let mut written = Vec::new();
    lines(&alone, delimiter, &mut written, control)?;
    let options = ReadOptions {
        delimiter: Some(char::from(delimiter)),
        header: Some(1),
        ..ReadOptions::default()
    };
    let read = Source::bytes("x.csv", written)
        .and_then(|source| delimited::read(source, &options, control));
    match read {
        Ok(table) => Ok(table.columns().first().map_or(Kind::Text, |info| info.kind)),
        Err(error) if error.kind() == ErrorKind::Interrupted => Err(error),
        Err(_) => Ok(Kind::Text),
    }
}

/// True for floats that are infinite as far as they are numbers: `inf` is a word unless it stands
/// beside one.
fn is_endless(column: &Column) -> bool {
    let numbers = column.cast(&DataType::Float64);
    let Some(numbers) = numbers.as_ref().ok().and_then(|numbers| numbers.f64().ok()) else {
        return false;
    };
    let mut numbers = numbers.iter().flatten().filter(|number| !number.is_nan());
    // The first number decides for most columns.
    numbers.next().is_some_and(f64::is_infinite) && numbers.all(f64::is_infinite)
}

/// True for days and points in time outside the years that four digits write.
fn is_far(column: &Column) -> bool {
    /// 0000-01-01 and 9999-12-31.
    const DAYS: std::ops::RangeInclusive<i64> = -719_528..=2_932_896;
    let ticks = match column.dtype() {
        DataType::Datetime(TimeUnit::Milliseconds, _) => 86_400_000,
        DataType::Datetime(TimeUnit::Microseconds, _) => 86_400_000_000,
        DataType::Datetime(TimeUnit::Nanoseconds, _) => return false,
        _ => 1,
    };
    let far = |value: i64| !DAYS.contains(&value.div_euclid(ticks));
    let series = column.as_materialized_series();
    series.chunks().iter().any(|chunk| {
        let array = chunk.as_any();
        if let Some(days) = array.downcast_ref::<PrimitiveArray<i32>>() {
            return days.non_null_values_iter().any(|day| far(i64::from(day)));
        }
        let moments = array.downcast_ref::<PrimitiveArray<i64>>();
        moments.is_some_and(|moments| moments.non_null_values_iter().any(far))
    })
}

fn empty_texts(table: &Table, empty: &Empty) -> Option<Note> {
    let columns: Vec<(&str, u64, usize)> = table
        .columns()
        .iter()
        .zip(empty)
        .filter(|(_, (count, _))| *count > 0)
        .map(|(info, (count, first))| (info.name.as_str(), *count, *first))
        .collect();
    let (_, _, first) = columns.first()?;
    let count = columns.iter().map(|(_, count, _)| count).sum();
    let named: Vec<&str> = columns.iter().map(|(name, ..)| *name).collect();
    let verb = if count == 1 { "loads" } else { "load" };
    let line = format!(
        "{} in {} {verb} as missing (first: row {})",
        text::counted(count, "empty text"),
        quoted(&named),
        text::count(*first as u64 + 1)
    );
    Some(Note::new(Topic::Types, line).counted(count, Place::default()))
}
