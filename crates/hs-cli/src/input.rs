//! From the FILE argument to a loaded table or document.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use hs_core::op::charge::{ChargeOptions, charge};
use hs_core::{Control, Error, ErrorKind, Loaded, ReadOptions, Result, SheetChoice, Source};

use crate::args::FileArgs;

/// What standard input is called in notes and errors.
const STDIN: &str = "stdin";

/// Loads the file that the arguments name.
///
/// # Errors
/// As [`charge`]; [`ErrorKind::Argument`] when the sheet is named twice.
pub fn load(args: &FileArgs, control: &Control) -> Result<Loaded> {
    let (path, sheet) = address(args)?;
    let position = sheet.as_deref().and_then(|sheet| sheet.parse::<i64>().ok());
    let mut options = ChargeOptions {
        read: ReadOptions {
            sheet: sheet.map_or(SheetChoice::First, SheetChoice::Name),
            at: args.at.clone(),
            encoding: args.encoding.clone(),
            delimiter: args.delimiter,
            header: args.header,
            ..ReadOptions::default()
        },
        columns: args.columns.clone(),
        rows: args.rows,
    };
    let Some(path) = path else {
        // Standard input cannot be read twice: a number is a position there.
        if let Some(position) = position {
            options.read.sheet = SheetChoice::Index(position);
        }
        return charge(
            Source::stream("stdin", std::io::stdin())?,
            &options,
            control,
        );
    };
    let loaded = charge(Source::path(&path)?, &options, control);
    match (loaded, position) {
        // `2026` is a position only when no sheet is called that.
        (Err(error), Some(position)) if error.kind() == ErrorKind::Sheet => {
            options.read.sheet = SheetChoice::Index(position);
            match charge(Source::path(&path)?, &options, control) {
                Err(second) if second.kind() == ErrorKind::Sheet => Err(error),
                loaded => loaded,
            }
        }
        (loaded, _) => loaded,
    }
}

/// The name of the source in notes and errors.
pub fn name(args: &FileArgs) -> Cow<'_, str> {
    match args.file.to_string_lossy() {
        name if name == "-" => STDIN.into(),
        name => name,
    }
}

/// The path (none for standard input) and the sheet.
fn address(args: &FileArgs) -> Result<(Option<PathBuf>, Option<String>)> {
    if args.file == "-" {
        return Ok((None, args.sheet.clone()));
    }
    let whole = Path::new(&args.file);
    let parts = args.file.to_str().and_then(|text| text.rsplit_once('#'));
    let Some((file, sheet)) = parts.filter(|(file, _)| !whole.exists() && Path::new(file).exists())
    else {
        return Ok((Some(whole.to_owned()), args.sheet.clone()));
    };
    if args.sheet.is_some() {
        let message = format!("the sheet is named twice: by #{sheet} and by --sheet");
        return Err(Error::new(ErrorKind::Argument, message).hint("leave out one of them"));
    }
    Ok((Some(file.into()), Some(sheet.to_owned())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    fn addressed(arguments: &[&str]) -> Result<(Option<PathBuf>, Option<String>)> {
        #[derive(Parser)]
        struct Line {
            #[command(flatten)]
            file: FileArgs,
        }
        let line = Line::try_parse_from([&["hs"], arguments].concat()).unwrap();
        address(&line.file)
    }

    #[test]
    fn a_sheet_behind_the_file_unless_the_file_is_called_so() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).display().to_string();
        std::fs::write(path("a.xlsx"), "x").unwrap();
        std::fs::write(path("b#1.csv"), "x").unwrap();
        let found = |text: &str| addressed(&[text]).unwrap();
        assert_eq!(
            found(&path("a.xlsx#Jan")),
            (Some(path("a.xlsx").into()), Some("Jan".into()))
        );
        assert_eq!(
            found(&path("b#1.csv")),
            (Some(path("b#1.csv").into()), None)
        );
        assert_eq!(
            found(&path("c#1.csv")),
            (Some(path("c#1.csv").into()), None)
        );
        assert_eq!(found("-"), (None, None));
        assert!(addressed(&[&path("a.xlsx#Jan"), "--sheet", "Feb"]).is_err());
        assert_eq!(
            addressed(&[&path("a.xlsx"), "--sheet", "-1"]).unwrap().1,
            Some("-1".into())
        );
    }
}
