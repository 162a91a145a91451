//! From the arguments to the text of a query: as it stands there, from a file, or from standard input.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use hs_core::{Error, ErrorKind, Place, Result};

/// BigQuery takes a megabyte of text; what is far beyond that is no query.
const LARGEST: u64 = 16 << 20;

/// The query that the arguments mean.
///
/// # Errors
/// [`ErrorKind::Missing`] and [`ErrorKind::Io`] for a file that cannot be read, [`ErrorKind::Format`] for one that is
/// no text.
pub fn text(sql: Option<&str>, file: Option<&Path>) -> Result<String> {
    match (sql, file) {
        (Some("-"), _) => read(std::io::stdin(), "stdin"),
        (Some(sql), _) if is_file(sql) => {
            let message = format!("expected a query, found the name of a file: {sql}");
            Err(Error::new(ErrorKind::Argument, message).hint(format!("hs interroge -f {sql}")))
        }
        (Some(sql), _) => Ok(sql.to_owned()),
        (None, Some(path)) if path == Path::new("-") => read(std::io::stdin(), "stdin"),
        (None, Some(path)) => {
            let name = path.display().to_string();
            let file = File::open(path).map_err(|error| unreadable(error, &name))?;
            read(file, &name)
        }
        (None, None) => Ok(String::new()),
    }
}

/// Whether it is the name of a file that is there, which is no query.
fn is_file(sql: &str) -> bool {
    !sql.contains(char::is_whitespace) && Path::new(sql).is_file()
}

fn read(source: impl Read, name: &str) -> Result<String> {
    let mut bytes = Vec::new();
    let taken = source.take(LARGEST + 1).read_to_end(&mut bytes);
    taken.map_err(|error| unreadable(error, name))?;
    let refused = |found: String| {
        let message = format!("expected a query as text in UTF-8, found {found}");
        Error::new(ErrorKind::Format, message).at(Place::source(name))
    };
    if bytes.len() as u64 > LARGEST {
        return Err(refused(format!("more than {LARGEST} bytes")));
    }
    let text = String::from_utf8(bytes);
    let text = text.map_err(|error| {
        refused(format!(
            "a broken byte at {}",
            error.utf8_error().valid_up_to()
        ))
    })?;
    Ok(text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned())
}

fn unreadable(error: std::io::Error, name: &str) -> Error {
    let (kind, message) = match error.kind() {
        std::io::ErrorKind::NotFound => (ErrorKind::Missing, "no such file".to_owned()),
        _ => (ErrorKind::Io, format!("cannot be read: {error}")),
    };
    Error::new(kind, message)
        .because(error)
        .at(Place::source(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_comes_as_it_stands_or_from_a_file() -> std::io::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("a.sql");
        std::fs::write(&path, "\u{feff}SELECT 1")?;
        assert_eq!(text(None, Some(&path)).ok().as_deref(), Some("SELECT 1"));
        assert_eq!(
            text(Some("SELECT 2"), None).ok().as_deref(),
            Some("SELECT 2")
        );
        std::fs::write(&path, b"SELECT \xff")?;
        let kind = |path: &Path| text(None, Some(path)).map_err(|error| error.kind()).err();
        assert_eq!(kind(&path), Some(ErrorKind::Format));
        assert_eq!(kind(&folder.path().join("b.sql")), Some(ErrorKind::Missing));
        Ok(())
    }
}
