//! What the workbook part says: the sheets and the part each is in, the date system, defined names.

use super::package::{Package, Relationship, no_part};
use super::text::{attribute, decode};
use super::token::{Tag, Token};
use crate::error::Result;
use crate::format::workbook::area::{Area, NamedArea};
use crate::format::workbook::sheets::SheetInfo;

/// What the workbook part says.
#[derive(Debug, Default)]
pub struct Workbook {
    /// The sheets, in the order of the tabs.
    pub sheets: Vec<Sheet>,
    /// Days count from 1904.
    pub system_1904: bool,
    /// Defined names that mean one area.
    pub names: Vec<NamedArea>,
    /// The part with the number formats.
    pub styles: String,
    /// The part with the shared texts.
    pub texts: String,
}

/// A sheet in the list of sheets.
#[derive(Debug)]
pub struct Sheet {
    /// Name and state.
    pub info: SheetInfo,
    /// The part that it is in.
    pub part: String,
}

/// Reads the workbook part.
///
/// # Errors
/// [`ErrorKind::Format`](crate::ErrorKind::Format) when it is missing or broken.
pub fn workbook(package: &Package<'_>) -> Result<Workbook> {
    let part = package
        .relationships("")?
        .into_iter()
        .find(|found| found.kind == "officeDocument" && package.has(&found.part))
        .map_or_else(|| "xl/workbook.xml".to_owned(), |found| found.part);
    let related = package.relationships(&part)?;
    let by_kind = |kind: &str, usual: &str| {
        let mut of_kind = related.iter().filter(|found| found.kind == kind);
        let found = of_kind.find(|found| package.has(&found.part));
        found.map_or_else(|| usual.to_owned(), |found| found.part.clone())
    };
    let mut workbook = Workbook {
        styles: by_kind("styles", "xl/styles.xml"),
        texts: by_kind("sharedStrings", "xl/sharedStrings.xml"),
        ..Workbook::default()
    };
    // A defined name while its formula is read.
    let mut name: Option<(String, String)> = None;
    let there = package.each(&part, &mut |token, depth| {
        match token {
            Token::Start(tag) => match tag.name {
                // Extensions have an element of this name, too.
                "workbookPr" if depth == 2 => {
                    let system = tag.value("date1904");
                    workbook.system_1904 = matches!(system, Some("1" | "true" | "on"));
                }
                "sheet" if depth == 3 => {
                    let position = workbook.sheets.len() + 1;
                    workbook.sheets.push(sheet(tag, position, &related));
                }
                "definedName" => {
                    let hidden = matches!(tag.value("hidden"), Some("1" | "true"));
                    let full = attribute(tag.value("name").unwrap_or_default());
                    // `_xlnm.Print_Area` and the like are names that programs give.
                    let own = !hidden && !full.starts_with("_xlnm");
                    name = own.then(|| (full, String::new()));
                }
                _ => {}
            },
            Token::Text(text) => {
                if let Some((_, formula)) = &mut name {
                    decode(text, formula);
                }
            }
            Token::Data(text) => {
                if let Some((_, formula)) = &mut name {
                    formula.push_str(text);
                }
            }
            Token::End => {
                if let Some((name, formula)) = name.take()
                    && let Some((sheet, area)) = Area::parse_with_sheet(&formula)
                {
                    let table = false;
                    workbook.names.push(NamedArea {
                        name,
                        sheet,
                        area,
                        table,
                    });
                }
            }
        }
        Ok(())
    })?;
    if !there {
        return Err(no_part(&part));
    }
    Ok(workbook)
}

/// Name, state, kind and part of a sheet.
fn sheet(tag: Tag<'_>, position: usize, related: &[Relationship]) -> Sheet {
    let id = tag.prefixed("id").map(attribute).unwrap_or_default();
    let (kind, part) = match related.iter().find(|found| found.id == id) {
        Some(found) => (found.kind.as_str(), found.part.clone()),
        // As programs name it.
        None => ("worksheet", format!("xl/worksheets/sheet{position}.xml")),
    };
    let instead = match kind {
        "chartsheet" => Some("chart"),
        "dialogsheet" => Some("dialog"),
        "xlMacrosheet" | "xlIntlMacrosheet" => Some("macros"),
        _ => None,
    };
    let info = SheetInfo {
        name: attribute(tag.value("name").unwrap_or_default()),
        hidden: matches!(tag.value("state"), Some("hidden" | "veryHidden")),
        instead,
    };
    Sheet { info, part }
}

/// The tables of a sheet.
///
/// # Errors
/// [`ErrorKind::Format`](crate::ErrorKind::Format) when a part is broken.
pub fn tables(package: &Package<'_>, sheet: &Sheet) -> Result<Vec<NamedArea>> {
    let related = package.relationships(&sheet.part)?;
    let mut tables = Vec::new();
    for table in related.iter().filter(|found| found.kind == "table") {
        package.each(&table.part, &mut |token, depth| {
            if let Token::Start(tag) = token
                && (tag.name, depth) == ("table", 1)
                && let Some(name) = tag.value("displayName").or_else(|| tag.value("name"))
                && let Some(mut area) = tag.value("ref").and_then(Area::parse)
            {
                // The totals below a table are no rows of it.
                let totals = tag.value("totalsRowCount");
                let totals = totals.and_then(|count| count.parse().ok()).unwrap_or(0);
                area.last.0 = area.last.0.saturating_sub(totals).max(area.first.0);
                tables.push(NamedArea {
                    name: attribute(name),
                    sheet: sheet.info.name.clone(),
                    area,
                    table: true,
                });
            }
            Ok(())
        })?;
    }
    Ok(tables)
}
