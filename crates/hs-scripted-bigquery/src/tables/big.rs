//! `d.big`: many rows of ten types, for benches. Each value follows from its row, so that another program can make the
//! same and compare.
//!
//! | column | type | row `r` from 0 |
//! | --- | --- | --- |
//! | `id` | INTEGER | `r` |
//! | `code` | INTEGER | NULL where `r % 10 == 7`, else `r * 7919 % 100003 - 50000` |
//! | `score` | FLOAT | `(r * 31 % 10007) / 8` |
//! | `price` | NUMERIC | `r % 1000` `.` `r % 97`, in two digits |
//! | `name` | STRING | `customer ` and `r % 1000` |
//! | `note` | STRING | NULL where `r % 5 == 0`, else `note é ` and `r` |
//! | `paid` | BOOLEAN | `r % 3 == 0` |
//! | `day` | DATE | 2000-01-01 and `r % 12` months, `r % 28` days |
//! | `at` | TIMESTAMP | 1577934245123456 us and `r` times 1000003 us |
//! | `moment` | DATETIME | the same day and the time `r % 24`:`r % 60`:`r % 60`, with `r % 1000000` us where `r` is odd |

use serde_json::Value;

use super::{Column, column, text};

pub const COLUMNS: &[Column] = &[
    column("id", "INTEGER"),
    column("code", "INTEGER"),
    column("score", "FLOAT"),
    column("price", "NUMERIC"),
    column("name", "STRING"),
    column("note", "STRING"),
    column("paid", "BOOLEAN"),
    column("day", "DATE"),
    column("at", "TIMESTAMP"),
    column("moment", "DATETIME"),
];

pub fn cell(row: usize, column: usize) -> Value {
    let number = row as i64;
    let day = format_args!("2000-{:02}-{:02}", row % 12 + 1, row % 28 + 1).to_string();
    match column {
        0 => text(row),
        1 if row % 10 == 7 => Value::Null,
        1 => text(number * 7919 % 100_003 - 50_000),
        // Eighths are exact, and their text is short.
        2 => text(format_args!("{:?}", (number * 31 % 10_007) as f64 / 8.0)),
        3 => text(format_args!("{}.{:02}", row % 1000, row % 97)),
        4 => text(format_args!("customer {}", row % 1000)),
        5 if row.is_multiple_of(5) => Value::Null,
        5 => text(format_args!("note é {row}")),
        6 => text(row.is_multiple_of(3)),
        7 => text(day),
        8 => text(1_577_934_245_123_456 + number * 1_000_003),
        _ if row % 2 == 1 => text(format_args!(
            "{day}T{:02}:{:02}:{:02}.{:06}",
            row % 24,
            row % 60,
            row % 60,
            row % 1_000_000
        )),
        _ => text(format_args!(
            "{day}T{:02}:{:02}:{:02}",
            row % 24,
            row % 60,
            row % 60
        )),
    }
}
