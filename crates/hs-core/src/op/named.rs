//! Which columns a caller means, and what a result calls its own: no column twice, no guess, no clash.

use std::collections::HashSet;

use crate::error::{Error, ErrorKind, Place, Result};
use crate::note::{Note, Topic};
use crate::table::unknown_column;

/// The positions of the columns that are meant, in the order they are named; `argument` is what the
/// caller names them by.
///
/// # Errors
/// [`ErrorKind::Column`] for a name that no column has, with the close ones; [`ErrorKind::Argument`]
/// for no column at all, for one that is named twice and for a name that several columns have.
///
/// ```
/// use hs_core::op::named::columns;
/// assert_eq!(columns(&["id", "city"], &["city".to_owned()], "key")?, [1]);
/// # Ok::<(), hs_core::Error>(())
/// ```
pub fn columns(names: &[&str], wanted: &[String], argument: &str) -> Result<Vec<usize>> {
    let wrong = |message: String| Error::new(ErrorKind::Argument, message);
    if wanted.is_empty() {
        let message = format!("{argument}: expected a column or more, found none");
        let shown: Vec<String> = names
            .iter()
            .take(12)
            .map(|name| format!("{name:?}"))
            .collect();
        let error = wrong(message);
        return Err(if shown.is_empty() {
            error
        } else {
            error.hint(format!("the columns are {}", shown.join(", ")))
        });
    }
    let mut positions = Vec::with_capacity(wanted.len());
    for one in wanted {
        let position = by_name(names, one)?;
        if positions.contains(&position) {
            return Err(wrong(format!(
                "{argument}: expected each column once, found {one:?} twice"
            )));
        }
        positions.push(position);
    }
    Ok(positions)
}

fn by_name(names: &[&str], name: &str) -> Result<usize> {
    let mut found = (0..names.len()).filter(|position| names[*position] == name);
    let Some(first) = found.next() else {
        return Err(unknown_column(name, names.iter().copied()));
    };
    match found.count() {
        0 => Ok(first),
        others => {
            let message = format!("expected one column called {name:?}, found {}", others + 1);
            Err(Error::new(ErrorKind::Argument, message)
                .at(Place::default().column(name))
                .hint("give each column a name of its own first"))
        }
    }
}

/// Names for a result's own columns beside those of the user: a trailing `_` where one is taken.
#[derive(Debug, Default)]
pub struct OwnNames {
    yours: HashSet<String>,
    taken: HashSet<String>,
    renamed: Vec<(String, String)>,
}

impl OwnNames {
    /// Beside the user's columns of these names.
    pub fn beside<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        let yours: HashSet<String> = names.into_iter().map(str::to_owned).collect();
        Self {
            taken: yours.clone(),
            yours,
            renamed: Vec::new(),
        }
    }

    /// The name for a column of the result that would best be called `wanted`.
    pub fn name(&mut self, wanted: &str) -> String {
        let mut name = wanted.to_owned();
        while !self.taken.insert(name.clone()) {
            name.push('_');
        }
        if name != wanted {
            self.renamed.push((wanted.to_owned(), name.clone()));
        }
        name
    }

    /// The line that says which names were taken; none when none was.
    pub fn note(&self) -> Option<Note> {
        let renamed = &self.renamed;
        let said: Vec<String> = renamed
            .iter()
            .map(|(wanted, name)| {
                if self.yours.contains(wanted) {
                    format!("{wanted:?} is a column of yours, the result's is {name:?}")
                } else {
                    format!("{wanted:?} is a column of the result already, the next is {name:?}")
                }
            })
            .collect();
        (!said.is_empty()).then(|| Note::new(Topic::Names, said.join("; ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(names: &[&str], wanted: &[&str]) -> std::result::Result<Vec<usize>, String> {
        let wanted: Vec<String> = wanted.iter().map(ToString::to_string).collect();
        columns(names, &wanted, "key").map_err(|error| error.to_string())
    }

    #[test]
    fn each_column_is_there_once_and_named_once() {
        let names = ["id", "city", "id", "day"];
        assert_eq!(found(&names, &["day", "city"]), Ok(vec![3, 1]));
        assert_eq!(
            found(&names, &["citty"]),
            Err("no column \"citty\"\nhint: did you mean \"city\"?".to_owned())
        );
        let fault = |wanted| found(&names, wanted).unwrap_err();
        assert!(fault(&["id"]).contains("one column called \"id\", found 2"));
        assert!(fault(&["city", "day", "city"]).contains("found \"city\" twice"));
        assert!(fault(&[]).contains("found none\nhint: the columns are \"id\""));
    }

    #[test]
    fn own_names_give_way_until_they_are_free() {
        let mut names = OwnNames::beside(["n", "n_"]);
        assert_eq!(names.name("share"), "share");
        assert!(names.note().is_none());
        assert_eq!(names.name("n"), "n__");
        assert_eq!(
            names.note().unwrap().text,
            "\"n\" is a column of yours, the result's is \"n__\""
        );
        let mut names = OwnNames::beside(["id"]);
        names.name("v_a");
        assert_eq!(names.name("v_a"), "v_a_");
        assert_eq!(
            names.note().unwrap().text,
            "\"v_a\" is a column of the result already, the next is \"v_a_\""
        );
    }
}
