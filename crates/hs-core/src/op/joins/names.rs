//! What the columns of a join are called: one key of the same name appears once, other names that both tables
//! have get suffixes, and no two columns end up with one name. Knows names only.

use std::collections::HashSet;

use super::JoinsOptions;
use crate::fix::Fix;
use crate::note::{Note, Topic};

/// A column of the result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// Its position in its table.
    pub position: usize,
    /// The name it gets; `None` when it keeps its own.
    pub name: Option<String>,
}

/// The columns of the result: the left table's, then the right one's.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    /// Of the left table: all of its columns.
    pub left: Vec<Named>,
    /// Of the right table: without keys of the same name on both sides.
    pub right: Vec<Named>,
    /// What there is to say.
    pub notes: Vec<Note>,
}

/// Names the columns of a join of tables whose columns have these names, by keys at these positions.
///
/// No two names that are made here are one, nor the name of another column. Names that a table has twice and that nothing
/// asks to change stay as they are: they are the user's own.
pub fn names(
    left: &[String],
    right: &[String],
    keys: &[(usize, usize)],
    options: &JoinsOptions,
) -> Names {
    let once = |key: &&(usize, usize)| left[key.0] == right[key.1];
    let (left_once, right_once): (HashSet<usize>, HashSet<usize>) =
        keys.iter().filter(once).copied().unzip();
    let mut made = Maker::default();
    if !options.how.has_right() {
        made.names.left = (0..left.len())
            .map(|position| Named {
                position,
                name: None,
            })
            .collect();
        return made.names;
    }
    let others = |names: &[String], once: &HashSet<usize>| -> HashSet<String> {
        let others = names.iter().enumerate();
        let others = others.filter(|(position, _)| !once.contains(position));
        others.map(|(_, name)| name.clone()).collect()
    };
    let (mut lefts, rights) = (others(left, &left_once), others(right, &right_once));
    // Labels of pandas that read alike are two: beside the key 0 the right table may have another "0".
    lefts.extend(left_once.iter().map(|position| left[*position].clone()));
    // Names that nobody changes are taken from the start, whichever table they are in.
    for (names, once, there) in [(left, &left_once, &rights), (right, &right_once, &lefts)] {
        for (position, name) in names.iter().enumerate() {
            if once.contains(&position) || !there.contains(name) {
                made.taken.insert(name.clone());
            }
        }
    }
    let sides = [
        (left, &rights, &left_once, &options.suffixes.0, "a"),
        (right, &lefts, &right_once, &options.suffixes.1, "b"),
    ];
    for (names, there, once, suffix, side) in sides {
        let mut columns = Vec::with_capacity(names.len());
        for (position, name) in names.iter().enumerate() {
            let key = once.contains(&position);
            if key && side == "b" {
                continue;
            }
            let shared = !key && there.contains(name);
            let name = shared.then(|| made.name(name, suffix.as_deref().unwrap_or(""), side));
            let name = name.filter(|new| *new != names[position]);
            columns.push(Named { position, name });
        }
        made.kept.clear();
        match side {
            "a" => made.names.left = columns,
            _ => made.names.right = columns,
        }
    }
    made.names
}

#[derive(Default)]
struct Maker {
    names: Names,
    taken: HashSet<String>,
    /// Names of the table that is at work that an empty suffix left as they are: it may have them twice.
    kept: HashSet<String>,
}

impl Maker {
    /// The name with its suffix, or with more behind it where that one is taken.
    fn name(&mut self, name: &str, suffix: &str, side: &str) -> String {
        if suffix.is_empty() && self.kept.contains(name) {
            return name.to_owned();
        }
        let wanted = format!("{name}{suffix}");
        let mut new = wanted.clone();
        while !self.taken.insert(new.clone()) {
            new.push('_');
        }
        if new == name {
            self.kept.insert(new.clone());
        }
        if new != wanted {
            let fix = Fix::option("suffixes");
            let text = format!(
                "column {name:?} of {side} is called {new:?}, because {wanted:?} is taken ({fix} names it otherwise)"
            );
            self.names
                .notes
                .push(Note::new(Topic::Names, text).fix(fix));
        }
        new
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::op::joins::How;

    fn joined(
        left: &[&str],
        right: &[&str],
        keys: &[(usize, usize)],
        suffixes: (Option<&str>, Option<&str>),
    ) -> Vec<String> {
        let owned =
            |names: &[&str]| -> Vec<String> { names.iter().map(ToString::to_string).collect() };
        let (left, right) = (owned(left), owned(right));
        let options = JoinsOptions {
            suffixes: (suffixes.0.map(Into::into), suffixes.1.map(Into::into)),
            ..JoinsOptions::default()
        };
        let made = names(&left, &right, keys, &options);
        let name = |own: &[String], named: &Named| {
            named.name.clone().unwrap_or(own[named.position].clone())
        };
        let lefts = made.left.iter().map(|named| name(&left, named));
        let rights = made.right.iter().map(|named| name(&right, named));
        lefts.chain(rights).collect()
    }

    const PANDAS: (Option<&str>, Option<&str>) = (Some("_x"), Some("_y"));

    #[test]
    fn keys_stand_once_and_shared_names_get_suffixes() {
        assert_eq!(
            joined(&["k", "v", "a"], &["v", "k", "b"], &[(0, 1)], PANDAS),
            ["k", "v_x", "a", "v_y", "b"]
        );
        assert_eq!(
            joined(&["id", "v"], &["ID", "v"], &[(0, 0)], (None, Some("_r"))),
            ["id", "v", "ID", "v_r"]
        );
        // A key of the left that is another column of the right.
        assert_eq!(
            joined(&["id", "v"], &["ID", "id"], &[(0, 0)], PANDAS),
            ["id_x", "v", "ID", "id_y"]
        );
    }

    #[test]
    fn no_two_columns_get_one_name() {
        assert_eq!(
            joined(
                &["id", "v", "v_right"],
                &["id", "v"],
                &[(0, 0)],
                (None, Some("_right"))
            ),
            ["id", "v", "v_right", "v_right_"]
        );
        assert_eq!(
            joined(&["id", "v"], &["id", "v"], &[(0, 0)], (None, None)),
            ["id", "v", "v_"]
        );
        assert_eq!(
            joined(
                &["k", "v", "x"],
                &["k", "v", "v_x", "x"],
                &[(0, 0)],
                (Some("_x"), Some(""))
            ),
            ["k", "v_x_", "x_x", "v", "v_x", "x"]
        );
        // The key's own name is taken, too.
        assert_eq!(
            joined(&["k_y", "k"], &["k_y", "k"], &[(0, 0)], PANDAS),
            ["k_y", "k_x", "k_y_"]
        );
    }

    #[test]
    fn names_that_a_table_has_twice_stay_its_own_unless_they_are_changed() {
        assert_eq!(
            joined(&["k", "x", "x"], &["k", "x", "z", "z"], &[(0, 0)], PANDAS),
            ["k", "x_x", "x_x_", "x_y", "z", "z"]
        );
        assert_eq!(
            joined(
                &["k", "x", "x"],
                &["k", "x", "x"],
                &[(0, 0)],
                (None, Some("_r"))
            ),
            ["k", "x", "x", "x_r", "x_r_"]
        );
    }

    #[test]
    fn a_column_that_reads_like_the_key_is_no_second_one() {
        // Labels 0 and "0" of pandas.
        assert_eq!(joined(&["0"], &["0", "0"], &[(0, 0)], PANDAS), ["0", "0_y"]);
        assert_eq!(joined(&["0", "0"], &["0"], &[(1, 0)], PANDAS), ["0", "0"]);
        assert_eq!(
            joined(&["0", "0"], &["0", "0"], &[(0, 0)], PANDAS),
            ["0", "0_x", "0_y"]
        );
    }

    #[test]
    fn a_semi_join_keeps_its_names() {
        let own = vec!["k".to_owned(), "v".to_owned()];
        let options = JoinsOptions {
            how: How::Semi,
            ..JoinsOptions::default()
        };
        let made = names(&own, &own, &[(0, 0)], &options);
        assert!(made.right.is_empty());
        assert!(made.left.iter().all(|named| named.name.is_none()) && made.left.len() == 2);
    }
}
