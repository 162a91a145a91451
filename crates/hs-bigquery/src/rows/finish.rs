//! From growing storage to a table: Arrow arrays that are the storage itself, and a note for each column that
//! is not of the type that one might expect. Nothing is decided on a sample.

use std::collections::BTreeMap;

use hs_core::table::unique_names;
use hs_core::text;
use hs_core::{ColumnInfo, Error, ErrorKind, Kind, Note, Place, Result, Table, Topic};
use polars::prelude::{
    ArrowDataType, ArrowField, ArrowTimeUnit, Column as Stored, PlSmallStr, Series,
};
use polars_arrow::array::{
    Array, BinaryViewArray, BooleanArray, ListArray, PrimitiveArray, StructArray, Utf8ViewArray,
};
use polars_arrow::offset::OffsetsBuffer;
use polars_arrow::types::NativeType;

use super::column::Column;
use super::decimal::{MOST_DIGITS, NUMERIC_SCALE, Plain};
use super::storage::{Cells, Digits};
use super::values::Values;

/// The table of columns that all have `height` rows.
///
/// # Errors
/// [`ErrorKind::Internal`] only.
pub fn table(height: usize, columns: Vec<Column>) -> Result<Table> {
    let mut told = Told::default();
    let columns = columns.into_iter().map(|Column { name, values }| {
        let array = array(values, &name, &mut told)?;
        let field = ArrowField::new(PlSmallStr::from_str(&name), array.dtype().clone(), true);
        let series = Series::try_from((&field, vec![array])).map_err(internal)?;
        let kind = Kind::of(series.dtype());
        Ok((ColumnInfo { name, kind }, Stored::from(series)))
    });
    let columns = columns.collect::<Result<Vec<_>>>()?;
    let mut table = Table::from_columns(height, columns)?;
    table.notes = told.notes();
    Ok(table)
}

fn internal(error: impl std::error::Error + Send + Sync + 'static) -> Error {
    Error::new(ErrorKind::Internal, "a column that is not of its type").because(error)
}

/// What there is to say.
#[derive(Default)]
struct Told {
    notes: Vec<Note>,
    /// Paths of columns by the name of their unknown type.
    unknown: BTreeMap<String, Vec<String>>,
}

impl Told {
    fn column(&mut self, path: &str, text: &str) {
        let note = Note::new(Topic::Types, format!("column {path:?}: {text}"));
        self.notes
            .push(note.counted(1, Place::default().column(path)));
    }

    fn notes(mut self) -> Vec<Note> {
        for (word, paths) in self.unknown {
            let shown: Vec<String> = paths.iter().map(|path| format!("{path:?}")).collect();
            let columns = if paths.len() == 1 {
                "column"
            } else {
                "columns"
            };
            let text = format!(
                "type {word:?} is not known, kept as text: {columns} {}",
                shown.join(", ")
            );
            let place = Place::default().column(&paths[0]);
            let note = Note::new(Topic::Types, text).counted(paths.len() as u64, place);
            self.notes.push(note);
        }
        self.notes
    }
}

/// The array of a column; `path` names it in notes.
fn array(values: Values, path: &str, told: &mut Told) -> Result<Box<dyn Array>> {
    Ok(match values {
        Values::Int(cells) => primitive(ArrowDataType::Int64, cells),
        Values::Float(cells) => primitive(ArrowDataType::Float64, cells),
        Values::Bool(bits) => {
            let validity = bits.validity.freeze();
            BooleanArray::new(ArrowDataType::Boolean, bits.values.freeze(), validity).boxed()
        }
        Values::Numeric(cells) => {
            primitive(ArrowDataType::Decimal(MOST_DIGITS, NUMERIC_SCALE), cells)
        }
        Values::BigNumeric(digits) => big(*digits, path, told),
        Values::Text(texts) => Utf8ViewArray::from(*texts).boxed(),
        Values::Bytes(bytes) => BinaryViewArray::from(*bytes).boxed(),
        Values::Date(cells) => primitive(ArrowDataType::Date32, cells),
        Values::Time(mut cells) => {
            // polars has times of day in nanoseconds; a day of them is far below the largest number.
            cells.values.iter_mut().for_each(|micros| *micros *= 1000);
            primitive(ArrowDataType::Time64(ArrowTimeUnit::Nanosecond), cells)
        }
        Values::Datetime(cells) => primitive(
            ArrowDataType::Timestamp(ArrowTimeUnit::Microsecond, None),
            cells,
        ),
        Values::Timestamp(instants) => {
            if instants.lost > 0 {
                let digits = text::counted(instants.lost, "value");
                told.column(
                    path,
                    &format!("{digits} with digits below a microsecond, which are cut off"),
                );
            } else if instants.finer {
                told.column(
                    path,
                    "of a precision below a microsecond, read in whole microseconds",
                );
            }
            let zone = Some(PlSmallStr::from_static("UTC"));
            primitive(
                ArrowDataType::Timestamp(ArrowTimeUnit::Microsecond, zone),
                instants.cells,
            )
        }
        Values::Range(ranges) => {
            // One note for both ends.
            let start = array(ranges.start, path, told)?;
            let end = array(ranges.end, path, &mut Told::default())?;
            let fields = [("start", start), ("end", end)];
            records(
                fields.map(|(name, array)| (name.to_owned(), array)).into(),
                ranges.len,
                ranges.validity.freeze(),
            )
        }
        Values::Record(inside) => {
            let names: Vec<String> =
                unique_names(inside.fields.iter().map(|field| field.name.as_str()));
            let mut fields = Vec::with_capacity(names.len());
            for (name, field) in names.into_iter().zip(inside.fields) {
                let path = format!("{path}.{}", field.name);
                if name != field.name {
                    told.column(
                        &path,
                        &format!(
                            "the field is called {name:?}, because names inside a record are unique"
                        ),
                    );
                }
                fields.push((name, array(field.values, &path, told)?));
            }
            records(fields, inside.len, inside.validity.freeze())
        }
        Values::List(lists) => {
            let mut offsets = Vec::with_capacity(lists.ends.len() + 1);
            offsets.push(0);
            offsets.extend(lists.ends);
            let offsets = OffsetsBuffer::try_from(offsets).map_err(internal)?;
            let items = array(lists.items, path, told)?;
            let dtype = ListArray::<i64>::default_datatype(items.dtype().clone());
            ListArray::new(dtype, offsets, items, lists.validity.freeze()).boxed()
        }
        Values::Unknown(strangers) => {
            told.unknown
                .entry(strangers.word)
                .or_default()
                .push(path.to_owned());
            Utf8ViewArray::from(strangers.texts).boxed()
        }
    })
}

fn primitive<T: NativeType>(dtype: ArrowDataType, cells: Cells<T>) -> Box<dyn Array> {
    PrimitiveArray::new(dtype, cells.values.into(), cells.validity.freeze()).boxed()
}

fn records(
    fields: Vec<(String, Box<dyn Array>)>,
    len: usize,
    validity: Option<polars_arrow::bitmap::Bitmap>,
) -> Box<dyn Array> {
    let (types, arrays) = fields
        .into_iter()
        .map(|(name, array)| {
            (
                ArrowField::new(PlSmallStr::from_string(name), array.dtype().clone(), true),
                array,
            )
        })
        .unzip();
    StructArray::new(ArrowDataType::Struct(types), len, arrays, validity).boxed()
}

/// Decimals of the scale of the longest fraction where all of them have 38 digits at it, else their texts.
fn big(digits: Digits, path: &str, told: &mut Told) -> Box<dyn Array> {
    let texts = Utf8ViewArray::from(digits.texts);
    if digits.whole + digits.scale <= MOST_DIGITS {
        let mut cells = Cells::default();
        for text in &texts {
            let value = text.map(|text| {
                let value = Plain::read(text).and_then(|plain| plain.at_scale(digits.scale));
                value.expect("texts were read before, and none has more digits than these")
            });
            cells.push(value);
        }
        let dtype = ArrowDataType::Decimal(MOST_DIGITS, digits.scale);
        return primitive(dtype, cells);
    }
    told.column(
        path,
        "decimals beyond 38 digits, kept as text of their digits",
    );
    texts.boxed()
}
