//! Records that were built in parts, side by side, as one table: the parts of its columns are the
//! parts, wherever they have one simple type. The type is decided on all of them, so where one part
//! ends and the next begins changes nothing.

use polars::prelude::{ArrowDataType, PlHashMap};
use polars_arrow::array::{Array, BooleanArray, NullArray, PrimitiveArray, Utf8ViewArray};
use rayon::prelude::*;

use crate::error::{Error, ErrorKind, Place, Result, quoted};
use crate::note::{Note, Topic};
use crate::table::{ColumnInfo, Table};
use crate::text;

use super::arrays::{build, build_floats, build_ints, build_unsigned};
use super::finish::{BuiltColumn, column, finish_rows};
use super::gaps::Gaps;
use super::number::{NumberType, Numbers};
use super::object::{Field, SPARSE_RATIO};
use super::records::RecordsBuilder;
use super::state::State;

/// The usual least size of a part, in records.
const SMALL: usize = 4096;
/// From so many cells on, records that have little in common are refused: a GiB or so in pandas.
const SPARSE_CELLS: usize = 150_000_000;

/// Records in parts that follow each other.
#[derive(Debug)]
pub(crate) struct RecordsParts {
    small: usize,
    parts: Vec<RecordsBuilder>,
    /// Every key, and its place in the order in which keys are first seen.
    keys: PlHashMap<String, usize>,
    len: usize,
    given: usize,
}

impl Default for RecordsParts {
    fn default() -> Self {
        Self::new(SMALL)
    }
}

impl RecordsParts {
    /// No records. Parts of fewer than `small` are put behind the one before.
    pub fn new(small: usize) -> Self {
        Self {
            small,
            parts: Vec::new(),
            keys: PlHashMap::default(),
            len: 0,
            given: 0,
        }
    }

    /// True when there is no record.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Takes over the records that follow.
    ///
    /// # Errors
    /// [`ErrorKind::Format`] as soon as the records have so many different keys that a table of
    /// them would be almost only missing values.
    pub fn push(&mut self, part: RecordsBuilder) -> Result<()> {
        if part.is_empty() {
            return Ok(());
        }
        for field in part
            .objects
            .fields
            .iter()
            .filter(|field| field.is_present())
        {
            if !self.keys.contains_key(&field.name) {
                self.keys.insert(field.name.clone(), self.keys.len());
            }
            self.given += field.column.len();
        }
        self.len += part.len();
        let cells = self.keys.len().saturating_mul(self.len);
        if cells > SPARSE_CELLS && cells / SPARSE_RATIO > self.given {
            let message = format!(
                "expected records with common keys, found {} different keys in {}",
                text::count(self.keys.len() as u64),
                text::counted(self.len as u64, "record"),
            );
            return Err(Error::new(ErrorKind::Format, message).hint(
                "give every record the same keys: one column for the key, one for the value",
            ));
        }
        match self.parts.last_mut() {
            Some(last) if last.len() < self.small => last.append(part),
            _ => self.parts.push(part),
        }
        Ok(())
    }

    /// The table.
    ///
    /// # Errors
    /// [`ErrorKind::Io`] when it does not fit into memory.
    pub fn finish(self) -> Result<Table> {
        let rows: Vec<usize> = self.parts.iter().map(RecordsBuilder::len).collect();
        let mut notes = Vec::new();
        notes.extend(repeated_keys(&self.parts));
        let mut columns: Vec<(String, Vec<Option<Field>>)> = Vec::new();
        columns.resize_with(self.keys.len(), Default::default);
        for (number, part) in self.parts.into_iter().enumerate() {
            for field in part.objects.fields {
                if let Some(at) = self.keys.get(&field.name)
                    && field.is_present()
                {
                    let (name, fields) = &mut columns[*at];
                    if fields.is_empty() {
                        name.clone_from(&field.name);
                    }
                    fields.resize_with(number, || None);
                    fields.push(Some(field));
                }
            }
        }
        let built: Vec<(String, BuiltColumn)> = columns
            .into_par_iter()
            .map(|(name, mut fields)| {
                fields.resize_with(rows.len(), || None);
                let built = join(&name, fields, &rows)?;
                Ok((name, built))
            })
            .collect::<Result<_>>()?;
        let mut columns = Vec::with_capacity(built.len());
        for (name, built) in built {
            if let Some(text) = built.note {
                let mut note = Note::new(Topic::Types, text);
                note.place = Place::default().column(&name);
                notes.push(note);
            }
            let kind = built.kind;
            columns.push((ColumnInfo { name, kind }, built.column));
        }
        let mut table = Table::from_columns(self.len, columns)?;
        table.notes = notes;
        Ok(table)
    }
}

/// What there is to say about keys that a record had twice.
fn repeated_keys(parts: &[RecordsBuilder]) -> Option<Note> {
    let count: u64 = parts.iter().map(|part| part.repeated).sum();
    let mut before = 0;
    let (key, record) = parts.iter().find_map(|part| {
        before += part.len() as u64;
        let (key, record) = part.first_repeated.as_ref()?;
        Some((key, record + before - part.len() as u64))
    })?;
    let text = format!(
        "{}, the last value is kept (first: {} in record {})",
        text::counted(count, "repeated key"),
        quoted(key),
        text::count(record),
    );
    let place = Place::default().row(record).column(key);
    Some(Note::new(Topic::Rows, text).counted(count, place))
}

/// How the parts of a column become its arrays.
enum Plan {
    Missing,
    Bool,
    Text,
    Number(NumberType),
    /// The parts are put together first: nested values, or types that do not go together.
    Whole,
}

/// One column of all parts; `None` where no record of a part has it.
fn join(name: &str, fields: Vec<Option<Field>>, rows: &[usize]) -> Result<BuiltColumn> {
    let make: fn(State, usize, Gaps<'_>) -> Result<Box<dyn Array>> = match plan(&fields) {
        Plan::Missing | Plan::Bool | Plan::Text => build,
        Plan::Number(NumberType::Int) => |state, _, gaps| build_ints(state, gaps),
        Plan::Number(NumberType::UInt) => |state, _, gaps| build_unsigned(state, gaps),
        Plan::Number(NumberType::Float) => |state, _, gaps| build_floats(state, gaps),
        Plan::Number(_) | Plan::Whole => return whole(name, fields, rows),
    };
    let mut arrays: Vec<Option<Box<dyn Array>>> = Vec::with_capacity(rows.len());
    for (field, rows) in fields.into_iter().zip(rows) {
        arrays.push(match field {
            Some(field) if field.column.state.any() => {
                let (_, column, missing) = field.into_parts(*rows);
                let gaps = Gaps::new(&missing, *rows);
                Some(make(column.state, column.len, gaps)?)
            }
            _ => None,
        });
    }
    let dtype = arrays.iter().flatten().next();
    let dtype = dtype.map_or(ArrowDataType::Null, |array| array.dtype().clone());
    let arrays = arrays
        .into_iter()
        .zip(rows)
        .map(|(array, rows)| array.unwrap_or_else(|| nulls(&dtype, *rows)));
    column(name, arrays.collect())
}

fn plan(fields: &[Option<Field>]) -> Plan {
    let mut numbers = Numbers::default();
    let (mut bools, mut texts) = (false, false);
    for field in fields.iter().flatten() {
        match &field.column.state {
            state if !state.any() => {}
            State::Bool(_) => bools = true,
            State::Text(_) => texts = true,
            state if numbers.add(state) => {}
            _ => return Plan::Whole,
        }
    }
    match (bools, texts, numbers.any()) {
        (false, false, false) => Plan::Missing,
        (true, false, false) => Plan::Bool,
        (false, true, false) => Plan::Text,
        (false, false, true) => Plan::Number(numbers.decide()),
        _ => Plan::Whole,
    }
}

/// Missing values of the type that the other parts have.
fn nulls(dtype: &ArrowDataType, rows: usize) -> Box<dyn Array> {
    let dtype = dtype.clone();
    match dtype {
        ArrowDataType::Boolean => BooleanArray::new_null(dtype, rows).boxed(),
        ArrowDataType::Int64 => PrimitiveArray::<i64>::new_null(dtype, rows).boxed(),
        ArrowDataType::UInt64 => PrimitiveArray::<u64>::new_null(dtype, rows).boxed(),
        ArrowDataType::Float64 => PrimitiveArray::<f64>::new_null(dtype, rows).boxed(),
        ArrowDataType::Utf8View => Utf8ViewArray::new_null(dtype, rows).boxed(),
        _ => NullArray::new(ArrowDataType::Null, rows).boxed(),
    }
}

/// The parts put together as one column, which is then cut as the other columns are: else the table
/// would be copied at the border.
fn whole(name: &str, fields: Vec<Option<Field>>, rows: &[usize]) -> Result<BuiltColumn> {
    let mut all = Field::new(name.to_owned());
    let mut len = 0;
    for (field, rows) in fields.into_iter().zip(rows) {
        if let Some(field) = field {
            all.append(field, len);
        }
        len += rows;
    }
    let (name, column, missing) = all.into_parts(len);
    finish_rows(column, &name, Gaps::new(&missing, len), rows)
}
