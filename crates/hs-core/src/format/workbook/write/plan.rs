//! One walk over all values of a sheet before anything is written: how each column is written, how
//! wide it is, what a cell cannot hold. It writes nothing.

use polars::prelude::{Column, DataType, Series, TimeUnit};
use rayon::prelude::*;

use super::account::{Account, Seen};
use super::loose::Loose;
use super::measure::{WIDEST_COLUMN, Width};
use super::words::Words;
use super::{scan, scan_text};
use crate::control::Control;
use crate::error::{Error, ErrorKind, Place, Result};
use crate::format::workbook::cells::{COLUMNS, ROWS};
use crate::table::{ColumnInfo, Kind, Table};
use crate::text;

/// Characters that a cell can hold at most, in the UTF-16 units in which Excel counts.
pub const LONGEST_TEXT: usize = 32_767;
/// Cells of a piece of work: some milliseconds, a megabyte or two of XML.
const PIECE: usize = 48 << 10;
/// Room for the arrow of the filter beside a name, in digits.
const ARROW: f64 = 3.0;
/// Bold letters are wider than others.
const BOLD: f64 = 1.07;
/// Room beside a value, in digits: Excel shows #### in place of a number that just does not fit.
const ROOM: f64 = 1.2;

/// How a column is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// Nothing in it.
    Blank,
    Bool,
    /// Whole numbers of at most 15 digits.
    Int,
    Float,
    /// Days that have a serial number, all of them.
    Date,
    /// Points in time that have a serial number, all of them.
    Datetime(TimeUnit),
    Time,
    Duration(TimeUnit),
    Text,
    /// Cell by cell.
    Loose(Loose),
}

/// The number format of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Look {
    General,
    /// Whole numbers that Excel would show with an exponent.
    Whole,
    /// Text that Excel would take for something else once its cell is edited.
    Text,
    Date,
    /// True with parts of a second.
    Datetime(bool),
    Time(bool),
    Duration(bool),
    /// With so many decimals.
    Decimals(u8),
}

/// The texts of a column that stand among the shared texts.
#[derive(Debug)]
pub enum Texts<'a> {
    None,
    /// Each different text once.
    Once(Words<'a>),
    /// One for each cell with text: how many there are before each piece of rows, and in all.
    Each {
        before: Vec<u64>,
        count: u64,
    },
}

impl Texts<'_> {
    /// How many texts are stored.
    pub fn count(&self) -> u64 {
        match self {
            Self::None => 0,
            Self::Once(words) => words.texts().len() as u64,
            Self::Each { count, .. } => *count,
        }
    }
}

/// What a walk over a column found.
#[derive(Debug)]
pub struct Found<'a> {
    pub how: How,
    pub look: Look,
    pub width: Width,
    pub texts: Texts<'a>,
    /// Cells with text.
    pub uses: u64,
    /// Bytes of the texts that are stored.
    pub bytes: u64,
    pub seen: Seen,
}

impl Found<'_> {
    /// A column without texts.
    pub fn plain(how: How, look: Look, width: Width, seen: Seen) -> Self {
        Self {
            how,
            look,
            width,
            texts: Texts::None,
            uses: 0,
            bytes: 0,
            seen,
        }
    }
}

/// How a column is written.
#[derive(Debug)]
pub struct ColumnPlan<'a> {
    pub name: String,
    pub values: &'a Series,
    pub how: How,
    pub look: Look,
    /// In digits of the font.
    pub width: f64,
    pub texts: Texts<'a>,
    pub uses: u64,
    pub bytes: u64,
    /// The number of its first text among all shared texts.
    pub first_text: u64,
}

/// How a sheet is written.
#[derive(Debug)]
pub struct SheetPlan<'a> {
    pub name: &'a str,
    pub height: usize,
    /// Bytes of the table in memory, for the progress.
    pub size: u64,
    /// Rows of a piece of work.
    pub step: usize,
    pub columns: Vec<ColumnPlan<'a>>,
}

/// A column and where it is, for those that walk over it.
pub struct Walk<'a, 'w> {
    pub values: &'a Series,
    pub sheet: &'w str,
    pub column: &'w str,
    /// Rows of a piece of work.
    pub step: usize,
    pub control: &'w Control,
}

impl Walk<'_, '_> {
    /// The place of a value; `row` counts from 0.
    pub fn place(&self, row: usize) -> Place {
        Place::default()
            .sheet(self.sheet)
            .row(row as u64 + 1)
            .column(self.column)
    }

    /// Refuses a text that no cell holds.
    pub fn check_length(&self, row: usize, text: &str) -> Result<()> {
        if text.len() <= LONGEST_TEXT {
            return Ok(());
        }
        match too_long(text) {
            Some(error) => Err(error.at(self.place(row))),
            None => Ok(()),
        }
    }
}

/// Refuses a name that no cell holds.
fn check_name(name: &str, sheet: &str) -> Result<()> {
    match too_long(name) {
        Some(error) => {
            let start: String = name.chars().take(20).collect();
            let place = Place::default().sheet(sheet);
            Err(error.at(place.column(format!("{start}..."))))
        }
        None => Ok(()),
    }
}

fn too_long(text: &str) -> Option<Error> {
    let units = text.encode_utf16().count();
    (units > LONGEST_TEXT).then(|| {
        let message = format!(
            "expected at most {} characters, which is all that a cell holds, found {}",
            text::count(LONGEST_TEXT as u64),
            text::count(units as u64)
        );
        Error::new(ErrorKind::Argument, message)
            .hint("cut the text or leave the column out, or save as csv or parquet")
    })
}

/// Refuses a table that is larger than a sheet.
///
/// # Errors
/// [`ErrorKind::Argument`].
pub fn check_size(sheet: &str, table: &Table) -> Result<()> {
    let (rows, columns) = (table.height() as u64, table.width() as u64);
    let (most_rows, most_columns) = (u64::from(ROWS), u64::from(COLUMNS));
    let message = if rows + 1 > most_rows {
        format!(
            "expected at most {} rows, a header and {} rows of data, found {} rows of data",
            text::count(most_rows),
            text::count(most_rows - 1),
            text::count(rows)
        )
    } else if columns > most_columns {
        format!(
            "expected at most {} columns, found {}",
            text::count(most_columns),
            text::count(columns)
        )
    } else {
        return Ok(());
    };
    Err(Error::new(ErrorKind::Argument, message)
        .at(Place::default().sheet(sheet))
        .hint("save as csv or parquet, or divide the data among several sheets"))
}

impl<'a> SheetPlan<'a> {
    /// The plan of a sheet; what there is to say goes into the account.
    ///
    /// # Errors
    /// What [`write`](super::write) says.
    pub fn of(
        sheet: &'a str,
        table: &'a Table,
        account: &mut Account,
        control: &Control,
    ) -> Result<Self> {
        let height = table.height();
        let step = (PIECE / table.width().max(1)).clamp(1, 8192);
        let size = table.frame().estimated_size() as u64;
        let share = size / table.width().max(1) as u64;
        let columns: Vec<(&ColumnInfo, &Column)> = table.iter().collect();
        let found: Vec<(&ColumnInfo, &Series, Found<'_>)> = columns
            .into_par_iter()
            .map(|(info, column)| {
                let walk = Walk {
                    values: column.as_materialized_series(),
                    sheet,
                    column: &info.name,
                    step,
                    control,
                };
                let found = walk_over(&walk, info.kind)?;
                control.advance(share);
                Ok((info, walk.values, found))
            })
            .collect::<Result<_>>()?;
        let mut columns = Vec::with_capacity(found.len());
        for (at, (info, values, found)) in found.into_iter().enumerate() {
            account.take(sheet, &info.name, found.seen);
            // Without a name the row of names could look like a title to readers.
            let name = if info.name.is_empty() {
                let name = format!("column_{}", at + 1);
                account.unnamed(&name);
                name
            } else {
                info.name.clone()
            };
            check_name(&name, sheet)?;
            columns.push(ColumnPlan {
                width: width(&name, found.width),
                name,
                values,
                how: found.how,
                look: found.look,
                texts: found.texts,
                uses: found.uses,
                bytes: found.bytes,
                first_text: 0,
            });
        }
        account.blank(sheet, blank_rows(&columns, height));
        Ok(Self {
            name: sheet,
            height,
            size,
            step,
            columns,
        })
    }
}

/// Walks over a column by its type.
fn walk_over<'a>(walk: &Walk<'a, '_>, kind: Kind) -> Result<Found<'a>> {
    match walk.values.dtype() {
        DataType::String if kind == Kind::Mixed => scan_text::loose(walk, Loose::Mixed),
        DataType::String => scan_text::texts(walk),
        DataType::Null => Ok(Found::plain(
            How::Blank,
            Look::General,
            Width::default(),
            Seen::default(),
        )),
        DataType::Boolean => Ok(scan::bools()),
        DataType::Date => scan::dates(walk),
        DataType::Datetime(_, Some(_)) => scan_text::loose(walk, Loose::Plain),
        DataType::Datetime(unit, None) => scan::datetimes(walk, *unit),
        DataType::Time => scan::times(walk),
        DataType::Duration(unit) => scan::durations(walk, *unit),
        DataType::Decimal(_, scale) => scan::decimals(walk, *scale),
        DataType::Binary | DataType::BinaryOffset => scan::bytes(walk),
        DataType::List(_) | DataType::Array(..) | DataType::Struct(_) => {
            scan::refuse_bytes(walk)?;
            scan_text::loose(walk, Loose::Json)
        }
        dtype if dtype.is_float() => scan::floats(walk),
        dtype if dtype.is_integer() => scan::ints(walk),
        _ => scan_text::loose(walk, Loose::Plain),
    }
}

fn width(name: &str, values: Width) -> f64 {
    let mut header = Width::default();
    header.add(name);
    let header = header.digits() * BOLD + ARROW;
    (values.digits() + ROOM).max(header).min(WIDEST_COLUMN)
}

/// How many rows at the end have no cell.
fn blank_rows(columns: &[ColumnPlan<'_>], height: usize) -> usize {
    let blank = |row: &usize| {
        columns.iter().all(|column| {
            column.how == How::Blank
                || match column.values.get(*row) {
                    Ok(polars::prelude::AnyValue::Float64(value)) => !value.is_finite(),
                    Ok(polars::prelude::AnyValue::Float32(value)) => !value.is_finite(),
                    Ok(polars::prelude::AnyValue::String(text)) => text.is_empty(),
                    value => value.is_ok_and(|value| value.is_null()),
                }
        })
    };
    (0..height).rev().take_while(blank).count()
}
