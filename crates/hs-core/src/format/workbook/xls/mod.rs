//! Cells of xls sheets (Excel 97 to 2003). calamine parses all sheets when it opens the file;
//! their number formats come from the records themselves.

mod compound;
mod formats;
mod guard;

use calamine::{Data, Range, Reader, Xls, XlsError, XlsOptions};

use formats::{Formats, Shapes};

use super::cells::{Cells, Content, Moment};
use super::number_format::Shape;
use super::open::{Book, Input, broken, cell_error, locked, stopped_or};
use super::serial;
use super::sheets::SheetInfo;
use crate::control::Control;
use crate::error::{Error, Result};
use crate::format::Format;

/// The code page number of UTF-16.
const UTF_16: u16 = 1200;

/// The number formats in the bytes of a file, for tests with broken ones.
#[cfg(test)]
pub fn formats_of(bytes: &[u8]) -> Option<Formats> {
    Formats::of(bytes)
}

/// An open xls workbook.
pub struct XlsBook<'c> {
    book: Xls<Input<'c>>,
    formats: Option<Formats>,
}

/// Opens the workbook.
///
/// # Errors
/// [`ErrorKind::Format`](crate::ErrorKind::Format) when it is encrypted or broken.
pub fn open(input: Input<'_>) -> Result<XlsBook<'_>> {
    let control = input.control;
    if compound::runs_in_circles(input.as_bytes(), &["Workbook", "Book"]) {
        return Err(broken(Format::Xls, "its sectors run in a circle"));
    }
    let formats = Formats::of(input.as_bytes());
    if let Some(formats) = &formats {
        formats.check()?;
    }
    let mut options = XlsOptions::default();
    if formats.as_ref().is_some_and(Formats::is_wide) {
        // [MS-XLS] 2.5.294: two bytes a letter. Some writers name a code page all the same, and by it
        // calamine would put a NUL between the letters.
        options.force_codepage = Some(UTF_16);
    }
    match Xls::new_with_options(input, options) {
        Ok(book) => Ok(XlsBook { book, formats }),
        Err(error) => Err(stopped_or(control, converted(error))),
    }
}

fn converted(error: XlsError) -> Error {
    match error {
        XlsError::Password => locked(),
        error => broken(Format::Xls, &error).because(error),
    }
}

impl Book for XlsBook<'_> {
    fn sheets(&self) -> Vec<SheetInfo> {
        SheetInfo::list(self.book.sheets_metadata())
    }

    fn cells(&mut self, sheet: &str, control: &Control) -> Result<Cells> {
        let mut cells = Cells::new(self.book.has_1904_epoch());
        let range = self.book.worksheet_range(sheet).map_err(converted)?;
        let position = self
            .book
            .sheets_metadata()
            .iter()
            .position(|info| info.name == sheet);
        let shapes = self
            .formats
            .as_ref()
            .zip(position)
            .and_then(|(formats, position)| formats.shapes(position));
        fill(&mut cells, &range, shapes.as_ref(), control)?;
        Ok(cells.finish())
    }

    fn size(&mut self, sheet: &str) -> Option<(u32, u32)> {
        self.book
            .worksheet_range(sheet)
            .ok()
            .and_then(|range| size(&range))
    }
}

/// Rows below the header and columns of a rectangle; `None` when it is empty.
fn size(range: &Range<Data>) -> Option<(u32, u32)> {
    let (rows, columns) = range.get_size();
    let rows = u32::try_from(rows).ok()?.checked_sub(1)?;
    Some((rows, u32::try_from(columns).ok()?))
}

/// Adds the cells of a rectangle. Without known `shapes` a date is what calamine takes for one.
///
/// # Errors
/// [`ErrorKind::Interrupted`](crate::ErrorKind::Interrupted) on a stop request.
fn fill(
    cells: &mut Cells,
    range: &Range<Data>,
    shapes: Option<&Shapes>,
    control: &Control,
) -> Result<()> {
    let (top, left) = range.start().unwrap_or((0, 0));
    for (index, row) in range.rows().enumerate() {
        if index % 256 == 0 {
            control.check()?;
        }
        let sheet_row = top + index as u32;
        for (offset, value) in row.iter().enumerate() {
            let column = left + offset as u32;
            let shape = |guess: Shape| match shapes {
                Some(shapes) => {
                    let place = u16::try_from(sheet_row)
                        .ok()
                        .zip(u16::try_from(column).ok());
                    place
                        .and_then(|place| shapes.get(&place).copied())
                        .unwrap_or(Shape::Plain)
                }
                None => guess,
            };
            let content = match value {
                Data::Empty => continue,
                Data::Int(number) => Content::Number(*number as f64, shape(Shape::Plain)),
                Data::Float(number) => Content::Number(*number, shape(Shape::Plain)),
                Data::DateTime(moment) if moment.is_duration() => {
                    Content::Number(moment.as_f64(), shape(Shape::Duration))
                }
                Data::DateTime(moment) => Content::Number(moment.as_f64(), shape(Shape::Date)),
                Data::String(text) => match interleaved(text) {
                    Some(text) => cells.text(text),
                    None => cells.text(text.as_str()),
                },
                Data::Bool(flag) => Content::Bool(*flag),
                Data::Error(error) => Content::Error(cell_error(error)),
                Data::DateTimeIso(text) => match serial::parse_iso(text) {
                    Some(moment) => Content::Moment(moment),
                    None => cells.text(text.as_str()),
                },
                Data::DurationIso(text) => match serial::parse_iso_duration(text) {
                    Some(micros) => Content::Moment(Moment::Length(micros)),
                    None => cells.text(text.as_str()),
                },
            };
            cells.push(sheet_row, column, content)?;
        }
    }
    Ok(())
}

/// The text in a string that calamine took for one byte a letter though it has two (`D\0a\0y\0`).
fn interleaved(text: &str) -> Option<String> {
    let letters = text.chars().count();
    let split = letters >= 2
        && letters.is_multiple_of(2)
        && text.chars().skip(1).step_by(2).all(|letter| letter == '\0');
    split.then(|| text.chars().step_by(2).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_with_zeros_between_are_text_of_two_bytes() {
        assert_eq!(interleaved("D\0a\0y\0").as_deref(), Some("Day"));
        for whole in ["Day", "D\0ay", "\0", "", "D\0a"] {
            assert_eq!(interleaved(whole), None, "{whole:?}");
        }
    }
}
