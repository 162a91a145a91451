//! INT96 timestamps: a Julian day and the nanoseconds of that day, as Impala and Spark write them.
//!
//! Years 1500 and 9999 fit that and do not fit 64-bit nanoseconds. So a column is read as it is
//! stored, and looked at as a whole: it is in microseconds, which hold every year that people write,
//! and in nanoseconds when it has such digits and all of its years allow them. What neither holds is
//! told, with the first row.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::types::{TimestampMicrosecondType, TimestampNanosecondType};
use arrow_array::{ArrayRef, FixedSizeBinaryArray, PrimitiveArray};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer};
use arrow_schema::{DataType, TimeUnit};
use parquet::arrow::arrow_reader::ArrowReaderMetadata;
use parquet::basic::Type;
use parquet::column::reader::ColumnReaderImpl;
use parquet::data_type::{Int96, Int96Type};
use parquet::file::serialized_reader::SerializedPageReader;
use rayon::prelude::*;

use super::decode::{Batches, Plan, short};
use super::footer::Group;
use super::{nested_int96, not_read, refuse};
use crate::control::Control;
use crate::error::{Error, ErrorKind, Place, Result};
use crate::note::{Note, Topic};
use crate::text::{count, counted};

/// Bytes of a value.
const SIZE: i32 = 12;
/// The Julian day of 1970-01-01.
const EPOCH: i64 = 2_440_588;
const MICROS_PER_DAY: i128 = 86_400_000_000;

/// True for a column that is INT96 and nothing around it.
pub(super) fn is_plain(footer: &ArrowReaderMetadata, leaves: Range<usize>) -> bool {
    let schema = footer.parquet_schema();
    let leaf = (leaves.len() == 1).then(|| schema.column(leaves.start));
    leaf.is_some_and(|leaf| {
        leaf.physical_type() == Type::INT96
            && leaf.max_rep_level() == 0
            && leaf.path().parts().len() == 1
    })
}

/// The values of a row group as they are stored, in batches; [`settle`] makes timestamps of them.
pub(super) fn read(plan: &Plan, group: Group, root: usize, control: &Control) -> Result<Batches> {
    let schema = plan.footer.parquet_schema();
    let [chunk] = plan.chunks(group, root) else {
        return Err(refuse("expected a column of INT96"));
    };
    let pages = Arc::new(plan.pages(group, &[root]));
    let pages = SerializedPageReader::new(pages, chunk, group.of, None).map_err(not_read)?;
    let leaf = schema.column(plan.leaves[root].start);
    let optional = leaf.max_def_level() > 0;
    let mut reader = ColumnReaderImpl::<Int96Type>::new(leaf, Box::new(pages));
    let mut batches = Batches::new();
    let mut left = group.rows;
    let (mut levels, mut values) = (Vec::new(), Vec::new());
    while left > 0 {
        control.check()?;
        levels.clear();
        values.clear();
        let wanted = left.min(plan.batch);
        let mut rows = 0;
        while rows < wanted {
            let defined = optional.then_some(&mut levels);
            let (records, ..) = reader
                .read_records(wanted - rows, defined, None, &mut values)
                .map_err(not_read)?;
            if records == 0 {
                return Err(short(group, group.rows - left + rows));
            }
            rows += records;
        }
        batches.push(stored(&values, optional.then_some(&levels[..]))?);
        left -= rows;
    }
    Ok(batches)
}

/// The values where a level says that there is one.
fn stored(values: &[Int96], levels: Option<&[i16]>) -> Result<ArrayRef> {
    let bytes = |value: &Int96| {
        let mut bytes = [0; SIZE as usize];
        for (part, word) in bytes.chunks_exact_mut(4).zip(value.data()) {
            part.copy_from_slice(&word.to_le_bytes());
        }
        bytes
    };
    let mut all: Vec<u8> =
        Vec::with_capacity(levels.map_or(values.len(), <[i16]>::len) * SIZE as usize);
    let mut next = values.iter();
    let nulls = match levels {
        None => {
            next.for_each(|value| all.extend(bytes(value)));
            None
        }
        Some(levels) => {
            for level in levels {
                let value = if *level > 0 { next.next() } else { None };
                all.extend(value.map_or([0; SIZE as usize], bytes));
            }
            let there = BooleanBuffer::collect_bool(levels.len(), |row| levels[row] > 0);
            Some(NullBuffer::new(there))
        }
    };
    let array = FixedSizeBinaryArray::try_new(SIZE, Buffer::from_vec(all), nulls);
    Ok(Arc::new(array.map_err(|error| {
        Error::new(ErrorKind::Internal, "INT96 values that do not line up").because(error)
    })?))
}

/// Turns a column that is or contains INT96 into timestamps of the unit that it needs, and tells what
/// it could not keep. Any other column is left as it is.
///
/// # Errors
/// [`ErrorKind::Type`] for such values inside other types; as [`Plan::decode`].
pub(super) fn settle(
    plan: &Plan,
    root: usize,
    batches: &mut Batches,
    control: &Control,
) -> Result<Vec<Note>> {
    let field = plan.footer.schema().field(root);
    if !is_plain(&plan.footer, plan.leaves[root].clone()) {
        nested_int96::settle(plan, root, batches, control)?;
        return Ok(Vec::new());
    }
    let zone = match field.data_type() {
        DataType::Timestamp(_, zone) => zone.clone(),
        _ => None,
    };
    let stored: Vec<&FixedSizeBinaryArray> = batches
        .iter()
        .filter_map(|batch| batch.as_any().downcast_ref())
        .collect();
    let found: Vec<Found> = stored.par_iter().map(|batch| Found::of(batch)).collect();
    control.check()?;
    let mut all = Found::default();
    let mut start = 0;
    for (found, batch) in found.iter().zip(&stored) {
        all.add(found, start);
        start += arrow_array::Array::len(*batch);
    }
    let nanos = all.fine.count > 0 && all.beyond_nanos.count == 0;
    let turned: Vec<ArrayRef> = stored
        .par_iter()
        .map(|batch| -> ArrayRef {
            if nanos {
                let times = moments(batch, |moment| i64::try_from(moment.nanos()).ok());
                Arc::new(
                    PrimitiveArray::<TimestampNanosecondType>::from(times)
                        .with_timezone_opt(zone.clone()),
                )
            } else {
                let times = moments(batch, |moment| i64::try_from(moment.micros).ok());
                Arc::new(
                    PrimitiveArray::<TimestampMicrosecondType>::from(times)
                        .with_timezone_opt(zone.clone()),
                )
            }
        })
        .collect();
    *batches = turned;
    Ok(all.told(field.name()))
}

/// The type of a column of no rows.
pub(super) fn unit_of_none(plan: &Plan, root: usize) -> DataType {
    match plan.footer.schema().field(root).data_type() {
        DataType::Timestamp(_, zone) if is_plain(&plan.footer, plan.leaves[root].clone()) => {
            DataType::Timestamp(TimeUnit::Microsecond, zone.clone())
        }
        other => other.clone(),
    }
}

fn moments(batch: &FixedSizeBinaryArray, turn: impl Fn(Moment) -> Option<i64>) -> Vec<Option<i64>> {
    let values = batch.iter();
    values.map(|value| turn(Moment::of(value?))).collect()
}

/// A point in time, in whole microseconds from 1970-01-01 and the nanoseconds behind them.
#[derive(Clone, Copy)]
struct Moment {
    micros: i128,
    fine: i64,
}

impl Moment {
    fn of(stored: &[u8]) -> Self {
        let part = |from: usize| {
            let bytes = stored
                .get(from..from + 4)
                .and_then(|bytes| bytes.try_into().ok());
            u32::from_le_bytes(bytes.unwrap_or_default())
        };
        // Some writers give the time of day a sign.
        let of_day = (u64::from(part(4)) << 32 | u64::from(part(0))) as i64;
        let day = i64::from(part(8) as i32) - EPOCH;
        Self {
            micros: i128::from(day) * MICROS_PER_DAY + i128::from(of_day.div_euclid(1000)),
            fine: of_day.rem_euclid(1000),
        }
    }

    fn nanos(self) -> i128 {
        self.micros * 1000 + i128::from(self.fine)
    }
}

/// How many values there are of a sort, and the row of the first.
#[derive(Clone, Copy, Default)]
struct Figure {
    count: u64,
    first: usize,
}

impl Figure {
    fn see(&mut self, seen: bool, row: usize) {
        if seen {
            if self.count == 0 {
                self.first = row;
            }
            self.count += 1;
        }
    }

    fn add(&mut self, other: Self, start: usize) {
        if self.count == 0 {
            self.first = start + other.first;
        }
        self.count += other.count;
    }
}

/// What the values of a column need.
#[derive(Clone, Copy, Default)]
struct Found {
    /// Digits below the microsecond.
    fine: Figure,
    /// Years that 64-bit nanoseconds do not hold.
    beyond_nanos: Figure,
    /// Years that 64-bit microseconds do not hold.
    beyond_micros: Figure,
}

impl Found {
    fn of(batch: &FixedSizeBinaryArray) -> Self {
        let mut found = Self::default();
        for (row, value) in batch.iter().enumerate() {
            let Some(moment) = value.map(Moment::of) else {
                continue;
            };
            let beyond = i64::try_from(moment.micros).is_err();
            found.beyond_micros.see(beyond, row);
            found
                .beyond_nanos
                .see(i64::try_from(moment.nanos()).is_err(), row);
            found.fine.see(moment.fine != 0 && !beyond, row);
        }
        found
    }

    fn add(&mut self, other: &Self, start: usize) {
        self.fine.add(other.fine, start);
        self.beyond_nanos.add(other.beyond_nanos, start);
        self.beyond_micros.add(other.beyond_micros, start);
    }

    fn told(&self, name: &str) -> Vec<Note> {
        let note = |figure: Figure, text: String| {
            let first = count(figure.first as u64 + 1);
            let text = format!("column {name:?}: {text} (first: row {first})");
            let place = Place::default().column(name).row(figure.first as u64 + 1);
            Note::new(Topic::Types, text).counted(figure.count, place)
        };
        let mut notes = Vec::new();
        if self.beyond_micros.count > 0 {
            let times = counted(self.beyond_micros.count, "INT96 time");
            let text = format!("{times} beyond the years that 64 bits hold read as missing");
            notes.push(note(self.beyond_micros, text));
        }
        if self.fine.count > 0 && self.beyond_nanos.count > 0 {
            let times = counted(self.fine.count, "INT96 time");
            let text = format!(
                "{times} cut to microseconds, because nanoseconds do not reach the years of others"
            );
            notes.push(note(self.fine, text));
        }
        notes
    }
}
