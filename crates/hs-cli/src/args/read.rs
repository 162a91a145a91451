//! Which file to read, and how: the options of all commands that read files.

use std::ffi::OsString;
use std::num::IntErrorKind;

use clap::Args;

/// Which part of a file that a command names itself to read, and how.
#[derive(Debug, Args)]
pub struct PartArgs {
    /// Part of a workbook: a sheet by name or by position from 0 (negative from the end), a table or
    /// defined name, or a range such as Jan!A1:F90
    #[arg(long, allow_hyphen_values = true, value_name = "NAME")]
    pub sheet: Option<String>,
    /// How to read it.
    #[command(flatten)]
    pub read: ReadArgs,
}

/// Which file to read, and how.
#[derive(Debug, Args)]
pub struct FileArgs {
    /// The file; `-` is standard input, FILE#SHEET a sheet of a workbook, FILE#SHEET!A1:F90 a range of
    /// it. Several files, or those that match a quoted pattern, are stacked by column name
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<OsString>,
    /// Part of a workbook: a sheet by name or by position from 0 (negative from the end), a table or
    /// defined name, a range such as Jan!A1:F90, or * for all sheets
    #[arg(long, allow_hyphen_values = true, value_name = "NAME")]
    pub sheet: Option<String>,
    /// How to read it.
    #[command(flatten)]
    pub read: ReadArgs,
}

/// How to read a file.
#[derive(Clone, Debug, Args)]
pub struct ReadArgs {
    /// Path of the records inside a json or toml document, such as data.items
    #[arg(long, value_name = "PATH")]
    pub at: Option<String>,
    /// Type of a column instead of the decided one, or one for all; repeat it for more columns.
    /// Types: text, int, float, bool, date, datetime, time, decimal; also date:%d/%m/%Y and
    /// float:1.234,56
    #[arg(long, value_name = "NAME=TYPE")]
    pub types: Vec<String>,
    /// Only these columns, in this order; req.path is the field path of records in req
    #[arg(long, value_delimiter = ',', value_name = "A,B")]
    pub columns: Option<Vec<String>>,
    /// Only the first so many rows
    #[arg(long, allow_negative_numbers = true, value_parser = number, value_name = "N")]
    pub rows: Option<usize>,
    /// Character encoding of a text file instead of the detected one, such as cp1252
    #[arg(long, value_name = "NAME")]
    pub encoding: Option<String>,
    /// Delimiter of a text file instead of the detected one: a character, or tab
    #[arg(long, value_parser = delimiter, value_name = "CHAR")]
    pub delimiter: Option<char>,
    /// Line of the header in a text file, row in a sheet, from 1; 0 for none
    #[arg(long, allow_negative_numbers = true, value_parser = number, value_name = "LINE")]
    pub header: Option<usize>,
}

fn delimiter(text: &str) -> Result<char, String> {
    if matches!(text, "tab" | "\\t") {
        return Ok('\t');
    }
    let mut letters = text.chars();
    match (letters.next(), letters.next()) {
        (Some(letter), None) => Ok(letter),
        _ => Err("expected one character, or tab".to_owned()),
    }
}

/// A number of rows or the like; one larger than any is as many as there are.
pub(super) fn number(text: &str) -> Result<usize, String> {
    const MOST: usize = 1 << 62;
    match text.parse() {
        Ok(number) => Ok(MOST.min(number)),
        Err(error) if *error.kind() == IntErrorKind::PosOverflow => Ok(MOST),
        Err(_) => Err("expected a whole number, 0 or more".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn more_than_there_can_be_is_all() {
        assert_eq!(super::number("0"), Ok(0));
        for many in ["18446744073709551615", &"9".repeat(30)] {
            assert_eq!(super::number(many), Ok(1 << 62));
        }
        assert!(super::number("-1").is_err() && super::number("1.5").is_err());
    }

    #[test]
    fn tab_can_be_spelt_out() {
        assert_eq!(super::delimiter("tab"), Ok('\t'));
        assert_eq!(super::delimiter("|"), Ok('|'));
        assert!(super::delimiter("||").is_err() && super::delimiter("").is_err());
    }
}
