//! The rules of building columns, each on its own.

use polars::prelude::{AnyValue, DataType, TimeUnit};
use proptest::prelude::*;

use super::*;
use crate::table::Kind;
use crate::text;
use crate::value::Value;

fn object<const N: usize>(fields: [(&str, Value); N]) -> Value {
    Value::Object(fields.map(|(name, value)| (name.to_owned(), value)).into())
}

fn text(value: &str) -> Value {
    Value::Text(value.into())
}

fn build(values: &[Value]) -> BuiltColumn {
    let mut column = ColumnBuilder::new();
    for value in values {
        column.push(value);
    }
    column.finish("a").expect("it fits into memory")
}

/// The values as JSON text, through polars; mixed columns hold such text already.
fn shown(built: &BuiltColumn) -> Vec<String> {
    (0..built.column.len())
        .map(|row| {
            let value = built.column.get(row).expect("row exists");
            match value {
                AnyValue::String(value) if built.kind == Kind::Mixed => value.to_owned(),
                AnyValue::StringOwned(value) if built.kind == Kind::Mixed => value.to_string(),
                value => {
                    let mut out = String::new();
                    text::write_json(&mut out, &value);
                    out
                }
            }
        })
        .collect()
}

/// Kind, values and note of a column.
fn built(values: &[Value]) -> (Kind, Vec<String>, Option<String>) {
    let built = build(values);
    (built.kind, shown(&built), built.note)
}

fn plain(kind: Kind, values: &[&str]) -> (Kind, Vec<String>, Option<String>) {
    (kind, values.iter().map(ToString::to_string).collect(), None)
}

fn told(kind: Kind, values: &[&str], note: &str) -> (Kind, Vec<String>, Option<String>) {
    let (kind, values, _) = plain(kind, values);
    (kind, values, Some(format!("column \"a\": {note}")))
}

#[test]
fn whole_numbers_stay_whole_with_gaps_and_at_every_size() {
    use Value::{BigInt, Int, Null, UInt};
    let gaps = build(&[Null, Int(i64::MAX), Null, Int(i64::MIN)]);
    assert_eq!(gaps.column.dtype(), &DataType::Int64);
    assert_eq!(
        shown(&gaps),
        [
            "null",
            "9223372036854775807",
            "null",
            "-9223372036854775808"
        ]
    );
    let wide = build(&[Int(1), Null, UInt(u64::MAX)]);
    assert_eq!(wide.column.dtype(), &DataType::UInt64);
    assert_eq!(shown(&wide), ["1", "null", "18446744073709551615"]);
    assert_eq!(
        built(&[Int(-1), UInt(u64::MAX)]),
        told(
            Kind::Text,
            &["\"-1\"", "\"18446744073709551615\""],
            "negative whole numbers together with ones above 9223372036854775807, \
             kept as text of their digits"
        )
    );
    assert_eq!(
        built(&[Int(5), BigInt("123456789012345678901234567890".into())]),
        told(
            Kind::Text,
            &["\"5\"", "\"123456789012345678901234567890\""],
            "whole numbers beyond 64 bits, kept as text of their digits"
        )
    );
}

#[test]
fn whole_numbers_become_floats_only_without_loss() {
    use Value::{Float, Int};
    assert_eq!(
        built(&[Int(1 << 53), Float(0.5), Value::Null]),
        plain(Kind::Float, &["9007199254740992.0", "0.5", "null"])
    );
    assert_eq!(
        built(&[Float(0.5), Int((1 << 53) + 1)]),
        told(
            Kind::Mixed,
            &["0.5", "9007199254740993"],
            "int and float, and a float cannot hold 9007199254740993 exactly, kept as JSON text"
        )
    );
}

#[test]
fn types_that_do_not_go_together_become_json_text() {
    use Value::{Bool, Date, Int, List, Null};
    assert_eq!(
        built(&[Int(1), Null, text("1")]),
        told(
            Kind::Mixed,
            &["1", "null", "\"1\""],
            "int and text, kept as JSON text"
        )
    );
    assert_eq!(
        built(&[
            Bool(true),
            Int(1),
            object([("k", Null)]),
            List(vec![]),
            text("é\n")
        ]),
        told(
            Kind::Mixed,
            &["true", "1", "{\"k\":null}", "[]", "\"é\\n\""],
            "bool, int, object, list and text, kept as JSON text"
        )
    );
    let wall = Value::Datetime {
        micros: 1_500_000,
        utc: false,
    };
    let instant = Value::Datetime {
        micros: 0,
        utc: true,
    };
    assert_eq!(
        built(&[wall, instant, Date(1)]),
        told(
            Kind::Mixed,
            &[
                "\"1970-01-01 00:00:01.500\"",
                "\"1970-01-01 00:00:00+00:00\"",
                "\"1970-01-02\""
            ],
            "datetime, datetime with zone and date, kept as JSON text"
        )
    );
}

#[test]
fn every_type_has_its_column() {
    let cases = [
        (Value::Bool(true), DataType::Boolean, "true"),
        (Value::Date(-719_162), DataType::Date, "\"0001-01-01\""),
        (
            Value::Datetime {
                micros: 1,
                utc: false,
            },
            DataType::Datetime(TimeUnit::Microseconds, None),
            "\"1970-01-01 00:00:00.000001\"",
        ),
        (
            Value::Datetime {
                micros: 1,
                utc: true,
            },
            DataType::Datetime(
                TimeUnit::Microseconds,
                polars::prelude::TimeZone::opt_try_new(Some("UTC")).expect("a zone"),
            ),
            "\"1970-01-01 00:00:00.000001+00:00\"",
        ),
        (Value::Time(1), DataType::Time, "\"00:00:00.000000001\""),
        (
            Value::Duration(-1),
            DataType::Duration(TimeUnit::Microseconds),
            "\"-00:00:00.000001\"",
        ),
        (
            Value::Decimal("-12.50".into()),
            DataType::Decimal(38, 2),
            "-12.50",
        ),
        (Value::Bytes(vec![0, 255]), DataType::Binary, "\"00ff\""),
        (text("00042"), DataType::String, "\"00042\""),
        (Value::Float(0.1), DataType::Float64, "0.1"),
    ];
    for (value, dtype, json) in cases {
        let one = build(&[Value::Null, value]);
        assert_eq!(one.column.dtype(), &dtype);
        assert_eq!(shown(&one), ["null", json]);
        assert_eq!(one.note, None);
    }
}

#[test]
fn decimals_share_one_scale_and_take_whole_numbers() {
    let decimal = |digits: &str| Value::Decimal(digits.into());
    assert_eq!(
        built(&[
            decimal("1.5"),
            Value::Int(2),
            decimal("2e-3"),
            decimal("1E+2")
        ]),
        plain(Kind::Decimal, &["1.500", "2.000", "0.002", "100.000"])
    );
    assert_eq!(
        built(&[Value::Int(3), decimal("NaN")]),
        told(
            Kind::Text,
            &["\"3\"", "\"NaN\""],
            "decimals beyond 38 digits, kept as text of their digits"
        )
    );
}

#[test]
fn nothing_but_missing_values_is_empty() {
    let empty = build(&[Value::Null, Value::Null]);
    assert_eq!(
        (empty.kind, empty.column.dtype()),
        (Kind::Empty, &DataType::Null)
    );
    assert_eq!(empty.column.len(), 2);
    assert_eq!(build(&[]).column.len(), 0);
}

#[test]
fn empty_list_empty_object_and_null_stay_apart() {
    use Value::{Int, List, Null, Object};
    assert_eq!(
        built(&[List(vec![]), Null, List(vec![Null, Int(1)])]),
        plain(Kind::List, &["[]", "null", "[null,1]"])
    );
    let only_empty = build(&[List(vec![]), Null]);
    assert_eq!(only_empty.column.null_count(), 1);
    assert_eq!(only_empty.kind, Kind::List);
    let objects = build(&[Object(vec![]), Null, object([("k", Int(1))])]);
    assert_eq!(objects.kind, Kind::Struct);
    assert_eq!(objects.column.null_count(), 1);
    assert_eq!(shown(&objects), ["{\"k\":null}", "null", "{\"k\":1}"]);
    let no_fields = build(&[Object(vec![]), Null, Object(vec![])]);
    assert_eq!(no_fields.kind, Kind::Struct);
    assert_eq!(no_fields.column.null_count(), 1);
    assert_eq!(no_fields.column.len(), 3);
}

#[test]
fn a_conflict_deep_inside_turns_the_whole_column_into_json_text() {
    use Value::{Int, List, Null};
    assert_eq!(
        built(&[
            object([("k", List(vec![Int(1)]))]),
            Null,
            object([("l", Null), ("k", List(vec![text("x"), Null]))]),
        ]),
        told(
            Kind::Mixed,
            &["{\"k\":[1]}", "null", "{\"l\":null,\"k\":[\"x\",null]}"],
            "int and text in \"a.k[]\", kept as JSON text"
        )
    );
}

#[test]
fn very_deep_values_become_json_text() {
    let mut deep = Value::Int(1);
    for _ in 0..100 {
        deep = Value::List(vec![deep]);
    }
    let built = build(std::slice::from_ref(&deep));
    assert_eq!(built.kind, Kind::Mixed);
    assert_eq!(shown(&built), [deep.to_json()]);
}

#[test]
fn objects_keyed_by_identifiers_become_json_text() {
    let values: Vec<Value> = (0..12_000)
        .map(|row| object([(&format!("id{row}") as &str, Value::Int(row))]))
        .collect();
    let built = build(&values);
    assert_eq!(built.kind, Kind::Mixed);
    assert_eq!(
        built.note.as_deref(),
        Some("column \"a\": objects with hardly a key in common, kept as JSON text")
    );
    assert_eq!(shown(&built)[7], "{\"id7\":7}");
}

fn records(rows: &[&[(&str, Value)]]) -> RecordsBuilder {
    let mut records = RecordsBuilder::new();
    for row in rows {
        records.begin();
        for (key, value) in *row {
            records.push(key, value);
        }
        records.end();
    }
    records
}

fn cells(table: &crate::Table, column: usize) -> Vec<String> {
    (0..table.height())
        .map(|row| {
            let mut out = String::new();
            let column = &table.frame().columns()[column];
            text::write_json(&mut out, &column.get(row).expect("row exists"));
            out
        })
        .collect()
}

#[test]
fn keys_come_in_first_seen_order_and_missing_ones_are_missing() {
    use Value::Int;
    let table = records(&[
        &[("b", Int(1))],
        &[],
        &[("a", text("x")), ("b", Int(2))],
        &[("", Int(3))],
    ])
    .finish()
    .expect("a table");
    let names: Vec<&str> = table
        .columns()
        .iter()
        .map(|one| one.name.as_str())
        .collect();
    assert_eq!(names, ["b", "a", ""]);
    assert_eq!(cells(&table, 0), ["1", "null", "2", "null"]);
    assert_eq!(cells(&table, 1), ["null", "null", "\"x\"", "null"]);
    assert_eq!(cells(&table, 2), ["null", "null", "null", "3"]);
    assert!(table.notes.is_empty());
}

#[test]
fn a_repeated_key_keeps_the_last_value_and_is_told() {
    use Value::{Int, List};
    let table = records(&[
        &[("v", Int(1)), ("w", List(vec![Int(1)]))],
        &[
            ("v", text("gone")),
            ("w", List(vec![Int(2), Int(3)])),
            ("v", Int(20)),
            ("w", List(vec![Int(4)])),
        ],
    ])
    .finish()
    .expect("a table");
    assert_eq!(table.columns()[0].kind, Kind::Int);
    assert_eq!(cells(&table, 0), ["1", "20"]);
    assert_eq!(cells(&table, 1), ["[1]", "[4]"]);
    assert_eq!(
        table.notes[0].text,
        "2 repeated keys, the last value is kept (first: \"v\" in record 2)"
    );
    assert_eq!(table.notes[0].count, Some(2));
}

#[test]
fn a_cancelled_record_leaves_no_trace() {
    use Value::{Float, Int, List, Null};
    let mut builder = records(&[&[
        ("a", Int(1)),
        ("l", List(vec![Int(1)])),
        ("o", object([("k", Int(1))])),
    ]]);
    builder.begin();
    builder.push("a", &text("x"));
    builder.push("new", &Float(1.5));
    builder.push("l", &List(vec![text("y")]));
    builder.push("o", &object([("other", Null)]));
    builder.cancel();
    builder.begin();
    builder.push("a", &Int(2));
    builder.end();
    let table = builder.finish().expect("a table");
    assert_eq!(table.width(), 3);
    assert_eq!(table.columns()[0].kind, Kind::Int);
    assert_eq!(cells(&table, 0), ["1", "2"]);
    assert_eq!(cells(&table, 2), ["{\"k\":1}", "null"]);
}

#[test]
fn records_without_common_keys_are_refused_not_filled_up() {
    let mut builder = RecordsBuilder::new();
    for row in 0..13_000 {
        builder.begin();
        builder.push(&format!("id{row}"), &Value::Int(row));
        builder.end();
    }
    let error = builder.finish().expect_err("too sparse");
    assert!(
        error.to_string().starts_with(
            "expected records with common keys, found 13,000 different keys in 13,000 records"
        ),
        "{error}"
    );
}

/// Any value, a few levels deep.
fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(Value::Int),
        (1u64 << 63..=u64::MAX).prop_map(Value::UInt),
        (-1000i32..1000).prop_map(|n| Value::Float(f64::from(n) / 8.0)),
        "[a-c\"é\n]{0,14}".prop_map(Value::Text),
        Just(Value::BigInt("-98765432109876543210".into())),
        (0i32..9).prop_map(Value::Date),
        (any::<i32>(), any::<bool>()).prop_map(|(micros, utc)| Value::Datetime {
            micros: micros.into(),
            utc
        }),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::List),
            prop::collection::vec(("[a-c]", inner), 0..4).prop_map(|fields| {
                let mut unique: Vec<(String, Value)> = Vec::new();
                for (key, value) in fields {
                    if unique.iter().all(|(known, _)| *known != key) {
                        unique.push((key, value));
                    }
                }
                Value::Object(unique)
            }),
        ]
    })
}

/// JSON text without the fields that are null and with fields sorted: what a column may not lose.
fn essence(value: &Value) -> String {
    fn strip(value: &Value) -> Value {
        match value {
            Value::List(items) => Value::List(items.iter().map(strip).collect()),
            Value::Object(fields) => {
                let mut fields: Vec<_> = fields
                    .iter()
                    .filter(|(_, value)| *value != Value::Null)
                    .map(|(name, value)| (name.clone(), strip(value)))
                    .collect();
                fields.sort_by(|left, right| left.0.cmp(&right.0));
                Value::Object(fields)
            }
            other => other.clone(),
        }
    }
    strip(value).to_json()
}

fn read_back(value: &AnyValue<'_>) -> Value {
    match value {
        AnyValue::Null => Value::Null,
        AnyValue::Boolean(value) => Value::Bool(*value),
        AnyValue::Int64(value) => Value::Int(*value),
        AnyValue::UInt64(value) => Value::UInt(*value),
        AnyValue::Float64(value) => Value::Float(*value),
        AnyValue::String(value) => text(value),
        AnyValue::StringOwned(value) => text(value),
        AnyValue::Date(value) => Value::Date(*value),
        AnyValue::Datetime(value, _, zone) => Value::Datetime {
            micros: *value,
            utc: zone.is_some(),
        },
        AnyValue::DatetimeOwned(value, _, zone) => Value::Datetime {
            micros: *value,
            utc: zone.is_some(),
        },
        AnyValue::List(items) => Value::List(items.iter().map(|item| read_back(&item)).collect()),
        AnyValue::Struct(_, _, fields) => Value::Object(
            fields
                .iter()
                .zip(value._iter_struct_av())
                .map(|(field, value)| (field.name().to_string(), read_back(&value)))
                .collect(),
        ),
        AnyValue::StructOwned(owned) => Value::Object(
            owned
                .1
                .iter()
                .zip(&owned.0)
                .map(|(field, value)| (field.name().to_string(), read_back(value)))
                .collect(),
        ),
        other => panic!("unexpected {other:?}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn no_value_is_lost_whatever_comes_together(
        values in prop::collection::vec(any_value(), 0..12),
        cut in 0usize..12,
    ) {
        let cut = cut.min(values.len());
        let (mut left, mut right) = (ColumnBuilder::new(), ColumnBuilder::new());
        for value in &values[..cut] { left.push(value); }
        for value in &values[cut..] { right.push(value); }
        left.append(right);
        let parts = left.finish("a").expect("it fits into memory");
        let whole = build(&values);
        prop_assert_eq!(parts.column.dtype(), whole.column.dtype());
        prop_assert_eq!(parts.kind, whole.kind);
        prop_assert_eq!(shown(&parts), shown(&whole));
        prop_assert_eq!(whole.column.len(), values.len());
        for (row, value) in values.iter().enumerate() {
            let cell = whole.column.get(row).expect("row exists");
            let cell = match &cell {
                AnyValue::StringOwned(value) => AnyValue::String(value),
                cell => cell.clone(),
            };
            match (&cell, whole.kind) {
                (AnyValue::Null, _) => prop_assert_eq!(value, &Value::Null),
                (AnyValue::String(json), Kind::Mixed) => {
                    prop_assert_eq!((*json).to_owned(), value.to_json());
                }
                (AnyValue::String(digits), Kind::Text) if !matches!(value, Value::Text(_)) => {
                    prop_assert_eq!((*digits).to_owned(), value.to_json());
                }
                (cell, _) => {
                    let back = essence(&read_back(cell)).replace(".0", "");
                    prop_assert_eq!(back, essence(value).replace(".0", ""));
                }
            }
        }
    }

    #[test]
    fn taking_values_back_leaves_the_column_as_it_was(
        values in prop::collection::vec(any_value(), 0..6),
        gone in any_value(),
    ) {
        let mut column = ColumnBuilder::new();
        for value in &values { column.push(value); }
        let len = column.len();
        column.push(&gone);
        column.truncate(len);
        let found = column.finish("a").expect("it fits into memory");
        let wanted = build(&values);
        prop_assert_eq!(found.column.len(), wanted.column.len());
        if found.kind == wanted.kind && found.column.dtype() == wanted.column.dtype() {
            prop_assert!(found.column.equals_missing(&wanted.column));
        }
        if !matches!(gone, Value::List(_) | Value::Object(_)) {
            prop_assert_eq!(found.column.dtype(), wanted.column.dtype());
        }
    }
}
