//! The outcome of a comparison in lines.

use std::collections::HashMap;

use super::columns::{Both, Columns};
use super::differ::Marks;
use super::{CompareOptions, Found};
use crate::note::{Note, Topic};
use crate::op::montre::cell;
use crate::text;

/// How many columns a line names.
const NAMED: usize = 8;
/// How wide a name may get.
const WIDTH: usize = 40;

/// What was counted.
pub struct Counts {
    /// Rows in both.
    pub common: usize,
    /// Those of them that differ.
    pub changed: usize,
    /// Those that are the same only because of a tolerance.
    pub near: usize,
    /// Rows on one side only.
    pub only: [usize; 2],
}

impl Counts {
    pub fn of(height: usize, found: &Found) -> Self {
        let mut changed = Marks::none(height);
        let mut apart = Marks::none(height);
        for differing in &found.marks {
            changed.add(&differing.marks);
            if let Some(exactly) = &differing.exactly {
                apart.add(exactly);
            }
        }
        let mut either = changed.clone();
        either.add(&apart);
        Self {
            common: found.pairs.count,
            changed: changed.count(),
            near: either.count() - changed.count(),
            only: [height - found.pairs.count, found.only_b.len()],
        }
    }

    /// True when rows differ or are on one side only.
    pub fn differ(&self) -> bool {
        self.changed > 0 || self.only != [0, 0]
    }
}

/// The lines, the account of all first.
pub fn notes(
    counts: &Counts,
    columns: &Columns,
    found: &Found,
    options: &CompareOptions,
) -> Vec<Note> {
    let mut account = rows(counts, columns, found, options);
    for (letter, alone) in ["a", "b"].into_iter().zip(&columns.alone) {
        if !alone.is_empty() {
            account += &format!("; columns only in {letter}: {}", listed(alone.iter()));
        }
    }
    let mut note = Note::new(Topic::Result, account);
    note.count = Some((counts.changed + counts.only[0] + counts.only[1]) as u64);
    let mut notes = vec![note];
    notes.extend(alike(&columns.alone));
    notes.extend(types(columns));
    notes.extend(tolerance(columns, found, options));
    notes
}

/// What became of the rows.
fn rows(counts: &Counts, columns: &Columns, found: &Found, options: &CompareOptions) -> String {
    let Counts {
        common,
        changed,
        near,
        only,
    } = *counts;
    let count = |number: usize| text::count(number as u64);
    let mut said: Vec<String> = Vec::new();
    if common == 0 && only == [0, 0] {
        return "no rows on either side, nothing to compare".to_owned();
    } else if common == 0 {
        said.push("0 rows in common".to_owned());
    } else if columns.both.is_empty() {
        said.push(format!("{} in both, {}", count(common), no_column(options)));
    } else if !counts.differ() && columns.alone.iter().all(Vec::is_empty) {
        let within = match near {
            0 => String::new(),
            near => format!(" ({} within the tolerance)", count(near)),
        };
        return format!(
            "{}: {}{within}, {} compared",
            if near > 0 {
                "no difference"
            } else {
                "identical"
            },
            text::counted(common as u64, "row"),
            text::counted(columns.both.len() as u64, "column"),
        );
    } else {
        let within = match near {
            0 => String::new(),
            near => format!(" ({} within the tolerance)", count(near)),
        };
        said.push(format!("{} same{within}", count(common - changed)));
    }
    if changed > 0 {
        said.push(format!(
            "{} changed ({})",
            count(changed),
            by_column(columns, found)
        ));
    }
    for (letter, only) in ["a", "b"].into_iter().zip(only) {
        if only > 0 {
            said.push(format!("{} only {letter}", count(only)));
        }
    }
    said.join(", ")
}

/// Why no column is compared: what the options leave, or what there is.
fn no_column(options: &CompareOptions) -> String {
    let used = [
        ("only", options.only.is_some()),
        ("ignore", !options.ignore.is_empty()),
    ];
    let used = used.into_iter().filter(|(_, used)| *used);
    let used: Vec<&str> = used.map(|(option, _)| option).collect();
    match used.as_slice() {
        [] => "no other column of both to compare".to_owned(),
        [one] => format!("{one} leaves no column of both to compare"),
        _ => format!("{} leave no column of both to compare", used.join(" and ")),
    }
}

/// The columns with the most differences first, each with its number.
fn by_column(columns: &Columns, found: &Found) -> String {
    let counted = columns.both.iter().zip(&found.marks);
    let mut counted: Vec<(&Both, usize)> = counted
        .map(|(column, differing)| (column, differing.marks.count()))
        .filter(|(_, count)| *count > 0)
        .collect();
    counted.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let texts: Vec<String> = counted
        .iter()
        .map(|(column, count)| {
            format!(
                "{} {}",
                cell::name(&column.name, WIDTH),
                text::count(*count as u64)
            )
        })
        .collect();
    cut(texts)
}

/// Columns of one side each whose names differ in nothing but case and spaces: perhaps one column.
fn alike([a, b]: &[Vec<String>; 2]) -> Option<Note> {
    let plain = |name: &str| name.trim().to_lowercase();
    let mut others: HashMap<String, &String> = HashMap::new();
    for name in b {
        others.entry(plain(name)).or_insert(name);
    }
    let pairs = a.iter().filter_map(|name| {
        // Names may repeat; the second of a name has no partner.
        let other = others.remove(&plain(name))?;
        let [name, other] = [name, other].map(|name| cell::name(name, WIDTH));
        Some(format!("{name} and {other}"))
    });
    let pairs: Vec<String> = pairs.collect();
    (!pairs.is_empty()).then(|| {
        let text = format!(
            "not compared, perhaps the same: {} (names differ only in case or spaces; name them alike)",
            cut(pairs)
        );
        Note::new(Topic::Names, text)
    })
}

/// Types that differ, in one line for all columns.
fn types(columns: &Columns) -> Option<Note> {
    let differing: Vec<String> = columns
        .both
        .iter()
        .filter_map(|column| {
            let [left, right] = column.types.as_ref()?;
            let never = if column.comparable {
                ""
            } else {
                ", never equal"
            };
            let name = cell::name(&column.name, WIDTH);
            Some(format!("{name} ({left} in a, {right} in b{never})"))
        })
        .collect();
    let count = differing.len() as u64;
    (count > 0).then(|| {
        let mut note = Note::new(Topic::Types, format!("types differ: {}", cut(differing)));
        note.count = Some(count);
        note
    })
}

/// Columns with a difference that a tolerance for all columns did not mean.
fn tolerance(columns: &Columns, found: &Found, options: &CompareOptions) -> Option<Note> {
    use super::Tolerance::All;
    let used = [("tol", &options.tol), ("rtol", &options.rtol)];
    let used: Vec<&str> = used
        .into_iter()
        .filter(|(_, tolerance)| matches!(tolerance, Some(All(size)) if *size > 0.0))
        .map(|(option, _)| option)
        .collect();
    let texts = columns
        .both
        .iter()
        .zip(&found.marks)
        .filter(|(column, differing)| !column.numbers && differing.marks.count() > 0)
        .map(|(column, _)| cell::name(&column.name, WIDTH));
    let texts: Vec<String> = texts.collect();
    (!used.is_empty() && !texts.is_empty()).then(|| {
        let text = format!(
            "{} not used for columns that hold no numbers: {}",
            used.join(" and "),
            cut(texts)
        );
        Note::new(Topic::Types, text)
    })
}

fn listed<'a>(names: impl Iterator<Item = &'a String>) -> String {
    cut(names.map(|name| cell::name(name, WIDTH)).collect())
}

/// The first few, and how many more there are.
fn cut(mut texts: Vec<String>) -> String {
    if texts.len() > NAMED {
        let more = texts.len() + 1 - NAMED;
        texts.truncate(NAMED - 1);
        texts.push(format!("and {} more", text::count(more as u64)));
    }
    texts.join(", ")
}
