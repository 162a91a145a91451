//! Random columns of random types, rendered as BigQuery writes them, and replies that were damaged.

use hs_core::{Control, text};
use proptest::prelude::*;

use super::Rows;
use super::tests::{decoded, values};

/// One value of a column: its cell as BigQuery writes it, and its JSON in the table.
#[derive(Clone, Debug)]
struct Cell {
    wire: String,
    wanted: String,
}

fn quoted(text: &str) -> String {
    let mut out = String::new();
    text::write_json(&mut out, &polars::prelude::AnyValue::String(text));
    out
}

/// A schema type, and values of it.
fn typed() -> impl Strategy<Value = (String, Vec<Cell>)> {
    let null = || {
        Just(Cell {
            wire: "null".into(),
            wanted: "null".into(),
        })
    };
    let cell = |wire: String, wanted: String| Cell { wire, wanted };
    let ints = any::<i64>().prop_map(move |value| cell(format!("\"{value}\""), value.to_string()));
    let floats = any::<f64>()
        .prop_filter("finite", |value| value.is_finite())
        .prop_map(move |value| {
            let mut wanted = String::new();
            text::write_float(&mut wanted, value);
            cell(format!("\"{value:E}\""), wanted)
        });
    let texts = any::<String>().prop_map(move |value| cell(quoted(&value), quoted(&value)));
    let bools =
        any::<bool>().prop_map(move |value| cell(format!("\"{value}\""), value.to_string()));
    let numerics = (-(10i128.pow(38)) + 1..10i128.pow(38)).prop_map(move |value| {
        let sign = if value < 0 { "-" } else { "" };
        let size = value.unsigned_abs();
        let (whole, fraction) = (size / 1_000_000_000, size % 1_000_000_000);
        let wanted = format!("{sign}{whole}.{fraction:09}");
        let short = wanted.trim_end_matches('0').trim_end_matches('.');
        cell(format!("\"{short}\""), wanted)
    });
    let days = (-719_162i32..=2_932_896).prop_map(move |day| {
        let day = format!("\"{}\"", text::date(day));
        cell(day.clone(), day)
    });
    let instants = (-62_135_596_800_000_000i64..=253_402_300_799_999_999).prop_map(move |micros| {
        let wanted = text::datetime(i128::from(micros) * 1000, true);
        cell(format!("\"{micros}\""), format!("\"{wanted}\""))
    });
    let many = |kind: &'static str, one: BoxedStrategy<Cell>| {
        proptest::collection::vec(prop_oneof![4 => one, 1 => null()], 0..6)
            .prop_map(move |cells| (format!("\"type\":\"{kind}\""), cells))
            .boxed()
    };
    let plain = prop_oneof![
        many("INT64", ints.boxed()),
        many("FLOAT64", floats.boxed()),
        many("STRING", texts.boxed()),
        many("BOOL", bools.boxed()),
        many("NUMERIC", numerics.boxed()),
        many("DATE", days.boxed()),
        many("TIMESTAMP", instants.boxed()),
    ];
    // Lists of them, or records with one field.
    plain.prop_recursive(4, 64, 6, |inside| {
        (inside, any::<bool>(), any::<bool>()).prop_map(|((kind, cells), list, missing)| {
            let (mut outer, kind) = if list && !kind.contains("\"mode\"") {
                let wire: Vec<String> = cells
                    .iter()
                    .map(|one| format!("{{\"v\":{}}}", one.wire))
                    .collect();
                let wanted: Vec<&str> = cells.iter().map(|one| one.wanted.as_str()).collect();
                let all = Cell {
                    wire: format!("[{}]", wire.join(" , ")),
                    wanted: format!("[{}]", wanted.join(",")),
                };
                let none = Cell {
                    wire: "[]".into(),
                    wanted: "[]".into(),
                };
                (vec![all, none], format!("\"mode\":\"REPEATED\",{kind}"))
            } else {
                let one = |cell: &Cell| Cell {
                    wire: format!("{{\"f\":[{{\"v\":{}}}]}}", cell.wire),
                    wanted: format!("{{\"y\":{}}}", cell.wanted),
                };
                let kind = format!("\"type\":\"RECORD\",\"fields\":[{{\"name\":\"y\",{kind}}}]");
                (cells.iter().map(one).collect(), kind)
            };
            if missing {
                outer.push(Cell {
                    wire: "null".into(),
                    wanted: "null".into(),
                });
            }
            (kind, outer)
        })
    })
}

proptest! {
    #[test]
    fn what_is_rendered_is_read_back((kind, cells) in typed(), cut in 0usize..6) {
        let row = |cell: &Cell| format!("{{\"f\":[{{\"v\":{}}}]}}", cell.wire);
        let rows: Vec<String> = cells.iter().map(row).collect();
        let (first, second) = rows.split_at(cut.min(rows.len()));
        let schema = format!("{{\"fields\":[{{\"name\":\"x\",{kind}}}]}}");
        let page = |rows: &[String]| {
            format!("{{\"jobComplete\":true,\"schema\":{schema},\"rows\":[{}]}}", rows.join(","))
        };
        let table = decoded(&[&page(first), &page(second)]).unwrap();
        let wanted: Vec<String> = cells.into_iter().map(|cell| cell.wanted).collect();
        prop_assert_eq!(values(&table), wanted);
    }

    #[test]
    fn damaged_replies_are_errors_or_tables_but_never_panics(
        (kind, cells) in typed(),
        changes in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>(), 0..4u8), 1..4),
    ) {
        let rows: Vec<String> = cells.iter().map(|cell| format!("{{\"f\":[{{\"v\":{}}}]}}", cell.wire)).collect();
        let body = format!(
            "{{\"schema\":{{\"fields\":[{{\"name\":\"x\",{kind}}}]}},\"rows\":[{}],\"jobComplete\":true}}",
            rows.join(",")
        );
        let mut bytes = body.into_bytes();
        for (place, byte, change) in changes {
            let at = place.index(bytes.len().max(1)).min(bytes.len());
            let letters = b"{}[]\",:\\u0e-.nt ";
            match change {
                0 => bytes.truncate(at),
                1 => bytes.insert(at, letters[usize::from(byte) % letters.len()]),
                2 if at < bytes.len() => bytes[at] = byte,
                _ if at < bytes.len() => drop(bytes.remove(at)),
                _ => {}
            }
        }
        let mut rows = Rows::new();
        if rows.page(&bytes, &Control::default()).is_ok() {
            let height = rows.height();
            prop_assert_eq!(rows.table().unwrap().height(), height);
        }
    }
}
