//! Files written here by the parquet crate, read back as tables.

use std::sync::Arc;

use arrow_array::{
    ArrayRef, Decimal128Array, Float64Array, Int64Array, RecordBatch, StringArray,
    TimestampNanosecondArray, UInt64Array,
};
use parquet::arrow::ArrowWriter;
use parquet::data_type::{ByteArray, ByteArrayType, Int96, Int96Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use polars::prelude::{DataType, TimeUnit};
use proptest::prelude::*;

use super::{read, write};
use crate::control::Control;
use crate::error::Result;
use crate::format::{self, Format, Loaded, ReadOptions, TextLayout};
use crate::source::Source;
use crate::table::{Kind, Table};
use crate::text;

/// Through [`format::read`], which also catches panics of the foreign reader.
fn load(source: Source) -> Result<Table> {
    load_with(source, &ReadOptions::default())
}

fn load_with(source: Source, options: &ReadOptions) -> Result<Table> {
    let loaded = format::read(Format::Parquet, source, options, &Control::default())?;
    match loaded {
        Loaded::Table(table) => Ok(table),
        _ => unreachable!("parquet is always a table"),
    }
}

fn load_bytes(bytes: Vec<u8>) -> Result<Table> {
    load(Source::bytes("a.parquet", bytes)?)
}

fn cells(table: &Table, column: usize) -> Vec<String> {
    let column = &table.frame().columns()[column];
    (0..table.height())
        .map(|row| {
            let mut out = String::new();
            text::write_json(&mut out, &column.get(row).expect("row exists"));
            out
        })
        .collect()
}

fn sample() -> Vec<u8> {
    let decimals = Decimal128Array::from(vec![Some(-1), Some(10i128.pow(37)), None])
        .with_precision_and_scale(38, 10)
        .expect("a decimal type");
    let columns: [(&str, ArrayRef); 6] = [
        (
            "u",
            Arc::new(UInt64Array::from(vec![Some(u64::MAX), None, Some(0)])),
        ),
        (
            "i",
            Arc::new(Int64Array::from(vec![Some(i64::MAX), None, Some(i64::MIN)])),
        ),
        ("dec", Arc::new(decimals)),
        ("f", Arc::new(Float64Array::from(vec![0.1, -0.0, 5e-324]))),
        ("s", Arc::new(StringArray::from(vec!["007", "", "é"]))),
        (
            "ns",
            Arc::new(TimestampNanosecondArray::from(vec![1, 2, 3]).with_timezone("UTC")),
        ),
    ];
    let batch = RecordBatch::try_from_iter(columns).expect("a batch");
    let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), None).expect("a writer");
    writer.write(&batch).expect("written");
    writer.into_inner().expect("finished")
}

/// A file with one INT96 column: Julian days with nanoseconds of the day.
fn int96_file(values: &[(u32, u64)]) -> Vec<u8> {
    let schema = parse_message_type("message m { required int96 ts; }").expect("a schema");
    let properties = Arc::new(WriterProperties::builder().build());
    let mut out = Vec::new();
    let mut writer =
        SerializedFileWriter::new(&mut out, Arc::new(schema), properties).expect("a writer");
    let mut group = writer.next_row_group().expect("a row group");
    let mut column = group.next_column().expect("no error").expect("a column");
    let values: Vec<Int96> = values
        .iter()
        .map(|(day, nanos)| {
            let mut value = Int96::new();
            value.set_data(*nanos as u32, (*nanos >> 32) as u32, *day);
            value
        })
        .collect();
    column
        .typed::<Int96Type>()
        .write_batch(&values, None, None)
        .expect("written");
    column.close().expect("closed");
    group.close().expect("closed");
    writer.close().expect("closed");
    out
}

#[test]
fn every_value_is_exact() -> Result<()> {
    let table = load_bytes(sample())?;
    assert_eq!(cells(&table, 0), ["18446744073709551615", "null", "0"]);
    assert_eq!(
        cells(&table, 1),
        ["9223372036854775807", "null", "-9223372036854775808"]
    );
    assert_eq!(
        cells(&table, 2),
        [
            "-0.0000000001",
            "1000000000000000000000000000.0000000000",
            "null"
        ]
    );
    assert_eq!(cells(&table, 3), ["0.1", "-0.0", "5e-324"]);
    assert_eq!(cells(&table, 4), ["\"007\"", "\"\"", "\"é\""]);
    assert_eq!(
        cells(&table, 5)[2],
        "\"1970-01-01 00:00:00.000000003+00:00\""
    );
    assert_eq!(table.origin.format, Some(Format::Parquet));
    Ok(())
}

#[test]
fn files_on_disk_and_packed_ones_are_read_alike() -> Result<()> {
    let folder = tempfile::tempdir().expect("a folder");
    let plain = folder.path().join("a.parquet");
    std::fs::write(&plain, sample()).expect("written");
    let packed = zstd::encode_all(sample().as_slice(), 1).expect("packed");
    let one = load(Source::path(&plain)?)?;
    let other = load(Source::bytes("a.parquet.zst", packed)?)?;
    assert!(one.frame().equals_missing(other.frame()));
    Ok(())
}

#[test]
fn int96_holds_every_year_and_nanoseconds() -> Result<()> {
    // Julian day numbers of 1500-03-01 (Gregorian), 1970-01-01 and 9999-12-31: Python's
    // `date.toordinal() + 1_721_425`.
    let far = load_bytes(int96_file(&[
        (2_268_983, 5_000),
        (5_373_484, 86_399_999_999_000),
    ]))?;
    let micros = DataType::Datetime(TimeUnit::Microseconds, None);
    assert_eq!(far.frame().columns()[0].dtype(), &micros);
    assert_eq!(
        cells(&far, 0),
        [
            "\"1500-03-01 00:00:00.000005\"",
            "\"9999-12-31 23:59:59.999999\""
        ]
    );
    let fine = load_bytes(int96_file(&[
        (2_440_588, 1),
        (2_440_588, 86_399_999_999_999),
    ]))?;
    assert_eq!(
        cells(&fine, 0),
        [
            "\"1970-01-01 00:00:00.000000001\"",
            "\"1970-01-01 23:59:59.999999999\""
        ]
    );
    Ok(())
}

#[test]
fn int96_beyond_64_bits_is_told() -> Result<()> {
    // Nanoseconds in the year 1500 and one in 1970: microseconds hold both years.
    let both = load_bytes(int96_file(&[(2_440_588, 0), (2_268_983, 5_001)]))?;
    assert_eq!(
        cells(&both, 0),
        ["\"1970-01-01 00:00:00\"", "\"1500-03-01 00:00:00.000005\""]
    );
    let told = |table: &Table| table.notes[0].text.clone();
    assert_eq!(
        told(&both),
        "column \"ts\": 1 INT96 time cut to microseconds, because nanoseconds do not reach the years \
         of others (first: row 2)"
    );
    // A day number below zero, 290,000 years before: its microseconds wrap to a day in the future.
    let wrapped = load_bytes(int96_file(&[(2_440_588, 0), (4_189_105_064, 0)]))?;
    assert_eq!(cells(&wrapped, 0)[1], "null");
    assert_eq!(
        told(&wrapped),
        "column \"ts\": 1 INT96 time beyond the years that 64 bits hold read as missing (first: row 2)"
    );
    Ok(())
}

#[test]
fn an_enum_is_text() -> Result<()> {
    let schema = parse_message_type("message m { required binary e (ENUM); }").expect("a schema");
    let mut out = Vec::new();
    let properties = Arc::new(WriterProperties::builder().build());
    let mut writer =
        SerializedFileWriter::new(&mut out, Arc::new(schema), properties).expect("a writer");
    let mut group = writer.next_row_group().expect("a row group");
    let mut column = group.next_column().expect("no error").expect("a column");
    let values = [ByteArray::from("left"), ByteArray::from("right")];
    column
        .typed::<ByteArrayType>()
        .write_batch(&values, None, None)
        .expect("written");
    column.close().expect("closed");
    group.close().expect("closed");
    writer.close().expect("closed");
    assert_eq!(cells(&load_bytes(out)?, 0), ["\"left\"", "\"right\""]);
    Ok(())
}

#[test]
fn a_stop_request_ends_reading_and_writing() {
    struct Stopping<'a>(&'a Control);
    impl std::io::Write for Stopping<'_> {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.stop();
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let stopped = |error: crate::Error| {
        assert_eq!(error.kind(), crate::ErrorKind::Interrupted, "{error}");
    };
    let table = load_bytes(grouped()).expect("a table");
    let control = Control::default();
    stopped(write(&table, &mut Stopping(&control), &control).expect_err("stopped"));
    let source = Source::bytes("a.parquet", grouped()).expect("bytes");
    stopped(read(source, &ReadOptions::default(), &control).expect_err("stopped"));
}

/// A file of ints and texts, 10 row groups of 1000 rows.
fn grouped() -> Vec<u8> {
    let ids: Vec<i64> = (0..10_000).collect();
    let texts: Vec<String> = ids.iter().map(|id| format!("text number {id}")).collect();
    let columns: [(&str, ArrayRef, bool); 3] = [
        ("id", Arc::new(Int64Array::from(ids)), false),
        ("text", Arc::new(StringArray::from(texts)), false),
        ("empty", Arc::new(arrow_array::NullArray::new(10_000)), true),
    ];
    let batch = RecordBatch::try_from_iter_with_nullable(columns).expect("a batch");
    let groups = WriterProperties::builder().set_max_row_group_row_count(Some(1000));
    let mut writer =
        ArrowWriter::try_new(Vec::new(), batch.schema(), Some(groups.build())).expect("a writer");
    writer.write(&batch).expect("written");
    writer.into_inner().expect("finished")
}

#[test]
fn only_the_wanted_rows_and_columns_are_read() -> Result<()> {
    let whole = grouped();
    let options = |only: Option<&[&str]>, rows| ReadOptions {
        only: only.map(|only| only.iter().map(|name| (*name).to_owned()).collect()),
        rows,
        ..ReadOptions::default()
    };
    let read = |only, rows| {
        let source = Source::bytes("a.parquet", whole.clone())?;
        load_with(source, &options(only, rows))
    };
    let all = read(None, None)?;
    assert_eq!((all.height(), all.width(), all.left_out), (10_000, 3, 0));
    assert_eq!(all.columns()[2].kind, Kind::Empty);
    assert_eq!(cells(&all, 1)[9_999], "\"text number 9999\"");
    for rows in [0, 5, 1000, 1001, 9999] {
        let some = read(None, Some(rows))?;
        assert_eq!((some.height(), some.left_out), (rows, 10_000 - rows));
        assert!(some.frame().equals_missing(&all.frame().head(Some(rows))));
    }
    let texts = read(Some(&["text"]), None)?;
    assert_eq!((texts.height(), texts.width()), (10_000, 1));
    let none = read(Some(&[]), Some(7))?;
    assert_eq!((none.height(), none.width(), none.left_out), (7, 0, 9_993));
    let error = read(Some(&["texts"]), None).expect_err("no such column");
    assert_eq!(error.hint_text(), Some("did you mean \"text\"?"));
    // What is not wanted is not looked at.
    let mut broken = whole.clone();
    let at = memchr::memmem::find(&broken, b"text number 9500").expect("text of group 10");
    broken[at - 40..at + 4000].fill(0xff);
    let read = |only, rows| {
        let source = Source::bytes("a.parquet", broken.clone())?;
        load_with(source, &options(only, rows))
    };
    assert_eq!(read(Some(&["id"]), None)?.height(), 10_000);
    assert_eq!(read(None, Some(9000))?.height(), 9000);
    let error = read(None, None).expect_err("a broken column");
    assert_eq!(error.place().column.as_deref(), Some("text"));
    Ok(())
}

#[test]
fn flat_texts_are_the_same_texts() -> Result<()> {
    let flat = ReadOptions {
        text: TextLayout::Flat,
        ..ReadOptions::default()
    };
    for file in [sample(), grouped()] {
        let views = load_bytes(file.clone())?;
        let table = load_with(Source::bytes("a.parquet", file)?, &flat)?;
        assert_eq!(table.columns(), views.columns());
        let position = views.position("s").or_else(|_| views.position("text"))?;
        let column = &table.frame().columns()[position];
        assert_eq!(column.dtype(), &DataType::BinaryOffset);
        let texts = views.frame().columns()[position]
            .str()
            .expect("texts")
            .clone();
        let bytes = column.binary_offset().expect("bytes");
        assert!(
            texts
                .iter()
                .zip(bytes.iter())
                .all(|(text, bytes)| text.map(str::as_bytes) == bytes)
        );
    }
    Ok(())
}

#[test]
fn what_is_cut_off_is_an_error() {
    let whole = sample();
    for length in (8..whole.len()).step_by(53) {
        assert!(load_bytes(whole[..length].to_vec()).is_err());
    }
}

proptest! {
    #[test]
    fn broken_bytes_never_panic(at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut bytes = sample();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        drop(load_bytes(bytes));
    }
}
