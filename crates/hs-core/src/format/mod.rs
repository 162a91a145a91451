//! The formats: how each is recognised, and one file or folder per format that reads it.
//!
//! A reader takes a [`Source`] and gives [`Loaded`]; it never prints and never knows an operation.

pub mod arrow;
pub mod delimited;
pub mod json;
pub mod jsonl;
pub mod parquet;
pub mod toml;
pub mod workbook;

mod columnar;
mod conform;
mod detect;
mod document;
pub mod front;
mod rows;
mod sheets;

pub(crate) use conform::{Spot, conform as in_wanted_types};
pub use conform::{Types, Wanted};
pub use delimited::TextLayout;
pub use detect::detect;
pub use document::{Document, record_paths};
pub use sheets::{Sheet, Sheets};

use crate::control::Control;
use crate::error::{Error, ErrorKind, Place, Result};
use crate::source::Source;
use crate::table::Table;

/// A file format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// Delimited text: csv, tsv, txt.
    Csv,
    /// One JSON document.
    Json,
    /// One JSON object a line.
    Jsonl,
    /// A TOML document.
    Toml,
    /// Apache Parquet.
    Parquet,
    /// Apache Arrow IPC: file (Feather 2) or stream.
    Arrow,
    /// Office Open XML workbook (also strict, also with macros: xlsm).
    Xlsx,
    /// Excel binary workbook of 2007 and later.
    Xlsb,
    /// Excel 97-2003 workbook.
    Xls,
    /// OpenDocument spreadsheet.
    Ods,
}

impl Format {
    /// The name shown to users; it is also the usual extension.
    pub fn name(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Json => "json",
            Self::Jsonl => "jsonl",
            Self::Toml => "toml",
            Self::Parquet => "parquet",
            Self::Arrow => "arrow",
            Self::Xlsx => "xlsx",
            Self::Xlsb => "xlsb",
            Self::Xls => "xls",
            Self::Ods => "ods",
        }
    }

    /// The format of an extension (lower case, without the dot).
    pub fn of_extension(extension: &str) -> Option<Self> {
        Some(match extension {
            "csv" | "tsv" | "tab" | "txt" | "psv" => Self::Csv,
            "json" | "geojson" => Self::Json,
            "jsonl" | "ndjson" => Self::Jsonl,
            "toml" => Self::Toml,
            "parquet" | "pq" => Self::Parquet,
            "arrow" | "feather" | "ipc" | "arrows" => Self::Arrow,
            "xlsx" | "xlsm" | "xltx" | "xltm" => Self::Xlsx,
            "xlsb" => Self::Xlsb,
            "xls" | "xlt" => Self::Xls,
            "ods" => Self::Ods,
            _ => return None,
        })
    }

    /// True for the formats that have sheets.
    pub fn is_workbook(self) -> bool {
        matches!(self, Self::Xlsx | Self::Xlsb | Self::Xls | Self::Ods)
    }
}

/// Which part of a workbook to read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum SheetChoice {
    /// The first visible sheet.
    #[default]
    First,
    /// A sheet, table, defined name or range (`Sheet1!C3:T25`) by what it is called.
    Name(String),
    /// A sheet by position, from 0; negative from the end.
    Index(i64),
    /// Every sheet, each as a table of its own.
    All,
}

impl SheetChoice {
    /// The part that is called so; `*` is every sheet, as no sheet can have that name.
    pub fn named(name: String) -> Self {
        match name.as_str() {
            "*" => Self::All,
            _ => Self::Name(name),
        }
    }
}

/// How to read a file. Everything has a default that is right for most files.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// Which part of a workbook.
    pub sheet: SheetChoice,
    /// Path of the records inside a json or toml document, such as `data.items`.
    pub at: Option<String>,
    /// Character encoding of a text file, by its WHATWG label, instead of the detected one.
    pub encoding: Option<String>,
    /// Delimiter of a text file, instead of the detected one.
    pub delimiter: Option<char>,
    /// Line of the header in a text file or row in a sheet, from 1; 0 for none.
    pub header: Option<usize>,
    /// The types that columns are to have, instead of what their values say.
    pub types: Types,
    /// The columns that are wanted. A reader for which that is work saved leaves the others out;
    /// one that reads names before values refuses a name that no column has.
    pub only: Option<Vec<String>>,
    /// Some of the wanted columns, and of those that are to have a type, may be missing: other files have them.
    pub some_lack: bool,
    /// Only the first so many rows. A reader for which that is work saved leaves the others out, and
    /// counts them ([`Table::left_out`]).
    pub rows: Option<usize>,
    /// How the texts of delimited files are to lie in memory; only a caller that hands the table out
    /// through [`crate::flat`] may ask for another layout than views.
    pub text: TextLayout,
}

/// What a file turned out to hold.
#[derive(Clone, Debug)]
pub enum Loaded {
    /// A table.
    Table(Table),
    /// A table for each sheet, for [`SheetChoice::All`].
    Sheets(Sheets),
    /// A document that is not a table.
    Value(Document),
}

/// Reads a source as the given format.
///
/// # Errors
/// See [`ErrorKind`]; a panic inside a foreign reader becomes [`ErrorKind::Format`] with the file's name.
pub fn read(
    format: Format,
    source: Source,
    options: &ReadOptions,
    control: &Control,
) -> Result<Loaded> {
    let name = source.name().to_owned();
    let work = std::panic::AssertUnwindSafe(|| match format {
        Format::Csv => delimited::read(source, options, control).map(Loaded::Table),
        Format::Json => json::read(source, options, control),
        Format::Jsonl => jsonl::read(source, options, control).map(Loaded::Table),
        Format::Toml => toml::read(source, options, control),
        Format::Parquet => parquet::read(source, options, control).map(Loaded::Table),
        Format::Arrow => arrow::read(source, options, control).map(Loaded::Table),
        Format::Xlsx | Format::Xlsb | Format::Xls | Format::Ods => {
            workbook::read(format, source, options, control)
        }
    });
    let result = std::panic::catch_unwind(work).unwrap_or_else(|panic| {
        let reason = panic
            .downcast_ref::<&str>()
            .map(|text| (*text).to_owned())
            .or_else(|| panic.downcast_ref::<String>().cloned())
            .unwrap_or_else(|| "unknown fault".to_owned());
        Err(Error::new(
            ErrorKind::Format,
            format!("the {} reader failed on this file: {reason}", format.name()),
        )
        .hint("the file is probably broken; open and save it again in the program that wrote it"))
    });
    let conformed = |table| {
        let row = |row: usize| Ok(conform::Spot::Row(row as u64 + 1));
        conform::conform(table, &options.types, &row, control)
    };
    let loaded = result.and_then(|loaded| match loaded {
        Loaded::Table(table) => conformed(table).map(Loaded::Table),
        Loaded::Sheets(mut sheets) => {
            let each = sheets.sheets.into_iter().map(|sheet| {
                let table = conformed(sheet.table)
                    .map_err(|error| error.at(Place::default().sheet(&sheet.name)))?;
                Ok(Sheet { table, ..sheet })
            });
            sheets.sheets = each.collect::<Result<_>>()?;
            Ok(Loaded::Sheets(sheets))
        }
        value @ Loaded::Value(_) => Ok(value),
    });
    let mut loaded = loaded.map_err(|error| error.in_source(&name))?;
    let from = |table: &mut Table| {
        table.origin.name.clone_from(&name);
        table.origin.format = Some(format);
    };
    match &mut loaded {
        Loaded::Table(table) => from(table),
        Loaded::Sheets(sheets) => {
            let each = sheets.sheets.iter_mut();
            each.for_each(|sheet| from(&mut sheet.table));
            sheets.name.clone_from(&name);
        }
        Loaded::Value(_) => {}
    }
    Ok(loaded)
}
