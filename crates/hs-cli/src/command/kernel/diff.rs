//! `hs kernel diff`: what one checkpoint has that another has not, and what is another value in it.

use std::collections::BTreeMap;

use hs_kernel::store::{Id, Store};

use super::checkpoints::{failure, find};
use crate::args::DiffArgs;
use crate::exit::Failure;
use crate::output::{Facts, Output};
use crate::progress::bytes;

const GIVEN: [&str; 7] = [
    "change",
    "name",
    "type_before",
    "type_after",
    "bytes_before",
    "bytes_after",
    "reason",
];

/// A name in a checkpoint.
struct Held {
    /// What tells its values apart.
    key: [u8; 32],
    /// The names that it shares objects with, and itself.
    names: Vec<String>,
    kind: String,
    bytes: u64,
}

/// What a checkpoint has, and why it has not what it lacks.
struct Side {
    held: BTreeMap<String, Held>,
    skipped: BTreeMap<String, String>,
}

/// Runs the command.
///
/// # Errors
/// When one of them is not there; [`Failure::Differs`] when they differ.
pub fn run(args: &DiffArgs, output: &Output) -> Result<(), Failure> {
    let (store, before) = find(&args.before)?;
    let (_, after) = find(&args.after)?;
    let (rows, same) = compared(&side(&store, &before)?, &side(&store, &after)?);
    output.give_facts_of(&GIVEN, &rows)?;
    let plural = if same == 1 { "name is" } else { "names are" };
    output.tell(&format!("{same} {plural} the same"));
    if rows.is_empty() {
        Ok(())
    } else {
        Err(Failure::Differs)
    }
}

fn side(store: &Store, id: &Id) -> Result<Side, Failure> {
    let shown = store.manifest(id).map_err(|error| failure(&error))?;
    let mut held = BTreeMap::new();
    for (_, group) in &shown.groups {
        for name in &group.names {
            let one = Held {
                key: group.key(),
                names: group.names.clone(),
                kind: group.types.get(name).cloned().unwrap_or_default(),
                bytes: group.bytes(),
            };
            held.insert(name.clone(), one);
        }
    }
    let skipped = shown.manifest.about.skipped.into_iter();
    let skipped = skipped.map(|skipped| (skipped.name, skipped.reason));
    Ok(Side {
        held,
        skipped: skipped.collect(),
    })
}

/// A row for each name that differs, and how many do not.
fn compared(before: &Side, after: &Side) -> (Vec<Facts>, usize) {
    let mut names: Vec<&String> = before.held.keys().chain(after.held.keys()).collect();
    names.sort();
    names.dedup();
    let (mut rows, mut same) = (Vec::new(), 0);
    for name in names {
        match (before.held.get(name), after.held.get(name)) {
            (Some(old), Some(new)) if old.key == new.key && old.names == new.names => same += 1,
            (Some(old), Some(new)) => {
                let kinds = arrow(&old.kind, &new.kind);
                let sizes = arrow(&bytes(old.bytes), &bytes(new.bytes));
                let line = format!("~ {name}  {kinds}  {sizes}{}", with_others(name, new));
                rows.push(facts(line, "changed", name, Some(old), Some(new), None));
            }
            (Some(old), None) => {
                let reason = after.skipped.get(name);
                let why =
                    reason.map_or_else(String::new, |reason| format!("  (skipped: {reason})"));
                let line = format!("- {name}  {}  {}{why}", old.kind, bytes(old.bytes));
                rows.push(facts(line, "removed", name, Some(old), None, reason));
            }
            (None, Some(new)) => {
                let line = format!(
                    "+ {name}  {}  {}{}",
                    new.kind,
                    bytes(new.bytes),
                    with_others(name, new)
                );
                rows.push(facts(line, "added", name, None, Some(new), None));
            }
            (None, None) => {}
        }
    }
    (rows, same)
}

fn arrow(old: &str, new: &str) -> String {
    if old == new {
        new.to_owned()
    } else {
        format!("{old} -> {new}")
    }
}

/// Names that share objects are saved together: the size is that of all of them.
fn with_others(name: &str, held: &Held) -> String {
    let others = held.names.iter().filter(|other| *other != name);
    let others: Vec<&str> = others.map(String::as_str).collect();
    if others.is_empty() {
        return String::new();
    }
    format!("  (with {})", others.join(", "))
}

fn facts(
    line: String,
    change: &str,
    name: &str,
    old: Option<&Held>,
    new: Option<&Held>,
    reason: Option<&String>,
) -> Facts {
    let kind = |held: Option<&Held>| held.map(|held| held.kind.clone());
    let size = |held: Option<&Held>| held.map(|held| held.bytes as i64);
    Facts::new(line)
        .with("change", change)
        .with("name", name)
        .with("type_before", kind(old))
        .with("type_after", kind(new))
        .with("bytes_before", size(old))
        .with("bytes_after", size(new))
        .with("reason", reason.cloned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn side(held: &[(&[&str], u8)], skipped: &[(&str, &str)]) -> Side {
        let mut side = Side {
            held: BTreeMap::new(),
            skipped: BTreeMap::new(),
        };
        for (names, key) in held {
            for name in *names {
                let one = Held {
                    key: [*key; 32],
                    names: names.iter().map(|name| (*name).to_owned()).collect(),
                    kind: "int".to_owned(),
                    bytes: u64::from(*key),
                };
                side.held.insert((*name).to_owned(), one);
            }
        }
        for (name, reason) in skipped {
            side.skipped
                .insert((*name).to_owned(), (*reason).to_owned());
        }
        side
    }

    #[test]
    fn names_are_added_removed_changed_or_the_same() {
        let before = side(
            &[(&["a"], 1), (&["b"], 2), (&["c", "d"], 3), (&["g"], 7)],
            &[],
        );
        let after = side(
            &[(&["a"], 1), (&["b"], 5), (&["c"], 3), (&["e", "f"], 4)],
            &[("g", "a generator")],
        );
        let (rows, same) = compared(&before, &after);
        let lines: Vec<&str> = rows.iter().map(|row| row.line.as_str()).collect();
        assert_eq!(same, 1);
        assert_eq!(
            lines,
            [
                "~ b  int  2 bytes -> 5 bytes",
                // It shares its object with nothing any more, which is another state.
                "~ c  int  3 bytes",
                "- d  int  3 bytes",
                "+ e  int  4 bytes  (with f)",
                "+ f  int  4 bytes  (with e)",
                "- g  int  7 bytes  (skipped: a generator)",
            ]
        );
    }
}
