//! The header of a table: which row it is, titles above it, the names it gives. It decides by what is
//! in the cells, never by styles.

use std::collections::HashMap;

use super::cells::{Cells, Content, address};
use super::number_format::Shape;
use super::shown::shown;
use crate::error::{Place, quoted};
use crate::note::{Note, Topic};
use crate::table::unique_names;
use crate::text;

/// The first row that is no title. A title is a single cell above a row of several texts.
pub fn below_titles(cells: &Cells, filled: &[u32], top: usize) -> usize {
    let mut candidates = filled
        .iter()
        .enumerate()
        .skip(top)
        .filter(|(_, count)| **count > 0);
    // A title block has a few lines at most; a long first column is data.
    for _ in 0..10 {
        match candidates.next() {
            Some((_, 1)) => {}
            Some((row, _)) if row == top || !looks_like_header(cells, row as u32) => return top,
            Some((row, _)) => return row,
            None => return top,
        }
    }
    top
}

/// All cells of the row are texts or years, the first is a text.
fn looks_like_header(cells: &Cells, row: u32) -> bool {
    let mut contents = cells
        .columns()
        .filter_map(|(_, column)| column.at(row))
        .filter(|content| !cells.is_blank(*content));
    let texts_first = matches!(contents.next(), Some(Content::Text(_)));
    texts_first
        && contents.all(|content| match content {
            Content::Text(_) => true,
            Content::Number(year, Shape::Plain) => {
                year.fract() == 0.0 && (1900.0..2101.0).contains(&year)
            }
            _ => false,
        })
}

/// The note about the rows from `top` to the header, when there are any.
pub fn title_note(cells: &Cells, top: usize, header: usize) -> Option<Note> {
    let title = cells
        .columns()
        .find_map(|(position, column)| Some((position, column.at(top as u32)?)))
        .filter(|_| top < header)
        .and_then(|(position, content)| Some((position, shown(content, cells)?)))?;
    let (position, title) = title;
    let rows = text::counted((header - top) as u64, "row");
    let at = address(top as u32, position);
    let line = format!(
        "skipped {rows} above the header in row {} ({at} {})",
        header + 1,
        quoted(&title)
    );
    let place = super::cells::place(top as u32, position);
    Some(Note::new(Topic::Rows, line).counted((header - top) as u64, place))
}

/// Names for the columns: the header's texts, made unique; what was made is told.
pub fn name_columns(
    cells: &Cells,
    header: Option<u32>,
    used: Vec<u32>,
    notes: &mut Vec<Note>,
) -> Vec<(u32, String)> {
    let by_position: HashMap<u32, Option<String>> = cells
        .columns()
        .map(|(position, column)| {
            let content = header.and_then(|row| column.at(row));
            (position, content.and_then(|content| shown(content, cells)))
        })
        .collect();
    let wanted: Vec<String> = used
        .iter()
        .map(|position| {
            by_position
                .get(position)
                .cloned()
                .flatten()
                .unwrap_or_default()
        })
        .collect();
    let names = unique_names(wanted.iter().map(String::as_str));
    if header.is_some() {
        notes.extend(names_note(&wanted, &names));
    }
    used.into_iter().zip(names).collect()
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
