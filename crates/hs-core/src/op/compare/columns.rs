//! Which columns are compared, which are only on one side, and which have different types.

use std::collections::{HashMap, HashSet};

use polars::prelude::DataType;

use super::tolerance::{self, Within};
use super::{CompareOptions, Tolerance};
use crate::control::Control;
use crate::error::{Error, ErrorKind, Result};
use crate::op::keyed::{self, Part};
use crate::op::montre::cell;
use crate::table::{Kind, Table, unknown_column};

/// How wide the words for the fields of an object may get.
const WIDTH: usize = 80;

/// A column of both tables.
pub struct Both {
    pub name: String,
    /// Its positions in a and in b.
    pub positions: [usize; 2],
    /// The types in a and in b, where they are not the same.
    pub types: Option<[String; 2]>,
    /// False when no value of one type equals one of the other.
    pub comparable: bool,
    /// True when both hold numbers; only known where a tolerance is given.
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
                    both.push(both_of(tables, column.0, [position, *other]));
                }
                None => alone[0].push(column.0.to_owned()),
            }
            met.insert(column);
        }
        let others = right.iter().filter(|(column, _)| !met.contains(column));
        alone[1].extend(others.map(|((name, _), _)| (*name).to_owned()));
        let mut columns = Self { both, alone };
        let key = |position: &usize| tables[0].columns()[*position].name.as_str();
        let key: Vec<&str> = keys[0].iter().map(key).collect();
        columns.set_tolerances(tables, &key, options, control)?;
        Ok(columns)
    }

    fn set_tolerances(
        &mut self,
        tables: [&Table; 2],
        key: &[&str],
        options: &CompareOptions,
        control: &Control,
    ) -> Result<()> {
        if options.tol.is_none() && options.rtol.is_none() {
            return Ok(());
        }
        for column in &mut self.both {
            let sides = [0, 1].map(|side| tables[side].compared(column.positions[side]));
            column.numbers = numbers(sides, control)?;
        }
        for (option, tolerance) in [("tol", &options.tol), ("rtol", &options.rtol)] {
            let Some(tolerance) = tolerance else { continue };
            tolerance.check(option)?;
            if let Tolerance::Columns(columns) = tolerance {
                for (name, _) in columns {
                    if key.contains(&name.as_str()) {
                        let message =
                            format!("{option}: expected columns besides the key, found {name:?}");
                        return Err(Error::new(ErrorKind::Argument, message)
                            .hint("keys tell rows apart by their exact values"));
                    }
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
        let [left, right] =
            [0, 1].map(|side| type_of(tables[side].compared(column.positions[side])));
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

fn both_of(tables: [&Table; 2], name: &str, positions: [usize; 2]) -> Both {
    let sides = [0, 1].map(|side| tables[side].compared(positions[side]));
    let types = sides.map(type_of);
    // A column without values has no type that could differ.
    let empty = sides
        .iter()
        .any(|(info, column)| info.kind == Kind::Empty || keyed::has_no_value(column));
    Both {
        name: name.to_owned(),
        positions,
        types: (!empty && types[0] != types[1]).then_some(types),
        comparable: keyed::comparable(sides[0], sides[1]),
        numbers: false,
        tolerance: None,
    }
}

/// What a column holds, in a word; instants are told from wall clocks, and what is inside lists and objects.
pub fn type_of(part: Part<'_>) -> String {
    if let Some(word) = keyed::word(part) {
        return word.to_owned();
    }
    let word = part.0.kind.word();
    match part.1.dtype() {
        DataType::Datetime(_, Some(_)) => format!("{word} with offset"),
        dtype if dtype.is_nested() => words(dtype),
        _ => word.to_owned(),
    }
}

/// A type that may be nested, the same words where values of it may be the same: without widths, the order of fields,
/// and fields of nothing.
fn words(dtype: &DataType) -> String {
    match dtype {
        DataType::List(inside) | DataType::Array(inside, _) => format!("list of {}", words(inside)),
        DataType::Struct(fields) => {
            let there = fields
                .iter()
                .filter(|field| *field.dtype() != DataType::Null);
            let mut fields: Vec<String> = there
                .map(|field| format!("{} {}", field.name(), words(field.dtype())))
                .collect();
            fields.sort_unstable();
            format!("struct of {}", cell::cut(&fields.join(", "), WIDTH))
        }
        DataType::Datetime(_, Some(_)) => "datetime with offset".to_owned(),
        dtype => Kind::of(dtype).word().to_owned(),
    }
}

/// Whether both columns hold numbers; of values of several kinds some number is enough.
fn numbers(sides: [Part<'_>; 2], control: &Control) -> Result<bool> {
    for part in sides {
        let there = match part.0.kind {
            Kind::Int | Kind::Float | Kind::Decimal | Kind::Empty => true,
            Kind::Mixed => tolerance::has_numbers(part, control)?,
            _ => false,
        };
        if !there {
            return Ok(false);
        }
    }
    Ok(true)
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
