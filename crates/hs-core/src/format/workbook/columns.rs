//! One type for each column, decided on all its cells. Text cells are never parsed; a value that does
//! not fit the type of its column is told, or the column is text.

use rayon::prelude::*;

use super::account::Account;
use super::cells::{Cells, ColumnCells};
use super::family::{Families, Family};
use super::layout::Layout;
use super::typed::{Type, Typing};
use crate::control::Control;
use crate::error::Result;
use crate::format::TextLayout;
use crate::format::conform::{Types, Wanted};
use crate::table::{ColumnInfo, Kind, Table};

/// The table that a layout finds in the cells, with the notes of both. Texts lie as `text` says.
///
/// # Errors
/// [`ErrorKind::Interrupted`](crate::ErrorKind::Interrupted) on a stop request.
pub fn table(
    cells: &Cells,
    layout: &Layout,
    types: &Types,
    text: TextLayout,
    control: &Control,
) -> Result<Table> {
    let none = ColumnCells::default();
    let by_position: std::collections::HashMap<u32, &ColumnCells> = cells.columns().collect();
    let made: Vec<Made> = layout
        .columns
        .par_iter()
        .map(|(position, name)| {
            control.check()?;
            let wanted = types.of(name);
            let column = Typing {
                cells,
                layout,
                column: by_position.get(position).copied().unwrap_or(&none),
                position: *position,
                marks: wanted.and_then(Wanted::marks),
                // What is turned into a given type is read as views.
                text: if wanted.is_some() {
                    TextLayout::Views
                } else {
                    text
                },
            };
            Ok(made(&column, name, wanted.is_some()))
        })
        .collect::<Result<_>>()?;
    let mut account = Account::default();
    let mut columns = Vec::with_capacity(made.len());
    let mut reasons = Vec::with_capacity(made.len());
    for made in made {
        account.absorb(made.account);
        reasons.push(made.reason);
        columns.push((made.info, made.column));
    }
    let mut table = Table::from_columns(layout.height, columns)?;
    table.explanation.reasons = reasons;
    table.notes.clone_from(&layout.notes);
    table.notes.extend(account.notes());
    Ok(table)
}

/// A column with what there is to say about it.
struct Made {
    info: ColumnInfo,
    column: polars::prelude::Column,
    reason: String,
    account: Account,
}

fn made(typing: &Typing<'_>, name: &str, given: bool) -> Made {
    let mut account = Account::default();
    let (families, kind) = typing.decide();
    // With a given type it is no text in the end.
    if kind == Type::Text && families.count() > 1 && !given {
        let words: Vec<&str> = families.iter().map(Family::words).collect();
        account.mixed.push((name.to_owned(), words.join(" and ")));
    }
    let column = typing.build(kind, name, &mut account);
    let info = ColumnInfo {
        name: name.to_owned(),
        // Texts that lie flat are stored as bytes.
        kind: match kind {
            Type::Text => Kind::Text,
            _ => Kind::of(column.dtype()),
        },
    };
    Made {
        info,
        reason: reason(families, kind, column.null_count()),
        column,
        account,
    }
}

/// Why a column has its type.
fn reason(families: Families, kind: Type, missing: usize) -> String {
    let words: Vec<&str> = families.iter().map(Family::words).collect();
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::workbook::cells::{CellError, Content};
    use crate::format::workbook::layout::{HeaderChoice, layout};
    use crate::format::workbook::number_format::Shape;
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
        let types = Types::Decided;
        let text = TextLayout::Views;
        let table = table(&cells, &layout, &types, text, &Control::default()).expect("no error");
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

    #[test]
    fn flat_texts_are_the_same_texts() {
        let mut cells = Cells::new(false);
        let names = ["name", "", "Köln", "x"].map(|text| cells.text(text));
        for (row, content) in (0..).zip(names) {
            cells.push(row, 0, content).expect("inside a sheet");
        }
        cells
            .push(5, 0, Content::Number(7.0, Shape::Plain))
            .expect("inside a sheet");
        let cells = cells.finish();
        let layout = layout(&cells, &[], HeaderChoice::Found)
            .expect("no error")
            .expect("a table");
        let made = |text| {
            table(&cells, &layout, &Types::Decided, text, &Control::default()).expect("no error")
        };
        let (views, flat) = (made(TextLayout::Views), made(TextLayout::Flat));
        assert_eq!(views.columns(), flat.columns());
        let views = views.frame().columns()[0].clone();
        let flat = flat.frame().columns()[0].clone();
        assert_eq!(views.null_count(), flat.null_count());
        let (views, flat) = (
            views.str().expect("text"),
            flat.binary_offset().expect("bytes"),
        );
        let texts: Vec<_> = views.iter().collect();
        assert_eq!(texts, [Some(""), Some("Köln"), Some("x"), None, Some("7")]);
        let bytes: Vec<_> = flat.iter().collect();
        assert!(texts.iter().map(|text| text.map(str::as_bytes)).eq(bytes));
    }
}
