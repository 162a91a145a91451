//! Damaged files of every format: a clear error or a table that can be looked at, never a panic,
//! never a hang, never much memory.

use hs_core::format::json::write::write_rows;
use hs_core::format::jsonl::write::LINES;
use hs_core::op::decris::decris;
use hs_core::op::montre::{MontreOptions, montre};
use hs_core::{Control, Error, ErrorKind, Format, Loaded, ReadOptions, Source, Table, format};
use proptest::sample::select;
use proptest::test_runner::TestCaseError;

use crate::cases;
use crate::columnar;
use crate::guard::{guarded, panics};
use crate::mutation::{File, damaged, mutations};

const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/");

/// A fixture.
pub fn fixture(name: &str) -> File {
    let path = format!("{FIXTURES}{name}");
    File(std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}")))
}

/// The fixture of a text format, its first lines, and small files with what is special in it.
pub fn texts(format: Format) -> Vec<File> {
    let (name, special): (_, &[&str]) = match format {
        Format::Csv => (
            "orders.csv",
            &[
                "a;b;c\n1,5;1.234,56;31/12/2026\n2,5;2.000;01/02/2026\n",
                "\u{feff}id\tname\r\n1\t\"x\"\"y\r\nz\"\r\n2\t\r\n",
                "x\n00042\n\n\"\"\nNA\n1e5\n",
                "n,u,f,t\n1,18446744073709551615,-0.0,10:00\nNA,,inf,23:59:59.999\n",
                "a,a,,\n1,2,3,\n1,2,3,\n",
                "d,z\n2026-01-31T10:00:00.123456789,2026-01-31T10:00+02:00\n,2026-01-31 10:00Z\n",
                "a|\"b\"\r1|2\r\"3\"|\"4\n5\"\r",
            ],
        ),
        Format::Json => (
            "orders.json",
            &[
                "[{\"a\":1,\"b\":[1,{\"c\":null}]},{\"a\":\"x\",\"d\":{\"e\":1.5}}]",
                "{\"data\":{\"items\":[{\"a\":1},{\"a\":-0.0}]},\"n\":18446744073709551616}",
                "{\"a\":1}\n{\"a\":2}\n",
                "\"\\u00e9\\ud83d\\ude00\"",
            ],
        ),
        Format::Jsonl => (
            "orders.jsonl",
            &[
                "{\"a\":1}\r\n\r\n[1]\r\n{\"a\":{\"b\":[]}}\r\n{\"a\":{}}",
                "\u{feff}{\"a\":[1,\"x\"],\"a\":2}\n{\"a\":1e400}\n{\"b\":0.12345678901234567890}\n",
            ],
        ),
        _ => (
            "orders.toml",
            &[
                "a.b = 1\n[[x]]\nd = 2026-01-31T10:00:00.5Z\nt = 10:00:00\n[[x]]\nd = nan\n",
                "s = '''a\nb'''\nm = \"\"\"\\\n  x\"\"\"\nh = 0xff\ni = {a = [1, 2.5, {}]}\n",
            ],
        ),
    };
    let whole = fixture(name);
    let lines = whole.0.split_inclusive(|byte| *byte == b'\n').take(8);
    let first = File(lines.collect::<Vec<_>>().concat());
    let special = special.iter().map(|text| File(text.as_bytes().to_vec()));
    [whole, first].into_iter().chain(special).collect()
}

/// All that is done with a loaded file.
fn looked_at(format: Format, bytes: Vec<u8>) -> Result<(), String> {
    let control = Control::default();
    let name = format!("broken.{}", format.name());
    let loaded = Source::bytes(name, bytes)
        .and_then(|source| format::read(format, source, &ReadOptions::default(), &control));
    let table = match loaded {
        Ok(Loaded::Table(table)) => table,
        Ok(Loaded::Value(document)) => return paths_are_few(&document),
        Ok(Loaded::Sheets(_)) => return Err("all sheets, though one was asked for".to_owned()),
        Err(error) => return refused_well(format, &error),
    };
    describable(&table, &control)
}

/// An error is of the file, not of headstart, and no panic.
fn refused_well(format: Format, error: &Error) -> Result<(), String> {
    let panics = panics();
    // The words of a panic that was caught. Readers of others may panic on files that are broken:
    // to catch that is all there is to do. What is ours has to refuse them.
    let caught = error.message().contains("reader failed on this file");
    let text = matches!(
        format,
        Format::Csv | Format::Json | Format::Jsonl | Format::Toml
    );
    let foreign = |file: &String| file.contains("/registry/") && !file.contains("/polars");
    if caught && (text || !panics.iter().any(foreign)) || error.kind() == ErrorKind::Internal {
        return Err(format!("{panics:?}, {:?}: {error}", error.kind()));
    }
    Ok(())
}

fn describable(table: &Table, control: &Control) -> Result<(), String> {
    for (info, column) in table.iter() {
        if column.len() != table.height() {
            return Err(format!("column {:?} has another height", info.name));
        }
    }
    if table.account().len() > 6 {
        return Err("more than six lines".to_owned());
    }
    let described = decris(table, control).map_err(|error| error.to_string())?;
    if described.height() != table.width() {
        return Err("decris has another number of columns".to_owned());
    }
    let view = montre(table, MontreOptions::default());
    let mut out = Vec::new();
    let written = write_rows(table, LINES, &mut out, control);
    written.map_err(|error| error.to_string())?;
    // A text inside JSON has no line end of its own.
    let lines = out.split_inclusive(|byte| *byte == b'\n').count();
    if lines != table.height() || view.rows != lines {
        return Err(format!("{lines} lines for {} rows", table.height()));
    }
    Ok(())
}

fn paths_are_few(document: &format::Document) -> Result<(), String> {
    let paths = format::record_paths(&document.value);
    if paths.len() > 20 {
        return Err("more paths than are shown".to_owned());
    }
    Ok(())
}

/// What is told of a file of this format is true of these bytes.
pub fn holds(format: Format, bytes: Vec<u8>, measured: bool) -> Result<(), TestCaseError> {
    guarded(bytes, measured, move |bytes| looked_at(format, bytes))?.map_err(TestCaseError::fail)
}

/// A property of damaged files that start as one of these.
macro_rules! damaged_files {
    ($name:ident, $cases:expr, $format:expr, $files:expr) => {
        #[test]
        fn $name() {
            let files: Vec<File> = $files;
            let choice = (select(files.clone()), select(files), mutations());
            let mut runner = proptest::test_runner::TestRunner::new(cases($cases));
            let property = |(file, other, mutations): (File, File, Vec<_>)| {
                // Workbooks reserve, and never touch, what their parts are said to unpack to, to see
                // that it is there; that is no memory taken, but it would count as such here.
                let measured = !$format.is_workbook();
                holds($format, damaged(&file, &other, &mutations), measured)
            };
            if let Err(failure) = runner.run(&choice, property) {
                panic!("{failure}");
            }
        }
    };
}

damaged_files!(damaged_csv, 1500, Format::Csv, texts(Format::Csv));
damaged_files!(damaged_json, 1000, Format::Json, texts(Format::Json));
damaged_files!(damaged_jsonl, 1000, Format::Jsonl, texts(Format::Jsonl));
damaged_files!(damaged_toml, 1000, Format::Toml, texts(Format::Toml));
damaged_files!(
    damaged_parquet,
    300,
    Format::Parquet,
    [
        vec![fixture("orders.parquet")],
        columnar::files(Format::Parquet)
    ]
    .concat()
);
damaged_files!(
    damaged_arrow,
    300,
    Format::Arrow,
    [
        vec![fixture("orders.arrow")],
        columnar::files(Format::Arrow)
    ]
    .concat()
);
damaged_files!(damaged_xls, 200, Format::Xls, vec![fixture("orders.xls")]);
damaged_files!(
    damaged_xlsx,
    200,
    Format::Xlsx,
    vec![fixture("orders.xlsx")]
);
damaged_files!(
    damaged_xlsb,
    200,
    Format::Xlsb,
    vec![fixture("orders.xlsb")]
);
damaged_files!(damaged_ods, 200, Format::Ods, vec![fixture("orders.ods")]);
