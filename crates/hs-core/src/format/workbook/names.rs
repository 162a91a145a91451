//! The names that a header gives to columns, and what there is to say about it. It does not look for
//! the header.

use super::cells::address;
use super::header::{Head, HeaderRows};
use crate::error::{Place, quoted};
use crate::fix::Fix;
use crate::note::{Note, Topic};
use crate::table::unique_names;
use crate::text;

/// The note about the rows above the header, when there are any.
pub fn title_note(head: &Head<'_>, header: HeaderRows) -> Option<Note> {
    let (top, position, title) = head.title()?;
    let rows = header.first.checked_sub(top).filter(|rows| *rows > 0)?;
    let rows = u64::from(rows);
    let fix = Fix::number("header", 0);
    let line = format!(
        "skipped {} above the header in row {} ({} {}); {fix} reads every row",
        text::counted(rows, "row"),
        header.first + 1,
        address(top, position),
        quoted(&title)
    );
    let place = super::cells::place(top, position);
    Some(Note::new(Topic::Rows, line).counted(rows, place).fix(fix))
}

/// Names for the columns: the header's texts, made unique; what was made is told.
pub fn name_columns(
    head: &Head<'_>,
    header: Option<HeaderRows>,
    used: Vec<u32>,
    notes: &mut Vec<Note>,
) -> Vec<(u32, String)> {
    let wanted: Vec<String> = used
        .iter()
        .map(|position| header.map_or_else(String::new, |header| head.name(header, *position)))
        .collect();
    let names = unique_names(wanted.iter().map(String::as_str));
    if let Some(header) = header {
        notes.extend(joined_note(header, &names));
        notes.extend(names_note(&wanted, &names));
    }
    used.into_iter().zip(names).collect()
}

/// The note about a header of several rows.
fn joined_note(header: HeaderRows, names: &[String]) -> Option<Note> {
    const SHOWN: usize = 3;
    if header.first == header.last {
        return None;
    }
    let shown: Vec<String> = names
        .iter()
        .take(SHOWN)
        .map(|name| format!("{name:?}"))
        .collect();
    let more = if names.len() > SHOWN { ", ..." } else { "" };
    let line = format!(
        "joined the merged header of rows {} to {}: {}{more}",
        header.first + 1,
        header.last + 1,
        shown.join(", ")
    );
    let rows = u64::from(header.last - header.first) + 1;
    let place = Place::default().row(u64::from(header.first) + 1);
    Some(Note::new(Topic::Names, line).counted(rows, place))
}

fn names_note(wanted: &[String], names: &[String]) -> Option<Note> {
    const SHOWN: usize = 5;
    let made: Vec<String> = wanted
        .iter()
        .zip(names)
        .filter(|(wanted, name)| wanted != name)
        .map(|(wanted, name)| match wanted.as_str() {
            "" => format!("blank -> {name:?}"),
            wanted => format!("{wanted:?} -> {name:?}"),
        })
        .collect();
    if made.is_empty() {
        return None;
    }
    let more = if made.len() > SHOWN { ", ..." } else { "" };
    let columns = text::counted(made.len() as u64, "column");
    let shown = &made[..made.len().min(SHOWN)];
    let line = format!("named {columns}: {}{more}", shown.join(", "));
    Some(Note::new(Topic::Names, line).counted(made.len() as u64, Place::default()))
}
