//! Times that are no time of a day: 24:00, as databases write the end of a day, and those of broken
//! writers. polars would make them missing without a word; as lengths of time they are exact.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    DurationMillisecondType, DurationSecondType, Time32MillisecondType, Time32SecondType,
    Time64MicrosecondType, Time64NanosecondType,
};
use arrow_array::{Array, ArrayRef, make_array};
use arrow_data::ArrayData;
use arrow_schema::{DataType, Field, FieldRef, TimeUnit};

use crate::error::{Error, ErrorKind, Place, Result};
use crate::note::{Note, Topic};
use crate::text::{count, counted};

const DAY: i64 = 86_400;

/// How many times in the parts of a column, also inside other types, are outside of a day, and the
/// row of the first, from 0; `None` when all are fine.
pub(super) fn outside_of_a_day(parts: &[ArrayRef]) -> Option<(u64, usize)> {
    let mut found: Option<(u64, usize)> = None;
    let mut start = 0;
    for part in parts {
        if !has_times(part.data_type()) {
            return None;
        }
        if let Some((times, first)) = outside(part) {
            let all = found.get_or_insert((0, start + first));
            all.0 += times;
        }
        start += part.len();
    }
    found
}

fn has_times(dtype: &DataType) -> bool {
    match dtype {
        DataType::Time32(_) | DataType::Time64(_) => true,
        DataType::List(field)
        | DataType::LargeList(field)
        | DataType::FixedSizeList(field, _)
        | DataType::Map(field, _) => has_times(field.data_type()),
        DataType::Struct(fields) => fields.iter().any(|field| has_times(field.data_type())),
        DataType::Dictionary(_, values) => has_times(values),
        _ => false,
    }
}

fn outside(column: &ArrayRef) -> Option<(u64, usize)> {
    fn of(times: impl Iterator<Item = Option<i64>>, day: i64) -> Option<(u64, usize)> {
        let mut wrong = times
            .enumerate()
            .filter(|(_, time)| time.is_some_and(|time| !(0..day).contains(&time)));
        let (first, _) = wrong.next()?;
        Some((1 + wrong.count() as u64, first))
    }
    match column.data_type() {
        DataType::Time32(TimeUnit::Second) => {
            let times = column.as_primitive::<Time32SecondType>().iter();
            of(times.map(|time| time.map(i64::from)), DAY)
        }
        DataType::Time32(_) => {
            let times = column.as_primitive::<Time32MillisecondType>().iter();
            of(times.map(|time| time.map(i64::from)), DAY * 1000)
        }
        DataType::Time64(TimeUnit::Microsecond) => {
            let times = column.as_primitive::<Time64MicrosecondType>().iter();
            of(times, DAY * 1_000_000)
        }
        DataType::Time64(_) => {
            let times = column.as_primitive::<Time64NanosecondType>().iter();
            of(times, DAY * 1_000_000_000)
        }
        // The row of a nested one is not looked for.
        _ => {
            let children = column.to_data();
            let children = children.child_data().iter();
            let times = children.filter_map(|child| outside(&make_array(child.clone())));
            times
                .reduce(|all, more| (all.0 + more.0, 0))
                .map(|(times, _)| (times, 0))
        }
    }
}

/// The type with durations for times.
pub(super) fn durations(dtype: &DataType) -> DataType {
    let item = |field: &FieldRef| -> FieldRef {
        Arc::new(Field::clone(field).with_data_type(durations(field.data_type())))
    };
    match dtype {
        DataType::Time32(unit) | DataType::Time64(unit) => DataType::Duration(*unit),
        DataType::List(field) => DataType::List(item(field)),
        DataType::LargeList(field) => DataType::LargeList(item(field)),
        DataType::FixedSizeList(field, size) => DataType::FixedSizeList(item(field), *size),
        DataType::Map(field, sorted) => DataType::Map(item(field), *sorted),
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(item).collect()),
        DataType::Dictionary(keys, values) => {
            DataType::Dictionary(keys.clone(), Box::new(durations(values)))
        }
        other => other.clone(),
    }
}

/// The column with durations for times.
///
/// # Errors
/// [`ErrorKind::Internal`] when it is not what its type says.
pub(super) fn as_durations(column: &ArrayRef) -> Result<ArrayRef> {
    let made = lengths(&column.to_data())
        .map_err(|error| Error::new(ErrorKind::Internal, "times that are none").because(error))?;
    Ok(make_array(made))
}

fn lengths(data: &ArrayData) -> std::result::Result<ArrayData, arrow_schema::ArrowError> {
    let column = || make_array(data.clone());
    match data.data_type() {
        DataType::Time32(TimeUnit::Second) => {
            let times = column();
            let times = times.as_primitive::<Time32SecondType>();
            Ok(times.unary::<_, DurationSecondType>(i64::from).into_data())
        }
        DataType::Time32(_) => {
            let times = column();
            let times = times.as_primitive::<Time32MillisecondType>();
            Ok(times
                .unary::<_, DurationMillisecondType>(i64::from)
                .into_data())
        }
        dtype => {
            let children = data.child_data().iter().map(lengths);
            let children = children.collect::<std::result::Result<Vec<_>, _>>()?;
            let changed = durations(dtype);
            let made = data.clone().into_builder().data_type(changed);
            made.child_data(children).build()
        }
    }
}

/// The note about a column that became durations.
pub(super) fn told(name: &str, times: u64, first: usize) -> Note {
    let row = first as u64 + 1;
    let text = format!(
        "column {name:?}: durations since midnight, because {} outside of a day (first: row {})",
        match times {
            1 => "1 time is".to_owned(),
            more => format!("{} are", counted(more, "time")),
        },
        count(row)
    );
    Note::new(Topic::Types, text).counted(times, Place::default().column(name).row(row))
}

#[cfg(test)]
mod tests {
    use arrow_array::{
        DurationMillisecondArray, Int32Array, StructArray, Time32MillisecondArray,
        Time64MicrosecondArray,
    };

    use super::*;

    #[test]
    fn midnight_at_the_end_of_a_day_is_a_duration() {
        let fine: ArrayRef = Arc::new(Time32MillisecondArray::from(vec![
            Some(0),
            None,
            Some(86_399_999),
        ]));
        assert_eq!(outside_of_a_day(std::slice::from_ref(&fine)), None);
        let late: ArrayRef = Arc::new(Time32MillisecondArray::from(vec![
            None,
            Some(86_400_000),
            Some(-1),
        ]));
        assert_eq!(outside_of_a_day(&[fine, late.clone()]), Some((2, 4)));
        let made = as_durations(&late).expect("durations");
        let wanted = DurationMillisecondArray::from(vec![None, Some(86_400_000), Some(-1)]);
        assert_eq!(made.as_ref(), &wanted as &dyn Array);
        let words = told("t", 2, 4).text;
        assert_eq!(
            words,
            "column \"t\": durations since midnight, because 2 times are outside of a day (first: row 5)"
        );
    }

    #[test]
    fn times_inside_of_structs_are_looked_at() {
        let times: ArrayRef = Arc::new(Time64MicrosecondArray::from(vec![1, 86_400_000_000]));
        let field = |name: &str, dtype: DataType| Arc::new(Field::new(name, dtype, true));
        let structs: ArrayRef = Arc::new(StructArray::from(vec![
            (
                field("n", DataType::Int32),
                Arc::new(Int32Array::from(vec![1, 2])) as ArrayRef,
            ),
            (field("t", DataType::Time64(TimeUnit::Microsecond)), times),
        ]));
        assert_eq!(
            outside_of_a_day(std::slice::from_ref(&structs)),
            Some((1, 0))
        );
        let made = as_durations(&structs).expect("durations");
        assert_eq!(made.data_type(), &durations(structs.data_type()));
        assert_eq!(made.len(), 2);
    }
}
