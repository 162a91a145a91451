//! The rows of a sheet as XML, in pieces of some thousand rows. It decides nothing: the plan did.

use polars::prelude::{Series, TimeUnit};

use super::super::serial;
use super::cell::{push_float, push_int};
use super::loose::{self, Cell};
use super::pack::{self, pack};
use super::package::Package;
use super::plan::{ColumnPlan, How, SheetPlan, Texts};
use super::scan::{days, doubles, whole};
use super::skeleton::Frame;
use crate::control::Control;
use crate::error::{Error, ErrorKind, Result};
use crate::format::workbook::cells::letters;

/// No cell of a number, bool or shared text takes more bytes.
const LONGEST_CELL: u64 = 80;

/// Writes the part of a sheet.
///
/// # Errors
/// Those of the package, and a stop request.
pub fn write(
    plan: &SheetPlan<'_>,
    frame: &Frame,
    package: &mut Package<'_>,
    control: &Control,
) -> Result<()> {
    let cells = (plan.height * (plan.columns.len() + 1)) as u64;
    let most = cells * LONGEST_CELL + (frame.head.len() + frame.tail.len()) as u64;
    package.begin(&frame.part, most >= u64::from(u32::MAX))?;
    package.write(&pack(&frame.head)?)?;
    let tags: Vec<Tag> = (0..)
        .zip(&plan.columns)
        .zip(&frame.styles)
        .map(|((at, column), style)| Tag::of(at, column, *style))
        .collect();
    let starts: Vec<usize> = (0..plan.height).step_by(plan.step).collect();
    let make = |start: &usize, out: &mut Vec<u8>| write_rows(plan, &tags, *start, out, control);
    pack::stream(&starts, make, package, control)?;
    package.write(&pack(&frame.tail)?)?;
    package.end()
}

/// What stands around the values of a column.
struct Tag {
    /// `<c r="AB`
    open: Vec<u8>,
    /// `" s="3" t="s"><v>`, or only the style where cells are of more than one kind.
    middle: Vec<u8>,
}

impl Tag {
    fn of(at: u32, column: &ColumnPlan<'_>, style: u32) -> Self {
        let style = match style {
            0 => "\"".to_owned(),
            style => format!("\" s=\"{style}\""),
        };
        let kind = match column.how {
            How::Loose(_) => "",
            How::Bool => " t=\"b\"><v>",
            How::Text => " t=\"s\"><v>",
            _ => "><v>",
        };
        Self {
            open: format!("<c r=\"{}", letters(at)).into_bytes(),
            middle: format!("{style}{kind}").into_bytes(),
        }
    }
}

/// The values of some rows of a column as text, one behind the other; a missing one has no bytes.
struct Values {
    bytes: Vec<u8>,
    ends: Vec<u32>,
}

impl Values {
    fn get(&self, row: usize) -> &[u8] {
        let start = row.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bytes[start as usize..self.ends[row] as usize]
    }
}

/// Appends the rows from `start` on.
fn write_rows(
    plan: &SheetPlan<'_>,
    tags: &[Tag],
    start: usize,
    out: &mut Vec<u8>,
    control: &Control,
) -> Result<u64> {
    let length = plan.step.min(plan.height - start);
    let mut columns = Vec::with_capacity(plan.columns.len());
    for column in &plan.columns {
        columns.push(values(column, start, length, plan.step, control)?);
    }
    let bytes: usize = columns.iter().map(|values| values.bytes.len()).sum();
    out.reserve(bytes + length * (columns.len() * 32 + 24));
    let mut digits = itoa::Buffer::new();
    for row in 0..length {
        // The header is the first row of the sheet, and rows count from 1.
        let number = digits.format(start + row + 2).as_bytes();
        let before = out.len();
        out.extend_from_slice(b"<row r=\"");
        out.extend_from_slice(number);
        out.extend_from_slice(b"\">");
        let empty = out.len();
        for (tag, values) in tags.iter().zip(&columns) {
            let value = values.get(row);
            if !value.is_empty() {
                out.extend_from_slice(&tag.open);
                out.extend_from_slice(number);
                out.extend_from_slice(&tag.middle);
                out.extend_from_slice(value);
                out.extend_from_slice(b"</v></c>");
            }
        }
        if out.len() == empty {
            out.truncate(before);
        } else {
            out.extend_from_slice(b"</row>");
        }
    }
    Ok(plan.size * length as u64 / plan.height as u64)
}

/// The values of `length` rows of a column from `start` on, which is the start of a piece of `step` rows.
fn values(
    column: &ColumnPlan<'_>,
    start: usize,
    length: usize,
    step: usize,
    control: &Control,
) -> Result<Values> {
    let mut out = Values {
        bytes: Vec::with_capacity(length * 8),
        ends: Vec::with_capacity(length),
    };
    let part = column.values.slice(start as i64, length);
    match column.how {
        How::Blank => out.ends.resize(length, 0),
        How::Bool => {
            let flags = part.bool().map_err(internal)?;
            out.each(flags.iter(), |bytes, flag| {
                bytes.push(b'0' + u8::from(flag));
            });
        }
        How::Int => out.each(whole(&part)?.iter(), push_int),
        How::Float => out.floats(&part)?,
        How::Date => out.each(whole(&part)?.iter(), |bytes, day| {
            push_serial(bytes, day.checked_mul(serial::DAY));
        }),
        How::Datetime(unit) => out.each(whole(&part)?.iter(), |bytes, moment| {
            push_serial(bytes, loose::micros(moment, unit));
        }),
        How::Time => out.each(whole(&part)?.iter(), |bytes, nanos| {
            push_float(bytes, days(nanos / 1000));
        }),
        How::Duration(unit) => out.each(whole(&part)?.iter(), |bytes, length| {
            push_float(bytes, days_of(length, unit));
        }),
        How::Text => out.texts(column, &part, start / step)?,
        How::Loose(loose) => {
            let mut text = first_text(column, start / step);
            loose.each(&part, control, |_, cell| {
                let bytes = &mut out.bytes;
                match cell {
                    Cell::Missing | Cell::Infinite => {}
                    Cell::Number(digits) => {
                        bytes.extend_from_slice(b"><v>");
                        bytes.extend_from_slice(digits.as_bytes());
                    }
                    Cell::Bool(flag) => {
                        bytes.extend_from_slice(b" t=\"b\"><v>");
                        bytes.push(b'0' + u8::from(flag));
                    }
                    Cell::Text(_) | Cell::Digits(_) => {
                        bytes.extend_from_slice(b" t=\"s\"><v>");
                        push_int(bytes, text as i64);
                        text += 1;
                    }
                }
                out.end();
                Ok(())
            })?;
        }
    }
    Ok(out)
}

impl Values {
    /// Ends the value of a row.
    #[inline]
    fn end(&mut self) {
        self.ends.push(self.bytes.len() as u32);
    }

    /// Writes each value; a missing one has no bytes.
    #[inline]
    fn each<T>(
        &mut self,
        values: impl Iterator<Item = Option<T>>,
        mut push: impl FnMut(&mut Vec<u8>, T),
    ) {
        for value in values {
            if let Some(value) = value {
                push(&mut self.bytes, value);
            }
            self.end();
        }
    }

    /// No cell holds infinity or what is no number.
    fn floats(&mut self, part: &Series) -> Result<()> {
        if let Ok(numbers) = part.f32() {
            self.each(numbers.iter(), |bytes, number| {
                if number.is_finite() {
                    push_float(bytes, number);
                }
            });
        } else {
            self.each(doubles(part)?.iter(), |bytes, number| {
                if number.is_finite() {
                    push_float(bytes, number);
                }
            });
        }
        Ok(())
    }

    /// The numbers of the texts of a piece.
    fn texts(&mut self, column: &ColumnPlan<'_>, part: &Series, piece: usize) -> Result<()> {
        let texts = part.str().map_err(internal)?;
        if let Texts::Once(words) = &column.texts {
            let first = column.first_text;
            self.each(texts.iter(), |bytes, text| {
                // The walk took all texts in.
                let number = words.number(text).unwrap_or_default();
                push_int(bytes, (first + u64::from(number)) as i64);
            });
        } else {
            let mut next = first_text(column, piece);
            self.each(texts.iter(), |bytes, _| {
                push_int(bytes, next as i64);
                next += 1;
            });
        }
        Ok(())
    }
}

/// The number of the first text of a piece of a column that stores each of its texts.
fn first_text(column: &ColumnPlan<'_>, piece: usize) -> u64 {
    let before = match &column.texts {
        Texts::Each { before, .. } => before.get(piece).copied().unwrap_or_default(),
        _ => 0,
    };
    column.first_text + before
}

/// The plan lets only moments pass that have a serial.
fn push_serial(bytes: &mut Vec<u8>, micros: Option<i64>) {
    if let Some(serial) = micros.and_then(serial::of_wall_clock) {
        push_float(bytes, serial);
    }
}

fn days_of(length: i64, unit: TimeUnit) -> f64 {
    match loose::micros(length, unit) {
        Some(micros) => days(micros),
        // Milliseconds beyond 64 bits of microseconds.
        None => length as f64 / 86_400e3,
    }
}

fn internal(error: polars::prelude::PolarsError) -> Error {
    Error::new(ErrorKind::Internal, "a column of another type than planned").because(error)
}
