//! What the writers of text formats write reads back the same: `charge(sauve(x)) == x`.

use hs_core::format::{delimited, json, jsonl};
use hs_core::op::charge::{ChargeOptions, charge};
use hs_core::{Control, Loaded, Source, Table};
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

use crate::cases;
use crate::table::{self, Cell, Column, after_csv, after_json};

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
}
