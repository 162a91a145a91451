//! Tables of several files as one: columns meet by name, in the order of their first appearance; a
//! last column says which file a row is from.
//!
//! Never changes a value: columns whose types have nothing exact in common are refused, with both
//! files named. What was filled up or widened is told.

use std::collections::HashMap;

use polars::prelude::{ChunkFull, Column, DataType, IntoSeries, PlSmallStr, Series, StringChunked};

use super::common_type::{Typed, common, convert, in_parts, range, unexpected};
use super::notes::{fold, lacking, listed};
use crate::control::Control;
use crate::error::{Error, ErrorKind, Place, Result, quoted};
use crate::fix::Fix;
use crate::note::{Note, Topic};
use crate::table::{ColumnInfo, Kind, Table};

/// The column with the names of the files.
const SOURCE: &str = "source";
/// Rows that a frame can have.
const MOST_ROWS: usize = u32::MAX as usize - 1;
/// A table whose parts are smaller on average, and more than so many, is gathered into one part.
const SMALL_PART: usize = 4096;
const FEW_PARTS: usize = 64;

/// The tables, each named by its origin, one below the other; `named` adds the column of those names.
///
/// # Errors
/// [`ErrorKind::Type`] for columns that have no common type; [`ErrorKind::Argument`] for more rows
/// than a frame can have; a stop request.
pub fn stack(tables: Vec<Table>, named: bool, control: &Control) -> Result<Table> {
    let height = tables
        .iter()
        .try_fold(0usize, |sum, table| sum.checked_add(table.height()))
        .filter(|height| *height <= MOST_ROWS)
        .ok_or_else(|| {
            let message = format!("expected at most {MOST_ROWS} rows in all files, found more");
            Error::new(ErrorKind::Argument, message).hint("load fewer files at a time")
        })?;
    let files: Vec<File> = tables.iter().map(File::of).collect();
    let sheet = one_part(&tables);
    let left_out = tables.iter().map(|table| table.left_out).sum();
    let parts: usize = files.iter().map(|file| file.parts.len()).sum();
    let gather = parts > FEW_PARTS && height / parts < SMALL_PART;
    let mut notes = Vec::new();
    let (stacks, file_notes) = by_name(tables);
    notes.extend(lacking(&stacks, &files));
    let source = source_name(&stacks);
    if named && source != SOURCE {
        let text = format!("the files have a column {SOURCE:?}: their names are in {source:?}");
        notes.push(Note::new(Topic::Names, text));
    }
    let mut columns = Vec::with_capacity(stacks.len() + 1);
    for stacked in stacks {
        control.check()?;
        let (info, series) = stacked.join(&files, &mut notes)?;
        columns.push((info, series));
    }
    let info = ColumnInfo {
        name: source,
        kind: Kind::Text,
    };
    if named {
        columns.push((info, source_column(&files)?));
    }
    let columns = columns.into_iter().map(|(info, series)| {
        let series = if gather { series.rechunk() } else { series };
        (info, Column::from(series))
    });
    let mut table = Table::from_columns(height, columns)?;
    notes.extend(fold(file_notes));
    table.notes = notes;
    table.origin.part = sheet;
    table.left_out = left_out;
    Ok(table)
}

/// The sheet or path that all tables are from, if it is the same.
fn one_part(tables: &[Table]) -> Option<String> {
    let (first, others) = tables.split_first()?;
    let part = &first.origin.part;
    others
        .iter()
        .all(|table| table.origin.part == *part)
        .then(|| part.clone())
        .flatten()
}

/// A file: its name, and how many rows the parts of its columns have.
pub(super) struct File {
    pub name: String,
    parts: Vec<usize>,
}

impl File {
    fn of(table: &Table) -> Self {
        let first = table.frame().columns().first();
        let parts = first.map(|column| column.as_materialized_series().chunk_lengths().collect());
        Self {
            name: table.origin.name.clone(),
            parts: parts.unwrap_or_else(|| vec![table.height()]),
        }
    }
}

/// The columns of one name, with the number of the file that each is from.
pub(super) struct Stacked {
    pub name: String,
    pub columns: Vec<(usize, Kind, Series)>,
}

/// Takes the tables apart: columns that belong together, and the notes of each file.
///
/// A name that a file has twice belongs to the name that another has twice, in order.
fn by_name(tables: Vec<Table>) -> (Vec<Stacked>, Vec<(String, Vec<Note>)>) {
    let mut places: HashMap<(String, usize), usize> = HashMap::new();
    let mut stacks: Vec<Stacked> = Vec::new();
    let mut notes = Vec::with_capacity(tables.len());
    let alike = one_part(&tables).is_some();
    for (file, table) in tables.into_iter().enumerate() {
        let mut seen: HashMap<&str, usize> = HashMap::new();
        for (info, column) in table.iter() {
            let time = seen.entry(info.name.as_str()).or_default();
            let key = (info.name.clone(), *time);
            *time += 1;
            let place = *places.entry(key).or_insert_with(|| {
                stacks.push(Stacked {
                    name: info.name.clone(),
                    columns: Vec::new(),
                });
                stacks.len() - 1
            });
            let series = column.as_materialized_series().clone();
            stacks[place].columns.push((file, info.kind, series));
        }
        let mut of_file = table.notes;
        if !alike && let Some(part) = table.origin.part {
            of_file.insert(0, Note::new(Topic::Sheets, part));
        }
        notes.push((table.origin.name, of_file));
    }
    (stacks, notes)
}

impl Stacked {
    /// The whole column.
    fn join(mut self, files: &[File], notes: &mut Vec<Note>) -> Result<(ColumnInfo, Series)> {
        self.settle_signs()?;
        let (typed, owner) = self.common_type(files)?;
        notes.extend(self.widened(&typed, files));
        let mut columns = self.columns.into_iter().peekable();
        let mut whole = Series::new_empty(PlSmallStr::EMPTY, &typed.dtype);
        for (number, file) in files.iter().enumerate() {
            let part = match columns.next_if(|(file, ..)| *file == number) {
                None => in_parts(file.parts.iter().copied(), |rows| {
                    Series::full_null(PlSmallStr::EMPTY, rows, &typed.dtype)
                })?,
                Some((_, kind, series)) => {
                    let converted = convert(&series, &typed.dtype)?;
                    converted.ok_or_else(|| {
                        let found = Typed {
                            kind,
                            dtype: series.dtype().clone(),
                        };
                        inexact(&self.name, (&typed, &files[owner]), (&found, file))
                    })?
                }
            };
            if number == 0 {
                whole = part;
            } else {
                whole.append(&part).map_err(unexpected)?;
            }
        }
        let info = ColumnInfo {
            name: self.name,
            kind: typed.kind,
        };
        Ok((info, whole))
    }

    /// The type of the whole, and the file that has it, if one does.
    fn common_type(&self, files: &[File]) -> Result<(Typed, usize)> {
        let mut found: Option<(Typed, usize)> = None;
        for (file, kind, series) in &self.columns {
            let typed = Typed {
                kind: *kind,
                dtype: series.dtype().clone(),
            };
            let Some((known, owner)) = &found else {
                found = Some((typed, *file));
                continue;
            };
            let Some(both) = common(known, &typed) else {
                let before = self.columns.iter().find(|(file, ..)| file == owner);
                let known = (known, &files[*owner], before.map(|(.., series)| series));
                return Err(clash(&self.name, known, (&typed, series, &files[*file])));
            };
            let owner = if both.kind == known.kind {
                *owner
            } else {
                *file
            };
            found = Some((both, owner));
        }
        found.ok_or_else(|| Error::new(ErrorKind::Internal, "a column of no file"))
    }

    /// Lets u64 meet signed whole numbers in the type that holds the values of both, if one does.
    fn settle_signs(&mut self) -> Result<()> {
        let of = |dtype: &DataType| {
            self.columns
                .iter()
                .any(|(.., series)| series.dtype() == dtype)
        };
        let signed = [
            DataType::Int8,
            DataType::Int16,
            DataType::Int32,
            DataType::Int64,
        ];
        if !of(&DataType::UInt64) || !signed.iter().any(of) {
            return Ok(());
        }
        let (mut low, mut high) = (0, 0);
        for (.., series) in self
            .columns
            .iter()
            .filter(|(.., series)| series.dtype().is_integer())
        {
            let (least, most) = range(series)?.unwrap_or_default();
            (low, high) = (least.min(low), most.max(high));
        }
        let dtype = if high <= i128::from(i64::MAX) {
            DataType::Int64
        } else if low >= 0 {
            DataType::UInt64
        } else {
            return Ok(());
        };
        for (.., series) in &mut self.columns {
            if series.dtype().is_integer() {
                *series = series.strict_cast(&dtype).map_err(unexpected)?;
            }
        }
        Ok(())
    }

    /// A note when whole numbers became floats, or other zones UTC: it shows in the values.
    fn widened(&self, typed: &Typed, files: &[File]) -> Option<Note> {
        let (what, differs): (String, fn(&DataType, &DataType) -> bool) = match &typed.dtype {
            dtype if dtype.is_float() => ("float, whole numbers".to_owned(), |from, _| {
                from.is_integer()
            }),
            DataType::Datetime(_, Some(zone)) => (
                format!("in {zone}, another zone"),
                |from, to| matches!((from, to), (DataType::Datetime(_, from), DataType::Datetime(_, to)) if from != to),
            ),
            _ => return None,
        };
        let columns = self.columns.iter();
        let others: Vec<&str> = columns
            .filter(|(.., series)| differs(series.dtype(), &typed.dtype))
            .map(|(file, ..)| files[*file].name.as_str())
            .collect();
        let first = Place::default().column(&self.name);
        let text = format!(
            "column {:?}: {what} in {}",
            self.name,
            listed(&others, "file")
        );
        let count = others.len() as u64;
        (count > 0).then(|| Note::new(Topic::Types, text).counted(count, first))
    }
}

/// The error for types that have nothing in common.
fn clash(
    name: &str,
    known: (&Typed, &File, Option<&Series>),
    found: (&Typed, &Series, &File),
) -> Error {
    let (expected, there, before) = known;
    let (typed, series, file) = found;
    let words = |typed: &Typed, series: Option<&Series>| {
        let example = series
            .filter(|_| typed.kind == Kind::Text)
            .and_then(first_text);
        let example = example.map(|text| format!(" such as {}", quoted(&text)));
        typed.words() + &example.unwrap_or_default()
    };
    let message = format!(
        "expected {} as in {}, found {}",
        words(expected, before),
        there.name,
        words(typed, Some(series)),
    );
    refused(name, file, message, expected, typed)
}

/// The error for values that the common type does not hold exactly.
fn inexact(name: &str, known: (&Typed, &File), found: (&Typed, &File)) -> Error {
    let (expected, there) = known;
    let (typed, file) = found;
    let message = format!(
        "expected {} as in {}, found {} that it does not hold exactly",
        expected.words(),
        there.name,
        typed.words(),
    );
    refused(name, file, message, expected, typed)
}

fn refused(name: &str, file: &File, message: String, expected: &Typed, found: &Typed) -> Error {
    let kinds = [expected.kind, found.kind];
    let nested = [Kind::List, Kind::Struct, Kind::Bytes, Kind::Mixed];
    let wanted = if kinds
        .iter()
        .all(|kind| matches!(kind, Kind::Date | Kind::Datetime))
        && kinds[0] != kinds[1]
    {
        "datetime"
    } else {
        "text"
    };
    let error = Error::new(ErrorKind::Type, message).at(Place::source(&file.name).column(name));
    if kinds.iter().any(|kind| nested.contains(kind)) {
        return error.hint("load the files one by one and make the columns alike");
    }
    let fix = Fix::types(name, wanted);
    error
        .hint(format!("give it one type in all files: {fix}"))
        .fix(fix)
}

fn first_text(series: &Series) -> Option<String> {
    if let Ok(flat) = series.binary_offset() {
        let first = flat.iter().flatten().next()?;
        return Some(String::from_utf8_lossy(first).into_owned());
    }
    let texts = series.str().ok()?;
    texts.iter().flatten().next().map(str::to_owned)
}

/// A name for the column of file names that no column has.
fn source_name(stacks: &[Stacked]) -> String {
    let mut name = SOURCE.to_owned();
    while stacks.iter().any(|stacked| stacked.name == name) {
        name.push('_');
    }
    name
}

fn source_column(files: &[File]) -> Result<Series> {
    let mut whole = Series::new_empty(PlSmallStr::EMPTY, &DataType::String);
    for (number, file) in files.iter().enumerate() {
        let part = in_parts(file.parts.iter().copied(), |rows| {
            StringChunked::full(PlSmallStr::EMPTY, file.name.as_str(), rows).into_series()
        })?;
        if number == 0 {
            whole = part;
        } else {
            whole.append(&part).map_err(unexpected)?;
        }
    }
    Ok(whole)
}
