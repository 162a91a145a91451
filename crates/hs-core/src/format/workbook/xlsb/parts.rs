//! The parts beside the sheets: list of sheets, relationships, number formats, shared texts.

use std::collections::HashMap;
use std::io::{BufReader, Read, Seek};

use quick_xml::XmlVersion;
use quick_xml::events::Event;
use zip::ZipArchive;

use super::names::{self, Names};
use super::records::{self, Record};
use super::{broken, not_read};
use crate::error::Result;
use crate::format::Format;
use crate::format::workbook::area::Area;
use crate::format::workbook::number_format::{self, Shape};
use crate::format::workbook::sheets::SheetInfo;
use crate::format::workbook::texts::Texts;

/// What the workbook part says.
pub struct Workbook {
    /// The sheets and the part each is in.
    pub sheets: Vec<(SheetInfo, String)>,
    /// Days count from 1904.
    pub system_1904: bool,
    /// Defined names.
    pub names: Names,
}

/// Reads the list of sheets.
///
/// # Errors
/// [`ErrorKind::Format`](crate::ErrorKind::Format) when the part is missing or broken.
pub fn workbook<R: Read + Seek>(archive: &mut ZipArchive<R>) -> Result<Workbook> {
    const PART: &str = "xl/workbook.bin";
    let relationships = relationships(archive, PART)?;
    let mut records = records::open(archive, PART)?
        .ok_or_else(|| broken(Format::Xlsb, format!("there is no part {PART}")))?;
    let mut workbook = Workbook {
        sheets: Vec::new(),
        system_1904: false,
        names: Names::default(),
    };
    while let Some((kind, record)) = records.next()? {
        match kind {
            // BrtWbProp
            153 => workbook.system_1904 = record.int(0).is_some_and(|flags| flags & 1 != 0),
            // BrtBundleSh
            156 => workbook.sheets.extend(sheet(record, &relationships)),
            kind => workbook.names.add(kind, record),
        }
    }
    Ok(workbook)
}

/// State, number, relationship and name of a sheet ([MS-XLSB] 2.4.312).
fn sheet(
    record: Record<'_>,
    relationships: &HashMap<String, (String, String)>,
) -> Option<(SheetInfo, String)> {
    let state = record.int(0)?;
    let (relationship, end) = record.text(8)?;
    let (name, _) = record.text(end)?;
    let (kind, part) = relationships
        .get(&relationship)
        .cloned()
        .unwrap_or_default();
    let instead = match kind.rsplit('/').next().unwrap_or_default() {
        "worksheet" => None,
        "chartsheet" => Some("chart"),
        "dialogsheet" => Some("dialog"),
        _ => Some("macros"),
    };
    let info = SheetInfo {
        name,
        hidden: state != 0,
        instead,
    };
    Some((info, part))
}

/// The tables of a sheet: name and area of each. They are optional parts.
///
/// # Errors
/// [`ErrorKind::Format`](crate::ErrorKind::Format) when a part is broken.
pub fn tables<R: Read + Seek>(
    archive: &mut ZipArchive<R>,
    sheet: &str,
) -> Result<Vec<(String, Area)>> {
    let mut found = Vec::new();
    let mut parts: Vec<String> = relationships(archive, sheet)?
        .into_values()
        .filter(|(kind, _)| kind.ends_with("/table"))
        .map(|(_, part)| part)
        .collect();
    parts.sort_unstable();
    for part in parts {
        let Some(mut records) = records::open(archive, &part)? else {
            continue;
        };
        while let Some((kind, record)) = records.next()? {
            // BrtBeginList
            if kind == 343 {
                found.extend(names::table(record));
                break;
            }
        }
    }
    Ok(found)
}

/// The relationships of a part: by id, the type and the part.
fn relationships<R: Read + Seek>(
    archive: &mut ZipArchive<R>,
    of: &str,
) -> Result<HashMap<String, (String, String)>> {
    let (folder, file) = of.rsplit_once('/').unwrap_or(("", of));
    let part = format!("{folder}/_rels/{file}.rels");
    let mut found = HashMap::new();
    let Some(name) = records::part_name(archive, &part) else {
        return Ok(found);
    };
    let file = archive
        .by_name(&name)
        .map_err(|error| not_read(&part, error))?;
    let mut xml = quick_xml::Reader::from_reader(BufReader::new(file));
    let mut buffer = Vec::new();
    loop {
        buffer.clear();
        match xml
            .read_event_into(&mut buffer)
            .map_err(|error| not_read(&part, error))?
        {
            Event::Eof => return Ok(found),
            Event::Start(element) | Event::Empty(element)
                if element.local_name().as_ref() == "Relationship" =>
            {
                let value = |name: &str| {
                    let attribute = element.try_get_attribute(name).ok()??;
                    let value = attribute.normalized_value(XmlVersion::Implicit1_0).ok()?;
                    Some(value.into_owned())
                };
                if let (Some(id), Some(kind), Some(target)) =
                    (value("Id"), value("Type"), value("Target"))
                {
                    found.insert(id, (kind, target_part(folder, &target)));
                }
            }
            _ => {}
        }
    }
}

/// The part that a target means, seen from a folder.
fn target_part(folder: &str, target: &str) -> String {
    if let Some(absolute) = target.strip_prefix('/') {
        return absolute.to_owned();
    }
    let (mut folder, mut target) = (folder, target);
    while let Some(rest) = target.strip_prefix("../") {
        folder = folder.rsplit_once('/').map_or("", |(above, _)| above);
        target = rest;
    }
    format!("{folder}/{target}")
}

/// The shape of each cell style. Styles are an optional part.
///
/// # Errors
/// [`ErrorKind::Format`](crate::ErrorKind::Format) when the part is broken.
pub fn styles<R: Read + Seek>(archive: &mut ZipArchive<R>) -> Result<Vec<Shape>> {
    let mut shapes = Vec::new();
    let Some(mut records) = records::open(archive, "xl/styles.bin")? else {
        return Ok(shapes);
    };
    let mut own: HashMap<u16, Shape> = HashMap::new();
    let mut in_cell_styles = false;
    while let Some((kind, record)) = records.next()? {
        match kind {
            // BrtFmt: number and code
            44 => {
                if let (Some(id), Some((code, _))) = (record.short(0), record.text(2)) {
                    own.insert(id, number_format::shape(&code));
                }
            }
            // BrtBeginCellXFs, BrtEndCellXFs
            617 => in_cell_styles = true,
            618 => in_cell_styles = false,
            // BrtXF: parent, number of the format
            47 if in_cell_styles => {
                let id = record.short(2).unwrap_or(0);
                let built_in = || number_format::built_in(u32::from(id));
                shapes.push(own.get(&id).copied().unwrap_or_else(built_in));
            }
            _ => {}
        }
    }
    Ok(shapes)
}

/// The shared texts. They are an optional part.
///
/// # Errors
/// [`ErrorKind::Format`](crate::ErrorKind::Format) when the part is broken.
pub fn texts<R: Read + Seek>(archive: &mut ZipArchive<R>) -> Result<Texts> {
    const PART: &str = "xl/sharedStrings.bin";
    let mut texts = Texts::default();
    let Some(mut records) = records::open(archive, PART)? else {
        return Ok(texts);
    };
    while let Some((kind, record)) = records.next()? {
        // BrtSSTItem: flags, text, and then runs and phonetic text that are no part of it
        if kind == 19 {
            let (text, _) = record.text(1).ok_or_else(|| {
                broken(Format::Xlsb, format!("{PART} has a text that is cut off"))
            })?;
            texts.add(&text)?;
        }
    }
    Ok(texts)
}
