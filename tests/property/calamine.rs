//! A second reader of workbooks: what calamine reads in the fixtures and in workbooks that we write is
//! what we read and wrote. Its known faults (ARCHITECTURE.md) are left out by the kind of the column.

use std::io::Cursor;
use std::path::Path;

use calamine::{Data, Range, Reader, Xlsx, open_workbook_auto};
use hs_core::format::workbook;
use hs_core::op::charge::{ChargeOptions, Given, charge_files};
use hs_core::{Control, Kind, Loaded, ReadOptions, SheetChoice, Table};
use proptest::prelude::*;

use crate::cases;
use crate::table::{self, Cell, Column, found};

const SHEET: &str = "2026";

fn ours(path: &Path) -> Table {
    let options = ChargeOptions {
        read: ReadOptions {
            sheet: SheetChoice::Name(SHEET.to_owned()),
            ..ReadOptions::default()
        },
        ..ChargeOptions::default()
    };
    match charge_files(&Given::One(path.to_owned()), &options, &Control::default()) {
        Ok(Loaded::Table(table)) => table,
        other => panic!("{}: {other:?}", path.display()),
    }
}

/// What a cell of calamine is beside a cell of ours; `None` where calamine is known to be wrong.
fn same(theirs: &Data, ours: &Cell, kind: Kind) -> Option<bool> {
    Some(match (theirs, ours) {
        (Data::Empty, ours) => *ours == Cell::Missing,
        (Data::String(theirs), Cell::Text(ours)) => theirs == ours,
        (Data::Bool(theirs), Cell::Bool(ours)) => theirs == ours,
        (Data::Int(theirs), Cell::Int(ours)) => i128::from(*theirs) == *ours,
        (Data::Float(theirs), Cell::Int(ours)) => theirs.to_bits() == (*ours as f64).to_bits(),
        (Data::Float(theirs), Cell::Float(ours)) => theirs.to_bits() == *ours,
        (Data::Int(theirs), Cell::Float(ours)) => (*theirs as f64).to_bits() == *ours,
        // Codes padded by their number format: calamine gives the number under it.
        (Data::Float(theirs), Cell::Text(ours)) => ours.parse() == Ok(*theirs),
        (Data::Int(theirs), Cell::Text(ours)) => ours.parse() == Ok(*theirs),
        // A number of days to calamine, or ISO text.
        _ if matches!(kind, Kind::Date | Kind::Datetime) => return None,
        _ => false,
    })
}

#[test]
fn the_fixtures() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    // Of orders.xlsb calamine loses a column.
    for name in ["orders.xlsx", "orders.xlsm", "orders.xls", "orders.ods"] {
        let path = folder.join(name);
        let table = ours(&path);
        let range = open_workbook_auto(&path)
            .and_then(|mut book| book.worksheet_range(SHEET))
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(
            range.get_size(),
            (table.height() + 1, table.width()),
            "{name}"
        );
        let mut compared = 0;
        for (position, (info, column)) in table.iter().enumerate() {
            let header = range.get((0, position)).expect("inside");
            assert_eq!(*header, Data::String(info.name.clone()), "{name}");
            for (row, ours) in found(column).iter().enumerate() {
                let theirs = range.get((row + 1, position)).expect("inside");
                match same(theirs, ours, info.kind) {
                    Some(same) => assert!(
                        same,
                        "{name}, {}, row {row}: {theirs:?}, {ours:?}",
                        info.name
                    ),
                    None => continue,
                }
                compared += 1;
            }
        }
        assert!(compared > 400, "{name}: {compared} cells");
    }
}

fn written(columns: &[(String, Column)]) -> Range<Data> {
    let table = table::table(columns);
    let mut out = Vec::new();
    workbook::write(&[(SHEET.to_owned(), &table)], &mut out, &Control::default())
        .expect("memory takes it");
    let mut book = Xlsx::new(Cursor::new(out)).expect("calamine opens it");
    book.worksheet_range(SHEET).expect("calamine reads it")
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn texts_numbers_and_bools_that_we_write(columns in table::columns()) {
        let range = written(&columns);
        for (position, (name, column)) in columns.iter().enumerate() {
            let at = |row: usize| range.get((row, position)).cloned().unwrap_or(Data::Empty);
            prop_assert_eq!(at(0), Data::String(name.clone()));
            for (row, ours) in found(&table::table(&columns).frame().columns()[position]).iter().enumerate() {
                let theirs = at(row + 1);
                let same = match (ours, column) {
                    // What a sheet has no number for is text or nothing, told: our own round trip judges it.
                    (_, Column::Date(_) | Column::Moments { .. } | Column::Time(_)) => true,
                    (Cell::Float(bits), _) if !f64::from_bits(*bits).is_finite() => theirs == Data::Empty,
                    (Cell::Int(int), _) if int.unsigned_abs() > 999_999_999_999_999 => {
                        theirs == Data::String(int.to_string())
                    }
                    (Cell::Int(int), _) => {
                        theirs == Data::String(int.to_string()) || same(&theirs, ours, Kind::Int) == Some(true)
                    }
                    // A cell without letters is no cell.
                    (Cell::Text(text), _) if text.is_empty() => {
                        matches!(&theirs, Data::Empty) || theirs == Data::String(String::new())
                    }
                    _ => same(&theirs, ours, Kind::Text) == Some(true),
                };
                prop_assert!(same, "{}, row {}: {:?}, {:?}", name, row, theirs, ours);
            }
        }
    }
}
