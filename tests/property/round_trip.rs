//! What the writers of text formats write reads back the same: `charge(sauve(x)) == x`.

use hs_core::format::{delimited, json, jsonl, workbook};
use hs_core::op::charge::{ChargeOptions, charge};
use hs_core::{Control, Loaded, Source, Table};
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

use crate::calendar::DAY_NANOS;
use crate::cases;
use crate::table::{self, Cell, Column, after_csv, after_json, after_xlsx};

fn read(name: &str, bytes: Vec<u8>) -> Result<Table, TestCaseError> {
    let shown = String::from_utf8_lossy(&bytes).into_owned();
    let options = ChargeOptions::default();
    let loaded =
        Source::bytes(name, bytes).and_then(|source| charge(source, &options, &Control::default()));
    match loaded {
        Ok(Loaded::Table(table)) => Ok(table),
        Ok(_) => Err(TestCaseError::fail(format!("no table: {shown:?}"))),
        Err(error) => Err(TestCaseError::fail(format!("{error}\n{shown:?}"))),
    }
}

fn same(
    columns: &[(String, Column)],
    expected: impl Fn(&Column) -> Vec<Cell>,
    read: &Table,
    written: &[u8],
) -> Result<(), TestCaseError> {
    let shown = String::from_utf8_lossy(written);
    let names: Vec<&str> = read
        .columns()
        .iter()
        .map(|info| info.name.as_str())
        .collect();
    let wanted: Vec<&str> = columns.iter().map(|(name, _)| name.as_str()).collect();
    prop_assert_eq!(names, wanted, "{:?}", shown);
    for ((name, column), (_, found)) in columns.iter().zip(read.iter()) {
        prop_assert_eq!(
            table::found(found),
            expected(column),
            "column {:?} of {:?}",
            name,
            shown
        );
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(1500))]

    #[test]
    fn csv(columns in table::columns()) {
        let mut out = Vec::new();
        let table = table::table(&columns);
        delimited::write::write(&table, b',', &mut out, &Control::default()).expect("memory takes it");
        let back = read("x.csv", out.clone())?;
        same(&columns, after_csv, &back, &out)?;
    }

    #[test]
    fn tsv(columns in table::columns()) {
        let mut out = Vec::new();
        let table = table::table(&columns);
        delimited::write::write(&table, b'\t', &mut out, &Control::default()).expect("memory takes it");
        let back = read("x.tsv", out.clone())?;
        same(&columns, after_csv, &back, &out)?;
    }

    #[test]
    fn jsonl(columns in table::columns()) {
        let mut out = Vec::new();
        let table = table::table(&columns);
        jsonl::write::write(&table, &mut out, &Control::default()).expect("memory takes it");
        let back = read("x.jsonl", out.clone())?;
        same(&columns, after_json, &back, &out)?;
    }

    #[test]
    fn json(columns in table::columns()) {
        let mut out = Vec::new();
        let table = table::table(&columns);
        json::write::write(&table, &mut out, &Control::default()).expect("memory takes it");
        let back = read("x.json", out.clone())?;
        same(&columns, after_json, &back, &out)?;
    }

    #[test]
    fn xlsx(columns in table::columns()) {
        let table = table::table(&columns);
        let mut out = Vec::new();
        let sheets = [("Sheet1".to_owned(), &table)];
        let notes = workbook::write(&sheets, &mut out, &Control::default())
            .map_err(|error| TestCaseError::fail(error.to_string()))?;
        let fine = notes.iter().any(|note| note.text.contains("finer than Excel"));
        let back = read("x.xlsx", out)?;
        let names: Vec<&str> = back.columns().iter().map(|info| info.name.as_str()).collect();
        let wanted: Vec<&str> = columns.iter().map(|(name, _)| name.as_str()).collect();
        prop_assert_eq!(names, wanted);
        let expected: Vec<Vec<Cell>> = columns.iter().map(|(_, column)| after_xlsx(column)).collect();
        let height = filled_rows(&expected);
        prop_assert_eq!(back.height(), height);
        for (wanted, (info, found)) in expected.iter().zip(back.iter()) {
            for (wanted, found) in wanted[..height].iter().zip(table::found(found)) {
                prop_assert!(
                    close(wanted, &found, fine),
                    "column {:?}: {:?} became {:?}, {:?}", info.name, wanted, found, notes
                );
            }
        }
    }
}

/// The rows up to the last that is not blank.
fn filled_rows(columns: &[Vec<Cell>]) -> usize {
    let blank = |cell: &Cell| matches!(cell, Cell::Missing) || *cell == Cell::Text(String::new());
    let last = |cells: &Vec<Cell>| cells.iter().rposition(|cell| !blank(cell));
    columns
        .iter()
        .filter_map(last)
        .max()
        .map_or(0, |last| last + 1)
}

/// The same, or, where the writer said that there are finer times than serial numbers, off by no more
/// than a serial number of the year 9999 leaves open, which readers drop as noise.
fn close(wanted: &Cell, found: &Cell, fine: bool) -> bool {
    let near = |left: i128, right: i128| (left - right).abs() <= 80_000;
    match (wanted, found) {
        (Cell::Moment(wanted, false), Cell::Moment(found, false)) if fine => near(*wanted, *found),
        // Some microseconds after midnight.
        (Cell::Moment(wanted, false), Cell::Date(found)) if fine => {
            near(*wanted, i128::from(*found) * DAY_NANOS)
        }
        (Cell::Time(wanted), Cell::Time(found)) if fine => {
            near(i128::from(*wanted), i128::from(*found))
        }
        (wanted, found) => wanted == found,
    }
}
