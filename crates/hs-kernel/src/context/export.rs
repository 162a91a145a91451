//! The whole context as a file for others: lines of JSON, which `import` takes back, or Markdown for people.

use std::path::Path;

use serde::Deserialize;

use super::database::{COLUMNS, Database, entry_of};
use super::entry::Entry;
use super::error::{Error, Result};
use super::{markdown, target, transcript};

/// The first line of an export in lines of JSON.
pub(super) const TITLE: &str = r#"{"headstart":"context","version":1}"#;

/// What an export is written in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// An entry a line, which can be imported.
    #[default]
    Jsonl,
    /// To be read.
    Markdown,
    /// As a console would show it; the newest 16 MiB.
    Text,
}

impl Database {
    /// Writes all entries into a file; how many there were.
    ///
    /// # Errors
    /// The file is there already, or cannot be written; the context cannot be read.
    pub fn export(&self, format: Format, path: &Path, overwrite: bool) -> Result<u64> {
        target::write(path, overwrite, |out| {
            let told = |error: std::io::Error| Error::system(path, error);
            match format {
                Format::Jsonl => {
                    writeln!(out, "{TITLE}").map_err(told)?;
                    self.each(0, |entry| writeln!(out, "{}", entry.line()).map_err(told))
                }
                Format::Markdown => {
                    out.write_all(markdown::HEAD.as_bytes()).map_err(told)?;
                    self.each(0, |entry| {
                        out.write_all(markdown::written(entry).as_bytes())
                            .map_err(told)
                    })
                }
                Format::Text => transcript::write(self, out, told),
            }
        })
    }

    /// Calls a function for each entry, in their order, from a row on; how many there were.
    pub(super) fn each(
        &self,
        from: i64,
        mut work: impl FnMut(&Entry) -> Result<()>,
    ) -> Result<u64> {
        let told = |error: rusqlite::Error| self.told(&error);
        let text = format!("SELECT {COLUMNS} FROM entry WHERE id >= ?1 ORDER BY id");
        let mut read = self.connection.prepare(&text).map_err(told)?;
        let mut rows = read.query([from]).map_err(told)?;
        let mut count = 0;
        while let Some(row) = rows.next().map_err(told)? {
            work(&entry_of(row, 0).map_err(told)?)?;
            count += 1;
        }
        Ok(count)
    }
}
