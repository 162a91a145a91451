//! Plain values and nested records, written as json and jsonl and read again: the same values.

use hs_core::builder::RecordsBuilder;
use hs_core::format::{json, jsonl};
use hs_core::op::charge::{ChargeOptions, charge};
use hs_core::value::Value;
use hs_core::{Control, Loaded, Source, Table};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

use crate::cases;

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(Value::Int),
        (-9i64..9).prop_map(Value::Int),
        (1 + i64::MAX as u64..).prop_map(Value::UInt),
        any::<f64>()
            .prop_filter("JSON has finite numbers", |float| float.is_finite())
            .prop_map(Value::Float),
        "\\PC{0,6}".prop_map(Value::Text),
        "[\"\\\\\\n\\t\u{1}\u{7f}{}\\[\\],:0-9aN\u{10348}-]{0,6}".prop_map(Value::Text),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    scalar().prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::List),
            object(inner, 0..4),
        ]
    })
}

/// An object whose keys are different, among them few so that records share them.
fn object(
    inner: impl Strategy<Value = Value>,
    size: std::ops::Range<usize>,
) -> impl Strategy<Value = Value> {
    let key = prop_oneof![4 => "[ab]", 1 => "\\PC{0,3}", 1 => "[\"\\\\\\n]{1,2}"];
    vec((key, inner), size).prop_map(|fields| {
        let mut different: Vec<(String, Value)> = Vec::new();
        for (name, value) in fields {
            if different.iter().all(|(known, _)| *known != name) {
                different.push((name, value));
            }
        }
        Value::Object(different)
    })
}

fn read(name: &str, bytes: Vec<u8>) -> Result<Loaded, TestCaseError> {
    let shown = String::from_utf8_lossy(&bytes).into_owned();
    let source = Source::bytes(name, bytes);
    let loaded =
        source.and_then(|source| charge(source, &ChargeOptions::default(), &Control::default()));
    loaded.map_err(|error| TestCaseError::fail(format!("{error}\n{shown:?}")))
}

/// The table of these records; `None` where they have hardly a key in common.
fn table(records: &[Value]) -> Option<Table> {
    let mut builder = RecordsBuilder::new();
    for record in records {
        builder.begin();
        if let Value::Object(fields) = record {
            for (name, value) in fields {
                builder.push(name, value);
            }
        }
        builder.end();
    }
    builder.finish().ok()
}

fn same(found: &Table, wanted: &Table, written: &[u8]) -> Result<(), TestCaseError> {
    let shown = String::from_utf8_lossy(written);
    prop_assert_eq!(found.columns(), wanted.columns(), "{}", shown);
    let equal = found.frame().equals_missing(wanted.frame());
    prop_assert!(equal, "{}{:?}{:?}", shown, found.frame(), wanted.frame());
    Ok(())
}

proptest! {
    #![proptest_config(cases(1500))]

    #[test]
    fn a_value(value in value()) {
        let mut out = Vec::new();
        json::value::write(&value, &mut out, &Control::default()).expect("memory takes it");
        match (read("x.json", out.clone())?, &value) {
            (Loaded::Value(found), _) => prop_assert_eq!(&found.value, &value),
            (Loaded::Table(found), Value::List(records)) => {
                if let Some(wanted) = table(records) {
                    same(&found, &wanted, &out)?;
                }
            }
            _ => prop_assert!(false, "{}", String::from_utf8_lossy(&out)),
        }
    }

    #[test]
    fn records_as_lines(records in vec(object(value(), 1..4), 1..6)) {
        let mut out = Vec::new();
        let records = Value::List(records);
        json::value::write_lines(&records, &mut out, &Control::default()).expect("memory takes it");
        let Value::List(records) = records else { unreachable!("made above") };
        if let Some(wanted) = table(&records) {
            let Loaded::Table(found) = read("x.jsonl", out.clone())? else {
                return Err(TestCaseError::fail("no table"));
            };
            same(&found, &wanted, &out)?;
        }
    }

    #[test]
    fn a_table_of_nested_values(records in vec(object(value(), 1..4), 1..6)) {
        let Some(wanted) = table(&records) else { return Ok(()) };
        let (mut lines, mut list) = (Vec::new(), Vec::new());
        jsonl::write::write(&wanted, &mut lines, &Control::default()).expect("memory takes it");
        json::write::write(&wanted, &mut list, &Control::default()).expect("memory takes it");
        for (name, out) in [("x.jsonl", lines), ("x.json", list)] {
            let Loaded::Table(found) = read(name, out.clone())? else {
                return Err(TestCaseError::fail("no table"));
            };
            same(&found, &wanted, &out)?;
        }
    }
}
