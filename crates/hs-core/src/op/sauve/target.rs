//! What the name of a file asks for: a format, a delimiter, a compression.

use std::path::Path;

use crate::error::{Error, ErrorKind, Place, Result, close_names};
use crate::format::Format;
use crate::source::Compression;

/// A format to write in, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// The format.
    pub format: Format,
    /// Its extension, as messages name it.
    pub word: &'static str,
    /// The delimiter of delimited text.
    pub delimiter: u8,
    /// How the text is packed.
    pub compression: Option<Compression>,
}

/// The extensions that can be written, and what each asks for.
const WRITTEN: [(&str, Format); 11] = [
    ("csv", Format::Csv),
    ("tsv", Format::Csv),
    ("json", Format::Json),
    ("jsonl", Format::Jsonl),
    ("ndjson", Format::Jsonl),
    ("parquet", Format::Parquet),
    ("pq", Format::Parquet),
    ("arrow", Format::Arrow),
    ("ipc", Format::Arrow),
    ("feather", Format::Arrow),
    ("xlsx", Format::Xlsx),
];
/// As errors list them.
const LISTED: &str = ".csv, .tsv, .json, .jsonl, .parquet, .arrow or .xlsx";

impl Target {
    /// What the path asks for by its extension, in any case.
    ///
    /// # Errors
    /// [`ErrorKind::Argument`] for an extension that is not written; it lists those that are.
    pub fn of(path: &Path) -> Result<Self> {
        let refuse = |message: String, hint: &str| {
            let error = Error::new(ErrorKind::Argument, message);
            Err(error
                .at(Place::source(path.display().to_string()))
                .hint(hint))
        };
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let compression = Compression::of_name(&name);
        let inside = match compression {
            None => &*name,
            Some(_) => name.rsplit_once('.').map_or(&*name, |(inside, _)| inside),
        };
        let extension = match inside.rsplit_once('.') {
            Some((front, extension)) if !front.is_empty() => extension.to_ascii_lowercase(),
            _ => String::new(),
        };
        let found = WRITTEN.into_iter().find(|(known, _)| *known == extension);
        let Some((word, format)) = found else {
            let found = match extension.as_str() {
                "" => "none".to_owned(),
                extension => format!(".{extension}"),
            };
            let close = close_names(&extension, WRITTEN.map(|(known, _)| known));
            let close = close.first().map(|close| format!("did you mean .{close}?"));
            let hint = match extension.as_str() {
                "xls" | "xlsm" | "xlsb" | "ods" => "workbooks are saved as .xlsx",
                "txt" | "tab" | "psv" => "delimited text is saved as .csv (commas) or .tsv (tabs)",
                "pq" => "parquet files are saved as .parquet",
                "ipc" | "arrows" => "Arrow files are saved as .arrow",
                _ => close
                    .as_deref()
                    .unwrap_or("the extension says the format: \"orders.csv\""),
            };
            return refuse(
                format!("expected {LISTED} as the extension, found {found}"),
                hint,
            );
        };
        let text = matches!(format, Format::Csv | Format::Json | Format::Jsonl);
        match compression {
            Some(packed) if !text => {
                let packed = packed.extension();
                return refuse(
                    format!("expected no packing around {word}, found .{packed}"),
                    &format!("{word} files are packed inside: leave out .{packed}"),
                );
            }
            Some(packed @ (Compression::Bzip2 | Compression::Xz)) => {
                return refuse(
                    format!(
                        "expected .gz or .zst for packed text, found .{}",
                        packed.extension()
                    ),
                    "those are written; .bz2 and .xz are only read",
                );
            }
            _ => {}
        }
        Ok(Self {
            format,
            word,
            delimiter: if word == "tsv" { b'\t' } else { b',' },
            compression,
        })
    }
}
