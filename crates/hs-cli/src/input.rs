//! From the FILE arguments to a loaded table or document.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use hs_core::fields::with_fields;
use hs_core::op::charge::{ChargeOptions, Given, charge, charge_files};
use hs_core::{
    Control, Error, ErrorKind, Loaded, ReadOptions, Result, SheetChoice, Source, Table, Topic,
    Types, Wanted, source,
};

use crate::args::{FileArgs, PartArgs, ReadArgs};
use crate::document;
use crate::output::one_of;
use hs_core::table::unknown_column;

/// What standard input is called in notes and errors.
const STDIN: &str = "stdin";

/// Loads the file or files that the arguments name.
///
/// # Errors
/// As [`charge_files`]; [`ErrorKind::Argument`] when the sheet is named twice, or standard input
/// together with files.
pub fn load(args: &FileArgs, control: &Control) -> Result<Loaded> {
    load_from(&args.files, args.sheet.as_deref(), &args.read, control)
}

/// Loads a file or files, of workbooks the sheet of that name or position.
///
/// # Errors
/// As [`load`].
pub fn load_from(
    files: &[OsString],
    sheet: Option<&str>,
    args: &ReadArgs,
    control: &Control,
) -> Result<Loaded> {
    let mut options = options(args)?;
    let wanted = options.columns.clone().unwrap_or_default();
    if !wanted.iter().any(|name| name.contains('.')) {
        return load_as(files, sheet, options, control);
    }
    // Perhaps a field of records, which is there only when the records were read. Standard input is read once.
    if files.iter().all(|file| file != "-") {
        match load_as(files, sheet, options.clone(), control) {
            Err(error) if error.kind() == ErrorKind::Column => {}
            done => return done,
        }
    }
    options.columns = None;
    match load_as(files, sheet, options, control)? {
        Loaded::Table(table) => Ok(Loaded::Table(with_fields(table)?.select(&wanted)?)),
        loaded => Ok(loaded),
    }
}

/// How to read, as the arguments say.
fn options(args: &ReadArgs) -> Result<ChargeOptions> {
    Ok(ChargeOptions {
        read: ReadOptions {
            at: args.at.clone(),
            encoding: args.encoding.clone(),
            delimiter: args.delimiter,
            header: args.header,
            types: types(&args.types)?,
            ..ReadOptions::default()
        },
        columns: args.columns.clone(),
        rows: args.rows,
    })
}

fn load_as(
    files: &[OsString],
    sheet: Option<&str>,
    mut options: ChargeOptions,
    control: &Control,
) -> Result<Loaded> {
    let (given, sheet) = address(files, sheet, control)?;
    let position = sheet.as_deref().and_then(|sheet| sheet.parse::<i64>().ok());
    options.read.sheet = sheet.map_or(SheetChoice::First, SheetChoice::named);
    let Some(given) = given else {
        // Standard input cannot be read twice: a number is a position there.
        if let Some(position) = position {
            options.read.sheet = SheetChoice::Index(position);
        }
        return charge(Source::stream(STDIN, std::io::stdin())?, &options, control);
    };
    let loaded = charge_files(&given, &options, control);
    match (loaded, position) {
        // `2026` is a position only when no sheet is called that.
        (Err(error), Some(position)) if error.kind() == ErrorKind::Sheet => {
            options.read.sheet = SheetChoice::Index(position);
            match charge_files(&given, &options, control) {
                Err(second) if second.kind() == ErrorKind::Sheet => Err(error),
                loaded => loaded,
            }
        }
        (loaded, _) => loaded,
    }
}

/// Loads one file as a table: a document or all sheets of a workbook are none.
///
/// # Errors
/// As [`load`]; [`ErrorKind::Type`] for what is no table.
pub fn table(
    file: &OsString,
    sheet: Option<&str>,
    read: &ReadArgs,
    control: &Control,
) -> Result<Table> {
    let files = std::slice::from_ref(file);
    only_table(load_from(files, sheet, read, control)?, files)
}

/// What was loaded of these files, if it is a table.
///
/// # Errors
/// [`ErrorKind::Type`] when it is none.
pub fn only_table(loaded: Loaded, files: &[OsString]) -> Result<Table> {
    match loaded {
        Loaded::Table(table) => Ok(table),
        Loaded::Sheets(sheets) => Err(one_of(&sheets, "expected one sheet, found all of them", "")),
        Loaded::Value(value) => Err(document::not_a_table(&name(files), &value)),
    }
}

/// Loads two files, a and b, as tables. Of the columns that `--columns` and `--types` name each takes those that it has.
///
/// # Errors
/// As [`table`]; [`ErrorKind::Column`] for a column that neither has.
pub fn two(files: [&OsString; 2], part: &PartArgs, control: &Control) -> Result<[Table; 2]> {
    if files.iter().all(|file| *file == "-") {
        let message = "expected standard input (-) once, found it twice";
        return Err(Error::new(ErrorKind::Argument, message));
    }
    let mut options = options(&part.read)?;
    options.read.some_lack = true;
    let load = |file: &OsString| {
        let files = std::slice::from_ref(file);
        let loaded = load_as(files, part.sheet.as_deref(), options.clone(), control)?;
        only_table(loaded, files)
    };
    let tables = [load(files[0])?, load(files[1])?];
    let typed = match &options.read.types {
        Types::Columns(columns) => columns.keys().collect(),
        _ => Vec::new(),
    };
    let chosen = options.columns.iter().flatten().collect();
    for (option, names) in [("columns", chosen), ("types", typed)] {
        refuse_unknown(option, &names, &tables)?;
    }
    Ok(tables)
}

/// Refuses a column that neither table has.
fn refuse_unknown(option: &str, names: &[&String], tables: &[Table; 2]) -> Result<()> {
    let infos = tables.iter().flat_map(Table::columns);
    let mut known: Vec<&str> = Vec::new();
    for info in infos {
        if !known.contains(&info.name.as_str()) {
            known.push(&info.name);
        }
    }
    let Some(name) = names.iter().find(|name| !known.contains(&name.as_str())) else {
        return Ok(());
    };
    let error = unknown_column(name, known.iter().copied());
    let message = format!("{option}: no column {name:?} in a or b");
    let told = Error::new(ErrorKind::Column, message);
    Err(match error.hint_text() {
        Some(hint) => told.hint(hint),
        None => told,
    })
}

/// Tells of a result what there is to say of the files that it was made from: what was loaded first, the
/// rest behind the result's own notes.
pub fn retell(result: &mut Table, files: impl IntoIterator<Item = Table>) {
    let (mut first, mut last) = (Vec::new(), Vec::new());
    for file in files {
        for mut note in file.notes {
            note.place
                .source
                .get_or_insert_with(|| file.origin.name.clone());
            if note.topic == Topic::Loaded {
                first.push(note);
            } else {
                last.push(note);
            }
        }
    }
    first.append(&mut result.notes);
    first.append(&mut last);
    result.notes = first;
}

/// The name of the source in notes and errors.
pub fn name(files: &[OsString]) -> Cow<'_, str> {
    match files.first().map(|file| file.to_string_lossy()) {
        Some(name) if name != "-" => name,
        _ => STDIN.into(),
    }
}

/// Types as `name=type`, or one type for all columns.
fn types(arguments: &[String]) -> Result<Types> {
    let pairs: Vec<Option<(&str, &str)>> =
        arguments.iter().map(|argument| pair(argument)).collect();
    match (arguments, pairs.as_slice()) {
        ([], _) => Ok(Types::Decided),
        ([all], [None]) => Wanted::parse(all).map(Types::All),
        (arguments, pairs) => match pairs.iter().position(Option::is_none) {
            None => Types::parse_columns(pairs.iter().flatten().copied()),
            Some(bare) => {
                let message = format!("types: expected name=type, found {:?}", arguments[bare]);
                Err(Error::new(ErrorKind::Argument, message)
                    .hint("one type for all columns stands alone: --types text"))
            }
        },
    }
}

/// A column and its type. Either may hold `=`: the first one with a type behind it counts, else
/// the last.
fn pair(argument: &str) -> Option<(&str, &str)> {
    let mut marks = argument.match_indices('=').map(|(at, _)| at);
    let typed = marks
        .clone()
        .find(|at| Wanted::parse(&argument[at + 1..]).is_ok());
    let at = typed.or_else(|| marks.next_back())?;
    Some((&argument[..at], &argument[at + 1..]))
}

/// The files (none for standard input) and the sheet.
fn address(
    files: &[OsString],
    sheet: Option<&str>,
    control: &Control,
) -> Result<(Option<Given>, Option<String>)> {
    let wrong =
        |message: String, hint: &str| Err(Error::new(ErrorKind::Argument, message).hint(hint));
    let by_option = sheet.map(str::to_owned);
    if files.iter().any(|file| file == "-") {
        if files.len() > 1 {
            let message = "expected files or standard input (-), found both".to_owned();
            return wrong(message, "write standard input to a file first");
        }
        return Ok((None, by_option));
    }
    let parts: Vec<(PathBuf, Option<String>)> =
        files.iter().map(|file| with_sheet(file, control)).collect();
    let (paths, sheets): (Vec<PathBuf>, Vec<Option<String>>) = parts.into_iter().unzip();
    let sheet = match sheets.split_first() {
        Some((first, others)) if others.iter().all(|sheet| sheet == first) => first.clone(),
        _ => {
            let message = "expected one sheet for all files, found several".to_owned();
            return wrong(
                message,
                "load the files one by one, or name the sheet by --sheet",
            );
        }
    };
    if let (Some(sheet), true) = (&sheet, by_option.is_some()) {
        let message = format!("the sheet is named twice: by #{sheet} and by --sheet");
        return wrong(message, "leave out one of them");
    }
    let given = match <[PathBuf; 1]>::try_from(paths) {
        Ok([path]) => Given::One(path),
        Err(paths) => Given::List(paths),
    };
    Ok((Some(given), sheet.or(by_option)))
}

/// The path of `FILE` or `FILE#SHEET`, and the sheet.
pub fn with_sheet(file: &OsStr, control: &Control) -> (PathBuf, Option<String>) {
    let whole = Path::new(file);
    let there = |path: &Path| path.exists() || source::matches(path, control);
    let parts = file.to_str().and_then(|text| text.rsplit_once('#'));
    match parts.filter(|(file, _)| !there(whole) && there(Path::new(file))) {
        Some((file, sheet)) => (file.into(), Some(sheet.to_owned())),
        None => (whole.to_owned(), None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    fn addressed(arguments: &[&str]) -> Result<(Option<Given>, Option<String>)> {
        #[derive(Parser)]
        struct Line {
            #[command(flatten)]
            file: FileArgs,
        }
        let line = Line::try_parse_from([&["hs"], arguments].concat()).unwrap();
        address(
            &line.file.files,
            line.file.sheet.as_deref(),
            &Control::default(),
        )
    }

    #[test]
    fn types_by_name_or_one_for_all() {
        let parsed = |arguments: &[&str]| {
            let arguments: Vec<String> = arguments.iter().map(ToString::to_string).collect();
            types(&arguments)
        };
        let wanted = |text: &str| Wanted::parse(text).unwrap();
        assert_eq!(parsed(&[]).unwrap(), Types::Decided);
        assert_eq!(parsed(&["text"]).unwrap(), Types::All(wanted("text")));
        let both = parsed(&["a=b=text", "d=date:%Y=%m=%d"]).unwrap();
        assert_eq!(both.of("a=b"), Some(&wanted("text")));
        assert_eq!(both.of("d"), Some(&wanted("date:%Y=%m=%d")));
        for wrong in [
            &["text", "a=int"][..],
            &["a=wibble"],
            &["wibble"],
            &["a=int", "a=text"],
        ] {
            assert!(parsed(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn a_sheet_behind_the_file_unless_the_file_is_called_so() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).display().to_string();
        std::fs::write(path("a.xlsx"), "x").unwrap();
        std::fs::write(path("b#1.csv"), "x").unwrap();
        let found = |text: &str| addressed(&[text]).unwrap();
        let one = |name: &str| Some(Given::One(path(name).into()));
        assert_eq!(
            found(&path("a.xlsx#Jan")),
            (one("a.xlsx"), Some("Jan".into()))
        );
        assert_eq!(found(&path("b#1.csv")), (one("b#1.csv"), None));
        assert_eq!(found(&path("c#1.csv")), (one("c#1.csv"), None));
        assert_eq!(
            found(&path("?.xlsx#Jan")),
            (one("?.xlsx"), Some("Jan".into()))
        );
        assert_eq!(found(&path("*#1.csv")), (one("*#1.csv"), None));
        assert_eq!(found("-"), (None, None));
        assert!(addressed(&[&path("a.xlsx#Jan"), "--sheet", "Feb"]).is_err());
        assert_eq!(
            addressed(&[&path("a.xlsx"), "--sheet", "-1"]).unwrap().1,
            Some("-1".into())
        );
    }

    #[test]
    fn several_files_have_one_sheet() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).display().to_string();
        std::fs::write(path("a.xlsx"), "x").unwrap();
        std::fs::write(path("b.xlsx"), "x").unwrap();
        let list = Given::List(vec![path("a.xlsx").into(), path("b.xlsx").into()]);
        let (jan, b_jan, feb) = (path("a.xlsx#Jan"), path("b.xlsx#Jan"), path("b.xlsx#Feb"));
        assert_eq!(
            addressed(&[&jan, &b_jan]).unwrap(),
            (Some(list.clone()), Some("Jan".into()))
        );
        assert_eq!(
            addressed(&[&path("a.xlsx"), &path("b.xlsx")]).unwrap(),
            (Some(list), None)
        );
        assert!(addressed(&[&jan, &feb]).is_err());
        assert!(addressed(&[&jan, &path("b.xlsx")]).is_err());
        assert!(addressed(&["-", &path("b.xlsx")]).is_err());
    }
}
