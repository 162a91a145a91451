//! Which columns are compared, which are only on one side, and which have different types.

use std::collections::{HashMap, HashSet};

use polars::prelude::DataType;

use super::tolerance::Within;
use super::{CompareOptions, Tolerance, part};
use crate::control::Control;
use crate::error::{Error, ErrorKind, Result};
use crate::op::keyed::{self, Part};
use crate::table::{Kind, Table, unknown_column};

/// A column of both tables.
pub struct Both {
    pub name: String,
    /// Its positions in a and in b.
    pub positions: [usize; 2],
    /// The types in a and in b, where they are not the same.
    pub types: Option<[String; 2]>,
    /// False when no value of one type equals one of the other.
    pub comparable: bool,
    /// True when both hold numbers.
    pub numbers: bool,
    /// How far numbers may be apart; `None` where they have to be equal.
    pub tolerance: Option<Within>,
}

/// The columns of two tables besides the keys.
pub struct Columns {
    /// Those of both, in the order of a.
    pub both: Vec<Both>,
    /// Names of those that only a has, and only b has.
    pub alone: [Vec<String>; 2],
}

impl Columns {
    /// As the options say. Columns of one name belong together in their order.
    ///
    /// # Errors
    /// [`ErrorKind::Column`] for an option that names a column that neither has; [`ErrorKind::Argument`] and
    /// [`ErrorKind::Type`] for a tolerance that makes no sense.
    pub fn of(
        tables: [&Table; 2],
        keys: &[Vec<usize>; 2],
        options: &CompareOptions,
        control: &Control,
    ) -> Result<Self> {
        check_names("ignore", &options.ignore, tables)?;
        check_names("only", options.only.as_deref().unwrap_or_default(), tables)?;
        refuse_ignored_keys(tables[0], &keys[0], &options.ignore)?;
        let ignored: HashSet<&str> = options.ignore.iter().map(String::as_str).collect();
        let only = options.only.as_ref();
        let only: Option<HashSet<&str>> =
            only.map(|only| only.iter().map(String::as_str).collect());
        let wanted = |name: &str| {
            only.as_ref().is_none_or(|only| only.contains(name)) && !ignored.contains(name)
        };
        let [left, right] = [0, 1].map(|side| {
            numbered(tables[side])
                .enumerate()
                .filter(|(position, (name, _))| !keys[side].contains(position) && wanted(name))
                .map(|(position, column)| (column, position))
                .collect::<Vec<(Numbered<'_>, usize)>>()
        });
        let there: HashMap<Numbered<'_>, usize> = right.iter().copied().collect();
        let mut both = Vec::new();
        let mut alone = [Vec::new(), Vec::new()];
        let mut met: HashSet<Numbered<'_>> = HashSet::new();
        for (column, position) in left {
            match there.get(&column) {
                Some(other) => {
                    both.push(both_of(tables, column.0, [position, *other], control)?);
                }
                None => alone[0].push(column.0.to_owned()),
            }
            met.insert(column);
        }
        let others = right.iter().filter(|(column, _)| !met.contains(column));
        alone[1].extend(others.map(|((name, _), _)| (*name).to_owned()));
        let mut columns = Self { both, alone };
        columns.set_tolerances(tables, options)?;
        Ok(columns)
    }

    fn set_tolerances(&mut self, tables: [&Table; 2], options: &CompareOptions) -> Result<()> {
        for (option, tolerance) in [("tol", &options.tol), ("rtol", &options.rtol)] {
            let Some(tolerance) = tolerance else { continue };
            tolerance.check(option)?;
            if let Tolerance::Columns(columns) = tolerance {
                for (name, _) in columns {
                    self.check_column(option, name, tables)?;
                }
            }
        }
        for column in &mut self.both {
            if column.numbers {
                let of = |tolerance: &Option<Tolerance>| {
                    tolerance.as_ref().and_then(|some| some.of(&column.name))
                };
                column.tolerance = Within::new(of(&options.tol), of(&options.rtol));
            }
        }
        Ok(())
    }

    /// Refuses a tolerance for a column that is not compared or holds no numbers.
    fn check_column(&self, option: &str, name: &str, tables: [&Table; 2]) -> Result<()> {
        let mut found = self.both.iter().filter(|column| column.name == name);
        let Some(column) = found.next() else {
            let names = self.both.iter().map(|column| column.name.as_str());
            let error = unknown_column(name, names);
            let message = format!("{option}: expected columns that are compared, found {name:?}");
            let told = Error::new(ErrorKind::Column, message);
            return Err(match error.hint_text() {
                Some(hint) => told.hint(hint),
                None => told,
            });
        };
        if column.numbers {
            return Ok(());
        }
        let [left, right] = [0, 1].map(|side| type_of(part(tables[side], column.positions[side])));
        let found = if left == right {
            left
        } else {
            format!("{left} in a and {right} in b")
        };
        let message = format!("{option}: expected columns of numbers, found {name:?} of {found}");
        Err(Error::new(ErrorKind::Type, message))
    }
}

/// A column by its name, and how many columns of this name stand before it.
type Numbered<'a> = (&'a str, usize);

fn numbered(table: &Table) -> impl Iterator<Item = Numbered<'_>> {
    let mut seen: HashMap<&str, usize> = HashMap::new();
    table.columns().iter().map(move |info| {
        let count = seen.entry(&info.name).or_default();
        *count += 1;
        (info.name.as_str(), *count - 1)
    })
}

fn both_of(
    tables: [&Table; 2],
    name: &str,
    positions: [usize; 2],
    control: &Control,
) -> Result<Both> {
    let sides = [0, 1].map(|side| part(tables[side], positions[side]));
    let types = sides.map(type_of);
    // A column without values has no type that could differ.
    let empty = sides
        .iter()
        .any(|(info, column)| info.kind == Kind::Empty || column.null_count() == column.len());
    Ok(Both {
        name: name.to_owned(),
        positions,
        types: (!empty && types[0] != types[1]).then_some(types),
        comparable: comparable(sides, control)?,
        numbers: sides.iter().all(|(info, _)| is_number(info.kind)),
        tolerance: None,
    })
}

/// Whether a value of one column may equal one of the other: their types alone decide.
///
/// # Errors
/// A stop request.
pub fn comparable(sides: [Part<'_>; 2], control: &Control) -> Result<bool> {
    let [left, right] = sides.map(|(info, column)| (info, column.slice(0, 0)));
    Ok(keyed::common((left.0, &left.1), (right.0, &right.1), control)?.is_some())
}

/// What a column holds, in a word; instants are told from wall clocks.
pub fn type_of((info, column): Part<'_>) -> String {
    let word = info.kind.word();
    match column.dtype() {
        DataType::Datetime(_, Some(_)) => format!("{word} with offset"),
        _ => word.to_owned(),
    }
}

fn is_number(kind: Kind) -> bool {
    matches!(kind, Kind::Int | Kind::Float | Kind::Decimal | Kind::Empty)
}

/// Refuses names that neither table has.
fn check_names(option: &str, names: &[String], tables: [&Table; 2]) -> Result<()> {
    let known = || {
        let infos = tables.iter().flat_map(|table| table.columns());
        infos.map(|info| info.name.as_str())
    };
    let all: HashSet<&str> = known().collect();
    let Some(unknown) = names.iter().find(|name| !all.contains(name.as_str())) else {
        return Ok(());
    };
    let mut once: Vec<&str> = Vec::with_capacity(all.len());
    let mut seen = HashSet::new();
    once.extend(known().filter(|name| seen.insert(*name)));
    let error = unknown_column(unknown, once.iter().copied());
    let told = Error::new(
        ErrorKind::Column,
        format!("{option}: no column {unknown:?} in a or b"),
    );
    Err(match error.hint_text() {
        Some(hint) => told.hint(hint),
        None => told,
    })
}

fn refuse_ignored_keys(table: &Table, keys: &[usize], ignore: &[String]) -> Result<()> {
    let mut names = keys.iter().map(|key| &table.columns()[*key].name);
    match names.find(|name| ignore.contains(name)) {
        None => Ok(()),
        Some(name) => {
            let message = format!("ignore: expected columns besides the key, found {name:?}");
            Err(Error::new(ErrorKind::Argument, message))
        }
    }
}
