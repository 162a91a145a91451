//! The scripted tables: what reading each costs, its columns, and its cells as the service writes them. Every cell is a
//! function of its row and column; nothing is stored, and nothing changes a table.

mod big;
mod types;

use serde_json::{Value, json};

use crate::options::Options;

/// A column or a field of a record, as a schema has it.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    pub name: &'static str,
    pub kind: &'static str,
    pub repeated: bool,
    pub fields: &'static [Column],
    /// What a RANGE is made of.
    pub element: Option<&'static str>,
    /// Precision and scale, of NUMERIC(p, s).
    pub precision: Option<(u32, u32)>,
    /// `12` for TIMESTAMP(12), whose text has picoseconds.
    pub timestamp_precision: Option<u32>,
}

pub(crate) const fn column(name: &'static str, kind: &'static str) -> Column {
    Column {
        name,
        kind,
        repeated: false,
        fields: &[],
        element: None,
        precision: None,
        timestamp_precision: None,
    }
}

impl Column {
    /// The column as an item of `schema.fields`, under the name that the statement gave it.
    pub fn schema(&self, name: &str) -> Value {
        let mode = if self.repeated {
            "REPEATED"
        } else {
            "NULLABLE"
        };
        let mut field = json!({"name": name, "type": self.kind, "mode": mode});
        if !self.fields.is_empty() {
            let fields: Vec<Value> = self
                .fields
                .iter()
                .map(|inner| inner.schema(inner.name))
                .collect();
            field["fields"] = json!(fields);
        }
        if let Some(element) = self.element {
            field["rangeElementType"] = json!({"type": element});
        }
        if let Some((precision, scale)) = self.precision {
            field["precision"] = json!(precision.to_string());
            field["scale"] = json!(scale.to_string());
        }
        if let Some(precision) = self.timestamp_precision {
            field["timestampPrecision"] = json!(precision.to_string());
        }
        field
    }
}

/// One scripted table.
#[derive(Debug)]
pub struct Table {
    pub dataset: &'static str,
    pub name: &'static str,
    /// What a dry run says.
    pub estimate: u64,
    pub accuracy: &'static str,
    /// What the cap is held against, before the query runs.
    pub bound: u64,
    /// What is read in the end.
    pub actual: u64,
    rows: usize,
    /// Rows of a page; 0: as many as fit into 10 MB.
    pub page: usize,
    /// Where its jobs run; none: where the options say.
    pub location: Option<&'static str>,
    pub columns: &'static [Column],
    /// A cell as the service writes it; a TIMESTAMP always in whole microseconds.
    pub cell: fn(usize, usize) -> Value,
}

impl Table {
    pub fn rows(&self, options: &Options) -> usize {
        if self.name == "big" {
            options.big_rows
        } else {
            self.rows
        }
    }

    pub fn page_rows(&self, options: &Options) -> usize {
        options
            .page_rows
            .get(self.name)
            .copied()
            .unwrap_or(self.page)
    }

    /// `{"projectId": .., "datasetId": .., "tableId": ..}`
    pub fn reference(&self) -> Value {
        json!({"projectId": crate::credentials::PROJECT, "datasetId": self.dataset, "tableId": self.name})
    }

    const fn exact(
        name: &'static str,
        bytes: u64,
        rows: usize,
        columns: &'static [Column],
        cell: fn(usize, usize) -> Value,
    ) -> Self {
        Self {
            dataset: "d",
            name,
            estimate: bytes,
            accuracy: "PRECISE",
            bound: bytes,
            actual: bytes,
            rows,
            page: 0,
            location: None,
            columns,
            cell,
        }
    }
}

/// The names of `d.names`, in order.
pub const NAMES: [&str; 25] = [
    "Ada", "Zoë", "José", "Łukasz", "Mia", "Noor", "Ægir", "Chloé", "Dmitri", "Eszter", "Farid",
    "Gül", "Hana", "Ines", "Jürgen", "Kofi", "Lê", "Mateo", "Niamh", "Olu", "Priya", "Quentin",
    "Ryō", "Søren", "Tane",
];

const ID_AND_NAME: &[Column] = &[column("id", "INTEGER"), column("name", "STRING")];

/// Every scripted table; all are in the dataset `d`.
pub const TABLES: &[Table] = &[
    Table {
        page: 10,
        ..Table::exact(
            "names",
            65_935_918,
            NAMES.len(),
            &[
                column("name", "STRING"),
                column("city", "STRING"),
                column("born", "DATE"),
                column("votes", "INTEGER"),
            ],
            names,
        )
    },
    Table::exact("tiny", 12, 2, ID_AND_NAME, numbered),
    Table::exact(
        "a",
        163_000_000,
        3,
        &[column("id", "INTEGER"), column("amount", "NUMERIC")],
        amounts,
    ),
    Table::exact(
        "b",
        595_928,
        3,
        &[column("id", "INTEGER"), column("label", "STRING")],
        numbered,
    ),
    Table {
        accuracy: "UPPER_BOUND",
        actual: 3 << 20,
        ..Table::exact("clustered", 53_687_091_200, 4, ID_AND_NAME, numbered)
    },
    Table {
        accuracy: "LOWER_BOUND",
        bound: 700 << 20,
        actual: 700 << 20,
        ..Table::exact("ext", 0, 5, ID_AND_NAME, numbered)
    },
    Table {
        accuracy: "UNKNOWN",
        bound: 20 << 20,
        actual: 20 << 20,
        ..Table::exact("remote", 1_000_000, 2, ID_AND_NAME, numbered)
    },
    Table::exact("types", 400, types::ROWS, types::COLUMNS, types::cell),
    Table::exact(
        "moments",
        32,
        types::MOMENTS.len(),
        &[column("at", "TIMESTAMP")],
        types::moment,
    ),
    Table::exact(
        "picoseconds",
        24,
        2,
        &[Column {
            timestamp_precision: Some(12),
            ..column("at", "TIMESTAMP")
        }],
        types::moment,
    ),
    Table::exact(
        "future",
        16,
        2,
        &[
            column("id", "INTEGER"),
            column("place", "EMBEDDING"),
            column("after", "STRING"),
        ],
        types::future,
    ),
    Table::exact("orders", 2048, 3, types::ORDERS, types::order),
    Table::exact(
        "notes",
        3 << 20,
        3,
        &[column("id", "INTEGER"), column("note", "STRING")],
        notes,
    ),
    Table::exact("empty", 0, 0, ID_AND_NAME, numbered),
    Table {
        location: Some("europe-west9"),
        page: 4,
        ..Table::exact("west", 1_048_577, 10, ID_AND_NAME, numbered)
    },
    Table::exact("flaky", 12, 2, ID_AND_NAME, numbered),
    Table::exact("big", 16_000_000, 0, big::COLUMNS, big::cell),
];

pub(crate) fn text(value: impl std::fmt::Display) -> Value {
    Value::String(value.to_string())
}

fn names(row: usize, column: usize) -> Value {
    match column {
        0 => text(NAMES[row]),
        1 if row % 7 == 3 => Value::Null,
        1 => text(["Paris", "Lagos", "Kraków", "Lima"][row % 4]),
        2 => text(format_args!(
            "{}-{:02}-{:02}",
            1950 + row * 2,
            row % 12 + 1,
            row + 3
        )),
        _ => text(1000 - (row as i64) * 137),
    }
}

/// `id` from 1, and a text for it.
fn numbered(row: usize, column: usize) -> Value {
    if column == 0 {
        text(row + 1)
    } else {
        text(NAMES[row % NAMES.len()])
    }
}

fn amounts(row: usize, column: usize) -> Value {
    if column == 0 {
        text(row + 1)
    } else {
        text(["0.1", "-12.50", "99999999999999999999999999999.999999999"][row % 3])
    }
}

/// A text of 1 MiB in its second row: all of it must arrive.
fn notes(row: usize, column: usize) -> Value {
    match (column, row) {
        (0, _) => text(row + 1),
        (_, 0) => text("short, with \"quotes\", \\ and\nlines"),
        (_, 1) => text("0123456789abcdef".repeat((1 << 20) / 16)),
        _ => text(""),
    }
}
