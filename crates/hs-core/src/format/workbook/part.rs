//! Which part of a workbook is meant: a sheet, a range of one, a table or a defined name. It reads
//! no cells.

use super::area::{Area, NamedArea};
use super::cells::{COLUMNS, ROWS, address};
use super::sheets::{self, SheetInfo};
use crate::error::{Error, ErrorKind, Result, did_you_mean, quoted};
use crate::format::SheetChoice;

/// How many tables or names a hint lists.
const LISTED: usize = 12;

/// A part of a workbook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Position of its sheet.
    pub sheet: usize,
    /// The cells that are meant; without it all of the sheet.
    pub area: Option<Area>,
    /// The part in words, such as `sheet "2026", C3:T25`.
    pub words: String,
}

impl Part {
    /// A whole sheet.
    pub fn whole(sheets: &[SheetInfo], sheet: usize) -> Self {
        Self {
            sheet,
            area: None,
            words: format!("sheet {:?}", sheets[sheet].name),
        }
    }
}

/// The part that is meant. A name is a sheet before it is a table or a defined name, and each
/// exactly before in any case; what is none of them may be a range (`Sheet1!C3:T25`, `C3:T25` of the
/// first visible sheet, `A:F`, `3:90`, `Sheet1!C3` for all from that cell on).
///
/// # Errors
/// [`ErrorKind::Sheet`] when there is no such part; the hint lists what there is.
pub fn choose(
    sheets: &[SheetInfo],
    named: impl FnOnce() -> Vec<NamedArea>,
    choice: &SheetChoice,
) -> Result<Part> {
    let SheetChoice::Name(name) = choice else {
        return sheets::choose(sheets, choice).map(|sheet| Part::whole(sheets, sheet));
    };
    if let Some(sheet) = sheets.iter().position(|sheet| sheet.name == *name) {
        return whole(sheets, sheet);
    }
    let mut named = named();
    named.retain(|named| sheets.iter().any(|sheet| sheet.name == named.sheet));
    let lower = name.to_lowercase();
    let in_any_case = |other: &str| other.to_lowercase() == lower;
    if let Some(found) = named.iter().find(|named| named.name == *name) {
        return Ok(of_name(sheets, found));
    }
    if let Some(sheet) = sheets.iter().position(|sheet| in_any_case(&sheet.name)) {
        return whole(sheets, sheet);
    }
    if let Some(found) = named.iter().find(|named| in_any_case(&named.name)) {
        return Ok(of_name(sheets, found));
    }
    if let Some((sheet, inside)) = name.rsplit_once('!') {
        return within(sheets, &named, sheet, inside);
    }
    match written(name) {
        Some(Written::Area(area)) => {
            let sheet = sheets::choose(sheets, &SheetChoice::First)?;
            Ok(of_area(sheets, sheet, area))
        }
        Some(Written::From(..)) => {
            let sheet = sheets::choose(sheets, &SheetChoice::First)?;
            let cell = format!("{}!{name}", sheets[sheet].name);
            let more = format!("; {cell:?} is all from that cell on");
            Err(unknown(sheets, &named, name, &more))
        }
        None => Err(unknown(sheets, &named, name, "")),
    }
}

/// A sheet with cells, as a whole.
fn whole(sheets: &[SheetInfo], sheet: usize) -> Result<Part> {
    let choice = SheetChoice::Index(sheet as i64);
    sheets::choose(sheets, &choice).map(|sheet| Part::whole(sheets, sheet))
}

/// A part of a sheet that is named in front of a `!`.
fn within(sheets: &[SheetInfo], named: &[NamedArea], sheet: &str, inside: &str) -> Result<Part> {
    let name = unquoted(sheet);
    let position = sheets::position(sheets, &name);
    let position = position.ok_or_else(|| unknown(sheets, named, &name, ""))?;
    whole(sheets, position)?;
    let lower = inside.to_lowercase();
    let found = named
        .iter()
        .find(|named| named.sheet == sheets[position].name && named.name.to_lowercase() == lower);
    if let Some(found) = found {
        return Ok(of_name(sheets, found));
    }
    match written(inside) {
        Some(Written::Area(area)) => Ok(of_area(sheets, position, area)),
        Some(Written::From(row, column)) => Ok(Part {
            sheet: position,
            area: Some(Area {
                first: (row, column),
                last: (ROWS - 1, COLUMNS - 1),
            }),
            words: format!(
                "sheet {:?} from {} on",
                sheets[position].name,
                address(row, column)
            ),
        }),
        None => {
            let message = format!(
                "expected a range of sheet {:?} such as C3:T25, found {}",
                sheets[position].name,
                quoted(inside)
            );
            let error = Error::new(ErrorKind::Sheet, message);
            Err(error.hint(match listed(named) {
                Some(names) => names,
                None => "a range goes from cell to cell, A:F are whole columns, 3:90 whole rows"
                    .to_owned(),
            }))
        }
    }
}

fn of_area(sheets: &[SheetInfo], sheet: usize, area: Area) -> Part {
    Part {
        sheet,
        area: Some(area),
        words: format!("sheet {:?}, {area}", sheets[sheet].name),
    }
}

fn of_name(sheets: &[SheetInfo], named: &NamedArea) -> Part {
    let sheet = sheets.iter().position(|sheet| sheet.name == named.sheet);
    let kind = if named.table { "table" } else { "name" };
    Part {
        // Names of sheets that are not there were left out before.
        sheet: sheet.unwrap_or_default(),
        area: Some(named.area),
        words: format!(
            "{kind} {:?} in sheet {:?}, {}",
            named.name, named.sheet, named.area
        ),
    }
}

/// The error for a name that nothing has; the hint lists sheets, tables and names, then `more`.
fn unknown(sheets: &[SheetInfo], named: &[NamedArea], name: &str, more: &str) -> Error {
    let (message, more) = match listed(named) {
        Some(names) => (
            format!("no sheet, table or name {name:?}"),
            format!("; {names}{more}"),
        ),
        None => (format!("no sheet {name:?}"), more.to_owned()),
    };
    let error = sheets::with_list(Error::new(ErrorKind::Sheet, message), sheets, &more);
    let names = sheets.iter().map(|sheet| sheet.name.as_str());
    let names = names.chain(named.iter().map(|named| named.name.as_str()));
    match (did_you_mean(name, names), error.hint_text()) {
        (Some(asked), Some(list)) => {
            let hint = format!("{asked} {list}");
            error.hint(hint)
        }
        _ => error,
    }
}

/// The tables and the names, in words; `None` when there are none.
fn listed(named: &[NamedArea]) -> Option<String> {
    let list = |table: bool, words: &str| {
        let names: Vec<&NamedArea> = named.iter().filter(|named| named.table == table).collect();
        let shown: Vec<String> = names
            .iter()
            .take(LISTED)
            .map(|named| format!("{:?}", named.name))
            .collect();
        let more = match names.len().saturating_sub(LISTED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        (!names.is_empty()).then(|| format!("{words} {}{more}", shown.join(", ")))
    };
    let lists = [list(true, "the tables are"), list(false, "the names are")];
    let lists: Vec<String> = lists.into_iter().flatten().collect();
    (!lists.is_empty()).then(|| lists.join("; "))
}

/// A sheet's name as formulas write it: in quotes, with quotes inside doubled, or as it is.
fn unquoted(name: &str) -> String {
    let inside = name
        .strip_prefix('\'')
        .and_then(|name| name.strip_suffix('\''));
    inside.map_or_else(|| name.to_owned(), |inside| inside.replace("''", "'"))
}

/// What a range text means.
enum Written {
    /// From corner to corner.
    Area(Area),
    /// A single cell (row, column): all from there on.
    From(u32, u32),
}

fn written(text: &str) -> Option<Written> {
    let area = Area::parse(text)?;
    Some(if text.contains(':') {
        Written::Area(area)
    } else {
        Written::From(area.first.0, area.first.1)
    })
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
            sheet("It's", false, None),
            sheet("Plot", false, Some("chart")),
            sheet("q!1", false, None),
            sheet("rates", false, None),
        ]
    }

    fn named() -> Vec<NamedArea> {
        let name = |name: &str, sheet: &str, table| NamedArea {
            name: name.into(),
            sheet: sheet.into(),
            area: Area {
                first: (1, 1),
                last: (3, 2),
            },
            table,
        };
        vec![
            name("Orders", "lists", true),
            name("LISTS", "It's", true),
            name("rates", "lists", false),
            name("gone", "deleted", false),
            name("Local", "rates", false),
        ]
    }

    fn chosen(name: &str) -> std::result::Result<(usize, String), String> {
        choose(&sheets(), named, &SheetChoice::Name(name.into()))
            .map(|part| (part.sheet, part.words))
            .map_err(|error| error.to_string())
    }

    #[test]
    fn sheets_come_before_tables_and_exact_before_any_case() {
        assert_eq!(chosen("lists"), Ok((0, "sheet \"lists\"".into())));
        let table = (1, "table \"LISTS\" in sheet \"It's\", B2:C4".into());
        assert_eq!(chosen("LISTS"), Ok(table));
        assert_eq!(chosen("Lists"), Ok((0, "sheet \"lists\"".into())));
        assert_eq!(chosen("rates"), Ok((4, "sheet \"rates\"".into())));
        let table = (0, "table \"Orders\" in sheet \"lists\", B2:C4".into());
        assert_eq!(chosen("orders"), Ok(table));
    }

    #[test]
    fn ranges_are_of_their_sheet_or_of_the_first_visible_one() {
        let range = Ok((1, "sheet \"It's\", A1:B2".into()));
        for text in ["It's!A1:B2", "'It''s'!$A$1:$B$2", "IT'S!A1:B2", "a1:b2"] {
            assert_eq!(chosen(text), range, "{text}");
        }
        assert_eq!(chosen("q!1"), Ok((3, "sheet \"q!1\"".into())));
        assert_eq!(chosen("q!1!A:B"), Ok((3, "sheet \"q!1\", A:B".into())));
        let from = Ok((0, "sheet \"lists\" from C3 on".into()));
        assert_eq!(chosen("lists!C3"), from);
        let name = (4, "name \"Local\" in sheet \"rates\", B2:C4".into());
        assert_eq!(chosen("rates!local"), Ok(name));
    }

    #[test]
    fn what_is_not_there_is_an_error_that_lists_what_is() {
        assert_eq!(
            chosen("2027"),
            Err(
                "no sheet, table or name \"2027\"\nhint: the sheets are \"lists\" (hidden), \"It's\", \
                 \"Plot\" (chart), \"q!1\", \"rates\"; the tables are \"Orders\", \"LISTS\"; the names \
                 are \"rates\", \"Local\""
                    .into()
            )
        );
        let error = choose(&sheets(), Vec::new, &SheetChoice::Name("2027".into()));
        let error = error.map_err(|error| error.message().to_owned());
        assert_eq!(error, Err("no sheet \"2027\"".into()));
        let said = |name: &str| chosen(name).unwrap_err();
        assert!(said("2027!A1:B2").starts_with("no sheet, table or name \"2027\"\n"));
        assert!(
            said("lists!A1:")
                .starts_with("expected a range of sheet \"lists\" such as C3:T25, found \"A1:\"\n")
        );
        assert!(said("Q1").ends_with("\"It's!Q1\" is all from that cell on"));
        assert!(said("Plot").starts_with("expected a sheet with cells, found chart"));
        assert!(said("Plot!A1:B2").starts_with("expected a sheet with cells, found chart"));
    }
}
