//! One type for each column, decided on all its cells, and the cells as that type. Text cells are
//! never parsed; a value that does not fit the type of its column is told, or the column is text.

use std::collections::BTreeSet;

use polars::prelude::{
    BooleanChunkedBuilder, ChunkedBuilder, Column, Float64Type, Int32Type, Int64Type, IntoColumn,
    PlSmallStr, PrimitiveChunkedBuilder, StringChunkedBuilder, TimeUnit,
};

use super::account::Account;
use super::cells::{Cells, ColumnCells, Content, Moment};
use super::family::{Family, Ranges};
use super::layout::Layout;
use super::number_format::Shape;
use super::serial::{self, DAY};
use super::shown::{is_whole, shown};
use crate::control::Control;
use crate::error::Result;
use crate::format::conform::{Marks, Types, Wanted};
use crate::table::{ColumnInfo, Kind, Table};

/// Whole numbers from here on have more digits than Excel keeps.
const FIFTEEN_DIGITS: f64 = 1e15;

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
pub fn table(cells: &Cells, layout: &Layout, types: &Types, control: &Control) -> Result<Table> {
    let none = ColumnCells::default();
    let by_position: std::collections::HashMap<u32, &ColumnCells> = cells.columns().collect();
    let mut account = Account::default();
    let mut columns = Vec::with_capacity(layout.columns.len());
    let mut reasons = Vec::with_capacity(layout.columns.len());
    for (position, name) in &layout.columns {
        control.check()?;
        let column = Typing {
            cells,
            layout,
            column: by_position.get(position).copied().unwrap_or(&none),
            position: *position,
            marks: types.of(name).and_then(Wanted::marks),
        };
        let (families, kind) = column.decide();
        if kind == Type::Text && families.len() > 1 {
            let words: Vec<&str> = families.iter().map(|family| family.words()).collect();
            // With a given type it is no text in the end.
            if types.of(name).is_none() {
                account.mixed.push((name.clone(), words.join(" and ")));
            }
        }
        let column = column.build(kind, name, &mut account);
        reasons.push(reason(&families, kind, column.null_count()));
        let info = ColumnInfo {
            name: name.clone(),
            kind: Kind::of(column.dtype()),
        };
        columns.push((info, column));
    }
    let mut table = Table::from_columns(layout.height, columns)?;
    table.explanation.reasons = reasons;
    table.notes.clone_from(&layout.notes);
    table.notes.extend(account.notes());
    Ok(table)
}

/// Why a column has its type.
fn reason(families: &BTreeSet<Family>, kind: Type, missing: usize) -> String {
    let words: Vec<&str> = families.iter().map(|family| family.words()).collect();
    let reason = match (words.as_slice(), kind) {
        ([], _) => return "no values".to_owned(),
        (["numbers"], Type::Int) => "whole numbers in the cells".to_owned(),
        ([family], _) => format!("{family} in the cells"),
        (families, _) => format!("mixed: {}", families.join(" and ")),
    };
    match missing {
        0 => reason,
        missing => format!("{reason}, {missing} missing"),
    }
}

/// A column while it is typed.
struct Typing<'a> {
    cells: &'a Cells,
    layout: &'a Layout,
    column: &'a ColumnCells,
    position: u32,
    /// The marks in which the numbers among its texts are to be read.
    marks: Option<Marks>,
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
                    Some(content @ Content::Number(_, Shape::Plain)) => {
                        let text = shown(content, self.cells);
                        out.append_option(match self.marks {
                            Some(marks) => text.map(|text| marks.written(&text)),
                            None => text,
                        });
                    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::workbook::cells::CellError;
    use crate::format::workbook::layout::{HeaderChoice, layout};
    use crate::text::plain;

    /// The kind, the values as text and the notes of a column of these cells, with the header `c`
    /// and a full column beside it.
    fn typed(contents: &[Option<Content>]) -> (&'static str, Vec<String>, Vec<String>) {
        let mut cells = Cells::new(false);
        for (column, name) in ["c", "row"].into_iter().enumerate() {
            let name = cells.text(name);
            cells.push(0, column as u32, name).expect("inside a sheet");
        }
        for (row, content) in (1..).zip(contents) {
            if let Some(content) = content {
                cells.push(row, 0, *content).expect("inside a sheet");
            }
            let filler = Content::Bool(true);
            cells.push(row, 1, filler).expect("inside a sheet");
        }
        let cells = cells.finish();
        let layout = layout(&cells, &[], HeaderChoice::Found)
            .expect("no error")
            .expect("a table");
        let table = table(&cells, &layout, &Types::Decided, &Control::default()).expect("no error");
        let values = (0..table.height())
            .map(|row| plain(&table.frame().columns()[0].get(row).expect("a row")))
            .collect();
        let notes = table.notes.iter().map(|note| note.text.clone()).collect();
        (table.columns()[0].kind.word(), values, notes)
    }

    #[expect(clippy::unnecessary_wraps, reason = "cells may be empty")]
    fn number(value: f64) -> Option<Content> {
        Some(Content::Number(value, Shape::Plain))
    }

    #[expect(clippy::unnecessary_wraps, reason = "cells may be empty")]
    fn date(value: f64) -> Option<Content> {
        Some(Content::Number(value, Shape::Date))
    }

    #[expect(clippy::unnecessary_wraps, reason = "cells may be empty")]
    fn time(value: f64) -> Option<Content> {
        Some(Content::Number(value, Shape::Time))
    }

    #[test]
    fn whole_numbers_with_gaps_are_exact_ints() {
        let largest = 9_007_199_254_740_991.0;
        let (kind, values, notes) = typed(&[number(1.0), None, number(largest)]);
        assert_eq!(kind, "int");
        assert_eq!(values, ["1", "", "9007199254740991"]);
        assert_eq!(
            notes,
            ["1 whole number of more than 15 digits, which Excel rounds (A4 9007199254740991)"]
        );
        assert_eq!(typed(&[number(1.0), number(0.5)]).0, "float");
        assert_eq!(typed(&[number(1e300)]).0, "float");
    }

    #[test]
    fn codes_are_padded_text() {
        let code = |value| Some(Content::Number(value, Shape::Padded(5)));
        let (kind, values, notes) = typed(&[code(42.0), code(123_456.0)]);
        assert_eq!(
            (kind, values),
            ("text", vec!["00042".into(), "123456".into()])
        );
        assert!(notes.is_empty());
        let (kind, values, notes) = typed(&[code(42.0), number(7.0)]);
        assert_eq!((kind, values), ("text", vec!["00042".into(), "7".into()]));
        assert_eq!(
            notes,
            ["mixed column is text: \"c\" (numbers and zero-padded codes)"]
        );
    }

    #[test]
    fn errors_and_formulas_without_a_value_are_missing_and_told() {
        let error = Some(Content::Error(CellError::Div0));
        let (kind, values, notes) = typed(&[number(1.0), error, Some(Content::Formula)]);
        assert_eq!(
            (kind, values),
            ("int", vec!["1".into(), String::new(), String::new()])
        );
        assert_eq!(
            notes,
            [
                "1 error cell is missing (A3 #DIV/0!)",
                "1 formula without a stored value is missing, open and save it in Excel (A4)",
            ]
        );
    }

    #[test]
    fn dates_are_days_unless_one_has_a_clock() {
        assert_eq!(typed(&[date(46_023.0), None]).1, ["2026-01-01", ""]);
        let (kind, values, _) = typed(&[date(46_023.0), date(46_023.25)]);
        assert_eq!(kind, "datetime");
        assert_eq!(values, ["2026-01-01 00:00:00", "2026-01-01 06:00:00"]);
        let (kind, values, notes) = typed(&[date(59.0), date(60.0), date(0.0)]);
        assert_eq!(
            (kind, values),
            (
                "date",
                vec!["1900-02-28".into(), String::new(), String::new()]
            )
        );
        assert_eq!(notes, ["2 dates are missing: no such day (A3 60, A4 0)"]);
    }

    #[test]
    fn the_column_tells_times_from_durations_and_moments() {
        assert_eq!(typed(&[time(0.25), time(0.5)]).0, "time");
        assert_eq!(typed(&[date(0.25), date(0.5)]).0, "time");
        let (kind, values, _) = typed(&[time(0.25), time(1.5)]);
        assert_eq!(kind, "duration");
        assert_eq!(values, ["06:00:00", "1 day 12:00:00"]);
        assert_eq!(typed(&[time(46_023.25)]).1, ["2026-01-01 06:00:00"]);
        let duration = Some(Content::Number(0.25, Shape::Duration));
        assert_eq!(typed(&[duration]).0, "duration");
    }

    #[test]
    fn mixed_columns_are_text_that_loses_nothing() {
        let bool = Some(Content::Bool(true));
        let (kind, values, _) = typed(&[
            number(1001.0),
            date(46_023.0),
            bool,
            time(0.25),
            number(0.1),
        ]);
        assert_eq!(kind, "text");
        assert_eq!(values, ["1001", "2026-01-01", "true", "06:00:00", "0.1"]);
    }
}
