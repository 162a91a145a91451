//! The cells of one column as a polars column of one type, and which type fits all of them. It tells
//! what is missing for a reason.

use polars::prelude::{
    BinaryOffsetChunked, BooleanChunkedBuilder, ChunkedBuilder, Column, Float64Type, Int32Type,
    Int64Type, IntoColumn, PlSmallStr, PrimitiveChunkedBuilder, StringChunkedBuilder, TimeUnit,
};
use polars_arrow::array::BinaryArray;
use polars_arrow::bitmap::BitmapBuilder;
use polars_arrow::datatypes::ArrowDataType;
use polars_arrow::offset::OffsetsBuffer;

use super::account::Account;
use super::cells::{Cells, ColumnCells, Content, Moment};
use super::family::{Families, Family, Ranges};
use super::layout::Layout;
use super::number_format::Shape;
use super::serial::{self, DAY};
use super::shown::{is_whole, shown};
use crate::format::TextLayout;
use crate::format::conform::Marks;

/// Whole numbers from here on have more digits than Excel keeps.
const FIFTEEN_DIGITS: f64 = 1e15;

/// The type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    Int,
    Float,
    Bool,
    Text,
    Date,
    Datetime,
    Time,
    Duration,
}

/// A column while it is typed.
pub struct Typing<'a> {
    /// The sheet.
    pub cells: &'a Cells,
    /// Where its table is.
    pub layout: &'a Layout,
    /// The cells of the column.
    pub column: &'a ColumnCells,
    /// Where the column is in the sheet, from 0.
    pub position: u32,
    /// The marks in which the numbers among its texts are to be read.
    pub marks: Option<Marks>,
    /// How texts are to lie.
    pub text: TextLayout,
}

impl Typing<'_> {
    /// The cells below the header.
    fn contents(&self) -> impl Iterator<Item = (u32, Content)> + Clone + '_ {
        self.column.from(self.layout.first)
    }

    /// The families of the column's cells and its type.
    pub fn decide(&self) -> (Families, Type) {
        let ranges = Ranges::of(self.contents().map(|(_, content)| content));
        let mut families = Families::default();
        let mut whole = true;
        let mut midnight = true;
        for (_, content) in self.contents() {
            let Some(family) = ranges.family(content, self.cells) else {
                continue;
            };
            families.insert(family);
            match (family, content) {
                (Family::Number, Content::Number(value, _)) => whole &= is_whole(value),
                (Family::Date, content) => {
                    midnight &= self.wall(content).is_none_or(|micros| micros % DAY == 0);
                }
                _ => {}
            }
        }
        let mut all = families.iter();
        let kind = match (all.next(), all.next()) {
            (Some(Family::Number), None) if whole => Type::Int,
            (Some(Family::Number), None) => Type::Float,
            (Some(Family::Bool), None) => Type::Bool,
            (Some(Family::Date), None) if midnight => Type::Date,
            (Some(Family::Date), None) => Type::Datetime,
            (Some(Family::Time), None) => Type::Time,
            (Some(Family::Duration), None) => Type::Duration,
            _ => Type::Text,
        };
        (families, kind)
    }

    /// The wall clock of a date cell.
    fn wall(&self, content: Content) -> Option<i64> {
        match content {
            Content::Moment(Moment::Wall(micros)) => Some(micros),
            Content::Number(value, _) => serial::wall_clock(value, self.cells.system_1904),
            _ => None,
        }
    }

    /// The column as a type, with what there is to tell.
    pub fn build(&self, kind: Type, name: &str, account: &mut Account) -> Column {
        let name = PlSmallStr::from_str(name);
        let height = self.layout.height;
        match kind {
            Type::Int => {
                let mut out = PrimitiveChunkedBuilder::<Int64Type>::new(name, height);
                self.each(account, kind, |content| {
                    out.append_option(number(content).map(|value| value as i64));
                });
                out.finish().into_column()
            }
            Type::Float => {
                let mut out = PrimitiveChunkedBuilder::<Float64Type>::new(name, height);
                self.each(account, kind, |content| out.append_option(number(content)));
                out.finish().into_column()
            }
            Type::Bool => {
                let mut out = BooleanChunkedBuilder::new(name, height);
                self.each(account, kind, |content| {
                    out.append_option(match content {
                        Some(Content::Bool(flag)) => Some(flag),
                        _ => None,
                    });
                });
                out.finish().into_column()
            }
            Type::Date => {
                let mut out = PrimitiveChunkedBuilder::<Int32Type>::new(name, height);
                self.each(account, kind, |content| {
                    let wall = content.and_then(|content| self.wall(content));
                    out.append_option(wall.map(|micros| micros.div_euclid(DAY) as i32));
                });
                out.finish().into_date().into_column()
            }
            Type::Datetime => {
                let mut out = PrimitiveChunkedBuilder::<Int64Type>::new(name, height);
                self.each(account, kind, |content| {
                    out.append_option(content.and_then(|content| self.wall(content)));
                });
                let out = out.finish().into_datetime(TimeUnit::Microseconds, None);
                out.into_column()
            }
            Type::Time => {
                let mut out = PrimitiveChunkedBuilder::<Int64Type>::new(name, height);
                self.each(account, kind, |content| {
                    // Polars counts times of day in nanoseconds; 24:00 by rounding is 0:00.
                    let clock = content.and_then(length).map(|micros| micros % DAY * 1000);
                    out.append_option(clock);
                });
                out.finish().into_time().into_column()
            }
            Type::Duration => {
                let mut out = PrimitiveChunkedBuilder::<Int64Type>::new(name, height);
                self.each(account, kind, |content| {
                    out.append_option(content.and_then(length));
                });
                let out = out.finish().into_duration(TimeUnit::Microseconds);
                out.into_column()
            }
            Type::Text => match self.text {
                TextLayout::Views => {
                    let mut out = StringChunkedBuilder::new(name, height);
                    self.texts(account, |text| out.append_option(text));
                    out.finish().into_column()
                }
                TextLayout::Flat => {
                    let mut out = FlatTexts::with_capacity(height);
                    self.texts(account, |text| out.push(text));
                    out.finish(name)
                }
            },
        }
    }

    /// Calls `append` with the text of each row.
    fn texts(&self, account: &mut Account, mut append: impl FnMut(Option<&str>)) {
        self.each(account, Type::Text, |content| match content {
            Some(Content::Text(number)) => append(Some(self.cells.text_of(number))),
            Some(content) => {
                let text = shown(content, self.cells);
                match self
                    .marks
                    .filter(|_| matches!(content, Content::Number(_, Shape::Plain)))
                {
                    Some(marks) => append(text.map(|text| marks.written(&text)).as_deref()),
                    None => append(text.as_deref()),
                }
            }
            None => append(None),
        });
    }

    /// Calls `append` once for each row of the table, in order, and tells what is missing for a reason.
    fn each(&self, account: &mut Account, kind: Type, mut append: impl FnMut(Option<Content>)) {
        let mut next = 0;
        for (row, content) in self.contents() {
            let Some(index) = self.layout.position(row) else {
                continue;
            };
            while next < index {
                append(None);
                next += 1;
            }
            self.tell(account, kind, row, content);
            append(Some(content));
            next += 1;
        }
        while next < self.layout.height {
            append(None);
            next += 1;
        }
    }

    fn tell(&self, account: &mut Account, kind: Type, row: u32, content: Content) {
        let column = self.position;
        match content {
            Content::Formula => account.formulas.add(row, column, ""),
            Content::Error(error) if kind != Type::Text => {
                account.errors.add(row, column, error.text());
            }
            Content::Text(_) if kind != Type::Text => account.blanks.add(row, column, ""),
            Content::Number(value, Shape::Plain | Shape::Padded(_))
                if value.abs() >= FIFTEEN_DIGITS && is_whole(value) && kind != Type::Float =>
            {
                account
                    .long_ints
                    .add(row, column, &(value as i64).to_string());
            }
            Content::Number(value, _)
                if matches!(kind, Type::Date | Type::Datetime) && self.wall(content).is_none() =>
            {
                account.no_days.add(row, column, &value.to_string());
            }
            _ => {}
        }
    }
}

fn number(content: Option<Content>) -> Option<f64> {
    match content {
        Some(Content::Number(value, _)) => Some(value),
        _ => None,
    }
}

/// A time of day or length of time in microseconds.
fn length(content: Content) -> Option<i64> {
    match content {
        Content::Number(value, _) => Some(serial::micros(value)),
        Content::Moment(Moment::Clock(micros) | Moment::Length(micros)) => Some(micros),
        _ => None,
    }
}

/// Texts as bytes and offsets.
struct FlatTexts {
    offsets: Vec<i64>,
    bytes: Vec<u8>,
    there: BitmapBuilder,
}

impl FlatTexts {
    fn with_capacity(rows: usize) -> Self {
        let mut offsets = Vec::with_capacity(rows + 1);
        offsets.push(0);
        Self {
            offsets,
            bytes: Vec::new(),
            there: BitmapBuilder::with_capacity(rows),
        }
    }

    fn push(&mut self, text: Option<&str>) {
        if let Some(text) = text {
            self.bytes.extend_from_slice(text.as_bytes());
        }
        self.offsets.push(self.bytes.len() as i64);
        self.there.push(text.is_some());
    }

    fn finish(self, name: PlSmallStr) -> Column {
        let offsets =
            OffsetsBuffer::try_from(self.offsets).expect("they start at 0 and never fall");
        let array = BinaryArray::new(
            ArrowDataType::LargeBinary,
            offsets,
            self.bytes.into(),
            self.there.into_opt_validity(),
        );
        BinaryOffsetChunked::with_chunk(name, array).into_column()
    }
}
