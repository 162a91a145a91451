//! What a column holds as compact JSON text: what is left when its values have no common type.

use crate::value::{Value, write_json_text};

use super::cells::Cells;
use super::number::Number;
use super::state::{Lists, State};
use super::texts::Texts;

impl State {
    /// Every value as compact JSON text, missing ones missing; `len` in all.
    pub fn json(&self, len: usize) -> Texts {
        let mut out = match self {
            Self::Empty => Texts::default(),
            Self::Bool(cells) => write_cells(cells, |value| Value::Bool(*value)),
            Self::Int(cells) => write_cells(cells, |value| Value::Int(*value)),
            Self::Float(cells) => write_cells(cells, |value| Value::Float(*value)),
            Self::Numbers(numbers) => write_numbers(numbers),
            Self::Decimal(texts) => texts.clone(),
            Self::Text(texts) => {
                let mut out = Texts::default();
                for text in texts.iter() {
                    match text {
                        Some(text) => {
                            write_json_text(out.buffer(), text);
                            out.close();
                        }
                        None => out.push_nulls(1),
                    }
                }
                out
            }
            Self::Bytes(cells) => write_cells(cells, |value| Value::Bytes(value.clone())),
            Self::Date(cells) => write_cells(cells, |value| Value::Date(*value)),
            Self::Datetime(cells, utc) => write_cells(cells, |value| Value::Datetime {
                micros: *value,
                utc: *utc,
            }),
            Self::Time(cells) => write_cells(cells, |value| Value::Time(*value)),
            Self::Duration(cells) => write_cells(cells, |value| Value::Duration(*value)),
            Self::List(lists) => write_lists(lists),
            Self::Object(objects) => objects.json(),
            Self::Mixed(mixed) => mixed.texts.clone(),
        };
        out.push_nulls(len.saturating_sub(out.len()));
        out
    }
}

fn write_cells<T: Clone + Default>(cells: &Cells<T>, value: impl Fn(&T) -> Value) -> Texts {
    let mut out = Texts::default();
    for cell in cells.iter() {
        match cell {
            Some(cell) => {
                value(cell).write_json(out.buffer());
                out.close();
            }
            None => out.push_nulls(1),
        }
    }
    out
}

/// Numbers as their JSON text.
pub(super) fn write_numbers(numbers: &[Number]) -> Texts {
    let mut out = Texts::default();
    for number in numbers {
        if matches!(number, Number::Null) {
            out.push_nulls(1);
        } else {
            number.write(out.buffer());
            out.close();
        }
    }
    out
}

fn write_lists(lists: &Lists) -> Texts {
    let items = lists.items.json();
    let mut out = Texts::default();
    let mut start = 0;
    for (index, end) in lists.ends.iter().enumerate() {
        if lists.valid.is_valid(index) {
            out.buffer().push('[');
            for item in start..*end {
                if item > start {
                    out.buffer().push(',');
                }
                out.buffer().push_str(items.get(item).unwrap_or("null"));
            }
            out.buffer().push(']');
            out.close();
        } else {
            out.push_nulls(1);
        }
        start = *end;
    }
    out
}
