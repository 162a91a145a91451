//! One type for each column, decided on all its cells, and the cells as that type. Text cells are
//! never parsed; a value that does not fit the type of its column is told, or the column is text.

use std::collections::BTreeSet;

use polars::prelude::{
    BooleanChunkedBuilder, ChunkedBuilder, Column, Float64Type, Int32Type, Int64Type, IntoColumn,
    PlSmallStr, PrimitiveChunkedBuilder, StringChunkedBuilder, TimeUnit,
};

use super::account::Account;
use super::cells::{Cells, ColumnCells, Content, Moment};
use super::layout::Layout;
use super::number_format::Shape;
use super::serial::{self, DAY};
use super::shown::{YEAR, is_whole, shown};
use crate::control::Control;
use crate::error::Result;
use crate::table::{ColumnInfo, Kind, Table};

/// Whole numbers from here on have more digits than Excel keeps.
const FIFTEEN_DIGITS: f64 = 1e15;

/// What a cell is, as far as its column's type is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Family {
    Number,
    Code,
    Text,
    Bool,
    Date,
    Time,
    Duration,
}

impl Family {
    fn words(self) -> &'static str {
        match self {
            Self::Number => "numbers",
            Self::Code => "zero-padded codes",
            Self::Text => "text",
            Self::Bool => "bools",
            Self::Date => "dates",
            Self::Time => "times",
            Self::Duration => "durations",
        }
    }
}

/// The type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Type {
    Int,
    Float,
    Bool,
    Text,
    Date,
    Datetime,
    Time,
    Duration,
}

/// The table that a layout finds in the cells, with the notes of both.
///
/// # Errors
/// [`ErrorKind::Interrupted`](crate::ErrorKind::Interrupted) on a stop request.
pub fn table(cells: &Cells, layout: &Layout, control: &Control) -> Result<Table> {
    let none = ColumnCells::default();
    let by_position: std::collections::HashMap<u32, &ColumnCells> = cells.columns().collect();
    let mut account = Account::default();
    let mut columns = Vec::with_capacity(layout.columns.len());
    for (position, name) in &layout.columns {
        control.check()?;
        let column = Typing {
            cells,
            layout,
            column: by_position.get(position).copied().unwrap_or(&none),
            position: *position,
        };
        let (families, kind) = column.decide();
        if kind == Type::Text && families.len() > 1 {
            let words: Vec<&str> = families.iter().map(|family| family.words()).collect();
            account.mixed.push((name.clone(), words.join(" and ")));
        }
        let column = column.build(kind, name, &mut account);
        let info = ColumnInfo {
            name: name.clone(),
            kind: Kind::of(column.dtype()),
        };
        columns.push((info, column));
    }
    let mut table = Table::from_columns(layout.height, columns)?;
    table.notes = layout.notes.clone();
    table.notes.extend(account.notes());
    Ok(table)
}

/// A column while it is typed.
struct Typing<'a> {
    cells: &'a Cells,
    layout: &'a Layout,
    column: &'a ColumnCells,
    position: u32,
}

impl Typing<'_> {
    /// The cells below the header.
    fn contents(&self) -> impl Iterator<Item = (u32, Content)> + Clone + '_ {
        self.column.from(self.layout.first)
    }

    /// The families of the column's cells and its type.
    fn decide(&self) -> (BTreeSet<Family>, Type) {
        let ranges = Ranges::of(self.contents().map(|(_, content)| content));
        let mut families = BTreeSet::new();
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

    fn build(&self, kind: Type, name: &str, account: &mut Account) -> Column {
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
            Type::Text => {
                let mut out = StringChunkedBuilder::new(name, height);
                self.each(account, kind, |content| match content {
                    Some(Content::Text(number)) => out.append_value(self.cells.text_of(number)),
                    Some(content) => out.append_option(shown(content, self.cells)),
                    None => out.append_null(),
                });
                out.finish().into_column()
            }
        }
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

/// The extent of the cells with date and time formats: formats lie about what a number is (a
/// datetime shown as `h:mm`, a time of day shown as a date), the whole column tells.
struct Ranges {
    dates_are_times: bool,
    times: Family,
}

impl Ranges {
    fn of(contents: impl Iterator<Item = Content>) -> Self {
        let (mut dates, mut times) = (Range::NONE, Range::NONE);
        for content in contents {
            match content {
                Content::Number(value, Shape::Date) => dates.add(value),
                Content::Moment(Moment::Wall(_)) => dates.add(1.0),
                Content::Number(value, Shape::Time) => times.add(value),
                _ => {}
            }
        }
        Self {
            dates_are_times: dates.within_a_day(),
            times: if times.within_a_day() {
                Family::Time
            } else if times.low >= YEAR {
                Family::Date
            } else {
                Family::Duration
            },
        }
    }

    /// The family of a cell; `None` for what is missing in a typed column.
    fn family(&self, content: Content, cells: &Cells) -> Option<Family> {
        match content {
            Content::Text(_) if cells.is_blank(content) => None,
            Content::Text(_) => Some(Family::Text),
            Content::Number(_, Shape::Plain) => Some(Family::Number),
            Content::Number(_, Shape::Padded(_)) => Some(Family::Code),
            Content::Number(_, Shape::Date) if self.dates_are_times => Some(Family::Time),
            Content::Number(_, Shape::Date) | Content::Moment(Moment::Wall(_)) => {
                Some(Family::Date)
            }
            Content::Number(_, Shape::Time) => Some(self.times),
            Content::Moment(Moment::Clock(_)) => Some(Family::Time),
            Content::Number(_, Shape::Duration) | Content::Moment(Moment::Length(_)) => {
                Some(Family::Duration)
            }
            Content::Bool(_) => Some(Family::Bool),
            Content::Error(_) | Content::Formula => None,
        }
    }
}

/// Lowest and highest of some numbers.
#[derive(Clone, Copy)]
struct Range {
    low: f64,
    high: f64,
}

impl Range {
    const NONE: Self = Self {
        low: f64::INFINITY,
        high: f64::NEG_INFINITY,
    };

    fn add(&mut self, value: f64) {
        self.low = self.low.min(value);
        self.high = self.high.max(value);
    }

    fn within_a_day(self) -> bool {
        self.low >= 0.0 && self.high < 1.0
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
