//! What the fuzz targets share: reading bytes as a format, and what must hold of every table.
//!
//! A panic ends a target even where the library catches it, because the fuzzer's hook aborts first.

use hs_core::format::{Document, record_paths};
use hs_core::{Control, Format, Loaded, ReadOptions, Result, Source, Table, format, text};

/// Reads the bytes as this format, below the detection of formats.
///
/// # Errors
/// Those of the reader, and empty input.
pub fn load(format: Format, bytes: &[u8], options: &ReadOptions) -> Result<Loaded> {
    let source = Source::bytes(format!("input.{}", format.name()), bytes.to_vec())?;
    format::read(format, source, options, &Control::default())
}

/// Everything a user could see of a table, and a check that its parts fit together.
///
/// # Panics
/// When they do not, or when a column holds something that is not text as text.
pub fn seen(table: &Table) -> String {
    let mut out = String::new();
    assert_eq!(table.width(), table.frame().width(), "names and columns");
    for (info, column) in table.iter() {
        assert_eq!(column.len(), table.height(), "height of {:?}", info.name);
        out.push_str(&format!(
            "{:?} {:?} {:?}\n",
            info,
            column.dtype(),
            column.null_count()
        ));
        for row in 0..column.len() {
            let value = column.get(row).expect("the row is there");
            text::write_json(&mut out, &value);
            out.push('\n');
        }
    }
    assert!(table.account().len() <= 6, "lines of notes");
    for note in &table.notes {
        out.push_str(&format!("{note:?}\n"));
    }
    out
}

/// What a load comes to: all of the table or document, or the error with its place.
pub fn outcome(loaded: &Result<Loaded>) -> String {
    match loaded {
        Ok(Loaded::Table(table)) => seen(table),
        Ok(Loaded::Value(document)) => format!("{document:?}"),
        Err(error) => {
            assert_ne!(error.kind(), hs_core::ErrorKind::Internal, "{error}");
            error.to_string()
        }
    }
}

/// Checks that the paths told for a document lead to tables.
///
/// # Panics
/// When one does not.
pub fn paths(format: Format, bytes: &[u8], document: &Document) {
    for path in record_paths(&document.value).into_iter().take(3) {
        let options = ReadOptions {
            at: Some(path.clone()),
            ..ReadOptions::default()
        };
        let loaded = load(format, bytes, &options);
        assert!(
            matches!(&loaded, Ok(Loaded::Table(_))),
            "{path:?}: {}",
            outcome(&loaded)
        );
        outcome(&loaded);
    }
}
