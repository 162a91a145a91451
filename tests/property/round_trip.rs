//! What the writers of the shell write reads back the same: `charge(write(x)) == x`.

use hs_cli::render;
use hs_core::op::charge::{ChargeOptions, charge};
use hs_core::{Control, Loaded, ReadOptions, Source, Table};
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

use crate::cases;
use crate::table::{self, Cell, Column, after_csv, after_json};

fn read(name: &str, bytes: Vec<u8>, at: Option<&str>) -> Result<Table, TestCaseError> {
    let shown = String::from_utf8_lossy(&bytes).into_owned();
    let options = ChargeOptions {
        read: ReadOptions {
            at: at.map(str::to_owned),
            ..ReadOptions::default()
        },
        ..ChargeOptions::default()
    };
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
        let table = table::table(&columns);
        let mut out = Vec::new();
        render::csv(&mut out, table.columns(), &[table.frame().clone()]).expect("memory takes it");
        let back = read("x.csv", out.clone(), None)?;
        same(&columns, after_csv, &back, &out)?;
    }

    #[test]
    fn jsonl(columns in table::columns()) {
        let table = table::table(&columns);
        let mut out = Vec::new();
        render::jsonl(&mut out, table.columns(), &[table.frame().clone()]).expect("memory takes it");
        let back = read("x.jsonl", out.clone(), None)?;
        same(&columns, after_json, &back, &out)?;
    }

    #[test]
    fn json(columns in table::columns()) {
        let table = table::table(&columns);
        let mut out = Vec::new();
        let frames = [table.frame().clone()];
        render::json(&mut out, &table, &frames, &[]).expect("memory takes it");
        let back = read("x.json", out.clone(), Some("data"))?;
        same(&columns, after_json, &back, &out)?;
    }
}
