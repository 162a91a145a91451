//! `content.xml` as a whole: its styles and the list of its sheets with the size of each. It keeps no cells.

use std::io::{BufReader, Read, Seek};

use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};
use zip::ZipArchive;
use zip::read::ZipFile;

use super::styles::Styles;
use super::{CONTENT, not_read};
use crate::control::Control;
use crate::error::{Error, Result};
use crate::format::Format;
use crate::format::workbook::area::NamedArea;
use crate::format::workbook::open::broken;
use crate::format::workbook::sheets::SheetInfo;

/// An XML part that is being read.
pub type Xml<'a, R> = quick_xml::Reader<BufReader<ZipFile<'a, R>>>;

/// What `content.xml` holds besides cells.
pub struct Content {
    /// Styles of cells and sheets.
    pub styles: Styles,
    /// The sheets, in order.
    pub sheets: Vec<Sheet>,
    /// Named ranges, and database ranges, which are what tables become.
    pub named: Vec<NamedArea>,
}

/// A sheet in the list of sheets.
pub struct Sheet {
    /// Name and state.
    pub info: SheetInfo,
    /// Rows below the first and columns with values, when there are any.
    pub size: Option<(u32, u32)>,
}

/// Opens a part.
///
/// # Errors
/// [`ErrorKind::Format`](crate::ErrorKind::Format) when there is none.
pub fn reader<'a, R: Read + Seek>(
    archive: &'a mut ZipArchive<R>,
    part: &str,
) -> Result<Xml<'a, R>> {
    let file = archive
        .by_name(part)
        .map_err(|error| not_read(part, error))?;
    let mut xml = quick_xml::Reader::from_reader(BufReader::new(file));
    xml.config_mut().expand_empty_elements = true;
    Ok(xml)
}

/// The next event of `content.xml`.
///
/// # Errors
/// [`ErrorKind::Format`](crate::ErrorKind::Format) for broken XML, and for a DTD, which no writer
/// makes and which can blow up a small file.
pub fn next<'b>(xml: &mut Xml<'_, impl Read + Seek>, buffer: &'b mut Vec<u8>) -> Result<Event<'b>> {
    buffer.clear();
    match xml.read_event_into(buffer) {
        Ok(Event::DocType(_)) => Err(refused_dtd()),
        Ok(event) => Ok(event),
        Err(error) => Err(not_read(CONTENT, error)),
    }
}

fn refused_dtd() -> Error {
    broken(Format::Ods, format!("{CONTENT} has a DTD"))
}

/// The value of an attribute, with its full name.
pub fn value(element: &BytesStart<'_>, name: &str) -> Option<String> {
    let attribute = element.try_get_attribute(name).ok()??;
    let value = attribute.normalized_value(XmlVersion::Implicit1_0).ok()?;
    Some(value.into_owned())
}

/// How often a cell or row is repeated.
pub fn repeats(element: &BytesStart<'_>, name: &str) -> u32 {
    value(element, name)
        .and_then(|count| count.parse().ok())
        .unwrap_or(1)
}

/// True when the manifest says that parts are encrypted.
///
/// # Errors
/// [`ErrorKind::Format`](crate::ErrorKind::Format) for broken XML.
pub fn is_encrypted<R: Read + Seek>(archive: &mut ZipArchive<R>) -> Result<bool> {
    const PART: &str = "META-INF/manifest.xml";
    if archive.by_name(PART).is_err() {
        return Ok(false);
    }
    let mut xml = reader(archive, PART)?;
    let mut buffer = Vec::new();
    loop {
        match next(&mut xml, &mut buffer)? {
            Event::Eof => return Ok(false),
            Event::Start(element) if element.name().as_ref() == "manifest:encryption-data" => {
                return Ok(true);
            }
            _ => {}
        }
    }
}

/// The styles that the user sees by name, and number styles that others refer to. An optional part.
fn styles<R: Read + Seek>(archive: &mut ZipArchive<R>) -> Result<Styles> {
    const PART: &str = "styles.xml";
    let mut styles = Styles::default();
    if archive.by_name(PART).is_err() {
        return Ok(styles);
    }
    let mut xml = reader(archive, PART)?;
    let mut buffer = Vec::new();
    loop {
        match next(&mut xml, &mut buffer)? {
            Event::Eof => return Ok(styles),
            Event::Start(element) => styles.start(&element),
            Event::End(element) => styles.end(element.name().as_ref()),
            _ => {}
        }
    }
}

/// Reads styles and sheets.
///
/// # Errors
/// [`ErrorKind::Format`](crate::ErrorKind::Format) for broken XML.
pub fn content<R: Read + Seek>(archive: &mut ZipArchive<R>, control: &Control) -> Result<Content> {
    let mut content = Content {
        styles: styles(archive)?,
        sheets: Vec::new(),
        named: Vec::new(),
    };
    let mut xml = reader(archive, CONTENT)?;
    let mut buffer = Vec::new();
    let mut extent = Extent::default();
    for count in 1u64.. {
        if count % 4096 == 0 {
            control.check()?;
        }
        match next(&mut xml, &mut buffer)? {
            Event::Eof => break,
            Event::Start(element) => match element.name().as_ref() {
                "table:table" => {
                    if let Some(name) = value(&element, "table:name") {
                        let style = value(&element, "table:style-name");
                        let info = SheetInfo {
                            name,
                            hidden: content.styles.hides(style.as_deref()),
                            instead: None,
                        };
                        content.sheets.push(Sheet { info, size: None });
                        extent = Extent::default();
                    }
                }
                "table:table-row" => extent.row(repeats(&element, "table:number-rows-repeated")),
                "table:table-cell" | "table:covered-table-cell" => {
                    let filled = value(&element, "office:value-type").is_some();
                    extent.cell(filled, repeats(&element, "table:number-columns-repeated"));
                }
                "table:named-range" => {
                    let address = value(&element, "table:cell-range-address");
                    content.named.extend(named(&element, address, false));
                }
                "table:database-range" => {
                    let address = value(&element, "table:target-range-address");
                    content.named.extend(named(&element, address, true));
                }
                _ => content.styles.start(&element),
            },
            Event::End(element) => match element.name().as_ref() {
                "table:table" => {
                    if let Some(sheet) = content.sheets.last_mut() {
                        sheet.size = extent.size();
                    }
                }
                name => content.styles.end(name),
            },
            _ => {}
        }
    }
    Ok(content)
}

/// The name of an area, unless a program made it for itself.
fn named(element: &BytesStart<'_>, address: Option<String>, table: bool) -> Option<NamedArea> {
    let name = value(element, "table:name")?;
    let (sheet, area) = super::areas::parse(&address?)?;
    (!name.starts_with("__Anonymous")).then_some(NamedArea {
        name,
        sheet,
        area,
        table,
    })
}

/// The rows and columns that have values.
#[derive(Default)]
struct Extent {
    next_row: u32,
    next_column: u32,
    repeats: u32,
    rows: Option<(u32, u32)>,
    columns: Option<(u32, u32)>,
}

impl Extent {
    fn row(&mut self, repeats: u32) {
        self.next_row = self.next_row.saturating_add(repeats);
        self.next_column = 0;
        self.repeats = repeats;
    }

    fn cell(&mut self, filled: bool, repeats: u32) {
        let first = self.next_column;
        self.next_column = first.saturating_add(repeats);
        if filled {
            let top = self.next_row - self.repeats;
            let (low, _) = self.rows.unwrap_or((top, 0));
            self.rows = Some((low, self.next_row - 1));
            let (low, high) = self.columns.unwrap_or((first, 0));
            self.columns = Some((low.min(first), high.max(self.next_column.saturating_sub(1))));
        }
    }

    fn size(&self) -> Option<(u32, u32)> {
        let ((top, bottom), (left, right)) = self.rows.zip(self.columns)?;
        Some((
            bottom.checked_sub(top)?,
            right.checked_sub(left)?.checked_add(1)?,
        ))
    }
}
