//! The sheets of a workbook: which one is meant, and the line about the others. It reads no cells.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::area::Area;
use crate::error::{Error, ErrorKind, Result};
use crate::format::SheetChoice;
use crate::note::{Note, Topic};
use crate::text;
use crate::value::Value;

/// How many sheets a line lists.
const LISTED: usize = 12;

/// A sheet in the list of sheets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SheetInfo {
    /// Its name.
    pub name: String,
    /// It is hidden or very hidden.
    pub hidden: bool,
    /// What it is instead of a table of cells, such as a chart.
    pub instead: Option<&'static str>,
}

impl SheetInfo {
    /// The name in quotes with what there is to know about the sheet.
    fn shown(&self, size: Option<(u32, u32)>) -> String {
        let mut facts: Vec<String> = Vec::new();
        facts.extend(
            size.map(|(rows, columns)| format!("{} x {columns}", text::count(u64::from(rows)))),
        );
        facts.extend(self.instead.map(str::to_owned));
        facts.extend(self.hidden.then(|| "hidden".to_owned()));
        match facts.as_slice() {
            [] => format!("{:?}", self.name),
            facts => format!("{:?} ({})", self.name, facts.join(", ")),
        }
    }
}

/// The position of the sheet that is meant.
///
/// # Errors
/// [`ErrorKind::Sheet`] when there is none; the hint lists the sheets, hidden ones marked.
pub fn choose(sheets: &[SheetInfo], choice: &SheetChoice) -> Result<usize> {
    let error = |message: String| Err(with_list(Error::new(ErrorKind::Sheet, message), sheets, ""));
    let found = match choice {
        SheetChoice::First => {
            let table = |sheet: &&SheetInfo| sheet.instead.is_none();
            let first = sheets.iter().find(|sheet| table(sheet) && !sheet.hidden);
            match first.or_else(|| sheets.iter().find(table)) {
                Some(first) => sheets.iter().position(|sheet| sheet == first),
                None => return error("expected a sheet with cells, found none".to_owned()),
            }
        }
        SheetChoice::Name(name) => match position(sheets, name) {
            None => return error(format!("no sheet {name:?}")),
            found => found,
        },
        SheetChoice::All => return error("expected one sheet, found all of them".to_owned()),
        SheetChoice::Index(index) => {
            let count = sheets.len() as i64;
            let position = if *index < 0 { index + count } else { *index };
            match usize::try_from(position)
                .ok()
                .filter(|position| *position < sheets.len())
            {
                None => {
                    let sheets = text::counted(sheets.len() as u64, "sheet");
                    return error(format!("no sheet at position {index}, there are {sheets}"));
                }
                found => found,
            }
        }
    };
    let Some(found) = found else {
        return error("expected a sheet with cells, found none".to_owned());
    };
    match sheets[found].instead {
        Some(instead) => error(format!(
            "expected a sheet with cells, found {instead} in sheet {:?}",
            sheets[found].name
        )),
        None => Ok(found),
    }
}

/// The position of the sheet of this name: exact, else in any case.
pub fn position(sheets: &[SheetInfo], name: &str) -> Option<usize> {
    let exact = sheets.iter().position(|sheet| sheet.name == name);
    let lower = name.to_lowercase();
    exact.or_else(|| {
        sheets
            .iter()
            .position(|sheet| sheet.name.to_lowercase() == lower)
    })
}

/// The error for a sheet without cells; the hint lists the sheets.
pub fn empty(sheets: &[SheetInfo]) -> Error {
    let error = Error::new(ErrorKind::Format, "expected cells, found an empty sheet");
    match sheets {
        [_] => error.hint("it is the only sheet: fill it, or load another file"),
        sheets => with_list(error, sheets, ""),
    }
}

/// The error with a hint that lists the sheets, then says `last`.
pub fn with_list(error: Error, sheets: &[SheetInfo], last: &str) -> Error {
    if sheets.is_empty() {
        return error.hint("open and save it in the program that wrote it");
    }
    let shown: Vec<String> = sheets
        .iter()
        .take(LISTED)
        .map(|sheet| sheet.shown(None))
        .collect();
    let more = match sheets.len().saturating_sub(LISTED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    error.hint(format!("the sheets are {}{more}{last}", shown.join(", ")))
}

/// The sheets as a fact: names in order, with what is special about each.
pub fn fact(sheets: &[SheetInfo], chosen: usize) -> Value {
    let sheet = |(position, sheet): (usize, &SheetInfo)| {
        let mut fields = vec![("name".to_owned(), Value::Text(sheet.name.clone()))];
        for (name, flag) in [("loaded", position == chosen), ("hidden", sheet.hidden)] {
            if flag {
                fields.push((name.to_owned(), Value::Bool(true)));
            }
        }
        Value::Object(fields)
    };
    Value::List(sheets.iter().enumerate().map(sheet).collect())
}

/// The note about the sheets that were not loaded, with their sizes where `size` knows them.
pub fn others(
    sheets: &[SheetInfo],
    chosen: usize,
    mut size: impl FnMut(&str) -> Option<(u32, u32)>,
) -> Option<Note> {
    let others: Vec<&SheetInfo> = sheets
        .iter()
        .enumerate()
        .filter(|(index, _)| *index != chosen)
        .map(|(_, sheet)| sheet)
        .collect();
    if others.is_empty() {
        return None;
    }
    let shown: Vec<String> = others
        .iter()
        .take(LISTED)
        .map(|sheet| {
            // A sheet that nobody asked for must not spoil the one that was read.
            let known = catch_unwind(AssertUnwindSafe(|| size(&sheet.name)));
            sheet.shown(known.unwrap_or(None))
        })
        .collect();
    let more = match others.len().saturating_sub(LISTED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let word = if others.len() == 1 { "sheet" } else { "sheets" };
    let text = format!("other {word}: {}{more}", shown.join(", "));
    Some(Note::new(Topic::Sheets, text).counted(others.len() as u64, crate::Place::default()))
}

/// Rows below the header and columns of a used area that a file declares; `None` when the
/// declaration is missing or covers a whole sheet, as careless writers have it.
pub fn declared_size(area: Area) -> Option<(u32, u32)> {
    let rows = area.last.0.checked_sub(area.first.0)?;
    let columns = area.last.1.checked_sub(area.first.1)?.checked_add(1)?;
    let whole = rows + 1 >= super::cells::ROWS || columns >= super::cells::COLUMNS;
    let nothing = rows == 0 && columns == 1;
    (!whole && !nothing).then_some((rows, columns))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sheets() -> Vec<SheetInfo> {
        let sheet = |name: &str, hidden, instead| SheetInfo {
            name: name.into(),
            hidden,
            instead,
        };
        vec![
            sheet("lists", true, None),
            sheet("Plot", false, Some("chart")),
            sheet("Data", false, None),
            sheet("data", false, None),
        ]
    }

    fn chosen(choice: &SheetChoice) -> Option<usize> {
        choose(&sheets(), choice).ok()
    }

    #[test]
    fn the_default_is_the_first_visible_sheet_with_cells() {
        assert_eq!(chosen(&SheetChoice::First), Some(2));
        assert_eq!(choose(&sheets()[..1], &SheetChoice::First).ok(), Some(0));
    }

    #[test]
    fn names_are_exact_first_then_in_any_case() {
        assert_eq!(chosen(&SheetChoice::Name("data".into())), Some(3));
        assert_eq!(chosen(&SheetChoice::Name("DATA".into())), Some(2));
        assert_eq!(chosen(&SheetChoice::Name("LISTS".into())), Some(0));
    }

    #[test]
    fn positions_count_from_0_or_from_the_end() {
        assert_eq!(chosen(&SheetChoice::Index(0)), Some(0));
        assert_eq!(chosen(&SheetChoice::Index(-1)), Some(3));
        assert_eq!(chosen(&SheetChoice::Index(4)), None);
        assert_eq!(chosen(&SheetChoice::Index(-5)), None);
        assert_eq!(chosen(&SheetChoice::Index(1)), None, "a chart has no cells");
    }

    #[test]
    fn an_unknown_sheet_lists_the_sheets() {
        let error =
            choose(&sheets(), &SheetChoice::Name("2027".into())).expect_err("no such sheet");
        assert_eq!(error.kind(), ErrorKind::Sheet);
        assert_eq!(
            error.to_string(),
            "no sheet \"2027\"\nhint: the sheets are \"lists\" (hidden), \"Plot\" (chart), \"Data\", \"data\""
        );
    }

    #[test]
    fn the_other_sheets_are_told_with_size_and_state() {
        let note = others(&sheets(), 2, |name| (name == "lists").then_some((3, 2)));
        assert_eq!(
            note.map(|note| note.text).as_deref(),
            Some("other sheets: \"lists\" (3 x 2, hidden), \"Plot\" (chart), \"data\"")
        );
        assert_eq!(others(&sheets()[..1], 0, |_| None), None);
    }
}
