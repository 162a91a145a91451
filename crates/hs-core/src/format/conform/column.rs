//! One column turned into a wanted type: its values as text, each text read, in parallel and in the
//! parts that the column has. It decides nothing: a value that does not fit is counted, not changed.

use std::sync::atomic::{AtomicBool, Ordering};

use polars::prelude::{
    BooleanChunked, Column, DataType, Float64Chunked, Int32Chunked, Int64Chunked, IntoSeries,
    PlSmallStr, Series, StringChunked, TimeUnit, TimeZone, UInt64Chunked,
};
use polars_arrow::array::{BooleanArray, PrimitiveArray};
use polars_arrow::bitmap::{Bitmap, BitmapBuilder};
use polars_arrow::datatypes::ArrowDataType;
use polars_arrow::types::NativeType;
use rayon::prelude::*;

use super::as_text;
use super::read::{self, Reading};
use super::wanted::{Form, Wanted};
use crate::builder::ColumnBuilder;
use crate::control::Control;
use crate::error::{Error, ErrorKind, Result};
use crate::format::delimited::scalar::{self, Moment};
use crate::table::Kind;
use crate::value::Value;

/// Rows that are read as one piece.
const PIECE: usize = 1 << 16;

/// Values of one sort: how many, and the first of them.
#[derive(Clone, Debug, Default)]
pub struct Figure {
    /// How many.
    pub count: u64,
    /// Row of the first, from 0.
    pub row: usize,
    /// The first as text.
    pub value: String,
}

impl Figure {
    fn add(&mut self, row: usize, value: &str) {
        if self.count == 0 {
            self.row = row;
            value.clone_into(&mut self.value);
        }
        self.count += 1;
    }

    fn join(&mut self, later: Self) {
        if self.count == 0 {
            *self = later;
        } else {
            self.count += later.count;
        }
    }
}

/// What there is to say about a column that was turned.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Values that do not fit.
    pub misfits: Figure,
    /// Words that mean missing.
    pub words: Figure,
    /// Numbers that a float does not hold exactly.
    pub rounded: Figure,
}

impl Report {
    fn join(&mut self, later: Self) {
        self.misfits.join(later.misfits);
        self.words.join(later.words);
        self.rounded.join(later.rounded);
    }
}

/// Turns a column that holds values of `kind` into the wanted type. The column means nothing when
/// the report counts misfits.
///
/// # Errors
/// A stop request; [`ErrorKind::Type`] for decimals of more digits than there are.
pub fn turn(
    column: &Column,
    kind: Kind,
    wanted: &Wanted,
    control: &Control,
) -> Result<(Column, Report)> {
    let name = column.name();
    let texts = as_text::texts(column, kind, wanted)?;
    if wanted.form == Form::Text {
        let series = texts.with_name(name.clone()).into_series();
        return Ok((series.into(), Report::default()));
    }
    // Marks and patterns say how text is written; other values are what they are.
    let written = kind == Kind::Text || kind == Kind::Mixed || kind == Kind::Category;
    let wanted = if written {
        wanted.clone()
    } else {
        wanted.plain()
    };
    let (series, report) = match &wanted.form {
        Form::Text => (texts.into_series(), Report::default()),
        Form::Int(marks) => ints(name, &texts, control, |text| read::whole(text, *marks))?,
        Form::Float(marks) => {
            let (arrays, report) = each(&texts, control, |text| read::float(text, *marks))?;
            let floats = Float64Chunked::from_chunk_iter(name.clone(), arrays);
            (floats.into_series(), report)
        }
        Form::Bool => {
            let (arrays, report) = each(&texts, control, |text| {
                read::boolean(text).map(u8::from).into()
            })?;
            let arrays = arrays.into_iter().map(|array| {
                let values: Bitmap = array.values().iter().map(|value| *value == 1).collect();
                BooleanArray::new(ArrowDataType::Boolean, values, array.validity().cloned())
            });
            (
                BooleanChunked::from_chunk_iter(name.clone(), arrays).into_series(),
                report,
            )
        }
        Form::Date(pattern) => {
            let (arrays, report) = each(&texts, control, |text| {
                read::date(text, pattern.as_ref()).into()
            })?;
            let days = Int32Chunked::from_chunk_iter(name.clone(), arrays);
            (days.into_date().into_series(), report)
        }
        Form::Time(pattern) => {
            let (arrays, report) = each(&texts, control, |text| {
                read::time(text, pattern.as_ref()).into()
            })?;
            let clocks = Int64Chunked::from_chunk_iter(name.clone(), arrays);
            (clocks.into_time().into_series(), report)
        }
        Form::Datetime(pattern) => {
            let read = |text: &str| read::moment(text, pattern.as_ref());
            moments(name, &texts, control, read)?
        }
        Form::Decimal(marks) => {
            decimals(name, &texts, control, |text| read::decimal(text, *marks))?
        }
    };
    Ok((series.into(), report))
}

/// Whole numbers, signed where that holds all of them.
fn ints(
    name: &PlSmallStr,
    texts: &StringChunked,
    control: &Control,
    read: impl Fn(&str) -> Option<i128> + Sync,
) -> Result<(Series, Report)> {
    let wide = AtomicBool::new(false);
    let (arrays, report) = each(texts, control, |text| {
        let value = read(text);
        match value.map(i64::try_from) {
            None => Reading::Misfit,
            Some(Ok(value)) => Reading::Value(value),
            Some(Err(_)) => {
                wide.store(true, Ordering::Relaxed);
                Reading::Value(0)
            }
        }
    })?;
    if !wide.into_inner() || report.misfits.count > 0 {
        let ints = Int64Chunked::from_chunk_iter(name.clone(), arrays);
        return Ok((ints.into_series(), report));
    }
    // Some are beyond the signed ones, so none may be below zero.
    let (arrays, report) = each(texts, control, |text| {
        read(text)
            .and_then(|value| u64::try_from(value).ok())
            .into()
    })?;
    let ints = UInt64Chunked::from_chunk_iter(name.clone(), arrays);
    Ok((ints.into_series(), report))
}

/// Points in time: instants when they have offsets (then all must), nanoseconds when one needs them.
fn moments(
    name: &PlSmallStr,
    texts: &StringChunked,
    control: &Control,
    read: impl Fn(&str) -> Option<Moment> + Sync,
) -> Result<(Series, Report)> {
    let [zoned, naive, nanos] = [const { AtomicBool::new(false) }; 3];
    let (mut arrays, mut report) = each(texts, control, |text| {
        let Some(moment) = read(text) else {
            return Reading::Misfit;
        };
        let kind = if moment.zoned { &zoned } else { &naive };
        kind.store(true, Ordering::Relaxed);
        if moment.nanos != 0 {
            nanos.store(true, Ordering::Relaxed);
        }
        Reading::Value(moment.micros)
    })?;
    let (zoned, naive, nanos) = (zoned.into_inner(), naive.into_inner(), nanos.into_inner());
    if report.misfits.count == 0 && (nanos || zoned && naive) {
        (arrays, report) = each(texts, control, |text| {
            let moment = read(text).filter(|moment| moment.zoned == zoned);
            let value = moment.and_then(|moment| {
                let below = i64::from(moment.nanos);
                if nanos {
                    moment.micros.checked_mul(1000)?.checked_add(below)
                } else {
                    Some(moment.micros)
                }
            });
            value.into()
        })?;
    }
    let unit = if nanos {
        TimeUnit::Nanoseconds
    } else {
        TimeUnit::Microseconds
    };
    let zone = zoned.then_some(TimeZone::UTC);
    let moments = Int64Chunked::from_chunk_iter(name.clone(), arrays);
    Ok((moments.into_datetime(unit, zone).into_series(), report))
}

/// Exact decimals, all with as many places as the longest needs.
fn decimals(
    name: &PlSmallStr,
    texts: &StringChunked,
    control: &Control,
    read: impl Fn(&str) -> Option<String> + Sync,
) -> Result<(Series, Report)> {
    let mut builder = ColumnBuilder::new();
    let mut report = Report::default();
    for (row, text) in texts.iter().enumerate() {
        if row % PIECE == 0 {
            control.check()?;
        }
        let Some(text) = text.map(str::trim) else {
            builder.push_null();
            continue;
        };
        match read(text) {
            Some(digits) => builder.push(&Value::Decimal(digits)),
            None => {
                missing_or_misfit(text, row, &mut report);
                builder.push_null();
            }
        }
    }
    let built = builder.finish(name)?;
    let series = match built.kind {
        Kind::Decimal => built.column.take_materialized_series(),
        Kind::Empty => Series::full_null(name.clone(), texts.len(), &DataType::Decimal(38, 0)),
        _ => {
            let message = "expected decimals, found some that 38 digits do not hold together";
            return Err(Error::new(ErrorKind::Format, message));
        }
    };
    Ok((series, report))
}

/// Reads every text, part by part. Words for missing are asked for only where nothing was read:
/// `-` is no number, but `n` may be a bool.
fn each<T: NativeType>(
    texts: &StringChunked,
    control: &Control,
    read: impl Fn(&str) -> Reading<T> + Sync,
) -> Result<(Vec<PrimitiveArray<T>>, Report)> {
    let mut arrays = Vec::new();
    let mut report = Report::default();
    let mut before = 0;
    for array in texts.downcast_iter() {
        let count = array.len().div_ceil(PIECE);
        let pieces: Vec<(Vec<T>, BitmapBuilder, Report)> = (0..count)
            .into_par_iter()
            .map(|piece| {
                control.check()?;
                let start = piece * PIECE;
                let rows = PIECE.min(array.len() - start);
                let mut values = Vec::with_capacity(rows);
                let mut valid = BitmapBuilder::with_capacity(rows);
                let mut report = Report::default();
                for index in start..start + rows {
                    let text = array.get(index).map(str::trim);
                    let reading = text.map_or(Reading::Misfit, &read);
                    valid.push(reading != Reading::Misfit);
                    let row = before + index;
                    match (reading, text) {
                        (Reading::Value(value), _) => values.push(value),
                        (Reading::Rounded(value), text) => {
                            report.rounded.add(row, text.unwrap_or_default());
                            values.push(value);
                        }
                        (Reading::Misfit, text) => {
                            if let Some(text) = text {
                                missing_or_misfit(text, row, &mut report);
                            }
                            values.push(T::default());
                        }
                    }
                }
                Ok((values, valid, report))
            })
            .collect::<Result<_>>()?;
        let mut values = Vec::new();
        values.try_reserve_exact(array.len()).map_err(|error| {
            let message = format!("the table does not fit into memory: {error}");
            Error::new(ErrorKind::Io, message)
        })?;
        let mut valid = BitmapBuilder::with_capacity(array.len());
        for (part, bits, found) in pieces {
            values.extend_from_slice(&part);
            let bits = bits.freeze();
            let (bytes, offset, length) = bits.as_slice();
            valid.extend_from_slice(bytes, offset, length);
            report.join(found);
        }
        let array = PrimitiveArray::from_vec(values).with_validity(valid.into_opt_validity());
        before += array.len();
        arrays.push(array);
    }
    Ok((arrays, report))
}

fn missing_or_misfit(text: &str, row: usize, report: &mut Report) {
    if text.is_empty() || scalar::missing_word(text.as_bytes()) {
        report.words.add(row, text);
    } else {
        report.misfits.add(row, text);
    }
}
