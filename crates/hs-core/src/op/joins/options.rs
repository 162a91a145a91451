//! What a join is told: which rows it keeps, what the keys must be, what names become. Joins nothing.

use crate::error::{Error, ErrorKind, Result, did_you_mean};

/// Which rows a join keeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum How {
    /// All rows of the left table.
    #[default]
    Left,
    /// Rows with a match.
    Inner,
    /// All rows of the right table, in its order.
    Right,
    /// All rows of both: the left table's, then those of the right one without a match.
    Outer,
    /// Rows of the left table with a match, each once, without the right table's columns.
    Semi,
    /// Rows of the left table without a match.
    Anti,
}

impl How {
    /// All of them, in the order they are presented.
    pub const ALL: [Self; 6] = [
        Self::Left,
        Self::Inner,
        Self::Right,
        Self::Outer,
        Self::Semi,
        Self::Anti,
    ];

    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Left => "left",
            Self::Inner => "inner",
            Self::Right => "right",
            Self::Outer => "outer",
            Self::Semi => "semi",
            Self::Anti => "anti",
        }
    }

    /// The one that a word means.
    ///
    /// # Errors
    /// [`ErrorKind::Argument`] that lists the words.
    pub fn parse(word: &str) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|how| how.word() == word);
        found.ok_or_else(|| {
            // As other libraries call the outer join.
            let meant = if word == "full" { "outer" } else { word };
            unknown("how", word, meant, &Self::ALL.map(Self::word))
        })
    }

    /// Whether the result has the right table's columns.
    pub fn has_right(self) -> bool {
        !matches!(self, Self::Semi | Self::Anti)
    }
}

/// On which sides each key must stand in one row at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Validate {
    /// On both.
    OneToOne,
    /// In the left table.
    OneToMany,
    /// In the right table.
    ManyToOne,
    /// On none.
    ManyToMany,
}

impl Validate {
    /// All of them, in the order they are presented.
    pub const ALL: [Self; 4] = [
        Self::OneToOne,
        Self::OneToMany,
        Self::ManyToOne,
        Self::ManyToMany,
    ];

    /// The one whose sides are these.
    pub fn of(left_once: bool, right_once: bool) -> Self {
        match (left_once, right_once) {
            (true, true) => Self::OneToOne,
            (true, false) => Self::OneToMany,
            (false, true) => Self::ManyToOne,
            (false, false) => Self::ManyToMany,
        }
    }

    /// Whether each key must stand once in the left, and in the right table.
    pub fn once(self) -> (bool, bool) {
        match self {
            Self::OneToOne => (true, true),
            Self::OneToMany => (true, false),
            Self::ManyToOne => (false, true),
            Self::ManyToMany => (false, false),
        }
    }

    /// The short name.
    pub fn word(self) -> &'static str {
        match self {
            Self::OneToOne => "1:1",
            Self::OneToMany => "1:m",
            Self::ManyToOne => "m:1",
            Self::ManyToMany => "m:m",
        }
    }

    /// The long name, as pandas also has it.
    pub fn long_word(self) -> &'static str {
        match self {
            Self::OneToOne => "one_to_one",
            Self::OneToMany => "one_to_many",
            Self::ManyToOne => "many_to_one",
            Self::ManyToMany => "many_to_many",
        }
    }

    /// The one that a short or long name means.
    ///
    /// # Errors
    /// [`ErrorKind::Argument`] that lists the names.
    pub fn parse(word: &str) -> Result<Self> {
        let means = |validate: &Self| [validate.word(), validate.long_word()].contains(&word);
        let found = Self::ALL.into_iter().find(means);
        found.ok_or_else(|| {
            let names = [Self::word, Self::long_word].map(|name| Self::ALL.map(name));
            // As database diagrams write many.
            let meant = if word.len() == 3 {
                word.to_lowercase().replace(['n', '*'], "m")
            } else {
                word.to_lowercase().replace(['-', ' ', ':'], "_")
            };
            unknown("validate", word, &meant, &names.concat())
        })
    }
}

/// The error for a word that is none; `meant` is what the user probably wrote it for.
fn unknown(option: &str, word: &str, meant: &str, known: &[&'static str]) -> Error {
    let all: Vec<String> = known.iter().map(|known| format!("{known:?}")).collect();
    let message = format!(
        "{option}: expected one of {}, found {}",
        all.join(", "),
        crate::error::quoted(word)
    );
    let error = Error::new(ErrorKind::Argument, message);
    let asked = match known.iter().find(|known| **known == meant) {
        Some(known) => Some(format!("did you mean {known:?}?")),
        None => did_you_mean(meant, known.iter().copied()),
    };
    match asked {
        Some(hint) => error.hint(hint),
        None => error,
    }
}

/// How to join.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JoinsOptions {
    /// Which rows are kept.
    pub how: How,
    /// What the keys must be; `None` refuses a left or inner join that gives more rows than the left table.
    pub validate: Option<Validate>,
    /// What columns of one name get behind it, those of the left and those of the right table.
    pub suffixes: (Option<String>, Option<String>),
    /// Whether a missing key matches a missing key.
    pub match_missing: bool,
}

impl Default for JoinsOptions {
    fn default() -> Self {
        Self {
            how: How::Left,
            validate: None,
            suffixes: (Some("_x".to_owned()), Some("_y".to_owned())),
            match_missing: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_mean_what_they_say_and_others_are_listed() {
        for how in How::ALL {
            assert_eq!(How::parse(how.word()).ok(), Some(how));
        }
        for validate in Validate::ALL {
            assert_eq!(Validate::parse(validate.word()).ok(), Some(validate));
            assert_eq!(Validate::parse(validate.long_word()).ok(), Some(validate));
            let (left, right) = validate.once();
            assert_eq!(Validate::of(left, right), validate);
        }
        let said = |error: Option<Error>| error.map(|error| error.to_string()).unwrap_or_default();
        assert_eq!(
            said(How::parse("lft").err()),
            "how: expected one of \"left\", \"inner\", \"right\", \"outer\", \"semi\", \"anti\", found \"lft\"\n\
             hint: did you mean \"left\"?"
        );
        let hint = |error: Option<Error>| said(error).lines().nth(1).unwrap_or_default().to_owned();
        let meant = |word: &str| format!("hint: did you mean {word:?}?");
        assert_eq!(hint(How::parse("full").err()), meant("outer"));
        assert_eq!(
            hint(How::parse("left_anti").err()),
            "hint: did you mean \"left\" or \"anti\"?"
        );
        assert_eq!(hint(How::parse("cross").err()), "");
        assert!(said(Validate::parse("1:n").err()).contains("\"many_to_many\", found \"1:n\""));
        assert_eq!(hint(Validate::parse("1:n").err()), meant("1:m"));
        assert_eq!(
            hint(Validate::parse("One-to-One").err()),
            meant("one_to_one")
        );
    }
}
