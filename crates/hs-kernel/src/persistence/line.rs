//! On which checkpoints a session stands: the newest first, each with the one before it. A session with a name of its own
//! writes them down, so that it goes on where it was after a crash of everything, or after the machine was off.

use std::fs::{self, DirBuilder};
use std::io::{self, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::place::heads;
use crate::registry::private_file;

/// Checkpoints that are remembered: when one cannot be read, an older one is used.
const LONGEST: usize = 200;

/// Checkpoints, the newest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line(Vec<String>);

impl Line {
    /// That of a branch, as a host has it.
    pub fn new(mut ids: Vec<String>) -> Self {
        ids.truncate(LONGEST);
        Self(ids)
    }

    /// The checkpoints.
    pub fn ids(&self) -> &[String] {
        &self.0
    }

    /// The newest.
    pub fn newest(&self) -> Option<&String> {
        self.0.first()
    }

    /// Another one follows.
    pub fn push(&mut self, id: String) {
        self.0.insert(0, id);
        self.0.truncate(LONGEST);
    }

    /// Those from this one on; nothing if it is not among them.
    pub fn from(&self, id: &str) -> Self {
        let place = self.0.iter().position(|one| one == id);
        Self(place.map_or_else(Vec::new, |place| self.0[place..].to_vec()))
    }
}

/// The file of a session with a name.
pub struct Head {
    path: PathBuf,
}

#[derive(Deserialize, Serialize)]
struct Written {
    line: Vec<String>,
    /// It was released: whoever starts one of this name wants a new one.
    released: bool,
}

impl Head {
    /// That of a session; none where there is no home. The name must be that of a session.
    pub fn of(session: &str) -> Option<Self> {
        let path = heads()?.join(format!("{session}.json"));
        Some(Self { path })
    }

    /// Where the session stood, and whether it was released. One that cannot be read is none.
    pub fn read(&self) -> Option<(Line, bool)> {
        let text = fs::read_to_string(&self.path).ok()?;
        let written: Written = serde_json::from_str(&text).ok()?;
        Some((Line::new(written.line), written.released))
    }

    /// Writes it down, in one step.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, line: &Line, released: bool) -> io::Result<()> {
        if let Some(folder) = self.path.parent() {
            DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(folder)?;
        }
        let written = Written {
            line: line.0.clone(),
            released,
        };
        let beside = self.path.with_extension("new");
        private_file(&beside)?.write_all(serde_json::to_string(&written)?.as_bytes())?;
        fs::rename(beside, &self.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_goes_on_from_where_it_was_taken_up() {
        let mut line = Line::default();
        for id in ["a", "b", "c"] {
            line.push(id.to_owned());
        }
        assert_eq!(line.newest().map(String::as_str), Some("c"));
        assert_eq!(line.from("b").ids(), ["b", "a"]);
        assert_eq!(line.from("z").ids(), [] as [&str; 0]);
        for number in 0..LONGEST + 5 {
            line.push(number.to_string());
        }
        assert_eq!(line.ids().len(), LONGEST);
    }

    #[test]
    fn what_is_written_is_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let head = Head {
            path: folder.path().join("heads/work.json"),
        };
        assert_eq!(head.read(), None);
        let line = Line::new(vec!["b".to_owned(), "a".to_owned()]);
        head.write(&line, false).expect("written");
        assert_eq!(head.read(), Some((line.clone(), false)));
        head.write(&line, true).expect("written");
        assert_eq!(head.read(), Some((line, true)));
        fs::write(&head.path, "{").expect("written");
        assert_eq!(head.read(), None);
    }
}
