//! How each column of a table is stored in a parquet file, and what is to be told of it.

use std::collections::HashSet;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    DurationMicrosecondType, DurationMillisecondType, DurationNanosecondType,
    Time64MicrosecondType, Time64NanosecondType, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType,
};
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, Field, FieldRef, TimeUnit};
use polars::prelude::{DataType as Stores, TimeUnit as Unit};
use rayon::prelude::*;

use super::repeats::{self, Dictionary};
use crate::control::Control;
use crate::error::{Error, ErrorKind, Place, Result};
use crate::format::columnar;
use crate::note::{Note, Topic};
use crate::table::{Kind, Table, unique_names};

/// A column on its way into a file.
pub(super) struct Stored {
    /// Its name and type there.
    pub field: FieldRef,
    /// How many columns it is in the file: as many as there are values inside one of it.
    pub leaves: usize,
    /// The dictionary of its values, if it is worth one.
    pub dictionary: Option<Dictionary>,
    /// Its values, part by part.
    pub parts: Vec<ArrayRef>,
    /// The unit that its times are written in, if it is another.
    unit: Option<TimeUnit>,
}

/// How the columns of a table are stored; and what the file cannot carry.
///
/// # Errors
/// [`ErrorKind::Type`] for a type without a place in the format; a stop request.
pub(super) fn stored(table: &Table, control: &Control) -> Result<(Vec<Stored>, Vec<Note>)> {
    let (names, mut notes) = names(table);
    let parts = columnar::parts(table)?;
    let columns: Vec<_> = table.iter().zip(names).zip(parts).collect();
    let stored = columns
        .into_par_iter()
        .map(|(((info, column), name), parts)| {
            control.check()?;
            let unit = better_unit(column.dtype(), &parts);
            let dtype = declared(column.dtype(), unit).ok_or_else(|| {
                let message = format!("expected a type that parquet has, found {}", column.dtype());
                Error::new(ErrorKind::Type, message).at(Place::default().column(&info.name))
            })?;
            let dtype = match (info.kind, dtype) {
                (Kind::Text, DataType::Binary) => DataType::Utf8,
                (Kind::Category, dtype) => {
                    DataType::Dictionary(Box::new(DataType::Int32), Box::new(dtype))
                }
                (_, dtype) => dtype,
            };
            let dictionary = match info.kind {
                Kind::Category => Some(Dictionary::LARGEST),
                _ => repeats::dictionary(&parts),
            };
            Ok(Stored {
                leaves: leaves(&dtype),
                field: Arc::new(Field::new(name, dtype, true)),
                dictionary,
                parts,
                unit,
            })
        });
    let stored = stored.collect::<Result<Vec<_>>>()?;
    notes.extend(told(table));
    Ok((stored, notes))
}

impl Stored {
    /// A part of the column as it is written.
    pub fn turned(&self, part: &ArrayRef) -> ArrayRef {
        let Some(to) = self.unit else {
            return part.clone();
        };
        macro_rules! turned {
            ($from:ty, $to:ty, $turn:expr) => {
                part.as_primitive::<$from>().unary::<_, $to>($turn)
            };
        }
        // That no digit is lost, and none too many, was seen before.
        let up = |value: i64| value.wrapping_mul(1000);
        let down = |value: i64| value / 1000;
        match (part.data_type(), to) {
            (DataType::Timestamp(TimeUnit::Nanosecond, zone), TimeUnit::Microsecond) => {
                let micros = turned!(TimestampNanosecondType, TimestampMicrosecondType, down);
                Arc::new(micros.with_timezone_opt(zone.clone()))
            }
            (DataType::Timestamp(TimeUnit::Millisecond, zone), TimeUnit::Microsecond) => {
                let micros = turned!(TimestampMillisecondType, TimestampMicrosecondType, up);
                Arc::new(micros.with_timezone_opt(zone.clone()))
            }
            (DataType::Duration(TimeUnit::Nanosecond), TimeUnit::Microsecond) => Arc::new(turned!(
                DurationNanosecondType,
                DurationMicrosecondType,
                down
            )),
            (DataType::Duration(TimeUnit::Millisecond), TimeUnit::Microsecond) => Arc::new(
                turned!(DurationMillisecondType, DurationMicrosecondType, up),
            ),
            (DataType::Time64(TimeUnit::Nanosecond), TimeUnit::Microsecond) => {
                Arc::new(turned!(Time64NanosecondType, Time64MicrosecondType, down))
            }
            _ => part.clone(),
        }
    }
}

/// Microseconds, when the column has times of another unit and each of them is a whole number of them.
fn better_unit(dtype: &Stores, parts: &[ArrayRef]) -> Option<TimeUnit> {
    let fits: fn(i64) -> bool = match dtype {
        Stores::Datetime(Unit::Nanoseconds, _)
        | Stores::Duration(Unit::Nanoseconds)
        | Stores::Time => |value| value % 1000 == 0,
        Stores::Datetime(Unit::Milliseconds, _) | Stores::Duration(Unit::Milliseconds) => {
            |value| value.checked_mul(1000).is_some()
        }
        _ => return None,
    };
    let all = parts.iter().all(|part| {
        let data = part.to_data();
        let values: &[i64] = data
            .buffers()
            .first()
            .map_or(&[], |buffer| buffer.typed_data());
        let values = values.iter().skip(data.offset()).take(data.len());
        match part.nulls() {
            None => values.copied().all(fits),
            Some(nulls) => values
                .zip(nulls)
                .all(|(value, there)| !there || fits(*value)),
        }
    });
    all.then_some(TimeUnit::Microsecond)
}

/// The type in the file; with `unit` for times. `None` for one that it does not have.
fn declared(dtype: &Stores, unit: Option<TimeUnit>) -> Option<DataType> {
    let of = |stored: &Unit| {
        unit.unwrap_or(match stored {
            Unit::Nanoseconds => TimeUnit::Nanosecond,
            Unit::Microseconds => TimeUnit::Microsecond,
            Unit::Milliseconds => TimeUnit::Millisecond,
        })
    };
    // As the format's list type has it (parquet-format, LogicalTypes.md).
    let element = |inside: &Stores| {
        Some(Arc::new(Field::new(
            "element",
            declared(inside, None)?,
            true,
        )))
    };
    Some(match dtype {
        Stores::Boolean => DataType::Boolean,
        Stores::Int8 => DataType::Int8,
        Stores::Int16 => DataType::Int16,
        Stores::Int32 => DataType::Int32,
        Stores::Int64 => DataType::Int64,
        Stores::UInt8 => DataType::UInt8,
        Stores::UInt16 => DataType::UInt16,
        Stores::UInt32 => DataType::UInt32,
        Stores::UInt64 => DataType::UInt64,
        Stores::Float32 => DataType::Float32,
        Stores::Float64 => DataType::Float64,
        Stores::String => DataType::Utf8,
        Stores::Binary | Stores::BinaryOffset => DataType::Binary,
        Stores::Date => DataType::Date32,
        Stores::Datetime(stored, zone) => {
            DataType::Timestamp(of(stored), zone.as_ref().map(|zone| zone.as_str().into()))
        }
        Stores::Duration(stored) => DataType::Duration(of(stored)),
        Stores::Time => DataType::Time64(of(&Unit::Nanoseconds)),
        Stores::Decimal(precision, scale) => {
            DataType::Decimal128(u8::try_from(*precision).ok()?, i8::try_from(*scale).ok()?)
        }
        Stores::List(inside) => DataType::List(element(inside)?),
        Stores::Array(inside, size) => {
            DataType::FixedSizeList(element(inside)?, i32::try_from(*size).ok()?)
        }
        Stores::Struct(fields) => {
            let fields = fields.iter().map(|field| {
                let dtype = declared(field.dtype(), None)?;
                Some(Field::new(field.name().as_str(), dtype, true))
            });
            DataType::Struct(fields.collect::<Option<Vec<_>>>()?.into())
        }
        Stores::Null => DataType::Null,
        _ => return None,
    })
}

fn leaves(dtype: &DataType) -> usize {
    match dtype {
        DataType::List(field) | DataType::FixedSizeList(field, _) => leaves(field.data_type()),
        DataType::Struct(fields) => fields.iter().map(|field| leaves(field.data_type())).sum(),
        _ => 1,
    }
}

/// The names in the file, where each has to be another.
fn names(table: &Table) -> (Vec<String>, Vec<Note>) {
    let given = || table.columns().iter().map(|info| info.name.as_str());
    let mut seen = HashSet::new();
    if given().all(|name| seen.insert(name)) {
        return (given().map(str::to_owned).collect(), Vec::new());
    }
    let names = unique_names(given());
    let mut renamed = given().zip(&names).filter(|(given, name)| given != name);
    let first = renamed.next();
    let more = renamed.count() as u64;
    let note = first.map(|(given, name)| {
        let rest = match more {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let text = format!("names cannot repeat in parquet: {given:?} is {name:?} there{rest}");
        Note::new(Topic::Names, text).counted(more + 1, Place::default().column(given))
    });
    let note = note.into_iter().collect();
    (names, note)
}

/// What will not be read back as it was, or not by every reader.
fn told(table: &Table) -> Vec<Note> {
    const DURATIONS: &str =
        "parquet has no durations, readers that do not know those of Arrow see whole numbers";
    let rows = (table.width() == 0 && table.height() > 0).then(|| {
        Note::new(
            Topic::Rows,
            "a table without columns has no rows in parquet",
        )
    });
    let durations = columnar::of_kind(table, Kind::Duration, DURATIONS);
    let notes = [rows, columnar::mixed_as_text(table), durations];
    notes.into_iter().flatten().collect()
}
