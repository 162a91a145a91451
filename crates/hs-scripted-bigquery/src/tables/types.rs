//! Tables for the decoder: every type with its ordinary values, its limits and NULL; records in records; moments whose
//! microseconds no float holds.

use serde_json::{Value, json};

use super::{Column, column, text};
use crate::base64;

pub const ROWS: usize = 4;

/// The 19 columns of `d.types`.
pub const COLUMNS: &[Column] = &[
    column("i", "INTEGER"),
    column("f", "FLOAT"),
    column("b", "BOOLEAN"),
    column("n", "NUMERIC"),
    column("big", "BIGNUMERIC"),
    column("s", "STRING"),
    column("g", "GEOGRAPHY"),
    column("j", "JSON"),
    column("y", "BYTES"),
    column("d", "DATE"),
    column("t", "TIME"),
    column("dt", "DATETIME"),
    column("ts", "TIMESTAMP"),
    column("iv", "INTERVAL"),
    Column {
        element: Some("DATE"),
        ..column("r", "RANGE")
    },
    Column {
        element: Some("TIMESTAMP"),
        ..column("rts", "RANGE")
    },
    Column {
        precision: Some((10, 2)),
        ..column("money", "NUMERIC")
    },
    Column {
        repeated: true,
        ..column("list", "INTEGER")
    },
    Column {
        repeated: true,
        fields: INNER,
        ..column("recs", "RECORD")
    },
];

const INNER: &[Column] = &[
    column("name", "STRING"),
    column("at", "TIMESTAMP"),
    Column {
        repeated: true,
        ..column("tags", "STRING")
    },
    Column {
        fields: &[column("x", "FLOAT"), column("y", "NUMERIC")],
        ..column("place", "RECORD")
    },
];

/// `d.types`, row by row: ordinary values, one end of each type, the other, NULL.
pub fn cell(row: usize, column: usize) -> Value {
    let texts: [&str; ROWS - 1] = match column {
        0 => ["42", "-9223372036854775808", "9223372036854775807"],
        1 => ["NaN", "-Infinity", "1.7976931348623157E308"],
        2 => ["true", "false", "true"],
        3 => [
            "1.5",
            "-99999999999999999999999999999.999999999",
            "99999999999999999999999999999.999999999",
        ],
        4 => [
            "0.00000000000000000000000000000000000001",
            "-578960446186580977117854925043439539266.34992332820282019728792003956564819968",
            "578960446186580977117854925043439539266.34992332820282019728792003956564819967",
        ],
        5 => ["Zoë \u{1f980} \"q\"\\\n\tz", "", " NULL "],
        6 => [
            "POINT(2.35 48.85)",
            "GEOMETRYCOLLECTION EMPTY",
            "LINESTRING(0 0, 1 1.5)",
        ],
        7 => ["{\"a\":1.0,\"b\":[true,null]}", "null", "\"text\""],
        8 => {
            return row_of(row, &[&b"\x00\xff"[..], b"", b"bytes"], |bytes| {
                text(base64::encode(bytes))
            });
        }
        9 => ["2020-01-02", "0001-01-01", "9999-12-31"],
        10 => ["03:04:05.000006", "00:00:00", "23:59:59.999999"],
        11 => [
            "2020-01-02T03:04:05.123456",
            "0001-01-01T00:00:00",
            "9999-12-31T23:59:59.999999",
        ],
        12 => [
            "1577934245123456",
            "-62135596800000000",
            "253402300799999999",
        ],
        13 => ["1-2 3 4:5:6.789", "-1-2 -3 -4:5:6", "0-0 0 0:0:0.000001"],
        14 => [
            "[2020-01-01, UNBOUNDED)",
            "[UNBOUNDED, 2020-12-31)",
            "[2020-01-01, 2020-12-31)",
        ],
        15 => [
            "[1577934245123456, UNBOUNDED)",
            "[UNBOUNDED, UNBOUNDED)",
            "[-19954383398377106, 1577934245123456)",
        ],
        16 => ["12.30", "-99999999.99", "99999999.99"],
        17 => {
            return row_of(
                row,
                &[&["1", "2", "-3"][..], &[], &["9223372036854775807"]],
                |item| list(item.iter().map(text)),
            );
        }
        _ => return records(row),
    };
    texts.get(row).map_or(Value::Null, |one| text(*one))
}

/// The value of the row; the last row of NULL has an empty list where a list is asked.
fn row_of<T: Copy>(row: usize, values: &[T], cell: impl Fn(T) -> Value) -> Value {
    match values.get(row) {
        Some(value) => cell(*value),
        // NULL arrays arrive as empty ones; only BYTES are left here beside them.
        None if cell(values[1]).is_array() => json!([]),
        None => Value::Null,
    }
}

fn records(row: usize) -> Value {
    let inner = |name: Value, at: Value, tags: &[&str], place: Value| {
        record([name, at, list(tags.iter().map(text)), place])
    };
    match row {
        0 => list([
            inner(
                text("first"),
                text("1577934245123456"),
                &["x", "y"],
                record([text("1.5"), text("0.25")]),
            ),
            inner(Value::Null, Value::Null, &[], Value::Null),
        ]),
        1 => list([inner(
            text("only"),
            text("-1"),
            &[""],
            record([text("NaN"), Value::Null]),
        )]),
        _ => json!([]),
    }
}

/// A record's cell: values by position.
fn record(values: impl IntoIterator<Item = Value>) -> Value {
    let values: Vec<Value> = values
        .into_iter()
        .map(|value| json!({"v": value}))
        .collect();
    json!({"f": values})
}

fn list(values: impl IntoIterator<Item = Value>) -> Value {
    values
        .into_iter()
        .map(|value| json!({"v": value}))
        .collect()
}

/// The column of `d.moments`, in microseconds; as seconds in floating point the first and the last are lost.
pub const MOMENTS: [i64; 6] = [
    -19_954_383_398_377_106,
    1_577_934_245_123_456,
    0,
    253_402_300_799_999_999,
    -62_135_596_800_000_000,
    1_500_000,
];

pub fn moment(row: usize, _: usize) -> Value {
    text(MOMENTS[row])
}

/// A type that no client knows yet, between two that all know.
pub fn future(row: usize, column: usize) -> Value {
    match (column, row) {
        (0, _) => text(row + 1),
        (1, 0) => text("[0.5, -1]"),
        (1, _) => Value::Null,
        _ => text(["last", "end"][row % 2]),
    }
}

/// The columns of `d.orders`.
pub const ORDERS: &[Column] = &[
    column("order_id", "INTEGER"),
    Column {
        fields: &[
            column("name", "STRING"),
            Column {
                fields: &[column("city", "STRING"), column("postal", "STRING")],
                ..column("address", "RECORD")
            },
        ],
        ..column("customer", "RECORD")
    },
    Column {
        repeated: true,
        fields: &[
            column("code", "STRING"),
            column("quantity", "INTEGER"),
            Column {
                repeated: true,
                ..column("discounts", "NUMERIC")
            },
        ],
        ..column("items", "RECORD")
    },
];

/// Three orders: with items, with a record of NULLs, without anything.
pub fn order(row: usize, column: usize) -> Value {
    let item = |code: &str, quantity: Value, discounts: &[&str]| {
        record([text(code), quantity, list(discounts.iter().map(text))])
    };
    match (column, row) {
        (0, _) => text(row + 1),
        (1, 0) => record([text("Zoë"), record([text("Paris"), text("01234")])]),
        (1, 1) => record([Value::Null, Value::Null]),
        (1, _) => Value::Null,
        (_, 0) => list([
            item("007", text(2), &["0.10", "5"]),
            item("0042", Value::Null, &[]),
        ]),
        (_, 1) => list([item("", text(0), &["0"])]),
        _ => json!([]),
    }
}
