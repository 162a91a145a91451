//! What a file tells of itself without its rows: the names of its columns and sheets, and where a document has records.
//!
//! For shells, which ask between two keys: it reads no more than it needs, proves nothing, and gives no names where telling them
//! would mean to read a large file.

use super::{Format, Loaded, ReadOptions, arrow, detect, parquet, read, record_paths, workbook};
use crate::control::Control;
use crate::error::Result;
use crate::source::Source;

/// A document and a workbook have no front; larger ones are not read for their names. Bytes as they are stored.
const LARGEST: u64 = 32 << 20;

/// The names of the columns, in order.
///
/// # Errors
/// As reading it, where that begins to fail in front.
pub fn columns(source: Source, options: &ReadOptions, control: &Control) -> Result<Vec<String>> {
    match detect(&source)? {
        format @ (Format::Csv | Format::Jsonl) => of_lines(format, &source, options, control),
        Format::Parquet => parquet::names(source, control),
        Format::Arrow => arrow::names(&source),
        _ if source.size() > LARGEST => Ok(Vec::new()),
        format => Ok(match read(format, source, options, control)? {
            Loaded::Table(table) => names(&table),
            Loaded::Sheets(_) | Loaded::Value(_) => Vec::new(),
        }),
    }
}

/// The names of the sheets, and those of tables and areas; none for what is no workbook.
///
/// # Errors
/// As reading it.
pub fn sheets(source: Source, control: &Control) -> Result<Vec<String>> {
    match detect(&source)? {
        format if format.is_workbook() && source.size() <= LARGEST => {
            workbook::names(format, source, control)
        }
        _ => Ok(Vec::new()),
    }
}

/// The paths of the records in a document that is no table by itself.
///
/// # Errors
/// As reading it.
pub fn records(source: Source, control: &Control) -> Result<Vec<String>> {
    let format = detect(&source)?;
    if !matches!(format, Format::Json | Format::Toml) || source.size() > LARGEST {
        return Ok(Vec::new());
    }
    Ok(
        match read(format, source, &ReadOptions::default(), control)? {
            Loaded::Value(document) => record_paths(&document),
            Loaded::Table(_) | Loaded::Sheets(_) => Vec::new(),
        },
    )
}

/// Those of the front of a text. It may end in the middle of a record, or hold one that is not right: then less of it is read.
fn of_lines(
    format: Format,
    source: &Source,
    options: &ReadOptions,
    control: &Control,
) -> Result<Vec<String>> {
    let options = ReadOptions {
        rows: Some(0),
        ..options.clone()
    };
    let mut front = source.head();
    loop {
        let whole = Source::bytes("the front", front.to_vec())?;
        let found = read(format, whole, &options, control);
        let end = front[..front.len() / 2]
            .iter()
            .rposition(|byte| *byte == b'\n');
        match (found, end) {
            (Ok(Loaded::Table(table)), _) => return Ok(names(&table)),
            (Ok(_), _) => return Ok(Vec::new()),
            (Err(error), None) => return Err(error),
            (Err(_), Some(end)) => front = &front[..=end],
        }
    }
}

fn names(table: &crate::table::Table) -> Vec<String> {
    let columns = table.columns().iter();
    columns.map(|column| column.name.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Write;

    fn of(text: impl Into<Vec<u8>>, options: &ReadOptions) -> Vec<String> {
        let source = Source::bytes("a.csv", text.into()).unwrap();
        columns(source, options, &Control::default()).unwrap()
    }

    #[test]
    fn the_front_of_a_long_text_is_enough() {
        let mut text = String::from("id;Straße;\"a;b\"\n");
        for row in 0..30_000 {
            writeln!(text, "{row};x;y").unwrap();
        }
        assert!(text.len() > 3 * (64 << 10));
        assert_eq!(of(text, &ReadOptions::default()), ["id", "Straße", "a;b"]);
    }

    #[test]
    fn a_cell_that_goes_on_behind_the_front_hides_no_names() {
        let text = format!("id,text\n1,a\n2,\"{}\"\n", "long\n".repeat(30_000));
        assert_eq!(of(text, &ReadOptions::default()), ["id", "text"]);
    }

    #[test]
    fn what_the_user_says_of_the_file_counts() {
        let options = ReadOptions {
            delimiter: Some('|'),
            encoding: Some("cp1252".into()),
            ..ReadOptions::default()
        };
        assert_eq!(of(*b"gr\xf6\xdfe|b\n1|2\n", &options), ["größe", "b"]);
    }

    #[test]
    fn records_of_a_document_are_found_by_their_paths() {
        let text = br#"{"data": {"items": [{"a": 1}]}, "n": 1}"#;
        let source = || Source::bytes("a.json", text.to_vec()).unwrap();
        let control = Control::default();
        assert_eq!(records(source(), &control).unwrap(), ["data.items"]);
        let options = ReadOptions {
            at: Some("data.items".into()),
            ..ReadOptions::default()
        };
        assert_eq!(columns(source(), &options, &control).unwrap(), ["a"]);
        assert!(sheets(source(), &control).unwrap().is_empty());
    }
}
