//! What the front of a workbook stream says: sheets, styles, shared texts, names. It reads no cells.

use std::collections::HashMap;
use std::sync::Arc;

use super::broken;
use super::code_page::CodePage;
use super::names::Names;
use super::records::{Records, int, plain_letters, short};
use crate::control::Control;
use crate::error::Result;
use crate::format::workbook::number_format::{self, Shape};
use crate::format::workbook::open::locked;
use crate::format::workbook::sheets::SheetInfo;
use crate::format::workbook::texts::Texts;

/// How many texts are read between two looks at the stop request.
const STEP: usize = 4096;

/// The kind of stream that is a sheet.
const SHEET: u16 = 0x0010;

/// A sheet without a workbook around it, as scripts for the web write it from a few lines.
fn bare_sheet() -> SheetInfo {
    SheetInfo {
        name: "Sheet1".to_owned(),
        hidden: false,
        instead: None,
    }
}

/// The front of a workbook.
pub struct Globals {
    /// The sheets, and where the records of each begin.
    pub sheets: Vec<(SheetInfo, usize)>,
    /// The shape of numbers in cells of each style.
    pub shapes: Vec<Shape>,
    /// The shared texts.
    pub texts: Arc<Texts>,
    /// Days count from 1904.
    pub system_1904: bool,
    /// The code page of texts before Excel 97; since then they are Unicode.
    pub page: Option<CodePage>,
    /// Defined names.
    pub names: Names,
}

/// Reads the front of the stream.
///
/// # Errors
/// [`ErrorKind::Format`](crate::ErrorKind::Format) when it is encrypted or broken.
pub fn globals(stream: &[u8], control: &Control) -> Result<Globals> {
    let mut globals = Globals {
        sheets: Vec::new(),
        shapes: Vec::new(),
        texts: Arc::default(),
        system_1904: false,
        page: None,
        names: Names::default(),
    };
    let mut own: HashMap<u16, Shape> = HashMap::new();
    let mut styles: Vec<u16> = Vec::new();
    let mut records = Records(stream);
    let mut whole = false;
    let mut first = true;
    while let Some((kind, data)) = records.next() {
        if first && kind != 0x0809 {
            return Err(broken("it begins with no workbook"));
        }
        match kind {
            // BOF: version 0x0600 is that of Excel 97, with Unicode texts.
            0x0809 if first => {
                let wide = short(data, 0).is_some_and(|version| version >= 0x0600);
                globals.page = (!wide).then_some(CodePage(1252));
                if short(data, 2) == Some(SHEET) {
                    globals.sheets.push((bare_sheet(), 0));
                    return Ok(globals);
                }
            }
            // FilePass
            0x002f => return Err(locked()),
            // CodePage. Unicode texts are what they are, whatever page some writers name.
            0x0042 => {
                if let (Some(page), Some(number)) = (&mut globals.page, short(data, 0)) {
                    *page = CodePage(number);
                }
            }
            // Date1904
            0x0022 => globals.system_1904 = short(data, 0) == Some(1),
            // Format
            0x041e => {
                if let Some((id, code)) = format(data, globals.page) {
                    own.insert(id, number_format::shape(&code));
                }
            }
            // XF: font, format
            0x00e0 => styles.push(short(data, 2).unwrap_or_default()),
            // BoundSheet8
            0x0085 => globals.sheets.extend(sheet(data, globals.page)),
            // SST
            0x00fc => globals.texts = Arc::new(texts(&mut records, data, control)?),
            // SupBook, ExternSheet, Lbl
            0x01ae => globals.names.add_book(data),
            0x0017 => globals.names.add_references(&mut records, data),
            0x0018 if globals.page.is_none() => globals.names.add(data),
            // EOF
            0x000a => {
                whole = true;
                break;
            }
            _ => {}
        }
        first = false;
    }
    if !whole {
        return Err(broken("the list of its sheets is cut off"));
    }
    let built_in = |id: u16| number_format::built_in(u32::from(id));
    globals.shapes = styles
        .into_iter()
        .map(|id| own.get(&id).copied().unwrap_or_else(|| built_in(id)))
        .collect();
    Ok(globals)
}

/// Number and code of a Format record.
fn format(data: &[u8], page: Option<CodePage>) -> Option<(u16, String)> {
    let id = short(data, 0)?;
    let code = match page {
        // In doubt letter by letter: what counts in a code is ASCII.
        Some(_) => plain_letters(data.get(3..)?, 0),
        None => plain_letters(data.get(5..)?, *data.get(4)?),
    };
    Some((id, code))
}

/// Where a sheet begins, its state, kind and name ([MS-XLS] 2.4.28 BoundSheet8).
fn sheet(data: &[u8], page: Option<CodePage>) -> Option<(SheetInfo, usize)> {
    let start = usize::try_from(int(data, 0)?).ok()?;
    let hidden = data.get(4)? & 3 != 0;
    let instead = match data.get(5)? {
        0 => None,
        1 => Some("macros"),
        2 => Some("chart"),
        6 => Some("code"),
        _ => Some("another kind"),
    };
    let count = usize::from(*data.get(6)?);
    let name = match page {
        Some(page) => {
            let bytes = data.get(7..)?;
            let bytes = bytes.get(..count).unwrap_or(bytes);
            page.decode(bytes)
                .unwrap_or_else(|| String::from_utf8_lossy(bytes).into_owned())
        }
        None => {
            let flags = *data.get(7)?;
            let letters = data.get(8..)?;
            let end = count << (flags & 1);
            plain_letters(letters.get(..end).unwrap_or(letters), flags)
        }
    };
    let info = SheetInfo {
        name,
        hidden,
        instead,
    };
    Some((info, start))
}

/// The shared texts. How many there are is not believed: some writers count wrong.
fn texts<'a>(records: &mut Records<'a>, data: &'a [u8], control: &Control) -> Result<Texts> {
    let mut texts = Texts::default();
    let mut data = records.whole(data);
    let counts = (data.int(), data.int());
    let (Some(_), Some(_)) = counts else {
        return Err(broken("its shared texts are cut off"));
    };
    while let Some(text) = data.rich_text() {
        if texts.count().is_multiple_of(STEP) {
            control.check()?;
        }
        texts.add(&text)?;
    }
    Ok(texts)
}
